// Five-point means from A to B and back, T times; the borders stay.
// After the description of jacobi-2d in PolyBench/C 4.2. A and B of N rows and columns.
#include "program.h"

static void jacobi2d(int steps, int n, double A[n][n], double B[n][n]) {
  for (int t = 0; t < steps; ++t) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i) {
      for (int j = 1; j < n - 1; ++j)
        B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j]);
    }
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i) {
      for (int j = 1; j < n - 1; ++j)
        A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i + 1][j] + B[i - 1][j]);
    }
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int steps = program_size("T", 10, 0);
  const int n = program_size("N", 512, 3);
  program_ready();
  double(*A)[n] = program_memory((size_t)n * n, sizeof(double));
  double(*B)[n] = program_memory((size_t)n * n, sizeof(double));
  program_fill_f64(&A[0][0], (size_t)n * n, 1, -1.0, 1.0);
  program_fill_f64(&B[0][0], (size_t)n * n, 2, -1.0, 1.0);
  program_input("A", F64, A, 2, n, n);
  program_input("B", F64, B, 2, n, n);
  program_start();
  jacobi2d(steps, n, A, B);
  program_stop();
  program_result("A_after", F64, A, 2, n, n);
  program_result("B_after", F64, B, 2, n, n);
  return 0;
}
