#pragma once
// Arrays of the caller's that copy engines reach, on devices that need memory pinned for that.
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/device.hpp"
#include "runtime/queue.hpp"

namespace hoist::execute {

/// What was pinned stays so until it is forgotten: whoever has it must not free it before.
class PinnedArrays {
 public:
  /// Pins arrays for a run, those that overlap as one: of a transfer of which only a part is pinned, drivers
  /// refuse some, and of others nobody knows when they happen. What was pinned for an earlier run and
  /// overlaps the arrays in another way is forgotten: the caller has put that memory to another use since.
  /// Memory that the device does not pin is no error, but is told in `notes`.
  Result<void> pin(runtime::Device& device, std::vector<std::span<const std::byte>> arrays);
  void forget() { pinned_.clear(); }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::map<const std::byte*, std::unique_ptr<runtime::HostMemory>> pinned_;  ///< by where it begins
  std::vector<std::string> notes_;
};

}  // namespace hoist::execute
