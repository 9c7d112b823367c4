// A symmetric rank-2K update of the lower triangle: C = alpha (A B^T + B A^T) + beta C there; C above the
// diagonal stays. After the description of syr2k in PolyBench/C 4.2. C of N rows and columns, A and B of N
// rows and K columns, as flat memory.
#include "program.h"

static void syr2k(int n, int k, double alpha, double beta, double* C, const double* A, const double* B) {
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < n; ++i) {
    double* row = &C[(size_t)i * n];
    for (int j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (int l = 0; l < k; ++l)
        sum += A[(size_t)i * k + l] * B[(size_t)j * k + l] + B[(size_t)i * k + l] * A[(size_t)j * k + l];
      row[j] = alpha * sum + beta * row[j];
    }
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int n = program_size("N", 224, 1);
  const int k = program_size("K", 224, 1);
  program_ready();
  const double alpha = 1.5, beta = 1.2;
  double* C = program_memory((size_t)n * n, sizeof(double));
  double* A = program_memory((size_t)n * k, sizeof(double));
  double* B = program_memory((size_t)n * k, sizeof(double));
  program_fill_f64(C, (size_t)n * n, 1, -1.0, 1.0);
  program_fill_f64(A, (size_t)n * k, 2, -1.0, 1.0);
  program_fill_f64(B, (size_t)n * k, 3, -1.0, 1.0);
  program_input("alpha", F64, &alpha, 0);
  program_input("beta", F64, &beta, 0);
  program_input("C", F64, C, 2, n, n);
  program_input("A", F64, A, 2, n, k);
  program_input("B", F64, B, 2, n, k);
  program_start();
  syr2k(n, k, alpha, beta, C, A, B);
  program_stop();
  program_result("updated", F64, C, 2, n, n);
  return 0;
}
