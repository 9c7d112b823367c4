#pragma once
// The sizes that a low-level program leaves open, as a space of points.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/error.hpp"
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

/// Makes one space of all programs that leave the same sizes open under the same constraints, as derivations
/// that differ in what they copy often do.
class Spaces {
 public:
  /// As space_of.
  Result<std::shared_ptr<const space::Space>> of(const ir::Program& program, const target::Target& target,
                                                 const ParameterBounds& bounds, bool is_derived);

 private:
  std::map<std::string, std::shared_ptr<const space::Space>> known_;
};

}  // namespace hoist::variants
