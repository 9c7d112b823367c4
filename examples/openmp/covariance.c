// The covariances of M variables of which N observations are given.
// After the description of covariance in PolyBench/C 4.2. data of N rows and M columns as flat memory
// (reduced to mean 0 in place), covariance of M rows and columns.
#include "program.h"

static void subtract_means(int n, int m, double* data, double* mean) {
#pragma omp parallel
  {
#pragma omp for
    for (int j = 0; j < m; ++j) {
      mean[j] = 0.0;
      for (int i = 0; i < n; ++i) mean[j] += data[(size_t)i * m + j];
      mean[j] /= n;
    }
#pragma omp for
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < m; ++j) data[(size_t)i * m + j] -= mean[j];
    }
  }
}

static void multiply(int n, int m, const double* data, double* covariance) {
#pragma omp parallel for schedule(static, 8)
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (int k = 0; k < n; ++k) sum += data[(size_t)k * m + i] * data[(size_t)k * m + j];
      covariance[(size_t)i * m + j] = sum / (n - 1);
    }
  }
#pragma omp parallel for
  for (int i = 0; i < m; ++i) {
    for (int j = i + 1; j < m; ++j) covariance[(size_t)i * m + j] = covariance[(size_t)j * m + i];
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int m = program_size("M", 192, 1);
  const int n = program_size("N", 224, 2);
  program_ready();
  double* data = program_memory((size_t)n * m, sizeof(double));
  double* mean = program_memory(m, sizeof(double));
  double* covariance = program_memory((size_t)m * m, sizeof(double));
  program_fill_f64(data, (size_t)n * m, 1, -1.0, 1.0);
  program_input("data", F64, data, 2, n, m);
  program_start();
  subtract_means(n, m, data, mean);
  multiply(n, m, data, covariance);
  program_stop();
  program_result("covariance", F64, covariance, 2, m, m);
  return 0;
}
