#pragma once
// Where the memory of a program's arrays may begin.
#include <cstddef>
#include <vector>

#include "loop/kernel.hpp"

namespace hoist::execute {

/// By flattened input and output: bytes of the widest vector that kernels read or write of the array at once;
/// 1 for numbers. OpenCL C and CUDA have such vectors at multiples of their size only, so the array must
/// begin at one. The host reads vectors at any address.
struct VectorAlignments {
  std::vector<std::size_t> inputs, outputs;
};
VectorAlignments vector_alignments(const loop::Plan& plan);

}  // namespace hoist::execute
