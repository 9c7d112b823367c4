// A convolution in two dimensions by Fourier transforms: of the image, of the weights, their product back
// again.
//   out[y][x] = sum over j, i of weights[j][i] * image[y + b - j][x + a - i], with the nearest pixel outside
//   of the image
// After the description of convolutionFFT2D in NVIDIA's SDK, whose weights are 7 x 6 around (3, 4); their
// anchor (A, B) and extents J x I are parameters of the algorithm (the SDK's sample: A=4 B=3 I=6 J=7; a small
// one: A=1 B=1 I=3 J=3). image, out of H rows and W columns, frames of 2^P rows and 2^Q columns of complex
// numbers, as two arrays each.
#include "program.h"

// The transforms of `lines` lines of 2^levels numbers each, into (to_re, to_im); the lines are used up.
// Stockham's order (Govindaraju et al. 2008): step s joins transforms of 2^s numbers.
static void transform_lines(int lines, int levels, float direction, float* re, float* im, float* to_re,
                            float* to_im) {
  const int n = 1 << levels;
#pragma omp parallel for firstprivate(direction)
  for (int line = 0; line < lines; ++line) {
    float *from_r = &re[(size_t)line * n], *from_i = &im[(size_t)line * n];
    float *into_r = &to_re[(size_t)line * n], *into_i = &to_im[(size_t)line * n];
    for (int s = 0; s < levels; ++s) {
      const int length = 1 << s;
      for (int j = 0; j < n / 2; ++j) {
        const int k = j & (length - 1);
        const float angle = direction * 3.14159265f * (float)k / (float)length;
        const float c = cosf(angle), d = sinf(angle);
        const float ar = from_r[j], ai = from_i[j], br = from_r[j + n / 2], bi = from_i[j + n / 2];
        const float tr = c * br - d * bi, ti = c * bi + d * br;
        const int at = 2 * (j - k) + k;
        into_r[at] = ar + tr;
        into_i[at] = ai + ti;
        into_r[at + length] = ar - tr;
        into_i[at + length] = ai - ti;
      }
      float* swapped = from_r;
      from_r = into_r;
      into_r = swapped;
      swapped = from_i;
      from_i = into_i;
      into_i = swapped;
    }
    if (levels % 2 == 0) {  // the result is where the line was
      for (int j = 0; j < n; ++j) {
        into_r[j] = from_r[j];
        into_i[j] = from_i[j];
      }
    }
  }
}

static void transpose(int rows, int columns, const float* from, float* to) {
#pragma omp parallel for collapse(2)
  for (int x = 0; x < columns; ++x) {
    for (int y = 0; y < rows; ++y) to[(size_t)x * rows + y] = from[(size_t)y * columns + x];
  }
}

static void copy(size_t count, const float* from, float* to) {
#pragma omp parallel for
  for (size_t i = 0; i < count; ++i) to[i] = from[i];
}

// The transform of a frame, whose memory then has it by columns; a second one takes it back to rows.
static void transform(int log_rows, int log_columns, float direction, float* re, float* im, float* other_re,
                      float* other_im) {
  const int rows = 1 << log_rows, columns = 1 << log_columns;
  transform_lines(rows, log_columns, direction, re, im, other_re, other_im);
  transpose(rows, columns, other_re, re);
  transpose(rows, columns, other_im, im);
  transform_lines(columns, log_rows, direction, re, im, other_re, other_im);
  copy((size_t)rows * columns, other_re, re);
  copy((size_t)rows * columns, other_im, im);
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int h = program_size("H", 120, 1);
  const int w = program_size("W", 120, 1);
  const int anchor_x = program_size("A", 1, 0);
  const int anchor_y = program_size("B", 1, 0);
  const int extent_x = program_size("I", 3, 1);
  const int extent_y = program_size("J", 3, 1);
  const int log_rows = program_size("P", 7, 1);
  const int log_columns = program_size("Q", 7, 1);
  program_ready();
  if (log_rows > 15 || log_columns > 15) program_fail("P and Q are at most 15", "");
  const int rows = 1 << log_rows, columns = 1 << log_columns;
  if (h + extent_y - 1 > rows || w + extent_x - 1 > columns) program_fail("the frame is too small", "");
  if (anchor_x >= extent_x || anchor_y >= extent_y)
    program_fail("the anchor lies outside of the weights", "");
  const size_t count = (size_t)rows * columns;
  float* image = program_memory((size_t)h * w, sizeof(float));
  float* weights = program_memory((size_t)extent_y * extent_x, sizeof(float));
  float* out = program_memory((size_t)h * w, sizeof(float));
  float* image_re = program_memory(count, sizeof(float));
  float* image_im = program_memory(count, sizeof(float));
  float* weights_re = program_memory(count, sizeof(float));
  float* weights_im = program_memory(count, sizeof(float));
  float* other_re = program_memory(count, sizeof(float));
  float* other_im = program_memory(count, sizeof(float));
  program_fill_f32(image, (size_t)h * w, 1, 0.0f, 1.0f);
  program_fill_f32(weights, (size_t)extent_y * extent_x, 2, -1.0f, 1.0f);
  program_input("image", F32, image, 2, h, w);
  program_input("weights", F32, weights, 2, extent_y, extent_x);
  program_start();
  // The frame goes on beyond the image's end with its last pixel as far as weights reach, then with its
  // first, which is what the sums at the other end read.
#pragma omp parallel for collapse(2)
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      const int from_y = y < h ? y : y < h + anchor_y ? h - 1 : 0;
      const int from_x = x < w ? x : x < w + anchor_x ? w - 1 : 0;
      image_re[(size_t)y * columns + x] = image[(size_t)from_y * w + from_x];
    }
  }
  // The anchor of the weights is the frame's first element, those before it are its last.
#pragma omp parallel for collapse(2)
  for (int j = 0; j < extent_y; ++j) {
    for (int i = 0; i < extent_x; ++i) {
      const int y = j >= anchor_y ? j - anchor_y : j - anchor_y + rows;
      const int x = i >= anchor_x ? i - anchor_x : i - anchor_x + columns;
      weights_re[(size_t)y * columns + x] = weights[(size_t)j * extent_x + i];
    }
  }
  transform(log_rows, log_columns, -1.0f, image_re, image_im, other_re, other_im);
  transform(log_rows, log_columns, -1.0f, weights_re, weights_im, other_re, other_im);
#pragma omp parallel for
  for (size_t i = 0; i < count; ++i) {
    const float re = image_re[i] * weights_re[i] - image_im[i] * weights_im[i];
    const float im = image_re[i] * weights_im[i] + image_im[i] * weights_re[i];
    image_re[i] = re / (float)count;
    image_im[i] = im / (float)count;
  }
  transform(log_columns, log_rows, 1.0f, image_re, image_im, other_re, other_im);
#pragma omp parallel for collapse(2)
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) out[(size_t)y * w + x] = image_re[(size_t)y * columns + x];
  }
  program_stop();
  program_result("out", F32, out, 2, h, w);
  return 0;
}
