#pragma once
// A compiled program with all that C code for it is written from.
#include <cstdint>
#include <string>
#include <vector>

#include "base/scalar.hpp"
#include "driver/compile.hpp"
#include "execute/launch_plan.hpp"
#include "target/target.hpp"

namespace hoist::exporting {

/// An input or output as the caller of the C functions has it.
struct ExportedArray {
  std::string name;  ///< "bodies.1"
  Scalar scalar;
  std::vector<std::int64_t> shape;  ///< empty for one number
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
};

struct ExportedFile {
  std::string name;
  std::string text;
};

}  // namespace hoist::exporting
