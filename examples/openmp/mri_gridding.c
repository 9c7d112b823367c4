// Samples of a magnetic resonance image at any places, put onto a regular grid: every sample adds to the
// points of the grid that are nearer than R, weighted by a Kaiser-Bessel window of the distance. Beside the
// values, how many samples reached each point. After the description of MRI-Gridding in Parboil 2.5; I0 is
// Abramowitz and Stegun's 9.8.1 and 9.8.2. Arrays kx, ky, kz, real, imaginary, density (of samples, which
// divides them) of N numbers; grid_real, grid_imaginary, hits of G x G x G. Several samples add to one point:
// additions are atomic.
#include "program.h"

// The modified Bessel function of order zero.
static float bessel0(float x) {
  if (x < 3.75f) {
    const float t = x / 3.75f, s = t * t;
    return 1.0f +
           s * (3.5156229f +
                s * (3.0899424f + s * (1.2067492f + s * (0.2659732f + s * (0.0360768f + s * 0.0045813f)))));
  }
  const float t = 3.75f / x;
  const float series =
      0.39894228f +
      t * (0.01328592f +
           t * (0.00225319f +
                t * (-0.00157565f +
                     t * (0.00916281f +
                          t * (-0.02057706f + t * (0.02635537f + t * (-0.01647633f + t * 0.00392377f)))))));
  return expf(x) / sqrtf(x) * series;
}

static void add_samples(int n, int g, int r, float beta, const float* kx, const float* ky, const float* kz,
                        const float* real, const float* imaginary, const float* density, float* grid_real,
                        float* grid_imaginary, float* hits) {
  const float limit = (float)(r * r);
  const float highest = bessel0(beta);
#pragma omp parallel for schedule(dynamic, 32)
  for (int i = 0; i < n; ++i) {
    const int first_z = (int)ceilf(kz[i]) - r, first_y = (int)ceilf(ky[i]) - r,
              first_x = (int)ceilf(kx[i]) - r;
    for (int z = first_z; z <= first_z + 2 * r; ++z) {
      for (int y = first_y; y <= first_y + 2 * r; ++y) {
        for (int x = first_x; x <= first_x + 2 * r; ++x) {
          const float dz = (float)z - kz[i], dy = (float)y - ky[i], dx = (float)x - kx[i];
          const float distance = dz * dz + dy * dy + dx * dx;
          if (z < 0 || y < 0 || x < 0 || z >= g || y >= g || x >= g || !(distance < limit)) continue;
          const float weight = bessel0(beta * sqrtf(1.0f - distance / limit)) / highest / density[i];
          const size_t point = ((size_t)z * g + y) * g + x;
#pragma omp atomic
          grid_real[point] += weight * real[i];
#pragma omp atomic
          grid_imaginary[point] += weight * imaginary[i];
#pragma omp atomic
          hits[point] += 1.0f;
        }
      }
    }
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int n = program_size("N", 4096, 1);
  const int g = program_size("G", 32, 1);
  const int r = program_size("R", 2, 1);
  program_ready();
  if (g > 1290) program_fail("G is at most 1290", "");
  static const char* const names[] = {"kx", "ky", "kz", "real", "imaginary", "density"};
  const float low[] = {0.0f, 0.0f, 0.0f, -1.0f, -1.0f, 0.5f};
  const float high[] = {(float)(g - 1), (float)(g - 1), (float)(g - 1), 1.0f, 1.0f, 1.5f};
  const float beta = 8.0f;
  const size_t points = (size_t)g * g * g;
  float* samples[6];
  program_input("beta", F32, &beta, 0);
  for (int i = 0; i < 6; ++i) {
    samples[i] = program_memory(n, sizeof(float));
    program_fill_f32(samples[i], n, 1 + i, low[i], high[i]);
    program_input(names[i], F32, samples[i], 1, n);
  }
  float* grid_real = program_memory(points, sizeof(float));
  float* grid_imaginary = program_memory(points, sizeof(float));
  float* hits = program_memory(points, sizeof(float));
  program_start();
  add_samples(n, g, r, beta, samples[0], samples[1], samples[2], samples[3], samples[4], samples[5],
              grid_real, grid_imaginary, hits);
  program_stop();
  program_result("grid_real", F32, grid_real, 3, g, g, g);
  program_result("grid_imaginary", F32, grid_imaginary, 3, g, g, g);
  program_result("hits", F32, hits, 3, g, g, g);
  return 0;
}
