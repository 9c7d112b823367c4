// Functions that loops call: pointers to both kinds of memory, constants, enumerations, what mathematics there is.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SQUARE(x) ((x) * (x))
enum shape { ROUND = 3, FLAT, TALL = 9 };
static const double weights[4] = {0.5, 0.25, 0.125, 0.125};
static const float scale = 1.5f;
static int offset = 7;
static double grid[64][8];

static double weighted(const double *x, int stride) {
  double sum = 0;
  for (int k = 0; k < 4; ++k) sum += weights[k] * x[k * stride];
  return sum;
}
static void sort3(double *v) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2 - i; ++j)
      if (v[j] > v[j + 1]) {
        const double t = v[j];
        v[j] = v[j + 1];
        v[j + 1] = t;
      }
}
static enum shape shape_of(int i) {
  switch (i % 3) {
    case 0:
      return ROUND;
    case 1:
      return FLAT;
    default:
      return TALL;
  }
}
static bool is_odd(unsigned i) { return i & 1; }
static int step(int i) { return i + offset; }
static float length(float x, float y) { return sqrtf(SQUARE(x) + SQUARE(y)); }
static void fill(double row[8], int i) {
  for (int j = 0; j < 8; ++j) row[j] = i * scale + j;
}
static int collatz(long n) {
  int rounds = 0;
  do {
    n = n % 2 ? 3 * n + 1 : n / 2;
    ++rounds;
  } while (n > 1 && rounds < 100);
  return rounds;
}

int main(void) {
  double *x = malloc(64 * sizeof *x), *y = malloc(64 * sizeof *y);
  int *kinds = malloc(64 * sizeof *kinds);
  bool *odd = malloc(64);
  uint8_t *bytes = malloc(64);
#pragma omp parallel for
  for (int i = 0; i < 64; ++i) {
    fill(grid[i], i);
    x[i] = weighted(&grid[i][1], 2);
    double three[3] = {sin(i), cos((double)i), pow(i, 0.5)};
    sort3(three);
    y[i] = three[0] + 10 * three[1] + 100 * three[2] + weighted(grid[i], 1) + length(i, 2.5f) + fabs(-x[i]) + abs(-i);
    y[i] += floor(x[i]) + fmod(i, 7) + exp(-i) + log1p(i) + atan2(i, 3) + fmin(i, 4.5) + log2f(1 + i) + hypot(i, 1);
    kinds[i] = shape_of(i) + step(i) + collatz(i + 1);
    odd[i] = is_odd(i) || i == 8;
    bytes[i] = (uint8_t)(i * 13 + odd[i]);
    if (isnan(y[i]) || kinds[i] < 0) y[i] = INFINITY;
  }
  double sum = 0;
  long check = 0;
  for (int i = 0; i < 64; ++i) {
    sum += x[i] + y[i] * (i % 4);
    check = check * 31 % 1000003 + kinds[i] + 2 * odd[i] + bytes[i];
  }
  printf("%.9g %ld\n", sum, check);
  free(x), free(y), free(kinds), free(odd), free(bytes);
  return 0;
}
