// Three products of matrices: G = (A B) (C D).
// After the description of 3mm in PolyBench/C 4.2. A of I rows and K columns, B of K and J, C of J and M, D
// of M and L; the products E = A B of I and J, F = C D of J and L, G of I and L. One function makes all
// three.
#include "program.h"

static void multiply(int rows, int columns, int inner, double x[rows][inner], double y[inner][columns],
                     double product[rows][columns]) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      double sum = 0.0;
      for (int k = 0; k < inner; ++k) sum += x[i][k] * y[k][j];
      product[i][j] = sum;
    }
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int I = program_size("I", 160, 1);
  const int J = program_size("J", 160, 1);
  const int K = program_size("K", 160, 1);
  const int L = program_size("L", 160, 1);
  const int M = program_size("M", 160, 1);
  program_ready();
  double(*A)[K] = program_memory((size_t)I * K, sizeof(double));
  double(*B)[J] = program_memory((size_t)K * J, sizeof(double));
  double(*C)[M] = program_memory((size_t)J * M, sizeof(double));
  double(*D)[L] = program_memory((size_t)M * L, sizeof(double));
  double(*E)[J] = program_memory((size_t)I * J, sizeof(double));
  double(*F)[L] = program_memory((size_t)J * L, sizeof(double));
  double(*G)[L] = program_memory((size_t)I * L, sizeof(double));
  program_fill_f64(&A[0][0], (size_t)I * K, 1, -1.0, 1.0);
  program_fill_f64(&B[0][0], (size_t)K * J, 2, -1.0, 1.0);
  program_fill_f64(&C[0][0], (size_t)J * M, 3, -1.0, 1.0);
  program_fill_f64(&D[0][0], (size_t)M * L, 4, -1.0, 1.0);
  program_input("A", F64, A, 2, I, K);
  program_input("B", F64, B, 2, K, J);
  program_input("C", F64, C, 2, J, M);
  program_input("D", F64, D, 2, M, L);
  program_start();
  multiply(I, J, K, A, B, E);
  multiply(J, L, M, C, D, F);
  multiply(I, L, J, E, F, G);
  program_stop();
  program_result("product", F64, G, 2, I, L);
  return 0;
}
