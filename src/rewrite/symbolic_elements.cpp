// The evaluation of one element. A value is a number of the graph, several of them (a tuple, or a vector), or
// an array: a length and a function from an index to an element, which is called when the element is asked
// for. So layouts are functions of indices in front of other functions, and maps call theirs for single
// elements; what a map computes is remembered, since windows overlap.
//
// Variables are looked up in an environment, a list of the values that the binders around a term have. Every
// element is evaluated anew, because it is told of each whether it asked for values outside of arrays.
#include "rewrite/symbolic_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>

#include "ir/iterate.hpp"

namespace hoist::rewrite {

using ir::Op;
using ir::Term;

namespace {

constexpr std::size_t most_steps = 1'000'000;
constexpr std::size_t most_nested = 10'000;
/// Arrays that are made of each other, one by one: they are taken down in a recursion, too.
constexpr std::int64_t most_carried = 1'000;
constexpr std::int64_t longest_permutation = 1'000'000;

struct Value;
using Values = std::vector<Value>;

struct Array {
  std::int64_t length;
  std::function<Value(std::int64_t)> element;
};

struct Value {
  std::variant<SymbolicNumber, std::shared_ptr<const Values>, std::shared_ptr<const Array>> content;

  SymbolicNumber number() const { return std::get<SymbolicNumber>(content); }
  const Values& components() const { return *std::get<std::shared_ptr<const Values>>(content); }
  const Array& array() const { return *std::get<std::shared_ptr<const Array>>(content); }
  bool is_number() const { return std::holds_alternative<SymbolicNumber>(content); }
  bool is_array() const { return std::holds_alternative<std::shared_ptr<const Array>>(content); }
};

Value several(Values values) { return {std::make_shared<const Values>(std::move(values))}; }

Value array_of(std::int64_t length, std::function<Value(std::int64_t)> element) {
  return {std::make_shared<const Array>(Array{length, std::move(element)})};
}

/// The same array, whose elements are computed once.
Value remembered(std::int64_t length, std::function<Value(std::int64_t)> element) {
  auto known = std::make_shared<std::unordered_map<std::int64_t, Value>>();
  return array_of(length, [known, element = std::move(element)](std::int64_t i) {
    if (const auto found = known->find(i); found != known->end()) return found->second;
    return known->emplace(i, element(i)).first->second;
  });
}

struct Frame {
  Value value;
  std::shared_ptr<const Frame> outer;
};
using Environment = std::shared_ptr<const Frame>;

Environment with(Value value, const Environment& outer) {
  return std::make_shared<const Frame>(Frame{std::move(value), outer});
}

std::int64_t known(arith::Expr size) {
  if (const auto value = size.constant()) return *value;
  throw NoExpression{NoExpression::Kind::UnknownSize,
                     fmt::format("the size {} is left open", arith::to_string(size))};
}

std::int64_t remainder(std::int64_t a, std::int64_t b) { return ((a % b) + b) % b; }

std::uint32_t leaf_count(ir::Type type) {
  if (ir::is_array(type)) return leaf_count(ir::element_of(type));
  if (!ir::is_tuple(type)) return 1;
  std::uint32_t count = 0;
  for (ir::Type each : type->elements) count += leaf_count(each);
  return count;
}

}  // namespace

class SymbolicElements::Evaluator {
 public:
  explicit Evaluator(ir::Program program) : program_(std::move(program)) {}

  Read element(const std::vector<std::int64_t>& place) {
    touches_filler_ = false;
    steps_ = nested_ = 0;
    const auto* function = program_.function.as<ir::Lambda>();
    Values inputs;
    for (std::uint32_t i = 0; i < function->parameters.size(); ++i)
      inputs.push_back(input_value(function->parameters[i], {i, 0, {}}));
    Value value = applied(program_.function, {}, std::move(inputs));
    for (const std::int64_t index : place) value = at(value, index);
    Read read;
    collect(value, read.numbers);
    read.touches_filler = touches_filler_;
    return read;
  }

  SymbolicGraph graph;

 private:
  // ---- Values.

  Value input_value(ir::Type type, const SymbolicNode::Element& element) {
    switch (type->kind) {
      case ir::TypeKind::Scalar:
        return {graph.element(element, type->scalar)};
      case ir::TypeKind::Vector: {
        const std::int64_t width = known(type->size);
        Values lanes;
        for (std::int64_t lane = 0; lane < width; ++lane) {
          SymbolicNode::Element own = element;
          if (own.indices.empty()) own.indices.push_back(0);
          own.indices.back() = own.indices.back() * width + lane;
          lanes.push_back({graph.element(std::move(own), type->scalar)});
        }
        return several(std::move(lanes));
      }
      case ir::TypeKind::Tuple: {
        Values components;
        SymbolicNode::Element own = element;
        for (ir::Type each : type->elements) {
          components.push_back(input_value(each, own));
          own.leaf += leaf_count(each);
        }
        return several(std::move(components));
      }
      case ir::TypeKind::Array:
        return array_of(known(type->size), [this, type, element](std::int64_t i) {
          SymbolicNode::Element own = element;
          own.indices.push_back(i);
          return input_value(ir::element_of(type), own);
        });
      case ir::TypeKind::Function:
        break;
    }
    throw Bug("an input that is a function");
  }

  void collect(const Value& value, std::vector<SymbolicNumber>& numbers) {
    if (value.is_number()) {
      numbers.push_back(value.number());
    } else if (value.is_array()) {
      for (std::int64_t i = 0; i < value.array().length; ++i) collect(at(value, i), numbers);
    } else {
      for (const Value& each : value.components()) collect(each, numbers);
    }
  }

  /// Counts an evaluation, and how many it is inside of: the recursion is as deep.
  class Step {
   public:
    explicit Step(Evaluator& evaluator) : evaluator_(evaluator) {
      if (++evaluator_.steps_ > most_steps)
        throw NoExpression{NoExpression::Kind::TooLarge,
                           "to evaluate one element of its result takes too long"};
      if (++evaluator_.nested_ > most_nested)
        throw NoExpression{NoExpression::Kind::TooLarge,
                           "an element of its result is computed in too many steps"};
    }
    ~Step() { --evaluator_.nested_; }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Evaluator& evaluator_;
  };

  Value at(const Value& array, std::int64_t index) {
    const Step step(*this);
    const std::int64_t length = array.array().length;
    if (index >= 0 && index < length) return array.array().element(index);
    return outside(
        array.array().element(std::clamp<std::int64_t>(index, 0, std::max<std::int64_t>(length - 1, 0))));
  }

  /// The same value, as what stands for an element beyond the end of an array.
  Value outside(const Value& value) {
    if (value.is_number()) return {graph.outside(value.number())};
    if (value.is_array())
      return array_of(value.array().length, [=, this](std::int64_t i) { return outside(at(value, i)); });
    Values components;
    for (const Value& each : value.components()) components.push_back(outside(each));
    return several(std::move(components));
  }

  /// What numbers are made of that are no known numbers, by the names of inputs.
  std::string data_of(SymbolicNumber number) const {
    std::set<std::string> names;
    for (const SymbolicNumber each : graph.reachable({number})) {
      if (const auto* element = std::get_if<SymbolicNode::Element>(&graph.node(each).content))
        names.insert(program_.parameters[element->input].name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

  std::int64_t index_of(const Value& value) const {
    if (const auto index = graph.known(value.number())) return index->integer;
    throw NoExpression{
        NoExpression::Kind::DependsOnData,
        fmt::format("an element is read at an index that depends on {}", data_of(value.number()))};
  }

  Value number_of(ScalarValue value) { return {graph.constant(value)}; }
  Value index_value(std::int64_t i) { return number_of(ScalarValue::of_integer(Scalar::I32, i)); }

  /// One of two values, by a condition that is data.
  Value chosen(SymbolicNumber condition, const Value& a, const Value& b) {
    if (a.is_number()) return {graph.operation(ScalarOp::Select, {condition, a.number(), b.number()})};
    if (a.is_array()) {
      return array_of(a.array().length,
                      [=, this](std::int64_t i) { return chosen(condition, at(a, i), at(b, i)); });
    }
    Values components;
    for (std::size_t i = 0; i < a.components().size(); ++i)
      components.push_back(chosen(condition, a.components()[i], b.components()[i]));
    return several(std::move(components));
  }

  // ---- Terms.

  Value applied(Term lambda, Environment environment, Values arguments) {
    for (Value& each : arguments) environment = with(std::move(each), environment);
    return run(lambda.as<ir::Lambda>()->body, environment);
  }

  Value run(Term term, const Environment& environment) {
    const Step step(*this);
    return evaluate(term, environment);
  }

  Value evaluate(Term term, const Environment& environment) {
    if (const auto* n = term.as<ir::Literal>()) return number_of(n->value);
    if (const auto* n = term.as<ir::SizeValue>()) return index_value(known(n->size));
    if (const auto* n = term.as<ir::Bound>()) {
      const Frame* frame = environment.get();
      for (std::uint32_t i = 0; i < n->index; ++i) frame = frame->outer.get();
      return frame->value;
    }
    if (const auto* n = term.as<ir::ScalarCall>()) return scalar_call(*n, environment);
    if (const auto* n = term.as<ir::Call>()) return call(term, *n, environment);
    if (const auto* n = term.as<ir::Get>()) return run(n->tuple, environment).components()[n->index];
    if (const auto* n = term.as<ir::Let>())
      return applied(n->body, environment, {run(n->value, environment)});
    if (const auto* n = term.as<ir::Cast>()) return cast(n->to, run(n->operand, environment));
    if (const auto* n = term.as<ir::If>()) return branch(*n, environment);
    if (const auto* n = term.as<ir::Tuple>()) {
      Values components;
      for (Term each : n->components) components.push_back(run(each, environment));
      return several(std::move(components));
    }
    throw Bug("a term that has no value");
  }

  Value branch(const ir::If& n, const Environment& environment) {
    const SymbolicNumber condition = run(n.condition, environment).number();
    if (const auto value = graph.known(condition))
      return run(value->integer != 0 ? n.then_term : n.else_term, environment);
    return chosen(condition, run(n.then_term, environment), run(n.else_term, environment));
  }

  Value cast(Scalar to, const Value& operand) {
    if (operand.is_number()) return {graph.conversion(to, operand.number())};
    Values lanes;
    for (const Value& each : operand.components()) lanes.push_back(cast(to, each));
    return several(std::move(lanes));
  }

  Value scalar_call(const ir::ScalarCall& n, const Environment& environment) {
    Values operands;
    std::size_t lanes = 0;
    for (Term each : n.arguments) {
      operands.push_back(run(each, environment));
      if (!operands.back().is_number()) lanes = operands.back().components().size();
    }
    if (lanes == 0) return {lane_of(n.op, operands, 0)};
    Values results;
    for (std::size_t lane = 0; lane < lanes; ++lane) results.push_back({lane_of(n.op, operands, lane)});
    return several(std::move(results));
  }

  /// Numbers beside vectors are repeated.
  SymbolicNumber lane_of(ScalarOp op, const Values& operands, std::size_t lane) {
    std::vector<SymbolicNumber> numbers;
    for (const Value& each : operands)
      numbers.push_back(each.is_number() ? each.number() : each.components()[lane].number());
    return graph.operation(op, numbers);
  }

  // ---- Patterns.

  Value mapped(Term function, const Environment& environment, const Value& x) {
    return remembered(x.array().length,
                      [=, this](std::int64_t i) { return applied(function, environment, {at(x, i)}); });
  }

  Value reduced(Term function, const Environment& environment, Value total, const Value& x, std::int64_t from,
                std::int64_t to) {
    for (std::int64_t i = std::max<std::int64_t>(from, 0); i < std::min(to, x.array().length); ++i) {
      total = applied(function, environment, {std::move(total), at(x, i)});
      check_carried(total, i - from);
    }
    return total;
  }

  static bool has_array(const Value& value) {
    if (value.is_number()) return false;
    return value.is_array() || std::any_of(value.components().begin(), value.components().end(), has_array);
  }
  /// Sees that not too many steps made arrays of arrays.
  static void check_carried(const Value& state, std::int64_t steps) {
    if (steps >= most_carried && has_array(state))
      throw NoExpression{NoExpression::Kind::TooLarge, "an array is carried through too many steps"};
  }

  [[noreturn]] static void refuse(Op op, std::string_view why) {
    throw NoExpression{NoExpression::Kind::Sequential, fmt::format("{} {}", ir::primitive(op).name, why)};
  }

  Value iterated(Term term, const ir::Call& n, const Environment& environment) {
    const arith::Expr variable = ir::bound_length(term);
    ir::Type type = n.arguments[1].type();
    Value state = run(n.arguments[1], environment);
    const std::int64_t count = known(n.sizes[0]);
    for (std::int64_t i = 0; i < count; ++i) {
      Term function = n.arguments[0];
      if (variable) {
        const auto length = length_of(function.as<ir::Lambda>()->parameters[0], type, variable);
        if (!length) refuse(n.op, "changes a length from step to step");
        function = ir::substitute_sizes(function, {{variable.get(), arith::constant(*length)}});
        type = function.as<ir::Lambda>()->body.type();
      }
      state = applied(function, environment, {std::move(state)});
      check_carried(state, i);
    }
    return state;
  }

  /// The value of a size variable that is the length of some array of a type, where the type is this one.
  static std::optional<std::int64_t> length_of(ir::Type formal, ir::Type actual, arith::Expr variable) {
    if (ir::is_array(formal) && formal->size == variable) return known(actual->size);
    for (std::size_t i = 0; i < formal->elements.size(); ++i) {
      if (const auto found = length_of(formal->elements[i], actual->elements[i], variable)) return found;
    }
    return std::nullopt;
  }

  Value iterated_while(const ir::Call& n, const Environment& environment) {
    const auto most = graph.known(run(n.arguments[1], environment).number());
    if (!most) refuse(n.op, "takes a number of steps that depends on data");
    Value state = run(n.arguments[3], environment);
    for (std::int64_t i = 0; i < most->integer; ++i) {
      const auto goes_on = graph.known(applied(n.arguments[0], environment, {state}).number());
      if (!goes_on) refuse(n.op, "takes a number of steps that depends on data");
      if (goes_on->integer == 0) break;
      state = applied(n.arguments[2], environment, {index_value(i), std::move(state)});
      check_carried(state, i);
    }
    return state;
  }

  Value scattered(const ir::Call& n, const Environment& environment, const Value& x) {
    const std::int64_t length = x.array().length;
    if (length > longest_permutation) refuse(n.op, "permutes too many elements");
    auto sources = std::make_shared<std::vector<std::int64_t>>(static_cast<std::size_t>(length));
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t to = index_of(applied(n.arguments[0], environment, {index_value(i)}));
      if (to >= 0 && to < length) (*sources)[static_cast<std::size_t>(to)] = i;
    }
    return array_of(length,
                    [=, this](std::int64_t i) { return at(x, (*sources)[static_cast<std::size_t>(i)]); });
  }

  Value call(Term term, const ir::Call& n, const Environment& environment) {
    const auto x = [&] { return run(n.arguments.back(), environment); };
    switch (n.op) {
      case Op::Map:
      case Op::MapGlobal:
      case Op::MapGroup:
      case Op::MapLocal:
      case Op::MapSeq:
      case Op::MapSeqUnroll:
      case Op::Prefetch:
        return mapped(n.arguments[0], environment, x());
      case Op::MapSeqSlide:
        return mapped(n.arguments[0], environment, windows(x(), known(n.sizes[0]), known(n.sizes[1])));
      case Op::Reduce:
      case Op::ReduceSeq:
      case Op::ReduceSeqUnroll:
      case Op::ReduceLocal:
        return reduced(n.arguments[0], environment, run(n.arguments[1], environment), x(), 0,
                       known(n.arguments[2].type()->size));
      case Op::ReduceRange: {
        const std::int64_t from = index_of(run(n.arguments[2], environment)),
                           to = index_of(run(n.arguments[3], environment));
        return reduced(n.arguments[0], environment, run(n.arguments[1], environment), x(), from, to);
      }
      case Op::Scan:
      case Op::ScanSeq:
        refuse(n.op, "combines each element with all before it");
      case Op::ReduceByKey:
      case Op::ReduceByKeySeq:
      case Op::ReduceByKeyLocal:
      case Op::ReduceByKeyGlobal:
        refuse(n.op, "combines elements wherever their keys are the same");
      case Op::Iterate:
        return iterated(term, n, environment);
      case Op::IterateWhile:
        return iterated_while(n, environment);
      case Op::Generate: {
        const Term function = n.arguments[0];
        return remembered(known(n.sizes[0]), [=, this](std::int64_t i) {
          return applied(function, environment, {index_value(i)});
        });
      }
      case Op::ToGlobal:
      case Op::ToLocal:
      case Op::ToPrivate:
      case Op::ToImage:
      case Op::Pitch:
      case Op::LoopAt:
      case Op::LoopJam:
      case Op::LoopLanes:
      case Op::LoopLimit:
      case Op::LoopTile:
      case Op::LoopPack:
        return x();
      case Op::Broadcast:
        return several(Values(static_cast<std::size_t>(known(n.sizes[0])), x()));
      case Op::Dot:
        return dot({run(n.arguments[0], environment), x()});
      case Op::Zip:
        return zipped(n, environment);
      case Op::Unzip:
        return unzipped(n, x());
      case Op::Split:
        return split(x(), known(n.sizes[0]));
      case Op::Join:
        return joined(n, x());
      case Op::Transpose:
        return transposed(n, x());
      case Op::Slide:
        return windows(x(), known(n.sizes[0]), known(n.sizes[1]));
      case Op::Pad:
      case Op::PadValue:
        return padded(n, environment, x());
      case Op::Gather: {
        const Term function = n.arguments[0];
        return array_of(known(n.arguments[1].type()->size), [=, this, x = x()](std::int64_t i) {
          return at(x, index_of(applied(function, environment, {index_value(i)})));
        });
      }
      case Op::Scatter:
        return scattered(n, environment, x());
      case Op::At:
        return at(x(), index_of(run(n.arguments[0], environment)));
      case Op::Take:
        return part(x(), known(n.sizes[0]), 0);
      case Op::Drop:
        return part(x(), known(n.arguments[0].type()->size) - known(n.sizes[0]), known(n.sizes[0]));
      case Op::Rotate:
        return rotated(x(), known(n.sizes[0]));
      case Op::Concat:
        return concatenated(run(n.arguments[0], environment), x());
      case Op::Update:
        return updated(n, environment, x());
      case Op::AsVector:
        return vectors(x(), known(n.sizes[0]));
      case Op::AsScalar:
        return scalars(n, x());
    }
    throw Bug("not a primitive");
  }

  // ---- Layouts.

  Value windows(const Value& x, std::int64_t width, std::int64_t step) {
    return array_of((x.array().length - width) / step + 1, [=, this](std::int64_t i) {
      return array_of(width, [=, this](std::int64_t j) { return at(x, i * step + j); });
    });
  }

  Value part(const Value& x, std::int64_t length, std::int64_t first) {
    return array_of(length, [=, this](std::int64_t i) { return at(x, first + i); });
  }

  Value padded(const ir::Call& n, const Environment& environment, const Value& x) {
    const std::int64_t before = known(n.sizes[0]), length = x.array().length;
    const std::int64_t whole = before + length + known(n.sizes[1]);
    if (n.op == Op::PadValue) {
      const Value value = run(n.arguments[0], environment);
      return array_of(whole, [=, this](std::int64_t i) {
        if (i >= before && i < before + length) return at(x, i - before);
        touches_filler_ = true;
        return value;
      });
    }
    const auto boundary = static_cast<ir::Boundary>(known(n.sizes[2]));
    return array_of(whole, [=, this](std::int64_t i) {
      if (i >= before && i < before + length) return at(x, i - before);
      return outside(at(x, ir::index_inside(boundary, i - before, length)));
    });
  }

  Value zipped(const ir::Call& n, const Environment& environment) {
    Values arrays;
    for (Term each : n.arguments) arrays.push_back(run(each, environment));
    const std::int64_t length = arrays[0].array().length;
    return array_of(length, [arrays = std::move(arrays), this](std::int64_t i) {
      Values components;
      for (const Value& each : arrays) components.push_back(at(each, i));
      return several(std::move(components));
    });
  }

  Value unzipped(const ir::Call& n, const Value& x) {
    Values arrays;
    for (std::size_t k = 0; k < ir::element_of(n.arguments[0].type())->elements.size(); ++k) {
      arrays.push_back(
          array_of(x.array().length, [=, this](std::int64_t i) { return at(x, i).components()[k]; }));
    }
    return several(std::move(arrays));
  }

  Value split(const Value& x, std::int64_t size) {
    return array_of(x.array().length / size, [=, this](std::int64_t i) { return part(x, size, i * size); });
  }

  /// The length of the rows of the array that a call is of.
  static std::int64_t row_length(const ir::Call& n) {
    return known(ir::element_of(n.arguments[0].type())->size);
  }

  Value joined(const ir::Call& n, const Value& x) {
    const std::int64_t row = row_length(n);
    return array_of(x.array().length * row,
                    [=, this](std::int64_t i) { return at(at(x, i / row), i % row); });
  }

  Value transposed(const ir::Call& n, const Value& x) {
    return array_of(row_length(n), [=, this](std::int64_t i) {
      return array_of(x.array().length, [=, this](std::int64_t j) { return at(at(x, j), i); });
    });
  }

  /// By the shorter way round: what comes from the other end was beyond the border.
  Value rotated(const Value& x, std::int64_t by) {
    const std::int64_t length = x.array().length;
    if (length == 0) return x;
    by = remainder(by, length);
    if (2 * by > length) by -= length;
    return array_of(length, [=, this](std::int64_t i) {
      const Value element = at(x, remainder(i + by, length));
      return i + by < 0 || i + by >= length ? outside(element) : element;
    });
  }

  Value concatenated(const Value& first, const Value& x) {
    const std::int64_t before = first.array().length;
    return array_of(before + x.array().length,
                    [=, this](std::int64_t i) { return i < before ? at(first, i) : at(x, i - before); });
  }

  Value updated(const ir::Call& n, const Environment& environment, const Value& x) {
    const std::int64_t index = index_of(run(n.arguments[0], environment));
    const Value element = run(n.arguments[1], environment);
    return array_of(x.array().length, [=, this](std::int64_t i) { return i == index ? element : at(x, i); });
  }

  Value vectors(const Value& x, std::int64_t width) {
    return array_of(x.array().length / width, [=, this](std::int64_t i) {
      Values lanes;
      for (std::int64_t lane = 0; lane < width; ++lane) lanes.push_back(at(x, i * width + lane));
      return several(std::move(lanes));
    });
  }

  Value scalars(const ir::Call& n, const Value& x) {
    const std::int64_t width = row_length(n);
    return array_of(x.array().length * width, [=, this](std::int64_t i) {
      return at(x, i / width).components()[static_cast<std::size_t>(i % width)];
    });
  }

  Value dot(const Values& vectors) {
    SymbolicNumber sum = lane_of(ScalarOp::Multiply, vectors, 0);
    for (std::size_t lane = 1; lane < vectors[0].components().size(); ++lane)
      sum = graph.operation(ScalarOp::Add, {sum, lane_of(ScalarOp::Multiply, vectors, lane)});
    return {sum};
  }

  ir::Program program_;
  bool touches_filler_ = false;
  std::size_t steps_ = 0, nested_ = 0;
};

SymbolicElements::SymbolicElements(ir::Program program)
    : evaluator_(std::make_unique<Evaluator>(std::move(program))) {}
SymbolicElements::~SymbolicElements() = default;

SymbolicElements::Read SymbolicElements::element(const std::vector<std::int64_t>& place) {
  return evaluator_->element(place);
}

const SymbolicGraph& SymbolicElements::graph() const { return evaluator_->graph; }

}  // namespace hoist::rewrite
