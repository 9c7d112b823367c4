// Alternating direction implicit steps for the heat equation in the plane, T of them: tridiagonal systems in
// all inner columns, then in all inner rows. The ends of what is solved are 1. After the description of adi
// in PolyBench/C 4.2. u of N rows and columns; v between the two sweeps, and p, q with the coefficients of
// forward elimination, are as large.
#include "program.h"

static void adi(int steps, int n, double u[n][n], double v[n][n], double p[n][n], double q[n][n]) {
  const double a = -(double)n * n / steps;  // of the neighbours in a column's system
  const double b = 1.0 - 2.0 * a;
  const double d = 0.5 * a;  // of the neighbours in a row's system
  const double e = 1.0 - 2.0 * d;
  for (int t = 0; t < steps; ++t) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i) {
      v[0][i] = 1.0;
      p[i][0] = 0.0;
      q[i][0] = 1.0;
      for (int j = 1; j < n - 1; ++j) {
        const double pivot = a * p[i][j - 1] + b;
        p[i][j] = -a / pivot;
        q[i][j] = (-d * u[j][i - 1] + (1.0 + 2.0 * d) * u[j][i] - d * u[j][i + 1] - a * q[i][j - 1]) / pivot;
      }
      v[n - 1][i] = 1.0;
      for (int j = n - 2; j >= 1; --j) v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
    }
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i) {
      u[i][0] = 1.0;
      p[i][0] = 0.0;
      q[i][0] = 1.0;
      for (int j = 1; j < n - 1; ++j) {
        const double pivot = d * p[i][j - 1] + e;
        p[i][j] = -d / pivot;
        q[i][j] = (-a * v[i - 1][j] + (1.0 + 2.0 * a) * v[i][j] - a * v[i + 1][j] - d * q[i][j - 1]) / pivot;
      }
      u[i][n - 1] = 1.0;
      for (int j = n - 2; j >= 1; --j) u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
    }
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int steps = program_size("T", 5, 1);
  const int n = program_size("N", 384, 3);
  program_ready();
  const size_t count = (size_t)n * n;
  double(*u)[n] = program_memory(count, sizeof(double));
  double(*v)[n] = program_memory(count, sizeof(double));
  double(*p)[n] = program_memory(count, sizeof(double));
  double(*q)[n] = program_memory(count, sizeof(double));
  program_fill_f64(&u[0][0], count, 1, -1.0, 1.0);
  program_input("u", F64, u, 2, n, n);
  program_start();
  adi(steps, n, u, v, p, q);
  program_stop();
  program_result("u_after", F64, u, 2, n, n);
  return 0;
}
