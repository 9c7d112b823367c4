// The heat equation in a cube, from A to B and back, T times; the borders stay.
// After the description of heat-3d in PolyBench/C 4.2. A and B of N x N x N numbers as flat memory.
#include "program.h"

// An eighth of the second difference along one direction.
static double second(double before, double here, double after) {
  return 0.125 * (after - 2.0 * here + before);
}

static void step(int n, const double* from, double* to) {
  const size_t plane = (size_t)n * n;
#pragma omp parallel for collapse(2)
  for (int z = 1; z < n - 1; ++z) {
    for (int y = 1; y < n - 1; ++y) {
      for (int x = 1; x < n - 1; ++x) {
        const size_t i = z * plane + (size_t)y * n + x;
        to[i] = from[i] + second(from[i - plane], from[i], from[i + plane]) +
                second(from[i - n], from[i], from[i + n]) + second(from[i - 1], from[i], from[i + 1]);
      }
    }
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int steps = program_size("T", 5, 0);
  const int n = program_size("N", 96, 3);
  program_ready();
  const size_t count = (size_t)n * n * n;
  double* A = program_memory(count, sizeof(double));
  double* B = program_memory(count, sizeof(double));
  program_fill_f64(A, count, 1, -1.0, 1.0);
  program_fill_f64(B, count, 2, -1.0, 1.0);
  program_input("A", F64, A, 3, n, n, n);
  program_input("B", F64, B, 3, n, n, n);
  program_start();
  for (int t = 0; t < steps; ++t) {
    step(n, A, B);
    step(n, B, A);
  }
  program_stop();
  program_result("A_after", F64, A, 3, n, n, n);
  program_result("B_after", F64, B, 3, n, n, n);
  return 0;
}
