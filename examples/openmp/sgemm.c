// A product of matrices added to a matrix, by columns: C = alpha A B^T + beta C.
// After the description of sgemm in Parboil 2.5. All matrices lie by columns: A of M rows and K columns, B of
// N rows and K columns, C of M rows and N columns, so that element (m, k) of A is A[m + k M].
#include "program.h"

static void sgemm(int m, int n, int k, float alpha, const float* A, const float* B, float beta, float* C) {
  int column, row, i;
  float sum;
#pragma omp parallel for collapse(2) private(column, row, i, sum)
  for (column = 0; column < n; ++column) {
    for (row = 0; row < m; ++row) {
      sum = 0.0f;
      for (i = 0; i < k; ++i) sum += A[row + (size_t)i * m] * B[column + (size_t)i * n];
      C[row + (size_t)column * m] = C[row + (size_t)column * m] * beta + alpha * sum;
    }
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int m = program_size("M", 256, 1);
  const int n = program_size("N", 256, 1);
  const int k = program_size("K", 256, 1);
  program_ready();
  const float alpha = 1.5f, beta = 1.2f;
  float* A = program_memory((size_t)m * k, sizeof(float));
  float* B = program_memory((size_t)n * k, sizeof(float));
  float* C = program_memory((size_t)m * n, sizeof(float));
  program_fill_f32(A, (size_t)m * k, 1, -1.0f, 1.0f);
  program_fill_f32(B, (size_t)n * k, 2, -1.0f, 1.0f);
  program_fill_f32(C, (size_t)m * n, 3, -1.0f, 1.0f);
  program_input("alpha", F32, &alpha, 0);
  program_input("beta", F32, &beta, 0);
  program_input("A", F32, A, 2, k, m);
  program_input("B", F32, B, 2, k, n);
  program_input("C", F32, C, 2, n, m);
  program_start();
  sgemm(m, n, k, alpha, A, B, beta, C);
  program_stop();
  program_result("product", F32, C, 2, n, m);
  return 0;
}
