#pragma once
// Sizes of tasks, compared and in words.
#include <string>

#include "driver/compile.hpp"
#include "store/entries.hpp"

namespace hoist::tuner {

/// "M = 64, N = 96".
std::string sizes_text(const store::NamedValues& sizes);
/// How much sizes differ: factors of two, in all. Infinity where one of the second is none of the first.
double size_distance(const store::NamedValues& a, const driver::NamedSizes& b);

}  // namespace hoist::tuner
