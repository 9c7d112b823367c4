#include "loop/uniformity.hpp"

#include "loop/traverse.hpp"

namespace hoist::loop {

Uniformity::Uniformity(const Kernel& kernel, Within within)
    : has_one_row_(within == Within::Warp && arith::is_divisor(target::warp_size, kernel.launch.local[0])) {
  find_varying(kernel);
}

Uniformity::Uniformity(const Kernel& kernel, arith::Expr only_varying)
    : only_varying_(std::move(only_varying)) {
  find_varying(kernel);
}

void Uniformity::find_varying(const Kernel& kernel) {
  for (const KernelParameter& parameter : kernel.parameters) {
    const auto* buffer = std::get_if<BufferParameter>(&parameter);
    if (buffer && !buffer->is_written) read_only_.insert(buffer->buffer.get());
  }
  // A mutable variable may turn out to vary after uses of it were seen: walk until nothing changes.
  std::size_t known = 0;
  do {
    known = varying_indices_.size() + varying_variables_.size();
    walk(kernel.body, true);
  } while (varying_indices_.size() + varying_variables_.size() != known);
}

bool Uniformity::is_uniform(arith::Expr e) const {
  if (!e || !e->has_variables || varying_indices_.empty()) return true;
  for (const arith::Expr& variable : arith::variables(e)) {
    if (varying_indices_.contains(variable.get())) return false;
  }
  return true;
}

bool Uniformity::is_uniform(const Value& value) const {
  bool is_uniform_so_far = true;
  if (const auto* used = std::get_if<Reference>(&value.node)) {
    return !varying_variables_.contains(used->variable.get());
  }
  if (const auto* read = std::get_if<Load>(&value.node)) {
    return read_only_.contains(read->buffer.get()) && is_uniform(read->index);
  }
  for_each_own_index(value, [&](arith::Expr e) { is_uniform_so_far = is_uniform_so_far && is_uniform(e); });
  for_each_operand(
      value, [&](const ValuePtr& operand) { is_uniform_so_far = is_uniform_so_far && is_uniform(*operand); });
  return is_uniform_so_far;
}

bool Uniformity::is_shared_out(const For& loop) const {
  const bool is_over_work_items =
      loop.parallelism == Parallelism::Global || loop.parallelism == Parallelism::Local;
  if (only_varying_) return is_over_work_items && loop.variable == only_varying_;
  return is_over_work_items && (loop.dimension == 0 || !has_one_row_);
}

bool Uniformity::is_uniform(const For& loop) const {
  if (is_shared_out(loop)) return loop.form == LoopForm::ExactlyOnce;
  if (loop.condition && !is_uniform(*loop.condition)) return false;
  return is_uniform(loop.start) && is_uniform(loop.stop) && is_uniform(loop.step);
}

void Uniformity::walk(const Block& block, bool is_uniform_control) {
  for (const Statement& statement : block) {
    if (const auto* loop = std::get_if<For>(&statement.node)) {
      const bool is_varying = is_shared_out(*loop) || !is_uniform(*loop);
      if (is_varying) varying_indices_.insert(loop->variable.get());
      walk(loop->body, is_uniform_control && is_uniform(*loop));
    } else if (const auto* branch = std::get_if<If>(&statement.node)) {
      const bool is_inner_uniform = is_uniform_control && is_uniform(*branch->condition);
      walk(branch->then_body, is_inner_uniform);
      walk(branch->else_body, is_inner_uniform);
    } else if (const auto* let = std::get_if<Let>(&statement.node)) {
      const bool is_varying =
          (let->value && !is_uniform(*let->value)) || (let->variable->is_mutable && !is_uniform_control);
      if (is_varying) varying_variables_.insert(let->variable.get());
      if (is_varying && let->index) varying_indices_.insert(let->index.get());
    } else if (const auto* assign = std::get_if<Assign>(&statement.node)) {
      if (!is_uniform_control || !is_uniform(*assign->value)) {
        varying_variables_.insert(assign->variable.get());
      }
    }
  }
}

}  // namespace hoist::loop
