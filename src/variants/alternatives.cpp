// Several sets side by side: nearly all is passed on to the one, a way, that an id, or the first of its
// coordinates, says.
#include "variants/alternatives.hpp"

#include <algorithm>

#include "ir/inspect.hpp"
#include "space/counts.hpp"
#include "target/kinds.hpp"
#include "variants/merging_space.hpp"

namespace hoist::variants {

namespace {

CandidateId of_way(CandidateId id, std::size_t way) {
  id.alternative = way;
  return id;
}
CandidateId within_way(CandidateId id) { return of_way(std::move(id), 0); }

}  // namespace

Result<std::unique_ptr<const Variants>> Alternatives::of(std::unique_ptr<const Variants> first,
                                                         Composition::Explored& explored,
                                                         const ir::Program& program,
                                                         const ExplorationOptions& options) {
  const target::Processor processor = target::kind_of(options.target.language).mapping;
  std::vector<std::unique_ptr<const Variants>> ways;
  ways.push_back(std::move(first));
  constexpr std::size_t all = 64;
  // Where the sites are in the program.
  std::vector<std::pair<ir::Term, std::vector<rewrite::Path>>> known;
  for (const std::size_t together : {all, std::size_t{2}, std::size_t{4}, std::size_t{8}}) {
    const auto split = rewrite::in_sites(program, processor, together);
    if (!split) return tl::unexpected(split.error());
    std::pair<ir::Term, std::vector<rewrite::Path>> places{split->program.function, {}};
    for (const rewrite::Site& site : split->sites) places.second.push_back(site.path);
    const bool has_stages = std::any_of(split->sites.begin(), split->sites.end(),
                                        [](const rewrite::Site& site) { return site.is_staged; });
    if (!has_stages) break;
    if (std::find(known.begin(), known.end(), places) != known.end()) continue;
    known.push_back(std::move(places));
    auto way = Composition::of(*split, program, together, options, explored);
    if (!way) return tl::unexpected(way.error());
    // Tiles may be too large for the device, whatever their sizes.
    if (way->count() > 0) ways.push_back(std::make_unique<const Composition>(*std::move(way)));
  }
  ExplorationOptions in_rows = options;
  in_rows.computed = Computed::InRows;
  in_rows.is_part = true;  // bounds may be of what the other ways have
  auto rows = Exploration::of(program, in_rows);
  if (!rows) return tl::unexpected(rows.error());
  if (rows->count() > 0) ways.push_back(std::make_unique<const Exploration>(*std::move(rows)));
  if (ways.size() == 1) return std::move(ways[0]);
  return std::unique_ptr<const Variants>(new Alternatives(std::move(ways), Comparison::Apart));
}

std::unique_ptr<const Variants> Alternatives::together(std::vector<std::unique_ptr<const Variants>> ways) {
  return std::unique_ptr<const Variants>(new Alternatives(std::move(ways), Comparison::Together));
}

Alternatives::Alternatives(std::vector<std::unique_ptr<const Variants>> ways, Comparison comparison)
    : comparison_(comparison), ways_(std::move(ways)) {
  for (const auto& way : ways_) stages_ += way->stages();
}

std::uint64_t Alternatives::count() const {
  std::uint64_t sum = 0;
  for (const auto& way : ways_) sum = space::saturating_sum(sum, way->count());
  return sum;
}

CandidateId Alternatives::at(std::uint64_t rank) const {
  for (std::size_t way = 0; way < ways_.size(); ++way) {
    const std::uint64_t own = ways_[way]->count();
    if (rank < own) return of_way(ways_[way]->at(rank), way);
    rank -= own;
  }
  throw Bug("a rank beyond the number of candidates");
}

bool Alternatives::contains(const CandidateId& id) const {
  return id.alternative < ways_.size() && ways_[id.alternative]->contains(within_way(id));
}

CandidateId Alternatives::draw(Random& random) const {
  const std::size_t way = random.below(ways_.size());
  if (comparison_ == Comparison::Apart) return of_way(ways_[way]->draw(random), way);
  // A search that learns from what it draws would learn little where nearly all of a set is slow.
  std::vector<CandidateId> likely = ways_[way]->sample_likely(1, random.bits());
  return of_way(likely.empty() ? ways_[way]->draw(random) : std::move(likely.front()), way);
}

std::vector<CandidateId> Alternatives::sample(std::size_t wanted, std::uint64_t seed) const {
  return shared_out(wanted, seed, &Variants::sample);
}

std::vector<CandidateId> Alternatives::sample_likely(std::size_t wanted, std::uint64_t seed) const {
  return shared_out(wanted, seed, &Variants::sample_likely);
}

std::vector<CandidateId> Alternatives::shared_out(std::size_t wanted, std::uint64_t seed, Drawn drawn) const {
  // What small ways cannot give goes to the others, the first of all.
  std::vector<std::uint64_t> shares(ways_.size());
  std::uint64_t left = std::min<std::uint64_t>(wanted, count());
  while (left > 0) {
    for (std::size_t way = 0; way < ways_.size() && left > 0; ++way) {
      if (shares[way] == ways_[way]->count()) continue;
      ++shares[way];
      --left;
    }
  }
  std::vector<CandidateId> result;
  for (std::size_t way = 0; way < ways_.size(); ++way) {
    for (CandidateId& id : (*ways_[way].*drawn)(shares[way], seed + way))
      result.push_back(of_way(std::move(id), way));
  }
  Random random(seed);
  random.shuffle(result);
  return result;
}

std::vector<Coordinate> Alternatives::coordinates(const CandidateId& id) const {
  std::vector<Coordinate> result{{"way", "way", 0, static_cast<std::int64_t>(id.alternative)}};
  for (Coordinate& each : ways_[id.alternative]->coordinates(within_way(id)))
    result.push_back(std::move(each));
  return result;
}

std::optional<CandidateId> Alternatives::find(const std::vector<std::int64_t>& values) const {
  if (values.empty() || values[0] < 0 || static_cast<std::size_t>(values[0]) >= ways_.size())
    return std::nullopt;
  const auto way = static_cast<std::size_t>(values[0]);
  auto found = ways_[way]->find({values.begin() + 1, values.end()});
  return found ? std::optional(of_way(*std::move(found), way)) : std::nullopt;
}

std::vector<std::int64_t> Alternatives::values(const CandidateId& id, std::size_t coordinate) const {
  // What the others mean depends on the way.
  if (coordinate == 0) return {static_cast<std::int64_t>(id.alternative)};
  return ways_[id.alternative]->values(within_way(id), coordinate - 1);
}

std::vector<CandidateId> Alternatives::neighbours(const CandidateId& id) const {
  std::vector<CandidateId> result;
  for (CandidateId& each : ways_[id.alternative]->neighbours(within_way(id)))
    result.push_back(of_way(std::move(each), id.alternative));
  for (std::size_t way = 0; way < ways_.size(); ++way) {
    if (way != id.alternative) result.push_back(of_way(ways_[way]->plain(), way));
  }
  return result;
}

std::vector<double> Alternatives::numbers(const std::vector<std::int64_t>& values) const {
  std::vector<double> result;
  for (std::size_t way = 0; way < ways_.size(); ++way) {
    const bool is_own = static_cast<std::size_t>(values.at(0)) == way;
    result.push_back(is_own ? 1 : 0);
    std::vector<std::int64_t> own(values.begin() + 1, values.end());
    if (!is_own) {
      own.clear();
      for (const Coordinate& each : ways_[way]->coordinates(ways_[way]->plain())) own.push_back(each.value);
    }
    std::vector<double> more = ways_[way]->numbers(own);
    if (!is_own) std::fill(more.begin(), more.end(), 0.0);
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

std::uint64_t Alternatives::kind(const CandidateId& id) const {
  return ways_[id.alternative]->kind(within_way(id)) * ways_.size() + id.alternative;
}

rewrite::Trace Alternatives::steps(const CandidateId& id) const {
  return ways_[id.alternative]->steps(within_way(id));
}
driver::NamedSizes Alternatives::named_values(const CandidateId& id) const {
  return ways_[id.alternative]->named_values(within_way(id));
}
ir::Program Alternatives::derived(const CandidateId& id) const {
  return ways_[id.alternative]->derived(within_way(id));
}
ir::Program Alternatives::term(const CandidateId& id) const {
  return ways_[id.alternative]->term(within_way(id));
}

Candidate Alternatives::make(const CandidateId& id, const lower::Options& lowering) const {
  Candidate candidate = ways_[id.alternative]->make(within_way(id), lowering);
  candidate.id = id;
  return candidate;
}

std::vector<CandidateFacts> Alternatives::look_at_all(const std::vector<CandidateId>& ids,
                                                      const lower::Options& lowering,
                                                      std::size_t threads) const {
  std::vector<CandidateFacts> result(ids.size());
  for (std::size_t way = 0; way < ways_.size(); ++way) {
    std::vector<std::size_t> places;
    std::vector<CandidateId> own;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i].alternative != way) continue;
      places.push_back(i);
      own.push_back(within_way(ids[i]));
    }
    std::vector<CandidateFacts> facts = ways_[way]->look_at_all(own, lowering, threads);
    for (std::size_t i = 0; i < own.size(); ++i) {
      facts[i].id = ids[places[i]];
      result[places[i]] = std::move(facts[i]);
    }
  }
  return result;
}

std::size_t Alternatives::derivations() const {
  std::size_t sum = 0;
  for (const auto& way : ways_) sum += way->derivations();
  return sum;
}

std::vector<DerivationSummary> Alternatives::derivation_summaries() const {
  std::vector<DerivationSummary> list;
  for (std::size_t way = 0; way < ways_.size(); ++way) {
    for (DerivationSummary& each : ways_[way]->derivation_summaries()) {
      each.alternative = way;
      list.push_back(std::move(each));
    }
  }
  return list;
}

namespace {

Result<std::unique_ptr<const Variants>> derived_variants(const ir::Program& program,
                                                         const ExplorationOptions& options) {
  const bool is_mapped =
      !ir::open_parameters(program.function).empty() || ir::has_parallel_map(program.function);
  const target::Processor processor = target::kind_of(options.target.language).mapping;
  ExplorationOptions whole = options;
  if (!is_mapped) {
    const auto split = rewrite::in_sites(program, processor);
    if (!split) return tl::unexpected(split.error());
    const bool is_one_nest = split->sites.size() == 1 && split->sites[0].path.empty() &&
                             split->program.function == program.function;
    if (!split->sites.empty() && !is_one_nest) {
      // Stages that are nests by themselves in several ways are explored once.
      Composition::Explored explored;
      auto composition = Composition::of(*split, program, 1, options, explored);
      if (!composition) return tl::unexpected(composition.error());
      auto stored = std::make_unique<const Composition>(*std::move(composition));
      return Alternatives::of(std::move(stored), explored, program, options);
    }
    // What has no nests for rules to work on is mapped by default.
    if (split->sites.empty()) whole.derivations.programs = 0;
  }
  auto exploration = Exploration::of(program, whole);
  if (!exploration) return tl::unexpected(exploration.error());
  return std::make_unique<const Exploration>(*std::move(exploration));
}

Result<std::unique_ptr<const Variants>> both_sets(const ir::Program& program,
                                                  const ExplorationOptions& options) {
  if (options.target.machine.processor != target::Processor::Gpu) return derived_variants(program, options);
  ExplorationOptions of_derived = options, of_merging = options;
  std::erase_if(of_derived.bounds, [](const auto& each) { return is_merging_coordinate(each.first); });
  std::erase_if(of_merging.bounds, [](const auto& each) { return !is_merging_coordinate(each.first); });
  // Features do not tell an image from the memory that it is of: each candidate would be tried twice.
  of_merging.bounds.try_emplace("IMAGE", 0, 0);
  auto merging = MergingSpace::of(program, {.restrictions = MergingRestrictions::None}, of_merging);
  // What is no stencil has one set, and its bounds are judged there.
  if (!merging) return derived_variants(program, options);
  auto derived = derived_variants(program, of_derived);
  if (!derived) return derived;
  if ((*merging)->count() == 0 || (*derived)->parts() > 1 || (*derived)->alternatives() > 1) return derived;
  if ((*derived)->count() == 0) return merging;
  std::vector<std::unique_ptr<const Variants>> ways;
  ways.push_back(*std::move(derived));
  ways.push_back(*std::move(merging));
  return Alternatives::together(std::move(ways));
}

}  // namespace

std::optional<SpaceKind> space_named(std::string_view name) {
  if (name == "derived") return SpaceKind::Derived;
  if (name == "stencil") return SpaceKind::Stencil;
  if (name == "stencil-all") return SpaceKind::StencilAll;
  if (name == "stencil-launched") return SpaceKind::StencilLaunched;
  if (name == "both") return SpaceKind::Both;
  return std::nullopt;
}

Result<std::unique_ptr<const Variants>> explore(const ir::Program& program,
                                                const ExplorationOptions& options) {
  switch (options.space) {
    case SpaceKind::Derived:
      return derived_variants(program, options);
    case SpaceKind::Stencil:
      return MergingSpace::of(program, {}, options);
    case SpaceKind::StencilAll:
      return MergingSpace::of(program, {.restrictions = MergingRestrictions::None}, options);
    case SpaceKind::StencilLaunched:
      return MergingSpace::of(program, {.has_launched = true}, options);
    case SpaceKind::Both:
      return both_sets(program, options);
  }
  throw Bug("no set of variants");
}

}  // namespace hoist::variants
