// A program of two files: what one leaves on the device the other must find.
#include <stdio.h>
void scale(int n, float *x, float by);
float *made(int n);
static float y[50];
int main(void) {
  float *x = made(50);
  for (int round = 0; round < 3; ++round) {
    scale(50, x, 2);
    x[round] += 1;
#pragma omp parallel for
    for (int i = 0; i < 50; ++i) y[i] += x[i];
  }
  double sum = 0;
  for (int i = 0; i < 50; ++i) sum += y[i] * (i % 3 + 1);
  printf("%g\n", sum);
  return 0;
}
