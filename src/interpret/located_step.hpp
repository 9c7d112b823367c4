#pragma once
// Steps whose errors show the expression that they compute.
#include <memory>
#include <vector>

#include "interpret/machine.hpp"
#include "ir/print.hpp"

namespace hoist::interpret {

/// The step, whose errors have the term behind them: "index 9 is outside an array of 8 elements, in x[k[i]]".
/// The scope has the binders of the term's loose variables, the innermost last. The term must outlive the
/// step.
std::unique_ptr<Step> located_step(std::unique_ptr<Step> step, ir::Term term, std::vector<ir::Binder> scope);

}  // namespace hoist::interpret
