// All kernels of this folder, as a library that another compiler makes of them has them.
#include "plain/plain.hpp"

namespace hoist::plain {

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> kernels;
  for (const auto& group : {vector_kernels(), matrix_vector_kernels(), matrix_kernels(), plane_stencils(),
                            volume_stencils(), particle_kernels()}) {
    kernels.insert(kernels.end(), group.begin(), group.end());
  }
  return kernels;
}

}  // namespace hoist::plain

extern "C" __attribute__((visibility("default"))) void hoist_plain_kernels(
    std::vector<hoist::plain::Kernel>& kernels) {
  kernels = hoist::plain::all_kernels();
}
