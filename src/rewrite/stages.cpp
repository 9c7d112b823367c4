// Which intermediate values are stored. The example is a 3x3 sum of 3x3 sums in each plane of an array:
//
//   planes |> map(p => p |> sums |> sums)          where sums(u) = u |> slide2(3, 1) |> map2(sum of the
//   window)
//
// The pass walks from the result to the inputs and counts how often each element of each array is asked for
// (`Demand`). The result asks for each of its elements once, and each of them asks for nine elements of the
// inner sums, so those are computed nine times where they are put in place, but there is only one of each
// (`distinct`). With what computing one costs (`cost`), `is_worth_storing` decides, and `lift` replaces the
// inner sums by a variable. The variable leaves the function of the map as an array over the planes
// (`distribute`):
//
//   let shared = planes |> map(p => p |> sums) in shared |> map(s => s |> sums)
//
// Read `visit` first, then `lift` and `distribute`.
#include "rewrite/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ir/inspect.hpp"
#include "ir/print.hpp"
#include "ir/reduction.hpp"
#include "rewrite/cost_model.hpp"
#include "rewrite/failing.hpp"
#include "rewrite/invariants.hpp"
#include "rewrite/nest.hpp"

namespace hoist::rewrite {

using ir::contains_array;
using ir::Op;
using ir::Term;
using ir::Type;

bool is_indexable(Term term) {
  if (auto* lambda = term.as<ir::Lambda>()) return is_indexable(lambda->body);
  if (!contains_array(term.type())) return true;
  if (auto* let = term.as<ir::Let>()) {
    return !contains_loop(let->value) && is_indexable(let->body.as<ir::Lambda>()->body);
  }
  if (auto* call = term.as<ir::Call>()) {
    if (ir::has_any(call->op, ir::Trait::Whole)) return false;
    for (Term argument : call->arguments) {
      if (auto* lambda = argument.as<ir::Lambda>()) {
        if (!is_indexable(lambda->body)) return false;
      } else if (!is_indexable(argument)) {
        return false;
      }
    }
    return true;
  }
  std::vector<Term> children = ir::children(term);
  return std::all_of(children.begin(), children.end(), is_indexable);
}

namespace {

// Costs are counted in simple scalar operations.
constexpr double stored_load = 10;   ///< of an element of a stored array; what costs less is never stored
constexpr double store_cost = 24;    ///< of an element that is written to memory, and a kernel's share
constexpr double memory_passes = 3;  ///< of an array that no cache holds, against one that a cache does
constexpr double most_in_registers = 32;  ///< elements of an array that one work-item computes for itself
constexpr double most_stored = 1 << 28;  ///< elements of an intermediate array that is larger than the result
constexpr double often = 1.5;            ///< from here on a value is asked for more than once
constexpr double costly = 256;  ///< what is worth a kernel of its own for the sake of its work-items alone
constexpr double few_items = 2048;  ///< work-items that leave a device idle

bool runs_in_order(Term term) {
  auto* call = term.as<ir::Call>();
  if (!call || !contains_array(term.type())) return false;
  return ir::carries_state(call->op) || call->op == Op::Scatter;
}

class Stages : private CostModel {
 public:
  explicit Stages(std::vector<std::string>& notes) : notes_(notes) {}

  Term run(Term term) {
    largest_ = elements(term.type());
    std::unordered_set<Term> seen;
    largest_given_ = largest_input(term, seen);
    std::vector<Lifted> lifted;
    lifted_ = &lifted;
    items_ = elements(term.type());
    Term result = visit(term, all_of(term.type(), 1), {.is_result = true});
    for (std::size_t i = lifted.size(); i-- > 0;) {
      result = ir::let(lifted[i].value, ir::lambda(std::vector<Term>{lifted[i].variable}, result));
    }
    return result;
  }

 private:
  /// A value that is stored, as it stands in the function at hand.
  struct Lifted {
    Term original;  ///< what it replaces
    Term variable, value;
  };

  struct Position {
    bool is_result = false;   ///< the value is written to memory as it is
    bool is_guarded = false;  ///< computed for elements in a range alone
    bool may_lift = true;
  };

  /// Elements of the largest array that the term reads; of its parts that were seen before, none.
  static double largest_input(Term term, std::unordered_set<Term>& seen) {
    if (!term->has_free || !seen.insert(term).second) return 0;
    if (term.as<ir::Free>()) return elements(term.type());
    double largest = 0;
    for (Term child : ir::children(term)) largest = std::max(largest, largest_input(child, seen));
    return largest;
  }

  // ---- Deciding.

  bool is_worth_storing(Term term, const Demand& demand, Position position) {
    const double values = distinct(term), repeats = times(demand, term.type()) / values;
    const bool in_order = runs_in_order(term);
    if (in_order) {
      if (position.is_result && repeats < often) return false;
      if (elements(term.type()) <= most_in_registers && !dependences(term).empty()) return false;
    } else {
      const double each = cost(term);
      // What is larger than all that the program is given and gives leaves the caches: it goes through memory
      // when it is written (which reads it first) and when it is read.
      const double excess = elements(term.type()) * values / std::max(largest_, largest_given_);
      const double storing = store_cost * (excess > 1 ? memory_passes * excess : 1);
      const bool saves_work = repeats >= often && (each - stored_load) * repeats > storing + each;
      const bool shares_work = !position.is_result && items_ <= few_items && own_cost(term) >= costly &&
                               elements(term.type()) * values >= 4 * items_;
      if (!saves_work && !shares_work) return false;
    }
    const char* obstacle = obstacle_to_storing(term, position);
    if (obstacle && tells_ && repeats >= often && (in_order || cost(term) >= costly)) {
      tell_repeated(term, repeats, obstacle);
    }
    return obstacle == nullptr;
  }

  void tell_repeated(Term term, double repeats, const char* reason) {
    notes_.push_back(fmt::format("computed {} times: {}, since {}", static_cast<std::int64_t>(repeats + 0.5),
                                 ir::to_string(term), reason));
  }

  /// Why a value cannot be computed before what reads it; null where it can.
  const char* obstacle_to_storing(Term term, Position position) {
    if (!position.may_lift) return "its length changes with the steps of iterate";
    if (depends_on_state(term)) return "it depends on what a loop has computed so far";
    if (position.is_guarded && can_fail(term, indices_))
      return "elements outside of a range are not computed";
    const double stored = elements(term.type()) * distinct(term);
    return stored > std::max(most_stored, largest_) ? "an array of all its values would be too large"
                                                    : nullptr;
  }

  Term lift(Term term, Position position) {
    for (const Lifted& each : *lifted_) {
      if (each.original == term) return each.variable;
    }
    Term variable = ir::fresh(term.type(), "shared");
    variables.emplace(variable, Variable{dependences(term), {load_cost}});
    if (!contains_array(term.type())) variables.at(variable).cost = {0};
    const double values = distinct(term);
    const double items = items_;
    items_ = values * elements(term.type());
    position.is_result = true;
    Term value = visit_inside(term, all_of(term.type(), values), position);
    items_ = items;
    lifted_->push_back({term, variable, value});
    return variable;
  }

  // ---- Walking.

  /// The term with what is stored replaced by variables. `demand` is how often its elements are asked for.
  Term visit(Term term, const Demand& demand, Position position) {
    if (term.as<ir::Free>()) {
      auto known = variables.find(term);
      if (known != variables.end()) {
        Variable& variable = known->second;
        variable.demand.resize(std::max(variable.demand.size(), demand.size()));
        for (std::size_t i = 0; i < demand.size(); ++i) variable.demand[i] += demand[i];
        variable.items = std::max(variable.items, items_);
      }
      return term;
    }
    if (auto* call = term.as<ir::Call>()) {
      const bool computes = (call->op == Op::Map && !is_layout_only(call->arguments[0])) ||
                            call->op == Op::Generate || ir::is_reduce(call->op) || runs_in_order(term);
      if (computes && is_worth_storing(term, demand, position)) return lift(term, position);
    }
    const bool chooses = term.as<ir::If>() && contains_loop(term);
    if (chooses && is_worth_storing(term, demand, position)) return lift(term, position);
    return visit_inside(term, demand, position);
  }

  Term visit_inside(Term term, const Demand& demand, Position position) {
    if (auto* let = term.as<ir::Let>()) return visit_let(*let, demand, position);
    if (auto* call = term.as<ir::Call>()) return visit_call(term, *call, demand, position);
    const double how_often = times(demand, term.type());
    if (auto* get = term.as<ir::Get>()) {
      Demand all = all_of(get->tuple.type(), 0);
      all[get->index] = how_often * all_of(get->tuple.type(), 1)[get->index];
      // Whoever asks for one component does not write the tuple as it is.
      Term tuple = visit(get->tuple, all, inner(position));
      return ir::get(get->index, tuple);
    }
    if (auto* tuple = term.as<ir::Tuple>()) {
      std::vector<Term> components;
      for (std::size_t i = 0; i < tuple->components.size(); ++i) {
        const Type type = tuple->components[i].type();
        const double own = demand.size() == tuple->components.size() ? demand[i] / elements(type) : how_often;
        components.push_back(visit(tuple->components[i], all_of(type, own), position));
      }
      return ir::tuple(components);
    }
    if (auto* branch = term.as<ir::If>()) {
      Term condition = visit(branch->condition, {how_often}, inner(position));
      Term then_term = visit_branch(branch->then_term, demand, position);
      return ir::if_then_else(condition, then_term, visit_branch(branch->else_term, demand, position));
    }
    std::vector<Term> children = ir::children(term);
    if (children.empty()) return term;
    for (Term& child : children) child = visit(child, all_of(child.type(), how_often), inner(position));
    return ir::with_children(term, children);
  }

  /// What is stored of a term that a condition guards: what may fail is computed where the condition holds,
  /// anything else before.
  Term visit_branch(Term term, const Demand& demand, Position position) {
    position.is_guarded = false;
    std::vector<Lifted>* outer = lifted_;
    std::vector<Lifted> inside;
    lifted_ = &inside;
    Term body = visit(term, demand, position);
    lifted_ = outer;
    std::vector<std::pair<Term, Term>> kept;
    for (const Lifted& each : inside) {
      const bool uses_kept = std::any_of(
          kept.begin(), kept.end(), [&](const auto& before) { return mentions(each.value, before.first); });
      if (!uses_kept && !can_fail(each.value, indices_)) {
        const auto same = std::find_if(lifted_->begin(), lifted_->end(),
                                       [&](const Lifted& other) { return other.original == each.original; });
        if (same == lifted_->end()) {
          lifted_->push_back(each);
        } else {
          body = ir::substitute_free(body, {{each.variable, same->variable}});
          for (Lifted& later : inside)
            later.value = ir::substitute_free(later.value, {{each.variable, same->variable}});
        }
        continue;
      }
      kept.emplace_back(each.variable, each.value);
      const double repeats = times(demand, term.type()) / distinct(each.original);
      if (tells_ && repeats >= often && cost(each.original) >= costly)
        tell_repeated(each.original, repeats, "it is computed under a condition");
    }
    for (std::size_t i = kept.size(); i-- > 0;) {
      body = ir::let(kept[i].second, ir::lambda(std::vector<Term>{kept[i].first}, body));
    }
    return body;
  }

  static Position inner(Position position) {
    position.is_result = false;
    return position;
  }

  Term visit_let(const ir::Let& let, const Demand& demand, Position position) {
    const Type type = let.value.type();
    auto* function = let.body.as<ir::Lambda>();
    Term variable = ir::fresh(type, function->names.empty() ? "value" : function->names[0]);
    const bool is_scalar = !contains_array(type);
    Variable known{dependences(let.value),
                   is_scalar ? std::vector<double>{0} : costs_of_components(let.value)};
    known.demand = all_of(type, 0);
    variables.emplace(variable, std::move(known));

    std::vector<Lifted>* outer = lifted_;
    std::vector<Lifted> inside;
    lifted_ = &inside;
    Term body = visit(ir::apply(let.body, {variable}), demand, position);
    lifted_ = outer;

    const Variable& used = variables.at(variable);
    // A scalar is computed once by each work-item that uses it, however often it does, for each value that it
    // takes there.
    const double once = used.items > 0 ? std::max(used.items, distinct(let.value)) : 0;
    const Demand asked = is_scalar ? all_of(type, once) : used.demand;
    Term value;
    if (is_scalar && is_worth_storing(let.value, asked, inner(position))) {
      value = lift(let.value, inner(position));
    } else {
      value = visit(let.value, asked, inner(position));
    }
    for (Lifted& each : inside) {
      each.value = ir::substitute_free(each.value, {{variable, value}});
      each.original = ir::substitute_free(each.original, {{variable, let.value}});
      lifted_->push_back(each);
    }
    // What each step of a loop computes for several readers is theirs to share, though it cannot be stored
    // before the loop. So is what none of them needs, which else each would compute.
    const double repeats = times(asked, type) / distinct(let.value);
    const bool is_of_step = depends_on_state(let.value) && (repeats >= often || repeats == 0);
    if (!(is_scalar || is_of_step) || value.as<ir::Free>())
      return ir::substitute_free(body, {{variable, value}});
    return ir::let(value, ir::lambda(std::vector<Term>{variable}, body));
  }

  /// The parameters of a function as variables; `x` is what each element of the last one is of, if any.
  std::vector<Term> opened(Term lambda, Term x, double extent, bool has_state) {
    auto* function = lambda.as<ir::Lambda>();
    std::vector<Term> parameters = ir::fresh_parameters(*function);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      Variable known;
      const bool is_element = x && i + 1 == parameters.size();
      if (is_element) known.depends_on = dependences(x);
      known.depends_on.insert(parameters[i]);
      known.cost = is_element ? costs_of_components(x) : std::vector<double>{0};
      known.extent = is_element || (!x && extent > 1) ? extent : 1;
      known.is_state = has_state && !(is_element && parameters.size() == 2);
      known.demand = all_of(parameters[i].type(), 0);
      variables.emplace(parameters[i], std::move(known));
    }
    return parameters;
  }

  Term visit_call(Term term, const ir::Call& call, const Demand& demand, Position position) {
    if (call.op == Op::Map) return visit_map(call, demand, position);
    if (call.op == Op::Generate) return visit_generate(call, demand, position);
    if (ir::is_reduce(call.op) || ir::is_scan(call.op)) return visit_fold(term, call, demand, position);
    if (ir::is_keyed_reduce(call.op)) return visit_keyed(term, call, demand, position);
    if (call.op == Op::Iterate) return visit_iterate(term, call, demand, position);
    if (call.op == Op::IterateWhile) return visit_iterate_while(term, call, demand, position);
    const double how_often = times(demand, term.type());
    std::vector<Term> arguments = call.arguments;
    if (call.op == Op::Zip) {
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Type type = arguments[i].type();
        const double own = demand.size() == arguments.size() ? demand[i] / elements(type) : how_often;
        arguments[i] = visit(arguments[i], all_of(type, own), position);
      }
      return ir::with_children(term, arguments);
    }
    const bool keeps_result = ir::has_any(call.op, ir::Trait::Permutation);
    const bool is_view = ir::is_view(call.op);
    const double asked =
        std::accumulate(demand.begin(), demand.end(), 0.0, [](double a, double b) { return std::max(a, b); });
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].as<ir::Lambda>()) {
        const bool is_index = ir::has_any(call.op, ir::Trait::IndexFunction);
        const double calls = is_index ? estimated(call.arguments[1].type()->size) : 1;
        arguments[i] = visit_other_function(arguments[i], calls, asked, position);
      } else if (i + 1 == arguments.size() && is_view) {
        const bool same = all_of(arguments[i].type(), 1).size() == demand.size();
        arguments[i] = visit(arguments[i], same ? demand : all_of(arguments[i].type(), how_often),
                             keeps_result ? position : inner(position));
      } else {
        const double evaluations = call.op == Op::Concat ? how_often : is_view ? asked : how_often;
        arguments[i] = visit(arguments[i], all_of(arguments[i].type(), evaluations), inner(position));
      }
    }
    return ir::with_children(term, arguments);
  }

  /// A function whose parameters nothing is known of but how many values they take: only what does not depend
  /// on them may leave it.
  Term visit_other_function(Term lambda, double extent, double calls, Position position) {
    std::vector<Term> parameters = opened(lambda, {}, extent, true);
    auto* function = lambda.as<ir::Lambda>();
    Term body = ir::apply(lambda, parameters);
    body = visit(body, all_of(body.type(), calls), inner(position));
    return ir::lambda(parameters, body, function->claims);
  }

  /// What is asked of a function's parameter in all its calls: of scalars once in each, since a call keeps
  /// them.
  const Demand& asked_of(Term parameter, double calls) {
    Demand& demand = variables.at(parameter).demand;
    const Type type = parameter.type();
    const bool is_tuple = ir::is_tuple(type);
    for (std::size_t i = 0; i < demand.size(); ++i) {
      if (!contains_array(is_tuple ? type->elements[i] : type)) demand[i] = std::min(demand[i], calls);
    }
    return demand;
  }

  Term visit_map(const ir::Call& call, const Demand& demand, Position position) {
    Term x = call.arguments[1];
    Term parameter = opened(call.arguments[0], x, estimated(x.type()->size), false)[0];
    std::vector<Lifted>* outer = lifted_;
    std::vector<Lifted> inside;
    lifted_ = &inside;
    Term body = visit(ir::apply(call.arguments[0], {parameter}), demand, position);
    lifted_ = outer;
    Term source = visit(x, asked_of(parameter, times(demand, body.type())), inner(position));
    std::vector<std::pair<Term, Term>> zipped = distribute(inside, parameter, x, source);
    if (Term iterated = steps_outside(body, parameter, source, zipped)) return iterated;
    return mapped(body, parameter, source, zipped);
  }

  /// map(x => iterate(m, f, start(x))) as iterate(m, map(f), map(start)), so that all rows take a step side
  /// by side. Empty where the body is something else, or its state is short enough for one work-item's
  /// registers.
  static Term steps_outside(Term body, Term parameter, Term source,
                            const std::vector<std::pair<Term, Term>>& zipped) {
    auto* call = body.as<ir::Call>();
    if (!call || call->op != Op::Iterate || !ir::is_array(body.type())) return {};
    Term start = call->arguments[1], function = call->arguments[0];
    if (start.type() != body.type() || elements(body.type()) <= most_in_registers) return {};
    if (call->sizes[1] != start.type()->size) {
      function = ir::substitute_sizes(function, {{call->sizes[1].get(), start.type()->size}});
    }
    auto* step = function.as<ir::Lambda>();
    if (step->parameters.size() != 1 || step->parameters[0] != start.type() ||
        step->body.type() != start.type())
      return {};
    Term starts = mapped(start, parameter, source, zipped);
    Term states = ir::fresh(starts.type(), "states"), state = ir::fresh(start.type(), "state");
    std::vector<std::pair<Term, Term>> all = zipped;
    all.emplace_back(state, states);
    Term steps = mapped(ir::apply(function, {state}), parameter, source, all);
    return ir::call(Op::Iterate, {call->sizes[0]}, {ir::lambda(std::vector<Term>{states}, steps), starts});
  }

  /// map over `source` (as `parameter`) and the arrays zipped with it.
  static Term mapped(Term body, Term parameter, Term source,
                     const std::vector<std::pair<Term, Term>>& zipped) {
    std::vector<std::pair<Term, Term>> used;
    if (mentions(body, parameter)) used.emplace_back(parameter, source);
    for (const auto& each : zipped) {
      if (mentions(body, each.first)) used.push_back(each);
    }
    if (used.empty()) used.emplace_back(parameter, source);
    if (used.size() == 1) {
      if (body == used[0].first) return used[0].second;
      return ir::call(Op::Map, {}, {ir::lambda(std::vector<Term>{used[0].first}, body), used[0].second});
    }
    return ir::call(Op::Map, {}, {tupled(body, {}, used), zip_of(used)});
  }

  static Term zip_of(const std::vector<std::pair<Term, Term>>& used) {
    std::vector<Term> arrays;
    for (const auto& each : used) arrays.push_back(each.second);
    return ir::call(Op::Zip, {}, arrays);
  }

  /// The function of `before` and a tuple of the used variables.
  static Term tupled(Term body, std::vector<Term> before, const std::vector<std::pair<Term, Term>>& used) {
    std::vector<Type> types;
    for (const auto& each : used) types.push_back(ir::element_of(each.second.type()));
    Term all = ir::fresh(ir::tuple_type(types), "each");
    std::vector<std::pair<Term, Term>> replacements;
    for (std::uint32_t i = 0; i < used.size(); ++i) replacements.emplace_back(used[i].first, ir::get(i, all));
    before.push_back(all);
    return ir::lambda(before, ir::substitute_free(body, replacements));
  }

  /// Values stored inside the function of a pattern over `source`, of which they depend on the element
  /// `parameter`, become arrays over all its elements: variables inside with those arrays. What does not
  /// depend on it goes out as it is.
  std::vector<std::pair<Term, Term>> distribute(const std::vector<Lifted>& inside, Term parameter,
                                                Term original_source, Term source) {
    std::vector<std::pair<Term, Term>> zipped;
    for (const Lifted& each : inside) {
      bool depends = mentions(each.value, parameter);
      for (const auto& other : zipped) depends = depends || mentions(each.value, other.first);
      if (!depends) {
        lifted_->push_back(each);
        continue;
      }
      Term original =
          ir::call(Op::Map, {}, {ir::lambda(std::vector<Term>{parameter}, each.original), original_source});
      Term value = mapped(each.value, parameter, source, zipped);
      zipped.emplace_back(each.variable, keep(original, value, parameter));
    }
    return zipped;
  }

  /// The variable of a stored array, the one that is there already where it is the same.
  Term keep(Term original, Term value, Term parameter) {
    if (value.as<ir::Free>()) return value;
    for (const Lifted& other : *lifted_) {
      if (other.original == original) return other.variable;
    }
    Term variable = ir::fresh(value.type(), "shared");
    Variable known{dependences(value), {load_cost}};
    known.depends_on.erase(parameter);
    variables.emplace(variable, std::move(known));
    lifted_->push_back({original, variable, value});
    return variable;
  }

  Term visit_generate(const ir::Call& call, const Demand& demand, Position position) {
    Term parameter = opened(call.arguments[0], {}, estimated(call.sizes[0]), false)[0];
    indices_.emplace(parameter, arith::index("i", 0, call.sizes[0]));
    std::vector<Lifted>* outer = lifted_;
    std::vector<Lifted> inside;
    lifted_ = &inside;
    Term body = visit(ir::apply(call.arguments[0], {parameter}), demand, position);
    lifted_ = outer;
    std::vector<std::pair<Term, Term>> elements_of;
    // Rows that a work-item computes one by one are rows of a map.
    auto generated = [&](Term value) {
      Term function = ir::lambda(std::vector<Term>{parameter}, value);
      if (is_indexable(value)) return ir::call(Op::Generate, {call.sizes[0]}, {function});
      Term number = ir::lambda({parameter.type()}, [](const auto& i) { return i[0]; }, {"i"});
      return ir::call(Op::Map, {}, {function, ir::call(Op::Generate, {call.sizes[0]}, {number})});
    };
    for (const Lifted& each : inside) {
      Term value = ir::substitute_free(each.value, elements_of);
      if (!mentions(value, parameter)) {
        lifted_->push_back({each.original, each.variable, value});
        continue;
      }
      Term array = keep(generated(each.original), generated(value), parameter);
      elements_of.emplace_back(each.variable, ir::call(Op::At, {}, {parameter, array}));
    }
    return generated(ir::substitute_free(body, elements_of));
  }

  Term visit_fold(Term term, const ir::Call& call, const Demand& demand, Position position) {
    auto* function = call.arguments[0].as<ir::Lambda>();
    Term x = call.arguments.back();
    const double length = combined(call);
    const double evaluations = times(demand, term.type());
    const bool keeps_operator = ir::operator_properties(call.arguments[0]).associative;
    std::vector<Term> parameters = opened(call.arguments[0], x, length, true);
    variables.at(parameters[1]).is_state =
        keeps_operator && function->parameters[0] == function->parameters[1];
    std::vector<Lifted>* outer = lifted_;
    std::vector<Lifted> inside;
    lifted_ = &inside;
    const Type state = call.arguments[1].type();
    // Elements outside of a range are not computed.
    Position element = inner(position);
    element.is_guarded |= call.op == Op::ReduceRange;
    Term body = visit(ir::apply(call.arguments[0], parameters), all_of(state, evaluations * length), element);
    lifted_ = outer;
    std::vector<Term> arguments = call.arguments;
    for (std::size_t i = 1; i + 1 < arguments.size(); ++i) {
      arguments[i] = visit(arguments[i], all_of(arguments[i].type(), evaluations), inner(position));
    }
    Term source = visit(x, asked_of(parameters[1], evaluations * length), element);
    std::vector<std::pair<Term, Term>> zipped = distribute(inside, parameters[1], x, source);
    if (zipped.empty()) {
      arguments[0] = ir::lambda(parameters, body, function->claims);
      arguments.back() = source;
      return ir::call(call.op, call.sizes, std::move(arguments));
    }
    std::vector<std::pair<Term, Term>> used;
    if (mentions(body, parameters[1])) used.emplace_back(parameters[1], source);
    used.insert(used.end(), zipped.begin(), zipped.end());
    const bool is_single = used.size() == 1;
    arguments[0] =
        is_single ? ir::lambda({parameters[0], used[0].first}, body) : tupled(body, {parameters[0]}, used);
    arguments.back() = is_single ? used[0].second : zip_of(used);
    return ir::call(call.op, call.sizes, std::move(arguments));
  }

  Term visit_keyed(Term term, const ir::Call& call, const Demand& demand, Position position) {
    const double evaluations = times(demand, term.type());
    const double calls = evaluations * estimated(call.arguments[3].type()->size);
    std::vector<Term> arguments{visit_other_function(call.arguments[0], calls, calls, position)};
    for (std::size_t i = 1; i < call.arguments.size(); ++i) {
      arguments.push_back(
          visit(call.arguments[i], all_of(call.arguments[i].type(), evaluations), inner(position)));
    }
    return ir::call(call.op, call.sizes, arguments);
  }

  Term visit_iterate(Term term, const ir::Call& call, const Demand& demand, Position position) {
    auto* function = call.arguments[0].as<ir::Lambda>();
    std::vector<Term> parameters = opened(call.arguments[0], {}, estimated(call.sizes[0]), true);
    const double evaluations = times(demand, term.type()) * estimated(call.sizes[0]);
    Position step = inner(position);
    // A length that the function binds must not leave it.
    if (call.sizes[1].kind() == arith::Kind::Variable && ir::is_array(call.arguments[1].type())) {
      step.may_lift = call.arguments[1].type()->size == call.sizes[1];
    }
    Term body = ir::apply(call.arguments[0], parameters);
    const bool told = std::exchange(tells_, tells_ && !position.is_result);
    body = visit(body, all_of(body.type(), evaluations), step);
    tells_ = told;
    Term start = visit(call.arguments[1], all_of(call.arguments[1].type(), times(demand, term.type())),
                       inner(position));
    return ir::call(Op::Iterate, {call.sizes[0]}, {ir::lambda(parameters, body, function->claims), start});
  }

  Term visit_iterate_while(Term term, const ir::Call& call, const Demand& demand, Position position) {
    const double asked = times(demand, term.type());
    std::vector<Term> arguments = call.arguments;
    const bool told = std::exchange(tells_, tells_ && !position.is_result);
    for (Term& argument : arguments) {
      if (!argument.as<ir::Lambda>()) {
        argument = visit(argument, all_of(argument.type(), asked), inner(position));
        continue;
      }
      std::vector<Term> parameters = opened(argument, {}, 1, true);
      Term body = ir::apply(argument, parameters);
      argument =
          ir::lambda(parameters, visit(body, all_of(body.type(), asked * most_steps(call)), inner(position)));
    }
    tells_ = told;
    return ir::with_children(term, arguments);
  }

  std::vector<std::string>& notes_;
  bool tells_ = true;  ///< not where what is visited will be put in stages by itself
  std::vector<Lifted>* lifted_ = nullptr;
  double items_ = 1;          ///< work-items of the kernel that computes what is being visited
  double largest_ = 1;        ///< elements of the result
  double largest_given_ = 1;  ///< elements of the largest array that is read
  IntegerRanges indices_;     ///< of generate's functions
};

/// Whether computing the term again costs nothing.
bool is_named(Term term) {
  if (term.as<ir::Free>() != nullptr) return true;
  const auto* tuple = term.as<ir::Tuple>();
  return tuple != nullptr && std::all_of(tuple->components.begin(), tuple->components.end(), is_named);
}

/// iterate(1, f, x) outside of functions as f(x), which may be fused, stored and cut as any other value.
Term without_single_steps(Term term) {
  if (term.as<ir::Lambda>() != nullptr) return term;
  if (const auto* let = term.as<ir::Let>()) {
    const Term variable = ir::fresh_parameters(*let->body.as<ir::Lambda>())[0];
    const Term body = without_single_steps(ir::apply(let->body, {variable}));
    return ir::let(without_single_steps(let->value), ir::lambda(std::vector<Term>{variable}, body));
  }
  std::vector<Term> children = ir::children(term);
  for (Term& child : children) child = without_single_steps(child);
  const auto* iterate = term.as<ir::Call>();
  if (iterate != nullptr && iterate->op == Op::Iterate && iterate->sizes[0].constant() == 1) {
    const Term start = children.back();
    const arith::Expr length = iterate->sizes[1];
    // The function may be typed for any length of an array.
    const bool is_typed = ir::is_array(start.type()) && length.kind() == arith::Kind::Variable;
    const Term function = is_typed
                              ? ir::substitute_sizes(children.front(), {{length.get(), start.type()->size}})
                              : children.front();
    const auto* step = function.as<ir::Lambda>();
    if (ir::is_equal(step->parameters[0], start.type()) && ir::is_equal(step->body.type(), term.type()))
      return without_single_steps(is_named(start) ? ir::apply(function, {start}) : ir::let(start, function));
  }
  return ir::with_children(term, children);
}

}  // namespace

Term in_stages(Term term, std::vector<std::string>& notes) {
  return Stages(notes).run(without_single_steps(term));
}

}  // namespace hoist::rewrite
