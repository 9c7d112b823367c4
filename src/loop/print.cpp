// The text of loop IR; parse.cpp reads it back. The grammar is described in syntax.hpp.
#include "loop/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>

#include "base/overloaded.hpp"
#include "loop/syntax.hpp"

namespace hoist::loop {
namespace {

class Printer {
 public:
  std::string take() { return std::move(text_); }

  void value(const ValuePtr& value, int precedence = 0) {
    if (!value) {
      text_ += '_';  // only in what the checker complains about
      return;
    }
    std::visit([&](const auto& node) { print(node, value->type, precedence); }, value->node);
  }

  void block(const Block& block) {
    for (const Statement& statement : block) {
      std::visit([&](const auto& node) { print(node); }, statement.node);
    }
  }

  void kernel(const Kernel& kernel) {
    line("kernel {}({}", kernel.name, kernel.parameters.empty() ? "" : "\n");
    for (std::size_t at = 0; at < kernel.parameters.size(); ++at) {
      indent(2);
      std::visit([&](const auto& parameter) { print(parameter); }, kernel.parameters[at]);
      if (at + 1 < kernel.parameters.size()) add(",\n");
    }
    add(")\n");
    indent(1);
    add("launch global ");
    range(kernel.launch.global);
    add(" local ");
    range(kernel.launch.local);
    add(" index {} {{\n", name_of(kernel.index_type));
    nested(kernel.body);
    line("}}\n");
  }

  void plan(const Plan& plan) {
    line("plan {} {{\n", plan.name);
    ++depth_;
    for (const arith::Expr& size : plan.sizes) line("size {};\n", expr(size));
    for (const PlanInput& input : plan.inputs) {
      indent();
      add("input ");
      std::visit(Overloaded{[&](const BufferPtr& buffer) { declare(*buffer); },
                            [&](const ScalarInput& scalar) { declare(*scalar.variable); }},
                 input);
      add(";\n");
    }
    for (const BufferPtr& output : plan.outputs) buffer_line("output", *output);
    for (const BufferPtr& temporary : plan.temporaries) buffer_line("temporary", *temporary);
    for (const Assumption& assumption : plan.assumptions) {
      line("assume ({}) {};\n", arith::to_string(assumption.predicate), quoted(assumption.message));
    }
    for (const Kernel& each : plan.kernels) kernel(each);
    line("steps {{\n");
    steps(plan, plan.steps);
    line("}}\n");
    --depth_;
    line("}}\n");
  }

 private:
  // ---- Values

  void print(const Literal& literal, ValueType type, int) {
    if (type.width == 1) return scalar(literal.value);
    add("{}{{", type_text(type));
    scalar(literal.value);
    add("}}");
  }
  void print(const Reference& reference, ValueType, int) { text_ += reference.variable->name; }
  void print(const IndexValue& value, ValueType type, int) {
    add("index_{}({})", name_of(type.scalar), expr(value.expr));
  }
  void print(const Test& test, ValueType, int) { add("test({})", arith::to_string(test.predicate)); }
  void print(const Load& load, ValueType type, int) { place(*load.buffer, load.index, type.width); }
  void print(const Operation& operation, ValueType, int precedence) {
    // Also what the checker is about to refuse has to be shown.
    const int own = operation.operands.size() == 2 ? infix_precedence(operation.op) : 0;
    if (own == 0) {
      add("{}(", info(operation.op).name);
      list(operation.operands);
      text_ += ')';
      return;
    }
    if (own < precedence) text_ += '(';
    value(operation.operands[0], own);
    add(" {} ", info(operation.op).symbol);
    value(operation.operands[1], own + 1);  // all group to the left
    if (own < precedence) text_ += ')';
  }
  void print(const Cast& cast, ValueType type, int) {
    add("as_{}(", name_of(type.scalar));
    value(cast.operand);
    text_ += ')';
  }
  void print(const Component& component, ValueType, int) {
    value(component.vector, postfix_precedence);
    add(".s{}", component.index);
  }
  void print(const Shuffle& shuffle, ValueType, int) {
    add("shuffle(");
    value(shuffle.operand);
    add(", {})", shuffle.mask);
  }
  void print(const MakeVector& vector, ValueType type, int) {
    add("{}(", type_text(type));
    list(vector.components);
    text_ += ')';
  }

  void list(const std::vector<ValuePtr>& values) {
    for (std::size_t at = 0; at < values.size(); ++at) {
      if (at > 0) text_ += ", ";
      value(values[at]);
    }
  }

  void scalar(const ScalarValue& value) {
    if (is_float(value.type) && !std::isfinite(value.real)) {
      const char* sign = std::signbit(value.real) ? "-" : "";
      add("{}{}_{}", sign, std::isnan(value.real) ? "nan" : "inf", name_of(value.type));
    } else {
      text_ += hoist::to_string(value);
    }
  }

  void place(const Buffer& buffer, arith::Expr index, int width) {
    add("{}[{}", buffer.name, expr(index));
    if (width > 1) add(" +: {}", width);
    text_ += ']';
  }

  // ---- Statements

  void print(const For& loop) {
    indent();
    add("for {} in {}", expr(loop.variable), name_of(loop.parallelism));
    if (loop.parallelism != Parallelism::Sequential) add("({})", loop.dimension);
    add(" [{}, {}) step {}", expr(loop.start), expr(loop.stop), atom(loop.step));
    const arith::Node& variable = *loop.variable.get();
    if (variable.start != loop.start || variable.stop != loop.stop || variable.step != loop.step) {
      add(" ranging [{}, {}, {})", expr(variable.start), expr(variable.stop), expr(variable.step));
    }
    if (loop.form != LoopForm::Loop) add(" : {}", name_of(loop.form));
    if (loop.condition) {
      add(" while (");
      value(loop.condition);
      add(")");
    }
    if (loop.reorderable) add(" reorderable");
    if (loop.is_independent) add(" independent");
    if (loop.unroll) add(" unroll");
    if (loop.unroll_factor != 0) add(" unroll_by {}", loop.unroll_factor);
    add(" {{\n");
    nested(loop.body);
    line("}}\n");
  }
  void print(const If& branch) {
    indent();
    add("if (");
    value(branch.condition);
    add(") {{\n");
    nested(branch.then_body);
    if (!branch.else_body.empty()) {
      line("}} else {{\n");
      nested(branch.else_body);
    }
    line("}}\n");
  }
  void print(const Let& let) {
    indent();
    add("{} ", let.variable->is_mutable ? "var" : "let");
    declare(*let.variable);
    if (let.index) add(" index [{}, {})", expr(let.index->start), expr(let.index->stop));
    if (let.value) {
      add(" = ");
      value(let.value);
    }
    add(";\n");
  }
  void print(const Assign& assign) {
    indent();
    add("{} = ", assign.variable->name);
    value(assign.value);
    add(";\n");
  }
  void print(const Store& store) {
    indent();
    if (store.is_asynchronous) add("async ");
    if (store.is_streamed) add("stream ");
    if (store.update) add("atomic({}) ", info(*store.update).name);
    place(*store.buffer, store.index, store.value ? store.value->type.width : 1);
    add(" = ");
    value(store.value);
    add(";\n");
  }
  void print(const Commit&) { line("commit;\n"); }
  void print(const Await& await) { line("await({});\n", await.pending); }
  void print(const Barrier& barrier) {
    line("barrier({}{}{});\n", barrier.local ? "local" : "", barrier.local && barrier.global ? ", " : "",
         barrier.global ? "global" : "");
  }
  void print(const Allocate& allocate) { buffer_line("allocate", *allocate.buffer); }
  void print(const Alias& alias) {
    indent();
    add("alias ");
    declare(*alias.pointer);
    add(" = {};\n", alias.target->name);
  }
  void print(const Swap& swap) { line("swap({}, {});\n", swap.first->name, swap.second->name); }
  void print(const Comment& comment) {
    std::size_t begin = 0;
    while (begin <= comment.text.size()) {
      const std::size_t end = std::min(comment.text.find('\n', begin), comment.text.size());
      const std::string_view one = std::string_view(comment.text).substr(begin, end - begin);
      line("//{}{}\n", one.empty() ? "" : " ", one);
      begin = end + 1;
    }
  }

  void nested(const Block& body) {
    ++depth_;
    block(body);
    --depth_;
  }

  // ---- Kernels and plans

  void print(const BufferParameter& parameter) {
    add("{} ", parameter.is_written ? "write" : "read");
    declare(*parameter.buffer);
  }
  void print(const SizeParameter& parameter) { add("size {}", expr(parameter.variable)); }
  void print(const ScalarParameter& parameter) {
    add("scalar ");
    declare(*parameter.variable);
  }

  void range(const std::array<arith::Expr, 3>& extents) {
    add("[{}, {}, {}]", expr(extents[0]), expr(extents[1]), expr(extents[2]));
  }

  void steps(const Plan& plan, const std::vector<PlanStep>& body) {
    ++depth_;
    for (const PlanStep& step : body) {
      std::visit(
          Overloaded{
              [&](const LaunchStep& launch) { line("launch {};\n", plan.kernels.at(launch.kernel).name); },
              [&](const RepeatStep& repeat) {
                indent();
                add("repeat ({})", expr(repeat.count));
                if (repeat.count_from) add(" times {}", repeat.count_from->name);
                if (repeat.number) {
                  add(" number ");
                  declare(*repeat.number);
                }
                for (const auto& [first, second] : repeat.exchanged) {
                  add(" exchange {}, {}", first->name, second->name);
                }
                if (repeat.condition) {
                  add(" while {} {{\n", repeat.condition->name);
                  steps(plan, repeat.test);
                  indent();
                  add("}} do");
                }
                add(" {{\n");
                steps(plan, repeat.body);
                line("}}\n");
              },
              [&](const CopyStep& copy) { line("copy {} to {};\n", copy.from->name, copy.to->name); }},
          step.node);
    }
    --depth_;
  }

  void buffer_line(std::string_view keyword, const Buffer& buffer) {
    indent();
    add("{} ", keyword);
    declare(buffer);
    add(";\n");
  }
  void declare(const Buffer& buffer) {
    add("{}: {} {}[{}]", buffer.name, name_of(buffer.space), type_text(buffer.type), expr(buffer.scalars));
    if (!buffer.image) return;
    const auto& [channels, width, blocks] = *buffer.image;
    add(" image({}, {}", channels, expr(width));
    if (blocks != 1) add(", {}", blocks);
    add(")");
  }
  void declare(const Variable& variable) { add("{}: {}", variable.name, type_text(variable.type)); }

  // ---- Text

  static std::string expr(arith::Expr e) { return e ? arith::to_string(e) : "_"; }
  static std::string atom(arith::Expr e) {
    std::string text = expr(e);
    const bool is_word = std::all_of(text.begin(), text.end(),
                                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    return is_word ? text : "(" + text + ")";
  }
  static std::string quoted(const std::string& plain) {
    std::string text = "\"";
    for (char c : plain) {
      if (c == '"' || c == '\\') text += '\\';
      if (c == '\n') {
        text += "\\n";
      } else {
        text += c;
      }
    }
    return text + '"';
  }

  void indent(int more = 0) { text_.append(2 * static_cast<std::size_t>(depth_ + more), ' '); }
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    indent();
    add(format, std::forward<Arguments>(arguments)...);
  }

  std::string text_;
  int depth_ = 0;
};

}  // namespace

std::string_view name_of(AddressSpace space) {
  constexpr std::string_view names[] = {"global", "local", "private"};
  return names[static_cast<std::size_t>(space)];
}
std::string_view name_of(Parallelism parallelism) {
  constexpr std::string_view names[] = {"sequential", "global", "group", "local"};
  return names[static_cast<std::size_t>(parallelism)];
}
std::string_view name_of(LoopForm form) {
  constexpr std::string_view names[] = {"loop", "at_most_once", "exactly_once"};
  return names[static_cast<std::size_t>(form)];
}

int infix_precedence(ScalarOp op) {
  switch (op) {
    case ScalarOp::Multiply:
    case ScalarOp::Divide:
    case ScalarOp::Remainder:
      return 10;
    case ScalarOp::Add:
    case ScalarOp::Subtract:
      return 9;
    case ScalarOp::ShiftLeft:
    case ScalarOp::ShiftRight:
      return 8;
    case ScalarOp::Less:
    case ScalarOp::LessEqual:
    case ScalarOp::Greater:
    case ScalarOp::GreaterEqual:
      return 7;
    case ScalarOp::Equal:
    case ScalarOp::NotEqual:
      return 6;
    case ScalarOp::BitAnd:
      return 5;
    case ScalarOp::BitXor:
      return 4;
    case ScalarOp::BitOr:
      return 3;
    case ScalarOp::And:
      return 2;
    case ScalarOp::Or:
      return 1;
    default:
      return 0;
  }
}

std::string to_string(const ValuePtr& value) {
  Printer printer;
  printer.value(value);
  return printer.take();
}
std::string to_string(const Block& block) {
  Printer printer;
  printer.block(block);
  return printer.take();
}
std::string to_string(const Kernel& kernel) {
  Printer printer;
  printer.kernel(kernel);
  return printer.take();
}
std::string to_string(const Plan& plan) {
  Printer printer;
  printer.plan(plan);
  return printer.take();
}

}  // namespace hoist::loop
