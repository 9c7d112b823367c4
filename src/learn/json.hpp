#pragma once
// Learned numbers as JSON.
#include <nlohmann/json_fwd.hpp>

namespace hoist::learn {

using Json = nlohmann::json;

/// A float as the shortest number that reads as the same float, since JSON would write all digits of a
/// double.
double shortest(float number);

}  // namespace hoist::learn
