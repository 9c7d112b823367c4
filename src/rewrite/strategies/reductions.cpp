#include "rewrite/strategies/reductions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "ir/inspect.hpp"
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

/// The rows that a group computes with, dealt out to its work-items. A row x of n elements is, in parts,
///
///   x |> asVector(w) |> split(items) |> transpose: [items][n / w / items] vectors
///
/// so that neighbours have neighbours. Maps of rows are maps of parts, in registers; reductions are those of
/// each work-item's part, then of what work-items have. Functions throw Failure where a row is used in
/// another way.
class RowDealer {
 public:
  RowDealer(std::int64_t width, Expr items) : width_(width), items_(items) {}

  /// The body of a mapWrg, in parts.
  Term run(Term body) {
    Term result = dealt(body);
    if (reductions_ == 0) throw_user("it has no reduction");
    if (uses_ < 2) throw_user("it goes through a row once only");
    for (const Row& row : rows_) {
      if (mentions(result, row.whole)) throw_user("a row is used other than element by element");
    }
    for (const Row& row : rows_) {
      if (!row.is_given) continue;
      const Term with = ir::lambda(std::vector<Term>{row.parts}, result);
      const Term parts = in_parts(row.whole);
      result = row.uses > 1 ? ir::let(in_registers(parts), with) : ir::apply(with, {parts});
    }
    return result;
  }

 private:
  struct Row {
    Term whole;     ///< what is read: an array that is given, or the variable of one that is computed
    Term parts;     ///< the variable of its parts
    bool is_given;  ///< from outside of the body
    std::size_t uses = 0;
  };

  Term dealt(Term term) {
    if (const auto* let = term.as<ir::Let>()) return dealt_let(*let);
    if (!ir::is_array(term.type())) return with_reductions(term);
    const Term parts = mapped(term);
    const Term vectors = call1(Op::Join, {}, call1(Op::Transpose, {}, parts));
    return width_ > 1 ? call1(Op::AsScalar, {}, vectors) : vectors;
  }

  Term dealt_let(const ir::Let& let) {
    if (!ir::is_array(let.value.type())) {
      const Term value = with_reductions(let.value);
      const Term variable = ir::fresh(value.type(), "sum");
      return ir::let(value, ir::lambda(std::vector<Term>{variable}, dealt(ir::apply(let.body, {variable}))));
    }
    if (!contains_loop(let.value)) return dealt(ir::apply(let.body, {let.value}));
    const Term value = ir::call(Op::ToPrivate, {}, {mapped(let.value)});
    const Term whole = ir::fresh(let.value.type(), "row"), parts = ir::fresh(value.type(), "parts");
    rows_.push_back({whole, parts, false});
    return ir::let(value, ir::lambda(std::vector<Term>{parts}, dealt(ir::apply(let.body, {whole}))));
  }

  Term with_reductions(Term term) {
    if (const auto* call = term.as<ir::Call>(); call != nullptr && call->op == Op::Reduce) {
      const auto reduction = free_reduction(term);
      if (!reduction) throw_user(reduction.error().reason);
      ++reductions_;
      const Term sums =
          of_parts({Op::Map}, reduction->data, [&](Term own) { return item_sum(*reduction, own, width_); });
      return reduction->with_first(
          ir::call(Op::ReduceLocal, {0}, {reduction->function, reduction->start, sums}));
    }
    std::vector<Term> children = ir::children(term);
    for (Term& child : children) {
      if (child.as<ir::Lambda>() == nullptr) child = with_reductions(child);
    }
    return ir::with_children(term, children);
  }

  /// A map of rows as one of parts.
  Term mapped(Term term) {
    const auto* map = term.as<ir::Call>();
    if (map == nullptr || map->op != Op::Map) throw_user("an array in it is no map of rows");
    if (!ir::is_scalar(ir::element_of(term.type()))) throw_user("the elements of a row are no scalars");
    const Term function = width_ > 1 ? vectorized(map->arguments[0], width_) : map->arguments[0];
    if (contains_loop(function.as<ir::Lambda>()->body))
      throw_user("an element of a row is computed by a loop");
    return of_parts({Op::MapLocal, 0}, map->arguments[1], [&](Term own) {
      return ir::call(Op::MapSeq, {}, {function, own});
    });
  }

  Term in_parts(Term row) const {
    const Term vectors = width_ > 1 ? in_vectors(row, width_) : row;
    return call1(Op::Transpose, {}, call1(Op::Split, {items_}, vectors));
  }

  static Term in_registers(Term parts) {
    const Term copied = function_of(ir::element_of(parts.type()), "own", [](Term own) {
      const Term copy = function_of(ir::element_of(own.type()), "e", [](Term e) { return e; });
      return ir::call(Op::MapSeq, {}, {copy, own});
    });
    return ir::call(Op::ToPrivate, {}, {map_call({Op::MapLocal, 0}, copied, parts)});
  }

  /// What `of` makes of each work-item's part of a view of rows: of a row, or of several in a zip.
  Term of_parts(MapKind kind, Term view, const std::function<Term(Term)>& of) {
    ++uses_;
    std::vector<Term> parts;
    collect_parts(view, parts);
    const bool is_one = parts.size() == 1;
    const Term all = is_one ? parts[0] : ir::call(Op::Zip, {}, parts);
    const Term function = function_of(ir::element_of(all.type()), "own", [&](Term own) {
      std::vector<Term> components;
      for (std::uint32_t i = 0; i < parts.size(); ++i) components.push_back(is_one ? own : ir::get(i, own));
      std::span<const Term> left = components;
      return of(with_parts(view, left));
    });
    return map_call(kind, function, all);
  }

  static bool is_zip(Term view) {
    const auto* zip = view.as<ir::Call>();
    return zip != nullptr && zip->op == Op::Zip;
  }

  void collect_parts(Term view, std::vector<Term>& parts) {
    if (!is_zip(view)) return parts.push_back(parts_of(view));
    for (Term each : view.as<ir::Call>()->arguments) collect_parts(each, parts);
  }

  /// The view with parts in the places of rows, in their order.
  static Term with_parts(Term view, std::span<const Term>& parts) {
    if (!is_zip(view)) {
      const Term first = parts.front();
      parts = parts.subspan(1);
      return first;
    }
    std::vector<Term> components;
    for (Term each : view.as<ir::Call>()->arguments) components.push_back(with_parts(each, parts));
    return ir::call(Op::Zip, {}, std::move(components));
  }

  Term parts_of(Term row) {
    if (rows_.empty()) length_ = row.type()->size;
    if (row.type()->size != length_) throw_user("its rows differ in length");
    for (Row& known : rows_) {
      if (known.whole != row) continue;
      ++known.uses;
      return known.parts;
    }
    if (!ir::is_scalar(ir::element_of(row.type()))) throw_user("the elements of a row are no scalars");
    rows_.push_back({row, ir::fresh(in_parts(row).type(), "parts"), true, 1});
    return rows_.back().parts;
  }

  std::int64_t width_;
  Expr items_, length_;
  std::vector<Row> rows_;
  std::size_t reductions_ = 0, uses_ = 0;
};

bool is_in(const Context& context, Op op) {
  return std::any_of(context.enclosing.begin(), context.enclosing.end(),
                     [op](const auto& each) { return each.first == op; });
}

/// Why a group's work-items cannot share out what stands here; empty where they can.
std::string not_of_group(const Context& context) {
  if (!is_in(context, Op::MapGroup) || is_in(context, Op::MapLocal) || context.unshared > 0)
    return "it does not stand inside mapWrg and outside mapLcl";
  const auto is_loop = [](const auto& around) { return ir::carries_state(around.first); };
  if (std::any_of(context.enclosing.begin(), context.enclosing.end(), is_loop))
    return "it is inside a loop of the group";
  return "";
}

/// `items` is how many work-items the group has: chosen where it is empty.
Outcome in_group(Term term, Context& context, std::int64_t width, Expr& items) {
  if (const std::string reason = not_of_group(context); !reason.empty()) return declined(reason);
  const auto reduction = free_reduction(term);
  if (!reduction) return tl::unexpected(reduction.error());
  const Term data = width > 1 ? in_vectors(reduction->data, width) : reduction->data;
  if (!items) items = context.choose("l");
  return reduction->with_first(group_sum(*reduction, data, items, width));
}

Outcome row_in_group(Term term, Context& context, std::int64_t width) {
  if (const std::string reason = not_of_group(context); !reason.empty()) return declined(reason);
  if (!ir::has_call(term, Op::Reduce)) return declined("it has no reduction");
  return RowDealer(width, context.choose("l")).run(term);
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
Strategy row_in_group(std::int64_t width) {
  return step(fmt::format("rowInGroup({})", width),
              [width](Term term, Context& context) { return row_in_group(term, context, width); });
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
