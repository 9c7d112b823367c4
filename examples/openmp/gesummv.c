// The sum of two products of a matrix and a vector: y = alpha A x + beta B x.
// After the description of gesummv in PolyBench/C 4.2. A, B of N rows and columns, x, y of N numbers. The
// number that the last iteration leaves is the last element of A x.
#include "program.h"

static double gesummv(int n, double alpha, double beta, double A[n][n], double B[n][n], const double* x,
                      double* y) {
  double first, second;
#pragma omp parallel for lastprivate(first) private(second)
  for (int i = 0; i < n; ++i) {
    first = 0.0;
    second = 0.0;
    for (int j = 0; j < n; ++j) {
      first += A[i][j] * x[j];
      second += B[i][j] * x[j];
    }
    y[i] = alpha * first + beta * second;
  }
  return first;
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int n = program_size("N", 1024, 1);
  program_ready();
  const double alpha = 1.5, beta = 1.2;
  double(*A)[n] = program_memory((size_t)n * n, sizeof(double));
  double(*B)[n] = program_memory((size_t)n * n, sizeof(double));
  double* x = program_memory(n, sizeof(double));
  double* y = program_memory(n, sizeof(double));
  program_fill_f64(&A[0][0], (size_t)n * n, 1, -1.0, 1.0);
  program_fill_f64(&B[0][0], (size_t)n * n, 2, -1.0, 1.0);
  program_fill_f64(x, n, 3, -1.0, 1.0);
  program_input("alpha", F64, &alpha, 0);
  program_input("beta", F64, &beta, 0);
  program_input("A", F64, A, 2, n, n);
  program_input("B", F64, B, 2, n, n);
  program_input("x", F64, x, 1, n);
  program_start();
  const double last = gesummv(n, alpha, beta, A, B, x, y);
  program_stop();
  program_result("y", F64, y, 1, n);
  program_result("last", F64, &last, 0);
  return 0;
}
