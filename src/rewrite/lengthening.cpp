#include "rewrite/lengthening.hpp"

#include "ir/primitive.hpp"
#include "rewrite/windows.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Op;
using ir::Term;

// A border becomes longer where its rule gives as many elements as one likes; otherwise copies of the last
// one follow it.
Term with_more(Term array, const std::vector<Expr>& more) {
  const Bordered found = without_borders(array, more.size());
  array = found.data;
  for (std::size_t i = 0; i < more.size(); ++i) {
    Border border = found.borders[i];
    const bool has_rule = border.boundary || border.value;
    const bool is_endless =
        border.value || !has_rule || border.boundary == Expr(static_cast<std::int64_t>(ir::Boundary::Clamp));
    if (is_endless) border.after = border.after + more[i];
    array = map_inside(array, i, [&](Term row) {
      row = with_border(row, border, border.before, border.after);
      return is_endless ? row : with_border(row, {}, 0, more[i]);
    });
  }
  return array;
}

namespace {

/// An array over dimensions of a nest with more elements after; of windows, with more windows.
Term lengthened(const NestInput& input, const std::vector<Expr>& more, const std::vector<Expr>& lengths) {
  const auto found = as_windows(input.array, input.dims.size());
  std::vector<Expr> elements;
  for (std::size_t i = 0; i < input.dims.size(); ++i)
    elements.push_back(more[input.dims[i]] * (found ? found->windows[i].second : Expr(1)));
  Term array = with_more(found ? found->data : input.array, elements);
  if (!found) return array;
  array = windows_of(array, found->windows);
  for (std::size_t i = 0; i < input.dims.size(); ++i) {
    array = map_inside(array, i, [&](Term row) {
      const Expr length = lengths[input.dims[i]];
      return row.type()->size == length ? row : call1(Op::Take, {length}, row);
    });
  }
  return array;
}

bool is_usual(Expr length, std::int64_t longest_whole) {
  if (length.kind() == arith::Kind::Variable && length->variable_kind == arith::VariableKind::Parameter)
    return true;
  const auto number = length.constant();
  return number && (*number % usual_tile == 0 || *number <= longest_whole);
}

}  // namespace

bool is_multiple_of_usual_tile(Expr length) {
  constexpr std::int64_t longest_whole_tile = 16;
  return is_usual(length, longest_whole_tile);
}

bool has_usual_tiles(Expr length) {
  if (!is_multiple_of_usual_tile(length)) return false;
  const auto number = length.constant();
  if (!number) return true;
  // Of these and their halves processors like all that is between.
  for (const std::int64_t tile : {32, 64}) {
    bool is_divided = *number <= tile;
    for (std::int64_t size = tile / 2; size <= tile; size += 2)
      is_divided = is_divided || *number % size == 0;
    if (!is_divided) return false;
  }
  return true;
}

bool has_usual_chunks(Expr length) {
  constexpr std::int64_t longest_whole_chunk = 64;
  return is_usual(length, longest_whole_chunk);
}

Expr missing(Expr length, Expr chunk) { return arith::ceiling_quotient(length, chunk) * chunk - length; }

Nest lengthened(const Nest& nest, const std::vector<Expr>& more) {
  Nest result = nest;
  for (std::size_t d = 0; d < nest.rank(); ++d) result.lengths[d] = nest.lengths[d] + more[d];
  for (NestInput& input : result.inputs) input.array = lengthened(input, more, result.lengths);
  return result;
}

Term shortened(Term array, const std::vector<Expr>& lengths) {
  for (std::size_t d = 0; d < lengths.size(); ++d) {
    array = map_inside(array, d, [&](Term row) {
      return row.type()->size == lengths[d] ? row : call1(Op::Take, {lengths[d]}, row);
    });
  }
  return array;
}

}  // namespace hoist::rewrite
