#pragma once
// A kernel that is loops in each other around one value: its parts.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loop/kernel.hpp"

namespace hoist::lower {

struct NestLoop {
  arith::Expr variable;
  std::int64_t length = 0;
  bool is_reduction = false;
};

/// for i ...: sum = start; for k ...: sum = combine(sum, element);  store result, which is of the sum
struct PerfectNest {
  std::vector<NestLoop> loops;  ///< as they stand in each other: those of the reduction are the innermost
  loop::VariablePtr sum;        ///< null where nothing is reduced
  loop::ValuePtr start;         ///< of the sum
  std::optional<ScalarOp> combine;
  loop::ValuePtr element;  ///< what is combined; what is stored where there is no sum
  loop::ValuePtr result;   ///< what is stored
  std::shared_ptr<const loop::Store> store;

  bool is_sum(const loop::ValuePtr& value) const;
};

/// User error where the kernel is none: its loops have no constant lengths or an order, it stores several
/// values, or what it reads is guarded by a condition or replaced by what it stores.
PerfectNest perfect_nest(const loop::Kernel& kernel);

bool is_same(const loop::Load& a, const loop::Load& b);
/// What a value reads, in its order, each once.
std::vector<loop::Load> loads_of(const loop::ValuePtr& value);

/// The user error of a nest that cannot run as a schedule says.
[[noreturn]] void refuse_nest(const std::string& why);

}  // namespace hoist::lower
