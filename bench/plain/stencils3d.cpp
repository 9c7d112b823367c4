// Stencils in three dimensions.
#include "plain/neighbours.hpp"
#include "plain/plain.hpp"

namespace hoist::plain {

namespace {

/// The row that a point is in and the four beside it: of the planes before and after, and of the same plane.
struct Rows {
  const float *below, *above, *north, *centre, *south;
};

Rows rows_around(const float* u, long z, long y, long d, long h, long w) {
  return {row_of(u, z - 1, y, d, h, w), row_of(u, z + 1, y, d, h, w), row_of(u, z, y - 1, d, h, w),
          row_of(u, z, y, d, h, w), row_of(u, z, y + 1, d, h, w)};
}

void jacobi3d7(const float* u, float* __restrict out, long d, long h, long w) {
#pragma omp parallel for
  for (long z = 0; z < d; ++z) {
    for (long y = 0; y < h; ++y) {
      const Rows rows = rows_around(u, z, y, d, h, w);
      const float *const below = rows.below, *const above = rows.above, *const north = rows.north,
                         *const centre = rows.centre, *const south = rows.south;
      float* const line = out + (z * h + y) * w;
      each_column<1>(w, [=](long x, auto column) {
        line[x] =
            (below[x] + above[x] + north[x] + south[x] + centre[column(-1)] + centre[column(1)]) / 36.0f -
            centre[x] / 6.0f;
      });
    }
  }
}

void heat3d(const float* u, float* __restrict out, long d, long h, long w) {
#pragma omp parallel for
  for (long z = 0; z < d; ++z) {
    for (long y = 0; y < h; ++y) {
      const Rows rows = rows_around(u, z, y, d, h, w);
      const float *const below = rows.below, *const above = rows.above, *const north = rows.north,
                         *const centre = rows.centre, *const south = rows.south;
      float* const line = out + (z * h + y) * w;
      each_column<1>(w, [=](long x, auto column) {
        const float c = centre[x];
        line[x] = 0.125f * (above[x] - 2.0f * c + below[x]) + 0.125f * (south[x] - 2.0f * c + north[x]) +
                  0.125f * (centre[column(1)] - 2.0f * c + centre[column(-1)]) + c;
      });
    }
  }
}

struct Hotspot3dFactors {
  float s, cx, cy, cz;
};

void hotspot3d(const float* temperature, const float* power, const Hotspot3dFactors& factors,
               float* __restrict out, long d, long h, long w) {
  const float s = factors.s, cx = factors.cx, cy = factors.cy, cz = factors.cz;
  const float cc = 1.0f - (2.0f * cx + 2.0f * cy + 3.0f * cz);
#pragma omp parallel for
  for (long z = 0; z < d; ++z) {
    for (long y = 0; y < h; ++y) {
      const Rows rows = rows_around(temperature, z, y, d, h, w);
      const float *const below = rows.below, *const above = rows.above, *const north = rows.north,
                         *const centre = rows.centre, *const south = rows.south;
      float* const line = out + (z * h + y) * w;
      const float* const heat = power + (z * h + y) * w;
      each_column<1>(w, [=](long x, auto column) {
        line[x] = cc * centre[x] + cx * (centre[column(-1)] + centre[column(1)]) +
                  cy * (north[x] + south[x]) + cz * (below[x] + above[x]) + s * heat[x] + cz * 80.0f;
      });
    }
  }
}

void jacobi3d13(const float* u, float* __restrict out, long d, long h, long w) {
#pragma omp parallel for
  for (long z = 0; z < d; ++z) {
    for (long y = 0; y < h; ++y) {
      const Rows rows = rows_around(u, z, y, d, h, w);
      const float *const below = rows.below, *const above = rows.above, *const north = rows.north,
                         *const centre = rows.centre, *const south = rows.south;
      const float *below2 = row_of(u, z - 2, y, d, h, w), *above2 = row_of(u, z + 2, y, d, h, w),
                  *north2 = row_of(u, z, y - 2, d, h, w), *south2 = row_of(u, z, y + 2, d, h, w);
      float* const line = out + (z * h + y) * w;
      each_column<2>(w, [=](long x, auto column) {
        const float near = below[x] + above[x] + north[x] + south[x] + centre[column(-1)] + centre[column(1)];
        const float far =
            below2[x] + above2[x] + north2[x] + south2[x] + centre[column(-2)] + centre[column(2)];
        line[x] = 0.25f * centre[x] + 0.75f * (16.0f * near - far) / 90.0f;
      });
    }
  }
}

void jacobi3d19(const float* u, float* __restrict out, long d, long h, long w) {
#pragma omp parallel for
  for (long z = 0; z < d; ++z) {
    for (long y = 0; y < h; ++y) {
      const Rows a = rows_around(u, z - 1 < 0 ? 0 : z - 1, y, d, h, w), b = rows_around(u, z, y, d, h, w),
                 c = rows_around(u, z + 1 < d ? z + 1 : d - 1, y, d, h, w);
      float* const line = out + (z * h + y) * w;
      each_column<1>(w, [=](long x, auto column) {
        const long l = column(-1), r = column(1);
        const float faces = a.centre[x] + c.centre[x] + b.north[x] + b.south[x] + b.centre[l] + b.centre[r];
        const float edges = a.north[x] + a.centre[l] + a.centre[r] + a.south[x] + b.north[l] + b.north[r] +
                            b.south[l] + b.south[r] + c.north[x] + c.centre[l] + c.centre[r] + c.south[x];
        line[x] = (12.0f * b.centre[x] + 2.0f * faces + edges) / 36.0f;
      });
    }
  }
}

void jacobi3d27(const float* u, float* __restrict out, long d, long h, long w) {
#pragma omp parallel for
  for (long z = 0; z < d; ++z) {
    for (long y = 0; y < h; ++y) {
      const Rows a = rows_around(u, z - 1 < 0 ? 0 : z - 1, y, d, h, w), b = rows_around(u, z, y, d, h, w),
                 c = rows_around(u, z + 1 < d ? z + 1 : d - 1, y, d, h, w);
      float* const line = out + (z * h + y) * w;
      each_column<1>(w, [=](long x, auto column) {
        const auto row = [&](const float* p) { return p[column(-1)] + 2.0f * p[x] + p[column(1)]; };
        const auto plane = [&](const Rows& p) { return row(p.north) + 2.0f * row(p.centre) + row(p.south); };
        line[x] = (plane(a) + 2.0f * plane(b) + plane(c)) / 64.0f;
      });
    }
  }
}

void poisson3d(const float* u, const float* f, float step, float* __restrict out, long d, long h, long w) {
  const std::vector<float> zeros(static_cast<std::size_t>(w));
  const auto row = [&](long z, long y) {
    return z < 0 || z >= d || y < 0 || y >= h ? zeros.data() : u + (z * h + y) * w;
  };
#pragma omp parallel for
  for (long z = 0; z < d; ++z) {
    for (long y = 0; y < h; ++y) {
      const float *below = row(z - 1, y), *above = row(z + 1, y), *north = row(z, y - 1),
                  *south = row(z, y + 1), *centre = row(z, y), *source = f + (z * h + y) * w;
      float* const line = out + (z * h + y) * w;
      const auto point = [=](long x, float left, float right) {
        line[x] = (below[x] + above[x] + north[x] + south[x] + left + right + step * step * source[x]) / 6.0f;
      };
      point(0, 0, w > 1 ? centre[1] : 0);
      for (long x = 1; x < w - 1; ++x) point(x, centre[x - 1], centre[x + 1]);
      if (w > 1) point(w - 1, centre[w - 2], 0);
    }
  }
}

}  // namespace

std::vector<Kernel> volume_stencils() {
  using A = const Arguments&;
  using Stencil = void (*)(const float*, float*, long, long, long);
  static constexpr auto stencil = [](A a, Stencil run) {
    run(a.reals(0), a.real_output(0), a.size("D"), a.size("H"), a.size("W"));
  };
  return {
      {"jacobi3d7", [](A a) { stencil(a, jacobi3d7); }},
      {"jacobi3d13", [](A a) { stencil(a, jacobi3d13); }},
      {"jacobi3d19", [](A a) { stencil(a, jacobi3d19); }},
      {"jacobi3d27", [](A a) { stencil(a, jacobi3d27); }},
      {"heat3d", [](A a) { stencil(a, heat3d); }},
      {"hotspot3d",
       [](A a) {
         hotspot3d(a.reals(0), a.reals(1), {a.real(2), a.real(3), a.real(4), a.real(5)}, a.real_output(0),
                   a.size("D"), a.size("H"), a.size("W"));
       }},
      {"poisson3d",
       [](A a) {
         poisson3d(a.reals(0), a.reals(1), a.real(2), a.real_output(0), a.size("D"), a.size("H"),
                   a.size("W"));
       }},
  };
}

}  // namespace hoist::plain
