#pragma once
// A compiled program as C that needs nothing of Hoist: what `hoist export` writes.
#include <string>
#include <vector>

#include "base/error.hpp"
#include "driver/compile.hpp"
#include "export/exported.hpp"

namespace hoist::exporting {

/// Compiles `program`, whose sizes are all put in, for export under `name` to the target of the options. User
/// error when the name is no identifier of C, or a size is missing.
Result<Exported> exported(const ir::Program& program, const driver::NamedSizes& sizes,
                          const std::string& name, const lower::Options& options);

/// NAME.h and NAME.c, and for the host NAME_kernels.cpp.
std::vector<ExportedFile> export_files(const Exported& exported);

}  // namespace hoist::exporting
