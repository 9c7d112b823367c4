// The inner products of many pairs of vectors: products[p] = sum over i of a[p][i] b[p][i].
// After the description of scalarProd in NVIDIA's SDK. Arrays a, b of P vectors of N numbers one after the
// other, products of P numbers.
#include "program.h"

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int pairs = program_size("P", 256, 1);
  const int n = program_size("N", 4096, 1);
  program_ready();
  const size_t count = (size_t)pairs * n;
  float* a = program_memory(count, sizeof(float));
  float* b = program_memory(count, sizeof(float));
  float* products = program_memory(pairs, sizeof(float));
  program_fill_f32(a, count, 1, 0.0f, 1.0f);
  program_fill_f32(b, count, 2, 0.0f, 1.0f);
  program_input("a", F32, a, 2, pairs, n);
  program_input("b", F32, b, 2, pairs, n);
  program_start();
  int p;
#pragma omp parallel for default(none) shared(pairs, n, a, b, products) private(p) schedule(dynamic, 4)
  for (p = 0; p < pairs; ++p) {
    const float* first = a + (size_t)p * n;
    const float* second = b + (size_t)p * n;
    float sum = 0.0f;
    for (int i = 0; i < n; ++i) sum += first[i] * second[i];
    products[p] = sum;
  }
  program_stop();
  program_result("products", F32, products, 1, pairs);
  return 0;
}
