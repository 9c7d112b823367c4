// Loops in loops over time: what stays on the device, and what the host reads and writes between.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void smooth(int n, const double *from, double *to) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) to[i] = from[i] + 0.25 * (from[i - 1] - 2 * from[i] + from[i + 1]);
}

static double change(int n, const double *a, const double *b) {
  double most = 0;
#pragma omp parallel for reduction(max : most)
  for (int i = 0; i < n; ++i) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static double middle(const double *a, int n) { return a[n / 2]; }

int main(void) {
  const int n = 500;
  double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
  a[0] = b[0] = 1;
  a[n / 2] = 5;
  int steps = 0;
  while (change(n, a, b) > 1e-3 && steps < 200) {
    smooth(n, a, b);
    smooth(n, b, a);
    ++steps;
    if (steps % 16 == 0) printf("%.9g %.9g\n", a[3], middle(a, n));
    if (steps == 20) a[10] = 2;          // the host writes an element
    if (steps == 30) memcpy(b, a, 40);   // and some by a function
    if (steps == 40) {                   // an array that moves
      b = realloc(b, 2 * n * sizeof *b);
      b[n + 1] = 3;
    }
  }
  double *swap = a;
  a = b;
  b = swap;
  for (int round = 0; round < 3; ++round) {
    double window[64];
    for (int i = 0; i < 64; ++i) window[i] = a[i] + round;
#pragma omp parallel for
    for (int i = 0; i < 64; ++i) window[i] = window[i] * window[i] + b[i];
    if (round == 1) continue;
    printf("%d %.9g\n", round, window[5] + window[63]);
  }
  free(b);
  b = malloc(n * sizeof *b);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] = 2 * a[i];
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += b[i] * (i % 5);
  printf("%d %.9g\n", steps, sum);
  free(a);
  free(b);
  return 0;
}
