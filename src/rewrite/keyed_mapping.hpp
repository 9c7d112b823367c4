#pragma once
// The default mapping of reduceByKey: which work-items combine which elements, and where.
#include <optional>
#include <string>

#include "ir/reduction.hpp"
#include "ir/term.hpp"
#include "target/processor.hpp"

namespace hoist::rewrite {

/// The arguments of a reduceByKey; any element of the arrays can be computed alone.
struct KeyedReduction {
  ir::Term function, init, keys, x;
};

struct KeyedMapping {
  ir::Term term;     ///< in low-level patterns
  std::string note;  ///< why it stays in one work-item, if it does
};

/// In one of four ways:
///   - copies of the accumulators, one for each of some stretches of the elements, by a work-item each, which
///   are
///     combined in the end; where the accumulators are few beside the elements. The order of the elements is
///     kept.
///   - of a GPU, a copy in local memory for each of some groups, whose work-items update it atomically; all
///   copies are
///     combined by updating the result in global memory
///   - updates of the result in global memory by all work-items, where the accumulators are many
///   - one work-item
/// `operation` and `neutral` are the function's, where they are known.
KeyedMapping map_keyed_reduction(const KeyedReduction& reduction,
                                 const std::optional<ir::DecomposedOperator>& operation, ir::Term neutral,
                                 target::Processor processor);

}  // namespace hoist::rewrite
