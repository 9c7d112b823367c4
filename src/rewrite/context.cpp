#include "rewrite/context.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/inspect.hpp"
#include "ir/print.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Op;
using ir::Term;

ir::Term term_at(ir::Term root, const Path& path) {
  for (const std::uint32_t step : path) root = ir::children(root).at(step);
  return root;
}

std::string to_string(const Path& path) {
  return path.empty() ? "root" : fmt::format("{}", fmt::join(path, "."));
}

Result<std::optional<Path>> path_from_text(const std::string& text) {
  Path path;
  if (text == "root") return std::optional(path);
  if (text.find_first_not_of("0123456789.") != std::string::npos) return std::optional<Path>();
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    if (end == begin || end - begin > 4)
      return user_error(fmt::format("'{}' is not a place in a program", text), {},
                        "a place is written 0.1.0, or root");
    path.push_back(static_cast<std::uint32_t>(std::stoul(text.substr(begin, end - begin))));
    begin = end + 1;
  }
  return std::optional(path);
}

std::string to_string(const Trace& trace) {
  std::string text;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const Step& step = trace[i];
    text += fmt::format("{}. {} at {}:\n  {}\n  ==> {}\n", i + 1, step.rule, to_string(step.path),
                        ir::to_string(step.before), ir::to_string(step.after));
  }
  return text;
}

Context::Context(Term program) : program_(program) {}

Expr Context::choose(const std::string& name) {
  if (!choices.empty()) {
    const Expr choice = choices.front();
    choices.erase(choices.begin());
    return choice;
  }
  if (!used_) {
    used_.emplace();
    for (Expr parameter : ir::open_parameters(program_)) used_->insert(parameter->name);
  }
  std::string unused = name;
  for (int number = 2; !used_->insert(unused).second; ++number) unused = fmt::format("{}{}", name, number);
  return arith::parameter(unused);
}

std::string hierarchy_conflict(const Context& context, Op op, Expr dimension, Term function) {
  const std::string name(ir::primitive(op).name);
  bool in_group = false;
  for (const auto& [around, around_dimension] : context.enclosing) {
    if (!ir::is_parallel_map(around)) {
      if (op == Op::MapGroup || op == Op::MapGlobal)
        return name + " cannot stand inside a sequential pattern";
      continue;
    }
    const std::string outer(ir::primitive(around).name);
    if (around == op && around_dimension == dimension)
      return fmt::format("{} of the same dimension is around it", outer);
    const bool fits = around == op || (around == Op::MapGroup && op == Op::MapLocal) || op == Op::MapSeq ||
                      op == Op::MapSeqUnroll;
    if (!fits) return fmt::format("{} cannot stand inside {}", name, outer);
    in_group = in_group || around == Op::MapGroup;
  }
  if (op == Op::MapLocal && !in_group) return "mapLcl needs a mapWrg around it";
  const bool conflicts = ir::any_call(function, [&](const ir::Call& inside) {
    if (!ir::is_parallel_map(inside.op)) return false;
    if (inside.op == op) return inside.sizes[0] == dimension;
    if (inside.op == Op::MapLocal) return op == Op::MapGlobal;
    return true;
  });
  return conflicts ? fmt::format("{} cannot stand around the parallel maps in its function", name) : "";
}

}  // namespace hoist::rewrite
