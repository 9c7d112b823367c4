#pragma once
// Which loading technique a program is tuned with first: its features, the model for the device, and why.
#include "ir/term.hpp"
#include "predict/loading_technique.hpp"
#include "store/store.hpp"
#include "target/target.hpp"
#include "variants/variants.hpp"

namespace hoist::predict {

struct TechniqueChoice {
  Technique technique{};
  ByTechnique<double> shares{};  ///< expected of each technique, of the best one's speed
  std::string explanation;       ///< "local memory: 343 points of 343 ..."
  std::string device_class;      ///< that the model has learned on
  std::string origin;            ///< "shipped with Hoist", "from the store"
};

/// The model is the store's, where there is a store that has one for such devices, else one that ships with
/// Hoist; where it has learned nothing of the heuristic, that of the hybrid. Errors say why a search does
/// without: a program whose sizes are known is no stencil (User), there is no model for such devices
/// (Unsupported); others are the store's.
Result<TechniqueChoice> predicted_technique(const ir::Program& program, const target::Target& target,
                                            store::Store* store = nullptr,
                                            Heuristic heuristic = Heuristic::Hybrid);

/// Which techniques a device can run.
ByTechnique<bool> available_techniques(const target::Target& target);

/// How a variant of the space of stencils loads its input, which its coordinates LOCAL, IMAGE and VX say;
/// nothing of variants that lack them.
std::optional<Technique> technique_of(const std::vector<variants::Coordinate>& coordinates);

}  // namespace hoist::predict
