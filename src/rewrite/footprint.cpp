// Footprints of terms. `read` follows an element from a term to the arrays that it is computed from, with a
// path that selects it: an index for each dimension that was gone into, a number for each tuple. Layouts
// change the path, maps put what they map over in the place of their function's parameter:
//
//   y |> pad(1, 1, clamp) |> slide(3, 1) |> map(w => w[0] + w[2])      at i
//   y |> pad(1, 1, clamp) |> slide(3, 1)                               at i, 0 and at i, 2
//   y |> pad(1, 1, clamp)                                              at i + 0 and at i + 2
//   y                                                                  at i - 1 and at i + 1
//
// where i is an extent around the place. Boundaries move indices inside: `within` and `reflected` widen an
// extent as far as that can go beyond it. What a pattern does that is none of these is read as a whole.
#include "rewrite/footprint.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "ir/inspect.hpp"
#include "ir/primitive.hpp"

namespace hoist::rewrite {

using ir::Op;
using ir::Term;

namespace {

constexpr std::size_t most_visited = 100000;

struct TooLong {};

std::int64_t known(arith::Expr size) {
  const auto value = size.constant();
  if (!value) throw TooLong();
  return *value;
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return -floor_div(-a, b); }

/// The same integers in lowest terms.
Extent reduced(Extent index) {
  std::int64_t common = index.divisor;
  for (const std::int64_t factor : index.factors) common = std::gcd(common, factor);
  if (common <= 1) return index;
  for (std::int64_t& factor : index.factors) factor /= common;
  index.divisor /= common;
  index.least = ceil_div(index.least, common);
  index.most = floor_div(index.most, common);
  return index;
}

Extent scaled(Extent index, std::int64_t by) {
  for (std::int64_t& factor : index.factors) factor *= by;
  index.least *= by;
  index.most *= by;
  return reduced(std::move(index));
}

/// The same extent with a multiple of its divisor as divisor.
Extent over(Extent index, std::int64_t divisor) {
  const std::int64_t by = divisor / index.divisor;
  for (std::int64_t& factor : index.factors) factor *= by;
  return {std::move(index.factors), divisor, index.least * by, index.most * by};
}

Extent sum(const Extent& a, const Extent& b) {
  const std::int64_t divisor = std::lcm(a.divisor, b.divisor);
  Extent result = over(a, divisor);
  const Extent other = over(b, divisor);
  for (std::size_t d = 0; d < result.factors.size(); ++d) result.factors[d] += other.factors[d];
  result.least += other.least;
  result.most += other.most;
  return reduced(std::move(result));
}

Extent shifted(Extent index, std::int64_t by) {
  index.least += by * index.divisor;
  index.most += by * index.divisor;
  return index;
}

/// Rounded down.
Extent divided(Extent index, std::int64_t by) {
  index.least -= index.divisor * (by - 1);
  index.divisor *= by;
  return reduced(std::move(index));
}

}  // namespace

bool Extent::is_fixed() const {
  return std::all_of(factors.begin(), factors.end(), [](std::int64_t factor) { return factor == 0; });
}

std::optional<std::size_t> Extent::dimension() const {
  std::optional<std::size_t> found;
  for (std::size_t d = 0; d < factors.size(); ++d) {
    if (factors[d] == 0) continue;
    if (found) return std::nullopt;
    found = d;
  }
  return found;
}

Extent composed(const Extent& place, const Extent& inner) {
  const std::int64_t factor = inner.factors.at(inner.dimension().value());
  Extent result = place;
  for (std::int64_t& each : result.factors) each *= factor;
  result.divisor = place.divisor * inner.divisor;
  result.least = factor * place.least + inner.least * place.divisor;
  result.most = factor * place.most + inner.most * place.divisor;
  return reduced(std::move(result));
}

Footprints::Footprints(std::vector<std::int64_t> lengths, const std::vector<Term>& arrays)
    : lengths_(std::move(lengths)) {
  for (Term array : arrays) read_[array];
}

Extent Footprints::fixed(std::int64_t least, std::int64_t most) const {
  return {std::vector<std::int64_t>(lengths_.size()), 1, least, most};
}
Extent Footprints::all_of(std::int64_t length) const {
  return fixed(0, std::max<std::int64_t>(length - 1, 0));
}

Extent Footprints::coordinate(std::size_t dimension) const {
  Extent result = fixed(0, 0);
  result.factors[dimension] = 1;
  return result;
}

std::int64_t Footprints::most_of(const Extent& index) const {
  std::int64_t most = index.most;
  for (std::size_t d = 0; d < lengths_.size(); ++d) most += index.factors[d] * (lengths_[d] - 1);
  return floor_div(most, index.divisor);
}

/// What becomes of it where what is outside of an array means its first or last element. An index below 0
/// becomes 0: that is in the extent where the extent reaches to 0 or beyond at every place, the first being
/// the least favourable. The same at the end, with the last place.
Extent Footprints::within(Extent index, std::int64_t length) const {
  std::int64_t last = 0;
  for (std::size_t d = 0; d < lengths_.size(); ++d) last += index.factors[d] * (lengths_[d] - 1);
  index.most = std::max<std::int64_t>(index.most, 0);
  index.least = std::min(index.least, (length - 1) * index.divisor - last);
  return index;
}

/// The same where what is outside is mirrored. An index i below 0 becomes -i, or -i - 1 where the edge is
/// repeated, and is never more than the extent reaches below 0 at the first place.
Extent Footprints::reflected(Extent index, std::int64_t length, bool repeats_edge) const {
  std::int64_t last = 0;
  for (std::size_t d = 0; d < lengths_.size(); ++d) last += index.factors[d] * (lengths_[d] - 1);
  const std::int64_t q = index.divisor, edge = repeats_edge ? 1 : 0;
  const std::int64_t least = index.least, most = index.most;
  // Mirrored more than once: anywhere.
  if (floor_div(least, q) < -(length - 1) || floor_div(last + most, q) > 2 * (length - 1))
    return all_of(length);
  if (least < 0) index.most = std::max(most, -least - edge * q);
  // At the end i becomes 2 (length - 1) - i, plus one where the edge is repeated.
  if (last + most > (length - 1) * q)
    index.least = std::min(least, (2 * (length - 1) + edge) * q - most - 2 * last);
  return index;
}

bool Footprints::add(Term term, const std::vector<Extent>& indices) {
  try {
    read(term, Path(indices.begin(), indices.end()));
    return true;
  } catch (const TooLong&) {
    return false;
  }
}

void Footprints::record(Term array, const Path& path) {
  std::vector<Extent>& all = read_.at(array);
  std::vector<Extent> indices;
  for (const Selection& each : path) {
    if (const auto* index = std::get_if<Extent>(&each)) indices.push_back(*index);
  }
  ir::Type type = array.type();
  const bool is_first = all.empty();
  for (std::size_t d = 0; ir::is_array(type); ++d, type = ir::element_of(type)) {
    const std::int64_t length = known(type->size);
    Extent index = d < indices.size() ? indices[d] : all_of(length);
    if (is_first) {
      all.push_back(std::move(index));
      continue;
    }
    const std::int64_t divisor = std::lcm(all[d].divisor, index.divisor);
    Extent before = over(all[d], divisor);
    index = over(std::move(index), divisor);
    if (before.factors != index.factors) {
      all[d] = all_of(length);
      continue;
    }
    before.least = std::min(before.least, index.least);
    before.most = std::max(before.most, index.most);
    all[d] = reduced(std::move(before));
  }
}

void Footprints::read_all(Term term) {
  if (const auto* function = term.as<ir::Lambda>()) {
    read_body(term, std::vector<std::optional<Place>>(function->parameters.size()), {});
    return;
  }
  read(term, {});
}

void Footprints::read_body(Term lambda, const std::vector<std::optional<Place>>& parameters, Path path) {
  const std::vector<Term> opened = ir::fresh_parameters(*lambda.as<ir::Lambda>());
  for (std::size_t i = 0; i < opened.size(); ++i) {
    if (parameters[i]) elements_.emplace(opened[i], *parameters[i]);
  }
  read(ir::apply(lambda, opened), std::move(path));
}

void Footprints::read(Term term, Path path) {
  if (++visited_ > most_visited) throw TooLong();
  if (!term->has_free) return;
  if (term.as<ir::Free>() != nullptr) {
    if (read_.count(term) != 0) {
      record(term, path);
    } else if (const auto found = elements_.find(term); found != elements_.end()) {
      Path whole = found->second.path;
      whole.insert(whole.end(), path.begin(), path.end());
      read(found->second.term, std::move(whole));
    }
    return;
  }
  if (const auto* let = term.as<ir::Let>())
    return read_body(let->body, {Place{let->value, {}}}, std::move(path));
  if (const auto* get = term.as<ir::Get>()) {
    path.insert(path.begin(), get->index);
    return read(get->tuple, std::move(path));
  }
  if (const auto* tuple = term.as<ir::Tuple>(); tuple != nullptr && !path.empty()) {
    const std::uint32_t number = std::get<std::uint32_t>(path.front());
    path.erase(path.begin());
    return read(tuple->components[number], std::move(path));
  }
  if (const auto* branch = term.as<ir::If>()) {
    read(branch->condition, {});
    read(branch->then_term, path);
    return read(branch->else_term, std::move(path));
  }
  if (const auto* call = term.as<ir::Call>()) return read_call(*call, std::move(path));
  for (Term child : ir::children(term)) read_all(child);
}

void Footprints::read_call(const ir::Call& call, Path path) {
  const auto size = [&](std::size_t number) { return known(call.sizes.at(number)); };
  const auto length_of = [](Term array) { return known(array.type()->size); };
  /// The next index; that of all elements where the path ends.
  const auto next = [&](std::int64_t length) {
    if (path.empty()) return all_of(length);
    Extent index = std::get<Extent>(path.front());
    path.erase(path.begin());
    return index;
  };
  const auto go_on = [&](Term array, std::vector<Selection> first) {
    first.insert(first.end(), path.begin(), path.end());
    read(array, std::move(first));
  };
  const Term x = call.arguments.empty() ? Term() : call.arguments.back();
  switch (call.op) {
    case Op::Map: {
      const Extent i = next(length_of(x));
      return read_body(call.arguments[0], {Place{x, {i}}}, std::move(path));
    }
    case Op::Reduce: {
      const Extent all = all_of(length_of(x));
      read(call.arguments[1], {});
      return read_body(call.arguments[0], {std::nullopt, Place{x, {all}}}, {});
    }
    case Op::Generate: {
      const Extent i = next(size(0));
      const std::vector<Term> opened = ir::fresh_parameters(*call.arguments[0].as<ir::Lambda>());
      numbers_.emplace(opened[0], i);
      return read(ir::apply(call.arguments[0], opened), std::move(path));
    }
    case Op::Zip: {
      if (path.size() > 1) {
        const std::uint32_t number = std::get<std::uint32_t>(path[1]);
        path.erase(path.begin() + 1);
        return read(call.arguments[number], std::move(path));
      }
      for (Term each : call.arguments) read(each, path);
      return;
    }
    case Op::Unzip: {
      if (path.size() > 1) {
        std::swap(path[0], path[1]);
      } else {
        path.clear();
      }
      return read(x, std::move(path));
    }
    case Op::Split: {
      const Extent i = next(length_of(x) / size(0)), j = next(size(0));
      return go_on(x, {sum(scaled(i, size(0)), j)});
    }
    case Op::Join: {
      const std::int64_t row = known(ir::element_of(x.type())->size);
      const Extent i = next(length_of(x) * row);
      const Extent outer = divided(i, row);
      if (i.is_fixed() && floor_div(i.least, row) == floor_div(i.most, row)) {
        const std::int64_t first = floor_div(i.least, row) * row;
        return go_on(x, {fixed(first / row, first / row), fixed(i.least - first, i.most - first)});
      }
      return go_on(x, {outer, all_of(row)});
    }
    case Op::Transpose: {
      const Extent i = next(known(ir::element_of(x.type())->size)), j = next(length_of(x));
      return go_on(x, {j, i});
    }
    case Op::Slide: {
      const std::int64_t windows = (length_of(x) - size(0)) / size(1) + 1;
      const Extent i = next(windows), j = next(size(0));
      return go_on(x, {sum(scaled(i, size(1)), j)});
    }
    case Op::Pad: {
      const std::int64_t length = length_of(x);
      const Extent i = shifted(next(length + size(0) + size(1)), -size(0));
      switch (static_cast<ir::Boundary>(size(2))) {
        case ir::Boundary::Clamp:
          return go_on(x, {within(i, length)});
        case ir::Boundary::Mirror:
          return go_on(x, {reflected(i, length, true)});
        case ir::Boundary::Reflect:
          return go_on(x, {reflected(i, length, false)});
        case ir::Boundary::Wrap:
          return go_on(x, {all_of(length)});
      }
      throw Bug("a boundary that does not exist");
    }
    case Op::PadValue: {
      read(call.arguments[0], {});
      // Nothing is read outside.
      return go_on(x, {shifted(next(length_of(x) + size(0) + size(1)), -size(0))});
    }
    case Op::At: {
      const auto i = value_of(call.arguments[0]);
      return go_on(x, {i ? within(*i, length_of(x)) : all_of(length_of(x))});
    }
    case Op::Take:
      return go_on(x, {next(size(0))});
    case Op::Drop:
      return go_on(x, {shifted(next(length_of(x) - size(0)), size(0))});
    case Op::Concat: {
      const std::int64_t first = length_of(call.arguments[0]);
      const Extent i = next(first + length_of(x));
      go_on(call.arguments[0], {i});
      return go_on(x, {shifted(i, -first)});
    }
    default:
      for (Term argument : call.arguments) read_all(argument);
  }
}

std::optional<Extent> Footprints::value_of(Term term) {
  if (const auto* literal = term.as<ir::Literal>())
    return fixed(literal->value.integer, literal->value.integer);
  if (const auto* size = term.as<ir::SizeValue>()) return fixed(known(size->size), known(size->size));
  if (term.as<ir::Free>() != nullptr) {
    if (const auto found = numbers_.find(term); found != numbers_.end()) return found->second;
    const auto place = elements_.find(term);
    if (place != elements_.end() && place->second.path.empty()) return value_of(place->second.term);
  }
  if (const auto* cast = term.as<ir::Cast>();
      cast != nullptr && is_integer(term.type()->scalar) && is_integer(cast->operand.type()->scalar))
    return value_of(cast->operand);
  if (const auto* call = term.as<ir::ScalarCall>()) {
    if (const auto value = value_of_call(*call)) return value;
  }
  read(term, {});
  return std::nullopt;
}

std::optional<Extent> Footprints::value_of_call(const ir::ScalarCall& call) {
  if (call.arguments.size() != 2) return std::nullopt;
  const auto a = value_of(call.arguments[0]), b = value_of(call.arguments[1]);
  if (!a || !b) return std::nullopt;
  const bool is_number = b->is_fixed() && b->divisor == 1 && b->least == b->most;
  switch (call.op) {
    case ScalarOp::Add:
      return sum(*a, *b);
    case ScalarOp::Subtract:
      return is_number ? std::optional(shifted(*a, -b->least)) : std::nullopt;
    case ScalarOp::Multiply: {
      const bool is_first_number = a->is_fixed() && a->divisor == 1 && a->least == a->most;
      if (is_number && b->least >= 0) return scaled(*a, b->least);
      if (is_first_number && a->least >= 0) return scaled(*b, a->least);
      return std::nullopt;
    }
    case ScalarOp::Divide:
      // Towards zero, which is up below zero.
      if (!is_number || b->least < 1) return std::nullopt;
      if (a->least < 0) return std::nullopt;
      return divided(*a, b->least);
    case ScalarOp::Minimum:
    case ScalarOp::Maximum: {
      // Of two extents that move alike; with a number it is what `within` does at one end.
      if (a->factors == b->factors && a->divisor == b->divisor) {
        Extent result = *a;
        result.least = std::min(a->least, b->least);
        result.most = std::max(a->most, b->most);
        return result;
      }
      const Extent& moving = a->is_fixed() ? *b : *a;
      const Extent& limit = a->is_fixed() ? *a : *b;
      if (!limit.is_fixed()) return std::nullopt;
      if (call.op == ScalarOp::Minimum) return within(moving, limit.least + 1);
      if (limit.most <= 0) return within(moving, most_of(moving) + 1);
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace hoist::rewrite
