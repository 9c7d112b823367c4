// PolyBench's stencils and recursive filters as plain loops. bench/README.md says how.
#include <math.h>

void jacobi1d(long T, long N, double A[restrict N], double B[restrict N]) {
  for (long t = 0; t < T; ++t) {
#pragma omp parallel for if (N > 20000)
    for (long i = 1; i < N - 1; ++i) B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
#pragma omp parallel for if (N > 20000)
    for (long i = 1; i < N - 1; ++i) A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
  }
}

static void jacobi2d_step(long N, const double from[restrict N][N], double to[restrict N][N]) {
#pragma omp parallel for
  for (long i = 1; i < N - 1; ++i) {
    for (long j = 1; j < N - 1; ++j)
      to[i][j] = 0.2 * (from[i][j] + from[i][j - 1] + from[i][j + 1] + from[i + 1][j] + from[i - 1][j]);
  }
}

void jacobi2d(long T, long N, double A[restrict N][N], double B[restrict N][N]) {
  for (long t = 0; t < T; ++t) {
    jacobi2d_step(N, A, B);
    jacobi2d_step(N, B, A);
  }
}

static void heat3d_step(long N, const double from[restrict N][N][N], double to[restrict N][N][N]) {
#pragma omp parallel for
  for (long i = 1; i < N - 1; ++i) {
    for (long j = 1; j < N - 1; ++j) {
      for (long k = 1; k < N - 1; ++k) {
        const double here = from[i][j][k];
        to[i][j][k] = here + 0.125 * (from[i + 1][j][k] - 2 * here + from[i - 1][j][k]) +
                      0.125 * (from[i][j + 1][k] - 2 * here + from[i][j - 1][k]) +
                      0.125 * (from[i][j][k + 1] - 2 * here + from[i][j][k - 1]);
      }
    }
  }
}

void heat3d(long T, long N, double A[restrict N][N][N], double B[restrict N][N][N]) {
  for (long t = 0; t < T; ++t) {
    heat3d_step(N, A, B);
    heat3d_step(N, B, A);
  }
}

void fdtd2d(long X, long Y, long T, double ex[restrict X][Y], double ey[restrict X][Y],
            double hz[restrict X][Y], const double source[restrict T]) {
  for (long t = 0; t < T; ++t) {
#pragma omp parallel for
    for (long i = 0; i < X; ++i) {
      if (i == 0) {
        for (long j = 0; j < Y; ++j) ey[0][j] = source[t];
      } else {
        for (long j = 0; j < Y; ++j) ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
      }
      for (long j = 1; j < Y; ++j) ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
    }
#pragma omp parallel for
    for (long i = 0; i < X - 1; ++i) {
      for (long j = 0; j < Y - 1; ++j) hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
  }
}

// What does not depend on the element to the left is summed first, for the whole row.
void seidel2d(long T, long N, double A[restrict N][N]) {
  double known[N];
  for (long t = 0; t < T; ++t) {
    for (long i = 1; i < N - 1; ++i) {
      for (long j = 1; j < N - 1; ++j)
        known[j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j] + A[i][j + 1] +
                    A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) /
                   9;
      for (long j = 1; j < N - 1; ++j) A[i][j] = known[j] + A[i][j - 1] / 9;
    }
  }
}

// The tridiagonal systems of all lines have the same coefficients (outside, inside, outside), so that what
// elimination makes of them, `below` and `over`, is the same for all. Systems along columns are solved strip
// by strip, a row of the strip at once.
void adi(long T, long N, double v[restrict N][N], double u[restrict N][N]) {
  enum { strip = 128 };
  const double a = -(double)N * N / T, d = a / 2;
  double below[2][N], over[2][N];
  for (int along = 0; along < 2; ++along) {
    const double outside = along == 0 ? a : d;
    over[along][0] = 0;
    for (long j = 1; j < N - 1; ++j) {
      below[along][j] = 1 / (outside * over[along][j - 1] + 1 - 2 * outside);
      over[along][j] = -outside * below[along][j];
    }
  }
  for (long t = 0; t < T; ++t) {
#pragma omp parallel for
    for (long first = 1; first < N - 1; first += strip) {
      const long last = first + strip < N - 1 ? first + strip : N - 1;
      for (long i = first; i < last; ++i) v[0][i] = 1;
      for (long j = 1; j < N - 1; ++j) {
        for (long i = first; i < last; ++i) {
          const double known = -d * u[j][i - 1] + (1 + 2 * d) * u[j][i] - d * u[j][i + 1];
          v[j][i] = (known - a * v[j - 1][i]) * below[0][j];
        }
      }
      for (long i = first; i < last; ++i) v[N - 1][i] = 1;
      for (long j = N - 2; j >= 1; --j) {
        for (long i = first; i < last; ++i) v[j][i] += over[0][j] * v[j + 1][i];
      }
    }
#pragma omp parallel for
    for (long i = 1; i < N - 1; ++i) {
      u[i][0] = 1;
      for (long j = 1; j < N - 1; ++j) {
        const double known = -a * v[i - 1][j] + (1 + 2 * a) * v[i][j] - a * v[i + 1][j];
        u[i][j] = (known - d * u[i][j - 1]) * below[1][j];
      }
      u[i][N - 1] = 1;
      for (long j = N - 2; j >= 1; --j) u[i][j] += over[1][j] * u[i][j + 1];
    }
  }
}

// Along rows each line is filtered for itself; along columns the lines of a strip at once, row after row.
void deriche(long W, long H, float alpha, const float image[restrict W][H], float rows[restrict W][H],
             float out[restrict W][H]) {
  enum { strip = 128 };
  const float e = expf(-alpha);
  const float k = (1 - e) * (1 - e) / (1 + 2 * alpha * e - expf(2 * alpha));
  const float a2 = k * e * (alpha - 1), a3 = k * e * (alpha + 1), a4 = -k * expf(-2 * alpha);
  const float b1 = powf(2, -alpha), b2 = -expf(-2 * alpha);
#pragma omp parallel for
  for (long i = 0; i < W; ++i) {
    float y1 = 0, y2 = 0, x1 = 0, x2 = 0;
    for (long j = 0; j < H; ++j) {
      const float y = k * image[i][j] + a2 * x1 + b1 * y1 + b2 * y2;
      x1 = image[i][j];
      y2 = y1;
      y1 = y;
      rows[i][j] = y;
    }
    y1 = y2 = x1 = 0;
    for (long j = H - 1; j >= 0; --j) {
      const float y = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
      x2 = x1;
      x1 = image[i][j];
      y2 = y1;
      y1 = y;
      rows[i][j] += y;
    }
  }
#pragma omp parallel for
  for (long first = 0; first < H; first += strip) {
    const long count = first + strip < H ? strip : H - first;
    float y1[strip] = {0}, y2[strip] = {0}, x1[strip] = {0}, x2[strip] = {0};
    for (long i = 0; i < W; ++i) {
      for (long j = 0; j < count; ++j) {
        const float x = rows[i][first + j], y = k * x + a2 * x1[j] + b1 * y1[j] + b2 * y2[j];
        x1[j] = x;
        y2[j] = y1[j];
        y1[j] = y;
        out[i][first + j] = y;
      }
    }
    for (long j = 0; j < strip; ++j) y1[j] = y2[j] = x1[j] = 0;
    for (long i = W - 1; i >= 0; --i) {
      for (long j = 0; j < count; ++j) {
        const float y = a3 * x1[j] + a4 * x2[j] + b1 * y1[j] + b2 * y2[j];
        x2[j] = x1[j];
        x1[j] = rows[i][first + j];
        y2[j] = y1[j];
        y1[j] = y;
        out[i][first + j] += y;
      }
    }
  }
}
