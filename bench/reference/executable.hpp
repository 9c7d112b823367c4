#pragma once
// A reference on a device: what execute::Executable is for compiled programs.
#include <memory>
#include <string>
#include <vector>

#include "base/tensor.hpp"
#include "reference/table.hpp"
#include "runtime/device.hpp"

namespace hoist::bench {

/// The text of NAME.cl in `folder` (bench/reference) behind `defines` and the prefix that both dialects
/// share.
Result<std::string> reference_source(const std::string& folder, const std::string& name,
                                     const driver::NamedSizes& defines);

/// A reference, built for `sizes`, with its buffers.
class ReferenceExecutable {
 public:
  /// `outputs` are the leaves of the program's result, their bytes not needed. User error where the device
  /// takes neither OpenCL C nor CUDA C.
  static Result<ReferenceExecutable> prepare(runtime::Device& device, const std::string& folder,
                                             const Reference& reference, const driver::NamedSizes& sizes,
                                             const std::vector<Data>& inputs, std::vector<Tensor> outputs);
  /// Fills what the kernels write with a pattern.
  Result<void> poison();
  /// Runs all kernels once; the device's seconds.
  Result<double> run();
  Result<Data> read_outputs();

 private:
  runtime::Device* device_ = nullptr;
  ReferencePlan plan_;
  std::vector<Tensor> outputs_;
  std::unique_ptr<runtime::Program> program_;
  std::vector<std::unique_ptr<runtime::Kernel>> kernels_;  ///< one a launch
  std::vector<std::unique_ptr<runtime::Buffer>> inputs_,
      written_;  ///< written_: the temporary, if any, and the outputs
  std::vector<runtime::Argument> arguments_;
};

/// Kernels that only move memory, for the ceilings of what was measured beside them.
class Ceilings {
 public:
  /// To read and write `bytes` in all.
  static Result<Ceilings> prepare(runtime::Device& device, const std::string& folder, double bytes);
  /// Half of the bytes read and written to the other half; all of them read. Seconds.
  Result<double> copy();
  Result<double> read();

 private:
  runtime::Device* device_ = nullptr;
  std::unique_ptr<runtime::Buffer> from_, to_;
  std::unique_ptr<runtime::Program> program_;
  std::unique_ptr<runtime::Kernel> copy_, read_;
  std::int64_t vectors_ = 0;  ///< of 16 bytes, that `read` reads
  std::int64_t read_groups_ = 1;
};

}  // namespace hoist::bench
