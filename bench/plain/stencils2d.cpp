// Stencils and convolutions in two dimensions.
#include <algorithm>
#include <cmath>

#include "plain/neighbours.hpp"
#include "plain/plain.hpp"

namespace hoist::plain {

namespace {

void jacobi2d5(const float* u, float* __restrict out, long h, long w) {
#pragma omp parallel for
  for (long y = 0; y < h; ++y) {
    const float *n = row_of(u, y - 1, h, w), *c = row_of(u, y, h, w), *s = row_of(u, y + 1, h, w);
    each_column<1>(w, [&](long x, auto column) {
      out[y * w + x] = 0.2f * (c[x] + n[x] + s[x] + c[column(-1)] + c[column(1)]);
    });
  }
}

void jacobi2d9(const float* u, float* __restrict out, long h, long w) {
#pragma omp parallel for
  for (long y = 0; y < h; ++y) {
    const float *n = row_of(u, y - 1, h, w), *c = row_of(u, y, h, w), *s = row_of(u, y + 1, h, w);
    each_column<1>(w, [&](long x, auto column) {
      const long l = column(-1), r = column(1);
      out[y * w + x] = (7.1f * n[l] + 5.1f * n[x] + 9.2f * n[r] + 12.1f * c[l] + 15.0f * c[x] + 12.2f * c[r] +
                        9.1f * s[l] + 5.2f * s[x] + 7.2f * s[r]) /
                       82.2f;
    });
  }
}

void gaussian5x5(const float* u, float* __restrict out, long h, long w) {
#pragma omp parallel for
  for (long y = 0; y < h; ++y) {
    const float *a = row_of(u, y - 2, h, w), *b = row_of(u, y - 1, h, w), *c = row_of(u, y, h, w),
                *d = row_of(u, y + 1, h, w), *e = row_of(u, y + 2, h, w);
    each_column<2>(w, [&](long x, auto column) {
      const auto line = [&](const float* row, float far, float near, float centre) {
        return far * (row[column(-2)] + row[column(2)]) + near * (row[column(-1)] + row[column(1)]) +
               centre * row[x];
      };
      out[y * w + x] =
          (line(a, 2, 4, 5) + line(b, 4, 9, 12) + line(c, 5, 12, 15) + line(d, 4, 9, 12) + line(e, 2, 4, 5)) /
          159.0f;
    });
  }
}

void gradient(const float* u, float* __restrict out, long h, long w) {
  const auto square = [](float x) { return x * x; };
#pragma omp parallel for
  for (long y = 0; y < h; ++y) {
    const float *n = row_of(u, y - 1, h, w), *c = row_of(u, y, h, w), *s = row_of(u, y + 1, h, w);
    each_column<1>(w, [&](long x, auto column) {
      const float sum = square(c[x] - n[x]) + square(c[x] - s[x]) + square(c[x] - c[column(-1)]) +
                        square(c[x] - c[column(1)]);
      out[y * w + x] = c[x] + 1.0f / std::sqrt(0.0001f + sum);
    });
  }
}

struct HotspotFactors {
  float s, rx, ry, rz;
};

void hotspot2d(const float* temperature, const float* power, const HotspotFactors& factors,
               float* __restrict out, long h, long w) {
  const float step = factors.s, rx = factors.rx, ry = factors.ry, rz = factors.rz;
#pragma omp parallel for
  for (long y = 0; y < h; ++y) {
    const float *n = row_of(temperature, y - 1, h, w), *c = row_of(temperature, y, h, w),
                *s = row_of(temperature, y + 1, h, w);
    each_column<1>(w, [&](long x, auto column) {
      const float t = c[x];
      out[y * w + x] = t + step * (power[y * w + x] + (n[x] + s[x] - 2.0f * t) / ry +
                                   (c[column(-1)] + c[column(1)] - 2.0f * t) / rx + (80.0f - t) / rz);
    });
  }
}

void shoc_stencil2d(const float* u, float centre, float cardinal, float diagonal, float* __restrict out,
                    long h, long w) {
#pragma omp parallel for
  for (long y = 0; y < h; ++y) {
    const float *n = row_of(u, y - 1, h, w), *c = row_of(u, y, h, w), *s = row_of(u, y + 1, h, w);
    each_column<1>(w, [&](long x, auto column) {
      const long l = column(-1), r = column(1);
      out[y * w + x] =
          centre * c[x] + cardinal * (n[x] + s[x] + c[l] + c[r]) + diagonal * (n[l] + n[r] + s[l] + s[r]);
    });
  }
}

struct Differences {
  float *north, *south, *west, *east;
};

void srad1(const float* image, float q0, float* __restrict coefficient, const Differences& out, long h,
           long w) {
  float* __restrict north = out.north, * __restrict south = out.south, * __restrict west = out.west, * __restrict east = out.east;
#pragma omp parallel for
  for (long y = 0; y < h; ++y) {
    const float *n = row_of(image, y - 1, h, w), *c = row_of(image, y, h, w), *s = row_of(image, y + 1, h, w);
    each_column<1>(w, [&](long x, auto column) {
      const float j = c[x];
      const float dn = n[x] - j, ds = s[x] - j, dw = c[column(-1)] - j, de = c[column(1)] - j;
      const float g = (dn * dn + ds * ds + dw * dw + de * de) / (j * j);
      const float l = (dn + ds + dw + de) / j;
      const float k = 1.0f + 0.25f * l;
      const float q = (0.5f * g - 0.0625f * l * l) / (k * k);
      const float value = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
      const long at = y * w + x;
      coefficient[at] = std::min(std::max(value, 0.0f), 1.0f);
      north[at] = dn;
      south[at] = ds;
      west[at] = dw;
      east[at] = de;
    });
  }
}

struct ConstantDifferences {
  const float *north, *south, *west, *east;
};

void srad2(const float* image, const float* coefficient, const ConstantDifferences& in, float lambda,
           float* __restrict out, long h, long w) {
  const float *const north = in.north, *const south = in.south, *const west = in.west, *const east = in.east;
#pragma omp parallel for
  for (long y = 0; y < h; ++y) {
    const float *c = row_of(coefficient, y, h, w), *s = row_of(coefficient, y + 1, h, w);
    each_column<1>(w, [&](long x, auto column) {
      const long at = y * w + x;
      out[at] =
          image[at] +
          0.25f * lambda * (c[x] * north[at] + s[x] * south[at] + c[x] * west[at] + c[column(1)] * east[at]);
    });
  }
}

/// Adds weight * in[x + shift] to each element of a row whose source is inside the row.
void add_shifted(const float* in, float weight, long shift, float* __restrict out, long w) {
  const long end = std::min(w, w - shift);
  for (long x = std::max(0L, -shift); x < end; ++x) out[x] += weight * in[x + shift];
}

void convolution2d(const float* image, const float* weights, float* __restrict out, long h, long w, long r) {
#pragma omp parallel for
  for (long y = 0; y < h; ++y) {
    std::fill_n(out + y * w, w, 0.0f);
    for (long dy = std::max(-r, -y); dy <= std::min(r, h - 1 - y); ++dy) {
      for (long dx = -r; dx <= r; ++dx)
        add_shifted(image + (y + dy) * w, weights[(r + dy) * (2 * r + 1) + r + dx], dx, out + y * w, w);
    }
  }
}

void convolution2d_separable(const float* image, const float* row_weights, const float* column_weights,
                             float* __restrict out, long h, long w, long r) {
  static std::vector<float> memory;  // kept, as Hoist keeps its intermediate arrays
  memory.resize(static_cast<std::size_t>(h * w));
  float* const rows = memory.data();
#pragma omp parallel for
  for (long y = 0; y < h; ++y) {
    std::fill_n(rows + y * w, w, 0.0f);
    for (long d = -r; d <= r; ++d) add_shifted(image + y * w, row_weights[r + d], d, rows + y * w, w);
  }
#pragma omp parallel for
  for (long y = 0; y < h; ++y) {
    std::fill_n(out + y * w, w, 0.0f);
    for (long d = std::max(-r, -y); d <= std::min(r, h - 1 - y); ++d)
      add_shifted(rows + (y + d) * w, column_weights[r + d], 0, out + y * w, w);
  }
}

}  // namespace

std::vector<Kernel> plane_stencils() {
  using A = const Arguments&;
  return {
      {"jacobi2d5", [](A a) { jacobi2d5(a.reals(0), a.real_output(0), a.size("H"), a.size("W")); }},
      {"jacobi2d9", [](A a) { jacobi2d9(a.reals(0), a.real_output(0), a.size("H"), a.size("W")); }},
      {"gaussian5x5", [](A a) { gaussian5x5(a.reals(0), a.real_output(0), a.size("H"), a.size("W")); }},
      {"gradient", [](A a) { gradient(a.reals(0), a.real_output(0), a.size("H"), a.size("W")); }},
      {"hotspot2d",
       [](A a) {
         hotspot2d(a.reals(0), a.reals(1), {a.real(2), a.real(3), a.real(4), a.real(5)}, a.real_output(0),
                   a.size("H"), a.size("W"));
       }},
      {"shoc_stencil2d",
       [](A a) {
         shoc_stencil2d(a.reals(0), a.real(1), a.real(2), a.real(3), a.real_output(0), a.size("H"),
                        a.size("W"));
       }},
      {"srad1",
       [](A a) {
         srad1(a.reals(0), a.real(1), a.real_output(0),
               {a.real_output(1), a.real_output(2), a.real_output(3), a.real_output(4)}, a.size("H"),
               a.size("W"));
       }},
      {"srad2",
       [](A a) {
         srad2(a.reals(0), a.reals(1), {a.reals(2), a.reals(3), a.reals(4), a.reals(5)}, a.real(6),
               a.real_output(0), a.size("H"), a.size("W"));
       }},
      {"convolution2d",
       [](A a) {
         convolution2d(a.reals(0), a.reals(1), a.real_output(0), a.size("H"), a.size("W"), a.size("R"));
       }},
      {"convolution2d_separable",
       [](A a) {
         convolution2d_separable(a.reals(0), a.reals(1), a.reals(2), a.real_output(0), a.size("H"),
                                 a.size("W"), a.size("R"));
       }},
  };
}

}  // namespace hoist::plain
