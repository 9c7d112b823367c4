// Atomic constructs of every form, and critical sections with and without names.
#include <stdio.h>
#include <stdlib.h>

enum { N = 700, BINS = 13 };
static int counts[BINS];
static unsigned masks[BINS];
static long totals[BINS];
static float heights[BINS];
static double weights[BINS];

int main(void) {
  int *place = malloc(N * sizeof *place), *slot = malloc(N * sizeof *slot), *seen = calloc(N, sizeof *seen);
  for (int i = 0; i < N; ++i) place[i] = (i * 31) % BINS;
  int next = 0, flag = 0, best = -1, where = -1;
  double factor = 1;
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    const int p = place[i];
#pragma omp atomic
    counts[p]++;
#pragma omp atomic update
    masks[p] |= 1u << (i % 32);
#pragma omp atomic
    totals[p] = totals[p] + i;
#pragma omp atomic
    heights[p] += 0.5f;
#pragma omp atomic
    weights[p] = 0.25 + weights[p];
#pragma omp atomic
    --totals[p];
    int mine;
#pragma omp atomic capture
    mine = next++;
    slot[i] = mine;
#pragma omp atomic capture
    {
      seen[mine] += 1;
      mine = seen[mine];
    }
#pragma omp atomic write
    flag = 1;
  }
  int distinct = 0;
  for (int i = 0; i < N; ++i) distinct += seen[slot[i]] == 1;
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    int now;
#pragma omp atomic read
    now = flag;
    const int value = (i * 97) % 509 + now;
#pragma omp critical
    {
      if (value > best || (value == best && i < where)) {
        best = value;
        where = i;
      }
    }
#pragma omp critical(other)
    factor = factor * 1.0009765625;
  }
  for (int b = 0; b < BINS; ++b) printf("%d %u %ld %g %g\n", counts[b], masks[b], totals[b], heights[b], weights[b]);
  printf("%d %d %d %d %d %.9g\n", next, distinct, flag, best, where, factor);
  free(place);
  free(slot);
  free(seen);
  return 0;
}
