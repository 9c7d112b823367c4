// The loops of a nest in another order, with several iterations in one body and others as lanes of vectors
// (unroll and jam, and outer-loop vectorisation, of any loop). Of
//
//   for i: for j: acc = 0; for k: acc = acc + a[i][k] * b[k][j];  c[i][j] = acc
//
// with the order k, i, j, two iterations of i in a body and lanes of j it makes
//
//   for i: for j: c[i][j] = 0
//   for k: for i in steps of 2: for j in steps of 8:
//     c[i][j +: 8] += a[i][k] * b[k][j +: 8];  c[i + 1][j +: 8] += a[i + 1][k] * b[k][j +: 8]
//
// The method is that of Stock, Pouchet and Sadayappan, "Using machine learning to improve automatic
// vectorization" (TACO 2012), section 2. What a body reads is loaded where the innermost loop begins that it
// depends on. An element of the result is in a register (`sums_`) inside of the innermost reduction loops;
// where others are outside of those, it is in memory between them. How lanes read an array depends on its
// stride along them:
//
//   0          one load, for all lanes
//   1          a vector
//   other      vectors along the loop where its stride is 1, where a body has enough iterations of that one,
//              turned in registers (register_transpose.hpp)
//   else       lane by lane
//
// Stores are the same the other way round. Where the loop of the lanes is one of the reduction, each lane has
// a sum of its own, and they are added at the end: those of neighbours in the result together (`add_lanes`).
//
// Read `run` first. `emit_from` makes the loop at a place and all inside of it.
#include "lower/scheduled_nest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "ir/reduction.hpp"
#include "loop/value.hpp"
#include "lower/edge_sums.hpp"
#include "lower/packed_operand.hpp"
#include "lower/passes.hpp"
#include "lower/perfect_nest.hpp"
#include "lower/placed_loops.hpp"
#include "lower/register_transpose.hpp"
#include "lower/result_loops.hpp"

namespace hoist::lower {

namespace {

using arith::Expr;
using loop::Block;
using loop::ValuePtr;

/// How far from the first iteration of a body, for each loop.
using Offsets = std::vector<std::int64_t>;

class NestScheduler {
 public:
  NestScheduler(loop::Kernel& kernel, const Schedule& schedule, loop::NameSource& names)
      : kernel_(kernel),
        schedule_(schedule),
        names_(names),
        nest_(perfect_nest(kernel)),
        loops_(nest_.loops) {}

  void run() {
    read_schedule();
    place_sums();
    rows_ = rows_of(nest_);
    if (rows_ && is_in_memory_ && !is_tiled() && has_edge(*rows_)) rows_.reset();
    pack_operands();
    share_out();
    blocks_.assign(order().size() + 1, {});
    Block body = emit_from(0);
    Block memory = allocated();
    append(memory, std::move(body));
    kernel_.body = std::move(memory);
    kernel_.launch = {};
    for (std::size_t at = 0; at < shared_; ++at)
      kernel_.launch.global[dimension_of(at)] = arith::constant(order()[at].rounds);
  }

 private:
  // ---- What the schedule says

  void read_schedule() {
    // Lanes are added by halves, and transposed by the bits of their numbers.
    if (!std::has_single_bit(static_cast<std::uint64_t>(schedule_.lanes)))
      refuse_nest(fmt::format("{} lanes are no power of two", schedule_.lanes));
    placed_ = placed_loops(loops_, schedule_, names_);
    for (std::size_t l = 0; l < loops_.size(); ++l)
      jammed_.push_back(placed_.steps[l] / (has_lanes(l) ? schedule_.lanes : 1));
  }

  const std::vector<PlacedLoop>& order() const { return placed_.order; }
  bool has_lanes(std::size_t l) const { return schedule_.lanes > 1 && schedule_.lanes_of == l; }
  bool is_tiled() const { return !schedule_.tiles.empty(); }
  bool has_edge(std::size_t l) const { return lower::has_edge(loops_[l], placed_.steps[l]); }
  bool is_reduction_at(std::size_t place) const { return loops_[order()[place].loop].is_reduction; }

  /// Says where sums begin to live in registers, and where those in memory are set.
  void place_sums() {
    sums_begin_ = order().size();
    while (sums_begin_ > 0 && is_reduction_at(sums_begin_ - 1)) --sums_begin_;
    memory_begins_ = 0;
    while (memory_begins_ < order().size() && !is_reduction_at(memory_begins_)) ++memory_begins_;
    is_in_memory_ = nest_.combine && memory_begins_ < sums_begin_;
    if (is_in_memory_ && nest_.sum->type.scalar != nest_.store->buffer->type.scalar)
      refuse_nest("its sums are of another type than its result, which has them between loops");
    if (!is_tiled()) return;
    if (!nest_.combine) refuse_nest("it has tiles, but no reduction");
    if (adds_lanes()) refuse_nest("it has tiles, and lanes along its reduction");
  }

  void pack_operands() {
    const std::vector<loop::Load> loads = loads_of(nest_.element);
    for (const Schedule::Packed& each : schedule_.packed) {
      if (each.operand >= loads.size()) refuse_nest("its elements read fewer arrays");
      if (each.outside >= placed_.outside.size()) refuse_nest("it has fewer loops");
      const std::size_t outside = placed_.outside[each.outside];
      if (!nest_.combine || outside > sums_begin_) refuse_nest("a copy is inside of where sums begin");
      packed_.emplace_back(loads[each.operand], outside, loops_, placed_, lanes_of(), schedule_.lanes,
                           sums_begin_, names_);
    }
    for (const loop::Load& load : loads) {
      const bool is_beyond = std::any_of(loops_.begin(), loops_.end(), [&](const NestLoop& loop) {
        return has_edge(number_of(loop)) && arith::contains(load.index, loop.variable);
      });
      if (is_beyond && !packed_of(load))
        refuse_nest("tiles that do not divide a loop read what is not packed");
    }
    loop::for_each_value(nest_.element, [&](const ValuePtr& value) {
      if (std::holds_alternative<loop::Load>(value->node)) return;
      loop::for_each_own_index(*value, [&](Expr index) {
        for (std::size_t l = 0; l < loops_.size(); ++l) {
          if (has_edge(l) && depends_on(index, l))
            refuse_nest("tiles that do not divide a loop use its index");
        }
      });
    });
    if (std::any_of(loops_.begin(), loops_.end(), [&](const NestLoop& l) { return has_edge(number_of(l)); }))
      edge_.emplace(nest_, placed_, lanes_of(), names_);
  }

  std::size_t number_of(const NestLoop& loop) const {
    return static_cast<std::size_t>(&loop - loops_.data());
  }
  std::optional<std::size_t> lanes_of() const {
    return schedule_.lanes > 1 ? std::optional(schedule_.lanes_of) : std::nullopt;
  }
  const PackedOperand* packed_of(const loop::Load& load) const {
    const auto found = std::find_if(packed_.begin(), packed_.end(),
                                    [&](const PackedOperand& each) { return is_same(each.load(), load); });
    return found == packed_.end() ? nullptr : &*found;
  }

  /// Which of the outermost loops are parallel: one, or those around the copies of tiles that have as many
  /// rounds everywhere.
  void share_out() {
    constexpr std::size_t most = 3;
    std::size_t limit = is_tiled() ? most : 1;
    for (const PackedOperand& each : packed_) limit = std::min(limit, each.outside());
    limit = std::min(limit, order().size());
    while (shared_ < limit && !is_reduction_at(shared_) && order()[shared_].stop.constant()) ++shared_;
  }
  std::size_t outermost_place(std::size_t l) const {
    const auto is_of_it = [&](const PlacedLoop& each) { return each.loop == l; };
    return static_cast<std::size_t>(std::find_if(order().begin(), order().end(), is_of_it) - order().begin());
  }
  std::size_t dimension_of(std::size_t place) const { return shared_ - 1 - place; }

  Block allocated() const {
    Block block;
    for (const PackedOperand& each : packed_) block.push_back({loop::Allocate{each.buffer()}});
    if (edge_) block.push_back({loop::Allocate{edge_->buffer()}});
    return block;
  }

  // ---- Making the loops

  /// The loop at a place with all inside of it, and what belongs around it.
  Block emit_from(std::size_t at) {
    Block inside;
    if (nest_.combine && at == sums_begin_) begin_sums(inside);
    if (at < order().size()) {
      loop::For loop = sequential_loop(order()[at].variable, order()[at].stop);
      loop.is_independent = rows_ && at == outermost_place(*rows_) && at >= shared_;
      if (at < shared_) {
        // Copies are a group's, of one work-item.
        loop.parallelism = is_tiled() ? loop::Parallelism::Group : loop::Parallelism::Global;
        loop.dimension = static_cast<int>(dimension_of(at));
        loop.form = loop::LoopForm::ExactlyOnce;
      }
      loop.body = emit_from(at + 1);
      inside.push_back({std::move(loop)});
    } else {
      innermost_ = &inside;
      if (nest_.combine) {
        add_to_sums(inside);
      } else {
        store_all(inside, [&](const Offsets& offsets) { return value_at(nest_.element, offsets); });
      }
      innermost_ = nullptr;
    }
    if (nest_.combine && at == sums_begin_) end_sums(inside);
    Block result;
    for (const PackedOperand& each : packed_) {
      if (each.outside() == at) append(result, each.copy(names_));
    }
    append(result, std::move(blocks_[at]));
    const bool has_memory = is_in_memory_ && !is_tiled() && at == memory_begins_;
    if (has_memory) append(result, over_result(nest_, placed_, at, rows_, nest_.start, names_));
    append(result, std::move(inside));
    if (has_memory && !nest_.is_sum(nest_.result))
      append(result, over_result(nest_, placed_, at, rows_, nest_.result, names_));
    return result;
  }

  static void append(Block& block, Block more) {
    block.insert(block.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }

  // ---- Sums

  /// fn(offsets) for each iteration of a body in the loops that are of the reduction, or are not; the others
  /// are as in `offsets`.
  template <class Fn>
  void for_each_offset(bool of_reduction, Offsets offsets, const Fn& fn, std::size_t l = 0) const {
    if (l == loops_.size()) return fn(offsets);
    if (loops_[l].is_reduction != of_reduction) return for_each_offset(of_reduction, offsets, fn, l + 1);
    for (std::int64_t i = 0; i < jammed_[l]; ++i) {
      offsets[l] = i * (has_lanes(l) ? schedule_.lanes : 1);
      for_each_offset(of_reduction, offsets, fn, l + 1);
    }
  }
  Offsets none() const { return Offsets(loops_.size(), 0); }
  /// Each lane has a sum of its own.
  bool adds_lanes() const { return schedule_.lanes > 1 && loops_[schedule_.lanes_of].is_reduction; }
  int width() const { return static_cast<int>(schedule_.lanes); }

  loop::VariablePtr declare(Block& block, const char* name, const ValuePtr& value, bool is_mutable = false) {
    auto variable =
        std::make_shared<loop::Variable>(loop::Variable{names_.fresh(name), value->type, is_mutable});
    block.push_back({loop::Let{variable, value, {}}});
    return variable;
  }

  void begin_sums(Block& block) {
    const Here here(*this, block);
    sums_.clear();
    for_each_offset(false, none(), [&](const Offsets& offsets) {
      ValuePtr first;
      if (adds_lanes() || is_tiled()) {
        first = loop::literal(*ir::neutral_scalar(*nest_.combine, nest_.sum->type.scalar));
      } else if (is_in_memory_) {
        first = load_at({nest_.store->buffer, nest_.store->index}, offsets);
      } else {
        first = value_at(nest_.start, offsets);
      }
      if (schedule_.lanes > 1 && first->type.width == 1) first = loop::make_vector({first}, width());
      sums_.emplace(offsets, declare(block, "sum", first, true));
    });
  }

  void add_to_sums(Block& block) {
    for_each_offset(true, none(), [&](const Offsets& of_reduction) {
      for_each_offset(false, of_reduction, [&](const Offsets& offsets) {
        const loop::VariablePtr& sum = sums_.at(of_result(offsets));
        const ValuePtr value = value_at(nest_.element, offsets);
        block.push_back({loop::Assign{sum, loop::operation(*nest_.combine, {loop::reference(sum), value})}});
      });
    });
  }
  Offsets of_result(Offsets offsets) const {
    for (std::size_t l = 0; l < loops_.size(); ++l) {
      if (loops_[l].is_reduction) offsets[l] = 0;
    }
    return offsets;
  }

  void end_sums(Block& block) {
    if (is_tiled()) return end_tile(block);
    const Here here(*this, block);
    if (adds_lanes()) {
      add_lanes(block);
    } else {
      store_all(block, [&](const Offsets& offsets) {
        return result_of(loop::reference(sums_.at(offsets)), offsets, block);
      });
    }
    sum_now_ = nullptr;
  }
  /// What an element of the result is, given its sum.
  ValuePtr result_of(const ValuePtr& sum, const Offsets& offsets, Block& block) {
    if (sums_are_stored()) return sum;
    sum_now_ = loop::reference(declare(block, "total", sum));
    return value_at(nest_.result, offsets);
  }
  bool sums_are_stored() const { return is_in_memory_ || nest_.is_sum(nest_.result); }

  /// What becomes of a body's sums over a tile: all of it where the loops have all iterations of the body,
  /// else one by one.
  void end_tile(Block& block) {
    ValuePtr is_whole;
    for (std::size_t l = 0; l < loops_.size(); ++l) {
      if (!has_edge(l)) continue;
      const ValuePtr test = loop::test({arith::Relation::LessEqual, placed_.first[l],
                                        arith::constant(loops_[l].length - placed_.steps[l])});
      is_whole = is_whole ? loop::operation(ScalarOp::And, {is_whole, test}) : test;
    }
    if (!is_whole) return end_whole(block);
    loop::If branch{is_whole, {}, {}};
    end_whole(branch.then_body);
    end_edge(branch.else_body);
    block.push_back({std::move(branch)});
  }

  /// Whether the loops of the reduction that are outside of the sums are in their first or last round; null
  /// where there are none.
  ValuePtr is_at_end_of_reduction(bool first) const {
    ValuePtr all;
    for (std::size_t at = 0; at < sums_begin_; ++at) {
      if (!is_reduction_at(at)) continue;
      const PlacedLoop& loop = order()[at];
      const ValuePtr test =
          loop::test({arith::Relation::Equal, loop.variable, first ? arith::constant(0) : loop.stop - 1});
      all = all ? loop::operation(ScalarOp::And, {all, test}) : test;
    }
    return all;
  }

  /// Nothing is added to what a sum of nothing is.
  bool starts_with_nothing() const {
    const auto* start = std::get_if<loop::Literal>(&nest_.start->node);
    const ValuePtr neutral = loop::literal(*ir::neutral_scalar(*nest_.combine, nest_.sum->type.scalar));
    const auto* nothing = std::get_if<loop::Literal>(&neutral->node);
    return start && start->value == nothing->value;
  }

  void end_whole(Block& block) {
    const auto add_to_all = [&](Block& to, const auto& value) {
      const Here here(*this, to);
      for_each_offset(false, none(), [&](const Offsets& offsets) {
        const loop::VariablePtr& sum = sums_.at(offsets);
        const ValuePtr added = loop::operation(*nest_.combine, {value(offsets), loop::reference(sum)});
        to.push_back({loop::Assign{sum, added}});
      });
    };
    const auto add_start = [&](Block& to) {
      if (!starts_with_nothing())
        add_to_all(to, [&](const Offsets& offsets) { return value_at(nest_.start, offsets); });
    };
    const auto store_sums = [&](Block& to) {
      store_all(to, [&](const Offsets& offsets) { return loop::reference(sums_.at(offsets)); });
    };
    const auto store_results = [&](Block& to) {
      const Here here(*this, to);
      store_all(to, [&](const Offsets& offsets) {
        sum_now_ = loop::reference(sums_.at(offsets));
        return value_at(nest_.result, offsets);
      });
      sum_now_ = nullptr;
    };
    if (!is_in_memory_) {
      add_start(block);
      return store_results(block);
    }
    const auto add_former = [&](Block& to) {
      add_to_all(to, [&](const Offsets& offsets) {
        return load_at({nest_.store->buffer, nest_.store->index}, offsets);
      });
    };
    loop::If start;
    if (starts_with_nothing()) {
      start.condition = loop::operation(ScalarOp::Not, {is_at_end_of_reduction(true)});
      add_former(start.then_body);
    } else {
      start.condition = is_at_end_of_reduction(true);
      add_start(start.then_body);
      add_former(start.else_body);
    }
    block.push_back({std::move(start)});
    if (nest_.is_sum(nest_.result)) return store_sums(block);
    loop::If end{is_at_end_of_reduction(false), {}, {}};
    store_results(end.then_body);
    store_sums(end.else_body);
    block.push_back({std::move(end)});
  }

  void end_edge(Block& block) {
    for_each_offset(false, none(), [&](const Offsets& offsets) {
      block.push_back(edge_->kept(offsets, loop::reference(sums_.at(offsets))));
    });
    append(block, edge_->stored(is_in_memory_ ? is_at_end_of_reduction(true) : nullptr,
                                is_in_memory_ ? is_at_end_of_reduction(false) : nullptr, names_));
  }

  /// Adds the lanes of all sums, and stores the elements: of as many together as lie side by side in the
  /// result, up to a vector's lanes, or along another loop.
  void add_lanes(Block& block) {
    std::size_t along = loops_.size();
    std::int64_t together = 1;
    bool is_vector = false;
    for (std::size_t l = 0; l < loops_.size(); ++l) {
      const std::int64_t count =
          loops_[l].is_reduction ? 1 : std::min(largest_power_of_two_in(jammed_[l]), schedule_.lanes);
      const bool lies_side_by_side = stride(nest_.store->index, l) == 1;
      if (count < together || (count == together && (count == 1 || !lies_side_by_side))) continue;
      along = l;
      together = count;
      is_vector = lies_side_by_side && sums_are_stored();
    }
    for_each_offset(false, none(), [&](const Offsets& first) {
      if (along < loops_.size() && first[along] % together != 0) return;
      std::vector<ValuePtr> vectors, starts;
      for (std::int64_t i = 0; i < together; ++i) {
        const Offsets offsets = shifted(first, along, i);
        vectors.push_back(loop::reference(sums_.at(offsets)));
        if (!is_in_memory_) starts.push_back(value_at(nest_.start, offsets));
      }
      const int width = static_cast<int>(together);
      const ValuePtr before = is_in_memory_ && is_vector ? load_result(first, width) : nullptr;
      const ValuePtr added = sums_of_lanes(std::move(vectors), *nest_.combine, naming(block, "lanes"));
      const auto with = [&](const ValuePtr& start, const ValuePtr& sum) {
        return loop::operation(*nest_.combine, {start, sum});
      };
      if (is_vector) {
        put(block, first, with(before ? before : loop::make_vector(std::move(starts), width), added));
        return;
      }
      for (std::int64_t i = 0; i < together; ++i) {
        const Offsets offsets = shifted(first, along, i);
        const ValuePtr start = is_in_memory_ ? load_result(offsets, 1) : starts[static_cast<std::size_t>(i)];
        const ValuePtr sum = with(start, loop::component(added, static_cast<int>(i)));
        put(block, offsets, result_of(sum, offsets, block));
      }
    });
  }
  ValuePtr load_result(const Offsets& offsets, int width) const {
    return loop::load(nest_.store->buffer, index_at(nest_.store->index, offsets), width);
  }
  void put(Block& block, const Offsets& at, const ValuePtr& what) const {
    block.push_back({loop::Store{nest_.store->buffer, index_at(nest_.store->index, at), what}});
  }
  static Offsets shifted(Offsets offsets, std::size_t l, std::int64_t by) {
    if (l < offsets.size()) offsets[l] += by;
    return offsets;
  }
  Name naming(Block& block, const char* name) {
    return
        [this, &block, name](const ValuePtr& value) { return loop::reference(declare(block, name, value)); };
  }

  // ---- Values

  Expr index_at(Expr index, const Offsets& offsets) const {
    arith::Substitution places;
    for (std::size_t l = 0; l < loops_.size(); ++l)
      places.emplace(loops_[l].variable.get(), placed_.first[l] + offsets[l]);
    return arith::substitute(index, places);
  }
  bool depends_on(Expr index, std::size_t l) const { return arith::contains(index, loops_[l].variable); }

  /// By how much an index grows with a loop, where that is the same everywhere.
  std::optional<std::int64_t> stride(Expr index, std::size_t l) const {
    const Expr variable = loops_[l].variable;
    return (arith::substitute(index, {{variable.get(), variable + 1}}) - index).constant();
  }

  ValuePtr value_at(const ValuePtr& value, const Offsets& offsets) {
    if (sum_now_ && nest_.is_sum(value)) return sum_now_;
    if (const auto* load = std::get_if<loop::Load>(&value->node)) return load_at(*load, offsets);
    if (const auto* index = std::get_if<loop::IndexValue>(&value->node)) {
      if (!has_lanes_in(index->expr))
        return loop::index_value(index_at(index->expr, offsets), value->type.scalar);
      std::vector<ValuePtr> lanes;
      for (std::int64_t lane = 0; lane < schedule_.lanes; ++lane)
        lanes.push_back(loop::index_value(index_at(index->expr, at_lane(offsets, lane)), value->type.scalar));
      return loop::make_vector(std::move(lanes), width());
    }
    if (const auto* test = std::get_if<loop::Test>(&value->node)) {
      const arith::Predicate& predicate = test->predicate;
      if (has_lanes_in(predicate.left) || has_lanes_in(predicate.right))
        refuse_nest("lanes differ in a condition");
      return loop::test(
          {predicate.relation, index_at(predicate.left, offsets), index_at(predicate.right, offsets)});
    }
    if (const auto* operation = std::get_if<loop::Operation>(&value->node)) {
      std::vector<ValuePtr> operands;
      for (const ValuePtr& operand : operation->operands) operands.push_back(value_at(operand, offsets));
      return loop::operation(operation->op, std::move(operands));
    }
    if (const auto* cast = std::get_if<loop::Cast>(&value->node))
      return loop::cast(value_at(cast->operand, offsets), value->type.scalar);
    return value;
  }
  bool has_lanes_in(Expr index) const { return schedule_.lanes > 1 && depends_on(index, schedule_.lanes_of); }
  Offsets at_lane(Offsets offsets, std::int64_t lane) const {
    offsets[schedule_.lanes_of] += lane;
    return offsets;
  }

  /// A load at the beginning of the innermost loop that it depends on, once.
  ValuePtr load_at(const loop::Load& load, const Offsets& offsets) {
    Offsets own = offsets;
    std::size_t home = 0;
    for (std::size_t l = 0; l < loops_.size(); ++l) {
      if (!depends_on(load.index, l)) {
        own[l] = 0;
        continue;
      }
      for (std::size_t at = order().size(); at > home; --at) {
        if (order()[at - 1].loop == l) home = at;
      }
    }
    const PackedOperand* packed = here_ ? nullptr : packed_of(load);
    if (packed) home = std::max(home, packed->outside());
    Block& block = here_ ? here_->block : home == order().size() ? *innermost_ : blocks_[home];
    Loads& known = here_ ? here_->loads : loads_;
    const Key key{load.buffer.get(), load.index.get(), own};
    if (const auto found = known.find(key); found != known.end()) return found->second;
    return known[key] = loaded(load, own, block, known);
  }

  struct Key {
    const void* buffer;
    const void* index;
    Offsets offsets;
    auto operator<=>(const Key&) const = default;
  };
  using Loads = std::map<Key, ValuePtr>;

  /// While it lives loads stay in a block: where sums begin and end.
  struct Here {
    Here(NestScheduler& scheduler, Block& at) : block(at), scheduler_(scheduler) { scheduler.here_ = this; }
    ~Here() { scheduler_.here_ = nullptr; }
    Here(const Here&) = delete;
    Here& operator=(const Here&) = delete;

    Block& block;
    Loads loads;

   private:
    NestScheduler& scheduler_;
  };

  /// A loop along which neighbours lie side by side, and how many of its iterations in a body are read or
  /// stored as one vector, to be turned into lanes.
  struct Run {
    std::size_t loop = 0;
    std::int64_t width = 1;
  };
  std::optional<Run> side_by_side(Expr index, Scalar scalar) const {
    for (std::size_t l = 0; l < loops_.size(); ++l) {
      if (has_lanes(l) || !depends_on(index, l) || stride(index, l) != 1) continue;
      const std::int64_t width = std::min(largest_power_of_two_in(jammed_[l]), schedule_.lanes);
      if (can_be_turned(scalar, width, schedule_.lanes)) return Run{l, width};
    }
    return std::nullopt;
  }

  ValuePtr loaded(const loop::Load& load, const Offsets& offsets, Block& block, Loads& known) {
    const char* const name = load.buffer->name.c_str();
    const auto from = [&](const Offsets& at, int width) {
      return loop::load(load.buffer, index_at(load.index, at), width);
    };
    const auto declared = [&](const ValuePtr& value) { return loop::reference(declare(block, name, value)); };
    if (const PackedOperand* packed = here_ ? nullptr : packed_of(load)) {
      const int lanes = has_lanes_in(load.index) ? width() : 1;
      return declared(loop::load(packed->buffer(), packed->index(offsets), lanes));
    }
    if (!has_lanes_in(load.index)) return declared(from(offsets, 1));
    const auto along = stride(load.index, schedule_.lanes_of);
    if (along == 1) return declared(from(offsets, width()));
    std::vector<ValuePtr> rows;
    const auto run = along ? side_by_side(load.index, load.buffer->type.scalar) : std::nullopt;
    if (!run) {
      count_single_lanes();
      for (std::int64_t lane = 0; lane < schedule_.lanes; ++lane)
        rows.push_back(from(at_lane(offsets, lane), 1));
      return declared(loop::make_vector(std::move(rows), width()));
    }
    Offsets at = offsets;
    at[run->loop] = offsets[run->loop] / run->width * run->width;
    for (std::int64_t lane = 0; lane < schedule_.lanes; ++lane)
      rows.push_back(declared(from(at_lane(at, lane), static_cast<int>(run->width))));
    for (const ValuePtr& vector : turned(rows, naming(block, "turned"))) {
      known[{load.buffer.get(), load.index.get(), at}] = vector;
      ++at[run->loop];
    }
    return known.at({load.buffer.get(), load.index.get(), offsets});
  }

  /// Compilers take minutes for thousands of them, and they are slow.
  void count_single_lanes() {
    constexpr std::int64_t most = 512;
    single_lanes_ += schedule_.lanes;
    if (single_lanes_ > most) refuse_nest("too many lanes are read or stored one by one");
  }

  // ---- Stores

  template <class Make>
  void store_all(Block& block, const Make& make) {
    const Expr index = nest_.store->index;
    const auto along = has_lanes_in(index) ? stride(index, schedule_.lanes_of) : std::nullopt;
    const auto run = has_lanes_in(index) && along && along != 1
                         ? side_by_side(index, nest_.store->buffer->type.scalar)
                         : std::nullopt;
    std::map<Offsets, ValuePtr> values;
    for_each_offset(false, none(), [&](const Offsets& offsets) {
      ValuePtr value = make(offsets);
      if (has_lanes_in(index) && value->type.width == 1) value = loop::make_vector({value}, width());
      if (!has_lanes_in(index) || along == 1) return put(block, offsets, value);
      if (run) {
        values.emplace(offsets, value);
        return;
      }
      count_single_lanes();
      const ValuePtr vector = loop::reference(declare(block, "result", value));
      for (std::int64_t lane = 0; lane < schedule_.lanes; ++lane)
        put(block, at_lane(offsets, lane), loop::component(vector, static_cast<int>(lane)));
    });
    for (const auto& [offsets, value] : values) {
      if (offsets[run->loop] % run->width != 0) continue;
      std::vector<ValuePtr> vectors;
      for (std::int64_t i = 0; i < run->width; ++i)
        vectors.push_back(
            loop::reference(declare(block, "result", values.at(shifted(offsets, run->loop, i)))));
      const auto rows = turned_back(vectors, naming(block, "turned"));
      for (std::int64_t lane = 0; lane < schedule_.lanes; ++lane)
        put(block, at_lane(offsets, lane), rows[static_cast<std::size_t>(lane)]);
    }
  }

  loop::Kernel& kernel_;
  const Schedule& schedule_;
  loop::NameSource& names_;

  PerfectNest nest_;
  const std::vector<NestLoop>& loops_;
  std::vector<std::int64_t> jammed_;  ///< iterations in a body, by loop; of the loop of the lanes: vectors

  PlacedLoops placed_;
  std::vector<PackedOperand> packed_;
  std::optional<EdgeSums> edge_;     ///< the sums of a body that has iterations beyond the end of a loop
  std::optional<std::size_t> rows_;  ///< the loop whose iterations may run in tasks, not all at once
  std::size_t shared_ = 0;           ///< how many of the outermost loops are parallel
  std::size_t sums_begin_ = 0;       ///< from this place on sums are in registers
  std::size_t memory_begins_ = 0;    ///< the place of the outermost loop of the reduction
  bool is_in_memory_ = false;        ///< loops over elements are between those of the reduction

  std::int64_t single_lanes_ = 0;  ///< that are read or stored one by one, in the text
  std::vector<Block> blocks_;      ///< loads, by the number of loops around them
  Block* innermost_ = nullptr;     ///< where loads go that depend on the innermost loop
  Loads loads_;
  Here* here_ = nullptr;
  std::map<Offsets, loop::VariablePtr> sums_;
  ValuePtr sum_now_;  ///< what the sum is in the result
};

}  // namespace

void run_by_schedule(loop::Kernel& kernel, const Schedule& schedule, loop::NameSource& names) {
  NestScheduler(kernel, schedule, names).run();
}

}  // namespace hoist::lower
