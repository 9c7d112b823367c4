#pragma once
// The kernels of kernels/ as plain loops: what a careful C++ programmer writes first. Loops are in an order
// that caches and vector instructions like, OpenMP shares the outermost, and there are no tiles and no
// intrinsics.
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace hoist::plain {

/// The leaves of a program's inputs and outputs, in order: pointers to their first elements.
struct Arguments {
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  std::map<std::string, long> sizes;

  const float* reals(std::size_t leaf) const { return static_cast<const float*>(inputs[leaf]); }
  const int* integers(std::size_t leaf) const { return static_cast<const int*>(inputs[leaf]); }
  float real(std::size_t leaf) const { return *reals(leaf); }
  float* real_output(std::size_t leaf) const { return static_cast<float*>(outputs[leaf]); }
  int* integer_output(std::size_t leaf) const { return static_cast<int*>(outputs[leaf]); }
  long size(const char* name) const { return sizes.at(name); }
};

/// A kernel by the name of its program.
struct Kernel {
  const char* name;
  void (*run)(const Arguments&);
};

std::vector<Kernel> vector_kernels();
std::vector<Kernel> matrix_vector_kernels();
std::vector<Kernel> matrix_kernels();
std::vector<Kernel> plane_stencils();
std::vector<Kernel> volume_stencils();
std::vector<Kernel> particle_kernels();
std::vector<Kernel> all_kernels();

}  // namespace hoist::plain
