#pragma once
// Random plans that the checker accepts: every kind of statement and value, nested and in scope. They may
// have faults when they run (races above all); that too has to be found again after printing and parsing.
#include <random>
#include <string>
#include <vector>

#include "loop/kernel.hpp"

namespace hoist::loop {

class RandomPlan {
 public:
  explicit RandomPlan(std::uint32_t seed) : random_(seed) {}

  Plan make() {
    const arith::Expr n = arith::size("N");
    input_ = buffer("A", Scalar::F32, AddressSpace::Global, 64);
    integers_ = buffer("K", Scalar::I32, AddressSpace::Global, 64);
    output_ = buffer("C", Scalar::F32, AddressSpace::Global, 64);
    const auto scalar = std::make_shared<const Variable>(Variable{"a", {Scalar::F32, 1}, false});

    Plan plan;
    plan.name = "random";
    plan.sizes = {n};
    plan.inputs = {input_, integers_, ScalarInput{scalar}};
    plan.outputs = {output_};
    plan.assumptions = {{arith::Predicate{arith::Relation::LessEqual, n, 64}, "N is at most 64"}};

    Kernel kernel;
    kernel.name = "k";
    kernel.parameters = {BufferParameter{input_, false}, BufferParameter{integers_, false},
                         BufferParameter{output_, true}, ScalarParameter{scalar}, SizeParameter{n}};
    // Alone, a work-item has no races.
    const int work_items = pick(3) > 0 ? 1 : 4;
    kernel.launch.global[0] = work_items == 1 ? 1 : 8;
    kernel.launch.local[0] = work_items;
    variables_ = {scalar};
    indices_ = {n};
    readable_ = {input_, integers_};
    writable_ = {output_};
    for (const auto space : {AddressSpace::Local, AddressSpace::Private}) {
      add(kernel.body, Allocate{declare_buffer({Scalar::F32, 1}, space, 32)});
    }
    add(kernel.body, Allocate{declare_buffer({Scalar::F32, 4}, AddressSpace::Private, 32)});
    // Everything is written once, so that some plans have no fault.
    const arith::Expr fill = arith::index(name("i"), 0, 64);
    For loop{fill, 0, 64, 1, Parallelism::Sequential, 0, LoopForm::Loop, nullptr, false, false, false, 0, {}};
    for (const BufferPtr& each : writable_) {
      add(loop.body,
          Store{each, each == output_ ? fill : fill / 2, literal(ScalarValue::of_integer(Scalar::F32, 1))});
    }
    add(kernel.body, std::move(loop));
    add(kernel.body, Barrier{true, true});
    block(kernel.body, 3, true);
    plan.kernels.push_back(std::move(kernel));
    plan.steps.push_back({LaunchStep{0}});
    return plan;
  }

  static std::vector<float> input(std::size_t count) {
    std::vector<float> elements(count);
    for (std::size_t at = 0; at < count; ++at) elements[at] = 0.25F * static_cast<float>(at % 13) - 1.0F;
    return elements;
  }
  static std::vector<std::int32_t> integers(std::size_t count) {
    std::vector<std::int32_t> elements(count);
    for (std::size_t at = 0; at < count; ++at) elements[at] = static_cast<std::int32_t>(at * 7 % 32);
    return elements;
  }

 private:
  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  template <class Element>
  const Element& pick(const std::vector<Element>& from) {
    return from[static_cast<std::size_t>(pick(static_cast<int>(from.size())))];
  }

  static void add(Block& block, decltype(Statement::node) node) { block.push_back({std::move(node)}); }
  std::string name(const char* stem) { return stem + std::to_string(next_++); }
  static BufferPtr buffer(std::string name, Scalar scalar, AddressSpace space, std::int64_t scalars) {
    return std::make_shared<const Buffer>(Buffer{std::move(name), {scalar, 1}, space, scalars, false});
  }
  BufferPtr declare_buffer(ValueType type, AddressSpace space, std::int64_t scalars) {
    const auto made = std::make_shared<const Buffer>(Buffer{name("b"), type, space, scalars, false});
    readable_.push_back(made);
    writable_.push_back(made);
    return made;
  }

  void block(Block& out, int depth, bool is_uniform) {
    // What a block declares is forgotten at its end.
    const auto outer = std::tuple(variables_, indices_, readable_, writable_);
    const int count = 1 + pick(5);
    for (int at = 0; at < count; ++at) statement(out, depth, is_uniform);
    std::tie(variables_, indices_, readable_, writable_) = outer;
  }

  void statement(Block& out, int depth, bool is_uniform) {
    switch (pick(depth > 0 ? 10 : 6)) {
      case 0: {
        const auto variable = std::make_shared<const Variable>(
            Variable{name("v"), {Scalar::F32, 1 << (2 * pick(2))}, pick(2) == 0});
        add(out, Let{variable, value(variable->type, 3), {}});
        variables_.push_back(variable);
        return;
      }
      case 1: {
        const auto variable = std::make_shared<const Variable>(Variable{name("k"), {Scalar::I32, 1}, false});
        const arith::Expr data = arith::data(variable->name, 0, 32);
        add(out, Let{variable, load(integers_, index(64)), data});
        indices_.push_back(data);
        return;
      }
      case 2: {
        std::vector<VariablePtr> assignable;
        for (const VariablePtr& each : variables_) {
          if (each->is_mutable) assignable.push_back(each);
        }
        if (assignable.empty()) return add(out, Comment{"nothing to assign"});
        const VariablePtr variable = pick(assignable);
        return add(out, Assign{variable, value(variable->type, 3)});
      }
      case 3:
      case 4: {
        const BufferPtr target = pick(writable_);
        const int width = target->type.width > 1 && pick(2) == 0 ? 4 : 1;
        const std::int64_t scalars = *target->scalars.constant();
        const arith::Expr at = width == 1 ? index(scalars) : 4 * index(scalars / 4);
        return add(out, Store{target, at, value({Scalar::F32, width}, 3)});
      }
      case 5:
        if (is_uniform) return add(out, Barrier{true, pick(2) == 0});
        return add(out, Comment{"no barrier\nhere"});
      case 6:
      case 7: {
        If branch{value({Scalar::Bool, 1}, 2), {}, {}};
        block(branch.then_body, depth - 1, false);
        if (pick(2) == 0) block(branch.else_body, depth - 1, false);
        return add(out, std::move(branch));
      }
      default: {
        const auto kind = pick(3);
        const arith::Expr stop = kind == 0   ? arith::Expr(1 + pick(5))
                                 : kind == 1 ? arith::size("N")
                                             : arith::Expr(8);
        const arith::Expr step = kind == 0 ? 1 + pick(2) : 1;
        const bool is_parallel = kind == 1 && !is_in_parallel_;
        const arith::Expr variable = arith::index(name("i"), 0, stop, step);
        For loop{variable,
                 0,
                 stop,
                 step,
                 is_parallel ? Parallelism::Global : Parallelism::Sequential,
                 0,
                 LoopForm::Loop,
                 nullptr,
                 false,
                 !is_parallel && pick(4) == 0,
                 kind == 0 && pick(2) == 0,
                 pick(4) == 0 ? 2 : 0,
                 {}};
        indices_.push_back(variable);
        const bool outer = is_in_parallel_;
        is_in_parallel_ = outer || is_parallel;
        block(loop.body, depth - 1, is_uniform && !is_parallel);
        is_in_parallel_ = outer;
        indices_.pop_back();
        return add(out, std::move(loop));
      }
    }
  }

  /// An index in [0, extent).
  arith::Expr index(std::int64_t extent) { return arith::Expr(expr(2)) % extent; }

  /// An expression that is not negative.
  arith::Expr expr(int depth) {
    if (depth == 0) return pick(3) == 0 ? arith::Expr(pick(9)) : pick(indices_);
    const arith::Expr a = expr(depth - 1), b = expr(depth - 1);
    switch (pick(8)) {
      case 0:
      case 1:
        return a + b;
      case 2:
        return a * (1 + pick(5));
      case 3:
        return a / (1 + pick(4));
      case 4:
        return a % (1 + pick(7));
      case 5:
        return pick(2) == 0 ? arith::minimum(a, b) : arith::maximum(a, b);
      case 6:
        return arith::ceiling_quotient(a, 1 + pick(4));
      default:
        return arith::conditional(predicate(depth - 1), a, b);
    }
  }
  arith::Predicate predicate(int depth) {
    return {static_cast<arith::Relation>(pick(4)), expr(depth), expr(depth)};
  }

  ValuePtr value(ValueType type, int depth) {
    if (type.width > 1) {
      if (depth == 0 || pick(3) == 0) return make_vector({value({type.scalar, 1}, 0)}, type.width);
      for (const BufferPtr& each : readable_) {
        if (each->type == type && pick(3) == 0)
          return load(each, 4 * index(*each->scalars.constant() / 4), 4);
      }
      if (pick(4) == 0) return load(input_, index(60), type.width);
      return operation(ScalarOp::Add, {value(type, depth - 1),
                                       value({type.scalar, pick(2) == 0 ? 1 : type.width}, depth - 1)});
    }
    if (type.scalar == Scalar::Bool) {
      if (depth == 0 || pick(2) == 0) return test(predicate(1));
      if (pick(2) == 0)
        return operation(ScalarOp::Less,
                         {value({Scalar::F32, 1}, depth - 1), value({Scalar::F32, 1}, depth - 1)});
      return operation(pick(2) == 0 ? ScalarOp::And : ScalarOp::Or,
                       {value(type, depth - 1), value(type, depth - 1)});
    }
    if (depth > 0) {
      switch (pick(7)) {
        case 0:
          return operation(pick(2) == 0 ? ScalarOp::Multiply : ScalarOp::Subtract,
                           {value(type, depth - 1), value(type, depth - 1)});
        case 1:
          return operation(ScalarOp::Maximum, {value(type, depth - 1), value(type, depth - 1)});
        case 2:
          return operation(ScalarOp::Select, {value({Scalar::Bool, 1}, depth - 1), value(type, depth - 1),
                                              value(type, depth - 1)});
        case 3:
          return component(value({type.scalar, 4}, depth - 1), pick(4));
        case 4:
          return cast(index_value(expr(1)), Scalar::F32);
        case 5: {
          const BufferPtr from = pick(readable_);
          return cast(load(from, index(*from->scalars.constant())), Scalar::F32);
        }
        default:
          return operation(ScalarOp::Absolute, {value(type, depth - 1)});
      }
    }
    const VariablePtr variable = pick(variables_);
    if (variable->type == type && pick(2) == 0) return reference(variable);
    return literal(ScalarValue::of_real(Scalar::F32, 0.5 * pick(20) - 3));
  }

  std::mt19937 random_;
  int next_ = 0;
  bool is_in_parallel_ = false;
  BufferPtr input_, integers_, output_;
  std::vector<VariablePtr> variables_;
  std::vector<arith::Expr> indices_;
  std::vector<BufferPtr> readable_, writable_;
};

}  // namespace hoist::loop
