#include "rewrite/strategies/reductions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/reduction.hpp"
#include "rewrite/invariants.hpp"
#include "rewrite/lengthening.hpp"
#include "rewrite/nest.hpp"
#include "rewrite/sharing.hpp"
#include "rewrite/strategies/nests.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Op;
using ir::Term;

namespace {

Term function_of(ir::Type type, const char* name, const std::function<Term(Term)>& body) {
  const Term element = ir::fresh(type, name);
  return ir::lambda(std::vector<Term>{element}, body(element));
}

/// reduce(f, z, x) that may be done in any order; x = prepare(data). It starts from the neutral element of f
/// as often as there are parts, and z comes in once.
struct Free {
  Term function, start;
  Term data;
  Term prepare;  ///< a function of data's elements; empty where there is none
  Term first;    ///< z where it is not the neutral element, else empty

  Term with_first(Term sum) const { return first ? apply_once(function, {first, sum}) : sum; }
};

tl::expected<Free, Declined> free_reduction(Term term) {
  const auto* reduce = term.as<ir::Call>();
  if (reduce == nullptr || reduce->op != Op::Reduce) return declined("it is no reduce");
  Free result{reduce->arguments[0], reduce->arguments[1], reduce->arguments[2], {}, {}};
  const ir::OperatorProperties properties = ir::operator_properties(result.function);
  if (!properties.associative) return declined("its operator is not known to be associative");
  if (!properties.commutative) return declined("its operator is not known to be commutative");
  if (!ir::is_neutral(result.function, result.start)) {
    result.first = std::exchange(result.start, ir::neutral_element(result.function));
    if (!result.start) return declined("no neutral element of its operator is known");
    if (contains_loop(result.first)) return declined("its initial value is computed by a loop");
  }
  const auto* map = result.data.as<ir::Call>();
  if (map != nullptr && map->op == Op::Map && contains_loop(result.data)) {
    result.prepare = map->arguments[0];
    result.data = map->arguments[1];
  }
  if (contains_loop(result.data)) return declined("the array that it reduces is computed by a loop");
  return result;
}

/// The data with its scalars in vectors; a zip of scalars is one of vectors.
Term in_vectors(Term data, std::int64_t width) {
  if (const auto* zip = data.as<ir::Call>(); zip != nullptr && zip->op == Op::Zip) {
    std::vector<Term> parts;
    for (Term each : zip->arguments) parts.push_back(in_vectors(each, width));
    return ir::call(Op::Zip, {}, std::move(parts));
  }
  return call1(Op::AsVector, {width}, data);
}

/// The elements of one work-item added up.
Term item_sum(const Free& reduction, Term elements, std::int64_t width) {
  Term function = reduction.function, start = reduction.start, prepare = reduction.prepare;
  if (width > 1) {
    function = vectorized(function, width);
    start = call1(Op::Broadcast, {width}, start);
    if (prepare) prepare = vectorized(prepare, width);
  }
  if (prepare) elements = ir::call(Op::Map, {}, {prepare, elements});
  const Term sum = ir::call(Op::ReduceSeq, {}, {function, start, elements});
  if (width == 1) return sum;
  const Term index = ir::fresh(ir::scalar_type(Scalar::I32), "i");
  const Term one = ir::call(Op::Generate, {1}, {ir::lambda(std::vector<Term>{index}, sum)});
  return ir::call(Op::ReduceSeqUnroll, {},
                  {reduction.function, reduction.start, call1(Op::AsScalar, {}, one)});
}

/// The data, in vectors already, by a group of `items`.
Term group_sum(const Free& reduction, Term data, Expr items, std::int64_t width) {
  const Term rows = call1(Op::Transpose, {}, call1(Op::Split, {items}, data));
  const Term own =
      function_of(ir::element_of(rows.type()), "own", [&](Term e) { return item_sum(reduction, e, width); });
  const Term sums = ir::call(Op::Map, {}, {own, rows});
  return ir::call(Op::ReduceLocal, {0}, {reduction.function, reduction.start, sums});
}

bool is_in(const Context& context, Op op) {
  return std::any_of(context.enclosing.begin(), context.enclosing.end(),
                     [op](const auto& each) { return each.first == op; });
}

/// `items` is how many work-items the group has: chosen where it is empty.
Outcome in_group(Term term, Context& context, std::int64_t width, Expr& items) {
  if (!is_in(context, Op::MapGroup) || is_in(context, Op::MapLocal) || context.unshared > 0)
    return declined("it does not stand inside mapWrg and outside mapLcl");
  const auto is_loop = [](const auto& around) { return ir::carries_state(around.first); };
  if (std::any_of(context.enclosing.begin(), context.enclosing.end(), is_loop))
    return declined("it is inside a loop of the group");
  const auto reduction = free_reduction(term);
  if (!reduction) return tl::unexpected(reduction.error());
  const Term data = width > 1 ? in_vectors(reduction->data, width) : reduction->data;
  if (!items) items = context.choose("l");
  return reduction->with_first(group_sum(*reduction, data, items, width));
}

Outcome by_groups(Term term, Context& context, std::int64_t width) {
  if (!context.enclosing.empty() || context.open_maps > 0 || context.unshared > 0)
    return declined("it is inside another pattern");
  const auto reduction = free_reduction(term);
  if (!reduction) return tl::unexpected(reduction.error());
  const Expr chunk = context.choose("t"), items = context.choose("l");
  Term data = width > 1 ? in_vectors(reduction->data, width) : reduction->data;
  data = call1(Op::Split, {chunk}, data);
  const Term of_group = function_of(ir::element_of(data.type()), "chunk",
                                    [&](Term e) { return group_sum(*reduction, e, items, width); });
  const Term sums = call1(Op::ToGlobal, {}, ir::call(Op::MapGroup, {0}, {of_group, data}));
  // One group adds up the groups' sums.
  const Term shared = ir::fresh(sums.type(), "sums");
  const Term index = ir::fresh(ir::scalar_type(Scalar::I32), "i");
  const Term one = ir::call(Op::Generate, {1}, {ir::lambda(std::vector<Term>{index}, shared)});
  const Term last = function_of(ir::element_of(one.type()), "all", [&](Term e) {
    return reduction->with_first(reduced_by_group(reduction->function, e, items));
  });
  const Term zero = ir::literal(ScalarValue::of_integer(Scalar::I32, 0));
  const Term total = ir::call(Op::At, {}, {zero, ir::call(Op::MapGroup, {0}, {last, one})});
  return ir::let(sums, ir::lambda(std::vector<Term>{shared}, total));
}

Outcome by_dot(Term term, std::int64_t width) {
  const auto* reduce = term.as<ir::Call>();
  if (reduce == nullptr || reduce->op != Op::Reduce) return declined("it is no reduce");
  const auto is_operator = [](Term lambda, ScalarOp op, bool of_pair) {
    const auto* body = lambda.as<ir::Lambda>()->body.as<ir::ScalarCall>();
    if (body == nullptr || body->op != op || body->arguments.size() != 2) return false;
    for (std::uint32_t i = 0; i < 2; ++i) {
      const auto* get = body->arguments[i].as<ir::Get>();
      const auto* variable = of_pair ? (get != nullptr ? get->tuple.as<ir::Bound>() : nullptr)
                                     : body->arguments[i].as<ir::Bound>();
      if (variable == nullptr || variable->index != (of_pair ? 0 : 1 - i) || (of_pair && get->index != i))
        return false;
    }
    return true;
  };
  if (!is_operator(reduce->arguments[0], ScalarOp::Add, false)) return declined("its operator is not +");
  const auto* map = reduce->arguments[2].as<ir::Call>();
  if (map == nullptr || map->op != Op::Map || !is_operator(map->arguments[0], ScalarOp::Multiply, true))
    return declined("it does not reduce products of pairs");
  const auto* zip = map->arguments[1].as<ir::Call>();
  if (zip == nullptr || zip->op != Op::Zip) return declined("its pairs are not made by zip");
  for (Term each : zip->arguments) {
    if (!ir::is_scalar(ir::element_of(each.type()))) return declined("its pairs are not of scalars");
  }
  const Term pairs = in_vectors(map->arguments[1], width);
  const Term dot = function_of(ir::element_of(pairs.type()), "pair", [](Term pair) {
    return ir::call(Op::Dot, {}, {ir::get(0, pair), ir::get(1, pair)});
  });
  return ir::call(Op::Reduce, {},
                  {reduce->arguments[0], reduce->arguments[1], ir::call(Op::Map, {}, {dot, pairs})});
}

}  // namespace

Term reduced_by_group(Term function, Term data, Expr items) {
  const Free reduction{function, ir::neutral_element(function), {}, {}, {}};
  const Expr more = missing(data.type()->size, items);
  const Term filled = ir::call(Op::PadValue, {0, more}, {reduction.start, data});
  return group_sum(reduction, filled, items, 1);
}

Strategy reduce_in_group(std::int64_t width) {
  return step(fmt::format("reduceInGroup({})", width), [width](Term term, Context& context) {
    Expr items;
    return everywhere([&](Term each, Context& here) { return in_group(each, here, width, items); })(term,
                                                                                                    context);
  });
}
Strategy reduce_by_groups(std::int64_t width) {
  return step(fmt::format("reduceByGroups({})", width),
              [width](Term term, Context& context) { return by_groups(term, context, width); });
}
Strategy dot_vectors(std::int64_t width) {
  return step(fmt::format("dotVectors({})", width),
              [width](Term term, Context&) { return by_dot(term, width); });
}

}  // namespace hoist::rewrite
