#include "rewrite/literals.hpp"

namespace hoist::rewrite {

using ir::Term;

Term zero_of(ir::Type type) {
  if (ir::is_scalar(type)) return ir::literal(ScalarValue::of_integer(type->scalar, 0));
  if (!ir::is_tuple(type)) return {};
  std::vector<Term> components;
  for (ir::Type each : type->elements) {
    components.push_back(zero_of(each));
    if (!components.back()) return {};
  }
  return ir::tuple(std::move(components));
}

Term folded(Term term) {
  std::vector<Term> children = ir::children(term);
  for (Term& child : children) {
    if (child.as<ir::Lambda>() == nullptr) child = folded(child);
  }
  if (const auto* get = term.as<ir::Get>(); get != nullptr && children[0].as<ir::Tuple>() != nullptr)
    return children[0].as<ir::Tuple>()->components[get->index];
  if (const auto* call = term.as<ir::ScalarCall>()) {
    std::vector<ScalarValue> values;
    for (Term child : children) {
      if (const auto* literal = child.as<ir::Literal>()) values.push_back(literal->value);
    }
    const auto value = values.size() == children.size() ? hoist::apply(call->op, values) : std::nullopt;
    if (value) return ir::literal(*value);
  }
  return ir::with_children(term, children);
}

}  // namespace hoist::rewrite
