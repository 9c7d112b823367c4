#pragma once
// CUDA source text to code for a device.
#include <string>

#include "runtime/cuda/driver.hpp"

namespace hoist::runtime::cuda {

/// Code that the driver loads: a cubin, machine code of one architecture, or PTX, which the driver
/// translates.
struct Image {
  std::string code;
  std::string architecture;  ///< "sm_90", or "compute_90" for PTX
  bool is_ptx = false;
  std::string log;  ///< warnings
};

/// An image as bytes that image_of reads back; the log stays behind.
std::string to_bytes(const Image& image);
/// Device error: what is no image.
Result<Image> image_of(const std::string& bytes);

/// Compiles for devices of compute capability major.minor: to a cubin, or to PTX of the newest older
/// architecture where the compiler does not know this one. A text that does not compile is a Bug-kind error
/// with the log and the text; one that needs more shared memory than the architecture has is a Device error.
Result<Image> compile(const Nvrtc& nvrtc, const std::string& source, int major, int minor);

}  // namespace hoist::runtime::cuda
