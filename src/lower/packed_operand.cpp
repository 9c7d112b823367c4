#include "lower/packed_operand.hpp"

#include <algorithm>

#include "lower/passes.hpp"

namespace hoist::lower {

namespace {

using arith::Expr;
using loop::Block;

constexpr std::int64_t line_bytes = 64;

}  // namespace

PackedOperand::PackedOperand(const loop::Load& load, std::size_t outside, const std::vector<NestLoop>& loops,
                             const PlacedLoops& placed, std::optional<std::size_t> lanes_of,
                             std::int64_t lanes, std::size_t sums_begin, loop::NameSource& names)
    : load_(load), outside_(outside), loops_(loops), placed_(placed), lanes_of_(lanes_of), lanes_(lanes) {
  if (lanes_of_ && !depends_on(*lanes_of_)) lanes_of_.reset();
  lay_out(sums_begin);
  const std::int64_t scalars =
      dimensions_.empty() ? 1 : dimensions_.front().extent * dimensions_.front().stride;
  buffer_ = std::make_shared<const loop::Buffer>(loop::Buffer{names.fresh(load.buffer->name + "_packed"),
                                                              {load.buffer->type.scalar, 1},
                                                              loop::AddressSpace::Local,
                                                              arith::constant(scalars)});
}

bool PackedOperand::depends_on(std::size_t l) const {
  return arith::contains(load_.index, loops_[l].variable);
}

/// The loop along which neighbours lie side by side in the array.
std::optional<std::size_t> PackedOperand::side_by_side() const {
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    const Expr variable = loops_[l].variable;
    if (depends_on(l) &&
        (arith::substitute(load_.index, {{variable.get(), variable + 1}}) - load_.index).is_constant(1))
      return l;
  }
  return std::nullopt;
}

void PackedOperand::lay_out(std::size_t sums_begin) {
  std::vector<Dimension> rounds, sums, bodies;
  for (std::size_t place = outside_; place < placed_.order.size(); ++place) {
    const PlacedLoop& each = placed_.order[place];
    if (depends_on(each.loop))
      (place < sums_begin ? rounds : sums).push_back({each.loop, place, each.rounds});
  }
  const auto along = side_by_side();
  const std::size_t innermost = lanes_of_ ? *lanes_of_ : along.value_or(loops_.size());
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    if (depends_on(l) && placed_.steps[l] > 1) bodies.push_back({l, std::nullopt, placed_.steps[l]});
  }
  std::stable_partition(bodies.begin(), bodies.end(),
                        [&](const Dimension& each) { return each.loop != innermost; });
  const bool is_along_sums = !lanes_of_ && along && loops_[*along].is_reduction && !sums.empty();
  dimensions_ = rounds;
  const auto add = [&](const std::vector<Dimension>& more) {
    dimensions_.insert(dimensions_.end(), more.begin(), more.end());
  };
  add(is_along_sums ? bodies : sums);
  add(is_along_sums ? sums : bodies);
  std::int64_t stride = 1;
  for (std::size_t at = dimensions_.size(); at-- > 0;) {
    // Rows a power of two apart would fall into the same sets of a cache.
    if (is_along_sums && at + sums.size() + 1 == dimensions_.size() && !dimensions_[at].place)
      stride += line_bytes / static_cast<std::int64_t>(size_of(load_.buffer->type.scalar));
    dimensions_[at].stride = stride;
    stride *= dimensions_[at].extent;
  }
}

Expr PackedOperand::index(const std::vector<std::int64_t>& offsets) const {
  Expr index = 0;
  for (const Dimension& each : dimensions_) {
    const Expr at = each.place ? placed_.order[*each.place].variable : arith::constant(offsets[each.loop]);
    index = index + at * each.stride;
  }
  return index;
}

/// The dimension along which the array is read innermost.
std::vector<PackedOperand::Dimension> PackedOperand::order_of_copying() const {
  std::vector<Dimension> order = dimensions_;
  const auto along = side_by_side();
  if (!along || order.empty()) return order;
  const auto innermost =
      std::find_if(order.rbegin(), order.rend(), [&](const Dimension& each) { return each.loop == *along; });
  if (innermost != order.rend()) std::rotate(innermost.base() - 1, innermost.base(), order.end());
  return order;
}

bool PackedOperand::has_edge_along(std::size_t l) const {
  return depends_on(l) && has_edge(loops_[l], placed_.steps[l]);
}

/// Makes the loops that copy, in an order of the dimensions.
class PackedOperand::Copying {
 public:
  Copying(const PackedOperand& operand, loop::NameSource& names)
      : operand_(operand),
        names_(names),
        order_(operand.order_of_copying()),
        offsets_(operand.loops_.size(), arith::constant(0)) {}

  Block run() { return from(0, Edge::Undecided); }

 private:
  Block from(std::size_t at, Edge edge) {
    if (edge == Edge::Undecided && !has_edge_from(at)) return decided(at);
    Block block;
    if (at == order_.size()) {
      block.push_back(store(edge, 1));
      return block;
    }
    const Dimension& dimension = order_[at];
    const bool is_vector = edge == Edge::None && at + 1 == order_.size() && !dimension.place &&
                           operand_.lanes_of_ == dimension.loop && operand_.side_by_side() == dimension.loop;
    const std::int64_t step = is_vector ? operand_.lanes_ : 1;
    const std::int64_t rounds = dimension.extent / step;
    const Expr variable = arith::index(names_.fresh(operand_.loops_[dimension.loop].variable->name), 0,
                                       arith::constant(rounds));
    loop::For loop;
    loop.variable = variable;
    loop.start = 0;
    loop.stop = arith::constant(rounds);
    loop.step = 1;
    if (dimension.place) {
      const PlacedLoop& placed = operand_.placed_.order[*dimension.place];
      loop.stop = arith::substitute(placed.stop, rounds_);
      rounds_[placed.variable.get()] = variable;
    } else {
      offsets_[dimension.loop] = variable * step;
    }
    if (is_vector) {
      loop.body.push_back(store(edge, static_cast<int>(step)));
    } else {
      loop.body = from(at + 1, edge);
    }
    block.push_back({std::move(loop)});
    return block;
  }

  /// Whether the rounds of the dimensions from one on say where a loop ends.
  bool has_edge_from(std::size_t at) const {
    return std::any_of(
        order_.begin() + static_cast<std::ptrdiff_t>(at), order_.end(),
        [&](const Dimension& each) { return each.place && operand_.has_edge_along(each.loop); });
  }

  Block decided(std::size_t at) {
    loop::ValuePtr is_whole;
    for (std::size_t l = 0; l < operand_.loops_.size(); ++l) {
      if (!operand_.has_edge_along(l)) continue;
      const loop::ValuePtr test =
          loop::test({arith::Relation::LessEqual, arith::substitute(operand_.placed_.first[l], rounds_),
                      arith::constant(operand_.loops_[l].length - operand_.placed_.steps[l])});
      is_whole = is_whole ? loop::operation(ScalarOp::And, {is_whole, test}) : test;
    }
    if (!is_whole) return from(at, Edge::None);
    Block block;
    block.push_back({loop::If{is_whole, from(at, Edge::None), from(at, Edge::Clamped)}});
    return block;
  }

  loop::Statement store(Edge edge, int width) const {
    arith::Substitution places;
    for (std::size_t l = 0; l < operand_.loops_.size(); ++l) {
      if (!operand_.depends_on(l)) continue;
      Expr place = arith::substitute(operand_.placed_.first[l], rounds_) + offsets_[l];
      if (edge == Edge::Clamped && operand_.has_edge_along(l))
        place = arith::minimum(place, operand_.loops_[l].length - 1);
      places.emplace(operand_.loops_[l].variable.get(), place);
    }
    Expr to = 0;
    for (const Dimension& each : operand_.dimensions_) {
      const Expr at =
          each.place ? rounds_.at(operand_.placed_.order[*each.place].variable.get()) : offsets_[each.loop];
      to = to + at * each.stride;
    }
    const Expr from = arith::substitute(operand_.load_.index, places);
    return {loop::Store{operand_.buffer_, to, loop::load(operand_.load_.buffer, from, width)}};
  }

  const PackedOperand& operand_;
  loop::NameSource& names_;
  const std::vector<Dimension> order_;
  arith::Substitution rounds_;  ///< by the variable of a loop of the nest: that of the loop that copies
  std::vector<Expr> offsets_;   ///< by loop of the nest: in a body
};

Block PackedOperand::copy(loop::NameSource& names) const { return Copying(*this, names).run(); }

}  // namespace hoist::lower
