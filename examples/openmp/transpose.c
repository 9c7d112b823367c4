// The transpose of a matrix: out[j][i] = A[i][j].
// After the description of transpose in NVIDIA's SDK. A of H rows and W columns, out of W rows and H columns,
// both as flat memory.
#include "program.h"

static void transpose(int height, int width, const float* A, float* out) {
  int i, j;
#pragma omp parallel for collapse(2) private(i, j)
  for (j = 0; j < width; ++j) {
    for (i = 0; i < height; ++i) out[j * (size_t)height + i] = A[i * (size_t)width + j];
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int height = program_size("H", 1024, 1);
  const int width = program_size("W", 1024, 1);
  program_ready();
  const size_t count = (size_t)height * width;
  float* A = program_memory(count, sizeof(float));
  float* out = program_memory(count, sizeof(float));
  program_fill_f32(A, count, 1, -1.0f, 1.0f);
  program_input("A", F32, A, 2, height, width);
  program_start();
  transpose(height, width, A, out);
  program_stop();
  program_result("out", F32, out, 2, width, height);
  return 0;
}
