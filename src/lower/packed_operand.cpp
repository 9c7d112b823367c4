#include "lower/packed_operand.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "lower/passes.hpp"
#include "lower/register_transpose.hpp"

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
    if (depends_on(l) && stride_in_array(l) == 1) return l;
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

/// The dimensions by how far apart the array has their neighbours, so that it is read along memory; but those
/// that are transposed together are the last ones.
std::vector<PackedOperand::Dimension> PackedOperand::order_of_copying() const {
  std::vector<Dimension> order = dimensions_;
  const auto distance = [&](const Dimension& each) {
    const std::int64_t unit = each.place ? placed_.order[*each.place].unit : 1;
    return std::abs(stride_in_array(each.loop).value_or(0) * unit);
  };
  const bool is_known = std::all_of(order.begin(), order.end(), [&](const Dimension& each) {
    return stride_in_array(each.loop).has_value();
  });
  if (is_known) {
    std::stable_sort(order.begin(), order.end(),
                     [&](const Dimension& a, const Dimension& b) { return distance(a) > distance(b); });
  }
  if (order.size() < 2 || !order.back().place) return order;
  const auto body = std::find_if(order.begin(), order.end(),
                                 [](const Dimension& each) { return !each.place && each.stride == 1; });
  if (body != order.end()) std::rotate(body, body + 1, order.end() - 1);
  return order;
}

std::optional<std::int64_t> PackedOperand::stride_in_array(std::size_t l) const {
  const Expr variable = loops_[l].variable;
  return (arith::substitute(load_.index, {{variable.get(), variable + 1}}) - load_.index).constant();
}

bool PackedOperand::has_edge_along(std::size_t l) const {
  return depends_on(l) && has_edge(loops_[l], placed_.steps[l]);
}

/// Makes the loops that copy, in an order of the dimensions. What lies side by side in the array is copied as
/// vectors: as they are where it does so in the copy, too, else as many as a vector has lanes, turned in
/// registers. Along the loop of such vectors there is no edge.
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
    if (edge != Edge::Undecided && at + 2 == order_.size()) {
      if (const std::int64_t side = side_of_square(); side > 0) return turned_from(at, side, edge);
    }
    if (edge != Edge::Undecided && at + 1 == order_.size() && lies_side_by_side(order_[at]))
      return pieces_of(at, edge);
    loop::For loop = loop_over(order_[at]);
    const Saved saved(*this);
    set(order_[at], loop.variable);
    loop.body = from(at + 1, edge);
    block.push_back({std::move(loop)});
    return block;
  }

  /// Leaves rounds and offsets as they were, for loops beside this one.
  class Saved {
   public:
    explicit Saved(Copying& copying)
        : copying_(copying), rounds_(copying.rounds_), offsets_(copying.offsets_) {}
    ~Saved() {
      copying_.rounds_ = std::move(rounds_);
      copying_.offsets_ = std::move(offsets_);
    }
    Saved(const Saved&) = delete;
    Saved& operator=(const Saved&) = delete;

   private:
    Copying& copying_;
    arith::Substitution rounds_;
    std::vector<Expr> offsets_;
  };

  const PlacedLoop& placed_of(const Dimension& dimension) const {
    return operand_.placed_.order[*dimension.place];
  }
  Expr stop_of(const Dimension& dimension) const {
    return dimension.place ? arith::substitute(placed_of(dimension).stop, rounds_)
                           : arith::constant(dimension.extent);
  }
  void set(const Dimension& dimension, Expr value) {
    if (dimension.place)
      rounds_[placed_of(dimension).variable.get()] = value;
    else
      offsets_[dimension.loop] = value;
  }
  loop::For loop_over(const Dimension& dimension) {
    return loop_over(dimension, dimension.extent, 0, stop_of(dimension));
  }
  loop::For loop_over(const Dimension& dimension, std::int64_t most, Expr start, Expr stop) {
    loop::For loop;
    loop.variable =
        arith::index(names_.fresh(operand_.loops_[dimension.loop].variable->name), 0, arith::constant(most));
    loop.start = start;
    loop.stop = stop;
    loop.step = 1;
    return loop;
  }

  /// Iterations in a body whose neighbours are neighbours in the array and in the copy.
  bool lies_side_by_side(const Dimension& dimension) const {
    constexpr std::int64_t most_pieces = 8;
    return !dimension.place && dimension.stride == 1 && operand_.stride_in_array(dimension.loop) == 1 &&
           dimension.extent <= most_pieces * operand_.lanes_;
  }
  /// Copies of powers of two elements; one by one where the loop ends within them.
  Block pieces_of(std::size_t at, Edge edge) {
    const Dimension& dimension = order_[at];
    const std::size_t l = dimension.loop;
    Block block;
    for (std::int64_t first = 0; first < dimension.extent;) {
      const auto left = static_cast<std::uint64_t>(std::min(dimension.extent - first, operand_.lanes_));
      const auto width = static_cast<std::int64_t>(std::bit_floor(left));
      const Saved saved(*this);
      set(dimension, arith::constant(first));
      loop::Statement together = store(edge, static_cast<int>(width));
      if (edge == Edge::Clamped && operand_.has_edge_along(l) && width > 1) {
        const Expr place = arith::substitute(operand_.placed_.first[l], rounds_) + first;
        loop::For one_by_one = loop_over(dimension, width, 0, arith::constant(width));
        set(dimension, one_by_one.variable + first);
        one_by_one.body.push_back(store(edge, 1));
        loop::If end{loop::test({arith::Relation::LessEqual, place,
                                 arith::constant(operand_.loops_[l].length - width)}),
                     {},
                     {}};
        end.then_body.push_back(std::move(together));
        end.else_body.push_back({std::move(one_by_one)});
        block.push_back({std::move(end)});
      } else {
        block.push_back(std::move(together));
      }
      first += width;
    }
    return block;
  }

  /// How many elements each way are turned in registers, where the last two dimensions are iterations in a
  /// body, which are neighbours in the copy, and a loop along which the array has neighbours; 0 where they
  /// are not.
  std::int64_t side_of_square() const {
    constexpr std::int64_t most_lanes = 16;
    const Dimension &body = order_[order_.size() - 2], &along = order_.back();
    if (body.place || body.stride != 1 || !along.place || placed_of(along).unit != 1 ||
        operand_.stride_in_array(along.loop) != 1)
      return 0;
    const std::int64_t side = std::min(largest_power_of_two_in(body.extent), operand_.lanes_);
    const bool can_be = side > 1 && side <= most_lanes && along.extent >= side &&
                        can_be_turned(operand_.load_.buffer->type.scalar, side, side);
    return can_be ? side : 0;
  }
  Block turned_from(std::size_t at, std::int64_t side, Edge edge) {
    const Dimension &body = order_[at], &along = order_[at + 1];
    const Expr stop = stop_of(along);
    const Expr whole = stop.constant() ? arith::constant(*stop.constant() / side) : stop / side;
    Block block;
    loop::For over_body = loop_over(body, body.extent / side, 0, arith::constant(body.extent / side));
    loop::For over_along = loop_over(along, along.extent / side, 0, whole);
    over_along.body = square(side, body, over_body.variable * side, along, over_along.variable * side, edge);
    over_body.body.push_back({std::move(over_along)});
    block.push_back({std::move(over_body)});
    if (stop.constant() && *stop.constant() % side == 0) return block;
    const Saved saved(*this);
    loop::For rest = loop_over(along, along.extent, whole * side, stop);
    set(along, rest.variable);
    loop::For beside = loop_over(body);
    set(body, beside.variable);
    beside.body.push_back(store(edge, 1));
    rest.body.push_back({std::move(beside)});
    block.push_back({std::move(rest)});
    return block;
  }
  /// As many vectors as each has elements.
  Block square(std::int64_t side, const Dimension& body, Expr first_of_body, const Dimension& along,
               Expr first, Edge edge) {
    Block block;
    const Saved saved(*this);
    const auto named = [&](const loop::ValuePtr& value) {
      const auto variable = std::make_shared<loop::Variable>(
          loop::Variable{names_.fresh(operand_.load_.buffer->name), value->type, false});
      block.push_back({loop::Let{variable, value, {}}});
      return loop::reference(variable);
    };
    std::vector<loop::ValuePtr> rows;
    set(along, first);
    for (std::int64_t row = 0; row < side; ++row) {
      set(body, first_of_body + row);
      rows.push_back(named(loop::load(operand_.load_.buffer, index_in_array(edge), static_cast<int>(side))));
    }
    set(body, first_of_body);
    std::int64_t number = 0;
    for (const loop::ValuePtr& vector : turned(rows, named)) {
      set(along, first + number++);
      block.push_back({loop::Store{operand_.buffer_, index_in_copy(), vector}});
    }
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

  Expr index_in_array(Edge edge) const {
    arith::Substitution places;
    for (std::size_t l = 0; l < operand_.loops_.size(); ++l) {
      if (!operand_.depends_on(l)) continue;
      Expr place = arith::substitute(operand_.placed_.first[l], rounds_) + offsets_[l];
      if (edge == Edge::Clamped && operand_.has_edge_along(l))
        place = arith::minimum(place, operand_.loops_[l].length - 1);
      places.emplace(operand_.loops_[l].variable.get(), place);
    }
    return arith::substitute(operand_.load_.index, places);
  }
  Expr index_in_copy() const {
    Expr to = 0;
    for (const Dimension& each : operand_.dimensions_)
      to = to + (each.place ? rounds_.at(placed_of(each).variable.get()) : offsets_[each.loop]) * each.stride;
    return to;
  }
  loop::Statement store(Edge edge, int width) const {
    return {loop::Store{operand_.buffer_, index_in_copy(),
                        loop::load(operand_.load_.buffer, index_in_array(edge), width)}};
  }

  const PackedOperand& operand_;
  loop::NameSource& names_;
  const std::vector<Dimension> order_;
  arith::Substitution rounds_;  ///< by the variable of a loop of the nest: that of the loop that copies
  std::vector<Expr> offsets_;   ///< by loop of the nest: in a body
};

Block PackedOperand::copy(loop::NameSource& names) const { return Copying(*this, names).run(); }

}  // namespace hoist::lower
