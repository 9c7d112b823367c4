// Prepares a kernel for the interpreter, before launches, so that executing a statement looks nothing up:
// names become numbers (slots), sizes are bound, and index expressions become straight-line programs
// (index_program.hpp). In
//
//   for i in sequential [0, N) step 1 { y[i] = s * x[i]; }
//
// with N = 64, the bounds are programs of one constant, the loop's variable i is a column of integers (an
// element a work-item), both indices are programs that copy this column, and x, y and s are slots.
//
// Read `Preparer::prepare` first: parameters, then the body in one walk. There is one `fill` for each kind of
// value and statement; `program` and `place_of` translate an index expression. Declarations come before uses,
// since the checker accepted the kernel, so one walk suffices.
#include "loop/executable.hpp"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "loop/at_launch.hpp"

namespace hoist::loop {
namespace {

class Preparer {
 public:
  Preparer(const arith::Bindings& sizes, const std::map<std::string, ScalarValue>& scalars)
      : sizes_(sizes), scalars_(scalars) {}

  Executable prepare(const Kernel& kernel) {
    done_.name = kernel.name;
    const bool is_wide = kernel.index_type == Scalar::I64;
    done_.smallest_index = is_wide ? INT64_MIN : INT32_MIN;
    done_.largest_index = is_wide ? INT64_MAX : INT32_MAX;
    for (std::size_t dimension = 0; dimension < 3; ++dimension) {
      const std::string what = "the launch range of kernel " + kernel.name;
      done_.global[dimension] = launched(kernel.launch.global[dimension], what);
      done_.local[dimension] = evaluate_size(kernel.launch.local[dimension], sizes_, what);
      if (done_.local[dimension] < 1 || done_.global[dimension] < 1 ||
          done_.global[dimension] % done_.local[dimension] != 0) {
        throw_user(fmt::format("{}: {} work-items in groups of {} in dimension {}", what,
                               done_.global[dimension], done_.local[dimension], dimension));
      }
    }
    for (const KernelParameter& parameter : kernel.parameters) {
      if (const auto* buffer = std::get_if<BufferParameter>(&parameter)) {
        done_.buffers[static_cast<std::size_t>(declare(buffer->buffer))].is_parameter = true;
      } else if (const auto* scalar = std::get_if<ScalarParameter>(&parameter)) {
        declare_given(scalar->variable);
      }
    }
    done_.body = block(kernel.body);
    return std::move(done_);
  }

 private:
  /// Work-items follow from sizes and from the scalars that the launch is given.
  std::int64_t launched(arith::Expr extent, const std::string& what) const {
    arith::Bindings known = sizes_;
    for (const arith::Expr& variable : arith::variables(extent)) {
      const auto given = scalars_.find(variable->name);
      if (given != scalars_.end()) known[variable.get()] = given->second.integer;
    }
    return evaluate_size(extent, known, what);
  }

  // ---- Names

  std::int32_t declare(const BufferPtr& buffer) {
    ReadyBuffer ready{buffer->name, buffer->type.scalar, buffer->space, false, buffer->is_pointer, 0};
    if (!buffer->is_pointer) {
      ready.scalars = evaluate_size(buffer->scalars, sizes_, "the size of buffer " + buffer->name);
      if (ready.scalars < 0) throw_user(fmt::format("buffer {} has a negative size", buffer->name));
    }
    done_.buffers.push_back(std::move(ready));
    return buffers_[buffer.get()] = static_cast<std::int32_t>(done_.buffers.size()) - 1;
  }

  std::int32_t declare(const VariablePtr& variable) {
    done_.variables.push_back({variable->name, variable->type, variable->is_mutable, std::nullopt});
    return variables_[variable.get()] = static_cast<std::int32_t>(done_.variables.size()) - 1;
  }

  void declare_given(const VariablePtr& variable) {
    const auto given = scalars_.find(variable->name);
    if (given == scalars_.end()) throw_user(fmt::format("no value is given for '{}'", variable->name));
    if (given->second.type != variable->type.scalar) {
      throw_user(fmt::format("'{}' is {}, not {}", variable->name, name_of(variable->type.scalar),
                             name_of(given->second.type)));
    }
    done_.variables[static_cast<std::size_t>(declare(variable))].given = given->second;
  }

  std::int32_t slot_of(const Buffer& buffer) const {
    const auto found = buffers_.find(&buffer);
    if (found == buffers_.end()) throw Bug(fmt::format("buffer '{}' is not declared", buffer.name));
    return found->second;
  }
  std::int32_t slot_of(const Variable& variable) const {
    const auto found = variables_.find(&variable);
    if (found == variables_.end()) throw Bug(fmt::format("variable '{}' is not declared", variable.name));
    return found->second;
  }

  // ---- Index expressions

  ProgramNumber program(arith::Expr e) {
    if (!e) return -1;
    done_.programs.emplace_back(e, done_.smallest_index, done_.largest_index,
                                [&](arith::Expr variable) { return place_of(variable); });
    done_.program_texts.push_back(arith::to_string(e));
    return static_cast<ProgramNumber>(done_.programs.size()) - 1;
  }

  IndexProgram::Binding place_of(arith::Expr variable) const {
    if (const auto found = columns_.find(variable.get()); found != columns_.end()) {
      return {false, 0, found->second};
    }
    if (const auto bound = sizes_.find(variable.get()); bound != sizes_.end()) {
      return {true, bound->second, 0};
    }
    if (is_launched(variable)) return {true, variable->value, 0};
    const auto given = scalars_.find(variable->name);
    if (variable->variable_kind == arith::VariableKind::Data && given != scalars_.end()) {
      return {true, given->second.integer, 0};
    }
    throw_user(fmt::format("no value is given for '{}'", variable->name));
  }

  std::int32_t new_column(arith::Expr variable) {
    return columns_[variable.get()] = static_cast<std::int32_t>(done_.columns++);
  }

  std::int32_t new_workspace() { return static_cast<std::int32_t>(done_.workspaces++); }

  // ---- Values

  ReadyValue value(const Value& value) {
    ReadyValue ready;
    ready.type = value.type;
    std::visit([&](const auto& node) { fill(ready, node); }, value.node);
    return ready;
  }
  void fill(ReadyValue& ready, const Literal& literal) {
    ready.kind = ReadyValue::Kind::Literal;
    ready.literal = literal.value;
  }
  void fill(ReadyValue& ready, const Reference& reference) {
    ready.kind = ReadyValue::Kind::Reference;
    ready.slot = slot_of(*reference.variable);
  }
  void fill(ReadyValue& ready, const IndexValue& index) {
    ready.kind = ReadyValue::Kind::Index;
    ready.index = program(index.expr);
  }
  void fill(ReadyValue& ready, const Test& test) {
    ready.kind = ReadyValue::Kind::Test;
    ready.relation = test.predicate.relation;
    ready.index = program(test.predicate.left);
    ready.test_right = program(test.predicate.right);
  }
  void fill(ReadyValue& ready, const Load& load) {
    ready.kind = ReadyValue::Kind::Load;
    ready.slot = slot_of(*load.buffer);
    ready.index = program(load.index);
  }
  void fill(ReadyValue& ready, const Operation& operation) {
    const bool is_logic = operation.op == ScalarOp::And || operation.op == ScalarOp::Or;
    ready.kind = ReadyValue::Kind::Operation;
    if (operation.op == ScalarOp::Select && operation.operands[0]->type.width == 1) {
      ready.kind = ReadyValue::Kind::LazySelect;
      ready.workspace = new_workspace();
    } else if (is_logic && ready.type.width == 1) {
      ready.kind = ReadyValue::Kind::LazyLogic;
      ready.workspace = new_workspace();
    }
    ready.op = operation.op;
    for (const ValuePtr& operand : operation.operands) ready.operands.push_back(value(*operand));
  }
  void fill(ReadyValue& ready, const Cast& cast) {
    ready.kind = ReadyValue::Kind::Cast;
    ready.operands.push_back(value(*cast.operand));
  }
  void fill(ReadyValue& ready, const Component& component) {
    ready.kind = ReadyValue::Kind::Component;
    ready.slot = component.index;
    ready.operands.push_back(value(*component.vector));
  }
  void fill(ReadyValue& ready, const MakeVector& vector) {
    ready.kind = ReadyValue::Kind::MakeVector;
    for (const ValuePtr& each : vector.components) ready.operands.push_back(value(*each));
  }

  void fill(ReadyValue& ready, const Shuffle& shuffle) {
    ready.kind = ReadyValue::Kind::Shuffle;
    ready.slot = shuffle.mask;
    ready.operands.push_back(value(*shuffle.operand));
  }

  // ---- Statements

  ReadyBlock block(const Block& block) {
    ReadyBlock ready;
    ready.reserve(block.size());
    for (const Statement& statement : block) {
      if (std::holds_alternative<Comment>(statement.node)) continue;
      ReadyStatement& next = ready.emplace_back();
      std::visit([&](const auto& node) { fill(next, node); }, statement.node);
    }
    return ready;
  }
  void fill(ReadyStatement& ready, const For& loop) {
    ready.kind = ReadyStatement::Kind::For;
    ready.parallelism = loop.parallelism;
    ready.dimension = static_cast<std::size_t>(loop.dimension);
    ready.form = loop.form;
    ready.workspace = new_workspace();
    ready.start = program(loop.start);
    ready.stop = program(loop.stop);
    ready.step = program(loop.step);
    const arith::Node& variable = *loop.variable.get();
    if (variable.start != loop.start) ready.range_start = program(variable.start);
    if (variable.stop != loop.stop) ready.range_stop = program(variable.stop);
    ready.name = variable.name;
    if (loop.condition) ready.value = value(*loop.condition);
    ready.column = new_column(loop.variable);
    ready.body = block(loop.body);
  }
  void fill(ReadyStatement& ready, const If& branch) {
    ready.kind = ReadyStatement::Kind::If;
    ready.workspace = new_workspace();
    ready.value = value(*branch.condition);
    ready.body = block(branch.then_body);
    ready.else_body = block(branch.else_body);
  }
  void fill(ReadyStatement& ready, const Let& let) {
    ready.kind = ReadyStatement::Kind::Let;
    if (let.value) ready.value = value(*let.value);
    ready.slot = declare(let.variable);
    if (!let.index) return;
    ready.range_start = program(let.index->start);
    ready.range_stop = program(let.index->stop);
    ready.name = let.variable->name;
    ready.column = new_column(let.index);
  }
  void fill(ReadyStatement& ready, const Assign& assign) {
    ready.kind = ReadyStatement::Kind::Assign;
    ready.slot = slot_of(*assign.variable);
    ready.value = value(*assign.value);
  }
  void fill(ReadyStatement& ready, const Store& store) {
    ready.kind = ReadyStatement::Kind::Store;
    ready.slot = slot_of(*store.buffer);
    ready.index = program(store.index);
    ready.value = value(*store.value);
    ready.is_asynchronous = store.is_asynchronous;
    ready.update = store.update;
  }
  void fill(ReadyStatement& ready, const Commit&) { ready.kind = ReadyStatement::Kind::Commit; }
  void fill(ReadyStatement& ready, const Await& await) {
    ready.kind = ReadyStatement::Kind::Await;
    ready.pending = await.pending;
  }
  void fill(ReadyStatement& ready, const Barrier& barrier) {
    ready.kind = ReadyStatement::Kind::Barrier;
    ready.is_local_barrier = barrier.local;
    ready.is_global_barrier = barrier.global;
  }
  void fill(ReadyStatement& ready, const Allocate& allocate) {
    ready.kind = ReadyStatement::Kind::Allocate;
    ready.slot = declare(allocate.buffer);
  }
  void fill(ReadyStatement& ready, const Alias& alias) {
    ready.kind = ReadyStatement::Kind::Alias;
    ready.other_slot = slot_of(*alias.target);
    ready.slot = declare(alias.pointer);
  }
  void fill(ReadyStatement& ready, const Swap& swap) {
    ready.kind = ReadyStatement::Kind::Swap;
    ready.slot = slot_of(*swap.first);
    ready.other_slot = slot_of(*swap.second);
  }
  void fill(ReadyStatement&, const Comment&) {}

  const arith::Bindings& sizes_;
  const std::map<std::string, ScalarValue>& scalars_;
  Executable done_;
  std::unordered_map<const Buffer*, std::int32_t> buffers_;
  std::unordered_map<const Variable*, std::int32_t> variables_;
  std::unordered_map<const arith::Node*, std::int32_t> columns_;
};

}  // namespace

Executable prepare(const Kernel& kernel, const arith::Bindings& sizes,
                   const std::map<std::string, ScalarValue>& scalars) {
  return Preparer(sizes, scalars).prepare(kernel);
}

std::int64_t evaluate_size(arith::Expr e, const arith::Bindings& sizes, const std::string& what) {
  const std::optional<std::int64_t> value = e ? arith::evaluate(e, sizes) : std::nullopt;
  if (!value) {
    throw_user(fmt::format("{} has no value: {}", what, e ? arith::to_string(e) : "it is missing"));
  }
  return *value;
}

}  // namespace hoist::loop
