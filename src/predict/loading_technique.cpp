// Names first; then the model: TechniqueModel::learn keeps the traits and shares of all stencils, predict
// grows a cost-sensitive forest (learn/forest.hpp) from those of one heuristic and asks it. The cost of a
// technique is the share of the best speed that it loses, which is what the penalty-weighted accuracy of
// section 8.2 counts. Last, how a prediction is told.
#include "predict/loading_technique.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "learn/forest.hpp"
#include "model/files.hpp"
#include "predict/learned_task.hpp"

namespace hoist::predict {

namespace {

using learn::Json;

constexpr const char* model_format = "hoist technique model";
constexpr int model_version = 1;
constexpr std::size_t trait_count = 6;

std::size_t place_of(Technique technique) { return static_cast<std::size_t>(technique); }
std::size_t place_of(Heuristic heuristic) { return static_cast<std::size_t>(heuristic); }

/// The numbers of a stencil as files keep them.
std::vector<double> numbers_of(const StencilTraits& traits) {
  return {traits.size,      traits.dimensionality,
          traits.density,   static_cast<double>(traits.unique_dimension),
          traits.additions, traits.multiplications};
}
StencilTraits traits_of(std::span<const double> numbers) {
  return {numbers[0], numbers[1],
          numbers[2], static_cast<UniqueDimension>(static_cast<std::uint8_t>(numbers[3])),
          numbers[4], numbers[5]};
}

/// Whether the stencil extends along a dimension: 1 or 0, or between them where that is not told.
double extends_along(UniqueDimension dimension, const StencilTraits& traits) {
  constexpr double not_told = 0.5;
  const bool is_unique = traits.unique_dimension == dimension;
  if (traits.dimensionality < 1) return 0;
  if (traits.dimensionality > 2) return 1;
  if (traits.unique_dimension == UniqueDimension::None) return not_told;
  return is_unique == (traits.dimensionality < 2) ? 1 : 0;
}

constexpr std::array axes = {UniqueDimension::X, UniqueDimension::Y, UniqueDimension::Z};

/// "local memory".
std::string_view memory_of(Technique technique) {
  switch (technique) {
    case Technique::Global:
      return "global memory";
    case Technique::Vector:
      return "vectors of global memory";
    case Technique::Local:
      return "local memory";
    case Technique::Image:
      return "images";
  }
  throw Bug("no such technique");
}

std::string dimensions_text(const StencilTraits& traits) {
  if (traits.dimensionality < 1) return "";
  constexpr const char* counts[] = {"one dimension", "two dimensions", "three dimensions"};
  std::string text = fmt::format(", in {}", counts[std::min(static_cast<int>(traits.dimensionality), 3) - 1]);
  if (traits.unique_dimension == UniqueDimension::None) return text;
  if (traits.dimensionality > 2)
    return text + fmt::format(" of which {} differs", name_of(traits.unique_dimension));
  std::string along;
  for (const UniqueDimension axis : axes) {
    if (extends_along(axis, traits) == 1)
      along += (along.empty() ? "" : " and ") + std::string(name_of(axis));
  }
  return text + ", " + along;
}

/// What the others are expected to lose, in words.
std::string comparison_text(const TechniquePrediction& prediction, const ByTechnique<bool>& available) {
  constexpr double hardly = 1.02;
  std::optional<Technique> next;
  for (const Technique each : all_techniques) {
    if (each == prediction.technique || !available[place_of(each)]) continue;
    if (!next || prediction.shares[place_of(each)] > prediction.shares[place_of(*next)]) next = each;
  }
  if (!next) return "it is the only one that the device has";
  const double own = prediction.shares[place_of(prediction.technique)],
               other = prediction.shares[place_of(*next)];
  if (other <= 0) return "of such stencils no other technique ran";
  if (own / other < hardly) return fmt::format("such stencils are about as fast from {}", memory_of(*next));
  return fmt::format("such stencils are {:.{}f} times as fast from there as from {}", own / other,
                     own / other < 1.1 ? 2 : 1, memory_of(*next));
}

TechniquePrediction chosen(std::span<const double> costs, const ByTechnique<bool>& available,
                           std::size_t learned_from) {
  TechniquePrediction prediction;
  prediction.learned_from = learned_from;
  std::optional<Technique> best;
  for (const Technique each : all_techniques) {
    // What should be 0 may be below it by rounding.
    prediction.shares[place_of(each)] = std::max(1 - costs[place_of(each)], 0.0);
    if (available[place_of(each)] &&
        (!best || prediction.shares[place_of(each)] > prediction.shares[place_of(*best)]))
      best = each;
  }
  if (!best) throw Bug("no technique is available");
  prediction.technique = *best;
  return prediction;
}

}  // namespace

std::string_view name_of(Technique technique) {
  switch (technique) {
    case Technique::Global:
      return "global";
    case Technique::Vector:
      return "vector";
    case Technique::Local:
      return "local";
    case Technique::Image:
      return "image";
  }
  throw Bug("no such technique");
}

std::string_view name_of(Heuristic heuristic) {
  switch (heuristic) {
    case Heuristic::Dimensions:
      return "dimensions";
    case Heuristic::Optimisations:
      return "optimisations";
    case Heuristic::Hybrid:
      return "hybrid";
  }
  throw Bug("no such heuristic");
}

Heuristic heuristic_like(std::string_view search) {
  for (const Heuristic each : all_heuristics) {
    if (search.starts_with(name_of(each))) return each;
  }
  return Heuristic::Hybrid;
}

std::string_view name_of(UniqueDimension dimension) {
  switch (dimension) {
    case UniqueDimension::None:
      return "none";
    case UniqueDimension::X:
      return "x";
    case UniqueDimension::Y:
      return "y";
    case UniqueDimension::Z:
      return "z";
  }
  throw Bug("no such dimension");
}

std::optional<ByTechnique<double>> StencilRecord::shares(Heuristic heuristic) const {
  const ByTechnique<TechniqueSearch>& searched = of(heuristic);
  std::optional<double> best;
  for (const TechniqueSearch& each : searched) {
    if (each.seconds && (!best || *each.seconds < *best)) best = each.seconds;
  }
  if (!best) return std::nullopt;
  ByTechnique<double> shares{};
  for (std::size_t i = 0; i < shares.size(); ++i)
    shares[i] = searched[i].seconds ? *best / *searched[i].seconds : 0;
  return shares;
}

std::vector<double> inputs_of(const StencilTraits& traits) {
  std::vector<double> inputs = {std::log(traits.size), traits.dimensionality, traits.density,
                                std::log(traits.size / traits.density)};
  for (const UniqueDimension axis : axes) {
    inputs.push_back(extends_along(axis, traits));
    inputs.push_back(traits.unique_dimension == axis ? 1 : 0);
  }
  inputs.push_back(traits.additions);
  inputs.push_back(traits.multiplications);
  inputs.push_back(std::log(traits.size * (1 + traits.additions + traits.multiplications)));
  return inputs;
}

Result<TechniqueModel> TechniqueModel::learn(const TechniqueTable& table, const Options& options) {
  TechniqueModel model;
  model.device_class_ = table.device_class;
  model.seed_ = options.seed;
  model.provenance_ = options.provenance;
  bool ran = false;
  for (const Heuristic heuristic : all_heuristics) {
    Learned& learned = model.learned_[place_of(heuristic)];
    for (const StencilRecord& each : table.stencils) {
      const auto shares = each.shares(heuristic);
      if (!shares) continue;
      ran = true;
      learned.traits.add(numbers_of(each.traits));
      learned.shares.add(*shares);
    }
  }
  if (!ran)
    return user_error("no technique has a time in the table: there is nothing to learn from", {},
                      "bench/stencils.py gather measures stencils, docs/model.md has the table's form");
  return model;
}

std::size_t TechniqueModel::learned_from(Heuristic heuristic) const {
  return learned_[place_of(heuristic)].traits.count();
}

Result<std::vector<TechniquePrediction>> TechniqueModel::predict(Heuristic heuristic,
                                                                 const std::vector<StencilTraits>& stencils,
                                                                 const ByTechnique<bool>& available) const {
  const Learned& learned = learned_[place_of(heuristic)];
  if (learned.traits.count() == 0)
    return user_error(fmt::format("the model of techniques for {} has learned nothing of the heuristic '{}'",
                                  device_class_, name_of(heuristic)));
  Matrix rows, costs, asked;
  for (std::size_t i = 0; i < learned.traits.count(); ++i) {
    rows.add(inputs_of(traits_of(learned.traits.row(i))));
    std::vector<double> lost;
    for (const double share : learned.shares.row(i)) lost.push_back(1 - share);
    costs.add(lost);
  }
  const auto forest = learn::make_cost_classifier(seed_);
  forest->fit_costs(rows, costs);
  for (const StencilTraits& each : stencils) asked.add(inputs_of(each));
  const Matrix expected = forest->costs(asked);
  std::vector<TechniquePrediction> predictions;
  for (std::size_t i = 0; i < stencils.size(); ++i)
    predictions.push_back(chosen(expected.row(i), available, learned.traits.count()));
  return predictions;
}

Json TechniqueModel::to_json() const {
  Json heuristics = Json::object();
  for (const Heuristic heuristic : all_heuristics) {
    const Learned& learned = learned_[place_of(heuristic)];
    Json rows = Json::array();
    for (std::size_t i = 0; i < learned.traits.count(); ++i) {
      const auto traits = learned.traits.row(i), shares = learned.shares.row(i);
      rows.push_back({std::vector<double>(traits.begin(), traits.end()),
                      std::vector<double>(shares.begin(), shares.end())});
    }
    heuristics[std::string(name_of(heuristic))] = std::move(rows);
  }
  return {{"format", model_format}, {"version", model_version},  {"device_class", device_class_},
          {"seed", seed_},          {"provenance", provenance_}, {"learned", std::move(heuristics)}};
}

TechniqueModel TechniqueModel::read(const Json& json) {
  TechniqueModel model;
  if (json.at("format") != model_format || json.at("version") != model_version)
    throw_user(fmt::format("it is no '{}' of version {}", model_format, model_version));
  model.device_class_ = json.at("device_class").get<std::string>();
  model.seed_ = json.at("seed").get<std::uint64_t>();
  model.provenance_ = json.at("provenance").get<std::map<std::string, std::string>>();
  for (const Heuristic heuristic : all_heuristics) {
    Learned& learned = model.learned_[place_of(heuristic)];
    for (const Json& row : json.at("learned").at(std::string(name_of(heuristic)))) {
      const auto traits = row.at(0).get<std::vector<double>>(), shares = row.at(1).get<std::vector<double>>();
      const auto is_share = [](double number) { return number >= 0 && number <= 1; };
      // NaN is none of these.
      const bool is_stencil = traits.size() == trait_count && traits[0] >= 1 && traits[1] >= 0 &&
                              traits[1] <= 3 && traits[2] > 0 && traits[2] <= 1 && traits[3] >= 0 &&
                              traits[3] <= 3 && traits[4] >= 0 && traits[5] >= 0;
      if (!is_stencil || shares.size() != all_techniques.size() ||
          !std::all_of(shares.begin(), shares.end(), is_share))
        throw_user(fmt::format("row {} of '{}' is no stencil", learned.traits.count(), name_of(heuristic)));
      learned.traits.add(traits);
      learned.shares.add(shares);
    }
  }
  return model;
}

Result<TechniqueModel> TechniqueModel::parse(std::string_view bytes, const std::string& name) {
  return parse_learned(technique_task, bytes, name, [](const Json& json) { return read(json); });
}

Result<void> TechniqueModel::save(const std::string& path) const {
  return model::write_file(path, to_json().dump() + "\n");
}

Result<TechniqueModel> TechniqueModel::load(const std::string& path) {
  const auto text = model::read_file(path);
  if (!text) return tl::unexpected(text.error());
  return parse(*text, path);
}

std::string explanation(const TechniquePrediction& prediction, const StencilTraits& traits,
                        const ByTechnique<bool>& available) {
  std::string text =
      fmt::format("{}: {:.0f} {} of {:.0f} in the box around them{}; {}", memory_of(prediction.technique),
                  traits.size, traits.size == 1 ? "point" : "points", traits.size / traits.density,
                  dimensions_text(traits), comparison_text(prediction, available));
  for (const Technique each : all_techniques) {
    if (!available[place_of(each)] &&
        prediction.shares[place_of(each)] > prediction.shares[place_of(prediction.technique)])
      text += fmt::format("; {} would be faster, but the device has none", memory_of(each));
  }
  return text;
}

}  // namespace hoist::predict
