#pragma once
// Numbers that tell how fast a plan may be, read off its kernels without a device's compiler.
//
// The features of C. Dubach's group (Performance portable stencil code generation / thesis chapter 6,
// table 6.1), and more: docs/features.md says what each is. Counts are closed forms over the trips of loops;
// no feature walks the index space.
#include <string_view>
#include <vector>

#include "features/definition.hpp"
#include "loop/kernel.hpp"
#include "target/target.hpp"

namespace hoist::features {

/// What is read off plans for one processor. A column that is new for one of them leaves the schema of the
/// other, and what was stored and learned by it, as it is.
struct Schema {
  /// Changes whenever the list, or the meaning of one of them, does, and ends in its version:
  /// "hoist-features-1". Schemas with the same name have the same list.
  std::string_view name;
  std::vector<Definition> features;  ///< in the order of features_of
};
const Schema& schema(target::Processor processor);

/// One finite number a definition of the schema for the target's processor. Sizes and parameters of the plan
/// must be numbers.
std::vector<double> features_of(const loop::Plan& plan, const target::Target& target);

}  // namespace hoist::features
