#pragma once
// Tables of features, from which a schema for each processor follows.
#include <optional>
#include <span>

#include "features/features.hpp"
#include "features/summary.hpp"

namespace hoist::features {

struct Row {
  Definition definition;
  double (*value)(const Summary&);
  std::optional<target::Processor> only = std::nullopt;  ///< the processor that has it; nothing: both have
};

/// The definitions that a processor has.
std::vector<Definition> definitions_of(std::span<const Row> rows, target::Processor processor);
/// The numbers that the machine's processor has; 0 for one that is not finite.
std::vector<double> values_of(std::span<const Row> rows, const Summary& summary);

}  // namespace hoist::features
