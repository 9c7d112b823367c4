#include "predict/recorded_search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <type_traits>

#include "base/need.hpp"
#include "search/run.hpp"
#include "search/sampled_space.hpp"
#include "search/strategies.hpp"

namespace hoist::predict {

namespace {

using search::Configuration;

/// What sizes that were chosen come to: a launch, the memory of a group and of a work-item, vectors, loops.
constexpr const char* choice_features[] = {"local_size_0",       "local_size_1",  "local_size_2",
                                           "global_size_0",      "global_size_1", "global_size_2",
                                           "local_memory",       "private_bytes", "global_load_width",
                                           "global_store_width", "inner_trips",   "inner_unroll"};

/// The steps of derivation_text(): each text by the rule's name and how often that came before.
std::map<std::pair<std::string, std::size_t>, std::string> steps_in(const std::string& derivation) {
  constexpr std::string_view separator = "; ";
  std::map<std::pair<std::string, std::size_t>, std::string> steps;
  for (std::size_t at = 0; at < derivation.size();) {
    const std::size_t end = std::min(derivation.find(separator, at), derivation.size());
    const std::string step = derivation.substr(at, end - at);
    const std::string name = step.substr(0, step.find('('));
    std::size_t occurrence = 0;
    while (!steps.try_emplace({name, occurrence}, step).second) ++occurrence;
    at = end + separator.size();
  }
  return steps;
}

/// Which of the different values each one is, counted from 0 in their order.
template <class Value>
std::vector<std::int64_t> places_of(const std::vector<Value>& values) {
  const std::set<Value> different(values.begin(), values.end());
  std::map<Value, std::int64_t> places;
  for (const Value& each : different) places.emplace(each, static_cast<std::int64_t>(places.size()));
  std::vector<std::int64_t> result;
  for (const Value& each : values) result.push_back(places.at(each));
  return result;
}

void add_places(const std::vector<std::int64_t>& places, std::vector<Configuration>& choices) {
  for (std::size_t i = 0; i < places.size(); ++i) choices[i].push_back(places[i]);
}

/// A choice for each name that of_row(i), a map, has of any of so many rows; nothing is a value of its own.
/// False where no row has any.
template <class OfRow>
bool add_named(std::size_t rows, const OfRow& of_row, std::vector<Configuration>& choices) {
  using Map = std::decay_t<decltype(of_row(0))>;
  std::map<typename Map::key_type, std::vector<std::optional<typename Map::mapped_type>>> named;
  for (std::size_t i = 0; i < rows; ++i) {
    for (const auto& [name, value] : of_row(i)) {
      auto& of_all = named[name];
      of_all.resize(rows);
      of_all[i] = value;
    }
  }
  for (const auto& [name, of_all] : named) add_places(places_of(of_all), choices);
  return !named.empty();
}

void add_features(const model::Dataset& dataset, const std::vector<std::uint32_t>& rows,
                  std::vector<Configuration>& choices) {
  for (const char* name : choice_features) {
    const auto column = dataset.schema.index_of(name);
    if (!column) continue;
    std::vector<double> numbers;
    for (const std::uint32_t row : rows) numbers.push_back(dataset.features.at(row, *column));
    add_places(places_of(numbers), choices);
  }
}

void tell_apart(std::vector<Configuration>& choices) {
  std::map<Configuration, std::int64_t> seen;
  for (Configuration& each : choices) {
    const std::int64_t alike = seen[each]++;
    each.push_back(alike);
  }
}

/// The order in which one search tries the candidates. Those after the best are in any order.
std::vector<std::uint32_t> order_of_search(const std::string& strategy, const search::SampledSpace& space,
                                           const std::vector<double>& seconds, double best,
                                           std::uint64_t seed) {
  const auto searching = need(search::make_strategy(strategy, space, {.seed = seed}));
  std::vector<std::uint32_t> order;
  std::vector<bool> is_tried(seconds.size());
  bool is_best_found = false;
  const auto measure = [&](std::span<const Configuration> proposed) {
    std::vector<search::Trial> trials;
    for (const Configuration& each : proposed) {
      if (is_best_found) break;
      const std::size_t rank = space.rank(each);
      order.push_back(static_cast<std::uint32_t>(rank));
      is_tried[rank] = true;
      is_best_found = seconds[rank] == best;
      trials.push_back({each, seconds[rank] > 0 ? search::Outcome::of_time(seconds[rank], seconds[rank])
                                                : search::Outcome::of_failure(search::FailureKind::Run, 0)});
    }
    return trials;
  };
  search::run(*searching, measure, {});
  for (std::uint32_t rank = 0; rank < seconds.size(); ++rank) {
    if (!is_tried[rank]) order.push_back(rank);
  }
  return order;
}

model::TaskCosts mean_costs(const std::string& strategy, const model::Dataset& dataset,
                            const std::vector<std::uint32_t>& rows, std::size_t searches,
                            std::uint64_t seed) {
  const search::SampledSpace space(choices_of(dataset, rows));
  std::vector<double> seconds;
  for (const std::uint32_t row : rows) seconds.push_back(dataset.measurements[row].seconds);
  const std::uint32_t task = dataset.measurements[rows.front()].task;
  const double best = dataset.best_seconds()[task];
  std::vector<model::TaskCosts> costs;
  for (std::size_t i = 0; i < searches; ++i)
    costs.push_back(costs_in_order(dataset.tasks[task], seconds,
                                   order_of_search(strategy, space, seconds, best, seed + i)));
  return model::mean_of(costs);
}

}  // namespace

std::vector<Configuration> choices_of(const model::Dataset& dataset, const std::vector<std::uint32_t>& rows) {
  std::vector<Configuration> choices(rows.size());
  const auto measured = [&](std::size_t i) -> const model::Measurement& {
    return dataset.measurements[rows[i]];
  };
  add_named(
      rows.size(), [&](std::size_t i) { return steps_in(dataset.derivations[measured(i).derivation]); },
      choices);
  const bool has_values = add_named(
      rows.size(), [&](std::size_t i) -> const auto& { return measured(i).values; }, choices);
  if (!has_values) add_features(dataset, rows, choices);
  tell_apart(choices);
  return choices;
}

Result<SearchEvaluation> evaluate_search(const std::string& strategy, const model::Dataset& dataset,
                                         const std::vector<model::Task>& tasks, std::size_t searches,
                                         std::uint64_t seed) {
  return catch_failure([&] {
    SearchEvaluation evaluation{strategy, searches, seed, {}, {}};
    const auto rows = dataset.rows_by_task();
    const auto best = dataset.best_seconds();
    for (std::size_t i = 0; i < dataset.tasks.size(); ++i) {
      const bool is_wanted = std::find(tasks.begin(), tasks.end(), dataset.tasks[i]) != tasks.end();
      if (is_wanted && std::isfinite(best[i]))
        evaluation.tasks.push_back(mean_costs(strategy, dataset, rows[i], searches, seed));
    }
    evaluation.summary = summarize_costs(evaluation.tasks);
    return evaluation;
  });
}

nlohmann::json to_json(const SearchEvaluation& evaluation) {
  nlohmann::json tasks = nlohmann::json::array();
  for (const model::TaskCosts& task : evaluation.tasks) tasks.push_back(model::to_json(task));
  return {{"kind", evaluation.strategy},
          {"searches", evaluation.searches},
          {"seed", evaluation.seed},
          {"summary", model::to_json(evaluation.summary)},
          {"tasks", tasks}};
}

}  // namespace hoist::predict
