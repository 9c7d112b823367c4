// A product with a matrix and one with its transpose: x1 = x1 + A y1, x2 = x2 + A^T y2.
// After the description of mvt in PolyBench/C 4.2. A of N rows and columns as flat memory, x1, x2, y1, y2 of
// N numbers.
#include "program.h"

static void mvt(int n, double* x1, double* x2, const double* y1, const double* y2, const double* A) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) x1[i] += A[(size_t)i * n + j] * y1[j];
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) x2[i] += A[(size_t)j * n + i] * y2[j];
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int n = program_size("N", 1024, 1);
  program_ready();
  double* x1 = program_memory(n, sizeof(double));
  double* x2 = program_memory(n, sizeof(double));
  double* y1 = program_memory(n, sizeof(double));
  double* y2 = program_memory(n, sizeof(double));
  double* A = program_memory((size_t)n * n, sizeof(double));
  program_fill_f64(x1, n, 1, -1.0, 1.0);
  program_fill_f64(x2, n, 2, -1.0, 1.0);
  program_fill_f64(y1, n, 3, -1.0, 1.0);
  program_fill_f64(y2, n, 4, -1.0, 1.0);
  program_fill_f64(A, (size_t)n * n, 5, -1.0, 1.0);
  program_input("x1", F64, x1, 1, n);
  program_input("x2", F64, x2, 1, n);
  program_input("y1", F64, y1, 1, n);
  program_input("y2", F64, y2, 1, n);
  program_input("A", F64, A, 2, n, n);
  program_start();
  mvt(n, x1, x2, y1, y2, A);
  program_stop();
  program_result("x1_after", F64, x1, 1, n);
  program_result("x2_after", F64, x2, 1, n);
  return 0;
}
