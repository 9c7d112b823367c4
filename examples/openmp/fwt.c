// The fast Walsh transform, in natural (Hadamard) order, of B vectors of 2^L numbers, in place.
// After the description of fwt (fastWalshTransform) in NVIDIA's SDK, which transforms several vectors at
// once. data of B 2^L numbers. In step s, elements that differ in bit s only become their sum and their
// difference.
#include "program.h"

static void transform(size_t pairs, int levels, float* data) {
  for (int s = 0; s < levels; ++s) {
    const size_t stride = (size_t)1 << s;
#pragma omp parallel for
    for (size_t p = 0; p < pairs; ++p) {
      const size_t low = p % stride;
      const size_t first = 2 * (p - low) + low;
      const float a = data[first];
      const float b = data[first + stride];
      data[first] = a + b;
      data[first + stride] = a - b;
    }
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int batch = program_size("B", 64, 1);
  const int levels = program_size("L", 14, 1);
  program_ready();
  if (levels > 30) program_fail("L is at most 30", "");
  const int n = 1 << levels;
  const size_t count = (size_t)batch * n;
  float* data = program_memory(count, sizeof(float));
  program_fill_f32(data, count, 1, -1.0f, 1.0f);
  program_input("data", F32, data, 2, batch, n);
  program_start();
  transform(count / 2, levels, data);
  program_stop();
  program_result("transformed", F32, data, 2, batch, n);
  return 0;
}
