#pragma once
// Which measurements a model is learned from or held against.
#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "model/dataset.hpp"

namespace hoist::cli {

struct MeasurementOptions {
  std::vector<std::string> files;  ///< tables; none: the store
  std::string store;
  std::vector<std::string> programs;
  std::string device_class;
};
void add_measurement_options(CLI::App& command, MeasurementOptions& options);

/// The tables together, or what the store holds, as far as programs and devices are wanted. Throws Failure:
/// also where nothing is left.
model::Dataset read_measurements(const MeasurementOptions& options);

/// "2026-01-31", for provenance.
std::string today();

}  // namespace hoist::cli
