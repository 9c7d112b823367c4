// Stencils with merged work-items, as a set of variants: numbers are those of merging_points.hpp, and terms
// those of rewrite/strategies/merging.hpp. Of the many that no GPU runs well `is_likely` is the judge.
//
// `of` reads the program and makes a template for each loading technique: the program after `mergeItems` of a
// width, `toImage` and `toLocal`, with its sizes open. A candidate is a template with its sizes put in
// (`named_values`). Besides those of the coordinates a template has two for each dimension that follow from
// them: of a block's elements U are straight code, in R rounds (`unrolled`): straight code reads each element
// of a window once, which loops would read again, as far as registers and the cache of instructions go.
#include "variants/merging_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ir/inspect.hpp"
#include "rewrite/stencil.hpp"
#include "rewrite/strategy.hpp"
#include "space/counts.hpp"
#include "space/space.hpp"
#include "variants/looking.hpp"
#include "variants/open_sizes.hpp"

namespace hoist::variants {

namespace {

constexpr std::array<const char*, 3> axes{"X", "Y", "Z"};
constexpr std::int64_t widest_access = 16;  ///< bytes that a work-item of a GPU loads at a time
/// 1 where the size of work-groups is compiled in, 0 where kernels learn it.
constexpr MergingCoordinate fixed{"FIXED", "compiledGroup", 0};

/// The input of the program that an array is made of by layouts, counted from the last one.
std::optional<std::size_t> input_of_program(ir::Term array) {
  while (const auto* call = array.as<ir::Call>()) array = call->arguments.back();
  const auto* variable = array.as<ir::Bound>();
  return variable != nullptr ? std::optional<std::size_t>(variable->index) : std::nullopt;
}

/// How many elements of windows the body reads.
std::int64_t reads_of(const rewrite::MergeableNest& stencil) {
  std::vector<bool> is_windows;
  std::int64_t all = 1;
  for (const rewrite::MovingWindows& each : stencil.inputs) {
    is_windows.push_back(each.is_extended());
    std::int64_t elements = 1;
    for (const std::int64_t length : each.lengths) elements *= length;
    all = std::max(all, elements);
  }
  std::vector<rewrite::Access> accesses;
  const auto read = catch_failure([&] { rewrite::with_accesses(stencil.nest, is_windows, accesses); });
  return read && !accesses.empty() ? static_cast<std::int64_t>(accesses.size()) : all;
}

/// Elements of a group's tile.
std::int64_t tile(const MergingConfiguration& configuration, std::size_t axis) {
  return configuration.items[axis] * configuration.blocks[axis] * configuration.cyclic[axis];
}

std::string no_stencil(const std::string& reason) {
  return "the program is no stencil whose work-items can be merged: " + reason;
}

}  // namespace

Result<std::unique_ptr<const Variants>> MergingSpace::of(const ir::Program& program, MergingSet set,
                                                         const ExplorationOptions& options) {
  const char* const hint =
      "it is for one nest of up to three maps over windows that move by one element, such as x |> slide2(3, "
      "1) "
      "|> map2(f), that does not say how it is computed; for other programs leave --space out";
  if (!ir::open_parameters(program.function).empty() || ir::has_parallel_map(program.function))
    return user_error(no_stencil("it says how it is computed"), {}, hint);
  const auto stencil = rewrite::mergeable_nest(program.function.as<ir::Lambda>()->body);
  if (!stencil) return user_error(no_stencil(stencil.error().reason), {}, hint);
  std::array<std::int64_t, 3> lengths{1, 1, 1};
  const std::size_t rank = stencil->nest.rank();
  for (std::size_t d = 0; d < rank; ++d) {
    const auto length = stencil->nest.lengths[d].constant();
    if (!length)
      return user_error(no_stencil("the sizes of its result are not known"), {}, "give them values");
    lengths[rank - 1 - d] = *length;
  }
  for (const auto& [name, bound] : options.bounds) {
    if (!is_merging_coordinate(name)) return user_error("no candidate has a tuning parameter ?" + name);
  }
  MergingPoints points(lengths, set.restrictions, [&](std::string_view name, std::int64_t value) {
    const auto bound = options.bounds.find(std::string(name));
    return bound == options.bounds.end() || (bound->second.first <= value && value <= bound->second.second);
  });
  std::unique_ptr<MergingSpace> space(
      new MergingSpace(*stencil, std::move(points), set.has_launched, options));
  space->lengths_ = lengths;
  for (const LoadingTechnique& each : space->points_.techniques()) {
    space->templates_.push_back({space->derive(program, each, rewrite::CopyOrder::Boxes), {}});
    if (each.uses_local_memory)
      space->templates_.back()[1] = space->derive(program, each, rewrite::CopyOrder::Flat);
  }
  const std::size_t derived = space->derivations();
  space->stages_ = {derived, derived, derived, {}, {}};
  return std::unique_ptr<const Variants>(std::move(space));
}

MergingSpace::MergingSpace(const rewrite::MergeableNest& stencil, MergingPoints points, bool has_launched,
                           const ExplorationOptions& options)
    : points_(std::move(points)),
      has_launched_(has_launched),
      options_(options),
      rank_(stencil.nest.rank()),
      reads_(reads_of(stencil)) {
  options_.keeps_what_is_slow = true;
  const bool is_extended = std::ranges::any_of(stencil.inputs, &rewrite::MovingWindows::is_extended);
  std::size_t part = 0;
  std::set<std::size_t> images;
  for (std::size_t i = 0; i < stencil.inputs.size(); ++i) {
    const rewrite::MovingWindows& windows = stencil.inputs[i];
    const std::vector<std::size_t>& dims = stencil.nest.inputs[i].dims;
    std::array<std::int64_t, 3> lengths{};
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const std::size_t axis = rank_ - 1 - dims[d];
      lengths[axis] = windows.lengths[d];
      extends_[axis] = extends_[axis] || windows.lengths[d] > 1;
    }
    // A program without windows has its arrays copied as they are.
    const bool is_loaded = windows.is_extended() || !is_extended;
    if (is_loaded) {
      if (const auto input = input_of_program(windows.data)) images.insert(*input);
    }
    if (dims.back() + 1 != rank_) continue;  // the innermost map does not read it
    if (is_loaded) {
      std::int64_t bytes = 0;
      const ir::Type element = rewrite::inside_type(windows.data.type(), dims.size());
      for (const ir::Leaf& leaf : ir::leaves(element)) {
        const auto of_scalar = static_cast<std::int64_t>(size_of(leaf.scalar));
        bytes += of_scalar;
        scalar_bytes_ = scalar_bytes_ == 0 ? of_scalar : std::min(scalar_bytes_, of_scalar);
      }
      copied_.emplace_back(bytes, lengths);
      copied_parts_.push_back(part);
    }
    ++part;
  }
  images_.assign(images.begin(), images.end());
}

MergingSpace::Template MergingSpace::derive(const ir::Program& program, const LoadingTechnique& technique,
                                            rewrite::CopyOrder order) const {
  Template result{{program, {}}, ""};
  const auto apply = [&](const rewrite::Strategy& strategy) {
    if (!result.declined.empty()) return;
    auto next = rewrite::rewrite(result.derivation.program, strategy);
    if (!next) {
      result = {{program, {}}, next.error().reason};
      return;
    }
    result.derivation.program = std::move(next->program);
    result.derivation.trace.insert(result.derivation.trace.end(), next->trace.begin(), next->trace.end());
  };
  apply(rewrite::merge_work_items(technique.width));
  if (technique.uses_image) {
    if (images_.empty()) return {{program, {}}, "toImage: what it reads is no input of the program"};
    for (const std::size_t input : images_) apply(rewrite::top_down(rewrite::read_as_image(input)));
  }
  if (technique.uses_local_memory) {
    for (const std::size_t part : copied_parts_)
      apply(rewrite::bottom_up(rewrite::copy_to_local({.part = part, .order = order})));
  }
  return result;
}

const MergingSpace::Template& MergingSpace::template_of(const CandidateId& id) const {
  const auto& [in_boxes, flat] = templates_.at(technique_of(id));
  const bool copies = points_.techniques()[technique_of(id)].uses_local_memory;
  // What is learned must not decide.
  return copies && !is_launched(id) && copies_flat(configuration(id)) ? flat : in_boxes;
}

/// Whether a tile is copied one element after the other: each then needs divisions to find its row, but no
/// work-items are left over at the ends of rows, and narrow groups read neighbours.
bool MergingSpace::copies_flat(const MergingConfiguration& configuration) const {
  // Instructions for an element, as NVIDIA's compiler makes them.
  constexpr double of_box = 5, of_division = 20;
  constexpr std::int64_t sector = 8;  ///< elements that memory moves at the least
  double boxes = 0, flat = 0;
  for (const auto& [bytes, windows] : copied_) {
    double own_boxes = 1, elements = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (windows[axis] == 0) continue;
      const std::int64_t length = tile(configuration, axis) + windows[axis] - 1;
      own_boxes *= std::ceil(static_cast<double>(length) / static_cast<double>(configuration.items[axis]));
      elements *= static_cast<double>(length);
    }
    const std::int64_t items = configuration.items[0] * configuration.items[1] * configuration.items[2];
    boxes += of_box * own_boxes;
    flat += of_division * std::ceil(elements / static_cast<double>(items));
  }
  const auto wasted = static_cast<double>(std::max<std::int64_t>(sector / configuration.items[0], 1));
  return boxes * wasted > flat;
}

// ---- Counting and drawing.

std::uint64_t MergingSpace::count() const {
  return has_launched_ ? space::saturating_sum(points_.count(), points_.count()) : points_.count();
}

CandidateId MergingSpace::at(std::uint64_t rank) const {
  for (std::size_t derivation = 0; derivation < derivations(); ++derivation) {
    const std::uint64_t own = points_.count(derivation % techniques());
    if (rank < own) return {derivation, rank};
    rank -= own;
  }
  throw Bug("a rank beyond the number of candidates");
}

bool MergingSpace::contains(const CandidateId& id) const {
  return id.parts.empty() && id.alternative == 0 && id.derivation < derivations() &&
         id.point < points_.count(technique_of(id));
}

CandidateId MergingSpace::draw(Random& random) const { return at(random.below(count())); }

std::vector<CandidateId> MergingSpace::sample(std::size_t wanted, std::uint64_t seed) const {
  std::vector<CandidateId> result;
  for (const std::uint64_t rank : space::sample_ranks(count(), wanted, seed)) result.push_back(at(rank));
  Random random(seed);
  random.shuffle(result);
  return result;
}

std::vector<CandidateId> MergingSpace::sample_likely(std::size_t wanted, std::uint64_t seed) const {
  // Draws without a new one, after which a technique is taken to have no more.
  constexpr std::size_t most_misses = 2000;
  std::vector<std::size_t> techniques;
  for (std::size_t technique = 0; technique < points_.techniques().size(); ++technique) {
    const LoadingTechnique& each = points_.techniques()[technique];
    if (each.uses_image && !options_.target.has_images()) continue;
    if (each.width == 1 || each.width * scalar_bytes_ <= widest_access) techniques.push_back(technique);
  }
  std::vector<CandidateId> result;
  if (techniques.empty()) return result;
  const std::size_t share = (wanted + techniques.size() - 1) / techniques.size();
  for (const std::size_t technique : techniques) {
    Random random(seed + technique);
    std::set<std::uint64_t> ranks;
    for (std::size_t misses = 0; misses < most_misses && ranks.size() < share; ++misses) {
      const std::uint64_t rank = random.below(points_.count(technique));
      if (!is_likely(points_.at(technique, rank)) || !ranks.insert(rank).second) continue;
      result.push_back({technique, rank});
      misses = 0;
    }
  }
  Random random(seed);
  random.shuffle(result);
  if (result.size() > wanted) result.resize(wanted);
  return result;
}

/// Whether there are a warp's work-items in a group, and in rows as a device reads them, groups for nearly
/// all units, and no more elements for a work-item than registers, and what a compiler unrolls, have room
/// for.
bool MergingSpace::is_likely(const MergingConfiguration& configuration) const {
  constexpr std::int64_t shortest_row = 8, most_elements = 256, most_in_registers = 64;
  const target::Target& target = options_.target;
  const auto& [items, blocks, cyclic, width, uses_local_memory, uses_image] = configuration;
  std::int64_t group = 1, groups = 1, block = 1, elements = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t length = tile(configuration, axis);
    group *= items[axis];
    groups *= (lengths_[axis] + length - 1) / length;
    block *= blocks[axis];
    elements *= blocks[axis] * cyclic[axis];
  }
  const std::int64_t result = lengths_[0] * lengths_[1] * lengths_[2];
  // A result that is too small for the device is computed by as many work-items as there can be.
  const auto units = static_cast<std::int64_t>(target.compute_units);
  const auto within = [](std::int64_t number, std::int64_t most) {
    while (number > most) number /= 2;
    return number;
  };
  const auto warp = within(static_cast<std::int64_t>(target.preferred_group_multiple), result);
  // Numbers of groups are powers of two as a rule: 128 are enough for 132 units, which 256 keep busy no
  // better.
  const std::int64_t least_groups = std::min((3 * units + 3) / 4, result / std::max<std::int64_t>(group, 1));
  if (items[0] < within(shortest_row, lengths_[0]) || group < warp) return false;
  if (group > static_cast<std::int64_t>(target.max_group_size)) return false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (items[axis] > static_cast<std::int64_t>(target.max_group_sizes[axis])) return false;
  }
  if (groups < least_groups || elements > most_elements || block > most_in_registers) return false;
  return !uses_local_memory || local_bytes(configuration) <= static_cast<std::int64_t>(target.local_memory);
}

// ---- Coordinates.

std::vector<Coordinate> MergingSpace::coordinates(const CandidateId& id) const {
  const auto values = values_of(configuration(id));
  std::vector<Coordinate> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const MergingCoordinate& each = merging_coordinates[i];
    result.push_back({std::string(each.name), std::string(each.optimisation), each.dimension, values[i]});
  }
  if (has_launched_)
    result.push_back({std::string(fixed.name), std::string(fixed.optimisation), 0, is_launched(id) ? 0 : 1});
  return result;
}

std::optional<CandidateId> MergingSpace::find(const std::vector<std::int64_t>& values) const {
  std::array<std::int64_t, merging_coordinates.size()> own{};
  if (values.size() != own.size() + (has_launched_ ? 1 : 0)) return std::nullopt;
  std::copy_n(values.begin(), own.size(), own.begin());
  const std::int64_t is_fixed = has_launched_ ? values.back() : 1;
  const auto place = points_.find(own);
  if (!place || (is_fixed != 0 && is_fixed != 1)) return std::nullopt;
  return CandidateId{place->technique + (is_fixed == 1 ? 0 : techniques()), place->rank};
}

std::vector<std::int64_t> MergingSpace::values(const CandidateId& id, std::size_t coordinate) const {
  if (coordinate == merging_coordinates.size()) return {0, 1};
  std::array<std::int64_t, merging_coordinates.size()> point = values_of(configuration(id));
  std::vector<std::int64_t> result;
  for (const std::int64_t value : points_.values(coordinate)) {
    point.at(coordinate) = value;
    if (points_.find(point)) result.push_back(value);
  }
  return result;
}

std::vector<CandidateId> MergingSpace::neighbours(const CandidateId& id) const {
  const MergingConfiguration here = configuration(id);
  const std::size_t first = is_launched(id) ? techniques() : 0;
  std::set<std::pair<std::size_t, std::uint64_t>> known{{technique_of(id), id.point}};
  std::vector<CandidateId> result;
  if (has_launched_) result.push_back({technique_of(id) + (is_launched(id) ? 0 : techniques()), id.point});
  const auto add = [&](const MergingConfiguration& other) {
    const auto place = points_.find(values_of(other));
    const bool is_new = place && known.emplace(place->technique, place->rank).second;
    if (is_new) result.push_back({first + place->technique, place->rank});
    return place.has_value();
  };
  using Numbers = std::array<std::int64_t, 3> MergingConfiguration::*;
  constexpr std::array<Numbers, 3> merges{&MergingConfiguration::items, &MergingConfiguration::blocks,
                                          &MergingConfiguration::cyclic};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const Numbers numbers : merges) {
      MergingConfiguration more = here, less = here;
      (more.*numbers)[axis] *= 2;
      (less.*numbers)[axis] /= 2;
      add(more);
      add(less);
      // The same tile, shared out otherwise.
      for (const Numbers others : merges) {
        if (others == numbers) continue;
        MergingConfiguration other = more;
        (other.*others)[axis] /= 2;
        add(other);
      }
    }
  }
  // Other techniques, with blocks of whole vectors, as few as there may be where there may be no more, and as
  // many work-items and blocks as there is place for.
  for (const LoadingTechnique& technique : points_.techniques()) {
    MergingConfiguration other = here;
    other.width = technique.width;
    other.uses_local_memory = technique.uses_local_memory;
    other.uses_image = technique.uses_image;
    other.blocks[0] = std::max(other.blocks[0], other.width);
    if (add(other)) continue;
    other.blocks[0] = other.width;
    while (!add(other) && (other.cyclic[0] > 1 || other.items[0] > 1))
      (other.cyclic[0] > 1 ? other.cyclic[0] : other.items[0]) /= 2;
  }
  return result;
}

std::uint64_t MergingSpace::kind(const CandidateId& id) const {
  const MergingConfiguration own = configuration(id);
  std::uint64_t loads = 0;
  if (!own.uses_local_memory) {
    loads = 1;
    // Wider vectors are several accesses.
    for (std::int64_t width = 1; width < own.width && 2 * width * scalar_bytes_ <= widest_access; width *= 2)
      ++loads;
  }
  return 2 * loads + (own.blocks[1] * own.blocks[2] > 1 ? 1 : 0);
}

std::vector<double> MergingSpace::numbers(const std::vector<std::int64_t>& values) const {
  constexpr double doublings = 12;
  std::vector<double> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_flag =
        i == merging_coordinates.size() || merging_coordinates[i].optimisation.ends_with("Memory");
    const auto value = static_cast<double>(values[i]);
    result.push_back(is_flag ? value : std::log2(value) / doublings);
  }
  return result;
}

// ---- Making and describing.

std::array<std::int64_t, 3> MergingSpace::unrolled(const MergingConfiguration& configuration) const {
  // Beyond this many reads straight code fits neither registers nor the cache of instructions.
  constexpr std::int64_t most_reads = 2048;
  // Where nothing is read again, some elements at a time keep enough loads on their way.
  constexpr std::int64_t most_without_reuse = 8;
  std::array<std::int64_t, 3> left = configuration.blocks, result{1, 1, 1};
  left[0] /= configuration.width;
  std::int64_t all = 1;
  const auto doubled = [&](bool extended, std::int64_t most) {
    std::optional<std::size_t> shortest;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (extends_[axis] != extended || left[axis] == 1) continue;
      if (!shortest || result[axis] < result[*shortest]) shortest = axis;
    }
    if (!shortest || 2 * all > most || 2 * all * reads_ * configuration.width > most_reads) return false;
    result[*shortest] *= 2;
    left[*shortest] /= 2;
    all *= 2;
    return true;
  };
  while (doubled(true, most_reads)) {
  }
  while (doubled(false, most_without_reuse)) {
  }
  return result;
}

rewrite::Trace MergingSpace::steps(const CandidateId& id) const { return template_of(id).derivation.trace; }

driver::NamedSizes MergingSpace::named_values(const CandidateId& id) const {
  const MergingConfiguration own = configuration(id);
  const auto values = values_of(own);
  const std::array<std::int64_t, 3> straight = unrolled(own);
  driver::NamedSizes result;
  for (std::size_t i = 0; i < values.size(); ++i)
    result.emplace_back(std::string(merging_coordinates[i].name), values[i]);
  for (std::size_t axis = 0; axis < rank_; ++axis) {
    const std::int64_t elements = own.blocks[axis] / (axis == 0 ? own.width : 1);
    result.emplace_back(std::string("R") + axes[axis], elements / straight[axis]);
    result.emplace_back(std::string("U") + axes[axis], straight[axis]);
  }
  if (has_launched_) result.emplace_back(std::string(fixed.name), is_launched(id) ? 0 : 1);
  return result;
}

ir::Program MergingSpace::derived(const CandidateId& id) const { return template_of(id).derivation.program; }

ir::Program MergingSpace::term(const CandidateId& id) const { return term_of(id, named_values(id)); }

ir::Program MergingSpace::term_of(const CandidateId& id, const driver::NamedSizes& values) const {
  const ir::Program& program = template_of(id).derivation.program;
  return is_launched(id) ? with_values(program, values, [](std::string_view name) { return name[0] == 'W'; })
                         : with_values(program, values);
}

std::int64_t MergingSpace::local_bytes(const MergingConfiguration& configuration) const {
  std::int64_t sum = 0;
  for (const auto& [bytes, windows] : copied_) {
    std::int64_t scalars = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (windows[axis] > 0) scalars *= tile(configuration, axis) + windows[axis] - 1;
    }
    sum += bytes * scalars;
  }
  return sum;
}

void MergingSpace::judge(CandidateFacts& facts, const MergingConfiguration& configuration) const {
  const target::Target& target = options_.target;
  const std::string& declined = template_of(facts.id).declined;
  const auto& items = configuration.items;
  const std::int64_t all = items[0] * items[1] * items[2];
  if (!declined.empty()) {
    discard(facts, declined.starts_with("toImage") ? "images" : "not derived", declined);
  } else if (configuration.uses_image && !target.has_images()) {
    discard(facts, "images", "the device reads no images");
  } else if (configuration.uses_local_memory && target.machine.processor == target::Processor::Gpu &&
             !target.profile.has_local_memory) {
    discard(facts, "local memory", "the device has no local memory of its own");
  } else if (all > static_cast<std::int64_t>(target.max_group_size)) {
    discard(facts, "group size",
            fmt::format("a work-group of {} work-items is larger than the device's limit of {}", all,
                        target.max_group_size));
  } else if (configuration.uses_local_memory &&
             local_bytes(configuration) > static_cast<std::int64_t>(target.local_memory)) {
    discard(facts, "local memory",
            fmt::format("{} bytes of local memory are more than the device's limit of {}",
                        local_bytes(configuration), target.local_memory));
  }
  for (std::size_t axis = 0; axis < 3 && facts.discarded.empty(); ++axis) {
    if (items[axis] <= static_cast<std::int64_t>(target.max_group_sizes[axis])) continue;
    discard(facts, "group size",
            fmt::format(
                "a work-group of {} work-items along dimension {} is longer than the device's limit of {}",
                items[axis], axis, target.max_group_sizes[axis]));
  }
}

Candidate MergingSpace::make(const CandidateId& id, const lower::Options& lowering) const {
  if (!contains(id)) throw Bug("a candidate that the set does not contain");
  Candidate result;
  result.id = id;
  result.values = named_values(id);
  judge(result, configuration(id));
  if (result.discarded.empty()) return candidate_of(term(id), id, result.values, lowering, options_);
  result.low = term(id);
  return result;
}

std::vector<CandidateFacts> MergingSpace::look_at_all(const std::vector<CandidateId>& ids,
                                                      const lower::Options& lowering,
                                                      std::size_t threads) const {
  if (threads <= 1 || !lowers_alike_everywhere(lowering))
    return Variants::look_at_all(ids, lowering, threads);
  const CandidateMaker maker{[this](const CandidateId& id) { return named_values(id); },
                             [&](const CandidateId& id, const driver::NamedSizes& values) -> CandidateFacts {
                               CandidateFacts facts;
                               facts.id = id;
                               facts.values = values;
                               judge(facts, configuration(id));
                               if (!facts.discarded.empty()) return facts;
                               return candidate_of(term_of(id, values), id, values, lowering, options_);
                             }};
  return variants::look_at_all(ids, maker, threads);
}

std::vector<DerivationSummary> MergingSpace::derivation_summaries() const {
  std::vector<DerivationSummary> list;
  for (std::size_t number = 0; number < derivations(); ++number) {
    DerivationSummary summary{.number = number, .points = points_.count(number % techniques()), .steps = {}};
    for (const rewrite::Step& step : templates_[number % techniques()][0].derivation.trace)
      summary.steps.push_back(step.rule);
    list.push_back(std::move(summary));
  }
  return list;
}

CandidateId MergingSpace::plain() const {
  constexpr std::int64_t usual = 32;
  MergingConfiguration configuration;
  for (configuration.items[0] = usual; configuration.items[0] > 1; configuration.items[0] /= 2) {
    if (const auto place = points_.find(values_of(configuration))) return {place->technique, place->rank};
  }
  return {0, 0};
}

}  // namespace hoist::variants
