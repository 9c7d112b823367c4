#pragma once
// A compiled program with all that C code for it is written from.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/scalar.hpp"
#include "driver/compile.hpp"
#include "execute/launch_plan.hpp"
#include "execute/placed_plan.hpp"
#include "execute/stream_graph.hpp"
#include "target/target.hpp"

namespace hoist::exporting {

/// An input or output as the caller of the C functions has it.
struct ExportedArray {
  std::string name;  ///< "bodies.1"
  Scalar scalar;
  std::vector<std::int64_t> shape;  ///< empty for one number
};

/// A program as tasks, for devices of `units` compute units or more.
struct ExportedStreams {
  std::size_t units = 1;
  std::string suffix;  ///< of the names that C code has for its tables: "_2x16"; empty where there is one
  execute::StreamedPlan plan;
  std::string kernels_suffix;                     ///< likewise, of the source or file of its kernels
  std::string kernels;                            ///< their source; empty: the first one's
  std::vector<std::size_t> dynamic_local_memory;  ///< by kernel, in bytes
};

/// A program cut for ranks.
struct ExportedRanks {
  execute::PlacedPlan plan;  ///< of one step
  bool has_steps = false;    ///< whether an input takes the result
  ExportedStreams tasks;     ///< whose launches and loops are those of the ranks
};

/// A program whose every number is known.
struct Exported {
  target::Language language = target::Language::OpenCL;  ///< whose runtime the C code calls
  std::string name;     ///< what the C functions' names begin with: an identifier
  std::string program;  ///< what it computes, as text of the language
  driver::NamedSizes sizes;
  execute::LaunchPlan plan;
  std::vector<ExportedArray> inputs, outputs;     ///< flattened
  std::string kernels;                            ///< their source, in the language
  std::vector<std::size_t> dynamic_local_memory;  ///< by kernel, in bytes: what CUDA's launches give
  /// Where it runs in tasks: how, by ascending units, the first for any device. Then `kernels` is empty.
  std::vector<ExportedStreams> streams;
  std::optional<ExportedRanks> ranks;  ///< where ranks of MPI run it; then `kernels` are those of the cut
};

struct ExportedFile {
  std::string name;
  std::string text;
};

}  // namespace hoist::exporting
