#pragma once
// What a kernel takes of its group's local memory.
#include <cstddef>
#include <optional>
#include <vector>

#include "loop/kernel.hpp"

namespace hoist::loop {

/// Bytes that GPU dialects align local arrays to, at the least. Where that is known, compilers read
/// neighbours that unrolled loops read one by one as a vector.
constexpr std::size_t local_alignment = 16;

/// The local arrays that a kernel declares, in order.
std::vector<const Buffer*> local_arrays(const Kernel& kernel);
/// Bytes of an array; nothing where its length is not constant.
std::optional<std::size_t> bytes_of(const Buffer& array);
/// Where an array begins that follows so many bytes.
arith::Expr aligned_local_offset(arith::Expr bytes);
/// Bytes that a kernel's local arrays take whose lengths are constant, each aligned.
std::size_t local_bytes(const Kernel& kernel);

}  // namespace hoist::loop
