// One function of libhoist, as a library of another version would have it.
#include <hoist/tools.hpp>

namespace hoist::api {

std::string version() { return "0.0.0-other"; }

}  // namespace hoist::api
