#pragma once
// What the user of `hoist run` asks for.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/program_file.hpp"
#include "cli/run_kernel.hpp"
#include "cli/streams.hpp"

namespace hoist::cli {

/// A plan before a run.
struct ForecastOptions {
  bool is_asked = false;
  std::size_t ranks = 0;               ///< 0: not given
  std::optional<double> step_seconds;  ///< of the kernels of a step on one device; measured where not given
  double gigabytes_per_second = 12.5, microseconds = 2;
  std::size_t at_once = 0;  ///< how many ranks compute at the same time; 0: all
};

struct RunOptions {
  ProgramOptions program;
  LoweringOptions lowering;
  std::optional<std::uint64_t> random_seed;
  std::vector<std::string> devices;  ///< empty: the default one
  std::string shares;                ///< of several devices or ranks; empty: as `run_placed` decides
  std::string grid;                  ///< of several devices or ranks; empty: they are cut along one dimension
  std::string isa;
  std::string output;
  std::size_t repetitions = 1;
  std::optional<std::size_t> steps;
  std::string feed;
  std::optional<std::size_t> warm_ups;
  std::optional<std::int64_t> elements;
  KernelOptions kernel;
  StreamsOption streams;
  ForecastOptions forecast;
  bool verify = false;
  bool json = false;
};

}  // namespace hoist::cli
