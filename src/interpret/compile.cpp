// From a term to the steps that compute it.
//
// `compile` gives the leaves of a term's value, and emits the steps that fill them into the block at hand. A
// term that occurs twice in a block is compiled once (`find_known`). A term inside a function that depends on
// none of the function's parameters is computed once for all its runs: its steps go to a block of its own,
// before which a step asks whether the enclosing function has run anew since (`compile_once`). That is
// loop-invariant code motion, and it is what makes the interpreter fast enough to be the oracle of large
// programs.
//
// Read `compile` and `compile_new` first, then `compile_call`, which has a case for every primitive.
// `makes_elements` says which patterns are worth remembering across runs.
#include "interpret/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "interpret/error_bound.hpp"
#include "interpret/layout_steps.hpp"
#include "interpret/located_step.hpp"
#include "interpret/noise_steps.hpp"
#include "interpret/scalar_steps.hpp"

namespace hoist::interpret {

using ir::Op;

namespace {

std::size_t leaf_count(ir::Type type) {
  if (!ir::is_tuple(type) && !ir::is_array(type)) return 1;
  std::size_t count = 0;
  for (ir::Type element : type->elements) count += leaf_count(element);
  return count;
}

/// Whether a term does work for each element of an array (rather than look at it in another way).
bool makes_elements(ir::Term term) {
  const auto* call = term.as<ir::Call>();
  if (!call) return false;
  switch (call->op) {
    case Op::Map:
    case Op::MapGlobal:
    case Op::MapGroup:
    case Op::MapLocal:
    case Op::MapSeq:
    case Op::MapSeqUnroll:
    case Op::MapSeqSlide:
    case Op::Prefetch:
    case Op::Reduce:
    case Op::ReduceRange:
    case Op::ReduceSeq:
    case Op::ReduceSeqUnroll:
    case Op::ReduceLocal:
    case Op::Scan:
    case Op::ScanSeq:
    case Op::ReduceByKey:
    case Op::ReduceByKeySeq:
    case Op::ReduceByKeyLocal:
    case Op::ReduceByKeyGlobal:
    case Op::Iterate:
    case Op::IterateWhile:
    case Op::Generate:
    case Op::Pad:
    case Op::PadValue:
    case Op::Gather:
    case Op::Scatter:
    case Op::Concat:
    case Op::Update:
    case Op::Join:
    case Op::Rotate:
      return true;
    case Op::Zip:
    case Op::Unzip:
    case Op::Split:
    case Op::Transpose:
    case Op::Slide:
    case Op::At:
    case Op::Take:
    case Op::Drop:
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
    case Op::AsVector:
    case Op::AsScalar:
    case Op::Broadcast:
    case Op::Dot:
      return false;
  }
  throw Bug("not a primitive");
}

/// What the parameter's size `variable` is in the argument's type; empty where the parameter does not
/// mention it.
arith::Expr size_standing_for(arith::Expr variable, ir::Type parameter, ir::Type argument) {
  if (ir::is_array(parameter) && parameter->size == variable) return argument->size;
  for (std::size_t i = 0; i < parameter->elements.size(); ++i) {
    if (arith::Expr size = size_standing_for(variable, parameter->elements[i], argument->elements.at(i))) {
      return size;
    }
  }
  return {};
}

/// Whether there are integers of which the operation has no value.
bool is_partial(ScalarOp op) {
  return op == ScalarOp::Divide || op == ScalarOp::Remainder || op == ScalarOp::ShiftLeft ||
         op == ScalarOp::ShiftRight || op == ScalarOp::Power;
}

ir::Binder binder_of(const ir::Lambda& lambda, std::size_t parameter) {
  return {lambda.parameters[parameter], parameter < lambda.names.size() ? lambda.names[parameter] : ""};
}

arith::Expr iterated_size(const ir::Call& call) {
  if (call.op != Op::Iterate || call.sizes.size() < 2) return {};
  return call.sizes[1];
}

void declare_iterated_sizes(SizeTable& sizes, ir::Term term, std::unordered_set<ir::Term>& seen) {
  if (!seen.insert(term).second) return;
  if (const auto* call = term.as<ir::Call>()) {
    const arith::Expr size = iterated_size(*call);
    // A function that keeps the length may be typed with that length itself.
    if (size && size.kind() == arith::Kind::Variable && !sizes.current(size)) sizes.declare(size);
  }
  for (ir::Term child : ir::children(term)) declare_iterated_sizes(sizes, child, seen);
}

}  // namespace

void declare_iterated_sizes(SizeTable& sizes, ir::Term term) {
  std::unordered_set<ir::Term> seen;
  declare_iterated_sizes(sizes, term, seen);
}

/// While it lives, what becomes known is known only here.
class Compiler::Scope {
 public:
  Scope(Compiler& compiler, bool is_new_environment) : compiler_(compiler) {
    compiler_.known_.push_back({{}, is_new_environment});
  }
  ~Scope() { compiler_.known_.pop_back(); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Compiler& compiler_;
};

FrameIndex Compiler::make_places(std::size_t words) {
  const auto place = static_cast<FrameIndex>(machine_.frame.size());
  Word zero;
  zero.integer = 0;
  machine_.frame.resize(machine_.frame.size() + words, zero);
  return place;
}

Compiler::Leaves Compiler::make_leaves(ir::Type type) {
  Leaves result;
  for (const ir::Leaf& leaf : ir::leaves(type)) {
    Leaf made{leaf.scalar, {}, make_places(1 + leaf.shape.size())};
    for (arith::Expr extent : leaf.shape) made.shape.push_back(machine_.sizes.slot(extent, SizeUse::Extent));
    result.push_back(std::move(made));
  }
  return result;
}

Compiler::Leaves Compiler::make_leaves(const std::vector<ir::Type>& types) {
  Leaves result;
  for (ir::Type type : types) {
    Leaves made = make_leaves(type);
    result.insert(result.end(), made.begin(), made.end());
  }
  return result;
}

Function Compiler::compile_function(ir::Term term) {
  const auto* lambda = term.as<ir::Lambda>();
  if (!lambda) throw Bug("a function argument that is not a lambda");
  Function function;
  const std::size_t outer_depth = std::exchange(depth_, functions_.size());
  functions_.push_back({&function.body, make_places(1), false});
  for (std::size_t index = 0; index < lambda->parameters.size(); ++index) {
    Leaves leaves = make_leaves(lambda->parameters[index]);
    function.parameters.insert(function.parameters.end(), leaves.begin(), leaves.end());
    environment_.push_back({std::move(leaves), depth_, binder_of(*lambda, index)});
  }
  {
    const Scope scope(*this, true);
    Block* const outer = std::exchange(block_, &function.body);
    function.results = compile(lambda->body);
    block_ = outer;
  }
  functions_.pop_back();
  depth_ = outer_depth;
  environment_.resize(environment_.size() - lambda->parameters.size());
  return function;
}

/// A term that occurs more than once is computed once, so that terms with much sharing (which interning makes
/// cheap to build) stay cheap to run.
const Compiler::Leaves* Compiler::find_known(ir::Term term) const {
  bool same_environment = true;
  for (auto known = known_.rbegin(); known != known_.rend(); ++known) {
    if (same_environment || term->loose == 0) {
      if (const auto found = known->values.find(term); found != known->values.end()) return &found->second;
    }
    same_environment = same_environment && !known->is_new_environment;
  }
  return nullptr;
}

Compiler::Leaves Compiler::compile(ir::Term term) {
  if (const Leaves* known = find_known(term)) return *known;
  const std::size_t depth = makes_elements(term) ? depth_of(term) : depth_;
  Leaves result = depth < depth_ ? compile_once(term, depth) : compile_new(term);
  known_.back().values.emplace(term, result);
  return result;
}

std::size_t Compiler::depth_of(ir::Term term) {
  std::size_t depth = least_depth_;
  for (std::uint32_t index : loose_variables_.of(term)) {
    depth = std::max(depth, environment_.at(environment_.size() - 1 - index).depth);
  }
  return depth;
}

/// A term that is the same for all runs of the functions inside the one at `depth`.
Compiler::Leaves Compiler::compile_once(ir::Term term, std::size_t depth) {
  OpenFunction& function = functions_[depth];
  if (!function.counts_runs) {
    function.counts_runs = true;
    auto& steps = function.block->steps;
    steps.insert(steps.begin(), count_runs_step(function.run_counter));
  }
  Block once;
  Leaves result;
  {
    const Scope scope(*this, false);
    const std::size_t outer_depth = std::exchange(depth_, depth);
    Block* const outer = std::exchange(block_, &once);
    result = compile_new(term);
    block_ = outer;
    depth_ = outer_depth;
  }
  emit(once_step(functions_[depth].run_counter, std::move(once)));
  return result;
}

/// One function a kind of node, so that the frames of this recursion stay small.
Compiler::Leaves Compiler::compile_new(ir::Term term) {
  if (const auto* call = term.as<ir::ScalarCall>()) return compile_scalar_call(*call, term);
  if (const auto* call = term.as<ir::Call>()) return compile_call(*call, term);
  if (const auto* bound = term.as<ir::Bound>()) {
    return environment_.at(environment_.size() - 1 - bound->index).leaves;
  }
  if (const auto* literal = term.as<ir::Literal>()) return compile_literal(*literal, term.type());
  if (const auto* size = term.as<ir::SizeValue>()) return compile_size(*size, term.type());
  if (const auto* cast = term.as<ir::Cast>()) return compile_cast(*cast, term.type());
  if (const auto* tuple = term.as<ir::Tuple>()) return compile_tuple(*tuple);
  if (const auto* get = term.as<ir::Get>()) return compile_get(*get);
  if (const auto* let = term.as<ir::Let>()) return compile_let(*let);
  if (const auto* branches = term.as<ir::If>()) return compile_if(*branches, term.type());
  throw Bug(term.as<ir::Free>() ? "the interpreter was given an open term" : "a lambda that nothing applies");
}

Compiler::Leaves Compiler::compile_literal(const ir::Literal& literal, ir::Type type) {
  Leaves result = make_leaves(type);
  machine_.frame[result[0].place] = to_word(literal.value);
  return result;
}

Compiler::Leaves Compiler::compile_size(const ir::SizeValue& size, ir::Type type) {
  Leaves result = make_leaves(type);
  emit(size_step(number(size.size), result[0]));
  return result;
}

Compiler::Leaves Compiler::compile_cast(const ir::Cast& cast, ir::Type type) {
  const Leaves operand = compile(cast.operand);
  Leaves result = make_leaves(type);
  emit(cast_step(operand.at(0), result.at(0)));
  if (machine_.noise != 0 && is_float(result[0].scalar)) emit(cast_noise_step(operand[0], result[0]));
  return result;
}

Compiler::Leaves Compiler::compile_tuple(const ir::Tuple& tuple) {
  Leaves result;
  for (ir::Term component : tuple.components) {
    const Leaves leaves = compile(component);
    result.insert(result.end(), leaves.begin(), leaves.end());
  }
  return result;
}

Compiler::Leaves Compiler::compile_get(const ir::Get& get) {
  const Leaves tuple = compile(get.tuple);
  const std::vector<ir::Type>& types = get.tuple.type()->elements;
  std::size_t first = 0;
  for (std::size_t component = 0; component < get.index; ++component) {
    first += leaf_count(types[component]);
  }
  const auto begin = tuple.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(leaf_count(types[get.index]))};
}

void Compiler::emit_partial(std::unique_ptr<Step> step, ir::Term term) {
  std::vector<ir::Binder> scope;
  for (std::size_t i = environment_.size() - term->loose; i < environment_.size(); ++i)
    scope.push_back(environment_[i].binder);
  emit(located_step(std::move(step), term, std::move(scope)));
}

Compiler::Leaves Compiler::compile_scalar_call(const ir::ScalarCall& call, ir::Term term) {
  Leaves operands;
  for (ir::Term argument : call.arguments) operands.push_back(compile(argument).at(0));
  Leaves result = make_leaves(term.type());
  auto step = scalar_step(call.op, operands, result[0]);
  if (is_partial(call.op) && is_integer(result[0].scalar)) {
    emit_partial(std::move(step), term);
  } else {
    emit(std::move(step));
  }
  if (machine_.noise != 0 && is_float(result[0].scalar) && rounds(call.op)) {
    emit(noise_step(call.op, std::move(operands), result[0]));
  }
  return result;
}

Compiler::Leaves Compiler::compile_let(const ir::Let& let) {
  const auto* body = let.body.as<ir::Lambda>();
  if (!body) throw Bug("a let whose body is not a lambda");
  const std::size_t depth = depth_of(let.value);
  environment_.push_back({compile(let.value), depth, binder_of(*body, 0)});
  const Scope scope(*this, true);
  Leaves result = compile(body->body);
  environment_.pop_back();
  return result;
}

Compiler::Leaves Compiler::compile_if(const ir::If& term, ir::Type type) {
  const Leaf condition = compile(term.condition).at(0);
  Block* const outer = block_;
  const auto compile_branch = [&](ir::Term branch, Block& block) {
    const Scope scope(*this, false);
    block_ = &block;
    return compile(branch);
  };
  Block then_block, else_block;
  Leaves then_results = compile_branch(term.then_term, then_block);
  Leaves else_results = compile_branch(term.else_term, else_block);
  block_ = outer;
  Leaves results = make_leaves(type);
  emit(if_step(condition, std::move(then_block), std::move(then_results), std::move(else_block),
               std::move(else_results), results));
  return results;
}

Compiler::Leaves Compiler::compile_map(ir::Term function, Leaves arrays, ir::Type type) {
  Function body = compile_function(function);
  Leaves results = make_leaves(type);
  emit(map_step(std::move(arrays), std::move(body), results));
  return results;
}

namespace {

/// A reduction of a range of what is mapped or generated, as one of what that is made from: elements outside
/// of the range are not computed.
ir::Term without_map(const ir::Call& reduction) {
  const auto* made = reduction.arguments.back().as<ir::Call>();
  const bool is_generated = made != nullptr && made->op == Op::Generate;
  if (!is_generated && (made == nullptr || !ir::is_map(made->op))) return {};
  const ir::Term source =
      is_generated
          ? ir::call(Op::Generate, made->sizes,
                     {ir::lambda({ir::scalar_type(Scalar::I32)}, [](const auto& index) { return index[0]; })})
          : made->arguments[1];
  if (source == reduction.arguments.back()) return {};
  std::vector<ir::Term> arguments = reduction.arguments;
  const auto* op = arguments[0].as<ir::Lambda>();
  arguments[0] = ir::lambda({op->parameters[0], ir::element_of(source.type())}, [&](const auto& p) {
    const ir::Term element = ir::fresh(op->parameters[1], "element");
    return ir::let(
        ir::apply(made->arguments[0], {p[1]}),
        ir::lambda(std::vector<ir::Term>{element}, ir::apply(reduction.arguments[0], {p[0], element})));
  });
  arguments.back() = source;
  return ir::call(reduction.op, {}, std::move(arguments));
}

}  // namespace

/// One function a kind of pattern, as for the kinds of node.
Compiler::Leaves Compiler::compile_call(const ir::Call& call, ir::Term term) {
  const ir::Type type = term.type();
  switch (call.op) {
    case Op::Map:
    case Op::MapGlobal:
    case Op::MapGroup:
    case Op::MapLocal:
    case Op::MapSeq:
    case Op::MapSeqUnroll:
    case Op::Prefetch:
      return compile_map(call.arguments[0], compile(call.arguments[1]), type);
    case Op::MapSeqSlide:
      return compile_map_slide(call, type);
    case Op::ReduceRange:
    case Op::Reduce:
    case Op::ReduceSeq:
    case Op::ReduceSeqUnroll:
    case Op::ReduceLocal:
      return compile_reduce(call);
    case Op::Scan:
    case Op::ScanSeq:
      return compile_scan(call, type);
    case Op::ReduceByKey:
    case Op::ReduceByKeySeq:
    case Op::ReduceByKeyLocal:
    case Op::ReduceByKeyGlobal:
      return compile_keyed_reduce(call, type);
    case Op::Iterate:
      return compile_iterate(call, type);
    case Op::IterateWhile:
      return compile_iterate_while(call, type);
    case Op::Generate:
      return compile_generate(call, type);
    case Op::Zip:
      return compile_zip(call);
    case Op::Gather:
    case Op::Scatter:
      return compile_reordered(call, type);
    case Op::At:
      return compile_at(call, term);
    case Op::Broadcast:
    case Op::Dot:
      return compile_vector_operation(call, type);
    case Op::Unzip:  // an array of tuples is kept as a tuple of arrays
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
      return compile(call.arguments[0]);
    case Op::Split:
    case Op::AsVector:
      return compile_layout(call, type, [](const LayoutLeaf& of) { return split_step(of.array, of.result); });
    case Op::Join:
    case Op::AsScalar:
      return compile_layout(call, type, [](const LayoutLeaf& of) { return join_step(of.array, of.result); });
    case Op::Transpose:
      return compile_layout(call, type,
                            [](const LayoutLeaf& of) { return transpose_step(of.array, of.result); });
    case Op::Slide:
      return compile_layout(call, type, [&](const LayoutLeaf& of) {
        return slide_step(number(call.sizes[1]), of.array, of.result);
      });
    case Op::Take:
      return compile_layout(call, type, [&](const LayoutLeaf& of) {
        return slice_step("take", number(0), of.array, of.result);
      });
    case Op::Drop:
      return compile_layout(call, type, [&](const LayoutLeaf& of) {
        return slice_step("drop", number(call.sizes[0]), of.array, of.result);
      });
    case Op::Rotate:
      return compile_layout(call, type, [&](const LayoutLeaf& of) {
        return rotate_step(number(call.sizes[0]), of.array, of.result);
      });
    case Op::Pad:
      return compile_layout(call, type, [&](const LayoutLeaf& of) {
        const auto boundary = static_cast<ir::Boundary>(machine_.sizes[number(call.sizes[2])]);
        return pad_step(number(call.sizes[0]), number(call.sizes[1]), boundary, of.array, of.result);
      });
    case Op::PadValue:
      return compile_layout(call, type, [&](const LayoutLeaf& of) {
        return pad_value_step(number(call.sizes[0]), number(call.sizes[1]), of.arguments[0].at(of.leaf),
                              of.array, of.result);
      });
    case Op::Concat:
      return compile_layout(call, type, [](const LayoutLeaf& of) {
        return concat_step(of.arguments[0].at(of.leaf), of.array, of.result);
      });
    case Op::Update:
      return compile_layout(call, type, [](const LayoutLeaf& of) {
        return update_step(of.arguments[0].at(0), of.arguments[1].at(of.leaf), of.array, of.result);
      });
  }
  throw Bug("not a primitive");
}

Compiler::Leaves Compiler::compile_map_slide(const ir::Call& call, ir::Type type) {
  const auto* function = call.arguments[0].as<ir::Lambda>();
  const Leaves arrays = compile(call.arguments[1]);
  Leaves windows = make_leaves(ir::array_type(type->size, function->parameters.at(0)));
  for (std::size_t leaf = 0; leaf < arrays.size(); ++leaf) {
    emit(slide_step(number(call.sizes[1]), arrays[leaf], windows[leaf]));
  }
  return compile_map(call.arguments[0], std::move(windows), type);
}

Compiler::Leaves Compiler::compile_reduce(const ir::Call& call) {
  const bool has_range = call.op == Op::ReduceRange;
  if (has_range) {
    if (const ir::Term other = without_map(call)) return compile(other);
  }
  Leaves initial = compile(call.arguments[1]);
  std::optional<IndexRange> range;
  if (has_range) {
    range = IndexRange{compile(call.arguments[2]).at(0).place, compile(call.arguments[3]).at(0).place};
  }
  Leaves arrays = compile(call.arguments.back());
  Function function = compile_function(call.arguments[0]);
  Leaves results(function.parameters.begin(),
                 function.parameters.begin() + static_cast<std::ptrdiff_t>(initial.size()));
  emit(reduce_step(std::move(initial), range, std::move(arrays), std::move(function),
                   has_float_sums(call.arguments[0])));
  return results;
}

Compiler::Leaves Compiler::compile_scan(const ir::Call& call, ir::Type type) {
  Leaves initial = compile(call.arguments[1]);
  Leaves arrays = compile(call.arguments.back());
  Function function = compile_function(call.arguments[0]);
  Leaves results = make_leaves(type);
  emit(scan_step(std::move(initial), std::move(arrays), std::move(function), results));
  return results;
}

Compiler::Leaves Compiler::compile_keyed_reduce(const ir::Call& call, ir::Type type) {
  Leaves initial = compile(call.arguments[1]);
  Leaf keys = compile(call.arguments[2]).at(0);
  Leaves arrays = compile(call.arguments[3]);
  Function function = compile_function(call.arguments[0]);
  Leaves results = make_leaves(type);
  emit(keyed_reduce_step(std::move(initial), std::move(keys), std::move(arrays), std::move(function),
                         has_float_sums(call.arguments[0]), results));
  return results;
}

Compiler::Leaves Compiler::compile_iterate_while(const ir::Call& call, ir::Type type) {
  const Leaf most = compile(call.arguments[1]).at(0);
  Leaves initial = compile(call.arguments[3]);
  Function condition = compile_function(call.arguments[0]);
  Function step = compile_function(call.arguments[2]);
  Leaves results = make_leaves(type);
  emit(iterate_while_step(most, std::move(initial), std::move(condition), std::move(step), results));
  return results;
}

Compiler::Leaves Compiler::compile_generate(const ir::Call& call, ir::Type type) {
  Function function = compile_function(call.arguments[0]);
  Leaves results = make_leaves(type);
  emit(generate_step(std::move(function), results));
  return results;
}

/// gather and scatter.
Compiler::Leaves Compiler::compile_reordered(const ir::Call& call, ir::Type type) {
  Leaves arrays = compile(call.arguments[1]);
  Function index = compile_function(call.arguments[0]);
  Leaves results = make_leaves(type);
  auto* const make = call.op == Op::Gather ? gather_step : scatter_step;
  emit(make(std::move(index), std::move(arrays), results));
  return results;
}

/// broadcast and dot.
Compiler::Leaves Compiler::compile_vector_operation(const ir::Call& call, ir::Type type) {
  const bool is_dot = call.op == Op::Dot;
  Leaves operands;
  for (ir::Term argument : call.arguments) operands.push_back(compile(argument).at(0));
  Leaves result = make_leaves(type);
  emit(is_dot ? dot_step(operands[0], operands[1], result[0]) : broadcast_step(operands[0], result[0]));
  if (machine_.noise != 0 && is_dot && is_float(result[0].scalar)) {
    emit(dot_noise_step(operands[0], operands[1], result[0]));
  }
  return result;
}

Compiler::Leaves Compiler::compile_zip(const ir::Call& call) {
  Leaves result = compile(call.arguments[0]);
  const SizeSlot length = result.at(0).shape.at(0);
  for (std::size_t argument = 1; argument < call.arguments.size(); ++argument) {
    Leaves leaves = compile(call.arguments[argument]);
    if (leaves.at(0).shape.at(0) != length) {
      emit(equal_lengths_step(length, leaves[0].shape[0]));
    }
    result.insert(result.end(), leaves.begin(), leaves.end());
  }
  return result;
}

Compiler::Leaves Compiler::compile_at(const ir::Call& call, ir::Term term) {
  const Leaf index = compile(call.arguments[0]).at(0);
  Leaves arrays = compile(call.arguments[1]);
  Leaves results = make_leaves(term.type());
  auto step = at_step(index, std::move(arrays), results);
  // Whether an index that is a literal is inside is told before the program runs.
  if (call.arguments[0].as<ir::Literal>() != nullptr) {
    emit(std::move(step));
  } else {
    emit_partial(std::move(step), term);
  }
  return results;
}

Compiler::Leaves Compiler::compile_layout(const ir::Call& call, ir::Type type, const LayoutStep& step) {
  std::vector<Leaves> arguments;
  for (ir::Term argument : call.arguments) arguments.push_back(compile(argument));
  const Leaves results = make_leaves(type);
  for (std::size_t leaf = 0; leaf < results.size(); ++leaf) {
    emit(step({arguments, leaf, arguments.back().at(leaf), results[leaf]}));
  }
  return results;
}

Compiler::Leaves Compiler::compile_iterate(const ir::Call& call, ir::Type type) {
  const auto* function = call.arguments[0].as<ir::Lambda>();
  if (!function) throw Bug("iterate's function is not a lambda");
  Leaves initial = compile(call.arguments[1]);
  std::optional<IteratedSize> size;
  if (machine_.sizes.is_declared(iterated_size(call))) {
    const arith::Expr variable = iterated_size(call);
    const ir::Type parameter = function->parameters.at(0);
    const arith::Expr first = size_standing_for(variable, parameter, call.arguments[1].type());
    const arith::Expr next = size_standing_for(variable, parameter, function->body.type());
    if (!first || !next) throw Bug("iterate: its function's type does not mention its size");
    size = IteratedSize{variable, machine_.sizes.slot(first, SizeUse::Extent),
                        machine_.sizes.slot(next, SizeUse::Extent)};
  }
  // Sizes inside are those of one iteration: what mentions them must not outlive it.
  const std::size_t outer_least = least_depth_;
  if (size) least_depth_ = functions_.size();
  Function body = compile_function(call.arguments[0]);
  least_depth_ = outer_least;
  Leaves results = make_leaves(type);
  emit(iterate_step(number(call.sizes[0]), size, std::move(initial), std::move(body), results));
  return results;
}

}  // namespace hoist::interpret
