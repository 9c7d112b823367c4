// Functions with loops that are called by pointers, and calls in statements that touch arrays.
#include <stdio.h>

static float x[64], y[64];
static void twice(float *a) {
#pragma omp parallel for
  for (int i = 0; i < 64; ++i) a[i] *= 2;
}
static int shift(float *a) {
#pragma omp parallel for
  for (int i = 0; i < 64; ++i) a[i] += 1;
  return 3;
}
static void (*const steps[])(float *) = {twice, twice};
static void each(void (*step)(float *), float *a) { step(a); }

int main(void) {
  for (int i = 0; i < 64; ++i) x[i] = i;
  for (int s = 0; s < 2; ++s) steps[s](x);
  x[5] += 1;
  each(twice, y);
  y[2] = shift(x) + x[5];
  x[7] = shift(x);
  if (shift(y) == 3 && y[2] > 0) y[3] = 1;
  for (int s = shift(x); s < 5; s += shift(x) - 2) x[0] += s;
  double sum = 0;
  for (int i = 0; i < 64; ++i) sum += x[i] * (i + 1) + y[i];
  printf("%g\n", sum);
  return 0;
}
