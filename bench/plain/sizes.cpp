#include "plain/sizes.hpp"

#include <map>

namespace hoist::bench {

Result<driver::NamedSizes> timed_sizes(const std::string& kernel) {
  const driver::NamedSizes vector{{"N", 33554432}}, matrix{{"M", 6144}, {"N", 6144}}, square{{"N", 6144}},
      product{{"M", 1024}, {"N", 1024}, {"K", 1024}}, small_product{{"M", 640}, {"N", 640}, {"K", 640}},
      plane{{"H", 6144}, {"W", 6144}}, small_plane{{"H", 4096}, {"W", 4096}},
      volume{{"D", 256}, {"H", 384}, {"W", 384}};
  static const std::map<std::string, driver::NamedSizes> table{
      {"argmin", vector},
      {"asum", vector},
      {"atax", matrix},
      {"axpy", vector},
      {"bicg", matrix},
      {"black_scholes", {{"N", 2097152}}},
      {"contraction_ij_ik_kj", {{"I", 768}, {"J", 768}, {"K", 768}}},
      {"contraction_ijk_ilk_jl", {{"I", 128}, {"J", 128}, {"K", 128}, {"L", 128}}},
      {"contraction_ijkl_imkn_jnlm", {{"I", 32}, {"J", 32}, {"K", 32}, {"L", 16}, {"M", 16}, {"N", 16}}},
      {"convolution2d", {{"H", 2048}, {"W", 2048}, {"R", 4}}},
      {"convolution2d_separable", {{"H", 4096}, {"W", 4096}, {"R", 8}}},
      {"dot", vector},
      {"gaussian5x5", plane},
      {"gemv", matrix},
      {"gemv_transposed", matrix},
      {"gemver", square},
      {"gesummv", square},
      {"gradient", plane},
      {"heat3d", volume},
      {"histogram", {{"N", 1048576}, {"B", 256}}},
      {"hotspot2d", plane},
      {"hotspot3d", volume},
      {"jacobi2d5", plane},
      {"jacobi2d9", plane},
      {"jacobi3d13", volume},
      {"jacobi3d19", volume},
      {"jacobi3d27", volume},
      {"jacobi3d7", volume},
      {"kmeans", {{"N", 307200}, {"K", 5}, {"F", 34}}},
      {"mandelbrot", {{"H", 2048}, {"W", 2048}}},
      {"matmul_batched", {{"P", 128}, {"M", 128}, {"N", 128}, {"K", 128}}},
      {"matmul_nn", product},
      {"matmul_nt", small_product},
      {"matmul_tn", product},
      {"matmul_tt", product},
      {"matrix_reverse", plane},
      {"md", {{"N", 73728}, {"J", 128}}},
      {"mriq", {{"N", 8192}, {"K", 1024}}},
      {"mvt", square},
      {"nbody", {{"N", 6144}}},
      {"nearest_neighbour", vector},
      {"nrm2", vector},
      {"poisson3d", volume},
      {"prefix_sum", vector},
      {"scal", vector},
      {"shoc_stencil2d", plane},
      {"srad1", small_plane},
      {"srad2", small_plane},
      {"syrk", {{"N", 640}, {"K", 640}}},
      {"transpose", plane},
  };
  const auto found = table.find(kernel);
  if (found == table.end()) return user_error("bench/plain/sizes.cpp has no sizes for " + kernel);
  return found->second;
}

}  // namespace hoist::bench
