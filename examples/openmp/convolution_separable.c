// A convolution in two dimensions with separable weights, along the rows and then along the columns, with
// zeros outside of the image:
//   rows[y][x] = sum over d in -R..R of row_weights[R+d] image[y][x+d]
//   out[y][x]  = sum over d in -R..R of column_weights[R+d] rows[y+d][x]
// After the description of convolutionSeparable in NVIDIA's SDK, whose radius is 8; R is a parameter of the
// algorithm. image, rows, out of H rows and W columns, weights of 2R+1 numbers.
#include "program.h"

static void convolve_rows(int h, int w, int r, const float* image, const float* weights, float* rows) {
#pragma omp parallel for collapse(2)
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      float sum = 0.0f;
      for (int d = -r; d <= r; ++d) {
        if (x + d >= 0 && x + d < w) sum += weights[r + d] * image[(size_t)y * w + x + d];
      }
      rows[(size_t)y * w + x] = sum;
    }
  }
}

static void convolve_columns(int h, int w, int r, const float* rows, const float* weights, float* out) {
#pragma omp parallel for
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      float sum = 0.0f;
      for (int d = -r; d <= r; ++d) {
        if (y + d >= 0 && y + d < h) sum += weights[r + d] * rows[(size_t)(y + d) * w + x];
      }
      out[(size_t)y * w + x] = sum;
    }
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int h = program_size("H", 512, 1);
  const int w = program_size("W", 512, 1);
  const int r = program_size("R", 8, 1);
  program_ready();
  const size_t count = (size_t)h * w;
  float* image = program_memory(count, sizeof(float));
  float* rows = program_memory(count, sizeof(float));
  float* out = program_memory(count, sizeof(float));
  float* row_weights = program_memory(2 * r + 1, sizeof(float));
  float* column_weights = program_memory(2 * r + 1, sizeof(float));
  program_fill_f32(image, count, 1, -1.0f, 1.0f);
  program_fill_f32(row_weights, 2 * r + 1, 2, -1.0f, 1.0f);
  program_fill_f32(column_weights, 2 * r + 1, 3, -1.0f, 1.0f);
  program_input("image", F32, image, 2, h, w);
  program_input("rowWeights", F32, row_weights, 1, 2 * r + 1);
  program_input("columnWeights", F32, column_weights, 1, 2 * r + 1);
  program_start();
  convolve_rows(h, w, r, image, row_weights, rows);
  convolve_columns(h, w, r, rows, column_weights, out);
  program_stop();
  program_result("out", F32, out, 2, h, w);
  return 0;
}
