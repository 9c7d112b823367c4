#include "lower/edge_sums.hpp"

#include "lower/result_loops.hpp"

namespace hoist::lower {

using arith::Expr;
using loop::Block;
using loop::ValuePtr;

EdgeSums::EdgeSums(const PerfectNest& nest, const PlacedLoops& placed, std::optional<std::size_t> lanes_of,
                   loop::NameSource& names)
    : nest_(nest), placed_(placed), strides_(nest.loops.size(), 0) {
  std::int64_t scalars = 1;
  const auto add = [&](std::size_t l) {
    strides_[l] = scalars;
    scalars *= placed.steps[l];
  };
  if (lanes_of) add(*lanes_of);
  for (std::size_t l = 0; l < nest.loops.size(); ++l) {
    if (!nest.loops[l].is_reduction && lanes_of != l) add(l);
  }
  buffer_ = std::make_shared<const loop::Buffer>(loop::Buffer{
      names.fresh("edge"), {nest.sum->type.scalar, 1}, loop::AddressSpace::Local, arith::constant(scalars)});
}

loop::Statement EdgeSums::kept(const std::vector<std::int64_t>& offsets, const ValuePtr& sum) const {
  std::int64_t at = 0;
  for (std::size_t l = 0; l < strides_.size(); ++l) at += offsets[l] * strides_[l];
  return {loop::Store{buffer_, arith::constant(at), sum}};
}

Block EdgeSums::stored(const ValuePtr& is_first, const ValuePtr& is_last, loop::NameSource& names) const {
  arith::Substitution places;
  std::vector<loop::For> around;
  Expr at = 0;
  for (std::size_t l = 0; l < strides_.size(); ++l) {
    const NestLoop& nested = nest_.loops[l];
    if (nested.is_reduction) continue;
    const std::int64_t step = placed_.steps[l];
    Expr variable = 0;
    if (step > 1) {
      variable = arith::index(names.fresh(nested.variable->name), 0, arith::constant(step));
      around.push_back(sequential_loop(variable, has_edge(nested, step)
                                                     ? arith::minimum(step, nested.length - placed_.first[l])
                                                     : arith::constant(step)));
    }
    places.emplace(nested.variable.get(), placed_.first[l] + variable);
    at = at + variable * strides_[l];
  }
  const Expr index = arith::substitute(nest_.store->index, places);
  ValuePtr before = loop::substitute(nest_.start, places);
  if (is_first)
    before = loop::operation(ScalarOp::Select, {is_first, before, loop::load(nest_.store->buffer, index)});
  Block block;
  const auto total =
      std::make_shared<loop::Variable>(loop::Variable{names.fresh("total"), nest_.sum->type, false});
  block.push_back({loop::Let{total, loop::operation(*nest_.combine, {before, loop::load(buffer_, at)}), {}}});
  const ValuePtr sum = loop::reference(total);
  ValuePtr result = loop::map_value(loop::substitute(nest_.result, places),
                                    [&](const ValuePtr& each) { return nest_.is_sum(each) ? sum : each; });
  if (is_last && !nest_.is_sum(nest_.result))
    result = loop::operation(ScalarOp::Select, {is_last, result, sum});
  block.push_back({loop::Store{nest_.store->buffer, index, result}});
  return inside_of(std::move(around), std::move(block));
}

}  // namespace hoist::lower
