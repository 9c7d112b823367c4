// The inner products of pairs of vectors of four components: products[i] = a[i] . b[i].
// After the description of oclDotProduct in NVIDIA's SDK. Arrays a, b of N vectors, products of N numbers.
// Vectors are structures, given to a function by value.
#include "program.h"

struct vector4 {
  float x, y, z, w;
};

static float inner_product(struct vector4 a, struct vector4 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static void dot_product(int n, const struct vector4* a, const struct vector4* b, float* products) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) products[i] = inner_product(a[i], b[i]);
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int n = program_size("N", 1 << 18, 1);
  program_ready();
  struct vector4* a = program_memory(n, sizeof(struct vector4));
  struct vector4* b = program_memory(n, sizeof(struct vector4));
  float* products = program_memory(n, sizeof(float));
  program_fill_f32(&a[0].x, (size_t)n * 4, 1, -1.0f, 1.0f);
  program_fill_f32(&b[0].x, (size_t)n * 4, 2, -1.0f, 1.0f);
  program_input("a", F32, a, 2, n, 4);
  program_input("b", F32, b, 2, n, 4);
  program_start();
  dot_product(n, a, b, products);
  program_stop();
  program_result("products", F32, products, 1, n);
  return 0;
}
