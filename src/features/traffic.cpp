// What a kernel's accesses to memory cost: coalescing, bank conflicts and footprints, from shapes of accesses
// (profile.hpp) instead of from a run.
//
// With warps of 32, lines of 128 bytes and x of f32, work-items with the local id l = 0, 1, ... that read
//
//   x[1024 * k + l]    touch 1 line together: the access is coalesced (AccessClass::Dense)
//   x[1024 * l + k]    touch 32 lines: a strided access (AccessClass::Strided)
//   t[32 * l + k]      in local memory with 32 banks of 4 bytes: all meet in one bank, 32 passes
//
// `traffic_of` is the first part. TrafficCount takes each shape, each way in which rounds over work-items are
// full or partial, and each kind of warp (warps.hpp), so that few warps are looked at in place of all.
// ShapeTraffic says where the members of such a warp access; the numbers of lines and of passes over the
// banks are those of warps.cpp. Sectors depend on where in a line an access begins, so they are averaged over
// a few alignments.
//
// `footprint_of` is the second part, and in closed form: how many bytes of global memory differ among all
// that some neighbouring groups access, which caches may serve again. A shape is a sum of arithmetic
// progressions, a loop each (Reach says how far each goes for these groups); `units_of` counts the lines that
// it covers. Read `units_of` by itself: it merges progressions that skip no line into one run, and multiplies
// by the others.
#include "features/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace hoist::features {

namespace {

/// At most so many alignments of an access are looked at, spread evenly over a line.
constexpr std::int64_t most_alignments = 4;

/// Answers for one shape where a warp accesses, and how many sectors that touches.
class ShapeTraffic {
 public:
  ShapeTraffic(const Profile& profile, const Places& places, const target::Machine& machine,
               const Shape& shape)
      : profile_(profile), places_(places), machine_(machine), shape_(shape) {
    scalar_bytes_ = profile.buffers[shape.buffer].scalar_bytes;
    form_ = &places.common_form(shape.form);
    for (const Term& term : form_->terms) {
      const Symbol& symbol = places[term.symbol];
      if (!symbol.is_by_lane) continue;
      if (symbol.kind == Symbol::Kind::Counter) {
        strides_[symbol.dimension] += term.coefficient;
      } else {
        curved_.add(term);
      }
    }
    if (!curved_.is_constant()) prepare_counters();
    find_alignments();
  }

  /// The places that the members of a warp access.
  WarpAccess access_of(const WarpKind& warp) {
    WarpAccess access{{}, shape_.scalars, scalar_bytes_};
    access.places.reserve(warp.members.size());
    for (const Ids& ids : warp.members) {
      std::int64_t place = strides_[0] * ids[0] + strides_[1] * ids[1] + strides_[2] * ids[2];
      if (!curved_.is_constant()) place += curved_at(ids);
      access.places.push_back(place);
    }
    return access;
  }

  /// The sectors that one access touches, on average over its offsets and alignments.
  double sectors(const WarpAccess& access) {
    if (begins_.empty()) count_begins();
    const std::int64_t unit = machine_.sector_bytes, step = alignment_step_;
    const std::int64_t all = machine_.line_bytes / step, looked_at = std::min(all, most_alignments);
    const std::int64_t first = access.places.front() * scalar_bytes_;
    double sum = 0;
    for (const auto& [begin, count] : begins_) {
      for (std::int64_t i = 0; i < looked_at; ++i) {
        const std::int64_t alignment = begin + first + i * all / looked_at * step;
        sum += count * static_cast<double>(units_touched(access, unit, (alignment % unit + unit) % unit));
      }
    }
    return sum / static_cast<double>(looked_at) / static_cast<double>(shape_.offsets.size());
  }

 private:
  /// Sets counters to the middle of their iterations, those over work-items to the first work-item of a
  /// group.
  void prepare_counters() {
    counters_.resize(places_.size());
    for (std::uint32_t i = 0; i < counters_.size(); ++i) {
      const Symbol& symbol = places_[i];
      counters_[i] = symbol.centre;
      if (symbol.kind != Symbol::Kind::Counter) continue;
      const bool is_over_lanes =
          symbol.parallelism == loop::Parallelism::Local || symbol.parallelism == loop::Parallelism::Global;
      if (!is_over_lanes) continue;
      const std::int64_t local = profile_.local[symbol.dimension];
      counters_[i] = symbol.trips / local / 2 * local;
      over_lanes_.push_back(i);
    }
  }
  std::int64_t curved_at(const Ids& ids) {
    for (const std::uint32_t i : over_lanes_) counters_[i] += ids[places_[i].dimension];
    const std::int64_t result = places_.at(curved_, counters_);
    for (const std::uint32_t i : over_lanes_) counters_[i] -= ids[places_[i].dimension];
    return result;
  }

  /// Finds how accesses of different warps may lie in lines: they begin multiples of `alignment_step_` bytes
  /// from one another, the greatest common divisor of a line and of all strides between warps.
  void find_alignments() {
    std::int64_t step = machine_.line_bytes;
    for (const Term& term : form_->terms) {
      const Symbol& symbol = places_[term.symbol];
      std::int64_t apart = std::abs(term.coefficient) * scalar_bytes_;
      if (symbol.kind == Symbol::Kind::Counter && symbol.is_by_lane) {
        const bool is_repeated = symbol.trips > profile_.local[symbol.dimension];
        apart = is_repeated ? apart * profile_.local[symbol.dimension] : 0;
      } else if (symbol.is_by_lane) {
        continue;
      }
      step = std::gcd(step, apart);
    }
    alignment_step_ = step;
  }

  /// Counts offsets by where in an alignment step they begin: those that begin alike touch as many sectors.
  void count_begins() {
    std::vector<double> counts(static_cast<std::size_t>(alignment_step_));
    for (const std::int64_t offset : shape_.offsets) {
      const std::int64_t rest = offset * scalar_bytes_ % alignment_step_;
      counts[static_cast<std::size_t>(rest < 0 ? rest + alignment_step_ : rest)] += 1;
    }
    for (std::size_t begin = 0; begin < counts.size(); ++begin) {
      if (counts[begin] > 0) begins_.emplace_back(begin, counts[begin]);
    }
  }

  const Profile& profile_;
  const Places& places_;
  const target::Machine& machine_;
  const Shape& shape_;
  const Form* form_ = nullptr;
  std::int64_t scalar_bytes_ = 4;
  std::array<std::int64_t, 3> strides_{};
  Form curved_;  ///< terms that differ by work-item and are not linear
  std::vector<std::int64_t> counters_;
  std::vector<std::uint32_t> over_lanes_;
  std::int64_t alignment_step_ = 1;
  std::vector<std::pair<std::int64_t, double>> begins_;  ///< of offsets in an alignment step, and how many
};

class TrafficCount {
 public:
  TrafficCount(const Profile& profile, const Places& places, const target::Machine& machine)
      : profile_(profile), places_(places), machine_(machine) {}

  Traffic run() {
    for (const Shape& shape : profile_.shapes) count(shape);
    return traffic_;
  }

 private:
  void count(const Shape& shape) {
    ShapeTraffic shape_traffic(profile_, places_, machine_, shape);
    // Each dimension's rounds are full or not: up to eight ways in which work-items are active.
    for (unsigned way = 0; way < 8; ++way) {
      Ids limits{};
      double times = 1;
      for (std::size_t d = 0; d < 3; ++d) {
        const bool is_partial = (way >> d & 1U) != 0;
        const Rounds& rounds = shape.rounds[d];
        limits[d] = is_partial ? rounds.rest : profile_.local[d];
        times *= is_partial ? rounds.partial : rounds.full;
      }
      if (times <= 0) continue;
      for (const WarpKind& warp : warps(limits)) count(shape, shape_traffic, warp, times * warp.count);
    }
  }

  void count(const Shape& shape, ShapeTraffic& shape_traffic, const WarpKind& warp, double times) {
    const double accesses = times * (shape.reads + shape.writes);
    if (accesses <= 0) return;
    const bool is_global = profile_.buffers[shape.buffer].buffer->space == loop::AddressSpace::Global;
    if (shape.is_data && places_.is_by_lane(places_.common_form(shape.form))) {
      const auto members = static_cast<double>(warp.members.size());
      return is_global ? count_scattered(shape, times, members) : count_unknown_banks(shape, times);
    }
    const WarpAccess access = shape_traffic.access_of(warp);
    if (!is_global) {
      const BankPasses passes = bank_passes(access, machine_);
      traffic_.local_accesses += accesses;
      traffic_.load_passes += times * shape.reads * static_cast<double>(passes.passes);
      traffic_.store_passes += times * shape.writes * static_cast<double>(passes.passes);
      traffic_.least_passes += accesses * static_cast<double>(passes.least);
      return;
    }
    traffic_.accesses += accesses;
    traffic_.lines += accesses * static_cast<double>(units_touched(access, machine_.line_bytes, 0));
    const double sectors = shape_traffic.sectors(access);
    traffic_.load_sectors += times * shape.reads * sectors;
    traffic_.store_sectors += times * shape.writes * sectors;
    traffic_.classes[static_cast<std::size_t>(class_of(access, machine_.line_bytes))] += accesses;
  }
  /// Counts accesses at places that only the run knows: each member is assumed to touch a line of its own.
  void count_scattered(const Shape& shape, double times, double members) {
    const double accesses = times * (shape.reads + shape.writes);
    traffic_.accesses += accesses;
    traffic_.lines += accesses * members;
    traffic_.load_sectors += times * shape.reads * members;
    traffic_.store_sectors += times * shape.writes * members;
    traffic_.classes[static_cast<std::size_t>(AccessClass::Unknown)] += accesses;
  }
  /// Counts accesses to local memory at places that only the run knows, as if there were no bank conflicts.
  void count_unknown_banks(const Shape& shape, double times) {
    traffic_.local_accesses += times * (shape.reads + shape.writes);
    traffic_.load_passes += times * shape.reads;
    traffic_.store_passes += times * shape.writes;
    traffic_.least_passes += times * (shape.reads + shape.writes);
  }

  const std::vector<WarpKind>& warps(const Ids& limits) {
    const auto known = warps_.find(limits);
    if (known != warps_.end()) return known->second;
    return warps_.emplace(limits, warps_of(profile_.local, limits, machine_.lanes)).first->second;
  }

  const Profile& profile_;
  const Places& places_;
  const target::Machine& machine_;
  Traffic traffic_;
  std::map<Ids, std::vector<WarpKind>> warps_;
};

/// The values that the terms of a shape take in some neighbouring groups.
class Reach {
 public:
  Reach(const Profile& profile, const Places& places, const std::array<double, 3>& groups)
      : profile_(profile), places_(places), groups_(groups), box_(places.whole()) {
    for (std::uint32_t i = 0; i < places.size(); ++i) {
      const Symbol& symbol = places[i];
      if (symbol.kind != Symbol::Kind::Counter) continue;
      const double together = reach_of(symbol);
      const auto reached = static_cast<std::int64_t>(std::min(together, static_cast<double>(symbol.trips)));
      if (reached < 1 || reached == symbol.trips) continue;
      const std::int64_t from = (symbol.trips - reached) / 2 / reached * reached;
      box_[i] = {from, from + reached - 1};
    }
  }

  std::vector<Progression> progressions(const Form& form) const {
    std::vector<Progression> result;
    for (const Term& term : form.terms) {
      const Symbol& symbol = places_[term.symbol];
      const auto stride = static_cast<double>(std::abs(term.coefficient));
      if (symbol.kind != Symbol::Kind::Counter) {
        Form alone;
        alone.add(Term{term.symbol, 1});
        result.push_back({stride, static_cast<double>(places_.bounds(alone, box_).length())});
        continue;
      }
      const auto trips = static_cast<double>(symbol.trips);
      const double together = reach_of(symbol);
      result.push_back({stride, std::min(together, trips)});
      const double rounds = std::ceil(trips / launched(symbol));
      if (rounds > 1 && together < trips) result.push_back({stride * launched(symbol), rounds});
    }
    return result;
  }

 private:
  /// How many neighbouring values of a counter the groups have at a time.
  double reach_of(const Symbol& symbol) const {
    const std::size_t d = symbol.dimension;
    if (symbol.parallelism == loop::Parallelism::Group) return groups_[d];
    if (symbol.parallelism == loop::Parallelism::Global)
      return groups_[d] * static_cast<double>(profile_.local[d]);
    return static_cast<double>(symbol.trips);
  }
  /// How many values of a counter one round of the whole launch has.
  double launched(const Symbol& symbol) const {
    const std::size_t d = symbol.dimension;
    if (symbol.parallelism == loop::Parallelism::Group) return static_cast<double>(profile_.groups[d]);
    if (symbol.parallelism == loop::Parallelism::Global) return static_cast<double>(profile_.global[d]);
    return static_cast<double>(symbol.trips);
  }

  const Profile& profile_;
  const Places& places_;
  std::array<double, 3> groups_;
  std::vector<Interval> box_;
};

}  // namespace

Traffic traffic_of(const Profile& profile, const Places& places, const target::Machine& machine) {
  return TrafficCount(profile, places, machine).run();
}

double units_of(std::vector<Progression> progressions, std::vector<std::int64_t> offsets, double scalars,
                double unit_scalars) {
  std::sort(progressions.begin(), progressions.end(),
            [](const Progression& a, const Progression& b) { return a.stride < b.stride; });
  double run = scalars;  // neighbouring scalars
  std::vector<Progression> apart;
  for (const Progression& each : progressions) {
    if (each.count <= 1 || each.stride == 0) continue;
    if (apart.empty() && each.stride <= std::max(run, unit_scalars)) {
      run += each.stride * (each.count - 1);
      continue;
    }
    if (!apart.empty()) {
      Progression& last = apart.back();
      const double steps = each.stride / last.stride;
      if (steps == std::floor(steps) && steps <= last.count) {
        last.count += steps * (each.count - 1);
        continue;
      }
    }
    apart.push_back(each);
  }
  // The part of an offset that is a multiple of a stride makes its progression longer; the rest remains.
  double copies = 1;
  for (auto each = apart.rbegin(); each != apart.rend(); ++each) {
    double least = 0, most = 0;
    const std::int64_t origin = offsets.front();
    for (std::int64_t& offset : offsets) {
      const double steps = std::round(static_cast<double>(offset - origin) / each->stride);
      offset -= static_cast<std::int64_t>(steps * each->stride);
      least = std::min(least, steps);
      most = std::max(most, steps);
    }
    copies *= each->count + most - least;
  }
  std::sort(offsets.begin(), offsets.end());
  double units = 0;
  for (std::size_t i = 0; i < offsets.size();) {
    double end = offsets[i] + run;
    std::size_t next = i + 1;
    while (next < offsets.size() && offsets[next] <= end + unit_scalars - 1)
      end = std::max(end, offsets[next++] + run);
    units += std::ceil((end - offsets[i]) / unit_scalars);
    i = next;
  }
  return copies * units;
}

namespace {

/// How often single work-items access a shape in the whole launch.
double accesses_of(const Shape& shape, const std::array<std::int64_t, 3>& local) {
  double accesses = shape.reads + shape.writes;
  for (std::size_t d = 0; d < 3; ++d) {
    const Rounds& rounds = shape.rounds[d];
    accesses *=
        rounds.full * static_cast<double>(local[d]) + rounds.partial * static_cast<double>(rounds.rest);
  }
  return accesses;
}

}  // namespace

Footprint footprint_of(const Profile& profile, const Places& places, const std::array<double, 3>& groups,
                       std::int64_t line_bytes) {
  const Reach reach(profile, places, groups);
  const double share = std::min(1.0, groups[0] * groups[1] * groups[2] / profile.group_count());
  std::vector<double> read(profile.buffers.size()), written(profile.buffers.size());
  for (const Shape& shape : profile.shapes) {
    const BufferUse& use = profile.buffers[shape.buffer];
    if (use.buffer->space != loop::AddressSpace::Global) continue;
    const double unit = std::max(1.0, static_cast<double>(line_bytes / use.scalar_bytes));
    // There are no more lines than accesses, or twice as many, since an access may lie in two lines.
    const double accesses = accesses_of(shape, profile.local) * share;
    const double line = static_cast<double>(line_bytes);
    double bytes = accesses * line;
    if (!shape.is_data) {
      std::vector<Progression> progressions = reach.progressions(places.common_form(shape.form));
      progressions.insert(progressions.end(), shape.fold.progressions.begin(), shape.fold.progressions.end());
      const double units =
          units_of(std::move(progressions), shape.fold.starts, static_cast<double>(shape.scalars), unit);
      bytes = std::min(2 * bytes, units * line);
    }
    if (shape.reads > 0) read[shape.buffer] += bytes;
    if (shape.writes > 0) written[shape.buffer] += bytes;
  }
  Footprint result;
  for (std::size_t i = 0; i < profile.buffers.size(); ++i) {
    const BufferUse& use = profile.buffers[i];
    const double lines =
        std::ceil(use.scalars * static_cast<double>(use.scalar_bytes) / static_cast<double>(line_bytes));
    const double most = lines * static_cast<double>(line_bytes);
    result.read += std::min(read[i], most);
    result.written += std::min(written[i], most);
  }
  return result;
}

}  // namespace hoist::features
