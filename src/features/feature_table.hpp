#pragma once
// Tables of features, from which a schema for each kind of target follows.
#include <optional>
#include <span>

#include "features/features.hpp"
#include "features/summary.hpp"

namespace hoist::features {

struct Row {
  Definition definition;
  double (*value)(const Summary&);
  std::optional<TargetKind> only = std::nullopt;  ///< the kind of target that has it; nothing: all have
};

/// The definitions that a kind of target has.
std::vector<Definition> definitions_of(std::span<const Row> rows, TargetKind kind);
/// The numbers that the target's kind has; 0 for one that is not finite.
std::vector<double> values_of(std::span<const Row> rows, const Summary& summary);

}  // namespace hoist::features
