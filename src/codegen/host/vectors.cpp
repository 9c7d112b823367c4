// Outer-loop vectorisation. In the body of a loop over j,
//
//   var acc = 0.0                                  var acc: f32x16 = 0.0
//   for k in [0, n)                          to    for k in [0, n)
//     acc = acc + a[k] * b[100 * k + j]              acc = acc + a[k] * b[100 * k + j +: 16]
//   c[j] = acc                                     c[j +: 16] = acc
//
// what depends on j varies from lane to lane and becomes a vector; all else stays a scalar. `find_varying`
// finds the variables that vary, up to a fixed point; `vector_of` and `converted` then rebuild values and
// statements, or set `is_possible_` to false.
#include "codegen/host/vectors.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "loop/traverse.hpp"

namespace hoist::codegen {
namespace {

using arith::Expr;
using loop::Block;
using loop::ValuePtr;

/// Whether vectors have an instruction for it, or a function of the library.
bool is_vector_operation(ScalarOp op, Scalar type) {
  switch (op) {
    case ScalarOp::Add:
    case ScalarOp::Subtract:
    case ScalarOp::Multiply:
    case ScalarOp::Minimum:
    case ScalarOp::Maximum:
    case ScalarOp::Negate:
      return true;
    case ScalarOp::Divide:
    case ScalarOp::Absolute:
    case ScalarOp::Sqrt:
    case ScalarOp::Exp:
    case ScalarOp::Log:
    case ScalarOp::Sin:
    case ScalarOp::Cos:
    case ScalarOp::Power:
    case ScalarOp::FusedMultiplyAdd:
      return is_float(type);
    default:
      return false;
  }
}

class Vectoriser {
 public:
  Vectoriser(Expr variable, int width) : variable_(variable), width_(width) {}

  std::optional<Block> run(const Block& body) {
    find_varying(body);
    Block result = converted(body);
    if (!is_possible_) return std::nullopt;
    return result;
  }

 private:
  bool varies(Expr index) const { return arith::contains(index, variable_); }
  bool varies(const ValuePtr& value) const {
    bool found = false;
    loop::for_each_value(value, [&](const ValuePtr& each) {
      const auto* read = std::get_if<loop::Reference>(&each->node);
      found = found || (read && varying_.contains(read->variable.get()));
      loop::for_each_own_index(*each, [&](Expr index) { found = found || varies(index); });
    });
    return found;
  }

  void find_varying(const Block& body) {
    std::size_t known;
    do {
      known = varying_.size();
      loop::for_each_statement(body, [&](const loop::Statement& statement) {
        const auto* let = std::get_if<loop::Let>(&statement.node);
        if (let && let->value && varies(let->value)) varying_.insert(let->variable.get());
        const auto* assign = std::get_if<loop::Assign>(&statement.node);
        if (assign && varies(assign->value)) varying_.insert(assign->variable.get());
      });
    } while (varying_.size() > known);
  }

  ValuePtr refused(const ValuePtr& value) {
    is_possible_ = false;
    return value;
  }

  /// The value of all lanes.
  ValuePtr vector_of(const ValuePtr& value) {
    if (value->type.width != 1 || value->type.scalar == Scalar::Bool) return refused(value);
    if (!varies(value)) return loop::make_vector({value}, width_);
    if (const auto* read = std::get_if<loop::Reference>(&value->node))
      return loop::reference(vector_variable(read->variable));
    if (const auto* load = std::get_if<loop::Load>(&value->node)) {
      if (!is_contiguous(*load->buffer, load->index)) return refused(value);
      return loop::load(load->buffer, load->index, width_);
    }
    const auto* operation = std::get_if<loop::Operation>(&value->node);
    if (!operation) return refused(value);
    const bool is_selection = operation->op == ScalarOp::Select && !varies(operation->operands[0]);
    if (!is_selection && !is_vector_operation(operation->op, value->type.scalar)) return refused(value);
    std::vector<ValuePtr> operands;
    for (std::size_t at = 0; at < operation->operands.size(); ++at) {
      const ValuePtr& operand = operation->operands[at];
      operands.push_back(is_selection && at == 0 ? operand : vector_of(operand));
    }
    return loop::operation(operation->op, std::move(operands));
  }

  bool is_contiguous(const loop::Buffer& buffer, Expr index) const {
    return buffer.type.width == 1 && buffer.type.scalar != Scalar::Bool &&
           buffer.space != loop::AddressSpace::Private && exact_stride(index, variable_) == 1;
  }

  loop::VariablePtr vector_variable(const loop::VariablePtr& scalar) {
    loop::VariablePtr& vector = vectors_[scalar.get()];
    if (scalar->type.width != 1 || scalar->type.scalar == Scalar::Bool) is_possible_ = false;
    if (!vector) {
      vector = std::make_shared<loop::Variable>(
          loop::Variable{scalar->name, {scalar->type.scalar, width_}, scalar->is_mutable});
    }
    return vector;
  }

  Block converted(const Block& block) {
    Block result;
    for (const loop::Statement& statement : block) {
      if (!is_possible_) break;
      std::visit([&](const auto& node) { result.push_back({converted(node)}); }, statement.node);
    }
    return result;
  }

  loop::For converted(loop::For loop) {
    is_possible_ = is_possible_ && loop.parallelism == loop::Parallelism::Sequential && !loop.condition &&
                   !varies(loop.start) && !varies(loop.stop) && !varies(loop.step);
    loop.body = converted(loop.body);
    return loop;
  }
  loop::If converted(loop::If branch) {
    if (varies(branch.condition)) is_possible_ = false;
    branch.then_body = converted(branch.then_body);
    branch.else_body = converted(branch.else_body);
    return branch;
  }
  loop::Let converted(loop::Let let) {
    if (!varying_.contains(let.variable.get())) return let;
    // Indices may name the variable, which then would not be seen to vary.
    if (let.index) is_possible_ = false;
    let.variable = vector_variable(let.variable);
    if (let.value) let.value = vector_of(let.value);
    return let;
  }
  loop::Assign converted(loop::Assign assign) {
    if (!varying_.contains(assign.variable.get())) return assign;
    assign.variable = vector_variable(assign.variable);
    assign.value = vector_of(assign.value);
    return assign;
  }
  loop::Store converted(loop::Store store) {
    if (store.update || store.is_asynchronous || !is_contiguous(*store.buffer, store.index))
      is_possible_ = false;
    store.value = vector_of(store.value);
    return store;
  }
  loop::Comment converted(loop::Comment comment) { return comment; }
  template <class Other>
  Other converted(Other statement) {
    is_possible_ = false;
    return statement;
  }

  Expr variable_;
  int width_;
  bool is_possible_ = true;
  std::set<const loop::Variable*> varying_;
  std::map<const loop::Variable*, loop::VariablePtr> vectors_;
};

}  // namespace

std::optional<std::int64_t> exact_stride(Expr index, Expr variable) {
  return (arith::substitute(index, {{variable.get(), variable + 1}}) - index).constant();
}

std::optional<Block> vectorised(const Block& body, Expr variable, int width) {
  return Vectoriser(variable, width).run(body);
}

}  // namespace hoist::codegen
