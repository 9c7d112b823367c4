/* A hot spot on a plate, after a hundred steps of an exported stencil. */
#include <stdio.h>
#include <stdlib.h>

#include "jacobi.h"

enum { steps = 100 };

int main(void) {
  float *now = calloc(JACOBI_ELEMENTS_u, sizeof *now), *next = calloc(JACOBI_ELEMENTS_u, sizeof *next);
  double heat = 0;
  jacobi_handle *handle;
  int status = now && next ? jacobi_create(&handle) : JACOBI_NO_MEMORY;
  if (!status) {
    now[JACOBI_SIZE_H / 2 * JACOBI_SIZE_W + JACOBI_SIZE_W / 2] = 1000;
    for (int i = 0; !status && i < steps; ++i) {
      float *exchanged = now;
      status = jacobi_run(handle, now, next);
      now = next;
      next = exchanged;
    }
    jacobi_destroy(handle);
  }
  if (status) {
    fprintf(stderr, "%s\n", jacobi_error_text(status));
    return 1;
  }
  for (size_t i = 0; i < JACOBI_ELEMENTS_u; ++i) heat += now[i];
  printf("heat: %.1f\n", heat);
  free(now);
  free(next);
  return 0;
}
