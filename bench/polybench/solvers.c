// PolyBench's factorisations, substitutions and dynamic programming as plain loops. bench/README.md says how.
#include <math.h>

// Column after column: the elements below the diagonal are independent, and both rows are read in order.
void cholesky(long N, double A[restrict N][N]) {
  for (long j = 0; j < N; ++j) {
    double squares = 0;
    for (long k = 0; k < j; ++k) squares += A[j][k] * A[j][k];
    A[j][j] = sqrt(A[j][j] - squares);
#pragma omp parallel for
    for (long i = j + 1; i < N; ++i) {
      double sum = 0;
      for (long k = 0; k < j; ++k) sum += A[i][k] * A[j][k];
      A[i][j] = (A[i][j] - sum) / A[j][j];
    }
  }
}

void lu(long N, double A[restrict N][N]) {
  for (long k = 0; k < N; ++k) {
#pragma omp parallel for
    for (long i = k + 1; i < N; ++i) {
      A[i][k] /= A[k][k];
      for (long j = k + 1; j < N; ++j) A[i][j] -= A[i][k] * A[k][j];
    }
  }
}

void ludcmp(long N, double A[restrict N][N], const double b[restrict N], double y[restrict N],
            double x[restrict N]) {
  lu(N, A);
  for (long i = 0; i < N; ++i) {
    double sum = 0;
    for (long j = 0; j < i; ++j) sum += A[i][j] * y[j];
    y[i] = b[i] - sum;
  }
  for (long i = N - 1; i >= 0; --i) {
    double sum = 0;
    for (long j = i + 1; j < N; ++j) sum += A[i][j] * x[j];
    x[i] = (y[i] - sum) / A[i][i];
  }
}

void trisolv(long N, const double L[restrict N][N], const double b[restrict N], double x[restrict N]) {
  for (long i = 0; i < N; ++i) {
    double sum = 0;
    for (long j = 0; j < i; ++j) sum += L[i][j] * x[j];
    x[i] = (b[i] - sum) / L[i][i];
  }
}

void durbin(long N, const double r[restrict N], double y[restrict N]) {
  double before[N];
  double alpha = -r[0], beta = 1;
  y[0] = alpha;
  for (long k = 1; k < N; ++k) {
    beta *= 1 - alpha * alpha;
    double sum = r[k];
    for (long i = 0; i < k; ++i) sum += r[k - 1 - i] * y[i];
    alpha = -sum / beta;
    for (long i = 0; i < k; ++i) before[i] = y[i];
    for (long i = 0; i < k; ++i) y[i] += alpha * before[k - 1 - i];
    y[k] = alpha;
  }
}

// Works on columns, which are rows of `columns`.
void gramschmidt(long M, long N, const double A[restrict M][N], double columns[restrict N][M],
                 double R[restrict N][N], double Q[restrict M][N]) {
#pragma omp parallel for
  for (long j = 0; j < N; ++j) {
    for (long i = 0; i < M; ++i) columns[j][i] = A[i][j];
  }
  for (long k = 0; k < N; ++k) {
    double squares = 0;
    for (long i = 0; i < M; ++i) squares += columns[k][i] * columns[k][i];
    for (long j = 0; j < k; ++j) R[k][j] = 0;
    R[k][k] = sqrt(squares);
    for (long i = 0; i < M; ++i) columns[k][i] /= R[k][k];
#pragma omp parallel for
    for (long j = k + 1; j < N; ++j) {
      double sum = 0;
      for (long i = 0; i < M; ++i) sum += columns[k][i] * columns[j][i];
      R[k][j] = sum;
      for (long i = 0; i < M; ++i) columns[j][i] -= sum * columns[k][i];
    }
  }
#pragma omp parallel for
  for (long i = 0; i < M; ++i) {
    for (long j = 0; j < N; ++j) Q[i][j] = columns[j][i];
  }
}

void floyd_warshall(long N, int paths[restrict N][N]) {
  for (long k = 0; k < N; ++k) {
#pragma omp parallel for
    for (long i = 0; i < N; ++i) {
      const int to_k = paths[i][k];
      for (long j = 0; j < N; ++j) {
        const int by_k = to_k + paths[k][j];
        if (by_k < paths[i][j]) paths[i][j] = by_k;
      }
    }
  }
}

// The parts that begin at i, from the last i on. A part from i to j is either cut after some k, which is done
// for all j at once when that from i to k is known, or its ends form a pair.
void nussinov(long N, const int sequence[restrict N], int table[restrict N][N]) {
  for (long i = N - 1; i >= 0; --i) {
    int* restrict row = table[i];
    for (long j = 0; j < N; ++j) row[j] = 0;
    for (long j = i + 2; j < N; ++j) row[j] = table[i + 1][j - 1] + (sequence[i] + sequence[j] == 3);
    for (long k = i; k + 1 < N; ++k) {
      const int* restrict rest = table[k + 1];
      const int first = row[k];
      for (long j = k + 1; j < N; ++j) {
        if (first + rest[j] > row[j]) row[j] = first + rest[j];
      }
    }
  }
}
