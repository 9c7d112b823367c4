// Two rank-one updates of a square matrix and two products with it:
//   A = A + u1 v1^T + u2 v2^T;   x = x + beta A^T y + z;   w = alpha A x
// After the description of gemver in PolyBench/C 4.2. A of N rows and columns, all others of N numbers. Four
// loops of one parallel region, of which each waits for the one before.
#include "program.h"

static void gemver(int n, double alpha, double beta, double A[n][n], const double* u1, const double* v1,
                   const double* u2, const double* v2, double* x, const double* y, const double* z,
                   double* w) {
#pragma omp parallel
  {
#pragma omp for collapse(2)
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) A[i][j] += u1[i] * v1[j] + u2[i] * v2[j];
    }
#pragma omp for
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) x[i] += beta * A[j][i] * y[j];
    }
#pragma omp for
    for (int i = 0; i < n; ++i) x[i] += z[i];
#pragma omp for
    for (int i = 0; i < n; ++i) {
      w[i] = 0.0;
      for (int j = 0; j < n; ++j) w[i] += alpha * A[i][j] * x[j];
    }
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int n = program_size("N", 768, 1);
  program_ready();
  const double alpha = 1.5, beta = 1.2;
  static const char* const names[] = {"u1", "v1", "u2", "v2", "x", "y", "z"};
  double* vectors[7];
  double(*A)[n] = program_memory((size_t)n * n, sizeof(double));
  double* w = program_memory(n, sizeof(double));
  program_fill_f64(&A[0][0], (size_t)n * n, 1, -1.0, 1.0);
  program_input("alpha", F64, &alpha, 0);
  program_input("beta", F64, &beta, 0);
  program_input("A", F64, A, 2, n, n);
  for (int v = 0; v < 7; ++v) {
    vectors[v] = program_memory(n, sizeof(double));
    program_fill_f64(vectors[v], n, 2 + v, -1.0, 1.0);
    program_input(names[v], F64, vectors[v], 1, n);
  }
  program_start();
  gemver(n, alpha, beta, A, vectors[0], vectors[1], vectors[2], vectors[3], vectors[4], vectors[5],
         vectors[6], w);
  program_stop();
  program_result("updated", F64, A, 2, n, n);
  program_result("x_after", F64, vectors[4], 1, n);
  program_result("w", F64, w, 1, n);
  return 0;
}
