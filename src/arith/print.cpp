// Text of expressions, which parses back to the same expression.
#include <fmt/format.h>

#include <string_view>

#include "arith/node.hpp"

namespace hoist::arith {
namespace {

/// C's binding strengths; `**` binds tightest.
enum class Binding { Sum, Product, Power, Atom };

void print(Expr e, Binding needed, std::string& out);

void print_call(std::string_view name, const Node& node, std::string& out) {
  out += name;
  out += '(';
  print(node.operands[0], Binding::Sum, out);
  out += ", ";
  print(node.operands[1], Binding::Sum, out);
  out += ')';
}

void print_infix(const Node& node, std::string_view symbol, Binding left, Binding right, std::string& out) {
  print(node.operands[0], left, out);
  out += symbol;
  print(node.operands[1], right, out);
}

void print_sum(const Node& node, std::string& out) {
  bool is_first = true;
  for (Expr term : node.operands) {
    std::string text;
    print(term, Binding::Product, text);
    // A leading minus becomes the operator, unless it belongs to a factor further in.
    if (is_first) {
      out += text;
    } else if (text.front() == '-') {
      out += " - ";
      out += std::string_view(text).substr(1);
    } else {
      out += " + ";
      out += text;
    }
    is_first = false;
  }
}

/// A product's factor: quotients and powers get parentheses for the reader's sake.
void print_product(const Node& node, std::string& out) {
  std::span<const Expr> factors = node.operands;
  if (factors.size() > 1 && factors.front().is_constant(-1)) {
    out += '-';
    factors = factors.subspan(1);
  }
  bool is_first = true;
  for (Expr factor : factors) {
    if (!is_first) out += '*';
    const bool is_negative = factor.kind() == Kind::Constant && factor->value < 0;
    print(factor, is_negative && is_first ? Binding::Power : Binding::Atom, out);
    is_first = false;
  }
}

/// How tightly the text of this expression holds together.
Binding binding_of(const Node& node) {
  switch (node.kind) {
    case Kind::Sum:
      return Binding::Sum;
    case Kind::Product:
    case Kind::Quotient:
    case Kind::Remainder:
      return Binding::Product;
    case Kind::Power:
      return Binding::Power;
    case Kind::Constant:
      return node.value < 0 ? Binding::Power : Binding::Atom;
    default:
      return Binding::Atom;
  }
}

std::string_view symbol_of(Relation relation) {
  switch (relation) {
    case Relation::Less:
      return " < ";
    case Relation::LessEqual:
      return " <= ";
    case Relation::Equal:
      return " == ";
    case Relation::NotEqual:
      return " != ";
  }
  return {};
}

void print_predicate(const Predicate& predicate, std::string& out) {
  print(predicate.left, Binding::Sum, out);
  out += symbol_of(predicate.relation);
  print(predicate.right, Binding::Sum, out);
}

void print_bare(const Node& node, std::string& out) {
  switch (node.kind) {
    case Kind::Constant:
      fmt::format_to(std::back_inserter(out), "{}", node.value);
      return;
    case Kind::Variable:
      if (node.variable_kind == VariableKind::Parameter || node.variable_kind == VariableKind::Launched)
        out += '?';
      out += node.name.starts_with('$') ? node.name.substr(1, 1) : node.name;
      if (node.variable_kind == VariableKind::Launched)
        fmt::format_to(std::back_inserter(out), "@{}", node.value);
      return;
    case Kind::Sum:
      print_sum(node, out);
      return;
    case Kind::Product:
      print_product(node, out);
      return;
    // The dividend may be a product, but a quotient beside a remainder is clearer in parentheses.
    case Kind::Quotient:
      print_infix(node, " / ", Binding::Product, Binding::Atom, out);
      return;
    case Kind::Remainder:
      print_infix(node, " % ", Binding::Product, Binding::Atom, out);
      return;
    case Kind::Power:
      print_infix(node, " ** ", Binding::Atom, Binding::Atom, out);
      return;
    case Kind::ExactQuotient:
      print_call("exactdiv", node, out);
      return;
    case Kind::CeilingQuotient:
      print_call("ceildiv", node, out);
      return;
    case Kind::Minimum:
      print_call("min", node, out);
      return;
    case Kind::Maximum:
      print_call("max", node, out);
      return;
    case Kind::Conditional:
      out += '(';
      print_predicate(node.predicate, out);
      out += " ? ";
      print(node.operands[0], Binding::Sum, out);
      out += " : ";
      print(node.operands[1], Binding::Sum, out);
      out += ')';
      return;
  }
}

void print(Expr e, Binding needed, std::string& out) {
  if (binding_of(*e.get()) >= needed) {
    print_bare(*e.get(), out);
    return;
  }
  out += '(';
  print_bare(*e.get(), out);
  out += ')';
}

}  // namespace

std::string to_string(Expr e) {
  std::string out;
  print(e, Binding::Sum, out);
  return out;
}

std::string to_string(const Predicate& predicate) {
  std::string out;
  print_predicate(predicate, out);
  return out;
}

}  // namespace hoist::arith
