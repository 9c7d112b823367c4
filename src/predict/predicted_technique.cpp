#include "predict/predicted_technique.hpp"

#include <algorithm>

#include "predict/learned_task.hpp"
#include "rewrite/stencil_features.hpp"

namespace hoist::predict {

namespace {

UniqueDimension unique_dimension_of(const rewrite::StencilFeatures& features) {
  if (!features.unique_dimension) return UniqueDimension::None;
  switch (*features.unique_dimension) {
    case rewrite::Axis::X:
      return UniqueDimension::X;
    case rewrite::Axis::Y:
      return UniqueDimension::Y;
    case rewrite::Axis::Z:
      return UniqueDimension::Z;
  }
  throw Bug("no such axis");
}

StencilTraits traits_of(const rewrite::StencilFeatures& features) {
  return {static_cast<double>(features.size),
          static_cast<double>(features.dimensionality),
          features.density,
          unique_dimension_of(features),
          features.additions_per_point(),
          features.multiplications_per_point()};
}

}  // namespace

ByTechnique<bool> available_techniques(const target::Target& target) {
  ByTechnique<bool> available{true, true, true, true};
  available[static_cast<std::size_t>(Technique::Local)] = target.local_memory > 0;
  available[static_cast<std::size_t>(Technique::Image)] = target.has_images();
  return available;
}

Result<TechniqueChoice> predicted_technique(const ir::Program& program, const target::Target& target,
                                            store::Store* store, Heuristic heuristic) {
  const auto features = rewrite::stencil_features(program);
  if (!features) return user_error("the program is no stencil: " + features.error().reason);
  const auto found = find_learned<TechniqueModel>(technique_task, target, store);
  if (!found) return tl::unexpected(found.error());
  const StencilTraits traits = traits_of(*features);
  const ByTechnique<bool> available = available_techniques(target);
  if (found->model.learned_from(heuristic) == 0) heuristic = Heuristic::Hybrid;
  const auto predicted = found->model.predict(heuristic, {traits}, available);
  if (!predicted) return tl::unexpected(predicted.error());
  const TechniquePrediction& prediction = predicted->front();
  return TechniqueChoice{prediction.technique, prediction.shares, explanation(prediction, traits, available),
                         found->model.device_class(), found->origin};
}

std::optional<Technique> technique_of(const std::vector<variants::Coordinate>& coordinates) {
  const auto value_of = [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto found = std::ranges::find(coordinates, name, &variants::Coordinate::name);
    return found == coordinates.end() ? std::nullopt : std::optional(found->value);
  };
  const auto local = value_of("LOCAL"), image = value_of("IMAGE"), width = value_of("VX");
  if (!local || !image || !width) return std::nullopt;
  if (*local != 0) return Technique::Local;
  if (*image != 0) return Technique::Image;
  return *width > 1 ? Technique::Vector : Technique::Global;
}

}  // namespace hoist::predict
