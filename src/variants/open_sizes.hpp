#pragma once
// The sizes that a low-level program leaves open, as a space of points.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "driver/compile.hpp"
#include "ir/term.hpp"
#include "space/space.hpp"
#include "target/target.hpp"

namespace hoist::variants {

/// Smallest and largest values of parameters by name, where the caller bounds them.
using ParameterBounds = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;

/// The space of a low-level program's open sizes under what its patterns assume (a tile divides, a window
/// fits) and the device allows. Of a derived program some sizes are powers of two: those that need not divide
/// anything would be too many.
Result<space::Space> space_of(const ir::Program& program, const target::Target& target,
                              const ParameterBounds& bounds = {}, bool is_derived = true);

/// The values of a point, with the names of their parameters.
driver::NamedSizes named_values(const space::Space& space, std::uint64_t rank);
/// Puts the values of a point into a program, without the checks of driver::with_sizes: points of its space
/// satisfy what the program assumes.
ir::Program with_values(const ir::Program& program, const driver::NamedSizes& values);
/// The same with the values of these as numbers that kernels learn when they are launched (?W@16).
ir::Program with_values(const ir::Program& program, const driver::NamedSizes& values,
                        const std::function<bool(std::string_view)>& is_launched);

/// Makes one space of all programs that leave the same sizes open under the same constraints, as derivations
/// that differ in what they copy often do.
class Spaces {
 public:
  /// As space_of.
  Result<std::shared_ptr<const space::Space>> of(const ir::Program& program, const target::Target& target,
                                                 const ParameterBounds& bounds, bool is_derived);

 private:
  std::map<std::vector<std::int64_t>, std::shared_ptr<const space::Space>> known_;
};

/// How many points each of some spaces has, counted by several threads. A space may be there more than once.
std::vector<std::uint64_t> counts_of(const std::vector<std::shared_ptr<const space::Space>>& spaces);

}  // namespace hoist::variants
