// How often each of B numbers occurs among N, up to 255: a histogram that saturates.
// After the description of histo in Parboil 2.5. image of N numbers from 0 to B-1 (more often in the middle),
// counts of B whole numbers, histogram of B bytes.
#include "program.h"

static void histogram(int n, int bins, const int* image, int* counts, uint8_t* saturated) {
#pragma omp parallel for
  for (int b = 0; b < bins; ++b) counts[b] = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    counts[image[i]]++;
  }
#pragma omp parallel for
  for (int b = 0; b < bins; ++b) saturated[b] = (uint8_t)(counts[b] < 255 ? counts[b] : 255);
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int n = program_size("N", 1 << 18, 1);
  const int bins = program_size("B", 4096, 1);
  program_ready();
  int* image = program_memory(n, sizeof(int));
  int* counts = program_memory(bins, sizeof(int));
  uint8_t* saturated = program_memory(bins, 1);
  uint64_t seed = 1;
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += program_random(&seed);
    image[i] = (int)(sum / 3 * bins);
  }
  program_input("image", I32, image, 1, n);
  program_start();
  histogram(n, bins, image, counts, saturated);
  program_stop();
  program_result("histogram", U8, saturated, 1, bins);
  return 0;
}
