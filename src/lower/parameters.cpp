#include <algorithm>
#include <unordered_set>

#include "base/error.hpp"
#include "lower/passes.hpp"

namespace hoist::lower {

void collect_parameters(loop::Kernel& kernel, const loop::Plan& plan) {
  std::unordered_set<const loop::Buffer*> read, written;
  std::unordered_set<const loop::Variable*> scalars;
  std::unordered_set<const arith::Node*> variables;
  std::unordered_set<std::string> data_names;
  bool has_long_index = false;
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    if (auto* let = std::get_if<loop::Let>(&statement.node)) {
      has_long_index |= let->index && let->variable->type.scalar == Scalar::I64;
    }
    if (auto* store = std::get_if<loop::Store>(&statement.node)) written.insert(store->buffer.get());
    if (auto* alias = std::get_if<loop::Alias>(&statement.node)) {
      read.insert(alias->target.get());
      written.insert(alias->target.get());
    }
  });
  loop::for_each_value(kernel.body, [&](const loop::ValuePtr& value) {
    if (auto* load = std::get_if<loop::Load>(&value->node)) read.insert(load->buffer.get());
    if (auto* reference = std::get_if<loop::Reference>(&value->node))
      scalars.insert(reference->variable.get());
  });
  // Indices of unrolled code share their terms.
  std::unordered_set<const arith::Node*> met;
  auto note_term = [&](arith::Expr term) {
    if (!term->has_variables || !met.insert(term.get()).second) return;
    for (arith::Expr variable : arith::variables(term)) {
      variables.insert(variable.get());
      if (variable->variable_kind == arith::VariableKind::Data) data_names.insert(variable->name);
    }
  };
  auto note_variables = [&](arith::Expr e) {
    if (e.kind() != arith::Kind::Sum) return note_term(e);
    for (arith::Expr term : e->operands) note_term(term);
  };
  loop::for_each_index(kernel.body, note_variables);
  kernel.parameters.clear();
  auto add_buffer = [&](const loop::BufferPtr& buffer) {
    bool is_written = written.count(buffer.get()) > 0;
    if (buffer->image && read.count(buffer.get())) note_variables(buffer->image->width);
    if (is_written || read.count(buffer.get()))
      kernel.parameters.emplace_back(loop::BufferParameter{buffer, is_written});
  };
  for (const loop::PlanInput& input : plan.inputs) {
    if (auto* buffer = std::get_if<loop::BufferPtr>(&input)) add_buffer(*buffer);
  }
  for (const loop::BufferPtr& buffer : plan.temporaries) add_buffer(buffer);
  for (const loop::BufferPtr& buffer : plan.outputs) add_buffer(buffer);
  auto add_scalar = [&](const loop::VariablePtr& variable) {
    if (!scalars.count(variable.get()) && !data_names.count(variable->name)) return;
    kernel.parameters.emplace_back(loop::ScalarParameter{variable});
  };
  for (const loop::PlanInput& input : plan.inputs) {
    if (auto* scalar = std::get_if<loop::ScalarInput>(&input)) add_scalar(scalar->variable);
  }
  loop::for_each_step(plan.steps, [&](const loop::PlanStep& step) {
    const auto* repeat = std::get_if<loop::RepeatStep>(&step.node);
    if (repeat && repeat->number) add_scalar(repeat->number);
  });
  for (arith::Expr size : plan.sizes) {
    if (variables.count(size.get())) kernel.parameters.emplace_back(loop::SizeParameter{size});
  }
  for (const arith::Node* variable : variables) {
    if (variable->variable_kind != arith::VariableKind::Launched) continue;
    if (std::ranges::find(kernel.launch.local, variable, &arith::Expr::get) != kernel.launch.local.end())
      continue;
    throw_user("?" + variable->name +
               " is not how many work-items a group has, which is all that kernels learn");
  }
  constexpr std::int64_t most_i32 = 2147483647;
  auto is_large = [&](const loop::BufferPtr& buffer) {
    auto count = buffer->scalars.constant();
    return count && *count > most_i32;
  };
  if (has_long_index) kernel.index_type = Scalar::I64;
  for (const loop::KernelParameter& parameter : kernel.parameters) {
    auto* buffer = std::get_if<loop::BufferParameter>(&parameter);
    if (buffer && is_large(buffer->buffer)) kernel.index_type = Scalar::I64;
  }
}

}  // namespace hoist::lower
