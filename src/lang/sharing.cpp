// Arguments are evaluated once, however often a definition or lambda uses its parameter.
#include <algorithm>

#include "lang/elaborator.hpp"

namespace hoist::lang {
namespace {

/// Whether evaluating the term again costs nothing: variables, constants, and a short chain of views of one
/// of them.
bool is_free_of_cost(ir::Term term, int longest_chain = 8) {
  if (longest_chain == 0) return false;
  if (term.as<ir::Free>() != nullptr || term.as<ir::Literal>() != nullptr ||
      term.as<ir::SizeValue>() != nullptr) {
    return true;
  }
  if (const auto* tuple = term.as<ir::Tuple>()) {
    return std::all_of(tuple->components.begin(), tuple->components.end(), [](ir::Term component) {
      return component.as<ir::Literal>() != nullptr || component.as<ir::SizeValue>() != nullptr;
    });
  }
  if (const auto* get = term.as<ir::Get>()) return is_free_of_cost(get->tuple, longest_chain - 1);
  const auto* call = term.as<ir::Call>();
  if (call == nullptr || !ir::is_layout(call->op)) return false;
  const bool is_constant_index = call->op == ir::Op::At && call->arguments[0].as<ir::Literal>() != nullptr;
  return (call->arguments.size() == 1 || is_constant_index) &&
         is_free_of_cost(call->arguments.back(), longest_chain - 1);
}

struct Uses {
  std::size_t count = 0;
  bool is_repeated = false;  ///< inside a function that a pattern calls any number of times
};

/// Counts up to two: more makes no difference.
void count_uses(ir::Term term, ir::Term variable, bool is_repeated, Uses& uses) {
  if (uses.count > 1 || !term->has_free) return;
  if (term == variable) {
    ++uses.count;
    uses.is_repeated = uses.is_repeated || is_repeated;
    return;
  }
  const bool is_call = term.as<ir::Call>() != nullptr;
  for (ir::Term child : ir::children(term)) {
    count_uses(child, variable, is_repeated || (is_call && child.as<ir::Lambda>() != nullptr), uses);
  }
}

}  // namespace

ir::Term Elaborator::shared(ir::Term term, Anchor& anchor, std::string_view name) {
  if (is_free_of_cost(term)) return term;
  const ir::Term variable = ir::fresh(term.type(), name.empty() ? "value" : std::string(name));
  anchor.shared.push_back({variable, term});
  return variable;
}

ir::Term Elaborator::close(const Anchor& anchor, ir::Term body) {
  if (!body) return {};
  // A later value may use the variables of earlier ones.
  for (auto shared = anchor.shared.rbegin(); shared != anchor.shared.rend(); ++shared) {
    Uses uses;
    count_uses(body, shared->variable, false, uses);
    if (uses.count == 0) continue;
    if (uses.count == 1 && !uses.is_repeated) {
      body = ir::substitute_free(body, {{shared->variable, shared->value}});
    } else {
      body = ir::let(shared->value, ir::lambda({shared->variable}, body));
    }
  }
  return body;
}

}  // namespace hoist::lang
