#include "rewrite/strategies/vectors.hpp"

#include <fmt/format.h>

#include "rewrite/invariants.hpp"
#include "rewrite/nest.hpp"
#include "rewrite/sharing.hpp"
#include "rewrite/strategies/nests.hpp"

namespace hoist::rewrite {

using ir::Op;
using ir::Term;

namespace {

Outcome in_vectors(Term term, Context& context, std::int64_t width) {
  if (!context.enclosing.empty() || context.open_maps > 0 || context.unshared > 0)
    return declined("it is inside another pattern");
  const auto nest = nest_of(term);
  if (!nest) return declined("it is no map");
  if (!ir::is_scalar(nest->body.type())) return declined("its elements are no scalars");
  if (contains_loop(nest->body)) return declined("its body has a loop");
  const std::size_t innermost = nest->rank() - 1;
  Nest of_vectors = *nest;
  of_vectors.lengths[innermost] = arith::exact_quotient(nest->lengths[innermost], width);
  std::vector<Term> scalars, vectors;
  for (NestInput& input : of_vectors.inputs) {
    if (input.dims.back() != innermost) continue;
    if (!ir::is_scalar(input.element.type()))
      return declined("what it reads along the innermost dimension is no scalar");
    scalars.push_back(input.element);
    input.array = map_inside(input.array, input.dims.size() - 1,
                             [&](Term row) { return call1(Op::AsVector, {width}, row); });
    input.element = ir::fresh(inside_type(input.array.type(), input.dims.size()), "e");
    vectors.push_back(input.element);
  }
  of_vectors.body = ir::apply(vectorized(ir::lambda(scalars, nest->body), width), vectors);
  return map_inside(to_term(of_vectors), innermost, [](Term row) { return call1(Op::AsScalar, {}, row); });
}

}  // namespace

Strategy map_in_vectors(std::int64_t width) {
  return step(fmt::format("mapVectors({})", width),
              [width](Term term, Context& context) { return in_vectors(term, context, width); });
}

Strategy map_in_vectors_of_bytes(std::int64_t bytes) {
  return [bytes](Term term, Context& context) -> Outcome {
    constexpr std::int64_t widest = 16;
    ir::Type element = term.type();
    while (ir::is_array(element)) element = ir::element_of(element);
    if (!ir::is_scalar(element) || element->scalar == Scalar::Bool)
      return declined("it is no nest of numbers");
    const std::int64_t width = bytes / static_cast<std::int64_t>(size_of(element->scalar));
    if (width < 2 || width > widest) return declined("vectors have 2 to 16 elements");
    return map_in_vectors(width)(term, context);
  };
}

}  // namespace hoist::rewrite
