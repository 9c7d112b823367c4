#pragma once
// From what a store has measured to what models learn from.
#include <functional>
#include <string>
#include <vector>

#include "driver/compile.hpp"
#include "features/features.hpp"
#include "model/dataset.hpp"
#include "store/store.hpp"

namespace hoist::predict {

/// What features_of (features/features.hpp) gives for targets of a kind, as models name it.
model::Schema feature_schema(target::Processor processor);

/// Tells a store what the features of all kinds of targets are called. Errors: the store's.
Result<void> name_features(store::Store& store);

/// The features of a candidate's term, in which all sizes are numbers. Errors: a term that is not read, or
/// does not compile, any more.
Result<std::vector<double>> features_of_term(const std::string& term, const target::Target& device);

/// The key of a table's, and a model's, provenance for the names of the devices that were measured, with
/// semicolons between.
inline constexpr const char* measured_devices = "devices";

struct MeasurementsOptions {
  std::vector<std::string> programs = {};  ///< by name; empty: all
  std::string device_class = {};           ///< empty: all
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};
/// The candidates of a store's tasks with their features and the least median that was measured of each.
/// Candidates whose features the store does not have are lowered anew, and the store keeps them. What does
/// not compile any more is left out, and counted in the provenance, which names the devices, too. Errors: the
/// store's; devices of kinds whose features differ.
Result<model::Dataset> measurements_of(store::Store& store, const MeasurementsOptions& options = {});

/// "tileGroups(2); map", or "no macro rule".
std::string derivation_text(const std::vector<store::Step>& steps);

}  // namespace hoist::predict
