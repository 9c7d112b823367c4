#pragma once
// The inputs of a task on a worker's device: written once, bound to every candidate.
#include <memory>
#include <vector>

#include "execute/executable.hpp"
#include "measure/outcome.hpp"
#include "measure/worker/messages.hpp"
#include "runtime/device.hpp"
#include "runtime/shared_memory.hpp"

namespace hoist::measure {

class DeviceInputs {
 public:
  /// Copies flattened inputs from shared memory, where they stay, to the device, each with a guard zone
  /// behind it. Device error where they do not fit.
  static Result<DeviceInputs> write(runtime::Device& device, const runtime::SharedMemory& memory,
                                    const messages::Json& places);

  /// Binds the arrays, and writes the inputs that are numbers to the executable.
  Result<execute::Bound> bind(execute::Executable& executable) const;
  const std::vector<messages::SharedTensor>& tensors() const { return tensors_; }
  /// The buffer of each input; null where it is a number.
  const std::vector<std::unique_ptr<runtime::Buffer>>& buffers() const { return buffers_; }
  const Transfer& upload() const { return upload_; }

 private:
  runtime::MappedMemory memory_;
  std::vector<messages::SharedTensor> tensors_;
  std::vector<std::unique_ptr<runtime::Buffer>> buffers_;
  Transfer upload_;
};

}  // namespace hoist::measure
