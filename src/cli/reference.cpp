#include "cli/reference.hpp"

#include <fmt/format.h>

#include "base/scalar.hpp"
#include "ir/primitive.hpp"

namespace hoist::cli {

namespace {

std::string_view heading(ir::Level level) {
  switch (level) {
    case ir::Level::High:
      return "## High-level patterns\n\nWhat is computed.\n";
    case ir::Level::Layout:
      return "## Layout\n\nWhich element is where. These cost nothing by themselves: reads and writes follow "
             "them.\n";
    case ir::Level::Low:
      return "## Low-level patterns\n\nHow and where it is computed.\n";
  }
  return "";
}

/// A cell of a table: a bar would end it.
std::string cell(std::string_view text) {
  std::string result;
  for (char letter : text) result += letter == '|' ? std::string("\\|") : std::string(1, letter);
  return result;
}

std::string_view domain_text(ScalarOpInfo::Domain domain) {
  switch (domain) {
    case ScalarOpInfo::Domain::Numeric:
      return "numbers";
    case ScalarOpInfo::Domain::Float:
      return "floats";
    case ScalarOpInfo::Domain::Integer:
      return "integers";
    case ScalarOpInfo::Domain::Boolean:
      return "bool";
    case ScalarOpInfo::Domain::Any:
      return "all";
  }
  return "";
}

}  // namespace

std::string reference_markdown() {
  std::string text =
      "# Reference\n\n"
      "Printed by `hoist dev reference` from the tables that the compiler itself reads.\n\n"
      "In a scheme `[n]a` is an array of `n` elements of type `a`; small letters stand for any size or type, "
      "and\n"
      "`(a) -> b` is a function. Arguments come in the order of the scheme, the data last.\n";
  for (const ir::Level level : {ir::Level::High, ir::Level::Layout, ir::Level::Low}) {
    text += fmt::format("\n{}\n", heading(level));
    for (const ir::Primitive& primitive : ir::all_primitives()) {
      if (primitive.level != level) continue;
      text += fmt::format("### {}\n\n```\n{}\n```\n\n{}\n\n", primitive.name, primitive.scheme,
                          primitive.documentation);
    }
    text.pop_back();
  }
  text +=
      "\n## Scalar functions\n\n"
      "All apply to vectors component by component. Operands have one type; conversions are written "
      "`f32(x)`.\n\n"
      "| function | operator | operands | of | gives | |\n|---|---|---|---|---|---|\n";
  for (const ScalarOpInfo& operation : all_scalar_ops()) {
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", operation.name,
                        operation.symbol.empty() ? "" : fmt::format("`{}`", cell(operation.symbol)),
                        operation.arity, domain_text(operation.domain),
                        operation.gives_bool ? "bool" : "the operands' type", cell(operation.documentation));
  }
  return text;
}

}  // namespace hoist::cli
