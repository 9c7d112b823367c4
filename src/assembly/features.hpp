#pragma once
// Numbers that tell how fast a kernel's hot loop may be, read off its assembly: the eleven features of K.
// Stock, L.-N. Pouchet and P. Sadayappan (Using machine learning to improve automatic vectorization, ACM TACO
// 8(4), 2012) in their four sets, and more. docs/assembly.md says what each is.
#include <span>
#include <string_view>
#include <vector>

#include "assembly/hot_loop.hpp"
#include "features/definition.hpp"

namespace hoist::assembly {

/// Changes whenever the list, or the meaning of one of them, does.
inline constexpr std::string_view schema_name = "hoist-assembly-1";
/// In the order of features_of. The groups "fs1" to "fs4" come first.
std::span<const features::Definition> definitions();

/// One of the paper's sets. Each holds the one before, so that a set is the first `count` of the features.
struct FeatureSet {
  std::string_view name;
  std::size_t count;
};
std::span<const FeatureSet> feature_sets();

/// One finite number a definition.
std::vector<double> features_of(const HotLoop& loop);

}  // namespace hoist::assembly
