// The sums of the elements of two vectors: sum[i] = a[i] + b[i].
// After the description of vectorAdd in NVIDIA's SDK. Arrays a, b, sum of N numbers.
#include "program.h"

static void vector_add(int n, const float* restrict a, const float* restrict b, float* restrict sum) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) sum[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int n = program_size("N", 1 << 20, 1);
  program_ready();
  float* a = program_memory(n, sizeof(float));
  float* b = program_memory(n, sizeof(float));
  float* sum = program_memory(n, sizeof(float));
  program_fill_f32(a, n, 1, -1.0f, 1.0f);
  program_fill_f32(b, n, 2, -1.0f, 1.0f);
  program_input("a", F32, a, 1, n);
  program_input("b", F32, b, 1, n);
  program_start();
  vector_add(n, a, b, sum);
  program_stop();
  program_result("sum", F32, sum, 1, n);
  return 0;
}
