// Statements that look the same in all dialects.
#include <fmt/format.h>

#include "codegen/c_family.hpp"

namespace hoist::codegen {
namespace {

constexpr std::size_t smallest_copy = 4;  // bytes, of those that are asynchronous

/// The operator of `x op= y`, empty where there is none or where C would compute in another type.
std::string_view compound_symbol(ScalarOp op, loop::ValueType type) {
  switch (op) {
    case ScalarOp::Add:
    case ScalarOp::Subtract:
    case ScalarOp::Multiply:
      return info(op).symbol;
    case ScalarOp::Divide:
      return is_float(type.scalar) ? info(op).symbol : "";
    default:
      return "";
  }
}

}  // namespace

void CFamily::write(std::string_view text) {
  text_.append(2 * static_cast<std::size_t>(depth_), ' ');
  text_ += text;
  text_ += '\n';
}

void CFamily::block(const loop::Block& block) {
  for (const loop::Statement& each : block) statement(each);
}

void CFamily::statement(const loop::Statement& statement) {
  std::visit(
      Overloaded{[&](const loop::For& loop) {
                   if (loop.parallelism == loop::Parallelism::Sequential) return sequential_loop(loop);
                   parallel_loop(loop);
                 },
                 [&](const loop::If& node) { branch(node); }, [&](const loop::Let& node) { let(node); },
                 [&](const loop::Assign& node) { assign(node); },
                 [&](const loop::Store& node) {
                   if (!node.update) return node.is_asynchronous ? asynchronous_store(node) : store(node);
                   atomic_update({*node.buffer, node.index}, *node.update, node.value->type.scalar,
                                 value(node.value));
                 },
                 [&](const loop::Commit&) { commit(); }, [&](const loop::Await& node) { await(node); },
                 [&](const loop::Barrier& node) { barrier(node); },
                 [&](const loop::Allocate& node) { allocate(node); },
                 [&](const loop::Alias& node) { alias(node); }, [&](const loop::Swap& node) { swap(node); },
                 [&](const loop::Comment& node) { comment(node); }},
      statement.node);
}

void CFamily::open_for(const std::string& variable, const Code& start, const Code& stop, const Code& step,
                       const loop::ValuePtr& condition) {
  const std::string advance =
      step.text == "1" ? "++" + variable : fmt::format("{} += {}", variable, step.text);
  const std::string also = condition ? fmt::format(" && ({})", value(condition).text) : "";
  indent("for ({} {} = {}; {}{}; {}) {{", index_name(), variable, start.text,
         infix({variable}, "<", stop, Precedence::Relational).text, also, advance);
}

void CFamily::sequential_loop(const loop::For& loop) {
  if (loop.unroll_factor > 1) unroll_hint(loop.unroll_factor);
  open_for(name(loop.variable), index(loop.start), index(loop.stop), index(loop.step), loop.condition);
  block(loop.body);
  close();
}

void CFamily::branch(const loop::If& branch) {
  indent("if ({}) {{", value(branch.condition).text);
  block(branch.then_body);
  const auto* next =
      branch.else_body.size() == 1 ? std::get_if<loop::If>(&branch.else_body[0].node) : nullptr;
  if (branch.else_body.empty()) return close();
  if (next) {
    --depth_;
    // The rest of a chain continues on the line of the brace.
    text_.append(2 * static_cast<std::size_t>(depth_), ' ');
    text_ += "} else ";
    const std::size_t start = text_.size();
    this->branch(*next);
    text_.erase(start, text_.find_first_not_of(' ', start) - start);
    return;
  }
  close_then_open("} else {");
  block(branch.else_body);
  close();
}

void CFamily::let(const loop::Let& let) {
  const loop::Variable& variable = *let.variable;
  check_width(variable.type);
  const char* qualifier = variable.is_mutable ? "" : "const ";
  const std::string type = type_name(variable.type);
  if (!let.value) return line("{} {};", type, name(variable));
  line("{}{} {} = {};", qualifier, type, name(variable), value(let.value).text);
  if (const auto angle = angles_.find(&variable); angle != angles_.end()) {
    sine_and_cosine(variable.type.scalar, name(variable), angle->second.first, angle->second.second);
  }
}

void CFamily::assign(const loop::Assign& assign) {
  const auto is_target = [&](const loop::Value& value) {
    const auto* reference = std::get_if<loop::Reference>(&value.node);
    return reference && reference->variable == assign.variable;
  };
  set({name(*assign.variable)}, assign.value, is_target);
}

void CFamily::store(const loop::Store& store) {
  const loop::Buffer& buffer = *store.buffer;
  const loop::ValueType type = store.value->type;
  const bool is_component = buffer.type.width > 1 && type.width == 1;
  if (buffer.type.width == 1 && type.width > 1) {
    return store_vector(buffer, store.index, type, value(store.value));
  }
  const auto is_target = [&](const loop::Value& value) {
    const auto* load = std::get_if<loop::Load>(&value.node);
    return load && load->buffer == store.buffer && load->index == store.index && value.type == type;
  };
  set(is_component ? register_component(buffer, store.index) : element(buffer, store.index), store.value,
      is_target);
}

void CFamily::asynchronous_store(const loop::Store& store) {
  // What is stored is a load, or zero where one of some conditions does not hold.
  Code condition;
  loop::ValuePtr source = store.value;
  while (const auto* select = std::get_if<loop::Operation>(&source->node)) {
    const Code next = value(select->operands[0]);
    condition = condition.text.empty() ? next : infix(condition, "&&", next, Precedence::And);
    source = select->operands[1];
  }
  // Where all is known to lie outside, a zero is left.
  const auto* load = std::get_if<loop::Load>(&source->node);
  if (!load || !has_asynchronous_copies(*load->buffer)) return this->store(store);
  const MemoryOperand to{*store.buffer, store.index}, from{*load->buffer, load->index};
  const bool has_small_scalars = size_of(source->type.scalar) < smallest_copy;
  if (has_small_scalars && !is_one_copy(to, from, source->type)) return this->store(store);
  copy_by_parts(to, from, source->type, condition);
}

Code CFamily::updated(ScalarOp op, Scalar type, const Code& old, const Code& operand) {
  if (info(op).symbol.empty()) return function(op, {type, 1}, {old, operand});
  return infix(old, info(op).symbol, operand,
               op == ScalarOp::Multiply ? Precedence::Product : Precedence::Sum);
}

bool CFamily::is_one_copy(const MemoryOperand& to, const MemoryOperand& from, loop::ValueType type) {
  const std::size_t bytes = size_of(type.scalar) * static_cast<std::size_t>(type.width);
  if (bytes != smallest_copy && bytes != 8 && bytes != 16) return false;
  return type.width == 1 ||
         (has_vector_form(to.buffer, to.index, type) && has_vector_form(from.buffer, from.index, type));
}

void CFamily::copy_by_parts(const MemoryOperand& to, const MemoryOperand& from, loop::ValueType type,
                            const Code& condition) {
  if (is_one_copy(to, from, type)) return asynchronous_copy(to, from, type, condition);
  const loop::ValueType part{type.scalar, type.width % 2 == 0 ? type.width / 2 : 1};
  for (int at = 0; at < type.width; at += part.width)
    copy_by_parts({to.buffer, to.index + at}, {from.buffer, from.index + at}, part, condition);
}

void CFamily::set(const Code& target, const loop::ValuePtr& value,
                  const std::function<bool(const loop::Value&)>& is_target) {
  const auto* operation = std::get_if<loop::Operation>(&value->node);
  if (operation && operation->operands.size() == 2 && operation->operands[0]->type == value->type &&
      !must_wrap(*operation, value->type) && is_target(*operation->operands[0])) {
    if (const auto fused = fused_sum(*operation, value->type))
      return line("{} = {};", target.text, fused->text);
    const std::string_view symbol = compound_symbol(operation->op, value->type);
    if (!symbol.empty()) {
      return line("{} {}= {};", target.text, symbol, this->value(operation->operands[1]).text);
    }
  }
  line("{} = {};", target.text, this->value(value).text);
}

void CFamily::comment(const loop::Comment& comment) {
  if (!options_.comments) return;
  std::size_t begin = 0;
  while (begin <= comment.text.size()) {
    const std::size_t end = std::min(comment.text.find('\n', begin), comment.text.size());
    std::string text = comment.text.substr(begin, end - begin);
    // A backslash at its end would continue the comment.
    while (!text.empty() && (text.back() == '\\' || text.back() == ' ')) text.pop_back();
    line("//{}{}", text.empty() ? "" : " ", text);
    begin = end + 1;
  }
}

}  // namespace hoist::codegen
