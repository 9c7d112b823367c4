// Reading off a view which elements of which array it is.
//
// The layouts between an array and the windows that a nest's body reads are evaluated on symbolic indices: of
//
//   u |> map(row => slide(3, 1)(row)) at [i][j][a]   is   u at [i][j + a]
//
// `resolve` follows layouts whose index is a sum of the indices it is given (map, slide, transpose, take,
// drop). What it cannot follow, such as the padding of a border, stays a part of the array. Of the arrays on
// the way that need nothing of the functions around them `moving_windows` takes the last one whose dimension
// d is indexed by index d of the nest and by one index of the window at the most (`windows_at`).
#include "rewrite/moving_windows.hpp"

#include <algorithm>

#include "ir/inspect.hpp"
#include "rewrite/stencil.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Op;
using ir::Term;

namespace {

/// A sum of the indices that an element is asked for by, each times a factor.
struct SymbolicIndex {
  std::vector<std::int64_t> factors;
  std::int64_t constant = 0;

  static SymbolicIndex of(std::size_t index, std::size_t count) {
    SymbolicIndex result{std::vector<std::int64_t>(count), 0};
    result.factors[index] = 1;
    return result;
  }
  /// This one times `step`, and the other.
  SymbolicIndex stepped(std::int64_t step, const SymbolicIndex& other) const {
    SymbolicIndex result = *this;
    for (std::size_t i = 0; i < factors.size(); ++i) result.factors[i] = factors[i] * step + other.factors[i];
    result.constant = constant * step + other.constant;
    return result;
  }
};

/// An element of an array, or a part of it where indices are fewer than dimensions.
struct Place {
  Term array;
  std::vector<SymbolicIndex> indices;
};

class Resolver {
 public:
  /// The places that the view's element at these indices is, each with a layout less than the one before.
  std::vector<Place> resolve(Place place) {
    std::vector<Place> closed{place};
    while (step(place)) {
      if (!mentions_element(place.array)) closed.push_back(place);
    }
    return closed;
  }

 private:
  bool mentions_element(Term term) const {
    return std::any_of(elements_.begin(), elements_.end(),
                       [&](const auto& each) { return mentions(term, each.first); });
  }

  /// Takes the outermost layout off; false where it is none of those that are followed.
  bool step(Place& place) {
    for (const auto& [variable, value] : elements_) {
      if (place.array != variable) continue;
      place.indices.insert(place.indices.begin(), value.indices.begin(), value.indices.end());
      place.array = value.array;
      return true;
    }
    const auto* call = place.array.as<ir::Call>();
    if (call == nullptr) return false;
    std::vector<SymbolicIndex>& indices = place.indices;
    const auto has = [&](std::size_t count) { return indices.size() >= count; };
    if (call->op == Op::Map && has(1)) {
      const Term element = ir::fresh(call->arguments[0].as<ir::Lambda>()->parameters[0], "e");
      elements_.emplace_back(element, Place{call->arguments[1], {indices[0]}});
      indices.erase(indices.begin());
      place.array = ir::apply(call->arguments[0], {element});
      return true;
    }
    if (call->op == Op::Slide && has(2)) {
      const auto by = call->sizes[1].constant();
      if (!by) return false;
      indices[1] = indices[0].stepped(*by, indices[1]);
      indices.erase(indices.begin());
    } else if (call->op == Op::Transpose && has(2)) {
      std::swap(indices[0], indices[1]);
    } else if (call->op == Op::Drop && has(1)) {
      const auto dropped = call->sizes[0].constant();
      if (!dropped) return false;
      indices[0].constant += *dropped;
    } else if (call->op != Op::Take || !has(1)) {
      return false;
    }
    place.array = call->arguments[0];
    return true;
  }

  std::vector<std::pair<Term, Place>> elements_;  ///< what the variables of opened functions stand for
};

/// The index of the window that is in a sum beside index `own` of the nest, as a number from 0 on; -1 where
/// there is none. Nothing where the sum is another one.
std::optional<std::int64_t> window_index(const SymbolicIndex& index, std::size_t own, std::size_t rank) {
  std::int64_t found = -1;
  for (std::size_t i = 0; i < index.factors.size(); ++i) {
    if (i < rank) {
      if (index.factors[i] != (i == own ? 1 : 0)) return std::nullopt;
    } else if (index.factors[i] != 0) {
      if (index.factors[i] != 1 || found >= 0) return std::nullopt;
      found = static_cast<std::int64_t>(i - rank);
    }
  }
  return found;
}

Term windows_from(Term data, const WindowsByDimension& windows, std::size_t from) {
  if (from == windows.size()) return data;
  const Term rows = map_inside(data, 1, [&](Term row) { return windows_from(row, windows, from + 1); });
  if (!windows[from]) return rows;
  const Term slid = call1(Op::Slide, {windows[from]->first, windows[from]->second}, rows);
  return map_inside(slid, 1,
                    [&](Term window) { return move_dimension(window, 0, windows.size() - from - 1); });
}

}  // namespace

bool MovingWindows::extends_in(std::size_t dimension) const {
  return std::find(order.begin(), order.end(), dimension) != order.end();
}

namespace {

/// What windows of the place's array an array of `rank` dimensions of such windows is, of these lengths.
std::optional<MovingWindows> windows_at(const Place& place, std::size_t rank,
                                        const std::vector<Expr>& lengths) {
  if (place.indices.size() != rank || ir::rank_of(place.array.type()) != rank ||
      !is_scalars(inside_type(place.array.type(), rank)))
    return std::nullopt;
  MovingWindows found{place.array, std::vector<std::int64_t>(rank, 1),
                      std::vector<std::size_t>(lengths.size() - rank, rank)};
  for (std::size_t d = 0; d < rank; ++d) {
    const auto window = window_index(place.indices[d], d, rank);
    if (!window) return std::nullopt;
    const std::int64_t dropped = place.indices[d].constant;
    if (dropped > 0)
      found.data = map_inside(found.data, d, [&](Term row) { return call1(Op::Drop, {dropped}, row); });
    if (*window >= 0) {
      const auto dimension = static_cast<std::size_t>(*window);
      const auto length = lengths[rank + dimension].constant();
      if (!length || found.order[dimension] != rank) return std::nullopt;
      found.lengths[d] = *length;
      found.order[dimension] = d;
    }
    const Expr read = lengths[d] + found.lengths[d] - 1;
    found.data = map_inside(found.data, d, [&](Term row) {
      return row.type()->size == read ? row : call1(Op::Take, {read}, row);
    });
  }
  // Every dimension of the windows must be found in the array.
  if (std::find(found.order.begin(), found.order.end(), rank) != found.order.end()) return std::nullopt;
  return found;
}

}  // namespace

std::optional<MovingWindows> moving_windows(const NestInput& input) {
  const std::size_t rank = input.dims.size(), all = ir::rank_of(input.array.type());
  if (all < rank) return std::nullopt;
  Place place{input.array, {}};
  std::vector<Expr> lengths;
  for (std::size_t i = 0; i < all; ++i) {
    place.indices.push_back(SymbolicIndex::of(i, all));
    lengths.push_back(inside_type(input.array.type(), i)->size);
  }
  // The fewer layouts are left, the less is read through them: borders may be put on by layouts, too.
  std::vector<Place> places = Resolver().resolve(std::move(place));
  for (std::size_t i = places.size(); i-- > 0;) {
    if (auto found = windows_at(places[i], rank, lengths)) return found;
  }
  return std::nullopt;
}

Term windows_by_dimension(Term data, const WindowsByDimension& windows) {
  return windows_from(data, windows, 0);
}

}  // namespace hoist::rewrite
