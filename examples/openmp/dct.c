// The discrete cosine transform of an image in blocks of 8 x 8: C X C^T of each block X, where C is the
// matrix of the one-dimensional transform (type II, orthonormal). After the description of DCT in AMD's SDK.
// image, out of 8 H rows and 8 W columns, C of 8 x 8 numbers.
#include "program.h"

enum { SIDE = 8 };

static void transform_block(int width, float C[SIDE][SIDE], const float* image, float* out) {
  float rows[SIDE][SIDE];
  for (int i = 0; i < SIDE; ++i) {
    for (int j = 0; j < SIDE; ++j) {
      rows[i][j] = 0.0f;
      for (int k = 0; k < SIDE; ++k) rows[i][j] += C[i][k] * image[(size_t)k * width + j];
    }
  }
  for (int i = 0; i < SIDE; ++i) {
    for (int j = 0; j < SIDE; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < SIDE; ++k) sum += rows[i][k] * C[j][k];
      out[(size_t)i * width + j] = sum;
    }
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int h = program_size("H", 64, 1);
  const int w = program_size("W", 64, 1);
  program_ready();
  const int height = SIDE * h, width = SIDE * w;
  const size_t count = (size_t)height * width;
  float(*C)[SIDE] = program_memory(SIDE * SIDE, sizeof(float));
  float* image = program_memory(count, sizeof(float));
  float* out = program_memory(count, sizeof(float));
  for (int i = 0; i < SIDE; ++i) {
    for (int j = 0; j < SIDE; ++j)
      C[i][j] = (float)(i == 0 ? sqrt(0.125) : 0.5 * cos((2 * j + 1) * i * 3.14159265358979323846 / 16));
  }
  program_fill_f32(image, count, 1, 0.0f, 255.0f);
  program_input("image", F32, image, 2, height, width);
  program_input("C", F32, C, 2, SIDE, SIDE);
  program_start();
#pragma omp parallel for collapse(2)
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const size_t corner = (size_t)y * SIDE * width + x * SIDE;
      transform_block(width, C, &image[corner], &out[corner]);
    }
  }
  program_stop();
  program_result("out", F32, out, 2, height, width);
  return 0;
}
