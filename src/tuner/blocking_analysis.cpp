// Estimates of blocked nests, in cycles of a core. With rows r, lanes l and a reduction k a task of a thread
// is
//
//   for tiles of k:
//     copy the lanes' operand                                      (once for each outer tile of r)
//     for blocks of r:
//       copy the rows' operand                                     (once for each tile of l)
//       for bodies of rows and vectors:
//         for k: sums += row * vector                              cycles_of_body
//         add the sums to the result
//
// Rates are those of processors of today within a factor of two: what is compared are candidates of one nest
// on one processor, for which the number of copies, the cache that holds one, and iterations that no loop has
// count more.
#include "tuner/blocking_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "rewrite/strategies/catalogue.hpp"

namespace hoist::tuner {

namespace {

using rewrite::BlockedSize;
using rewrite::Blocking;
using rewrite::LoopRole;

// Of a vector, in a cycle. A load costs a little where it is not what limits, too.
constexpr double multiplications_a_cycle = 2, loads_a_cycle = 2, latency_of_addition = 4, of_load = 0.1;
// Cycles for a cache line that bodies read, beside their arithmetic.
constexpr double of_second_level = 0.25, of_third_level = 3;
// Cycles for a line that is copied, for each of its elements where they are copied one by one, for a vector
// that is added to a result that the second-level cache holds or not, for a body and for a tile.
constexpr double of_copy = 8, of_element = 1.5, of_near_result = 5, of_far_result = 10, of_body = 20,
                 of_tile = 200;
/// Bytes of a row of a square that is turned in registers.
constexpr double least_square = 16;
constexpr double line_bytes = 64;
// The share of a cache that what is used again may fill; in the second level it is beside the other copy and
// what copies are made of, and another thread of the core.
constexpr double share_of_first = 0.5, share_of_second = 0.18;
// Rows of a result a multiple of this apart fall into the same sets of the first-level cache, which hold so
// many lines.
constexpr std::int64_t bytes_of_sets = 4096, lines_of_set = 8;
// Where a device does not tell.
constexpr double usual_first = 32 << 10, usual_second = 1 << 20;

double number(std::int64_t n) { return static_cast<double>(n); }
std::int64_t ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// A blocked nest with all sizes given.
class Blocked {
 public:
  Blocked(const Blocking& blocking, std::size_t maps, const target::Target& device)
      : blocking_(blocking),
        maps_(maps),
        threads_(std::max<std::int64_t>(1, static_cast<std::int64_t>(device.compute_units))),
        first_level_(device.caches[0] > 0 ? static_cast<double>(device.caches[0]) : usual_first),
        second_level_(device.caches[1] > 0 ? static_cast<double>(device.caches[1]) : usual_second),
        scalar_bytes_(static_cast<double>(device.local_memory) / number(blocking.scalars)) {
    for (const Blocking::Loop& loop : blocking.loops) tiles_.push_back(loop.length);
    for (std::size_t l = 0; l < maps; ++l) result_bytes_ *= number(blocking.loops[l].length);
  }

  void set(const BlockedSize& size, std::int64_t value) {
    switch (size.of) {
      case BlockedSize::Of::Rows:
        rows_loop_ = size.loop;
        rows_ = value;
        return;
      case BlockedSize::Of::RowTiles:
        row_tiles_ = value;
        return;
      case BlockedSize::Of::RowBlocks:
        row_blocks_ = value;
        return;
      case BlockedSize::Of::Vectors:
        lanes_loop_ = size.loop;
        vectors_ = value;
        return;
      case BlockedSize::Of::LaneTiles:
        lane_tiles_ = value;
        return;
      case BlockedSize::Of::Tile:
        tiles_[size.loop] = std::min(value, tiles_[size.loop]);
        return;
      case BlockedSize::Of::InnerOrder:
        has_rows_inside_ = value == 2;
        return;
    }
  }

  /// Of the thread that has most to do.
  double cycles() const {
    const std::int64_t row_length = blocking_.loops[rows_loop_].length;
    const std::int64_t lane_length = blocking_.loops[lanes_loop_].length;
    const std::int64_t outer_tile = rows_ * row_tiles_ * row_blocks_;
    const std::int64_t lane_tile = columns() * lane_tiles_;
    // Tasks in their order: a thread has neighbouring ones.
    std::vector<double> tasks;
    for (std::int64_t row = 0; row < row_length; row += outer_tile) {
      for (std::int64_t lane = 0; lane < lane_length; lane += lane_tile)
        tasks.push_back(
            cycles_of_task(std::min(outer_tile, row_length - row), std::min(lane_tile, lane_length - lane)));
    }
    double others = 1, tiles_of_lanes = 1;
    for (std::size_t l = 0; l < maps_; ++l) {
      const auto& [role, length] = blocking_.loops[l];
      if (role == LoopRole::Other) others *= number(length);
      if (role == LoopRole::OfLanes) tiles_of_lanes *= number(ceiling(length, tiles_[l]));
    }
    return others * tiles_of_lanes * share_of_one_thread(tasks, others * tiles_of_lanes);
  }

  /// The share of what bodies compute that the loops have.
  double useful() const {
    const auto share = [](std::int64_t length, std::int64_t step) {
      return number(length) / number(ceiling(length, step) * step);
    };
    return share(blocking_.loops[rows_loop_].length, rows_) *
           share(blocking_.loops[lanes_loop_].length, columns());
  }

 private:
  std::int64_t columns() const { return blocking_.width * vectors_; }

  /// The load of the thread with most, of tasks each of which there are `times` of, divided by their number.
  double share_of_one_thread(const std::vector<double>& tasks, double times) const {
    double all = 0;
    for (const double each : tasks) all += each;
    const double count = number(static_cast<std::int64_t>(tasks.size())) * times;
    const double threads = number(threads_);
    if (times > 1 || count > 8 * threads)
      return all / threads * std::ceil(count / threads) / (count / threads);
    const auto each_has =
        static_cast<std::size_t>(ceiling(static_cast<std::int64_t>(tasks.size()), threads_));
    double most = 0, own = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (i % each_has == 0) own = 0;
      own += tasks[i];
      most = std::max(most, own);
    }
    return most;
  }

  /// Of an outer tile of so many rows and a tile of so many lanes, with one tile of other loops of the lanes'
  /// operand, and all of the rows'.
  double cycles_of_task(std::int64_t rows, std::int64_t lanes) const {
    double depth = 1, depth_tiles = 1, tile_depth = 1;
    double more_rows = 1, more_lanes = 1, row_rounds = 1, block_rows = number(rows_ * row_tiles_);
    for (std::size_t l = 0; l < blocking_.loops.size(); ++l) {
      const auto& [role, length] = blocking_.loops[l];
      if (l >= maps_) {
        depth *= number(length);
        depth_tiles *= number(ceiling(length, tiles_[l]));
        tile_depth *= number(tiles_[l]);
      } else if (role == LoopRole::OfRows) {
        more_rows *= number(length);
        row_rounds *= number(ceiling(length, tiles_[l]));
        block_rows *= number(tiles_[l]);
      } else if (role == LoopRole::OfLanes) {
        more_lanes *= number(tiles_[l]);
      }
    }
    const std::int64_t row_bodies = ceiling(rows, rows_), lane_bodies = ceiling(lanes, columns());
    const double bodies = number(row_bodies * lane_bodies) * more_rows * more_lanes;
    const double lane_scalars = number(lane_bodies * columns()) * more_lanes;
    const double row_scalars = number(row_bodies * rows_) * more_rows;
    row_rounds *= number(ceiling(rows, rows_ * row_tiles_));

    const double of_bodies = bodies * depth_tiles * cycles_of_body(tile_depth, block_rows);
    const double of_copies =
        depth * (lane_scalars * cycles_of_copying(blocking_.lanes_operand, columns(), true) +
                 row_scalars * cycles_of_copying(blocking_.rows_operand, rows_, false));
    double edges = 0;
    if (lanes % columns() != 0) edges += number(row_bodies);
    if (rows % rows_ != 0) edges += number(lane_bodies);
    const double of_edges = edges * more_rows * more_lanes * depth_tiles * number(rows_ * columns());
    return of_bodies + of_copies + of_edges + depth_tiles * row_rounds * of_tile;
  }

  /// For an element of a copy, bodies of which have so many iterations side by side.
  double cycles_of_copying(const Blocking::Operand& operand, std::int64_t side_by_side,
                           bool has_lanes) const {
    const double scalars_of_line = line_bytes / scalar_bytes_;
    if (operand.along == 0) return of_element + of_copy / scalars_of_line;
    const std::size_t along = operand.along - 1;
    const bool is_of_body = along == (has_lanes ? lanes_loop_ : rows_loop_);
    const std::int64_t body_tiles = has_lanes ? lane_tiles_ : row_tiles_;
    const std::int64_t stretch = is_of_body ? side_by_side * body_tiles : tiles_[along];
    const double lines = 1 / std::min(number(stretch), scalars_of_line);
    // Rows that are neighbours along the reduction are copied as they are.
    const bool is_as_it_is = is_of_body || (!has_lanes && along >= maps_);
    const bool is_turned = (side_by_side & -side_by_side) * scalar_bytes_ >= least_square;
    return lines * of_copy + (is_as_it_is ? of_element / 8 : is_turned ? of_element / 3 : of_element);
  }

  double cycles_of_body(double depth, double block_rows) const {
    const double sums = number(rows_ * vectors_), loaded = number(rows_ + vectors_);
    const double arithmetic =
        depth * (std::max({sums / multiplications_a_cycle, loaded / loads_a_cycle, latency_of_addition}) +
                 loaded * of_load);
    const double row_bytes = depth * number(rows_) * scalar_bytes_;
    const double lane_bytes = depth * number(columns()) * scalar_bytes_;
    const double block_bytes = block_rows * depth * scalar_bytes_;
    double read = 0;
    if (has_rows_inside_ || lane_tiles_ == 1) {
      // The vectors stay where they are, rows pass by.
      read += row_bytes * of_level(block_bytes);
      read += lane_bytes * of_level(lane_bytes + 2 * row_bytes);
    } else {
      // The rows stay where they are for so many bodies, and vectors pass by.
      read += lane_bytes * of_level(number(lane_tiles_) * lane_bytes);
      read +=
          row_bytes * (of_level(row_bytes + lane_bytes / 2) + of_level(block_bytes) / number(lane_tiles_));
    }
    return arithmetic + read / line_bytes + sums * cycles_of_result() + of_body;
  }
  /// For a vector of it.
  double cycles_of_result() const {
    if (result_bytes_ <= second_level_ / 2) return of_near_result;
    auto apart = static_cast<std::int64_t>(scalar_bytes_);
    for (std::size_t l = rows_loop_ + 1; l < maps_; ++l) apart *= blocking_.loops[l].length;
    const bool is_crowded = apart % bytes_of_sets == 0 && rows_ > lines_of_set;
    return is_crowded ? 2 * of_far_result : of_far_result;
  }
  /// For a line of what is so large in all.
  double of_level(double bytes) const {
    if (bytes <= share_of_first * first_level_) return 0;
    return bytes <= share_of_second * second_level_ ? of_second_level : of_third_level;
  }

  const Blocking& blocking_;
  const std::size_t maps_;
  const std::int64_t threads_;
  const double first_level_, second_level_, scalar_bytes_;
  double result_bytes_ = scalar_bytes_;
  std::vector<std::int64_t> tiles_;  ///< by loop, of those that have one
  std::size_t rows_loop_ = 0, lanes_loop_ = 0;
  std::int64_t rows_ = 1, row_tiles_ = 1, row_blocks_ = 1, vectors_ = 1, lane_tiles_ = 1;
  bool has_rows_inside_ = false;
};

/// Of the result of a function.
std::size_t dimensions_of(const ir::Program& program) {
  const auto* function = program.function.as<ir::Lambda>();
  if (function == nullptr) return 0;
  std::size_t dimensions = 0;
  for (ir::Type type = function->body.type(); ir::is_array(type); type = ir::element_of(type)) ++dimensions;
  return dimensions;
}

}  // namespace

BlockingAnalysis::BlockingAnalysis(const variants::Variants& nest, const target::Target& device)
    : nest_(nest), device_(device) {
  for (const variants::DerivationSummary& each : nest.derivation_summaries()) {
    if (each.points == 0 || each.steps.size() != 1) continue;
    auto blocking = rewrite::blocking_from_text(each.steps.front());
    if (!blocking) continue;
    const std::size_t maps = dimensions_of(nest.derived({each.number, 0}));
    if (maps == 0 || maps >= blocking->loops.size()) continue;
    std::vector<rewrite::BlockedSize> sizes = rewrite::open_sizes(*blocking, maps);
    derivations_.push_back({each.number, each.points, maps, *std::move(blocking), std::move(sizes)});
  }
}

const BlockingAnalysis::Derivation* BlockingAnalysis::derivation_of(const variants::CandidateId& id) const {
  const auto found = std::ranges::find(derivations_, id.derivation, &Derivation::number);
  return found == derivations_.end() ? nullptr : &*found;
}

BlockingAnalysis::Estimate BlockingAnalysis::estimate(const Derivation& derivation,
                                                      const variants::CandidateId& id) const {
  Blocked blocked(derivation.blocking, derivation.maps, device_);
  const driver::NamedSizes values = nest_.named_values(id);
  for (const rewrite::BlockedSize& size : derivation.sizes) {
    const auto value = std::ranges::find(values, size.name, [](const auto& each) { return each.first; });
    if (value != values.end()) blocked.set(size, value->second);
  }
  constexpr double usual_cycles_per_second = 3e9;
  return {id, blocked.cycles() / usual_cycles_per_second, blocked.useful()};
}

std::optional<double> BlockingAnalysis::seconds(const variants::CandidateId& id) const {
  const Derivation* derivation = derivation_of(id);
  return derivation == nullptr ? std::nullopt : std::optional(estimate(*derivation, id).seconds);
}

std::vector<BlockingAnalysis::Estimate> BlockingAnalysis::fastest(std::size_t count) const {
  constexpr std::uint64_t most_listed = 20000;
  constexpr std::size_t most_climbed = 8, most_steps = 30;
  std::vector<Estimate> all;
  const auto by_seconds = [](const Estimate& each) { return each.seconds; };
  for (const Derivation& derivation : derivations_) {
    std::vector<Estimate> own;
    std::set<std::uint64_t> known;
    const auto add = [&](std::uint64_t point) {
      const variants::CandidateId id{derivation.number, point};
      if (known.insert(point).second) own.push_back(estimate(derivation, id));
    };
    if (derivation.points <= most_listed) {
      for (std::uint64_t point = 0; point < derivation.points; ++point) add(point);
    } else {
      Random random(1);
      for (std::uint64_t i = 0; i < most_listed / 4; ++i) add(random.below(derivation.points));
      std::ranges::sort(own, {}, by_seconds);
      const std::vector<Estimate> starts(
          own.begin(), own.begin() + std::min<std::ptrdiff_t>(most_climbed, std::ssize(own)));
      for (Estimate at : starts) {
        for (std::size_t step = 0; step < most_steps; ++step) {
          Estimate best = at;
          for (const variants::CandidateId& id : nest_.neighbours(at.id)) {
            if (id.derivation != derivation.number) continue;
            add(id.point);
            if (const Estimate next = estimate(derivation, id); next.seconds < best.seconds) best = next;
          }
          if (best.id == at.id) break;
          at = best;
        }
      }
    }
    std::ranges::sort(own, {}, by_seconds);
    if (own.size() > count) own.resize(count);
    all.insert(all.end(), own.begin(), own.end());
  }
  std::ranges::stable_sort(all, {}, by_seconds);
  if (all.size() > count) all.resize(count);
  return all;
}

}  // namespace hoist::tuner
