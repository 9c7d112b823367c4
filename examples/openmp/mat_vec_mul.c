// The product of a matrix and a vector: y = A x, and the square of y's length.
// After the description of oclMatVecMul in NVIDIA's SDK. A of M rows and N columns, x of N numbers, y of M.
#include "program.h"

// Gives the sum of the squares of y.
static float multiply(int m, int n, float A[m][n], const float* x, float* y) {
  float squares = 0.0f;
#pragma omp parallel for reduction(+ : squares)
  for (int i = 0; i < m; ++i) {
    float sum = 0.0f;
    for (int j = 0; j < n; ++j) sum += A[i][j] * x[j];
    y[i] = sum;
    squares += sum * sum;
  }
  return squares;
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int m = program_size("M", 1024, 1);
  const int n = program_size("N", 1024, 1);
  program_ready();
  float(*A)[n] = program_memory((size_t)m * n, sizeof(float));
  float* x = program_memory(n, sizeof(float));
  float* y = program_memory(m, sizeof(float));
  program_fill_f32(&A[0][0], (size_t)m * n, 1, -1.0f, 1.0f);
  program_fill_f32(x, n, 2, -1.0f, 1.0f);
  program_input("A", F32, A, 2, m, n);
  program_input("x", F32, x, 1, n);
  program_start();
  const float squares = multiply(m, n, A, x, y);
  program_stop();
  program_result("y", F32, y, 1, m);
  program_result("squares", F32, &squares, 0);
  return 0;
}
