#pragma once
// A compiled program as C that needs nothing of Hoist: what `hoist export` writes.
#include <string>
#include <vector>

#include "base/error.hpp"
#include "driver/compile.hpp"
#include "execute/streamed_plan.hpp"
#include "export/exported.hpp"

namespace hoist::exporting {

/// What a program is exported for: a device, or a kind of device.
struct ExportDevice {
  target::Language language = target::Language::OpenCL;
  std::optional<target::Target> here;  ///< the one that is named, or the first of its kind, if there is one
};
/// From "cuda:0", "opencl". User error for what is no id, Device error for one with a number that is not
/// here.
Result<ExportDevice> export_device(const std::string& device);
/// What its kernels are for: launches are within what the device takes.
target::Target target_of(const ExportDevice& device);

/// Partitions and tasks, for devices of `units` compute units or more.
struct StreamsForUnits {
  std::size_t units = 1;
  execute::StreamOptions options;
};

/// Ranks of MPI, and the first flattened input that takes a result in steps, if any does.
struct RanksOption {
  std::size_t count = 1;
  std::optional<std::size_t> fed;
};

/// Compiles `program`, whose sizes are all put in, for export under `name` to the target of the options; as
/// tasks where `streams` says how, by ascending units, the first of which is 1; or for ranks. User errors:
/// the name is no identifier of C, a size is missing, those of execute::streamed_plan and placed_plan, ranks
/// of another device than the host.
Result<Exported> exported(const ir::Program& program, const driver::NamedSizes& sizes,
                          const std::string& name, const lower::Options& options,
                          const std::vector<StreamsForUnits>& streams = {},
                          const std::optional<RanksOption>& ranks = std::nullopt);

/// NAME.h and NAME.c, and for the host NAME_kernels.cpp, or where kernels of several numbers of tasks differ
/// NAME_PxT_kernels.cpp.
std::vector<ExportedFile> export_files(const Exported& exported);

}  // namespace hoist::exporting
