// The sums of all beginnings of a vector: out[i] = x[0] + ... + x[i]. Blocks of B numbers are summed, then
// each block gets the sum of all before it. After the description of PrefixSum in AMD's SDK and Blelloch
// 1990. x, out of N numbers, sums of a number for each block.
#include "program.h"

static void prefix_sum(int n, int block, const float* x, float* out, float* sums) {
  const int blocks = (n - 1) / block + 1;
#pragma omp parallel
  {
#pragma omp for
    for (int b = 0; b < blocks; ++b) {
      const int end = n - b * block < block ? n : (b + 1) * block;
      float sum = 0.0f;
      for (int i = b * block; i < end; ++i) {
        sum += x[i];
        out[i] = sum;
      }
      sums[b] = sum;
    }
#pragma omp single
    {
      float before = 0.0f;
      for (int b = 0; b < blocks; ++b) {
        const float own = sums[b];
        sums[b] = before;
        before += own;
      }
    }
#pragma omp for
    for (int b = 0; b < blocks; ++b) {
      const int end = n - b * block < block ? n : (b + 1) * block;
      for (int i = b * block; i < end; ++i) out[i] += sums[b];
    }
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int n = program_size("N", 1 << 20, 1);
  const int block = program_size("B", 4096, 1);
  program_ready();
  float* x = program_memory(n, sizeof(float));
  float* out = program_memory(n, sizeof(float));
  float* sums = program_memory((n - 1) / block + 1, sizeof(float));
  program_fill_f32(x, n, 1, 0.0f, 1.0f);
  program_input("x", F32, x, 1, n);
  program_start();
  prefix_sum(n, block, x, out, sums);
  program_stop();
  program_result("out", F32, out, 1, n);
  return 0;
}
