#pragma once
// The configurations of a step, by their values: all combinations that its conditions allow.
#include <cstddef>
#include <functional>

#include "base/random.hpp"
#include "search/named_space.hpp"
#include "search/specification/syntax.hpp"

namespace hoist::search::specification {

/// What bounds the work on any specification, however large its ranges; exceeding it is an error.
struct Limits {
  std::size_t configurations = std::size_t{1} << 20;  ///< of a step
  /// Values given to parameters, in one step and in the whole search: combinations that conditions leave out
  /// take time, too.
  std::size_t values_of_step = std::size_t{1} << 23, values_in_all = std::size_t{1} << 27;
};

/// Calls fn with each combination of a bound step's values, in the order of its parts: the last varies
/// fastest. Names that the step does not give values to have those of `best`, null where nothing is known
/// yet. `work` counts the values that were given, over all steps. Throws Failure: what expressions amount to,
/// and too many combinations.
void for_each_combination(const Step& step, const NamedValues* best, std::size_t names, Random& random,
                          const Limits& limits, std::size_t& work,
                          const std::function<void(const NamedValues&)>& fn);

}  // namespace hoist::search::specification
