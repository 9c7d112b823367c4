#pragma once

namespace hoist::openmp {

/// What kernels are written in.
enum class Language { OpenCL, Cuda };

}  // namespace hoist::openmp
