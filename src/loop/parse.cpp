// Reads the text of loop IR (its grammar: syntax.hpp). Names are looked up in the whole kernel; that each is
// in scope where it is used is the checker's to say.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "loop/print.hpp"
#include "loop/syntax.hpp"
#include "loop/value_reader.hpp"

namespace hoist::loop {
namespace {

class Parser : public ValueReader {
 public:
  using ValueReader::ValueReader;

  Plan plan() {
    Plan plan;
    expect_word("plan");
    plan.name = name();
    expect("{");
    while (!accept("}")) plan_item(plan);
    skip_space();
    if (at_ != text_.size()) fail_here("expected the end of the plan");
    return plan;
  }

 private:
  // ---- Plans and kernels

  void plan_item(Plan& plan) {
    const std::size_t begin = skip_space();
    const std::string_view word = this->word();
    if (word == "size") {
      plan.sizes.push_back(size_variable());
      expect(";");
    } else if (word == "input") {
      plan.inputs.push_back(input());
      expect(";");
    } else if (word == "output") {
      plan.outputs.push_back(buffer_line());
    } else if (word == "temporary") {
      plan.temporaries.push_back(buffer_line());
    } else if (word == "assume") {
      Assumption assumption;
      expect("(");
      assumption.predicate = predicate(")");
      expect(")");
      assumption.message = quoted();
      expect(";");
      plan.assumptions.push_back(std::move(assumption));
    } else if (word == "kernel") {
      plan.kernels.push_back(kernel());
    } else if (word == "steps") {
      expect("{");
      while (!accept("}")) plan.steps.push_back(step(plan));
    } else {
      fail_at(begin, at_,
              "expected an item of a plan: size, input, output, temporary, assume, kernel, steps");
    }
  }

  PlanInput input() {
    const std::string given(name());
    expect(":");
    skip_space();
    if (const auto type = type_named(peek_word())) {
      word();
      return ScalarInput{scalar_input(given, *type)};
    }
    return buffer_after_name(given, false);
  }

  PlanStep step(const Plan& plan) {
    const std::size_t begin = skip_space();
    const std::string_view word = this->word();
    PlanStep step;
    if (word == "launch") {
      const std::size_t at = skip_space();
      const std::string kernel = name();
      const auto found = std::find_if(plan.kernels.begin(), plan.kernels.end(),
                                      [&](const Kernel& each) { return each.name == kernel; });
      if (found == plan.kernels.end()) fail_at(at, at_, fmt::format("no kernel '{}'", kernel));
      step.node = LaunchStep{static_cast<std::size_t>(found - plan.kernels.begin())};
      expect(";");
    } else if (word == "repeat") {
      RepeatStep repeat;
      expect("(");
      repeat.count = expr(")");
      expect(")");
      if (accept_word("times")) repeat.count_from = known_buffer();
      if (accept_word("number")) {
        const std::string given = this->name();
        expect(":");
        skip_space();
        const auto type = type_named(this->word());
        if (!type) fail_here("expected the type of a scalar");
        repeat.number = scalar_input(given, *type);
      }
      while (accept_word("exchange")) {
        const BufferPtr first = known_buffer();
        expect(",");
        repeat.exchanged.emplace_back(first, known_buffer());
      }
      if (accept_word("while")) {
        repeat.condition = known_buffer();
        expect("{");
        while (!accept("}")) repeat.test.push_back(this->step(plan));
        expect_word("do");
      }
      expect("{");
      while (!accept("}")) repeat.body.push_back(this->step(plan));
      step.node = std::move(repeat);
    } else if (word == "copy") {
      CopyStep copy;
      copy.from = known_buffer();
      expect_word("to");
      copy.to = known_buffer();
      expect(";");
      step.node = std::move(copy);
    } else {
      fail_at(begin, at_, "expected a step: launch, repeat, copy");
    }
    return step;
  }

  Kernel kernel() {
    // What the plan declares can be used in a kernel; what the kernel declares ends with it.
    const auto outer = std::tuple(scope_, variables_, buffers_);
    Kernel kernel;
    kernel.name = name();
    expect("(");
    if (!accept(")")) {
      do kernel.parameters.push_back(parameter());
      while (accept(","));
      expect(")");
    }
    expect_word("launch");
    expect_word("global");
    kernel.launch.global = range();
    expect_word("local");
    kernel.launch.local = range();
    expect_word("index");
    kernel.index_type = scalar();
    kernel.body = block();
    std::tie(scope_, variables_, buffers_) = outer;
    return kernel;
  }

  KernelParameter parameter() {
    const std::size_t begin = skip_space();
    const std::string_view word = this->word();
    if (word == "size") return SizeParameter{size_variable()};
    if (word == "scalar") {
      const std::string given(name());
      expect(":");
      return ScalarParameter{scalar_input(given, type())};
    }
    if (word != "read" && word != "write") {
      fail_at(begin, at_, "expected a parameter: read, write, size, scalar");
    }
    const std::string given(name());
    expect(":");
    return BufferParameter{buffer_after_name(given, false), word == "write"};
  }

  std::array<arith::Expr, 3> range() {
    std::array<arith::Expr, 3> extents;
    expect("[");
    extents[0] = expr(",");
    expect(",");
    extents[1] = expr(",");
    expect(",");
    extents[2] = expr("]");
    expect("]");
    return extents;
  }

  arith::Expr size_variable() {
    skip_space();
    const bool is_parameter = text_.compare(at_, 1, "?") == 0;
    if (is_parameter) ++at_;
    const std::string given(name());
    const arith::Expr variable = is_parameter ? arith::parameter(given) : arith::size(given);
    scope_.names[is_parameter ? "?" + given : given] = variable;
    return variable;
  }

  // ---- Declarations

  VariablePtr variable(const std::string& given, ValueType type, bool is_mutable) {
    VariablePtr& known = variables_[given];
    if (!known || known->type != type || known->is_mutable != is_mutable) {
      known = std::make_shared<const Variable>(Variable{given, type, is_mutable});
    }
    return known;
  }

  /// A scalar that comes from outside; an integer may be used in index expressions.
  VariablePtr scalar_input(const std::string& given, ValueType type) {
    if (is_integer(type.scalar) && !scope_.names.contains(given)) scope_.names[given] = arith::data(given);
    return variable(given, type, false);
  }

  BufferPtr buffer_line() {
    const std::string given(name());
    expect(":");
    BufferPtr buffer = buffer_after_name(given, false);
    expect(";");
    return buffer;
  }

  /// "global f32[N]". A kernel's parameter that is the plan's buffer is the same object.
  BufferPtr buffer_after_name(const std::string& given, bool is_pointer) {
    const std::size_t begin = skip_space();
    const std::string_view word = this->word();
    Buffer buffer{given, {}, AddressSpace::Global, {}, is_pointer};
    if (word == name_of(AddressSpace::Local)) {
      buffer.space = AddressSpace::Local;
    } else if (word == name_of(AddressSpace::Private)) {
      buffer.space = AddressSpace::Private;
    } else if (word != name_of(AddressSpace::Global)) {
      fail_at(begin, at_, "expected an address space: global, local, private");
    }
    buffer.type = type();
    expect("[");
    buffer.scalars = expr("]");
    expect("]");
    if (accept_word("image")) buffer.image = image_shape();
    BufferPtr& known = buffers_[given];
    if (!known || known->type != buffer.type || known->space != buffer.space ||
        known->scalars != buffer.scalars || known->is_pointer != is_pointer || known->image != buffer.image) {
      known = std::make_shared<const Buffer>(std::move(buffer));
    }
    return known;
  }

  /// "(4, W)", or "(4, W, 2)" with two blocks
  ImageShape image_shape() {
    ImageShape shape;
    expect("(");
    shape.channels = static_cast<int>(natural());
    expect(",");
    shape.width = expr(",)");
    if (accept(",")) shape.blocks = static_cast<int>(natural());
    expect(")");
    return shape;
  }

  // ---- Statements

  Block block() {
    Block block;
    expect("{");
    while (!accept("}")) block.push_back(Statement{statement()});
    return block;
  }

  decltype(Statement::node) statement() {
    const std::size_t begin = skip_space();
    if (accept("//")) return comment();
    const std::string_view word = this->word();
    // A word that starts a statement may also be a variable's or a buffer's name.
    skip_space();
    const char next = at_ < text_.size() ? text_[at_] : '\0';
    if (word == "async" && next != '[' && next != '=') {
      Store asynchronous = store();
      asynchronous.is_asynchronous = true;
      return asynchronous;
    }
    if (word == "stream" && next != '[' && next != '=') {
      Store streamed = store();
      streamed.is_streamed = true;
      return streamed;
    }
    if (word == "atomic" && next == '(') return update();
    if (next == '[' || (next == '=' && variables_.contains(std::string(word)))) {
      at_ = begin;
      return next == '[' ? decltype(Statement::node)(store()) : decltype(Statement::node)(assign());
    }
    if (word == "for") return loop();
    if (word == "if") return branch();
    if (word == "let") return let(false);
    if (word == "var") return let(true);
    if (word == "commit") {
      expect(";");
      return Commit{};
    }
    if (word == "await") return await();
    if (word == "barrier") return barrier();
    if (word == "allocate") return Allocate{buffer_line()};
    if (word == "alias") return alias();
    if (word == "swap") return swap();
    fail_at(begin, begin + word.size(), fmt::format("no statement begins with '{}'", word));
  }

  Comment comment() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string line = text_.substr(at_, end - at_);
    if (line.starts_with(' ')) line.erase(0, 1);
    at_ = end;
    return {std::move(line)};
  }

  For loop() {
    For loop;
    const std::string given(name());
    expect_word("in");
    loop.parallelism = named(parallelisms, "a kind of loop: sequential, global, group, local");
    if (loop.parallelism != Parallelism::Sequential) {
      expect("(");
      loop.dimension = static_cast<int>(natural());
      expect(")");
    }
    expect("[");
    loop.start = expr(",");
    expect(",");
    loop.stop = expr(")");
    expect(")");
    expect_word("step");
    loop.step = atom();
    arith::Expr start = loop.start, stop = loop.stop, step = loop.step;
    if (accept_word("ranging")) {
      expect("[");
      start = expr(",");
      expect(",");
      stop = expr(",");
      expect(",");
      step = expr(")");
      expect(")");
    }
    if (accept(":")) loop.form = named(forms, "a form of loop: at_most_once, exactly_once");
    if (accept_word("while")) {
      expect("(");
      loop.condition = value();
      expect(")");
    }
    loop.reorderable = accept_word("reorderable");
    loop.is_independent = accept_word("independent");
    loop.unroll = accept_word("unroll");
    if (accept_word("unroll_by")) loop.unroll_factor = natural();
    loop.variable = arith::index(given, start, stop, step);
    scope_.names[given] = loop.variable;
    loop.body = block();
    return loop;
  }

  If branch() {
    If branch;
    expect("(");
    branch.condition = value();
    expect(")");
    branch.then_body = block();
    if (accept_word("else")) branch.else_body = block();
    return branch;
  }

  Let let(bool is_mutable) {
    Let let;
    const std::string given(name());
    expect(":");
    const ValueType declared = type();
    if (accept_word("index")) {
      expect("[");
      const arith::Expr minimum = expr(",");
      expect(",");
      const arith::Expr stop = expr(")");
      expect(")");
      let.index = arith::data(given, minimum, stop);
    }
    if (accept("=")) let.value = value();
    expect(";");
    let.variable = variable(given, declared, is_mutable);
    if (let.index) scope_.names[given] = let.index;
    return let;
  }

  Assign assign() {
    const auto found = variables_.find(std::string(name()));
    expect("=");
    Assign assign{found->second, value()};
    expect(";");
    return assign;
  }

  Store store() {
    Store store;
    store.buffer = known_buffer();
    int width = 1;
    const std::size_t begin = at_;
    std::tie(store.index, width) = place();
    const std::size_t end = at_;
    expect("=");
    store.value = value();
    if (store.value->type.width != width) {
      fail_at(begin, end, fmt::format("{} scalars are named, {} are stored", width, store.value->type.width));
    }
    expect(";");
    return store;
  }

  /// "(add) tile[k] = 1;"
  Store update() {
    expect("(");
    const std::size_t begin = skip_space();
    const auto op = scalar_op_named(word());
    if (!op) fail_at(begin, at_, "expected an operation, as add");
    expect(")");
    Store updating = store();
    updating.update = *op;
    return updating;
  }

  Await await() {
    expect("(");
    Await await{natural()};
    expect(")");
    expect(";");
    return await;
  }

  Barrier barrier() {
    Barrier barrier{false, false};
    expect("(");
    if (!accept(")")) {
      do {
        const std::size_t begin = skip_space();
        const std::string_view word = this->word();
        if (word == "local") {
          barrier.local = true;
        } else if (word == "global") {
          barrier.global = true;
        } else {
          fail_at(begin, at_, "expected local or global");
        }
      } while (accept(","));
      expect(")");
    }
    expect(";");
    return barrier;
  }

  Alias alias() {
    Alias alias;
    const std::string given(name());
    expect(":");
    alias.pointer = buffer_after_name(given, true);
    expect("=");
    alias.target = known_buffer();
    expect(";");
    return alias;
  }

  Swap swap() {
    Swap swap;
    expect("(");
    swap.first = known_buffer();
    expect(",");
    swap.second = known_buffer();
    expect(")");
    expect(";");
    return swap;
  }

  // ---- Words

  static constexpr Parallelism parallelisms[] = {Parallelism::Sequential, Parallelism::Global,
                                                 Parallelism::Group, Parallelism::Local};
  static constexpr LoopForm forms[] = {LoopForm::Loop, LoopForm::AtMostOnce, LoopForm::ExactlyOnce};

  template <class Enumeration, std::size_t count>
  Enumeration named(const Enumeration (&all)[count], std::string_view what) {
    const std::size_t begin = skip_space();
    const std::string_view word = this->word();
    for (Enumeration each : all) {
      if (name_of(each) == word) return each;
    }
    fail_at(begin, at_, fmt::format("expected {}", what));
  }

  ValueType type() {
    const std::size_t begin = skip_space();
    const auto type = type_named(word());
    if (!type) fail_at(begin, at_, "expected a type, as f32 or f32x4");
    return *type;
  }
  Scalar scalar() {
    const std::size_t begin = skip_space();
    const ValueType type = this->type();
    if (type.width != 1) fail_at(begin, at_, "expected a scalar type");
    return type.scalar;
  }
};

}  // namespace

Result<Plan> parse_plan(const std::string& text) {
  return catch_failure([&] { return Parser(text).plan(); });
}

}  // namespace hoist::loop
