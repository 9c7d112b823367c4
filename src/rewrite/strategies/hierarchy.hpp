#pragma once
// From nests to the device's hierarchy: who computes what.
#include "rewrite/strategy.hpp"

namespace hoist::rewrite {

/// What is not mapped yet, on the device: a nest that is outside of everything on mapGlb, one inside mapWrg
/// on mapLcl, others become loops; the innermost dimension is dimension 0, further than the third they are
/// loops. Reductions become loops; accumulators that are arrays live in registers, dealt out to work-items as
/// the nest that updates them is.
Strategy map_hierarchy();

}  // namespace hoist::rewrite
