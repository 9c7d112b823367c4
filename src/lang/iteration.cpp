// iterate and iterateWhile: a function applied to its own result.
//
// iterate(m, f, x) has three forms. The length of an array may change from step to step: then f is typed with
// a length of its own. Where that does not work, f is typed with x's own length, and keeps it. Where f takes
// one parameter more than the state has, the first is the number of the step. The number of steps is a size,
// or an i32 that is known only when the program runs. All but the first two are iterateWhile with a condition
// that always holds.
#include <fmt/format.h>

#include "lang/elaborator.hpp"

namespace hoist::lang {

using ir::Op;

namespace {

/// The condition under which a counted iteration goes on.
ir::Term always(ir::Type state) {
  return ir::lambda(
      {state}, [](const std::vector<ir::Term>&) { return ir::literal(ScalarValue::of_bool(true)); }, {"x"});
}

}  // namespace

ir::Term Elaborator::step_function(const Function& callee, ir::Type state, bool takes_number) {
  share_given(callee);
  const std::size_t count = missing_count(callee);
  const bool has_name = count == (takes_number ? 2 : 1);
  const std::vector<std::string> names = parameter_names(callee, count);
  const ir::Term number = ir::fresh(ir::scalar_type(Scalar::I32), takes_number ? names[0] : "step");
  const ir::Term value = ir::fresh(state, has_name ? names.back() : "state");
  Arguments arguments{known_argument(value)};
  if (takes_number && count > 2) {
    // The components of the state, after the number.
    arguments.clear();
    for (std::uint32_t i = 0; i < state->elements.size(); ++i)
      arguments.push_back(known_argument(ir::get(i, value)));
  }
  if (takes_number) arguments.insert(arguments.begin(), known_argument(number));
  ir::Term body;
  {
    const AnchorScope scope(*this);
    body = scope.close(apply(callee, arguments, callee.place, state));
  }
  return body ? make(callee.place,
                     [&] {
                       return ir::lambda(std::vector<ir::Term>{number, value}, body);
                     })
              : body;
}

ir::Term Elaborator::whole_number(Argument& count, arith::Expr size, std::string_view what,
                                  const Location& place) {
  if (size) return make(place, [&] { return ir::size_value(size); });
  const ir::Term term = single_use(count, place, ir::scalar_type(Scalar::I32));
  if (!term || term.type() == ir::scalar_type(Scalar::I32)) return term;
  const bool is_other_integer = ir::is_scalar(term.type()) && is_integer(term.type()->scalar);
  report(place_of(count, place),
         fmt::format("{} is a size or an i32, and this is {}", what, ir::to_string(term.type())), "",
         is_other_integer ? "convert it: i32(...)" : "");
  return {};
}

ir::Term Elaborator::apply_iteration(Op op, Arguments arguments, const Location& place, ir::Type expected) {
  const bool has_condition = op == Op::IterateWhile;
  Argument& count = *arguments[has_condition ? 1 : 0];
  Argument& function = *arguments[has_condition ? 2 : 1];
  Argument& start_argument = *arguments.back();
  // What is no value or no function is reported as for every primitive.
  const bool has_kinds = kind_of(count) == Kind::Value && kind_of(function) == Kind::Function &&
                         kind_of(start_argument) == Kind::Value &&
                         (!has_condition || kind_of(*arguments[0]) == Kind::Function);
  if (!has_kinds) return apply_as_scheme_says(op, arguments, place, expected);
  const arith::Expr size = size_if_any(count, place);
  // Literals of the start are of the types that the function keeps.
  const bool is_untyped_start = !start_argument.has_failed && !start_argument.term &&
                                start_argument.expression != nullptr &&
                                has_untyped_part(*start_argument.expression, start_argument.environment);
  ir::Type hint;
  if (!has_condition && size && is_untyped_start)
    hint = type_of_start(op, {size}, arguments, {}, expected, place);
  const ir::Term start = single_use(start_argument, place, hint);
  const Function* callee = function_of(function, place_of(function, place));
  if (!start || callee == nullptr) return {};
  arguments.back() = known_argument(start);

  const ir::Type state = start.type();
  const std::size_t components = ir::is_tuple(state) ? state->elements.size() : 1,
                    given = missing_count(*callee);
  const bool may_be_plain = given == 1 || given == components;
  const bool may_take_number = given == 2 || (given > 2 && given == components + 1);
  if (!has_condition && size && (may_be_plain || !may_take_number)) {
    const auto with_own_length = [&] { return apply_as_scheme_says(op, arguments, place, expected); };
    const auto with_length_of_start = [&]() -> ir::Term {
      const ir::Term lambda = instantiate(*callee, {state}, state, callee->place);
      if (!lambda || !ir::is_equal(lambda.type()->elements.back(), state)) return {};
      return make(place, [&] { return ir::call(Op::Iterate, {size}, {lambda, start}); });
    };
    const auto tried = [&](const auto& form) {
      const Diagnostics::Quiet quiet(diagnostics_);
      const ir::Term result = form();
      return quiet.is_clean() ? result : ir::Term{};
    };
    ir::Term result = tried(with_own_length);
    if (!result && ir::is_array(state)) result = tried(with_length_of_start);
    if (result) return result;
    // What is wrong whatever the length is says more without one of its own.
    if (!may_take_number) {
      const std::size_t reported = diagnostics_.size();
      if (ir::is_array(state)) with_length_of_start();
      return diagnostics_.size() > reported ? ir::Term{} : with_own_length();
    }
  }

  ir::Term step;
  if (may_be_plain && may_take_number) {
    const Diagnostics::Quiet quiet(diagnostics_);
    step = step_function(*callee, state, false);
    if (!step || !quiet.is_clean() || !ir::is_equal(step.type()->elements.back(), state))
      step = step_function(*callee, state, true);
  }
  if (!step) step = step_function(*callee, state, may_take_number && !may_be_plain);
  const ir::Term most = whole_number(count, size, "the number of steps", place_of(count, place));
  ir::Term condition = always(state);
  if (has_condition) {
    const Function* test = function_of(*arguments[0], place_of(*arguments[0], place));
    condition = test == nullptr ? ir::Term{}
                                : instantiate(*test, {state}, ir::scalar_type(Scalar::Bool), test->place);
  }
  if (!step || !most || !condition) return {};
  if (const ir::Type next = step.type()->elements.back(); !ir::is_equal(next, state)) {
    report(callee->place, fmt::format("{}: its function must give what it takes, {}, but gives {}",
                                      ir::primitive(op).name, ir::to_string(state), ir::to_string(next)));
    return {};
  }
  return make(place, [&] { return ir::call(Op::IterateWhile, {}, {condition, most, step, start}); });
}

}  // namespace hoist::lang
