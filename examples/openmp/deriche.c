// Edges by a recursive filter (Deriche 1990): along the rows, then along the columns, from both sides.
// After the description of deriche in PolyBench/C 4.2. image, out of W rows and H columns; y1 and y2, as
// large, are what the two sides give. The filter's coefficients are a structure of which every thread has a
// copy.
#include "program.h"

static struct {
  float a1, a2, a3, a4;  // of pixels
  float b1, b2;          // of the results one and two pixels before
} filter;
#pragma omp threadprivate(filter)

static void set_filter(float alpha) {
  const float e = expf(-alpha);
  const float k = (1.0f - e) * (1.0f - e) / (1.0f + 2.0f * alpha * e - expf(2.0f * alpha));
  filter.a1 = k;
  filter.a2 = k * e * (alpha - 1.0f);
  filter.a3 = k * e * (alpha + 1.0f);
  filter.a4 = -k * expf(-2.0f * alpha);
  filter.b1 = powf(2.0f, -alpha);
  filter.b2 = -expf(-2.0f * alpha);
}

static void deriche(int w, int h, float image[w][h], float y1[w][h], float y2[w][h], float out[w][h]) {
#pragma omp parallel for copyin(filter)
  for (int i = 0; i < w; ++i) {
    float before = 0.0f, second = 0.0f, pixel = 0.0f;
    for (int j = 0; j < h; ++j) {
      y1[i][j] = filter.a1 * image[i][j] + filter.a2 * pixel + filter.b1 * before + filter.b2 * second;
      pixel = image[i][j];
      second = before;
      before = y1[i][j];
    }
  }
#pragma omp parallel for copyin(filter)
  for (int i = 0; i < w; ++i) {
    float after = 0.0f, second = 0.0f, pixel = 0.0f, other = 0.0f;
    for (int j = h - 1; j >= 0; --j) {
      y2[i][j] = filter.a3 * pixel + filter.a4 * other + filter.b1 * after + filter.b2 * second;
      other = pixel;
      pixel = image[i][j];
      second = after;
      after = y2[i][j];
    }
  }
#pragma omp parallel for collapse(2)
  for (int i = 0; i < w; ++i) {
    for (int j = 0; j < h; ++j) out[i][j] = y1[i][j] + y2[i][j];
  }
#pragma omp parallel for copyin(filter)
  for (int j = 0; j < h; ++j) {
    float before = 0.0f, second = 0.0f, pixel = 0.0f;
    for (int i = 0; i < w; ++i) {
      y1[i][j] = filter.a1 * out[i][j] + filter.a2 * pixel + filter.b1 * before + filter.b2 * second;
      pixel = out[i][j];
      second = before;
      before = y1[i][j];
    }
  }
#pragma omp parallel for copyin(filter)
  for (int j = 0; j < h; ++j) {
    float after = 0.0f, second = 0.0f, pixel = 0.0f, other = 0.0f;
    for (int i = w - 1; i >= 0; --i) {
      y2[i][j] = filter.a3 * pixel + filter.a4 * other + filter.b1 * after + filter.b2 * second;
      other = pixel;
      pixel = out[i][j];
      second = after;
      after = y2[i][j];
    }
  }
#pragma omp parallel for collapse(2)
  for (int i = 0; i < w; ++i) {
    for (int j = 0; j < h; ++j) out[i][j] = y1[i][j] + y2[i][j];
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int w = program_size("W", 512, 1);
  const int h = program_size("H", 512, 1);
  program_ready();
  const float alpha = 0.25f;
  const size_t count = (size_t)w * h;
  float(*image)[h] = program_memory(count, sizeof(float));
  float(*y1)[h] = program_memory(count, sizeof(float));
  float(*y2)[h] = program_memory(count, sizeof(float));
  float(*out)[h] = program_memory(count, sizeof(float));
  program_fill_f32(&image[0][0], count, 1, 0.0f, 1.0f);
  program_input("alpha", F32, &alpha, 0);
  program_input("image", F32, image, 2, w, h);
  set_filter(alpha);
  program_start();
  deriche(w, h, image, y1, y2, out);
  program_stop();
  program_result("out", F32, out, 2, w, h);
  return 0;
}
