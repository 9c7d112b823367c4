// The set of candidates that rewrite rules derive from a program: a candidate is a derivation (derive.hpp)
// and a point in the space of the sizes that it leaves open (space.hpp). The id 12-345 is point 345 of
// derivation 12: candidates are made from their numbers, and never listed.
//
// Read `Exploration::of` first: derive, make a space for each derivation, and drop those without points. Then
// `at`, `find` and `coordinates`, which turn ranks, ids and coordinates (the derivation, then the values of
// its parameters) into one another. `sample` is stratified: all derivations get equal shares,
// though their spaces differ by orders of magnitude.
//
// `candidate_of` makes a candidate: values into the program, lowering to a plan, its structure, and what
// discards candidates that no device runs well (too large groups, too much local memory, scattered copies,
// too much code) before features are computed. looking.hpp does so for many candidates by several threads.
#include "variants/explore.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "base/random.hpp"
#include "ir/inspect.hpp"
#include "ir/print.hpp"
#include "loop/at_launch.hpp"
#include "rewrite/default_mapping.hpp"
#include "rewrite/sites.hpp"
#include "space/counts.hpp"
#include "target/kinds.hpp"
#include "variants/limits.hpp"
#include "variants/looking.hpp"

namespace hoist::variants {

Result<Exploration> Exploration::of(const ir::Program& program, const ExplorationOptions& options) {
  Exploration result;
  result.options_ = options;
  const bool is_open = !ir::open_parameters(program.function).empty();
  const target::Processor processor = target::kind_of(options.target.language).mapping;
  if (is_open || ir::has_parallel_map(program.function)) {
    if (!is_open) {
      return user_error(
          "the program says how it is computed and leaves no sizes open: there is nothing to explore", {},
          "leave a size open, split(?t), or use map in place of mapGlb, mapWrg and mapLcl");
    }
    auto mapped = rewrite::default_mapping(program, processor);
    if (!mapped) return tl::unexpected(mapped.error());
    result.derivations_.list.push_back({mapped->program, {}});
    result.derivations_.stages = {1, 1, 1, {}, {}};
  } else if (options.computed == Computed::InTiles) {
    result.derivations_ = derive_tiled(program, options.target);
  } else if (options.computed == Computed::InRows) {
    result.derivations_ = derive_rows(program, options.target);
  } else {
    result.derivations_ = derive(program, options.target, options.derivations);
    result.is_default_ = result.derivations_.list.empty();
    if (options.is_part) {
      auto mapped = rewrite::rewrite(program, rewrite::map_site(processor));
      if (!mapped) return user_error(mapped.error().reason);
      result.derivations_.list.insert(result.derivations_.list.begin(),
                                      {std::move(mapped->program), std::move(mapped->trace)});
    } else if (result.is_default_) {
      // No macro rule covers the program: its only derivation is the default mapping.
      auto mapped = rewrite::default_mapping(program, processor);
      if (!mapped) return tl::unexpected(mapped.error());
      result.derivations_.list.push_back({mapped->program, {}});
    }
  }
  std::vector<Derivation> with_points;
  std::vector<std::string> known;
  Spaces spaces;
  std::vector<Derivation>& all = result.derivations_.list;
  // In portions, since time may be over before all are counted.
  constexpr std::size_t portion = 256;
  for (std::size_t begin = 0; begin < all.size(); begin += portion) {
    if (!with_points.empty() && options.derivations.is_over && options.derivations.is_over()) break;
    const std::span derivations = std::span(all).subspan(begin, std::min(portion, all.size() - begin));
    std::vector<std::shared_ptr<const space::Space>> own;
    for (const Derivation& each : derivations) {
      auto space = spaces.of(each.program, options.target, options.bounds, !each.trace.empty());
      if (!space) return tl::unexpected(space.error());
      for (const space::Parameter& parameter : (*space)->parameters()) known.push_back(parameter.name);
      own.push_back(*std::move(space));
    }
    const std::vector<std::uint64_t> counts = counts_of(own);
    for (std::size_t i = 0; i < derivations.size(); ++i) {
      if (counts[i] == 0) {
        result.empty_ = own[i];
        ++result.derivations_.stages.discarded["no sizes fit"];
        continue;
      }
      result.counts_.push_back(counts[i]);
      result.spaces_.push_back(std::move(own[i]));
      with_points.push_back(std::move(derivations[i]));
    }
  }
  result.derivations_.list = std::move(with_points);
  for (const auto& [name, bound] : options.bounds) {
    if (options.is_part) break;
    if (std::find(known.begin(), known.end(), name) == known.end())
      return user_error("no candidate has a tuning parameter ?" + name);
  }
  return result;
}

std::uint64_t Exploration::count() const {
  std::uint64_t total = 0;
  for (const std::uint64_t each : counts_) total = space::saturating_sum(total, each);
  return total;
}

std::vector<CandidateId> Exploration::sample(std::size_t wanted, std::uint64_t seed) const {
  // All derivations get equal shares of the sample; what small spaces cannot give goes to the others.
  std::vector<std::uint64_t> shares(counts_.size());
  Random random(seed);
  std::vector<std::size_t> order(counts_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::uint64_t left = std::min<std::uint64_t>(wanted, count());
  while (left > 0) {
    random.shuffle(order);
    for (const std::size_t each : order) {
      if (left == 0) break;
      if (shares[each] == counts_[each]) continue;
      ++shares[each];
      --left;
    }
  }
  std::vector<CandidateId> result;
  for (std::size_t each = 0; each < shares.size(); ++each) {
    for (const std::uint64_t point :
         space::sample_ranks(counts_[each], static_cast<std::size_t>(shares[each]), seed + each))
      result.push_back({each, point});
  }
  random.shuffle(result);
  return result;
}

bool Exploration::contains(const CandidateId& id) const {
  return id.parts.empty() && id.alternative == 0 && id.derivation < counts_.size() &&
         id.point < counts_[id.derivation];
}

CandidateId Exploration::at(std::uint64_t rank) const {
  for (std::size_t derivation = 0; derivation < counts_.size(); ++derivation) {
    if (rank < counts_[derivation]) return {derivation, rank};
    rank -= counts_[derivation];
  }
  throw Bug("a rank beyond the number of candidates");
}

CandidateId Exploration::draw(Random& random) const {
  const std::size_t derivation = random.below(counts_.size());
  return {derivation, random.below(counts_[derivation])};
}

std::vector<Coordinate> Exploration::coordinates(const CandidateId& id) const {
  std::vector<Coordinate> result{{"derivation", "derivation", 0, static_cast<std::int64_t>(id.derivation)}};
  const std::vector<Coordinate>& parameters = parameters_of(id.derivation);
  result.insert(result.end(), parameters.begin(), parameters.end());
  const space::Point point = spaces_[id.derivation]->at(id.point);
  for (std::size_t i = 0; i < point.size(); ++i) result[i + 1].value = point[i];
  return result;
}

/// The parameters of a derivation, each with the rule that left it open.
const std::vector<Coordinate>& Exploration::parameters_of(std::size_t derivation) const {
  parameters_.resize(counts_.size());
  auto& known = parameters_[derivation];
  if (known) return *known;
  known.emplace();
  for (const space::Parameter& each : spaces_[derivation]->parameters())
    known->push_back({each.name, "", 0, 0});
  for (const rewrite::Step& step : derivations_.list[derivation].trace) {
    std::size_t opened = 0;
    for (arith::Expr parameter : ir::open_parameters(step.after)) {
      const auto place = std::find_if(known->begin(), known->end(),
                                      [&](const Coordinate& each) { return each.name == parameter->name; });
      if (place == known->end() || !place->optimisation.empty()) continue;
      place->optimisation = step.rule.substr(0, step.rule.find('('));
      place->dimension = opened++;
    }
  }
  return *known;
}

std::optional<CandidateId> Exploration::find(const std::vector<std::int64_t>& values) const {
  if (values.empty() || values[0] < 0 || static_cast<std::size_t>(values[0]) >= counts_.size())
    return std::nullopt;
  const auto derivation = static_cast<std::size_t>(values[0]);
  const auto rank = spaces_[derivation]->rank({values.begin() + 1, values.end()});
  return rank ? std::optional(CandidateId{derivation, *rank}) : std::nullopt;
}

std::vector<std::int64_t> Exploration::values(const CandidateId& id, std::size_t coordinate) const {
  std::vector<std::int64_t> result;
  if (coordinate == 0) {
    result.resize(counts_.size());
    std::iota(result.begin(), result.end(), 0);
    return result;
  }
  const space::Space& space = *spaces_[id.derivation];
  const space::Parameter& parameter = space.parameters().at(coordinate - 1);
  space::Point point = space.at(id.point);
  for (std::int64_t value = std::max<std::int64_t>(parameter.least, 1); value <= parameter.most;
       value = parameter.is_power_of_two ? 2 * value : value + 1) {
    point[coordinate - 1] = value;
    if (space.rank(point)) result.push_back(value);
  }
  return result;
}

const Neighbourhood& Exploration::neighbourhood() const {
  if (!neighbourhood_) neighbourhood_ = std::make_shared<const Neighbourhood>(derivations_.list, spaces_);
  return *neighbourhood_;
}
std::vector<CandidateId> Exploration::neighbours(const CandidateId& id) const {
  return neighbourhood().neighbours(id);
}
std::vector<double> Exploration::numbers(const std::vector<std::int64_t>& values) const {
  return neighbourhood().numbers(values);
}

rewrite::Trace Exploration::steps(const CandidateId& id) const {
  return derivations_.list[id.derivation].trace;
}

ir::Program Exploration::derived(const CandidateId& id) const {
  return derivations_.list[id.derivation].program;
}

std::vector<DerivationSummary> Exploration::derivation_summaries() const {
  std::vector<DerivationSummary> list;
  for (std::size_t number = 0; number < derivations_.list.size(); ++number) {
    DerivationSummary summary{.number = number, .points = counts_[number], .steps = {}};
    for (const rewrite::Step& step : derivations_.list[number].trace) summary.steps.push_back(step.rule);
    list.push_back(std::move(summary));
  }
  return list;
}

/// Of tiles of stages, and of groups that keep rows, the one whose lengths are nearest to usual ones.
CandidateId Exploration::plain() const {
  if (options_.computed == Computed::AsNest) return {0, 0};
  constexpr std::uint64_t most_compared = 4096;
  constexpr double usual_innermost = 32;
  const double usual = options_.computed == Computed::InRows ? 256 : 8;
  const std::size_t rank = spaces_[0]->parameters().size();
  std::uint64_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t point = 0; point < std::min(counts_[0], most_compared); ++point) {
    const space::Point values = spaces_[0]->at(point);
    double distance = 0;
    for (std::size_t i = 0; i < rank; ++i)
      distance += std::abs(
          std::log2(static_cast<double>(values[i]) / (i > 0 && i + 1 == rank ? usual_innermost : usual)));
    if (distance >= least) continue;
    least = distance;
    nearest = point;
  }
  return {0, nearest};
}

driver::NamedSizes Exploration::named_values(const CandidateId& id) const {
  return variants::named_values(*spaces_[id.derivation], id.point);
}

std::string Exploration::emptied_by() const { return empty_ ? empty_->emptied_by() : ""; }

bool lowers_alike_everywhere(const lower::Options& lowering) {
  return !lowering.global_size && !lowering.local_size && !lowering.trace;
}

void discard(CandidateFacts& candidate, std::string reason, std::string text) {
  candidate.reason = std::move(reason);
  candidate.discarded = std::move(text);
}

namespace {

/// The dimension along which a group has more work-items than the device takes.
std::optional<std::size_t> too_long_dimension(const Structure& structure, const target::Target& target) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (structure.group_lengths[d] > static_cast<std::int64_t>(target.max_group_sizes[d])) return d;
  }
  return std::nullopt;
}

/// Discards a candidate that the device runs badly: nothing makes up for it.
void judge_quality(CandidateFacts& candidate, const Structure& structure) {
  // A statement is ten bytes of instructions and more: beyond this they fit no instruction cache.
  constexpr std::size_t most_statements = 8192;
  if (structure.copy_lines > most_lines_of_candidates) {
    discard(candidate, "scattered copies",
            fmt::format("copies into local memory read {:.0f} cache lines for each line that they need",
                        structure.copy_lines));
  } else if (structure.statements > most_statements) {
    discard(candidate, "code length",
            fmt::format("{} statements once loops are unrolled are more than the limit of {}",
                        structure.statements, most_statements));
  }
}

/// Discards a candidate that the device does not run at all.
void judge_limits(CandidateFacts& candidate, const Structure& structure, const target::Target& target) {
  if (structure.group_size > static_cast<std::int64_t>(target.max_group_size)) {
    discard(candidate, "group size",
            fmt::format("a work-group of {} work-items is larger than the device's limit of {}",
                        structure.group_size, target.max_group_size));
  } else if (const auto d = too_long_dimension(structure, target)) {
    discard(candidate, "group size",
            fmt::format(
                "a work-group of {} work-items along dimension {} is longer than the device's limit of {}",
                structure.group_lengths[*d], *d, target.max_group_sizes[*d]));
  } else if (structure.local_memory > static_cast<std::int64_t>(target.local_memory)) {
    discard(candidate, "local memory",
            fmt::format("{} bytes of local memory are more than the device's limit of {}",
                        structure.local_memory, target.local_memory));
  }
}

}  // namespace

Candidate candidate_of(ir::Program low, const CandidateId& id, driver::NamedSizes values,
                       const lower::Options& lowering, const ExplorationOptions& options) {
  Candidate result;
  result.id = id;
  result.low = std::move(low);
  result.values = std::move(values);
  auto plan = lower::lower(result.low, lowering);
  if (!plan) {
    discard(result, "not compiled", plan.error().diagnostics.front().message);
    return result;
  }
  result.plan = loop::at_launch(std::move(*plan));
  result.structure = structure_of(*result.plan, options.target.machine);
  if (!options.keeps_what_is_slow) judge_quality(result, *result.structure);
  if (result.discarded.empty()) judge_limits(result, *result.structure, options.target);
  // Discarded candidates get no features: often they have thousands of statements, which take longest to
  // read.
  if (options.looks_at_features && result.discarded.empty())
    result.features = features::features_of(*result.plan, options.target);
  return result;
}

ir::Program Exploration::term(const CandidateId& id) const {
  return with_values(derivations_.list[id.derivation].program, named_values(id));
}

Candidate Exploration::make(const CandidateId& id, const lower::Options& lowering) const {
  return candidate_of(term(id), id, named_values(id), lowering, options_);
}

std::vector<CandidateFacts> Exploration::look_at_all(const std::vector<CandidateId>& ids,
                                                     const lower::Options& lowering,
                                                     std::size_t threads) const {
  if (threads <= 1 || !lowers_alike_everywhere(lowering))
    return Variants::look_at_all(ids, lowering, threads);
  const CandidateMaker maker{[this](const CandidateId& id) { return named_values(id); },
                             [&](const CandidateId& id, const driver::NamedSizes& values) {
                               return candidate_of(with_values(derivation(id.derivation).program, values), id,
                                                   values, lowering, options_);
                             }};
  return variants::look_at_all(ids, maker, threads);
}

}  // namespace hoist::variants
