// Parallel regions: what stands between loops, variables of the threads, constructs that one thread executes.
#include <stdio.h>

#define N 300
static double a[N], b[N];
static struct {
  double scale;
  int shift;
} setting;
#pragma omp threadprivate(setting)
static int rounds;
#pragma omp threadprivate(rounds)

static void run(int n, int steps) {
  double total = 0, largest = 0;
  int base = 3, count = 0;
#pragma omp parallel firstprivate(base) reduction(+ : count) copyin(setting)
  {
    double own = 0, own_largest = 0;
    base += 1;
#pragma omp for nowait schedule(static)
    for (int i = 0; i < n; ++i) {
      a[i] = i * setting.scale + setting.shift + base;
      own += a[i];
      if (a[i] > own_largest) own_largest = a[i];
    }
#pragma omp critical(totals)
    {
      total += own;
      if (own_largest > largest) largest = own_largest;
    }
#pragma omp barrier
#pragma omp single
    {
      a[0] = -1;
      printf("single %g\n", a[n - 1]);
    }
#pragma omp master
    b[0] = a[1];
#pragma omp barrier
    for (int t = 0; t < steps; ++t) {
#pragma omp for schedule(dynamic, 8)
      for (int i = 1; i < n - 1; ++i) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
#pragma omp for
      for (int i = 1; i < n - 1; ++i) {
        a[i] = b[i];
        count += 1;
      }
#pragma omp flush
    }
  }
  printf("%d %g %g\n", count, total, largest);
}

int main(void) {
  setting.scale = 0.5;
  setting.shift = 2;
  run(N, 4);
  double sum = 0;
  for (int i = 0; i < N; ++i) sum += a[i] * (i % 7) + b[i];
  printf("%.9g\n", sum);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    rounds = i % 5;
    a[i] = rounds * 2;
  }
  for (int i = 0; i < N; ++i) sum += a[i];
  printf("%.9g\n", sum);
  return 0;
}
