#include "rewrite/windows.hpp"

#include <algorithm>
#include <numeric>

#include "rewrite/nest.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Op;
using ir::Term;

namespace {

Term windows_from(Term data, const std::vector<std::pair<Expr, Expr>>& windows, std::size_t from) {
  if (from == windows.size()) return data;
  const Term rows = map_inside(data, 1, [&](Term row) { return windows_from(row, windows, from + 1); });
  const Term slid = ir::call(Op::Slide, {windows[from].first, windows[from].second}, {rows});
  return map_inside(slid, 1,
                    [&](Term window) { return move_dimension(window, 0, windows.size() - from - 1); });
}

/// Reads what `windows_of` makes; of anything else perhaps something wrong.
std::optional<Windows> read_windows(Term array, std::size_t rank) {
  const auto* call = array.as<ir::Call>();
  if (call != nullptr && call->op == Op::Map && rank > 1) call = call->arguments[1].as<ir::Call>();
  if (call == nullptr || call->op != Op::Slide) return std::nullopt;
  Windows found{call->arguments[0], {{call->sizes[0], call->sizes[1]}}};
  if (rank == 1) return found;
  const auto* rows = found.data.as<ir::Call>();
  if (rows == nullptr || rows->op != Op::Map) return std::nullopt;
  const auto inside = read_windows(rows->arguments[0].as<ir::Lambda>()->body, rank - 1);
  if (!inside) return std::nullopt;
  found.data = rows->arguments[1];
  found.windows.insert(found.windows.end(), inside->windows.begin(), inside->windows.end());
  return found;
}

/// Takes borders off, one pattern at a time. `dims` says which dimension of the result each dimension of the
/// term is, since transpositions may stand between.
class BorderReader {
 public:
  explicit BorderReader(std::size_t rank) : borders_(rank) {}

  Bordered read(Term term) {
    std::vector<std::size_t> dims(borders_.size());
    std::iota(dims.begin(), dims.end(), 0U);
    const std::vector<std::size_t> in_order = dims;
    Bordered result{term, borders_};
    while (take_off(term, dims, 0)) {
      if (dims == in_order) result = {term, borders_};
    }
    return result;
  }

 private:
  bool take_off(Term& term, std::vector<std::size_t>& dims, std::size_t depth) {
    const auto* call = term.as<ir::Call>();
    if (call == nullptr || depth >= dims.size()) return false;
    if (call->op == Op::Pad) {
      if (!note(dims[depth], {call->sizes[0], call->sizes[1], call->sizes[2], {}})) return false;
    } else if (call->op == Op::PadValue) {
      if (!ir::is_scalar(call->arguments[0].type())) return false;
      if (!note(dims[depth], {call->sizes[0], call->sizes[1], {}, call->arguments[0]})) return false;
    } else if (call->op == Op::Transpose) {
      if (depth + 1 >= dims.size()) return false;
      std::swap(dims[depth], dims[depth + 1]);
    } else if (call->op != Op::Map || !take_off_inside(call->arguments[0], dims, depth)) {
      return false;
    }
    term = call->arguments.back();
    return true;
  }

  /// The function of a map, which must do nothing else.
  bool take_off_inside(Term function, std::vector<std::size_t>& dims, std::size_t depth) {
    const auto before = std::pair(borders_, dims);
    const Term element = ir::fresh(function.as<ir::Lambda>()->parameters[0], "e");
    Term body = ir::apply(function, {element});
    bool is_only_borders = true;
    while (is_only_borders && body != element) is_only_borders = take_off(body, dims, depth + 1);
    const bool depends = std::any_of(borders_.begin(), borders_.end(), [&](const Border& each) {
      return each.value && mentions(each.value, element);
    });
    if (is_only_borders && !depends) return true;
    std::tie(borders_, dims) = before;
    return false;
  }

  /// One border a dimension. Values of two dimensions must agree about the corners.
  bool note(std::size_t dimension, const Border& border) {
    Border& own = borders_[dimension];
    if (own.boundary || own.value) return false;
    for (const Border& other : borders_) {
      if (border.value && other.value && border.value != other.value) return false;
    }
    own = border;
    return true;
  }

  std::vector<Border> borders_;
};

/// A value of this type, all of whose scalars are `value`.
Term filled(ir::Type type, Term value) {
  if (ir::is_vector(type)) return ir::call(Op::Broadcast, {type->size}, {value});
  if (ir::is_tuple(type)) {
    std::vector<Term> components;
    for (ir::Type each : type->elements) components.push_back(filled(each, value));
    return ir::tuple(std::move(components));
  }
  if (!ir::is_array(type)) return value;
  const Term index = ir::fresh(ir::scalar_type(Scalar::I32), "i");
  return ir::call(Op::Generate, {type->size},
                  {ir::lambda(std::vector<Term>{index}, filled(ir::element_of(type), value))});
}

}  // namespace

Term windows_of(Term data, const std::vector<std::pair<Expr, Expr>>& windows) {
  return windows_from(data, windows, 0);
}

std::optional<Windows> as_windows(Term array, std::size_t rank) {
  auto found = read_windows(array, rank);
  if (found && windows_of(found->data, found->windows) != array) found.reset();
  return found;
}

Bordered without_borders(Term array, std::size_t rank) { return BorderReader(rank).read(array); }

Term with_border(Term array, const Border& border, Expr before, Expr after) {
  if (before == Expr(0) && after == Expr(0)) return array;
  if (border.value)
    return ir::call(Op::PadValue, {before, after},
                    {filled(ir::element_of(array.type()), border.value), array});
  const Expr boundary =
      border.boundary ? border.boundary : Expr(static_cast<std::int64_t>(ir::Boundary::Clamp));
  return ir::call(Op::Pad, {before, after, boundary}, {array});
}

}  // namespace hoist::rewrite
