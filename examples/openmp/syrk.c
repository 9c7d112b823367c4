// A symmetric rank-K update of the lower triangle: C = alpha A A^T + beta C there; C above the diagonal
// stays. After the description of syrk in PolyBench/C 4.2. C of N rows and columns, A of N rows and K
// columns.
#include "program.h"

static void syrk(int n, int k, double alpha, double beta, double C[n][n], double A[n][k]) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) C[i][j] *= beta;
    for (int l = 0; l < k; ++l) {
      for (int j = 0; j <= i; ++j) C[i][j] += alpha * A[i][l] * A[j][l];
    }
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int n = program_size("N", 256, 1);
  const int k = program_size("K", 256, 1);
  program_ready();
  const double alpha = 1.5, beta = 1.2;
  double(*C)[n] = program_memory((size_t)n * n, sizeof(double));
  double(*A)[k] = program_memory((size_t)n * k, sizeof(double));
  program_fill_f64(&C[0][0], (size_t)n * n, 1, -1.0, 1.0);
  program_fill_f64(&A[0][0], (size_t)n * k, 2, -1.0, 1.0);
  program_input("alpha", F64, &alpha, 0);
  program_input("beta", F64, &beta, 0);
  program_input("C", F64, C, 2, n, n);
  program_input("A", F64, A, 2, n, k);
  program_start();
  syrk(n, k, alpha, beta, C, A);
  program_stop();
  program_result("updated", F64, C, 2, n, n);
  return 0;
}
