// The correlations of M variables of which N observations are given. Deviations that are next to nothing
// count as 1. After the description of correlation in PolyBench/C 4.2. data of N rows and M columns (its
// elements are reduced to mean 0 in place), correlation of M rows and columns.
#include "program.h"

// Gives how many variables vary next to nothing.
static int correlate(int n, int m, double data[n][m], double* mean, double* deviation,
                     double correlation[m][m]) {
  int constant = 0;
#pragma omp parallel for
  for (int j = 0; j < m; ++j) {
    mean[j] = 0.0;
    for (int i = 0; i < n; ++i) mean[j] += data[i][j];
    mean[j] /= n;
  }
#pragma omp parallel for reduction(+ : constant)
  for (int j = 0; j < m; ++j) {
    double squares = 0.0;
    for (int i = 0; i < n; ++i) squares += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
    deviation[j] = sqrt(squares / n);
    if (deviation[j] <= 0.1) {
      deviation[j] = 1.0;
      ++constant;
    }
  }
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) data[i][j] = (data[i][j] - mean[j]) / (sqrt((double)n) * deviation[j]);
  }
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < m; ++i) {
    correlation[i][i] = 1.0;
    for (int j = i + 1; j < m; ++j) {
      double sum = 0.0;
      for (int k = 0; k < n; ++k) sum += data[k][i] * data[k][j];
      correlation[i][j] = sum;
      correlation[j][i] = sum;
    }
  }
  return constant;
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int m = program_size("M", 192, 1);
  const int n = program_size("N", 224, 2);
  program_ready();
  double(*data)[m] = program_memory((size_t)n * m, sizeof(double));
  double* mean = program_memory(m, sizeof(double));
  double* deviation = program_memory(m, sizeof(double));
  double(*correlation)[m] = program_memory((size_t)m * m, sizeof(double));
  program_fill_f64(&data[0][0], (size_t)n * m, 1, -1.0, 1.0);
  for (int i = 0; i < n; ++i) data[i][m / 2] *= 0.01;  // a variable that varies next to nothing
  program_input("data", F64, data, 2, n, m);
  program_start();
  const int constant = correlate(n, m, data, mean, deviation, correlation);
  program_stop();
  program_result("correlation", F64, correlation, 2, m, m);
  program_result("constant", I32, &constant, 0);
  return 0;
}
