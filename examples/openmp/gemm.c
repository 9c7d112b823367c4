// A product of matrices added to a matrix: C = alpha A B + beta C.
// After the description of gemm in PolyBench/C 4.2. C of I rows and J columns, A of I and K, B of K and J.
#include "program.h"

static void gemm(int I, int J, int K, double alpha, double beta, double C[I][J], double A[I][K],
                 double B[K][J]) {
#pragma omp parallel for
  for (int i = 0; i < I; ++i) {
    for (int j = 0; j < J; ++j) C[i][j] *= beta;
    for (int k = 0; k < K; ++k) {
      for (int j = 0; j < J; ++j) C[i][j] += alpha * A[i][k] * B[k][j];
    }
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int I = program_size("I", 256, 1);
  const int J = program_size("J", 256, 1);
  const int K = program_size("K", 256, 1);
  program_ready();
  const double alpha = 1.5, beta = 1.2;
  double(*C)[J] = program_memory((size_t)I * J, sizeof(double));
  double(*A)[K] = program_memory((size_t)I * K, sizeof(double));
  double(*B)[J] = program_memory((size_t)K * J, sizeof(double));
  program_fill_f64(&C[0][0], (size_t)I * J, 1, -1.0, 1.0);
  program_fill_f64(&A[0][0], (size_t)I * K, 2, -1.0, 1.0);
  program_fill_f64(&B[0][0], (size_t)K * J, 3, -1.0, 1.0);
  program_input("alpha", F64, &alpha, 0);
  program_input("beta", F64, &beta, 0);
  program_input("C", F64, C, 2, I, J);
  program_input("A", F64, A, 2, I, K);
  program_input("B", F64, B, 2, K, J);
  program_start();
  gemm(I, J, K, alpha, beta, C, A, B);
  program_stop();
  program_result("product", F64, C, 2, I, J);
  return 0;
}
