// Kernels that compute much for each of many points.
#include <cmath>

#include "plain/plain.hpp"

namespace hoist::plain {

namespace {

void kmeans(const float* points, const float* centres, int* __restrict out, long n, long k, long f) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    float least = 3.4e38f;
    int nearest = 0;
    for (long c = 0; c < k; ++c) {
      float distance = 0;
      for (long d = 0; d < f; ++d) {
        const float difference = points[d * n + i] - centres[c * f + d];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        nearest = static_cast<int>(c);
      }
    }
    out[i] = nearest;
  }
}

void mandelbrot(const float* re, const float* im, int* __restrict out, long h, long w) {
#pragma omp parallel for
  for (long y = 0; y < h; ++y) {
    for (long x = 0; x < w; ++x) {
      float a = 0, b = 0;
      int steps = 0;
      while (steps < 64 && a * a + b * b <= 4) {
        const float next = a * a - b * b + re[x];
        b = 2 * a * b + im[y];
        a = next;
        ++steps;
      }
      out[y * w + x] = steps;
    }
  }
}

struct Points {
  const float *x, *y, *z;
};
struct OutputPoints {
  float *x, *y, *z;
};

void md(const Points& positions, const int* neighbours, float cutoff, float lj1, float lj2,
        const OutputPoints& out, long n, long count) {
  const float *const px = positions.x, *const py = positions.y, *const pz = positions.z;
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    float fx = 0, fy = 0, fz = 0;
    for (long j = 0; j < count; ++j) {
      const long other = neighbours[i * count + j];
      const float dx = px[i] - px[other], dy = py[i] - py[other], dz = pz[i] - pz[other];
      const float r2 = dx * dx + dy * dy + dz * dz;
      if (r2 < cutoff && r2 > 0) {
        const float inverse2 = 1 / r2, inverse6 = inverse2 * inverse2 * inverse2;
        const float force = inverse2 * inverse6 * (lj1 * inverse6 - lj2);
        fx += dx * force;
        fy += dy * force;
        fz += dz * force;
      }
    }
    out.x[i] = fx;
    out.y[i] = fy;
    out.z[i] = fz;
  }
}

struct Samples {
  const float *real, *imaginary, *x, *y, *z;
};

void mriq(const Samples& samples, const Points& voxels, float* __restrict out_real,
          float* __restrict out_imaginary, long n, long k) {
  std::vector<float> magnitude(static_cast<std::size_t>(k));
  for (long s = 0; s < k; ++s) {
    magnitude[static_cast<std::size_t>(s)] =
        samples.real[s] * samples.real[s] + samples.imaginary[s] * samples.imaginary[s];
  }
  const float* const m = magnitude.data();
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    float real = 0, imaginary = 0;
    for (long s = 0; s < k; ++s) {
      const float angle =
          6.2831853f * (samples.x[s] * voxels.x[i] + samples.y[s] * voxels.y[i] + samples.z[s] * voxels.z[i]);
      real += m[s] * std::cos(angle);
      imaginary += m[s] * std::sin(angle);
    }
    out_real[i] = real;
    out_imaginary[i] = imaginary;
  }
}

void nbody(const Points& positions, const float* masses, const Points& velocities, float dt, float softening,
           const OutputPoints& out, float* out_masses, const OutputPoints& out_velocities, long n) {
  const float *const px = positions.x, *const py = positions.y, *const pz = positions.z;
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    float ax = 0, ay = 0, az = 0;
    for (long j = 0; j < n; ++j) {
      const float dx = px[j] - px[i], dy = py[j] - py[i], dz = pz[j] - pz[i];
      const float inverse = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + softening);
      const float scale = masses[j] * inverse * inverse * inverse;
      ax += dx * scale;
      ay += dy * scale;
      az += dz * scale;
    }
    out_velocities.x[i] = velocities.x[i] + ax * dt;
    out_velocities.y[i] = velocities.y[i] + ay * dt;
    out_velocities.z[i] = velocities.z[i] + az * dt;
    out.x[i] = px[i] + out_velocities.x[i] * dt;
    out.y[i] = py[i] + out_velocities.y[i] * dt;
    out.z[i] = pz[i] + out_velocities.z[i] * dt;
    out_masses[i] = masses[i];
  }
}

}  // namespace

std::vector<Kernel> particle_kernels() {
  using A = const Arguments&;
  return {
      {"kmeans",
       [](A a) {
         kmeans(a.reals(0), a.reals(1), a.integer_output(0), a.size("N"), a.size("K"), a.size("F"));
       }},
      {"mandelbrot",
       [](A a) { mandelbrot(a.reals(0), a.reals(1), a.integer_output(0), a.size("H"), a.size("W")); }},
      {"md",
       [](A a) {
         md({a.reals(0), a.reals(1), a.reals(2)}, a.integers(3), a.real(4), a.real(5), a.real(6),
            {a.real_output(0), a.real_output(1), a.real_output(2)}, a.size("N"), a.size("J"));
       }},
      {"mriq",
       [](A a) {
         mriq({a.reals(0), a.reals(1), a.reals(2), a.reals(3), a.reals(4)},
              {a.reals(5), a.reals(6), a.reals(7)}, a.real_output(0), a.real_output(1), a.size("N"),
              a.size("K"));
       }},
      {"nbody",
       [](A a) {
         nbody({a.reals(0), a.reals(1), a.reals(2)}, a.reals(3), {a.reals(4), a.reals(5), a.reals(6)},
               a.real(7), a.real(8), {a.real_output(0), a.real_output(1), a.real_output(2)}, a.real_output(3),
               {a.real_output(4), a.real_output(5), a.real_output(6)}, a.size("N"));
       }},
  };
}

}  // namespace hoist::plain
