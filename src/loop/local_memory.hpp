#pragma once
// What a kernel takes of its group's local memory.
#include <cstddef>
#include <optional>
#include <vector>

#include "loop/kernel.hpp"

namespace hoist::loop {

/// The local arrays that a kernel declares, in order.
std::vector<const Buffer*> local_arrays(const Kernel& kernel);
/// Bytes of an array; nothing where its length is not constant.
std::optional<std::size_t> bytes_of(const Buffer& array);
/// Bytes of a kernel's local arrays whose lengths are constant.
std::size_t local_bytes(const Kernel& kernel);

}  // namespace hoist::loop
