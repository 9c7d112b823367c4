#pragma once
// A compiled program as C that needs nothing of Hoist: what `hoist export` writes.
#include <string>
#include <vector>

#include "base/error.hpp"
#include "driver/compile.hpp"
#include "export/exported.hpp"

namespace hoist::exporting {

/// What kernels are for that are exported for a device, or for a kind of device: "cuda:0", "opencl". Launches
/// are within what the device takes: the one that is named, or the first of its kind, if there is one. User
/// error for what is no id, Device error for one with a number that is not here.
Result<target::Target> export_target(const std::string& device);

/// Compiles `program`, whose sizes are all put in, for export under `name` to the target of the options. User
/// error when the name is no identifier of C, or a size is missing.
Result<Exported> exported(const ir::Program& program, const driver::NamedSizes& sizes,
                          const std::string& name, const lower::Options& options);

/// NAME.h and NAME.c, and for the host NAME_kernels.cpp.
std::vector<ExportedFile> export_files(const Exported& exported);

}  // namespace hoist::exporting
