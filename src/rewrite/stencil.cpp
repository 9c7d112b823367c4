#include "rewrite/stencil.hpp"

#include <algorithm>
#include <map>

#include "ir/inspect.hpp"
#include "rewrite/sharing.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Op;
using ir::Term;

namespace {

constexpr std::int64_t most_unrolled = 256;

/// Element `index` of a view, without the view where that is easy.
Term element_of(Term view, std::int64_t index) {
  const auto* call = view.as<ir::Call>();
  if (call != nullptr && call->op == Op::Map)
    return apply_once(call->arguments[0], {element_of(call->arguments[1], index)});
  if (call != nullptr && call->op == Op::Zip) {
    std::vector<Term> components;
    for (Term each : call->arguments) components.push_back(element_of(each, index));
    return ir::tuple(std::move(components));
  }
  if (call != nullptr && call->op == Op::Join) {
    if (const auto row = ir::element_of(call->arguments[0].type())->size.constant())
      return element_of(element_of(call->arguments[0], index / *row), index % *row);
  }
  return at(view, index);
}

/// A reduction of a known number of elements as straight code.
std::optional<Term> unrolled(Term term) {
  const auto* call = term.as<ir::Call>();
  if (call == nullptr || (call->op != Op::Reduce && call->op != Op::ReduceSeq)) return std::nullopt;
  const auto length = call->arguments[2].type()->size.constant();
  if (!length || *length > most_unrolled || !is_scalars(term.type())) return std::nullopt;
  Term total = call->arguments[1];
  for (std::int64_t i = 0; i < *length; ++i)
    total = apply_once(call->arguments[0], {total, element_of(call->arguments[2], i)});
  return total;
}

std::optional<std::int64_t> constant_index(Term index) {
  if (const auto* literal = index.as<ir::Literal>()) return literal->value.integer;
  if (const auto* size = index.as<ir::SizeValue>()) return size->size.constant();
  return std::nullopt;
}

/// Puts variables in the place of what a body reads of windows.
class AccessReader {
 public:
  AccessReader(const Nest& nest, std::vector<bool> is_windows)
      : nest_(nest), is_windows_(std::move(is_windows)) {}

  std::vector<Access> accesses;

  Term read(Term term) {
    if (!term->has_free) return term;
    if (const auto* let = term.as<ir::Let>(); let != nullptr && !is_scalars(let->value.type()))
      return read(ir::apply(let->body, {let->value}));
    if (const Term variable = as_access(term)) return variable;
    if (const auto straight = unrolled(term)) return read(*straight);
    std::vector<Term> children = ir::children(term);
    for (Term& child : children) child = read(child);
    return ir::with_children(term, children);
  }

 private:
  Term as_access(Term term) {
    std::vector<std::int64_t> place;
    while (const auto* call = term.as<ir::Call>()) {
      if (call->op != Op::At) return {};
      const auto index = constant_index(call->arguments[0]);
      if (!index) return {};
      place.insert(place.begin(), *index);
      term = call->arguments[1];
    }
    for (std::size_t i = 0; i < nest_.inputs.size(); ++i) {
      if (term != nest_.inputs[i].element || !is_windows_[i] || place.size() != ir::rank_of(term.type()))
        continue;
      const auto [known, is_new] = known_.try_emplace({i, place}, Term());
      if (!is_new) return known->second;
      known->second = ir::fresh(scalar_of(term.type()), "n");
      accesses.push_back({i, place, known->second});
      return known->second;
    }
    return {};
  }

  static ir::Type scalar_of(ir::Type type) {
    return ir::is_array(type) ? scalar_of(ir::element_of(type)) : type;
  }

  const Nest& nest_;
  std::vector<bool> is_windows_;                                             ///< of each input
  std::map<std::pair<std::size_t, std::vector<std::int64_t>>, Term> known_;  ///< by input and place
};

}  // namespace

bool is_scalars(ir::Type type) {
  if (ir::is_tuple(type)) return std::all_of(type->elements.begin(), type->elements.end(), is_scalars);
  return ir::is_scalar(type);
}

Term at(Term array, std::int64_t index) {
  return ir::call(Op::At, {}, {ir::literal(ScalarValue::of_integer(Scalar::I32, index)), array});
}

Term single(Term value) {
  const Term index = ir::fresh(ir::scalar_type(Scalar::I32), "i");
  return ir::call(Op::Generate, {1}, {ir::lambda(std::vector<Term>{index}, value)});
}

Term zip(const std::vector<Term>& arrays) {
  return arrays.size() == 1 ? arrays[0] : ir::call(Op::Zip, {}, arrays);
}

Term part_of(Term element, std::size_t index, std::size_t count) {
  return count == 1 ? element : ir::get(static_cast<std::uint32_t>(index), element);
}

std::optional<Stencil> stencil_of(Term array, std::size_t rank) {
  const auto found = as_windows(array, rank);
  if (!found) return std::nullopt;
  Stencil stencil{without_borders(found->data, rank), {}, {}, {}};
  for (std::size_t d = 0; d < rank; ++d) {
    const auto& [size, step] = found->windows[d];
    const Border& border = stencil.bordered.borders[d];
    if (!size.constant() || step != Expr(1) || !border.before.constant() || !border.after.constant())
      return std::nullopt;
    stencil.window.push_back(*size.constant());
    stencil.before.push_back(*border.before.constant());
    stencil.after.push_back(*border.after.constant());
  }
  return stencil;
}

Term elements_at(Term array, const Stencil& stencil, std::size_t dimension, std::int64_t offset,
                 Expr length) {
  const std::int64_t home = stencil.before[dimension];
  const std::int64_t before = std::max<std::int64_t>(home - offset, 0);
  const std::int64_t after =
      std::max<std::int64_t>(offset + stencil.after[dimension] + 1 - stencil.window[dimension], 0);
  return map_inside(array, dimension, [&](Term row) {
    row = with_border(row, stencil.bordered.borders[dimension], before, after);
    if (offset > home) row = ir::call(Op::Drop, {offset - home}, {row});
    return row.type()->size == length ? row : ir::call(Op::Take, {length}, {row});
  });
}

Term with_accesses(const Nest& nest, std::vector<bool> is_windows, std::vector<Access>& accesses) {
  AccessReader reader(nest, std::move(is_windows));
  const Term body = reader.read(nest.body);
  accesses = std::move(reader.accesses);
  return body;
}

}  // namespace hoist::rewrite
