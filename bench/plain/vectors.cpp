// One-dimensional kernels.
#include <algorithm>
#include <cmath>
#include <limits>

#include "plain/plain.hpp"

namespace hoist::plain {

namespace {

float asum(const float* x, long n) {
  float sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < n; ++i) sum += std::fabs(x[i]);
  return sum;
}

void argmin(const float* x, float* least, int* place, long n) {
  float best = std::numeric_limits<float>::infinity();
  int where = std::numeric_limits<int>::max();
#pragma omp parallel
  {
    float own = best;
    int own_place = where;
#pragma omp for nowait
    for (long i = 0; i < n; ++i) {
      if (x[i] < own) own = x[i], own_place = static_cast<int>(i);
    }
#pragma omp critical
    if (own < best || (own == best && own_place < where)) best = own, where = own_place;
  }
  *least = best;
  *place = where;
}

float dot(const float* x, const float* y, long n) {
  float sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

float nrm2(const float* x, long n) {
  // Millions of squares in one float would lose the last of them.
  constexpr long chunk = 4096;
  float sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long start = 0; start < n; start += chunk) {
    float part = 0;
    for (long i = start; i < std::min(start + chunk, n); ++i) part += x[i] * x[i];
    sum += part;
  }
  return std::sqrt(sum);
}

void axpy(float a, const float* x, const float* y, float* __restrict out, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) out[i] = a * x[i] + y[i];
}

void scal(float a, const float* x, float* __restrict out, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) out[i] = a * x[i];
}

void prefix_sum(const float* x, float* __restrict out, long n) {
  float sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
  for (long i = 0; i < n; ++i) {
    sum += x[i];
#pragma omp scan inclusive(sum)
    out[i] = sum;
  }
}

void histogram(const int* values, const int* counts, int* __restrict out, long n, long bins) {
  for (long b = 0; b < bins; ++b) out[b] = counts[b];
#pragma omp parallel for reduction(+ : out[:bins])
  for (long i = 0; i < n; ++i) {
    if (values[i] >= 0 && values[i] < bins) ++out[values[i]];
  }
}

float cumulative_normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * std::fabs(d));
  const float tail =
      0.39894228f * std::exp(-0.5f * d * d) *
      (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - tail : tail;
}

void black_scholes(const float* prices, const float* strikes, const float* years, float rate,
                   float volatility, float* __restrict calls, float* __restrict puts, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    const float root = volatility * std::sqrt(years[i]);
    const float d1 =
        (std::log(prices[i] / strikes[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / root;
    const float c1 = cumulative_normal(d1), c2 = cumulative_normal(d1 - root);
    const float discounted = strikes[i] * std::exp(-rate * years[i]);
    calls[i] = prices[i] * c1 - discounted * c2;
    puts[i] = discounted * (1.0f - c2) - prices[i] * (1.0f - c1);
  }
}

void nearest_neighbour(const float* latitudes, const float* longitudes, float latitude, float longitude,
                       float* __restrict out, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    const float dy = latitude - latitudes[i], dx = longitude - longitudes[i];
    out[i] = std::sqrt(dy * dy + dx * dx);
  }
}

}  // namespace

std::vector<Kernel> vector_kernels() {
  using A = const Arguments&;
  return {
      {"asum", [](A a) { *a.real_output(0) = asum(a.reals(0), a.size("N")); }},
      {"argmin", [](A a) { argmin(a.reals(0), a.real_output(0), a.integer_output(1), a.size("N")); }},
      {"dot", [](A a) { *a.real_output(0) = dot(a.reals(0), a.reals(1), a.size("N")); }},
      {"nrm2", [](A a) { *a.real_output(0) = nrm2(a.reals(0), a.size("N")); }},
      {"axpy", [](A a) { axpy(a.real(0), a.reals(1), a.reals(2), a.real_output(0), a.size("N")); }},
      {"scal", [](A a) { scal(a.real(0), a.reals(1), a.real_output(0), a.size("N")); }},
      {"prefix_sum", [](A a) { prefix_sum(a.reals(0), a.real_output(0), a.size("N")); }},
      {"histogram",
       [](A a) { histogram(a.integers(0), a.integers(1), a.integer_output(0), a.size("N"), a.size("B")); }},
      {"black_scholes",
       [](A a) {
         black_scholes(a.reals(0), a.reals(1), a.reals(2), a.real(3), a.real(4), a.real_output(0),
                       a.real_output(1), a.size("N"));
       }},
      {"nearest_neighbour",
       [](A a) {
         nearest_neighbour(a.reals(0), a.reals(1), a.real(2), a.real(3), a.real_output(0), a.size("N"));
       }},
  };
}

}  // namespace hoist::plain
