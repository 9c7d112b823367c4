// The matrix Q of a magnetic resonance image's reconstruction: for each of N voxels at (x, y, z), over the K
// samples at (kx, ky, kz) of the trajectory,
//   (sum of |phi|^2 cos(2 pi (kx x + ky y + kz z)), sum of |phi|^2 sin(2 pi (kx x + ky y + kz z)))
// After the description of MRI-Q in Parboil 2.5. Arrays x, y, z, real, imaginary of N numbers, all others of
// K.
#include "program.h"

// A sample: its place, and the square of its magnitude.
struct sample {
  float x, y, z, magnitude;
};

static void gather(int k, const float* phi_real, const float* phi_imaginary, const float* kx, const float* ky,
                   const float* kz, struct sample* samples) {
#pragma omp parallel for
  for (int i = 0; i < k; ++i) {
    samples[i].x = kx[i];
    samples[i].y = ky[i];
    samples[i].z = kz[i];
    samples[i].magnitude = phi_real[i] * phi_real[i] + phi_imaginary[i] * phi_imaginary[i];
  }
}

static void compute_q(int n, int k, const struct sample* samples, const float* x, const float* y,
                      const float* z, float* real, float* imaginary) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float sum_real = 0.0f, sum_imaginary = 0.0f;
    for (int s = 0; s < k; ++s) {
      const float angle = 6.2831853f * (samples[s].x * x[i] + samples[s].y * y[i] + samples[s].z * z[i]);
      sum_real += samples[s].magnitude * cosf(angle);
      sum_imaginary += samples[s].magnitude * sinf(angle);
    }
    real[i] = sum_real;
    imaginary[i] = sum_imaginary;
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int n = program_size("N", 4096, 1);
  const int k = program_size("K", 256, 1);
  program_ready();
  static const char* const of_samples[] = {"phiReal", "phiImaginary", "kx", "ky", "kz"};
  static const char* const of_voxels[] = {"x", "y", "z"};
  float *given[5], *place[3];
  for (int i = 0; i < 5; ++i) {
    given[i] = program_memory(k, sizeof(float));
    program_fill_f32(given[i], k, 1 + i, -1.0f, 1.0f);
    program_input(of_samples[i], F32, given[i], 1, k);
  }
  for (int i = 0; i < 3; ++i) {
    place[i] = program_memory(n, sizeof(float));
    program_fill_f32(place[i], n, 6 + i, -1.0f, 1.0f);
    program_input(of_voxels[i], F32, place[i], 1, n);
  }
  struct sample* samples = program_memory(k, sizeof(struct sample));
  float* real = program_memory(n, sizeof(float));
  float* imaginary = program_memory(n, sizeof(float));
  program_start();
  gather(k, given[0], given[1], given[2], given[3], given[4], samples);
  compute_q(n, k, samples, place[0], place[1], place[2], real, imaginary);
  program_stop();
  program_result("real", F32, real, 1, n);
  program_result("imaginary", F32, imaginary, 1, n);
  return 0;
}
