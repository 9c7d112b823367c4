// Side conditions of rules: `Reader` makes them of text, `violation` asks them of what the metavariables
// stand for.
//
// Conditions on sizes that the rule chooses are met unless they are provably false, since the replacement
// assumes them and the tuning parameter has to satisfy the assumption. All others must be proven.
#include "rewrite/condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "ir/print.hpp"
#include "ir/reduction.hpp"
#include "rewrite/invariants.hpp"
#include "rewrite/pattern_parse.hpp"
#include "rewrite/sharing.hpp"

namespace hoist::rewrite {

namespace syntax = lang::syntax;
using Kind = Condition::Kind;

namespace {

struct Word {
  std::string_view name;
  Kind kind;
  std::size_t sizes, terms;  ///< arguments
};
constexpr std::array words = {
    Word{"divides", Kind::Divides, 2, 0},         Word{"associative", Kind::Associative, 0, 1},
    Word{"commutative", Kind::Commutative, 0, 1}, Word{"neutral", Kind::Neutral, 0, 2},
    Word{"scalars", Kind::Scalars, 0, 1},         Word{"scalar", Kind::IsScalar, 0, 1},
    Word{"layout", Kind::Layout, 0, 1},           Word{"computes", Kind::Computes, 0, 1},
    Word{"inlinable", Kind::Inlinable, 0, 2},     Word{"width", Kind::Width, 1, 1},
};

bool mentions_choice(const Law& law, const SizePattern& size) {
  if (size.kind == SizePattern::Kind::Metavariable) return law.metavariables[size.metavariable].is_chosen;
  return std::any_of(size.operands.begin(), size.operands.end(),
                     [&](const SizePattern& each) { return mentions_choice(law, each); });
}

class Reader {
 public:
  Reader(Law& law, std::string_view text) : law_(law), text_(text) {}

  void read(const syntax::Expression& expression) {
    if (const auto* binary = expression.as<syntax::Binary>()) {
      switch (binary->op) {
        case ScalarOp::And:
          read(*binary->left);
          read(*binary->right);
          return;
        case ScalarOp::LessEqual:
          return compare(Kind::LessEqual, *binary->left, *binary->right, expression);
        case ScalarOp::Less:
          return compare(Kind::Less, *binary->left, *binary->right, expression);
        case ScalarOp::Equal:
          return compare(Kind::Equal, *binary->left, *binary->right, expression);
        default:
          break;
      }
    }
    const auto* call = expression.as<syntax::Apply>();
    const auto* name = call != nullptr ? call->callee->as<syntax::Name>() : nullptr;
    if (name == nullptr) refuse();
    if (name->name == "hierarchy") return hierarchy(*call, expression);
    const auto* word = std::ranges::find(words, name->name, &Word::name);
    if (word == words.end() || call->arguments.size() != word->sizes + word->terms) refuse();
    if (word->sizes == 2) return compare(word->kind, *call->arguments[0], *call->arguments[1], expression);
    Condition& added = add(word->kind, expression);
    for (std::size_t i = 0; i < call->arguments.size(); ++i) {
      if (i < word->sizes) {
        added.sizes.push_back(read_size(law_, *call->arguments[i]));
      } else {
        added.terms.push_back(term(*call->arguments[i]));
      }
    }
  }
  std::vector<Condition> take() { return std::move(conditions_); }

 private:
  [[noreturn]] void refuse() const { throw_user(fmt::format("'{}' is no condition of a rule", text_)); }

  Condition& add(Kind kind, const syntax::Expression& expression) {
    const std::string_view all = text_;
    const std::size_t begin = expression.span.begin - offset;
    conditions_.push_back({kind,
                           std::string(all.substr(begin, expression.span.end - expression.span.begin)),
                           {},
                           {},
                           {},
                           false});
    return conditions_.back();
  }
  void compare(Kind kind, const syntax::Expression& left, const syntax::Expression& right,
               const syntax::Expression& whole) {
    Condition& added = add(kind, whole);
    added.sizes = {read_size(law_, left), read_size(law_, right)};
    added.is_on_choice = mentions_choice(law_, added.sizes[0]) || mentions_choice(law_, added.sizes[1]);
  }
  void hierarchy(const syntax::Apply& call, const syntax::Expression& whole) {
    if (call.arguments.size() != 3) refuse();
    const auto* map = call.arguments[0]->as<syntax::Name>();
    const auto op = map != nullptr ? ir::primitive_named(map->name) : std::nullopt;
    if (!op) refuse();
    Condition& added = add(Kind::Hierarchy, whole);
    added.op = *op;
    added.sizes = {read_size(law_, *call.arguments[1])};
    added.terms = {term(*call.arguments[2])};
  }
  std::uint32_t term(const syntax::Expression& expression) const {
    const auto* name = expression.as<syntax::Name>();
    const Metavariable* found = name != nullptr ? law_.find(name->name) : nullptr;
    if (found == nullptr || found->kind == Metavariable::Kind::Size) refuse();
    return static_cast<std::uint32_t>(found - law_.metavariables.data());
  }

  static constexpr std::size_t offset = std::string_view("def rule() = ").size();
  Law& law_;
  std::string_view text_;
  std::vector<Condition> conditions_;
};

arith::Truth compared(Kind kind, arith::Expr a, arith::Expr b) {
  switch (kind) {
    case Kind::Divides:
      return arith::divides(a, b);
    case Kind::LessEqual:
      return arith::less_equal(a, b);
    case Kind::Less:
      return arith::less(a, b);
    default:
      return arith::equal(a, b);
  }
}

std::string value_text(ir::Term term) { return ir::to_string(term); }

}  // namespace

std::vector<Condition> read_conditions(Law& law, std::string_view text) {
  if (text.empty()) return {};
  const ParsedText parsed("", text);
  Reader reader(law, text);
  reader.read(*parsed.definition().body);
  return reader.take();
}

std::optional<std::string> violation(const Condition& condition, const Bindings& bindings,
                                     const Context& context) {
  const auto term = [&](std::size_t i) { return bindings.terms[condition.terms[i]]; };
  switch (condition.kind) {
    case Kind::Divides:
    case Kind::LessEqual:
    case Kind::Less:
    case Kind::Equal: {
      const arith::Expr a = size_of(condition.sizes[0], bindings), b = size_of(condition.sizes[1], bindings);
      const arith::Truth truth = compared(condition.kind, a, b);
      if (truth == arith::Truth::Yes || (condition.is_on_choice && truth == arith::Truth::Unknown))
        return std::nullopt;
      return fmt::format("{} {} for {} and {}", condition.text,
                         truth == arith::Truth::No ? "does not hold" : "is not proven", arith::to_string(a),
                         arith::to_string(b));
    }
    case Kind::Associative:
      if (ir::operator_properties(term(0)).associative) return std::nullopt;
      return "the operator is not known to be associative: " + value_text(term(0));
    case Kind::Commutative:
      if (ir::operator_properties(term(0)).commutative) return std::nullopt;
      return "the operator is not known to be commutative: " + value_text(term(0));
    case Kind::Neutral:
      if (ir::is_neutral(term(0), term(1))) return std::nullopt;
      return fmt::format("{} is not known to be the neutral element of {}", value_text(term(1)),
                         value_text(term(0)));
    case Kind::Scalars:
      if (ir::is_array(term(0).type()) && ir::is_scalar(ir::element_of(term(0).type()))) return std::nullopt;
      return ir::to_string(term(0).type()) + " is no array of scalars";
    case Kind::Width: {
      const ir::Type type = term(0).type();
      if (ir::is_array(type) && ir::is_vector(ir::element_of(type)) &&
          arith::equal(ir::element_of(type)->size, size_of(condition.sizes[0], bindings)) ==
              arith::Truth::Yes) {
        return std::nullopt;
      }
      return fmt::format("{} is no array of vectors of that width", ir::to_string(type));
    }
    case Kind::IsScalar:
      if (ir::is_scalar(term(0).type())) return std::nullopt;
      return ir::to_string(term(0).type()) + " is no scalar";
    case Kind::Layout:
      if (is_layout_only(term(0))) return std::nullopt;
      return "the function computes: " + value_text(term(0));
    case Kind::Computes:
      if (!is_layout_only(term(0))) return std::nullopt;
      return "the function only moves data: " + value_text(term(0));
    case Kind::Inlinable:
      if (may_inline(term(0), 0, term(1))) return std::nullopt;
      return "the value would be computed more than once: " + value_text(term(1));
    case Kind::Hierarchy: {
      std::string conflict =
          hierarchy_conflict(context, condition.op, size_of(condition.sizes[0], bindings), term(0));
      if (conflict.empty()) return std::nullopt;
      return conflict;
    }
  }
  return std::nullopt;
}

}  // namespace hoist::rewrite
