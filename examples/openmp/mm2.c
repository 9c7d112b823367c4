// Two products of matrices, one after the other: D = alpha A B C + beta D.
// After the description of 2mm in PolyBench/C 4.2. A of I rows and K columns, B of K and J, C of J and L, D
// of I and L, and AB = alpha A B of I and J between the two loops.
#include "program.h"

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int I = program_size("I", 192, 1);
  const int J = program_size("J", 192, 1);
  const int K = program_size("K", 192, 1);
  const int L = program_size("L", 192, 1);
  program_ready();
  const double alpha = 1.5, beta = 1.2;
  double(*A)[K] = program_memory((size_t)I * K, sizeof(double));
  double(*B)[J] = program_memory((size_t)K * J, sizeof(double));
  double(*C)[L] = program_memory((size_t)J * L, sizeof(double));
  double(*D)[L] = program_memory((size_t)I * L, sizeof(double));
  double(*AB)[J] = program_memory((size_t)I * J, sizeof(double));
  program_fill_f64(&A[0][0], (size_t)I * K, 1, -1.0, 1.0);
  program_fill_f64(&B[0][0], (size_t)K * J, 2, -1.0, 1.0);
  program_fill_f64(&C[0][0], (size_t)J * L, 3, -1.0, 1.0);
  program_fill_f64(&D[0][0], (size_t)I * L, 4, -1.0, 1.0);
  program_input("alpha", F64, &alpha, 0);
  program_input("beta", F64, &beta, 0);
  program_input("A", F64, A, 2, I, K);
  program_input("B", F64, B, 2, K, J);
  program_input("C", F64, C, 2, J, L);
  program_input("D", F64, D, 2, I, L);
  program_start();
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < I; ++i) {
      for (int j = 0; j < J; ++j) {
        AB[i][j] = 0.0;
        for (int k = 0; k < K; ++k) AB[i][j] += alpha * A[i][k] * B[k][j];
      }
    }
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < I; ++i) {
      for (int l = 0; l < L; ++l) {
        D[i][l] *= beta;
        for (int j = 0; j < J; ++j) D[i][l] += AB[i][j] * C[j][l];
      }
    }
  }
  program_stop();
  program_result("product", F64, D, 2, I, L);
  return 0;
}
