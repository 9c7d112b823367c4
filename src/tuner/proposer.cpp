#include "tuner/proposer.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/need.hpp"
#include "base/parallel.hpp"
#include "learn/statistics.hpp"
#include "rewrite/strategy.hpp"
#include "search/race.hpp"
#include "search/side_by_side.hpp"
#include "tuner/records.hpp"

namespace hoist::tuner {

namespace {

std::string steps_text(const std::vector<store::Step>& derivation) {
  std::string text;
  for (const store::Step& step : derivation) text += step.rule + " " + step.place + "\n";
  return text;
}

/// Adds what is known besides of an expectation, from the same zero. Each counts by its precision, the
/// inverse of its variance.
void join(search::Expected& expected, double log_seconds, double deviation) {
  const auto precision = [](double of) {
    constexpr double least_deviation = 0.05;
    return std::pow(std::max(of, least_deviation), -2);
  };
  const double own = precision(expected.deviation), others = precision(deviation);
  expected.log_seconds = (own * expected.log_seconds + others * log_seconds) / (own + others);
  expected.deviation = 1 / std::sqrt(own + others);
}

/// Joins what is predicted with what other tasks say, which counts from another zero: the median difference.
void join(std::vector<search::Expected>& predicted, const std::vector<search::Expected>& elsewhere) {
  std::map<search::Configuration, search::Expected*> places;
  for (search::Expected& each : predicted) places.emplace(each.configuration, &each);
  std::vector<double> differences;
  for (const search::Expected& each : elsewhere) {
    const auto place = places.find(each.configuration);
    if (place != places.end()) differences.push_back(place->second->log_seconds - each.log_seconds);
  }
  if (differences.empty()) return;
  const double zero = learn::median(std::move(differences));
  for (const search::Expected& each : elsewhere) {
    const auto place = places.find(each.configuration);
    if (place != places.end()) join(*place->second, each.log_seconds + zero, each.deviation);
  }
}

/// Makes one of a list the first.
void lead_with(search::Expected& first, const std::vector<search::Expected>& list) {
  constexpr double ahead = 0.01;
  first.log_seconds = std::ranges::min(list, {}, &search::Expected::log_seconds).log_seconds - ahead;
}

/// The standard deviation of the logarithm of a blocked nest's time that analysis leaves.
constexpr double deviation_of_analysis = 0.05;

}  // namespace

Proposer::Proposer(std::unique_ptr<const variants::Variants> variants, ProposerOptions options)
    : variants_(std::move(variants)), options_(std::move(options)), space_(*variants_) {
  for (std::size_t number = 0; number < variants_->alternatives(); ++number) {
    const variants::Variants& alternative = variants_->alternative(number);
    Way& way = ways_.emplace_back(Way{alternative, SearchSpace(alternative)});
    for (std::size_t part = 0; part < alternative.parts(); ++part)
      way.parts.push_back({alternative.part(part), SearchSpace(alternative.part(part))});
    parts_ += way.parts.size();
  }
}

std::optional<Proposal> Proposer::find(const std::string& name, const std::string& hash) const {
  const auto id = variants::candidate_id(name);
  if (!id || !variants_->contains(*id)) return std::nullopt;
  const ir::Arena of_this_candidate;
  Proposal proposal{record_of(*variants_, *id), space_.configuration(*id), {}};
  if (proposal.record.hash != hash) return std::nullopt;
  if (!id->parts.empty()) proposal.part_of_kernel = variants_->make(*id, options_.lowering).part_of_kernel;
  return proposal;
}

std::optional<search::Configuration> Proposer::find_derived(const std::vector<store::Step>& derivation,
                                                            const store::NamedValues& parameters) const {
  if (parts_ > 1) return std::nullopt;
  if (derivations_.empty()) {
    for (std::size_t way = 0; variants_->contains({0, 0, {}, way}); ++way) {
      for (std::size_t number = 0; variants_->contains({number, 0, {}, way}); ++number) {
        std::vector<store::Step> steps;
        for (const rewrite::Step& step : variants_->steps({number, 0, {}, way}))
          steps.push_back({step.rule, rewrite::to_string(step.path)});
        derivations_.emplace(steps_text(steps), variants::CandidateId{number, 0, {}, way});
      }
    }
  }
  const auto known = derivations_.find(steps_text(derivation));
  if (known == derivations_.end()) return std::nullopt;
  search::Configuration configuration;
  for (const variants::Coordinate& coordinate : variants_->coordinates(known->second)) {
    const auto value =
        std::ranges::find(parameters, coordinate.name, [](const auto& each) { return each.first; });
    if (value != parameters.end())
      configuration.push_back(value->second);
    else if (coordinate.name == "derivation" || coordinate.name == "way")
      configuration.push_back(coordinate.value);
    else
      return std::nullopt;
  }
  return space_.contains(configuration) ? std::optional(configuration) : std::nullopt;
}

void Proposer::start(const std::vector<Proposal>& known, const std::vector<search::Expected>& elsewhere) {
  if (options_.specification != nullptr) {
    named_ = std::make_unique<NamedVariants>(*variants_, space_);
    auto specified = need(
        search::SpecifiedSearch::make(*named_, *options_.specification, options_.context, options_.seed));
    specified_ = specified.get();
    strategy_ = std::move(specified);
    return;
  }
  const auto known_of = [&](std::size_t way) {
    std::vector<search::Configuration> own;
    for (const Proposal& each : known) {
      if (ways_.size() == 1) {
        own.push_back(each.configuration);
      } else if (each.configuration[0] == static_cast<std::int64_t>(way)) {
        own.emplace_back(each.configuration.begin() + 1, each.configuration.end());
      }
    }
    return own;
  };
  std::vector<std::unique_ptr<search::Strategy>> strategies;
  std::uint64_t seed = options_.seed;
  for (std::size_t number = 0; number < ways_.size(); ++number) {
    strategies.push_back(strategy_for(ways_[number], seed, known_of(number), elsewhere));
    seed += ways_[number].parts.size();
  }
  search::StrategyOptions options;
  options.seed = options_.seed;
  strategy_ = strategies.size() == 1 ? std::move(strategies[0])
                                     : search::make_race(space_, std::move(strategies), options);
}

std::unique_ptr<search::Strategy> Proposer::strategy_for(Way& way, std::uint64_t seed,
                                                         const std::vector<search::Configuration>& known,
                                                         const std::vector<search::Expected>& elsewhere) {
  if (way.parts.size() == 1) return strategy_for(way.parts[0], seed, known, elsewhere);
  std::vector<search::SearchedPart> searched;
  for (std::size_t number = 0; number < way.parts.size(); ++number) {
    Part& part = way.parts[number];
    searched.push_back(
        {strategy_for(part, seed + number, {}, {}), part.space.configuration(part.variants.plain())});
  }
  const auto split = [&way](const search::Configuration& whole) {
    const variants::CandidateId id = way.space.id(whole);
    std::vector<search::Configuration> configurations;
    for (std::size_t number = 0; number < way.parts.size(); ++number)
      configurations.push_back(way.parts[number].space.configuration(id.parts[number]));
    return configurations;
  };
  search::StrategyOptions options;
  options.seed = seed;
  return search::make_side_by_side(way.space, std::move(searched), split, options);
}

std::unique_ptr<search::Strategy> Proposer::strategy_for(Part& part, std::uint64_t seed,
                                                         const std::vector<search::Configuration>& known,
                                                         const std::vector<search::Expected>& elsewhere) {
  search::StrategyOptions options;
  options.seed = seed;
  if (options_.technique) {
    options.expectation = [this, &part](const search::Configuration& configuration) {
      const auto technique = predict::technique_of(part.variants.coordinates(part.space.id(configuration)));
      constexpr double least_share = 0.05;  // how much slower still tells nothing
      return technique ? -std::log(std::max(options_.technique->shares[static_cast<std::size_t>(*technique)],
                                            least_share))
                       : 0;
    };
  }
  if (!options_.model && !elsewhere.empty() && options_.strategy == search::default_strategy())
    return search::make_predicted(part.space, elsewhere, options);
  if (!options_.model) return need(search::make_strategy(options_.strategy, part.space, options));
  std::vector<search::Expected> list = ranking(part);
  if (list.empty()) return search::make_predicted(part.space, {}, options);
  const auto expect = [this, &part](const std::vector<search::Configuration>& configurations) {
    std::vector<variants::CandidateId> ids;
    for (const search::Configuration& each : configurations) ids.push_back(part.space.id(each));
    return expected(part, ids);
  };
  std::vector<search::Configuration> others = known;
  std::set<search::Configuration> ranked;
  for (const search::Expected& each : list) ranked.insert(each.configuration);
  for (const search::Expected& each : elsewhere) {
    if (!ranked.contains(each.configuration)) others.push_back(each.configuration);
  }
  for (const auto& each : expect(others)) {
    if (each) list.push_back(*each);
  }
  join(list, elsewhere);
  if (options_.technique) lead_with_technique(part, list);
  return search::make_predicted(part.space, std::move(list), options, expect);
}

std::vector<search::Expected> Proposer::ranking(Part& part) {
  const std::size_t most = std::max<std::size_t>(1, options_.ranked / parts_);
  predict::RankingOptions options{.most = most, .seed = options_.seed, .threads = usual_threads()};
  // Each part has its share of the time.
  const auto before = static_cast<double>(ranked_parts_++);
  options.is_over = [this, before](double share) {
    return options_.is_over && options_.is_over((before + share) / static_cast<double>(parts_));
  };
  options.progress = options_.progress;
  predict::Ranking ranking = need(predict::rank(part.variants, *options_.model, options_.lowering, options));
  part.population = std::move(ranking.population);
  std::vector<search::Expected> list;
  for (const predict::Ranked& each : ranking.candidates)
    list.push_back({part.space.configuration(each.id), each.log_seconds, each.deviation, each.kind});
  if (options_.device != nullptr && !list.empty()) join_analysis(part, list);
  ranked_ += list.size();
  return list;
}

/// What is ranked may be a sample: the fastest by analysis are added. The very fastest of them, which runs
/// where nothing is tuned, is to be measured first: however little time there is, tuning finds nothing
/// slower.
void Proposer::join_analysis(Part& part, std::vector<search::Expected>& list) const {
  constexpr std::size_t most_added = 200;
  const BlockingAnalysis analysis(part.variants, *options_.device);
  const std::vector<BlockingAnalysis::Estimate> fastest = analysis.fastest(most_added);
  if (fastest.empty()) return;
  std::set<search::Configuration> known;
  for (const search::Expected& each : list) known.insert(each.configuration);
  std::vector<variants::CandidateId> more;
  for (const BlockingAnalysis::Estimate& each : fastest) {
    if (!known.contains(part.space.configuration(each.id))) more.push_back(each.id);
  }
  for (const auto& each : expected(part, more)) {
    if (each) list.push_back(*each);
  }
  std::vector<double> differences;
  for (const search::Expected& each : list) {
    if (const auto seconds = analysis.seconds(part.space.id(each.configuration)))
      differences.push_back(each.log_seconds - std::log(*seconds));
  }
  if (differences.empty()) return;
  part.zero_of_analysis = learn::median(std::move(differences));
  part.analysis.emplace(analysis);
  for (search::Expected& each : list) join_analysis(part, each);
  const auto first =
      std::ranges::find(list, part.space.configuration(fastest.front().id), &search::Expected::configuration);
  if (first != list.end()) lead_with(*first, list);
}

/// What is learned of stencils beside the speed of their kernels says which is measured first.
void Proposer::lead_with_technique(const Part& part, std::vector<search::Expected>& list) const {
  search::Expected* first = nullptr;
  for (search::Expected& each : list) {
    if (predict::technique_of(part.variants.coordinates(part.space.id(each.configuration))) !=
        options_.technique->technique)
      continue;
    if (first == nullptr || each.log_seconds < first->log_seconds) first = &each;
  }
  if (first == nullptr) return;
  const double least = std::ranges::min(list, {}, &search::Expected::log_seconds).log_seconds;
  if (first->log_seconds <= least + options_.technique_leads_within) lead_with(*first, list);
}

void Proposer::join_analysis(const Part& part, search::Expected& expected) {
  if (!part.analysis) return;
  if (const auto seconds = part.analysis->seconds(part.space.id(expected.configuration)))
    join(expected, std::log(*seconds) + part.zero_of_analysis, deviation_of_analysis);
}

std::vector<std::optional<search::Expected>> Proposer::expected(
    const Part& part, const std::vector<variants::CandidateId>& ids) const {
  std::vector<std::optional<search::Expected>> list;
  for (const auto& each : need(predict::predict(part.variants, *options_.model, part.population, ids,
                                                options_.lowering, usual_threads()))) {
    if (!each) {
      list.emplace_back();
      continue;
    }
    list.emplace_back(
        search::Expected{part.space.configuration(each->id), each->log_seconds, each->deviation, each->kind});
    join_analysis(part, *list.back());
  }
  return list;
}

std::optional<std::vector<Proposal>> Proposer::propose(std::size_t count) {
  const std::vector<search::Configuration> proposed = strategy_->propose(count);
  if (proposed.empty()) return std::nullopt;
  std::vector<Proposal> proposals;
  for (const search::Configuration& configuration : proposed) {
    // A candidate's terms go with it.
    const ir::Arena of_this_candidate;
    const variants::Candidate candidate = variants_->make(space_.id(configuration), options_.lowering);
    ++looked_at_;
    if (candidate.discarded.empty()) {
      proposals.push_back(
          {record_of(*variants_, candidate), configuration, candidate.features, candidate.part_of_kernel});
    } else {
      ++discarded_[candidate.reason];
      report(configuration, search::Outcome::of_failure(search::FailureKind::DoesNotFit, 0));
    }
  }
  return proposals;
}

void Proposer::report(const search::Configuration& configuration, const search::Outcome& outcome) {
  strategy_->report(std::vector<search::Trial>{{configuration, outcome}});
}

std::optional<SpecifiedRecord> Proposer::specified() const {
  if (specified_ == nullptr) return std::nullopt;
  SpecifiedRecord record{specified_->tally(), {}};
  if (const auto& best = record.tally.best) {
    const variants::CandidateId id = space_.id(best->configuration);
    record.best = to_string(id);
    record.best_seconds = best->outcome.seconds.value_or(0);
    record.best_values = variants_->named_values(id);
  }
  for (const search::Trial& each : specified_->asked())
    record.tried.push_back({variants_->named_values(space_.id(each.configuration)), each.outcome});
  return record;
}

nlohmann::json tried_json(const SpecifiedRecord& record) {
  nlohmann::json list = nlohmann::json::array();
  for (const SpecifiedRecord::Tried& each : record.tried) {
    nlohmann::json values = nlohmann::json::object();
    for (const auto& [name, value] : each.values) values[name] = value;
    nlohmann::json row = {{"values", std::move(values)},
                          {"outcome", each.outcome.seconds ? "ok" : search::name_of(each.outcome.failure)},
                          {"build_seconds", each.outcome.build_seconds}};
    if (each.outcome.seconds) row["seconds"] = *each.outcome.seconds;
    list.push_back(std::move(row));
  }
  return list;
}

nlohmann::json to_json(const SpecifiedRecord& record) {
  nlohmann::json json = search::to_json(record.tally);
  if (record.best.empty()) return json;
  nlohmann::json values = nlohmann::json::object();
  for (const auto& [name, value] : record.best_values) values[name] = value;
  json["best"] = {
      {"id", record.best}, {"median_seconds", record.best_seconds}, {"values", std::move(values)}};
  return json;
}

/// The named values that follow from the coordinates, and "derivation" where that does: who compares variants
/// by what was chosen leaves them out. Those of programs in parts have other names than their coordinates.
std::vector<std::string> Proposer::dependent_values() const {
  std::vector<std::string> dependent;
  if (parts_ > 1 || variants_->count() == 0) return dependent;
  const auto coordinates = variants_->coordinates(variants_->at(0));
  const auto is_coordinate = [&](const std::string& name) {
    return std::ranges::find(coordinates, name, &variants::Coordinate::name) != coordinates.end();
  };
  for (const auto& [name, value] : variants_->named_values(variants_->at(0))) {
    if (!is_coordinate(name)) dependent.push_back(name);
  }
  if (variants_->derivations() > 1 && !is_coordinate("derivation")) dependent.emplace_back("derivation");
  return dependent;
}

nlohmann::json Proposer::funnel() const {
  const variants::Stages& stages = variants_->stages();
  nlohmann::json discarded = nlohmann::json::object();
  for (const auto& [reason, count] : discarded_) discarded[reason] = count;
  nlohmann::json funnel = {{"algorithms", stages.algorithms},
                           {"mapped", stages.mapped},
                           {"placed", stages.placed},
                           {"programs_discarded", stages.discarded},
                           {"derivations", variants_->derivations()},
                           {"points", variants_->count()},
                           {"looked_at", looked_at_},
                           {"discarded", discarded}};
  if (const auto dependent = dependent_values(); !dependent.empty()) funnel["dependent_values"] = dependent;
  if (const auto record = specified()) funnel["specification"] = to_json(*record);
  return funnel;
}

}  // namespace hoist::tuner
