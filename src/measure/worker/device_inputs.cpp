#include "measure/worker/device_inputs.hpp"

#include <chrono>

#include "base/stopwatch.hpp"
#include "execute/guard_zone.hpp"

namespace hoist::measure {

Result<DeviceInputs> DeviceInputs::write(runtime::Device& device, const runtime::SharedMemory& memory,
                                         const messages::Json& places) {
  auto mapped = memory.map();
  if (!mapped) return tl::unexpected(mapped.error());
  DeviceInputs written;
  written.memory_ = std::move(*mapped);
  auto tensors = messages::mapped(written.memory_, places);
  if (!tensors) return tl::unexpected(tensors.error());
  written.tensors_ = std::move(*tensors);
  for (const messages::SharedTensor& tensor : written.tensors_) {
    written.buffers_.emplace_back();
    if (tensor.shape.empty()) continue;
    auto buffer = execute::allocate_guarded(device, tensor.bytes.size());
    if (!buffer) return tl::unexpected(buffer.error());
    const auto start = std::chrono::steady_clock::now();
    if (auto copied = device.write(**buffer, tensor.bytes); !copied) return tl::unexpected(copied.error());
    written.upload_.seconds += seconds_since(start);
    written.upload_.bytes += tensor.bytes.size();
    written.buffers_.back() = std::move(*buffer);
  }
  return written;
}

Result<execute::Bound> DeviceInputs::bind(execute::Executable& executable) const {
  execute::Bound bound;
  for (std::size_t leaf = 0; leaf < tensors_.size(); ++leaf) {
    bound.inputs.push_back(buffers_[leaf].get());
    if (buffers_[leaf]) continue;
    if (auto copied = executable.write_input(leaf, tensors_[leaf].bytes); !copied)
      return tl::unexpected(copied.error());
  }
  return bound;
}

}  // namespace hoist::measure
