// Terms as text in the language. The text is chosen so that elaborating it makes the same term again: nothing
// is printed that the elaborator would share, spread or type in another way.
//
// Every piece of text carries the precedence of its outermost operator, and whoever puts it into a larger
// text adds parentheses where they are needed (`at_level`). Each expression is tried on one line first and
// broken where it is too long. Read `expression`, which has a case for each kind of term, then `call`, which
// prints a chain of calls as a pipeline, and `function`, which finds the shortest form of a function: an
// operator, a call without its last argument, or a lambda.
#include "ir/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>

#include "ir/print_names.hpp"
#include "ir/scheme.hpp"

namespace hoist::ir {
namespace {

constexpr std::size_t line_width = 100;

/// How tightly text holds together, loosest first: the parser's precedences.
enum Level : int {
  open = 0,  ///< lambdas, let, if: they reach as far right as they can
  pipe = 1,
  disjunction = 3,
  conjunction = 4,
  comparison = 5,
  bit_or = 6,
  bit_xor = 7,
  bit_and = 8,
  bit_shift = 9,
  sum = 10,
  product = 11,
  prefix = 12,
  postfix = 13,
};

struct Text {
  std::string text;
  int level = postfix;
};

/// Whether it is computed of literals alone.
bool is_of_literals(Term term) {
  if (term.as<Literal>() != nullptr) return true;
  const auto* call = term.as<ScalarCall>();
  const auto* tuple = term.as<Tuple>();
  return (call != nullptr && std::ranges::all_of(call->arguments, is_of_literals)) ||
         (tuple != nullptr && std::ranges::all_of(tuple->components, is_of_literals));
}

std::optional<int> infix_level(ScalarOp op) {
  switch (op) {
    case ScalarOp::Or:
      return disjunction;
    case ScalarOp::And:
      return conjunction;
    case ScalarOp::Less:
    case ScalarOp::LessEqual:
    case ScalarOp::Greater:
    case ScalarOp::GreaterEqual:
    case ScalarOp::Equal:
    case ScalarOp::NotEqual:
      return comparison;
    case ScalarOp::BitOr:
      return bit_or;
    case ScalarOp::BitXor:
      return bit_xor;
    case ScalarOp::BitAnd:
      return bit_and;
    case ScalarOp::ShiftLeft:
    case ScalarOp::ShiftRight:
      return bit_shift;
    case ScalarOp::Add:
    case ScalarOp::Subtract:
      return sum;
    case ScalarOp::Multiply:
    case ScalarOp::Divide:
    case ScalarOp::Remainder:
      return product;
    default:
      return std::nullopt;
  }
}

class Printer {
 public:
  explicit Printer(Term whole) { sizes_.add(whole); }

  std::string program(const Program& program) {
    const auto& function = *program.function.as<Lambda>();
    std::string header = fmt::format("def {}", program.name);
    std::size_t line_begin = 0;
    // A part goes to the next line where it would leave this one.
    const auto add = [&](const std::string& part, bool may_break) {
      if (may_break && header.size() - line_begin + part.size() > line_width) {
        line_begin = header.size() + 1;
        header += line_break(4);
      } else if (may_break) {
        header += " ";
      }
      header += part;
    };
    // Sizes that no type mentions are parameters of their own.
    SizeNames mentioned;
    for (Type each : function.parameters) mentioned.add(each);
    mentioned.add(function.body.type());
    std::vector<std::string> parameters;
    for (arith::Expr size : program.sizes) {
      if (!mentioned.contains(size->name)) parameters.push_back(fmt::format("{}: size", size->name));
    }
    for (std::size_t index = 0; index < function.parameters.size(); ++index) {
      enter({unique(program.parameters[index].name), {}});
      parameters.push_back(fmt::format("{}: {}", scope_.back().text, type(function.parameters[index])));
    }
    for (std::size_t index = 0; index < parameters.size(); ++index) {
      add(fmt::format("{}{}{}", index == 0 ? "(" : "", parameters[index],
                      index + 1 == parameters.size() ? ")" : ","),
          index > 0);
    }
    add(":", false);
    add(fmt::format("{} =", type(function.body.type())), true);
    const std::string body = body_text(function.body, 2);
    const bool is_short =
        body.find('\n') == std::string::npos && header.size() - line_begin + 1 + body.size() <= line_width;
    return fmt::format("{}{}{}\n", header, is_short ? std::string(" ") : line_break(2), body);
  }

  std::string term(Term term) {
    // Loose indices have no binder here.
    for (std::uint32_t index = term->loose; index-- > 0;) enter({fmt::format("#{}", index), {}});
    return body_text(term, 0);
  }

  std::string term(Term term, std::span<const Binder> scope) {
    for (std::uint32_t index = term->loose; index-- > 0;) {
      const Binder& binder = scope[scope.size() - 1 - index];
      const std::size_t fresh = fresh_.size();
      PrintedName name = name_for(binder.type, term, index, binder.hint);
      fresh_.resize(fresh);
      enter(std::move(name));
    }
    return body_text(term, 0);
  }

 private:
  // ---- Names.
  bool is_taken(const std::string& name) const {
    return taken_.contains(name) || sizes_.contains(name) || is_reserved(name) ||
           std::find(fresh_.begin(), fresh_.end(), name) != fresh_.end();
  }
  void enter(PrintedName name) {
    count_taken(name, true);
    scope_.push_back(std::move(name));
  }
  void leave() {
    count_taken(scope_.back(), false);
    scope_.pop_back();
  }
  void count_taken(const PrintedName& name, bool is_entering) {
    for (const PrintedName& component : name.components) count_taken(component, is_entering);
    if (!name.components.empty()) return;
    if (is_entering) {
      taken_.insert(name.text);
    } else {
      taken_.erase(taken_.find(name.text));
    }
  }
  /// The hint, or the hint with a number behind it; `fresh_` holds names that are about to enter the scope.
  std::string unique(const std::string& hint) const {
    const std::string base = is_identifier(hint) ? hint : std::string("x");
    if (!is_taken(base)) return base;
    for (int number = 1;; ++number) {
      const bool ends_in_digit = base.back() >= '0' && base.back() <= '9';
      std::string candidate = fmt::format("{}{}{}", base, ends_in_digit ? "_" : "", number);
      if (!is_taken(candidate)) return candidate;
    }
  }

  /// Names for a variable of this type, taken apart as far as its uses allow. `body` sees it as `index`.
  PrintedName name_for(Type variable_type, Term body, std::uint32_t index, const std::string& hint) {
    PrintedName shape = parts_used(variable_type, body, index);
    std::vector<PrintedName*> leaves;
    const auto collect = [&](const auto& self, PrintedName& name) -> void {
      if (name.components.empty()) leaves.push_back(&name);
      for (PrintedName& component : name.components) self(self, component);
    };
    collect(collect, shape);
    std::vector<std::string> hints = split_name(hint);
    const bool is_split =
        hints.size() == leaves.size() && std::all_of(hints.begin(), hints.end(), is_identifier);
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      const std::string of_leaf =
          leaves.size() == 1 ? hint : fmt::format("{}{}", is_identifier(hint) ? hint : "x", leaf);
      if (leaves[leaf]->text == unused_name) continue;
      leaves[leaf]->text = unique(is_split ? hints[leaf] : of_leaf);
      fresh_.push_back(leaves[leaf]->text);
    }
    return shape;
  }
  const PrintedName& variable(std::uint32_t index) const { return scope_[scope_.size() - 1 - index]; }

  std::string size(arith::Expr e) const { return arith::to_string(arith::substitute(e, size_names_)); }
  std::string type(Type t) const { return to_string(substitute(t, size_names_)); }

  // ---- Layout.
  static std::string line_break(int indent) {
    return "\n" + std::string(static_cast<std::size_t>(indent), ' ');
  }

  /// Nodes below, counted no further than `limit`.
  static std::size_t count_nodes(Term term, std::size_t limit) {
    std::size_t count = 1;
    for (Term child : children(term)) {
      if (count >= limit) break;
      count += count_nodes(child, limit - count);
    }
    return count;
  }

  /// On one line where that fits, else broken.
  Text expression(Term term, int indent, bool is_flat) {
    if (is_flat) return node(term, indent, true);
    if (count_nodes(term, line_width) < line_width) {
      Text flat = node(term, indent, true);
      if (flat.text.size() + static_cast<std::size_t>(indent) <= line_width) return flat;
    }
    return node(term, indent, false);
  }
  /// With all literals' types where that is asked for.
  Text expression(Term term, int indent, bool is_flat, bool is_explicit) {
    const bool previous = std::exchange(has_explicit_literals_, has_explicit_literals_ || is_explicit);
    Text text = expression(term, indent, is_flat);
    has_explicit_literals_ = previous;
    return text;
  }
  std::string body_text(Term body, int indent) { return expression(body, indent, false).text; }
  std::string at_level(Term term, int level, int indent, bool is_flat) {
    Text text = expression(term, indent, is_flat);
    return text.level < level ? fmt::format("({})", text.text) : std::move(text.text);
  }

  // ---- Nodes.
  Text node(Term term, int indent, bool is_flat) {
    struct Visitor {
      Printer& printer;
      Term term;
      int indent;
      bool is_flat;
      Text operator()(const Literal& n) { return printer.literal(n.value); }
      Text operator()(const Bound& n) { return {printer.bound_text(n.index), postfix}; }
      Text operator()(const Free& n) { return {n.name.empty() ? "free" : n.name, postfix}; }
      Text operator()(const SizeValue& n) { return printer.size_value(n.size); }
      Text operator()(const Lambda& n) { return printer.lambda(n, indent, is_flat); }
      Text operator()(const Call& n) { return printer.call(n, indent, is_flat); }
      Text operator()(const ScalarCall& n) { return printer.scalar_call(n, indent, is_flat); }
      Text operator()(const Cast& n) {
        // Without their types literals would take the one that they are converted to.
        const bool is_explicit = is_float(n.to) && is_of_literals(n.operand);
        const std::string operand = printer.expression(n.operand, indent, is_flat, is_explicit).text;
        return {fmt::format("{}({})", name_of(n.to), operand), postfix};
      }
      Text operator()(const Tuple& n) { return printer.tuple(n, indent, is_flat); }
      Text operator()(const Get&) { return printer.get(term, indent, is_flat); }
      Text operator()(const Let& n) { return printer.let(n, indent, is_flat); }
      Text operator()(const If& n) { return printer.conditional(n, indent, is_flat); }
    };
    return std::visit(Visitor{*this, term, indent, is_flat}, term->node);
  }

  std::string bound_text(std::uint32_t index) const {
    return index < scope_.size() ? pattern(variable(index)) : fmt::format("#{}", index);
  }

  Text literal(const ScalarValue& value) const {
    std::string text = to_string(value);
    if (has_explicit_literals_ && (value.type == Scalar::I32 || value.type == Scalar::F32)) {
      // 1f32 rather than 1.0f32
      if (text.ends_with(".0")) text.resize(text.size() - 2);
      text += name_of(value.type);
    }
    return {std::move(text), postfix};
  }

  Text size_value(arith::Expr e) const {
    std::string text = size(e);
    if (e.kind() == arith::Kind::Variable) return {std::move(text), postfix};
    return {fmt::format("size({})", text), postfix};
  }

  Text tuple(const Tuple& node, int indent, bool is_flat) {
    std::string text = "(";
    for (std::size_t index = 0; index < node.components.size(); ++index) {
      if (index > 0) text += is_flat ? std::string(", ") : "," + line_break(indent + 1);
      text += expression(node.components[index], indent + 1, is_flat).text;
    }
    return {text + ")", postfix};
  }

  Text get(Term term, int indent, bool is_flat) {
    // A component that has a name of its own?
    std::vector<std::uint32_t> positions;
    Term inner = term;
    while (const auto* node = inner.as<Get>()) {
      positions.push_back(node->index);
      inner = node->tuple;
    }
    const auto* node = inner.as<Bound>();
    if (node != nullptr && node->index < scope_.size()) {
      const PrintedName* name = &variable(node->index);
      while (!positions.empty() && !name->components.empty()) {
        name = &name->components[positions.back()];
        positions.pop_back();
      }
      std::string text = pattern(*name);
      for (; !positions.empty(); positions.pop_back()) text += fmt::format(".{}", positions.back());
      return {std::move(text), postfix};
    }
    const auto& outer = *term.as<Get>();
    return {fmt::format("{}.{}", at_level(outer.tuple, postfix, indent, is_flat), outer.index), postfix};
  }

  Text let(const Let& node, int indent, bool is_flat) {
    const auto& body = *node.body.as<Lambda>();
    // Without their types literals would take those of the places where the name stands.
    std::string value = " " + expression(node.value, indent + 2, is_flat, is_of_literals(node.value)).text;
    if (value.find('\n') != std::string::npos) value = line_break(indent + 2) + value.substr(1);
    const std::size_t fresh = fresh_.size();
    PrintedName name = name_for(node.value.type(), body.body, 0, hint_of(body, 0));
    fresh_.resize(fresh);
    std::string text = fmt::format("let {} ={} in", pattern(name), value);
    enter(std::move(name));
    text += is_flat ? std::string(" ") : line_break(indent);
    text += expression(body.body, indent, is_flat).text;
    leave();
    return {std::move(text), open};
  }

  Text conditional(const If& node, int indent, bool is_flat) {
    const std::string separator = is_flat ? std::string(" ") : line_break(indent);
    std::string text = "if " + expression(node.condition, indent, is_flat).text + separator + "then ";
    text += expression(node.then_term, indent + 2, is_flat).text + separator + "else ";
    text += expression(node.else_term, indent + 2, is_flat).text;
    return {std::move(text), open};
  }

  Text scalar_call(const ScalarCall& node, int indent, bool is_flat) {
    const ScalarOpInfo& operation = info(node.op);
    if (const auto level = infix_level(node.op)) {
      // Comparisons do not chain; everything else associates to the left.
      std::string left =
          at_level(node.arguments[0], *level + (*level == comparison ? 1 : 0), indent, is_flat);
      const std::string right = at_level(node.arguments[1], *level + 1, indent + 2, is_flat);
      const std::string separator = is_flat ? std::string(" ") : line_break(indent + 2);
      return {fmt::format("{}{}{} {}", left, separator, operation.symbol, right), *level};
    }
    const bool is_prefix =
        node.op == ScalarOp::Negate || node.op == ScalarOp::Not || node.op == ScalarOp::BitNot;
    // A minus before digits would belong to the number.
    if (is_prefix && node.arguments[0].as<Literal>() == nullptr) {
      return {fmt::format("{}{}", operation.symbol, at_level(node.arguments[0], postfix, indent, is_flat)),
              prefix};
    }
    std::string text = fmt::format("{}(", operation.name);
    for (std::size_t index = 0; index < node.arguments.size(); ++index) {
      text += (index == 0 ? "" : ", ") + expression(node.arguments[index], indent + 2, is_flat).text;
    }
    return {text + ")", postfix};
  }

  // ---- Calls of primitives.
  Text call(const Call& node, int indent, bool is_flat) {
    if (node.op == Op::At) {
      const std::string array = at_level(node.arguments[1], postfix, indent, is_flat);
      return {fmt::format("{}[{}]", array, expression(node.arguments[0], indent, is_flat).text), postfix};
    }
    if (has_any(node.op, Trait::CallForm)) return {call_text(node, indent, is_flat, true), postfix};
    // The stages from the last to the first, and what they start from.
    std::vector<const Call*> stages{&node};
    while (true) {
      const auto* before = stages.back()->arguments.back().as<Call>();
      if (before == nullptr || has_any(before->op, Trait::CallForm)) break;
      stages.push_back(before);
    }
    Text start = expression(stages.back()->arguments.back(), indent, is_flat);
    const bool is_call = stages.back()->arguments.size() == 1 && stages.back()->sizes.empty() &&
                         start.level == postfix && start.text.find('\n') == std::string::npos;
    if (is_call) {
      start.text = fmt::format("{}({})", primitive(stages.back()->op).name, start.text);
      stages.pop_back();
      if (stages.empty()) return start;
    }
    if (start.level < pipe) start.text = fmt::format("({})", start.text);
    // All stages on one line, or each on its own; only a single one may be broken inside instead.
    const bool is_long = start.text.find('\n') != std::string::npos ||
                         start.text.size() + static_cast<std::size_t>(indent) > line_width / 2;
    const bool is_broken = !is_flat && (stages.size() > 1 || is_long);
    const std::string separator = is_broken ? line_break(indent + 2) : std::string(" ");
    const std::size_t column = static_cast<std::size_t>(indent) + 5 + (is_broken ? 0 : start.text.size());
    std::string text = std::move(start.text);
    for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
      std::string stage_text = call_text(**stage, indent, true, false);
      if (!is_flat && column + stage_text.size() > line_width) {
        stage_text = call_text(**stage, is_broken ? indent + 2 : indent, false, false);
      }
      text += fmt::format("{}|> {}", separator, stage_text);
    }
    return {std::move(text), pipe};
  }

  /// name(arguments), with or without the last one.
  std::string call_text(const Call& node, int indent, bool is_flat, bool with_last) {
    const CallTyping typing(node.op, node.arguments.size());
    const auto& scheme = typing.arguments();
    std::vector<std::string> texts;
    std::size_t next_size = 0;
    // What goes on as often as it may reads as iterate.
    const bool is_counted = node.op == Op::IterateWhile && holds_always(node.arguments[0]);
    std::size_t next_argument = is_counted ? 1 : 0;
    for (const SchemeArgument& argument : std::span(scheme).subspan(next_argument)) {
      if (argument.is_static()) {
        const arith::Expr value = node.sizes[next_size++];
        texts.push_back(argument.kind == ArgumentKind::Boundary ? boundary(value) : size(value));
        continue;
      }
      const Term value = node.arguments[next_argument++];
      if (!with_last && next_argument == node.arguments.size()) break;
      if (const auto* function_node = value.as<Lambda>()) {
        texts.push_back(function(*function_node, node.op, indent, is_flat));
      } else if (const auto* steps = value.as<SizeValue>(); steps && node.op == Op::IterateWhile) {
        texts.push_back(size(steps->size));
      } else {
        texts.push_back(data_argument(node, value, indent + 2, is_flat));
      }
    }
    const Op shown = node.op == Op::PadValue ? Op::Pad : is_counted ? Op::Iterate : node.op;
    const std::string_view name = primitive(shown).name;
    if (texts.empty()) return std::string(name);
    std::string text = fmt::format("{}(", name);
    for (std::size_t index = 0; index < texts.size(); ++index)
      text += (index == 0 ? "" : ", ") + texts[index];
    return text + ")";
  }

  static bool holds_always(Term condition) {
    const auto* literal = condition.as<Lambda>()->body.as<Literal>();
    return literal != nullptr && literal->value.integer != 0;
  }

  static std::string boundary(arith::Expr value) {
    constexpr std::array<std::string_view, 4> names{"clamp", "mirror", "wrap", "reflect"};
    return std::string(names.at(static_cast<std::size_t>(value.constant().value_or(4))));
  }

  std::string data_argument(const Call& node, Term value, int indent, bool is_flat) {
    // A literal to start from would take the elements' type.
    const bool starts =
        (is_reduce(node.op) || is_scan(node.op)) && value.type() != element_of(node.arguments.back().type());
    return expression(value, indent, is_flat, starts).text;
  }

  // ---- Functions.
  std::string function(const Lambda& node, Op op, int indent, bool is_flat) {
    // Only the length of what iterate works on has a name that its function may use.
    std::string text;
    const auto short_text = is_iterate(op) ? std::nullopt : short_function(node, indent, is_flat);
    if (short_text) {
      text = *short_text;
    } else if (op == Op::Iterate && is_array(node.parameters[0])) {
      text = iterated(node, indent, is_flat);
    } else if (op == Op::IterateWhile && node.parameters.size() == 2 && is_pair(node.parameters[1])) {
      text = numbered(node, indent, is_flat);
    } else {
      text = lambda(node, indent, is_flat).text;
    }
    if (node.claims.neutral) {
      text = fmt::format("neutral({}, {})", text, expression(node.claims.neutral, indent, true).text);
    }
    if (node.claims.commutative) text = fmt::format("commutative({})", text);
    if (node.claims.associative) text = fmt::format("associative({})", text);
    return text;
  }

  /// An operator, a primitive with its last argument missing, or id, where the lambda is no more than that.
  std::optional<std::string> short_function(const Lambda& node, int indent, bool is_flat) {
    const auto count = static_cast<std::uint32_t>(node.parameters.size());
    if (const auto* variable = node.body.as<Bound>(); variable && count == 1 && variable->index == 0)
      return "id";
    if (const auto* scalar = node.body.as<ScalarCall>()) {
      const bool is_tuple_parameter = count == 1 && is_tuple(node.parameters[0]);
      for (std::uint32_t index = 0; index < scalar->arguments.size(); ++index) {
        const Term argument = scalar->arguments[index];
        const auto* get = argument.as<Get>();
        const Term variable_term = is_tuple_parameter && get != nullptr ? get->tuple : argument;
        const auto* variable = variable_term.as<Bound>();
        const std::uint32_t wanted = is_tuple_parameter ? 0 : count - 1 - index;
        const bool is_in_order = variable != nullptr && variable->index == wanted &&
                                 (!is_tuple_parameter || (get != nullptr && get->index == index));
        if (!is_in_order) return std::nullopt;
      }
      const std::size_t given = is_tuple_parameter ? node.parameters[0]->elements.size() : count;
      if (given != scalar->arguments.size()) return std::nullopt;
      const ScalarOpInfo& operation = info(scalar->op);
      return std::string(infix_level(scalar->op) ? operation.symbol : operation.name);
    }
    const auto* called = node.body.as<Call>();
    if (called == nullptr || count != 1 || !is_applied_to_parameter(*called)) return std::nullopt;
    enter({"_", {}});
    std::string text = call_text(*called, indent, is_flat, false);
    leave();
    return text;
  }

  /// f(..., x) with x the lambda's parameter, which occurs nowhere else; other data must cost nothing, since
  /// a partial call's are evaluated before.
  static bool is_applied_to_parameter(const Call& node) {
    if (node.arguments.empty() || node.op == Op::At || node.op == Op::Zip) return false;
    const auto* last = node.arguments.back().as<Bound>();
    if (last == nullptr || last->index != 0) return false;
    for (std::size_t index = 0; index + 1 < node.arguments.size(); ++index) {
      const Term argument = node.arguments[index];
      if (occurrences(argument, 0) > 0) return false;
      const bool is_simple = argument.as<Lambda>() || argument.as<Literal>() || argument.as<Bound>();
      if (!is_simple) return false;
    }
    return true;
  }

  static std::string hint_of(const Lambda& node, std::size_t parameter) {
    return parameter < node.names.size() ? node.names[parameter] : std::string();
  }

  Text lambda(const Lambda& node, int indent, bool is_flat) {
    const auto count = static_cast<std::uint32_t>(node.parameters.size());
    std::vector<PrintedName> names;
    const std::size_t fresh = fresh_.size();
    for (std::uint32_t index = 0; index < count; ++index) {
      names.push_back(name_for(node.parameters[index], node.body, count - 1 - index, hint_of(node, index)));
    }
    fresh_.resize(fresh);
    std::string header = count == 1 ? pattern(names[0]) : "(";
    for (std::size_t index = 0; count != 1 && index < count; ++index) {
      header += (index == 0 ? "" : ", ") + pattern(names[index]);
    }
    if (count != 1) header += ")";
    return {with_body(header, std::move(names), node.body, indent, is_flat), open};
  }

  std::string with_body(const std::string& header, std::vector<PrintedName> names, Term body, int indent,
                        bool is_flat) {
    const std::size_t outside = scope_.size();
    for (PrintedName& name : names) enter(std::move(name));
    std::string text = header + " =>";
    text += is_flat ? std::string(" ") : line_break(indent + 2);
    text += expression(body, indent + 2, is_flat).text;
    while (scope_.size() > outside) leave();
    return text;
  }

  static bool is_pair(Type type) { return is_tuple(type) && type->elements.size() == 2; }

  /// (i, s: (f32, f32)) => ...: without the type, two parameters would be the components of a pair.
  std::string numbered(const Lambda& node, int indent, bool is_flat) {
    std::vector<PrintedName> names;
    for (std::size_t index = 0; index < 2; ++index) {
      const std::string hint = hint_of(node, index);
      names.push_back({unique(hint.empty() ? index == 0 ? "i" : "s" : hint), {}});
      fresh_.push_back(names.back().text);
    }
    fresh_.resize(fresh_.size() - 2);
    const std::string header =
        fmt::format("({}, {}: {})", names[0].text, names[1].text, type(node.parameters[1]));
    return with_body(header, std::move(names), node.body, indent, is_flat);
  }

  /// (v: [k]f32) => ..., with a name for k.
  std::string iterated(const Lambda& node, int indent, bool is_flat) {
    const arith::Expr length = node.parameters[0]->size;
    const std::size_t fresh = fresh_.size();
    const auto previous = size_names_;
    if (length.kind() == arith::Kind::Variable && !is_identifier(length->name)) {
      const std::string name = unique("k");
      fresh_.push_back(name);
      size_names_[length.get()] = arith::size(name);
    }
    PrintedName name{unique(hint_of(node, 0).empty() ? "v" : hint_of(node, 0)), {}};
    const std::string header = fmt::format("({}: {})", name.text, type(node.parameters[0]));
    std::vector<PrintedName> names;
    names.push_back(std::move(name));
    // Inside, the name of the length stays taken.
    std::string text = with_body(header, std::move(names), node.body, indent, is_flat);
    fresh_.resize(fresh);
    size_names_ = previous;
    return text;
  }

  SizeNames sizes_;
  std::vector<PrintedName> scope_;              ///< of de Bruijn indices, innermost last
  std::unordered_multiset<std::string> taken_;  ///< the names in it
  std::vector<std::string> fresh_;              ///< names taken that no index stands for
  arith::Substitution size_names_;              ///< lengths inside iterate and the names they print with
  bool has_explicit_literals_ = false;
};

}  // namespace

std::string to_string(const Program& program) { return Printer(program.function).program(program); }

std::string to_string(Term term) { return Printer(term).term(term); }

std::string to_string(Term term, std::span<const Binder> scope) { return Printer(term).term(term, scope); }

}  // namespace hoist::ir
