#include <stdlib.h>
float *made(int n) {
  float *x = malloc(n * sizeof *x);
  for (int i = 0; i < n; ++i) x[i] = i;
  return x;
}
void scale(int n, float *x, float by) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) x[i] *= by;
}
