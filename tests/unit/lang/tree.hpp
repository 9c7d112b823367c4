#pragma once
// Syntax trees as text, to hold one against another.
#include <string>
#include <variant>
#include <vector>

#include "lang/syntax.hpp"

namespace hoist::lang {

inline std::string shown(const syntax::Expression& e);

inline std::string shown(const syntax::Type& type) {
  std::string text;
  for (const syntax::Type* element : type.elements) text += (text.empty() ? "" : ", ") + shown(*element);
  const std::string size = type.size == nullptr ? "" : shown(*type.size);
  switch (type.kind) {
    case syntax::Type::Kind::Scalar:
      return std::string(name_of(type.scalar));
    case syntax::Type::Kind::Vector:
      return std::string(name_of(type.scalar)) + "x" + size;
    case syntax::Type::Kind::Tuple:
      return "(" + text + ")";
    case syntax::Type::Kind::Array:
      return "[" + size + "]" + text;
    case syntax::Type::Kind::Size:
      return "size";
    case syntax::Type::Kind::Any:
      return "_";
  }
  return {};
}

inline std::string shown(const syntax::Pattern& pattern) {
  std::string text(pattern.name);
  for (const syntax::Pattern* component : pattern.components)
    text += (text.empty() ? "" : ", ") + shown(*component);
  if (!pattern.components.empty()) text = "(" + text + ")";
  return text + (pattern.type == nullptr ? "" : ": " + shown(*pattern.type));
}

/// The tree with every application written out.
inline std::string shown(const syntax::Expression& e) {
  struct Visitor {
    static std::string list(const std::vector<const syntax::Expression*>& items) {
      std::string text;
      for (const syntax::Expression* item : items) text += (text.empty() ? "" : ", ") + shown(*item);
      return text;
    }
    std::string operator()(const syntax::Number& n) const {
      return std::string(n.digits) + (n.suffix ? std::string(name_of(*n.suffix)) : "");
    }
    std::string operator()(const syntax::Boolean& n) const { return n.value ? "true" : "false"; }
    std::string operator()(const syntax::Name& n) const { return std::string(n.name); }
    std::string operator()(const syntax::Hole& n) const { return "?" + std::string(n.name); }
    std::string operator()(const syntax::Operator& n) const {
      return "{" + std::string(info(n.op).name) + "}";
    }
    std::string operator()(const syntax::Lambda& n) const {
      std::string text;
      for (const syntax::Pattern* p : n.parameters) text += shown(*p) + " ";
      return "[" + text + "=> " + shown(*n.body) + "]";
    }
    std::string operator()(const syntax::Let& n) const {
      return "[let " + shown(*n.pattern) + " = " + shown(*n.value) + " in " + shown(*n.body) + "]";
    }
    std::string operator()(const syntax::If& n) const {
      return "[if " + shown(*n.condition) + " then " + shown(*n.then_expression) + " else " +
             shown(*n.else_expression) + "]";
    }
    std::string operator()(const syntax::Pipe& n) const {
      return "(" + shown(*n.argument) + " |> " + shown(*n.function) + ")";
    }
    std::string operator()(const syntax::Compose& n) const {
      return "(" + shown(*n.first) + " >> " + shown(*n.second) + ")";
    }
    std::string operator()(const syntax::Binary& n) const {
      return "(" + shown(*n.left) + " " + std::string(info(n.op).name) + " " + shown(*n.right) + ")";
    }
    std::string operator()(const syntax::Unary& n) const {
      return "(" + std::string(info(n.op).name) + " " + shown(*n.operand) + ")";
    }
    std::string operator()(const syntax::Apply& n) const {
      return shown(*n.callee) + "(" + list(n.arguments) + ")";
    }
    std::string operator()(const syntax::Index& n) const {
      return shown(*n.array) + "[" + shown(*n.index) + "]";
    }
    std::string operator()(const syntax::Get& n) const {
      return shown(*n.tuple) + "." + std::to_string(n.position);
    }
    std::string operator()(const syntax::Tuple& n) const { return "<" + list(n.components) + ">"; }
    std::string operator()(const syntax::Array& n) const { return "[" + list(n.elements) + "]"; }
  };
  return std::visit(Visitor{}, e.node);
}

/// Every definition with its documentation.
inline std::string shown(const syntax::File& file) {
  std::string text;
  for (const syntax::Definition& each : file.definitions) {
    text += each.documentation + "\n" + std::string(each.name) + "(";
    for (const syntax::Pattern* parameter : each.parameters) text += shown(*parameter) + ", ";
    text +=
        ")" + (each.result == nullptr ? "" : ": " + shown(*each.result)) + " = " + shown(*each.body) + "\n";
  }
  return text;
}

}  // namespace hoist::lang
