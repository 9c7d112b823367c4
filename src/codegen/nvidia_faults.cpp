#include "codegen/nvidia_faults.hpp"

#include <algorithm>

#include "loop/traverse.hpp"

namespace hoist::codegen {

namespace {

bool is_equality(const arith::Predicate& predicate) {
  return predicate.relation == arith::Relation::Equal || predicate.relation == arith::Relation::NotEqual;
}

bool tests_equality(arith::Expr e) {
  return (e.kind() == arith::Kind::Conditional && is_equality(e->predicate)) ||
         std::any_of(e->operands.begin(), e->operands.end(),
                     [](arith::Expr each) { return tests_equality(each); });
}

bool is_equality(const loop::Value& value) {
  if (const auto* test = std::get_if<loop::Test>(&value.node)) return is_equality(test->predicate);
  const auto* operation = std::get_if<loop::Operation>(&value.node);
  return operation && (operation->op == ScalarOp::Equal || operation->op == ScalarOp::NotEqual) &&
         !is_float(operation->operands[0]->type.scalar);
}

}  // namespace

bool tests_equality(const loop::Kernel& kernel) {
  bool found = false;
  loop::for_each_value(kernel.body,
                       [&](const loop::ValuePtr& value) { found = found || is_equality(*value); });
  loop::for_each_index(kernel.body, [&](arith::Expr e) { found = found || tests_equality(e); });
  return found;
}

bool merges_loads(const loop::Kernel& kernel, const std::set<const loop::Buffer*>& written) {
  bool loads_what_is_written = false, chooses = false;
  loop::for_each_value(kernel.body, [&](const loop::ValuePtr& value) {
    if (const auto* load = std::get_if<loop::Load>(&value->node)) {
      const bool is_global = load->buffer->space == loop::AddressSpace::Global;
      loads_what_is_written = loads_what_is_written || (is_global && written.contains(load->buffer.get()));
    } else if (const auto* operation = std::get_if<loop::Operation>(&value->node)) {
      chooses = chooses || operation->op == ScalarOp::Select;
    }
  });
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    const auto* branch = std::get_if<loop::If>(&statement.node);
    chooses = chooses || (branch && !branch->else_body.empty());
  });
  return loads_what_is_written && chooses;
}

}  // namespace hoist::codegen
