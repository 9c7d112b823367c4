#include "predict/technique_evaluation.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "learn/weka/random_forest.hpp"

namespace hoist::predict {

namespace {

using Stencils = std::vector<const StencilRecord*>;

/// What a stencil is left out with.
std::string group_of(const StencilRecord& stencil, LeftOut left_out) {
  const StencilTraits& traits = stencil.traits;
  switch (left_out) {
    case LeftOut::Stencil:
      return fmt::format("{} {} {} {} {}", stencil.pattern, traits.size, traits.dimensionality,
                         traits.density, name_of(traits.unique_dimension));
    case LeftOut::Pattern:
      return stencil.pattern;
    case LeftOut::Dimensionality:
      return fmt::format("{}", traits.dimensionality);
  }
  throw Bug("nothing is left out");
}

std::set<std::string> groups_of(const Stencils& stencils, LeftOut left_out) {
  std::set<std::string> groups;
  for (const StencilRecord* each : stencils) groups.insert(group_of(*each, left_out));
  return groups;
}

ByTechnique<double> shares_of(const StencilRecord& stencil, Heuristic heuristic) {
  return stencil.shares(heuristic).value();
}
Technique best_of(const StencilRecord& stencil, Heuristic heuristic) {
  const ByTechnique<double> shares = shares_of(stencil, heuristic);
  return all_techniques[static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) -
                                                 shares.begin())];
}

/// Learns from some stencils and chooses for others.
using Classifier = std::function<std::vector<Technique>(const Stencils& seen, const Stencils& asked)>;

Classifier ours(const std::string& device_class, Heuristic heuristic, std::uint64_t seed) {
  return [=](const Stencils& seen, const Stencils& asked) {
    TechniqueTable table{device_class, {}, {}};
    for (const StencilRecord* each : seen) table.stencils.push_back(*each);
    const auto model = TechniqueModel::learn(table, {.seed = seed});
    if (!model) throw Failure(model.error());
    std::vector<StencilTraits> traits;
    for (const StencilRecord* each : asked) traits.push_back(each->traits);
    const auto told = model->predict(heuristic, traits, {true, true, true, true});
    if (!told) throw Failure(told.error());
    std::vector<Technique> chosen;
    for (const TechniquePrediction& each : *told) chosen.push_back(each.technique);
    return chosen;
  };
}

/// The paper's features; it adds those of the operations where these differ (section 8.3.8).
Matrix paper_features(const Stencils& stencils, bool has_operations) {
  Matrix rows;
  for (const StencilRecord* each : stencils) {
    const StencilTraits& traits = each->traits;
    std::vector<double> row = {traits.size, traits.dimensionality, traits.density,
                               static_cast<double>(traits.unique_dimension)};
    if (has_operations) row.insert(row.end(), {traits.additions, traits.multiplications});
    rows.add(row);
  }
  return rows;
}

Classifier papers(Heuristic heuristic, bool has_operations) {
  return [=](const Stencils& seen, const Stencils& asked) {
    learn::WekaNames names{{{}, {}, {}, {"none", "x", "y", "z"}}, {}};
    for (const Technique each : all_techniques) names.classes.emplace_back(name_of(each));
    std::vector<std::uint32_t> classes;
    for (const StencilRecord* each : seen)
      classes.push_back(static_cast<std::uint32_t>(best_of(*each, heuristic)));
    const auto forest = learn::make_weka_random_forest(names);
    forest->fit(paper_features(seen, has_operations), classes, all_techniques.size());
    std::vector<Technique> chosen;
    for (const std::uint32_t each : forest->classify(paper_features(asked, has_operations)))
      chosen.push_back(all_techniques[each]);
    return chosen;
  };
}

Classifier most_frequent(Heuristic heuristic) {
  return [=](const Stencils& seen, const Stencils& asked) {
    ByTechnique<std::size_t> counts{};
    for (const StencilRecord* each : seen) ++counts[static_cast<std::size_t>(best_of(*each, heuristic))];
    const auto most = std::max_element(counts.begin(), counts.end());
    return std::vector<Technique>(asked.size(),
                                  all_techniques[static_cast<std::size_t>(most - counts.begin())]);
  };
}

bool has_different_operations(const TechniqueTable& table) {
  const auto differ = [&](const StencilRecord& each) {
    const StencilTraits &first = table.stencils.front().traits, &other = each.traits;
    return first.additions != other.additions || first.multiplications != other.multiplications;
  };
  return std::any_of(table.stencils.begin(), table.stencils.end(), differ);
}

TechniqueJudgement judged(const std::string& name, const Classifier& classifier, const Stencils& stencils,
                          Heuristic heuristic, LeftOut left_out) {
  TechniqueJudgement judgement{name, std::vector<Technique>(stencils.size()), 0, 0, 1};
  for (const std::string& group : groups_of(stencils, left_out)) {
    Stencils seen, asked;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < stencils.size(); ++i) {
      const bool is_asked = group_of(*stencils[i], left_out) == group;
      (is_asked ? asked : seen).push_back(stencils[i]);
      if (is_asked) places.push_back(i);
    }
    const std::vector<Technique> chosen = classifier(seen, asked);
    for (std::size_t i = 0; i < places.size(); ++i) judgement.choices[places[i]] = chosen[i];
  }
  for (std::size_t i = 0; i < stencils.size(); ++i) {
    const double share = shares_of(*stencils[i], heuristic)[static_cast<std::size_t>(judgement.choices[i])];
    judgement.accuracy += share == 1 ? 1 : 0;
    judgement.penalty_weighted += share;
    judgement.least = std::min(judgement.least, share);
  }
  judgement.accuracy /= static_cast<double>(stencils.size());
  judgement.penalty_weighted /= static_cast<double>(stencils.size());
  return judgement;
}

/// A technique drawn at random: the expectation.
TechniqueJudgement chance(const Stencils& stencils, Heuristic heuristic) {
  TechniqueJudgement judgement{"chance", {}, 0, 0, 1};
  const double weight = 1 / static_cast<double>(stencils.size() * all_techniques.size());
  for (const StencilRecord* each : stencils) {
    for (const double share : shares_of(*each, heuristic)) {
      judgement.accuracy += share == 1 ? weight : 0;
      judgement.penalty_weighted += share * weight;
      judgement.least = std::min(judgement.least, share);
    }
  }
  return judgement;
}

}  // namespace

std::string_view name_of(LeftOut left_out) {
  switch (left_out) {
    case LeftOut::Stencil:
      return "stencil";
    case LeftOut::Pattern:
      return "pattern";
    case LeftOut::Dimensionality:
      return "dimensionality";
  }
  throw Bug("nothing is left out");
}

Result<std::vector<TechniqueEvaluation>> evaluate_techniques(const TechniqueTable& table, LeftOut left_out,
                                                             std::uint64_t seed) {
  return catch_failure([&] {
    std::vector<TechniqueEvaluation> evaluations;
    bool ran = false;
    for (const Heuristic heuristic : all_heuristics) {
      TechniqueEvaluation evaluation{left_out, heuristic, {}, {}};
      for (const StencilRecord& each : table.stencils) {
        if (each.shares(heuristic)) evaluation.stencils.push_back(&each);
      }
      if (evaluation.stencils.empty()) continue;
      ran = true;
      if (groups_of(evaluation.stencils, left_out).size() < 2) continue;
      const auto add = [&](const char* name, const Classifier& classifier) {
        evaluation.judgements.push_back(judged(name, classifier, evaluation.stencils, heuristic, left_out));
      };
      add("ours", ours(table.device_class, heuristic, seed));
      add("weka", papers(heuristic, has_different_operations(table)));
      add("most frequent", most_frequent(heuristic));
      evaluation.judgements.push_back(chance(evaluation.stencils, heuristic));
      evaluations.push_back(std::move(evaluation));
    }
    if (!ran) throw_user("no technique has a time in the table: there is nothing to judge");
    if (evaluations.empty())
      throw_user(fmt::format("all stencils are of one {}: leaving it out leaves nothing to learn from",
                             name_of(left_out)),
                 {}, "leave something else out, or measure more stencils");
    return evaluations;
  });
}

nlohmann::json to_json(const TechniqueEvaluation& evaluation) {
  nlohmann::json judgements = nlohmann::json::array(), stencils = nlohmann::json::array();
  for (const TechniqueJudgement& each : evaluation.judgements)
    judgements.push_back({{"classifier", each.classifier},
                          {"accuracy", each.accuracy},
                          {"penalty_weighted", each.penalty_weighted},
                          {"least", each.least}});
  for (std::size_t i = 0; i < evaluation.stencils.size(); ++i) {
    const StencilRecord& stencil = *evaluation.stencils[i];
    nlohmann::json choices = nlohmann::json::object();
    for (const TechniqueJudgement& each : evaluation.judgements) {
      if (!each.choices.empty()) choices[each.classifier] = name_of(each.choices[i]);
    }
    stencils.push_back({{"stencil", stencil.stencil},
                        {"best", name_of(best_of(stencil, evaluation.heuristic))},
                        {"shares", shares_of(stencil, evaluation.heuristic)},
                        {"choices", std::move(choices)}});
  }
  return {{"left_out", name_of(evaluation.left_out)},
          {"heuristic", name_of(evaluation.heuristic)},
          {"judgements", std::move(judgements)},
          {"stencils", std::move(stencils)}};
}

}  // namespace hoist::predict
