// Calls of the primitives in the table: their arguments are what the schemes say.
//
// `apply_as_scheme_says` does it for all of them, in the order in which types become known: sizes, then data,
// then literals that take their type from the data, then functions, whose parameters have the types that the
// scheme gives them by now. What a primitive may be written as besides is handled before it
// (`apply_primitive`, `normalise`): pad with a value or a function, rotate by a number, iterations
// (iteration.cpp).
//
// What a reduction starts from is the hard case: `reduce(+, 0)` of floats means 0.0, and a function may keep
// another type than the elements have. `type_of_start` tries the types that are possible, and takes the first
// that the function keeps.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lang/elaborator.hpp"

namespace hoist::lang {
namespace {

using ir::ArgumentKind;
using ir::Op;

bool has_start(Op op) { return ir::is_reduce(op) || ir::is_scan(op); }

/// Where reductions, scans and iterate have what they start from: behind their function.
std::size_t start_of(const std::vector<ir::SchemeArgument>& scheme) { return scheme[0].is_static() ? 2 : 1; }

ir::Type with_scalar(ir::Type type, Scalar scalar) {
  if (ir::is_array(type)) return ir::array_type(type->size, with_scalar(ir::element_of(type), scalar));
  return ir::is_scalar(type) ? ir::scalar_type(scalar) : type;
}

ir::Term number_of(arith::Expr size) {
  if (const auto value = size.constant()) return ir::literal(ScalarValue::of_integer(Scalar::I32, *value));
  return ir::size_value(size);
}

/// What the literals among a function's results should be.
ir::Type expected_function_result(Op op, ir::Type expected, ir::Term start) {
  if (has_start(op)) return start ? start.type() : ir::Type{};
  const bool gives_elements = ir::is_map(op) || op == Op::Generate;
  return gives_elements && expected && ir::is_array(expected) ? ir::element_of(expected) : ir::Type{};
}

/// What an untyped literal among the data should be: reductions start with a value like the elements, what is
/// padded or put in the place of an element is one. Others are indices.
ir::Type expected_data(Op op, const ir::SchemeArgument& argument, ir::Type expected, ir::Term array) {
  if (op == Op::Iterate) return expected;
  // Where the array is written out, its elements are what the hint is for.
  if (op == Op::At) return expected && argument.name == "x" ? ir::array_type(1, expected) : ir::Type{};
  const bool is_start = has_start(op) && argument.name == "init";
  const bool is_element =
      (op == Op::PadValue && argument.name == "v") || (op == Op::Update && argument.name == "e");
  if (!is_start && !is_element) return {};
  if (ir::is_reduce(op) && expected) return expected;
  if (ir::is_scan(op) && expected && ir::is_array(expected)) return ir::element_of(expected);
  if (!array || !ir::is_array(array.type())) return {};
  ir::Type element = ir::element_of(array.type());
  while (op == Op::PadValue && ir::is_array(element)) element = ir::element_of(element);
  return element;
}

std::string ordinal(std::size_t number) {
  constexpr std::array<std::string_view, 6> words{"first", "second", "third", "fourth", "fifth", "sixth"};
  return number < words.size() ? std::string(words[number]) : fmt::format("{}th", number + 1);
}

}  // namespace

std::size_t Elaborator::primitive_arity(Op op, std::size_t given) {
  constexpr std::size_t fewest_zipped = 2;
  if (op == Op::Zip) return std::max(given, fewest_zipped);
  static thread_local std::unordered_map<Op, std::size_t> arities;
  const auto known = arities.find(op);
  if (known != arities.end()) return known->second;
  const std::size_t arity = ir::CallTyping(op, 1).arguments().size();
  arities.emplace(op, arity);
  return arity;
}

Op Elaborator::normalise(Op op, Arguments& arguments) {
  if (ir::is_parallel_map(op) && !arguments.empty() && kind_of(*arguments[0]) == Kind::Function) {
    arguments.insert(arguments.begin(), known_size(0));
  }
  if (op == Op::Pad && arguments.size() > 2 && kind_of(*arguments[2]) == Kind::Value) return Op::PadValue;
  return op;
}

bool Elaborator::give_static(ir::CallTyping& typing, std::size_t index, Argument& value,
                             const Location& place) {
  const ir::SchemeArgument& wanted = typing.arguments()[index];
  if (value.has_failed) return false;
  if (wanted.kind == ArgumentKind::Boundary) {
    const auto boundary =
        value.expression == nullptr ? std::nullopt : boundary_of(*value.expression, value.environment);
    if (!boundary) {
      report(place, "one of clamp, mirror, reflect and wrap is needed here");
      return false;
    }
    typing.give_static(index, static_cast<std::int64_t>(*boundary));
    return true;
  }
  if (kind_of(value) != Kind::Value) {
    report(place,
           fmt::format("a {} is needed here", wanted.kind == ArgumentKind::Size ? "size" : "dimension"));
    return false;
  }
  const arith::Expr size = size_of(value, place);
  if (!size) return false;
  if (wanted.kind == ArgumentKind::Dimension) {
    const auto dimension = size.constant();
    if (!dimension || *dimension < 0 || *dimension > 2) {
      report(place, fmt::format("the dimension is {}; it must be 0, 1 or 2", arith::to_string(size)));
      return false;
    }
  }
  typing.give_static(index, size);
  return true;
}

ir::Term Elaborator::widened_start(Argument& function_argument, ir::Term start, ir::Type element,
                                   const Location& place) {
  const bool may_widen = start && ir::is_scalar(start.type()) && ir::is_vector(element) &&
                         start.type()->scalar == element->scalar;
  if (!may_widen) return start;
  const Function* callee = function_of(function_argument, place);
  if (callee == nullptr) return start;
  const ir::Type vector = ir::vector_type(element->scalar, element->size);
  {
    const Diagnostics::Quiet quiet(diagnostics_);
    const ir::Term lambda = instantiate(*callee, {start.type(), element}, {}, callee->place);
    // A function that keeps a scalar, as one that adds up dot products does, starts from a scalar.
    if (lambda && lambda.type()->elements.back() != vector) return start;
  }
  return make(place, [&] { return ir::call(Op::Broadcast, {element->size}, {start}); });
}

ir::Term Elaborator::pad_with_value(const std::vector<arith::Expr>& sizes, ir::Term value, ir::Term array,
                                    const Location& place) {
  const ir::Type element = ir::element_of(array.type());
  if (!ir::is_array(element))
    return make(place, [&] { return ir::call(Op::PadValue, sizes, {value, array}); });
  const ir::Term columns = make(place, [&] { return ir::call(Op::Transpose, {}, {array}); });
  if (!columns) return {};
  const ir::Term column = ir::fresh(ir::element_of(columns.type()), "column");
  const ir::Term padded = pad_with_value(sizes, value, column, place);
  if (!padded) return {};
  return make(place, [&] {
    return ir::call(Op::Transpose, {}, {ir::call(Op::Map, {}, {ir::lambda({column}, padded), columns})});
  });
}

ir::Term Elaborator::pad_by_function(const Arguments& arguments, const Location& place) {
  std::vector<arith::Expr> sizes;
  for (const std::size_t index : {0U, 1U}) {
    sizes.push_back(size_of(*arguments[index], place_of(*arguments[index], place)));
    if (sizes.back() && arith::less(sizes.back(), 0) == arith::Truth::Yes) {
      report(place_of(*arguments[index], place),
             fmt::format("pad: {} is less than 0", arith::to_string(sizes.back())));
      return {};
    }
  }
  const Function* callee = function_of(*arguments[2], place);
  ir::Term array = single_use(*arguments[3], place);
  if (callee == nullptr || !array || !sizes[0] || !sizes[1]) return {};
  if (!ir::is_array(array.type())) {
    report(place_of(*arguments[3], place),
           fmt::format("pad: the last argument is an array, and this is {}", ir::to_string(array.type())));
    return {};
  }
  array = shared(array, *anchor_, "array");
  const ir::Type index = ir::scalar_type(Scalar::I32);
  const ir::Term function = instantiate(*callee, {index, index}, index, callee->place);
  if (!function) return {};
  return make(place, [&] {
    const arith::Expr length = array.type()->size;
    const ir::Term i = ir::fresh(index, "i");
    const ir::Term from_first = ir::scalar_call(ScalarOp::Subtract, {i, number_of(sizes[0])});
    const ir::Term read = ir::apply(function, {from_first, number_of(length)});
    return ir::call(Op::Generate, {sizes[0] + length + sizes[1]},
                    {ir::lambda(std::vector<ir::Term>{i}, ir::call(Op::At, {}, {read, array}))});
  });
}

ir::Term Elaborator::rotate_by_number(const Arguments& arguments, const Location& place) {
  ir::Term by = whole_number(*arguments[0], {}, "how far rotate goes", place_of(*arguments[0], place));
  const ir::Term array = single_use(*arguments[1], place);
  if (!by || !array) return {};
  if (!ir::is_array(array.type())) {
    report(place_of(*arguments[1], place),
           fmt::format("rotate: the last argument is an array, and this is {}", ir::to_string(array.type())));
    return {};
  }
  by = shared(by, *anchor_, "by");
  return make(place, [&] {
    const ir::Type index = ir::scalar_type(Scalar::I32);
    const ir::Term length = number_of(array.type()->size), last = number_of(array.type()->size - 1);
    const ir::Term zero = number_of(0);
    const auto apply_op = [](ScalarOp op, ir::Term a, ir::Term b) { return ir::scalar_call(op, {a, b}); };
    const auto let = [&](ir::Term value, const char* name, const std::function<ir::Term(ir::Term)>& body) {
      const ir::Term variable = ir::fresh(index, name);
      return ir::let(value, ir::lambda(std::vector<ir::Term>{variable}, body(variable)));
    };
    const auto select = [&](ScalarOp relation, ir::Term number, ScalarOp change) {
      return ir::scalar_call(ScalarOp::Select,
                             {apply_op(relation, number, zero), apply_op(change, number, length), number});
    };
    const ir::Term i = ir::fresh(index, "i");
    // The distance is from 1 - n to 0, so that no sum overflows, whatever the number and the length are.
    const ir::Term read = let(apply_op(ScalarOp::Remainder, by, length), "rest", [&](ir::Term rest) {
      const ir::Term distance = select(ScalarOp::Greater, rest, ScalarOp::Subtract);
      return let(apply_op(ScalarOp::Add, i, distance), "moved", [&](ir::Term moved) {
        const ir::Term inside = select(ScalarOp::Less, moved, ScalarOp::Add);
        // The index needs no test where the term says that it is inside.
        return apply_op(ScalarOp::Maximum, zero, apply_op(ScalarOp::Minimum, last, inside));
      });
    });
    return ir::call(Op::Gather, {}, {ir::lambda(std::vector<ir::Term>{i}, read), array});
  });
}

bool Elaborator::has_untyped_part(const Expression& expression, const Environment& environment) {
  const Argument argument{.expression = &expression, .environment = environment};
  const Argument* tuple = written_tuple(argument);
  if (tuple == nullptr) return is_untyped(expression, environment);
  const auto& components = tuple->expression->as<syntax::Tuple>()->components;
  return std::any_of(components.begin(), components.end(), [&](const Expression* component) {
    return has_untyped_part(*component, tuple->environment);
  });
}

std::vector<ir::Type> Elaborator::possible_types(const Expression& expression, const Environment& environment,
                                                 ir::Type type, const std::vector<Scalar>& scalars) {
  const auto* tuple = expression.as<syntax::Tuple>();
  if (tuple == nullptr) {
    std::vector<ir::Type> types{type};
    if (!is_untyped(expression, environment)) return types;
    for (const Scalar scalar : scalars) types.push_back(with_scalar(type, scalar));
    return types;
  }
  constexpr std::size_t most = 64;
  std::vector<std::vector<ir::Type>> all{{}};
  for (std::size_t index = 0; index < tuple->components.size(); ++index) {
    const std::vector<ir::Type> own =
        possible_types(*tuple->components[index], environment, type->elements[index], scalars);
    std::vector<std::vector<ir::Type>> longer;
    for (const std::vector<ir::Type>& each : all) {
      for (const ir::Type next : own) {
        longer.push_back(each);
        longer.back().push_back(next);
      }
    }
    if (longer.size() > most) longer.resize(most);
    all = std::move(longer);
  }
  std::vector<ir::Type> types;
  for (std::vector<ir::Type>& each : all) types.push_back(ir::tuple_type(std::move(each)));
  return types;
}

ir::Type Elaborator::type_of_start(Op op, const std::vector<arith::Expr>& sizes, const Arguments& arguments,
                                   ir::Term array, ir::Type expected, const Location& place) {
  const std::size_t start = start_of(ir::CallTyping(op, arguments.size()).arguments()), function = start - 1;
  const Argument* written = written_tuple(*arguments[start]);
  if (written == nullptr) written = arguments[start];
  const Expression& expression = *written->expression;
  const Diagnostics::Quiet quiet(diagnostics_);
  const AnchorScope scope(*this);
  const ir::Term plain = term_of(expression, written->environment);
  const Function* callee = function_of(*arguments[function], place);
  if (!plain || callee == nullptr || ir::is_scalar(plain.type())) return {};
  std::vector<Scalar> scalars;
  const auto add_scalars = [&](ir::Type type) {
    for (const ir::Leaf& leaf : ir::leaves(type)) {
      const bool is_known = std::find(scalars.begin(), scalars.end(), leaf.scalar) != scalars.end();
      if (!is_known && leaf.scalar != Scalar::Bool) scalars.push_back(leaf.scalar);
    }
  };
  if (array) add_scalars(array.type());
  add_scalars(plain.type());
  std::vector<ir::Type> types = possible_types(expression, written->environment, plain.type(), scalars);
  if (expected) types.insert(types.begin(), expected);
  for (const ir::Type type : types) {
    const ir::Term value = term_of(expression, written->environment, type);
    if (!value || value.type() != type) continue;
    ir::CallTyping typing(op, arguments.size());
    for (std::size_t index = 0; index < sizes.size(); ++index) typing.give_static(index, sizes[index]);
    if (array && !typing.give_data(arguments.size() - 1, array.type())) return {};
    if (!typing.give_data(start, type)) continue;
    const auto parameters = typing.function_parameters(function);
    if (!parameters) continue;
    const ir::Term lambda = instantiate(*callee, *parameters, type, place);
    if (lambda && typing.give_function(function, lambda.type()) && typing.result()) return type;
  }
  return {};
}

ir::Term Elaborator::apply_primitive(Op op, Arguments arguments, const Location& place, ir::Type expected) {
  const std::string_view name = ir::primitive(op).name;
  op = normalise(op, arguments);
  const std::size_t count = arguments.size();
  const bool is_wrapped_function =
      ir::is_address_space(op) && count == 1 && kind_of(*arguments[0]) == Kind::Function;
  if (is_wrapped_function) return not_a_value(place, fmt::format("the function {}(f)", name));
  if (count != primitive_arity(op, count)) {
    return wrong_count(fmt::format("'{}'", name), primitive_arity(op, 0), count, place,
                       form_of({PartialPrimitive{op, {}}, place}));
  }
  if (op == Op::Pad && kind_of(*arguments[2]) == Kind::Function) return pad_by_function(arguments, place);
  if (op == Op::Rotate && kind_of(*arguments[0]) == Kind::Value && !size_if_any(*arguments[0], place))
    return rotate_by_number(arguments, place);
  return ir::is_iterate(op) ? apply_iteration(op, std::move(arguments), place, expected)
                            : apply_as_scheme_says(op, arguments, place, expected);
}

ir::Term Elaborator::apply_as_scheme_says(Op op, const Arguments& arguments, const Location& place,
                                          ir::Type expected) {
  const std::string_view name = ir::primitive(op).name;
  const std::size_t count = arguments.size();
  ir::CallTyping typing(op, count);
  const std::vector<ir::SchemeArgument>& scheme = typing.arguments();
  if (scheme.size() != count) throw Bug(fmt::format("{}: {} arguments in its scheme", name, scheme.size()));

  bool has_failed = false;
  std::vector<ir::Term> terms(count);
  std::vector<Location> places;
  for (const Argument* argument : arguments) places.push_back(place_of(*argument, place));
  const auto is_data = [&](std::size_t index) {
    return scheme[index].kind == ArgumentKind::Data || scheme[index].kind == ArgumentKind::Index;
  };
  const auto give = [&](std::size_t index) {
    if (const auto given = typing.give_data(index, terms[index].type()); !given) {
      report(places[index], given.error());
      has_failed = true;
    }
  };

  for (std::size_t index = 0; index < count; ++index) {
    if (scheme[index].is_static()) {
      has_failed = !give_static(typing, index, *arguments[index], places[index]) || has_failed;
    }
  }
  // Literals wait for the array beside them.
  const bool starts = has_start(op) || op == Op::Iterate;
  const auto is_late = [&](std::size_t index) {
    const Argument& argument = *arguments[index];
    if (argument.has_failed || argument.term || argument.expression == nullptr) return false;
    return starts && index == start_of(scheme) ? has_untyped_part(*argument.expression, argument.environment)
                                               : is_untyped(*argument.expression, argument.environment);
  };
  ir::Term array;
  for (const bool late : {false, true}) {
    for (std::size_t index = 0; index < count; ++index) {
      if (!is_data(index) || is_late(index) != late) continue;
      if (kind_of(*arguments[index]) != Kind::Value) {
        report(places[index], fmt::format("the {} argument of '{}' must be a value, not a function or a size",
                                          ordinal(index), name));
        has_failed = true;
        continue;
      }
      ir::Type hint = late ? expected_data(op, scheme[index], expected, array) : ir::Type{};
      if (late && starts && index == start_of(scheme) && !has_failed) {
        const ir::Type found = type_of_start(op, typing.static_arguments(), arguments, array, hint, place);
        if (found) hint = found;
      }
      terms[index] = single_use(*arguments[index], place, hint);
      has_failed = has_failed || !terms[index];
      if (index + 1 == count) array = terms[index];
    }
  }
  const std::size_t start_of_reduction = start_of(scheme);
  const std::size_t function_of_reduction = start_of_reduction - 1;
  if (has_start(op) && !has_failed && ir::is_array(array.type())) {
    ir::Term& start = terms[start_of_reduction];
    start = widened_start(*arguments[function_of_reduction], start, ir::element_of(array.type()),
                          places[start_of_reduction]);
    has_failed = !start;
  }
  constexpr std::size_t value_of_pad = 2;
  const bool pads_rows = op == Op::PadValue && !has_failed && ir::is_array(array.type()) &&
                         ir::is_array(ir::element_of(array.type())) &&
                         !ir::is_array(terms[value_of_pad].type());
  if (pads_rows) {
    return pad_with_value(typing.static_arguments(), shared(terms[value_of_pad], *anchor_, "value"), array,
                          place);
  }
  for (std::size_t index = 0; index < count; ++index) {
    if (is_data(index) && terms[index] && !has_failed) give(index);
  }
  for (std::size_t index = 0; index < count; ++index) {
    if (scheme[index].kind != ArgumentKind::Function) continue;
    const Function* callee = function_of(*arguments[index], places[index]);
    if (callee == nullptr || has_failed) {
      has_failed = true;
      continue;
    }
    const auto types = typing.function_parameters(index);
    if (!types) {
      report(places[index], types.error());
      return {};
    }
    const ir::Term start = has_start(op) ? terms[start_of_reduction] : ir::Term{};
    const ir::Type result = expected_function_result(op, expected, start);
    terms[index] = instantiate(*callee, *types, result, callee->place);
    if (!terms[index]) return {};
    if (const auto given = typing.give_function(index, terms[index].type()); !given) {
      report(callee->place, given.error());
      return {};
    }
  }
  if (has_failed) return {};
  if (const auto result = typing.result(); !result) {
    report(place, result.error());
    return {};
  }
  std::erase_if(terms, [](ir::Term term) { return !term; });
  return make(place, [&] { return ir::call(op, typing.static_arguments(), terms); });
}

}  // namespace hoist::lang
