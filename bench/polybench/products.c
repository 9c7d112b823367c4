// PolyBench's products of matrices and vectors as plain loops. bench/README.md says how.
#include <math.h>

// out = factor A B.
static void product(long I, long J, long K, double factor, const double A[restrict I][K],
                    const double B[restrict K][J], double out[restrict I][J]) {
#pragma omp parallel for
  for (long i = 0; i < I; ++i) {
    for (long j = 0; j < J; ++j) out[i][j] = 0;
    for (long k = 0; k < K; ++k) {
      const double a = factor * A[i][k];
      for (long j = 0; j < J; ++j) out[i][j] += a * B[k][j];
    }
  }
}

void gemm(long I, long J, long K, double alpha, double beta, double C[restrict I][J],
          const double A[restrict I][K], const double B[restrict K][J]) {
#pragma omp parallel for
  for (long i = 0; i < I; ++i) {
    for (long j = 0; j < J; ++j) C[i][j] *= beta;
    for (long k = 0; k < K; ++k) {
      const double a = alpha * A[i][k];
      for (long j = 0; j < J; ++j) C[i][j] += a * B[k][j];
    }
  }
}

void mm2(long I, long K, long J, long L, double alpha, double beta, const double A[restrict I][K],
         const double B[restrict K][J], const double C[restrict J][L], double AB[restrict I][J],
         double D[restrict I][L]) {
  product(I, J, K, alpha, A, B, AB);
  gemm(I, L, J, 1, beta, D, AB, C);
}

void mm3(long I, long K, long J, long M, long L, const double A[restrict I][K], const double B[restrict K][J],
         const double C[restrict J][M], const double D[restrict M][L], double AB[restrict I][J],
         double CD[restrict J][L], double out[restrict I][L]) {
  product(I, J, K, 1, A, B, AB);
  product(J, L, M, 1, C, D, CD);
  product(I, L, J, 1, AB, CD, out);
}

// A row of the cube is overwritten when all of its products are known.
void doitgen(long R, long Q, long P, double A[restrict R][Q][P], const double C4[restrict P][P]) {
#pragma omp parallel for
  for (long r = 0; r < R; ++r) {
    double row[P];
    for (long q = 0; q < Q; ++q) {
      for (long p = 0; p < P; ++p) row[p] = 0;
      for (long s = 0; s < P; ++s) {
        for (long p = 0; p < P; ++p) row[p] += A[r][q][s] * C4[s][p];
      }
      for (long p = 0; p < P; ++p) A[r][q][p] = row[p];
    }
  }
}

// Only the lower triangle of A is read: what is to the right of the diagonal is below it in the same column.
void symm(long M, long N, double alpha, double beta, double C[restrict M][N], const double A[restrict M][M],
          const double B[restrict M][N]) {
#pragma omp parallel for
  for (long i = 0; i < M; ++i) {
    for (long j = 0; j < N; ++j) C[i][j] *= beta;
    for (long k = 0; k < M; ++k) {
      const double a = alpha * (k <= i ? A[i][k] : A[k][i]);
      for (long j = 0; j < N; ++j) C[i][j] += a * B[k][j];
    }
  }
}

void syrk(long N, long K, double alpha, double beta, double C[restrict N][N], const double A[restrict N][K]) {
#pragma omp parallel for schedule(dynamic, 8)
  for (long i = 0; i < N; ++i) {
    for (long j = 0; j <= i; ++j) {
      double sum = 0;
      for (long k = 0; k < K; ++k) sum += A[i][k] * A[j][k];
      C[i][j] = alpha * sum + beta * C[i][j];
    }
  }
}

void syr2k(long N, long K, double alpha, double beta, double C[restrict N][N], const double A[restrict N][K],
           const double B[restrict N][K]) {
#pragma omp parallel for schedule(dynamic, 8)
  for (long i = 0; i < N; ++i) {
    for (long j = 0; j <= i; ++j) {
      double sum = 0;
      for (long k = 0; k < K; ++k) sum += A[i][k] * B[j][k] + B[i][k] * A[j][k];
      C[i][j] = alpha * sum + beta * C[i][j];
    }
  }
}

// Row k is added to the rows above it, which comes before any row is added to it; columns are independent.
void trmm(long M, long N, double alpha, const double A[restrict M][M], double B[restrict M][N]) {
  enum { strip = 64 };
#pragma omp parallel for
  for (long first = 0; first < N; first += strip) {
    const long last = first + strip < N ? first + strip : N;
    for (long k = 0; k < M; ++k) {
      for (long i = 0; i < k; ++i) {
        for (long j = first; j < last; ++j) B[i][j] += A[k][i] * B[k][j];
      }
    }
    for (long i = 0; i < M; ++i) {
      for (long j = first; j < last; ++j) B[i][j] *= alpha;
    }
  }
}

// A row is used for both products while it is in the cache.
void atax(long M, long N, const double A[restrict M][N], const double x[restrict N], double y[restrict N]) {
  for (long j = 0; j < N; ++j) y[j] = 0;
#pragma omp parallel for reduction(+ : y[:N])
  for (long i = 0; i < M; ++i) {
    double sum = 0;
    for (long j = 0; j < N; ++j) sum += A[i][j] * x[j];
    for (long j = 0; j < N; ++j) y[j] += sum * A[i][j];
  }
}

void bicg(long N, long M, const double A[restrict N][M], const double p[restrict M],
          const double r[restrict N], double s[restrict M], double q[restrict N]) {
  for (long j = 0; j < M; ++j) s[j] = 0;
#pragma omp parallel for reduction(+ : s[:M])
  for (long i = 0; i < N; ++i) {
    double sum = 0;
    for (long j = 0; j < M; ++j) {
      s[j] += r[i] * A[i][j];
      sum += A[i][j] * p[j];
    }
    q[i] = sum;
  }
}

void mvt(long N, double x1[restrict N], double x2[restrict N], const double y1[restrict N],
         const double y2[restrict N], const double A[restrict N][N]) {
#pragma omp parallel for reduction(+ : x2[:N])
  for (long i = 0; i < N; ++i) {
    double sum = 0;
    for (long j = 0; j < N; ++j) {
      sum += A[i][j] * y1[j];
      x2[j] += A[i][j] * y2[i];
    }
    x1[i] += sum;
  }
}

void gesummv(long N, double alpha, double beta, const double A[restrict N][N], const double B[restrict N][N],
             const double x[restrict N], double y[restrict N]) {
#pragma omp parallel for
  for (long i = 0; i < N; ++i) {
    double sum_a = 0, sum_b = 0;
    for (long j = 0; j < N; ++j) {
      sum_a += A[i][j] * x[j];
      sum_b += B[i][j] * x[j];
    }
    y[i] = alpha * sum_a + beta * sum_b;
  }
}

// A row is updated and used for x while it is in the cache.
void gemver(long N, double alpha, double beta, double A[restrict N][N], const double u1[restrict N],
            const double v1[restrict N], const double u2[restrict N], const double v2[restrict N],
            double x[restrict N], const double y[restrict N], const double z[restrict N],
            double w[restrict N]) {
  for (long j = 0; j < N; ++j) x[j] += z[j];
#pragma omp parallel for reduction(+ : x[:N])
  for (long i = 0; i < N; ++i) {
    const double a = u1[i], b = u2[i], factor = beta * y[i];
    for (long j = 0; j < N; ++j) {
      A[i][j] += a * v1[j] + b * v2[j];
      x[j] += factor * A[i][j];
    }
  }
#pragma omp parallel for
  for (long i = 0; i < N; ++i) {
    double sum = 0;
    for (long j = 0; j < N; ++j) sum += A[i][j] * x[j];
    w[i] = alpha * sum;
  }
}

// Of a symmetric matrix what is above the diagonal is computed first, then copied below.
static void mirror(long M, double out[restrict M][M]) {
  for (long i = 0; i < M; ++i) {
    for (long j = 0; j < i; ++j) out[i][j] = out[j][i];
  }
}

// out[i][j] = factor * the sum over k of data[k][i] data[k][j].
static void products_of_columns(long N, long M, double factor, const double data[restrict N][M],
                                double out[restrict M][M]) {
#pragma omp parallel for schedule(dynamic, 8)
  for (long i = 0; i < M; ++i) {
    for (long j = i; j < M; ++j) out[i][j] = 0;
    for (long k = 0; k < N; ++k) {
      const double a = factor * data[k][i];
      for (long j = i; j < M; ++j) out[i][j] += a * data[k][j];
    }
  }
  mirror(M, out);
}

static void centre(long N, long M, double data[restrict N][M], double mean[restrict M]) {
  for (long j = 0; j < M; ++j) mean[j] = 0;
#pragma omp parallel for reduction(+ : mean[:M])
  for (long i = 0; i < N; ++i) {
    for (long j = 0; j < M; ++j) mean[j] += data[i][j] / N;
  }
#pragma omp parallel for
  for (long i = 0; i < N; ++i) {
    for (long j = 0; j < M; ++j) data[i][j] -= mean[j];
  }
}

void covariance(long N, long M, double data[restrict N][M], double mean[restrict M],
                double out[restrict M][M]) {
  centre(N, M, data, mean);
  products_of_columns(N, M, 1.0 / (N - 1), data, out);
}

void correlation(long N, long M, double data[restrict N][M], double mean[restrict M],
                 double deviation[restrict M], double out[restrict M][M]) {
  centre(N, M, data, mean);
  for (long j = 0; j < M; ++j) deviation[j] = 0;
#pragma omp parallel for reduction(+ : deviation[:M])
  for (long i = 0; i < N; ++i) {
    for (long j = 0; j < M; ++j) deviation[j] += data[i][j] * data[i][j];
  }
  for (long j = 0; j < M; ++j) {
    const double measured = sqrt(deviation[j] / N);
    deviation[j] = sqrt(N) * (measured <= 0.1 ? 1 : measured);
  }
#pragma omp parallel for
  for (long i = 0; i < N; ++i) {
    for (long j = 0; j < M; ++j) data[i][j] /= deviation[j];
  }
  products_of_columns(N, M, 1, data, out);
  for (long i = 0; i < M; ++i) out[i][i] = 1;
}
