// Three-point means from A to B and back, T times; the two ends stay.
// After the description of jacobi-1d in PolyBench/C 4.2. A and B of N numbers. The loop over time is inside
// of one parallel region, whose master counts the sweeps.
#include "program.h"

// Gives the number of sweeps.
static int jacobi1d(int steps, int n, double* A, double* B) {
  int t, sweeps = 0;
#pragma omp parallel private(t)
  for (t = 0; t < steps; ++t) {
#pragma omp for
    for (int i = 1; i < n - 1; ++i) B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
#pragma omp for
    for (int i = 1; i < n - 1; ++i) A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
#pragma omp master
    sweeps += 2;
  }
  return sweeps;
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int steps = program_size("T", 20, 0);
  const int n = program_size("N", 1 << 18, 3);
  program_ready();
  double* A = program_memory(n, sizeof(double));
  double* B = program_memory(n, sizeof(double));
  program_fill_f64(A, n, 1, -1.0, 1.0);
  program_fill_f64(B, n, 2, -1.0, 1.0);
  program_input("A", F64, A, 1, n);
  program_input("B", F64, B, 1, n);
  program_start();
  const int sweeps = jacobi1d(steps, n, A, B);
  program_stop();
  program_result("A_after", F64, A, 1, n);
  program_result("B_after", F64, B, 1, n);
  program_result("sweeps", I32, &sweeps, 0);
  return 0;
}
