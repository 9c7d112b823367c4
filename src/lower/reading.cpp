// The value of a term as a view: how arrays are read.
//
// A view answers "element i" with another view, until a scalar answers with a value of the loop IR. Only
// asking a scalar for its value emits statements. In
//
//   x |> split(4) |> map(row => row |> reduce(+, 0))
//
// nothing happens until somebody asks for element g of the result. Then `map` asks `split` for its element g,
// which is a view of x[4 * g + j], applies its function to that, and the reduction emits a loop over j.
// Layout patterns so become index arithmetic, and a plain map is computed where its elements are consumed:
// producers are fused into consumers without a rule that says so.
//
// Read `eval` first: it has a case for every kind of term. `eval_call` sends the patterns that compute to
// producers.cpp, iterate.cpp and memory.cpp; `eval_layout` has a case for every pattern that is a view. Two
// functions decide when a value is computed:
//
//   once      binds a scalar to a variable of the block in which the name is bound, the first time it is
//             asked for, so that no use computes it again and no unused value is computed at all
//   deferred  makes a view wait until the kernel that reads it is open, since between kernels there is no
//             block
//
// `choose` and `eval_if` read one of two values: by a selection where neither emits statements, else by
// branches.
#include <algorithm>

#include "lower/ownership.hpp"
#include "lower/to_loops.hpp"

namespace hoist::lower {

using ir::Op;
using loop::AddressSpace;
using loop::ValuePtr;

loop::ValueType value_type(ir::Type type) {
  if (ir::is_scalar(type)) return {type->scalar, 1};
  if (ir::is_vector(type))
    return {type->scalar, static_cast<int>(constant_size(type->size, "a vector's width"))};
  throw Bug("no register holds a value of type " + ir::to_string(type));
}

std::int64_t constant_size(arith::Expr size, const std::string& what) {
  auto value = size.constant();
  if (!value) {
    throw_user(what + " must be known when compiling, but it is " + arith::to_string(size), {},
               "give the sizes on the command line (NAME=SIZE), or use a constant tile size");
  }
  return *value;
}

View ToLoops::deferred(ir::Type type, std::function<View()> make) {
  if (level_ != Level::Host) return make();
  auto node = std::make_shared<ViewNode>();
  node->type = type;
  switch (type->kind) {
    case ir::TypeKind::Array:
      node->at = [=, this](arith::Expr index) {
        return deferred(ir::element_of(type), [=] { return make()->at(index); });
      };
      break;
    case ir::TypeKind::Tuple:
      node->get = [=, this](std::uint32_t component) {
        return deferred(type->elements.at(component), [=] { return make()->get(component); });
      };
      break;
    default:
      node->value = [make] { return make()->value(); };
      break;
  }
  return node;
}

View ToLoops::once(View view) {
  // Between kernels there is no block to bind it in: each kernel computes it for itself.
  if (level_ == Level::Host) return view;
  if (view->memory && !ir::is_scalar(view->type) && !ir::is_vector(view->type)) return view;
  if (ir::is_tuple(view->type)) {
    // Components are bound one by one, each only when it is used.
    auto bound = std::make_shared<std::vector<View>>(view->type->elements.size());
    auto node = std::make_shared<ViewNode>();
    node->type = view->type;
    loop::Block* home = block_;
    std::size_t home_loops = loops_.size();
    node->get = [this, view, bound, home, home_loops](std::uint32_t component) {
      View& slot = (*bound)[component];
      if (!slot) {
        loop::Block* current = block_;
        std::vector<Enclosing> current_loops = loops_;
        block_ = home;
        loops_.resize(std::min(home_loops, loops_.size()));
        slot = once(view->get(component));
        block_ = current;
        loops_ = std::move(current_loops);
      }
      return slot;
    };
    return node;
  }
  if (ir::is_array(view->type) || view->is_cheap) return view;
  auto bound = std::make_shared<ValuePtr>();
  auto node = std::make_shared<ViewNode>();
  node->type = view->type;
  node->lane = view->lane;
  loop::Block* home = block_;
  std::size_t home_loops = loops_.size();
  node->value = [this, view, bound, home, home_loops] {
    if (!*bound) {
      // Emitted at the end of the block where it was bound: that block is still open, so everything after
      // sees it.
      loop::Block* current = block_;
      std::vector<Enclosing> current_loops = loops_;
      block_ = home;
      loops_.resize(std::min(home_loops, loops_.size()));
      ValuePtr value = view->value();
      *bound = is_trivial(value) ? value : loop::reference(declare("v", value->type, value, false));
      block_ = current;
      loops_ = std::move(current_loops);
    }
    return *bound;
  };
  return node;
}

bool is_trivial(const ValuePtr& value) {
  return std::holds_alternative<loop::Literal>(value->node) ||
         std::holds_alternative<loop::Reference>(value->node) ||
         std::holds_alternative<loop::IndexValue>(value->node);
}

EnvironmentPtr ToLoops::bind(ir::Term lambda, const std::vector<View>& arguments, EnvironmentPtr env) {
  const auto* node = lambda.as<ir::Lambda>();
  if (!node) throw Bug("a function argument is not a lambda");
  auto index = static_cast<std::uint32_t>(arguments.size());
  for (const View& argument : arguments) {
    --index;
    View bound = argument;
    if (ir::is_tuple(argument->type)) {
      // Components that are used once need no name; the others are bound one by one.
      View named = once(argument);
      auto tuple = std::make_shared<ViewNode>();
      tuple->type = argument->type;
      tuple->memory = argument->memory;
      ir::Term body = node->body;
      tuple->get = [argument, named, body, index](std::uint32_t component) {
        return (component_uses(body, index, component) > 1 ? named : argument)->get(component);
      };
      bound = tuple;
    } else if (uses(node->body, index) > 1) {
      bound = once(argument);
    }
    env = std::make_shared<Environment>(Environment{bound, std::move(env)});
  }
  return env;
}

View ToLoops::apply(ir::Term lambda, const std::vector<View>& arguments, const EnvironmentPtr& env) {
  return eval(lambda.as<ir::Lambda>()->body, bind(lambda, arguments, env));
}

View ToLoops::eval(ir::Term term, const EnvironmentPtr& env) {
  ir::Type type = term.type();
  if (auto* node = term.as<ir::Literal>()) return value_view(type, loop::literal(node->value));
  if (auto* node = term.as<ir::Bound>()) {
    const Environment* scope = env.get();
    for (std::uint32_t i = 0; i < node->index && scope; ++i) scope = scope->next.get();
    if (!scope) throw Bug("unbound variable in " + ir::to_string(term));
    return scope->view;
  }
  if (auto* node = term.as<ir::SizeValue>()) return value_view(type, loop::index_value(node->size));
  if (auto* node = term.as<ir::ScalarCall>()) {
    std::vector<View> arguments;
    for (ir::Term argument : node->arguments) arguments.push_back(eval(argument, env));
    return deferred(type, [this, op = node->op, type, arguments] {
      std::vector<ValuePtr> values;
      for (const View& argument : arguments) values.push_back(argument->value());
      return value_view(type, operation(op, std::move(values)));
    });
  }
  if (auto* node = term.as<ir::Cast>()) {
    View operand = eval(node->operand, env);
    return deferred(
        type, [to = node->to, type, operand] { return value_view(type, loop::cast(operand->value(), to)); });
  }
  if (auto* node = term.as<ir::Tuple>()) {
    std::vector<View> components;
    for (ir::Term component : node->components) components.push_back(eval(component, env));
    return tuple_view(type, std::move(components));
  }
  if (auto* node = term.as<ir::Get>()) return eval(node->tuple, env)->get(node->index);
  if (auto* node = term.as<ir::Let>()) return eval_let(*node, type, env);
  if (auto* node = term.as<ir::If>()) return eval_if(term, *node, env);
  if (auto* node = term.as<ir::Call>()) return eval_call(term, *node, env);
  throw Bug("cannot read " + ir::to_string(term));
}

View ToLoops::eval_let(const ir::Let& let, ir::Type, const EnvironmentPtr& env) {
  View value = level_ == Level::Host && !leads_to_producer(let.value) && contains_loop(let.value) &&
                       !ir::is_array(let.value.type())
                   ? materialise(let.value, env, AddressSpace::Global)
                   : eval(let.value, env);
  return apply(let.body, {value}, env);
}

View ToLoops::choose(const ValuePtr& condition, ir::Type type, const std::function<View()>& then_view,
                     const std::function<View()>& else_view) {
  if (ir::is_array(type)) {
    return array_view(type, [=, this](arith::Expr index) {
      return choose(
          condition, ir::element_of(type), [=] { return then_view()->at(index); },
          [=] { return else_view()->at(index); });
    });
  }
  if (ir::is_tuple(type)) {
    std::vector<View> components;
    for (std::uint32_t i = 0; i < type->elements.size(); ++i) {
      components.push_back(choose(
          condition, type->elements[i], [=] { return then_view()->get(i); },
          [=] { return else_view()->get(i); }));
    }
    return tuple_view(type, std::move(components));
  }
  if (auto* test = std::get_if<loop::Test>(&condition->node)) {
    arith::Truth truth = arith::holds(test->predicate);
    if (truth == arith::Truth::Yes) return then_view();
    if (truth == arith::Truth::No) return else_view();
  }
  loop::Block then_block, else_block;
  loop::Block* outer = block_;
  block_ = &then_block;
  ValuePtr then_value = then_view()->value();
  block_ = &else_block;
  ValuePtr else_value = else_view()->value();
  block_ = outer;
  if (then_block.empty() && else_block.empty()) {
    return value_view(type, loop::operation(ScalarOp::Select, {condition, then_value, else_value}));
  }
  loop::VariablePtr result = declare("c", then_value->type, nullptr, true);
  then_block.push_back({loop::Assign{result, then_value}});
  else_block.push_back({loop::Assign{result, else_value}});
  emit({loop::If{condition, std::move(then_block), std::move(else_block)}});
  return value_view(type, loop::reference(result));
}

namespace {

/// Whether a branch computes an array for itself, not for each of its elements.
bool computes_array(ir::Term branch) {
  if (auto* let = branch.as<ir::Let>()) {
    return (ir::contains_array(let->value.type()) && contains_loop(let->value)) ||
           computes_array(let->body.as<ir::Lambda>()->body);
  }
  return leads_to_producer(branch);
}

/// Whether a condition is made of tests of indices alone, which cost nothing to repeat where they are
/// decided.
bool is_of_tests(const ValuePtr& condition) {
  auto* operation = std::get_if<loop::Operation>(&condition->node);
  if (!operation) return std::holds_alternative<loop::Test>(condition->node);
  return (operation->op == ScalarOp::And || operation->op == ScalarOp::Or) &&
         std::all_of(operation->operands.begin(), operation->operands.end(), is_of_tests);
}

}  // namespace

View ToLoops::eval_if(ir::Term term, const ir::If& branch, const EnvironmentPtr& env) {
  const ir::Type type = term.type();
  const bool has_own_memory =
      ir::contains_array(type) && (computes_array(branch.then_term) || computes_array(branch.else_term));
  if (level_ == Level::Thread && has_own_memory) return materialise(term, env, std::nullopt);
  return deferred(type, [=, this] {
    ValuePtr condition = as_test(eval(branch.condition, env)->value());
    if (!is_of_tests(condition) && !is_trivial(condition) && !ir::is_scalar(type)) {
      condition = loop::reference(declare("v", condition->type, condition, false));
    }
    if (ir::is_array(type)) {
      return array_view(type, [=, this](arith::Expr index) {
        return choose(
            condition, ir::element_of(type), [=, this] { return eval(branch.then_term, env)->at(index); },
            [=, this] { return eval(branch.else_term, env)->at(index); });
      });
    }
    return choose(
        condition, type, [=, this] { return eval(branch.then_term, env); },
        [=, this] { return eval(branch.else_term, env); });
  });
}

View ToLoops::eval_call(ir::Term term, const ir::Call& call, const EnvironmentPtr& env) {
  if (ir::is_iterate(call.op)) return iterate(call, env, std::nullopt);
  if (call.op == Op::ToGlobal) return in_space(call.arguments[0], env, AddressSpace::Global);
  if (ir::is_schedule(call.op) && level_ == Level::Host && leads_to_producer(term))
    return materialise(term, env, std::nullopt);
  if (call.op == Op::Pitch || ir::is_schedule(call.op)) return eval(call.arguments[0], env);
  if (call.op == Op::ToImage) return as_image(call, env);
  if (call.op == Op::ToLocal) return in_space(call.arguments[0], env, AddressSpace::Local);
  if (call.op == Op::ToPrivate) return in_space(call.arguments[0], env, AddressSpace::Private);
  if (is_producer(term)) return materialise(term, env, std::nullopt);
  std::vector<View> arguments;
  for (ir::Term argument : call.arguments) {
    arguments.push_back(argument.as<ir::Lambda>() ? View() : eval(argument, env));
  }
  if (ir::is_reduce(call.op)) {
    return deferred(term.type(), [=, this, &call] {
      return call.op == Op::ReduceLocal ? reduce_local(term, call, arguments[2], arguments[1], env)
                                        : reduce(term, call, arguments.back(), arguments[1], env);
    });
  }
  return eval_layout(term, call, arguments, env);
}

arith::Predicate is_below(arith::Expr index, arith::Expr length) {
  for (std::int64_t width : {16, 8, 4, 2}) {
    arith::Expr of = arith::constant(width);
    if (!arith::is_divisor(of, length)) continue;
    auto lane = (index % of).constant();
    if (lane && *lane > 0) return {arith::Relation::Less, index - arith::constant(*lane), length};
  }
  return {arith::Relation::Less, index, length};
}

namespace {

/// Scalars as a vector: one load where they are neighbours in memory, one selection where all depend on the
/// same test.
ValuePtr gathered(const std::vector<ValuePtr>& values) {
  int width = static_cast<int>(values.size());
  auto* first = std::get_if<loop::Load>(&values[0]->node);
  // Registers are read whole or by component; other memory wherever neighbours lie.
  bool is_whole_register =
      first && first->buffer->type.width == width && arith::is_divisor(arith::constant(width), first->index);
  bool contiguous = first && values[0]->type.width == 1 &&
                    (first->buffer->space != AddressSpace::Private || is_whole_register);
  for (int k = 1; k < width && contiguous; ++k) {
    auto* next = std::get_if<loop::Load>(&values[static_cast<std::size_t>(k)]->node);
    contiguous = next && next->buffer == first->buffer && next->index == first->index + arith::constant(k);
  }
  if (contiguous) return loop::load(first->buffer, first->index, width);
  auto literal_of = [](const ValuePtr& value) { return std::get_if<loop::Literal>(&value->node); };
  auto* same = literal_of(values[0]);
  for (const ValuePtr& value : values) {
    if (auto* other = literal_of(value); same && !(other && other->value == same->value)) same = nullptr;
  }
  if (same) return loop::literal(same->value, width);
  auto test_of = [](const ValuePtr& value) -> const loop::Test* {
    auto* select = std::get_if<loop::Operation>(&value->node);
    if (!select || select->op != ScalarOp::Select || value->type.width != 1) return nullptr;
    return std::get_if<loop::Test>(&select->operands[0]->node);
  };
  auto* test = test_of(values[0]);
  std::vector<ValuePtr> chosen, others;
  for (const ValuePtr& value : values) {
    auto* own = test_of(value);
    if (!test || !own || !(own->predicate == test->predicate)) return loop::make_vector(values, width);
    const auto& operands = std::get<loop::Operation>(value->node).operands;
    chosen.push_back(operands[1]);
    others.push_back(operands[2]);
  }
  ValuePtr condition = std::get<loop::Operation>(values[0]->node).operands[0];
  return loop::operation(ScalarOp::Select, {condition, gathered(chosen), gathered(others)});
}

}  // namespace

View ToLoops::vector_of_elements(ir::Type type, std::int64_t width,
                                 const std::function<View(std::int64_t)>& element) {
  auto node = std::make_shared<ViewNode>();
  node->type = type;
  node->value = [=] {
    std::vector<ValuePtr> values;
    for (std::int64_t k = 0; k < width; ++k) values.push_back(element(k)->value());
    return gathered(values);
  };
  return node;
}

View ToLoops::scalar_of_vector(const View& vector, arith::Expr lane) {
  if (vector->lane) return vector->lane(lane);
  ir::Type scalar = ir::scalar_type(vector->type->scalar);
  auto lane_number = lane.constant();
  ValuePtr value = vector->value();
  if (lane_number) return value_view(scalar, loop::component(value, static_cast<int>(*lane_number)));
  // A lane that only the running program knows: through memory, which can be indexed.
  MemoryRegion region = allocate({}, vector->type, AddressSpace::Private, "lanes");
  store_value(value, vector->type, memory_destination(region));
  return memory_view(region)->lane(lane);
}

View ToLoops::padded(const ir::Call& call, ir::Type type, const View& x) {
  arith::Expr left = call.sizes[0], right = call.sizes[1], length = x->type->size;
  auto boundary = static_cast<ir::Boundary>(constant_size(call.sizes[2], "a boundary"));
  using arith::Relation;
  return array_view(type, [=](arith::Expr index) {
    arith::Expr i = index - left;
    arith::Expr inside;
    auto reaches = [&](arith::Expr most) {
      return arith::is_less_equal(left, most) && arith::is_less_equal(right, most);
    };
    bool reaches_once = reaches(length);
    switch (boundary) {
      case ir::Boundary::Clamp:
        inside = nearest_index(i, length);
        break;
      case ir::Boundary::Mirror:
        if (reaches_once) {
          inside = arith::conditional({Relation::Less, i, 0}, -i - 1,
                                      arith::conditional({Relation::Less, i, length}, i, length * 2 - i - 1));
        } else {
          arith::Expr period = length * 2;
          arith::Expr phase = (i % period + period) % period;
          inside = arith::conditional({Relation::Less, phase, length}, phase, period - phase - 1);
        }
        break;
      case ir::Boundary::Reflect:
        if (reaches(length - 1)) {
          inside = arith::conditional({Relation::Less, i, 0}, -i,
                                      arith::conditional({Relation::Less, i, length}, i, length * 2 - 2 - i));
        } else {
          arith::Expr period =
              arith::maximum(length * 2 - 2, 1);  // one element is all there is of an array of one
          arith::Expr phase = (i % period + period) % period;
          inside = arith::conditional({Relation::Less, phase, length}, phase, period - phase);
        }
        break;
      case ir::Boundary::Wrap:
        inside = reaches_once
                     ? arith::conditional({Relation::Less, i, 0}, i + length,
                                          arith::conditional({Relation::Less, i, length}, i, i - length))
                     : (i % length + length) % length;
        break;
    }
    return x->at(inside);
  });
}

View ToLoops::eval_layout(ir::Term term, const ir::Call& call, const std::vector<View>& arguments,
                          const EnvironmentPtr& env) {
  ir::Type type = term.type();
  const View& last = arguments.back();
  switch (call.op) {
    case Op::Map:
      return array_view(
          type, [=, this, f = call.arguments[0]](arith::Expr i) { return apply(f, {last->at(i)}, env); });
    case Op::Prefetch: {
      View view = array_view(
          type, [=, this, f = call.arguments[0]](arith::Expr i) { return apply(f, {last->at(i)}, env); });
      auto node = std::make_shared<ViewNode>(*view);
      node->prefetch = std::make_shared<Prefetch>(Prefetch{
          constant_size(call.sizes[0], "the number of stages of prefetch"), call.arguments[0], env, last});
      return node;
    }
    case Op::Generate:
      return array_view(type, [=, this, f = call.arguments[0]](arith::Expr i) {
        return apply(f, {value_view(ir::scalar_type(Scalar::I32), loop::index_value(i))}, env);
      });
    case Op::Zip:
      return array_view(type, [=, element = ir::element_of(type)](arith::Expr i) {
        auto node = std::make_shared<ViewNode>();
        node->type = element;
        node->get = [arguments, i](std::uint32_t component) { return arguments[component]->at(i); };
        return View(node);
      });
    case Op::Unzip: {
      std::vector<View> components;
      for (std::uint32_t c = 0; c < type->elements.size(); ++c) {
        components.push_back(
            array_view(type->elements[c], [=](arith::Expr i) { return last->at(i)->get(c); }));
      }
      return tuple_view(type, std::move(components));
    }
    case Op::Split:
      return array_view(type, [=, s = call.sizes[0], inner = ir::element_of(type)](arith::Expr i) {
        return array_view(inner, [=](arith::Expr j) { return last->at(i * s + j); });
      });
    case Op::Join: {
      arith::Expr inner = ir::element_of(last->type)->size;
      return array_view(type, [=](arith::Expr i) { return last->at(i / inner)->at(i % inner); });
    }
    case Op::Transpose:
      return array_view(type, [=, inner = ir::element_of(type)](arith::Expr i) {
        return array_view(inner, [=](arith::Expr j) { return last->at(j)->at(i); });
      });
    case Op::Slide:
      return array_view(type, [=, step = call.sizes[1], inner = ir::element_of(type)](arith::Expr i) {
        return array_view(inner, [=](arith::Expr j) { return last->at(i * step + j); });
      });
    case Op::Pad:
      return padded(call, type, last);
    case Op::PadValue:
      return array_view(type, [=, this, left = call.sizes[0],
                               element = ir::element_of(type)](arith::Expr index) {
        arith::Expr i = index - left, length = last->type->size;
        View value = arguments[0];
        auto below_end = [=, this] {
          return choose(
              loop::test(is_below(i, length)), element, [=] { return last->at(i); }, [=] { return value; });
        };
        if (arith::holds({arith::Relation::LessEqual, 0, i}) == arith::Truth::Yes) return below_end();
        return choose(loop::test({arith::Relation::LessEqual, 0, i}), element, below_end,
                      [=] { return value; });
      });
    case Op::Gather:
      return array_view(type, [=, this, f = call.arguments[0]](arith::Expr i) {
        View index = apply(f, {value_view(ir::scalar_type(Scalar::I32), loop::index_value(i))}, env);
        return last->at(to_index(index->value(), last->type->size));
      });
    case Op::At:
      return deferred(type, [=, this, index = arguments[0]] {
        return last->at(to_index(index->value(), last->type->size));
      });
    case Op::Take:
      return array_view(type, [=](arith::Expr i) { return last->at(i); });
    case Op::Drop:
      return array_view(type, [=, k = call.sizes[0]](arith::Expr i) { return last->at(i + k); });
    case Op::Rotate:
      return array_view(type, [=, k = call.sizes[0], length = type->size](arith::Expr i) {
        return last->at(rotated(i, k, length));
      });
    case Op::Concat: {
      View first = arguments[0];
      return array_view(type, [=, this, element = ir::element_of(type)](arith::Expr i) {
        arith::Expr length = first->type->size;
        return choose(
            loop::test({arith::Relation::Less, i, length}), element, [=] { return first->at(i); },
            [=] { return last->at(i - length); });
      });
    }
    case Op::Update:
      return array_view(type, [=, this, element = ir::element_of(type)](arith::Expr i) {
        const arith::Expr updated = to_index(arguments[0]->value(), last->type->size);
        return choose(
            loop::test({arith::Relation::Equal, i, updated}), element, [=] { return arguments[1]; },
            [=] { return last->at(i); });
      });
    case Op::AsVector: {
      std::int64_t width = constant_size(call.sizes[0], "a vector's width");
      return array_view(type, [=, this, element = ir::element_of(type)](arith::Expr i) {
        return vector_of_elements(element, width, [=](std::int64_t k) {
          return last->at(i * arith::constant(width) + arith::constant(k));
        });
      });
    }
    case Op::AsScalar: {
      arith::Expr width = ir::element_of(last->type)->size;
      return array_view(
          type, [=, this](arith::Expr i) { return scalar_of_vector(last->at(i / width), i % width); });
    }
    case Op::Broadcast: {
      int width = static_cast<int>(constant_size(call.sizes[0], "a vector's width"));
      return deferred(type, [=] { return value_view(type, loop::make_vector({last->value()}, width)); });
    }
    case Op::Dot:
      return deferred(type, [=, first = once(arguments[0]), second = once(last)] {
        int width = value_type(first->type).width;
        ValuePtr a = first->value(), b = second->value(), total;
        for (int k = 0; k < width; ++k) {
          ValuePtr product =
              loop::operation(ScalarOp::Multiply, {loop::component(a, k), loop::component(b, k)});
          total = total ? loop::operation(ScalarOp::Add, {total, product}) : product;
        }
        return value_view(type, total);
      });
    // These are no views: eval_call computes them, or asks for what they annotate.
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
    case Op::Scatter:
    case Op::MapGlobal:
    case Op::MapGroup:
    case Op::MapLocal:
    case Op::MapSeq:
    case Op::MapSeqUnroll:
    case Op::MapSeqSlide:
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
      break;
  }
  throw Bug("no view for " + std::string(ir::primitive(call.op).name));
}

}  // namespace hoist::lower
