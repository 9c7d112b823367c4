// Data-sharing clauses and every operation of reduction.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1003 };

int main(void) {
  int *a = malloc(N * sizeof *a);
  double *x = malloc(N * sizeof *x);
  for (int i = 0; i < N; ++i) {
    a[i] = (i * 7919) % 613 + 1;
    x[i] = 0.25 + a[i] / 613.0;
  }
  int sum = 5, difference = 5, all = 1, any = 0, bits_and = -1, bits_or = 0, bits_xor = 3, least = 1000, most = -1000;
  long product = 1;
  double total = 0.5, highest = -1e300, lowest = 1e300;
#pragma omp parallel for reduction(+ : sum, total) reduction(- : difference) reduction(&& : all) reduction(|| : any)
  for (int i = 0; i < N; ++i) {
    sum += a[i];
    total += x[i];
    difference -= a[i];
    all = all && a[i] > 0;
    any = any || a[i] == 613;
  }
#pragma omp parallel for reduction(& : bits_and) reduction(| : bits_or) reduction(^ : bits_xor) reduction(min : least, lowest) \
    reduction(max : most, highest) reduction(* : product)
  for (int i = 0; i < N; ++i) {
    bits_and &= a[i] | 64;
    bits_or |= a[i];
    bits_xor ^= a[i];
    if (a[i] < least) least = a[i];
    most = most > a[i] ? most : a[i];
    if (x[i] > highest) highest = x[i];
    if (x[i] < lowest) lowest = x[i];
    product *= a[i] % 2 ? 3 : 1;
  }
  printf("%d %d %d %d %d %d %d %d %d %ld\n", sum, difference, all, any, bits_and, bits_or, bits_xor, least, most, product);
  printf("%.9g %.9g %.9g\n", total, highest, lowest);

  int t = 17, first = 3, last = -1, kept = 4, j;
#pragma omp parallel for private(t, j) firstprivate(first) lastprivate(last) default(none) shared(a, kept)
  for (int i = 0; i < N; ++i) {
    t = 0;
    for (j = 0; j < 5; ++j) t += a[i] * j;
    first += 1;
    last = t + first;
    first -= 1;
    if (i % 3 == 0) continue;
    a[i] = t + kept;
  }
  long check = 0;
  for (int i = 0; i < N; ++i) check = check * 31 % 1000003 + a[i];
  printf("%d %ld\n", last, check);
  free(a);
  free(x);
  return 0;
}
