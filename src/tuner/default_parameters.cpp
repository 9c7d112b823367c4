#include "tuner/default_parameters.hpp"

namespace hoist::tuner {

Result<driver::NamedSizes> default_parameters(const ir::Program& sized, const target::Target& device,
                                              const variants::ParameterBounds& bounds) {
  const auto space = variants::space_of(sized, device, bounds, false);
  if (!space) return tl::unexpected(space.error());
  if (space->count() == 0)
    return user_error("no values of the tuning parameters satisfy all constraints", space->emptied_by(),
                      "choose other sizes, or wider bounds");
  return variants::named_values(*space, space->count() / 2);
}

}  // namespace hoist::tuner
