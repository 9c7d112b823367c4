// Elements that data name, memory that overlaps, and whole arrays that a loop may reach.
#include <stdio.h>
#include <stdlib.h>

enum { N = 256 };

static void shift(int n, float *to, const float *from) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) to[i] = from[i] + 1;
}

int main(void) {
  int *order = malloc(N * sizeof *order), *back = malloc(N * sizeof *back);
  float *x = malloc(2 * N * sizeof *x), *y = malloc(N * sizeof *y);
  for (int i = 0; i < N; ++i) order[i] = (i * 37 + 11) % N;
  for (int i = 0; i < 2 * N; ++i) x[i] = i;
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    y[i] = x[order[i]] + x[order[order[i]]];
    back[order[i]] = i;
  }
  shift(N, x + N, x);      // parts of one array
  shift(N, x, x + N);
  shift(N / 2, x, x);      // an array and itself
  double sum = 0;
  for (int i = 0; i < N; ++i) sum += y[i] * back[i] + x[i] * 3 + x[N + i];
  printf("%.9g\n", sum);
  int found = -1;
  float *last = &y[N - 1];
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    int at = i;
    while (at >= 0 && order[at] % 3) --at;
    if (at < 0) at = 0;
    y[i] = order[at];
    if (order[i] == 100) found = i;
  }
  *last += 1;
  for (int i = 0; i < N; ++i) sum += y[i];
  printf("%.9g %d\n", sum, found);
  free(order), free(back), free(x), free(y);
  return 0;
}
