#pragma once
// A compiled program as C that needs nothing of Hoist: what `hoist export` writes.
#include <string>
#include <vector>

#include "base/tensor.hpp"
#include "driver/compile.hpp"
#include "execute/launch_plan.hpp"

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
  std::vector<ExportedArray> inputs, outputs;  ///< flattened
  std::string kernels;                         ///< their source, in the language
  std::vector<std::size_t> dynamic_local_memory;  ///< by kernel, in bytes: what CUDA's launches give
};

struct ExportedFile {
  std::string name;
  std::string text;
};

/// Compiles `program`, whose sizes are all put in, for export under `name` to the target of the options. User
/// error when the name is no identifier of C, or a size is missing.
Result<Exported> exported(const ir::Program& program, const driver::NamedSizes& sizes,
                          const std::string& name, const lower::Options& options);

/// NAME.h and NAME.c, and for the host NAME_kernels.cpp.
std::vector<ExportedFile> export_files(const Exported& exported);

}  // namespace hoist::exporting
