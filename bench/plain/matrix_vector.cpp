// Products of matrices and vectors: rows are read in order, transposed matrices too.
#include "plain/plain.hpp"

namespace hoist::plain {

namespace {

float dot(const float* x, const float* y, long n) {
  float sum = 0;
  for (long i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

void gemv(float alpha, const float* a, const float* x, float beta, const float* y, float* __restrict out,
          long m, long n) {
#pragma omp parallel for
  for (long i = 0; i < m; ++i) out[i] = alpha * dot(a + i * n, x, n) + beta * y[i];
}

void gemv_transposed(float alpha, const float* a, const float* x, float beta, const float* y,
                     float* __restrict out, long m, long n) {
  for (long j = 0; j < n; ++j) out[j] = beta * y[j];
#pragma omp parallel for reduction(+ : out[:n])
  for (long i = 0; i < m; ++i) {
    for (long j = 0; j < n; ++j) out[j] += alpha * x[i] * a[i * n + j];
  }
}

// As in PolyBench, a row is used for both products while it is in the cache.
void atax(const float* a, const float* x, float* __restrict out, long m, long n) {
  for (long j = 0; j < n; ++j) out[j] = 0;
#pragma omp parallel for reduction(+ : out[:n])
  for (long i = 0; i < m; ++i) {
    const float product = dot(a + i * n, x, n);
    for (long j = 0; j < n; ++j) out[j] += product * a[i * n + j];
  }
}

void bicg(const float* a, const float* r, const float* p, float* __restrict s, float* __restrict q, long m,
          long n) {
  for (long j = 0; j < n; ++j) s[j] = 0;
#pragma omp parallel for reduction(+ : s[:n])
  for (long i = 0; i < m; ++i) {
    float sum = 0;
    for (long j = 0; j < n; ++j) {
      s[j] += r[i] * a[i * n + j];
      sum += a[i * n + j] * p[j];
    }
    q[i] = sum;
  }
}

void gesummv(float alpha, const float* a, float beta, const float* b, const float* x, float* __restrict out,
             long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    float sum_a = 0, sum_b = 0;
    for (long j = 0; j < n; ++j) {
      sum_a += a[i * n + j] * x[j];
      sum_b += b[i * n + j] * x[j];
    }
    out[i] = alpha * sum_a + beta * sum_b;
  }
}

void mvt(const float* a, const float* x1, const float* x2, const float* y1, const float* y2,
         float* __restrict out1, float* __restrict out2, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) out1[i] = x1[i] + dot(a + i * n, y1, n);
  for (long j = 0; j < n; ++j) out2[j] = x2[j];
#pragma omp parallel for reduction(+ : out2[:n])
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) out2[j] += a[i * n + j] * y2[i];
  }
}

struct GemverVectors {
  const float *u1, *v1, *u2, *v2, *x, *y, *z;
};

void gemver(float alpha, float beta, const float* a, const GemverVectors& in, float* __restrict updated,
            float* __restrict out_x, float* __restrict w, long n) {
  const float *const u1 = in.u1, *const v1 = in.v1, *const u2 = in.u2, *const v2 = in.v2, *const x = in.x,
                     *const y = in.y, *const z = in.z;
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) updated[i * n + j] = a[i * n + j] + u1[i] * v1[j] + u2[i] * v2[j];
  }
  for (long j = 0; j < n; ++j) out_x[j] = x[j] + z[j];
#pragma omp parallel for reduction(+ : out_x[:n])
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) out_x[j] += beta * updated[i * n + j] * y[i];
  }
#pragma omp parallel for
  for (long i = 0; i < n; ++i) w[i] = alpha * dot(updated + i * n, out_x, n);
}

}  // namespace

std::vector<Kernel> matrix_vector_kernels() {
  using A = const Arguments&;
  return {
      {"gemv",
       [](A a) {
         gemv(a.real(0), a.reals(1), a.reals(2), a.real(3), a.reals(4), a.real_output(0), a.size("M"),
              a.size("N"));
       }},
      {"gemv_transposed",
       [](A a) {
         gemv_transposed(a.real(0), a.reals(1), a.reals(2), a.real(3), a.reals(4), a.real_output(0),
                         a.size("M"), a.size("N"));
       }},
      {"atax", [](A a) { atax(a.reals(0), a.reals(1), a.real_output(0), a.size("M"), a.size("N")); }},
      {"bicg",
       [](A a) {
         bicg(a.reals(0), a.reals(1), a.reals(2), a.real_output(0), a.real_output(1), a.size("M"),
              a.size("N"));
       }},
      {"gesummv",
       [](A a) {
         gesummv(a.real(0), a.reals(1), a.real(2), a.reals(3), a.reals(4), a.real_output(0), a.size("N"));
       }},
      {"mvt",
       [](A a) {
         mvt(a.reals(0), a.reals(1), a.reals(2), a.reals(3), a.reals(4), a.real_output(0), a.real_output(1),
             a.size("N"));
       }},
      {"gemver",
       [](A a) {
         gemver(a.real(0), a.real(1), a.reals(2),
                {a.reals(3), a.reals(4), a.reals(5), a.reals(6), a.reals(7), a.reals(8), a.reals(9)},
                a.real_output(0), a.real_output(1), a.real_output(2), a.size("N"));
       }},
  };
}

}  // namespace hoist::plain
