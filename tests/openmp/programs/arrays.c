// Arrays of every kind, indices of every form, loops that count in every way.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 37
#define COLUMNS 23
static float table[ROWS][COLUMNS];
static short cube[5][7][11];

typedef struct {
  double position[3];
  float mass;
  int kind;
} body;
struct pair {
  int first, second;
};

static void by_pointer(int n, int m, double *restrict out, const double *in) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double *row = in + (size_t)i * m;
    double *target = &out[i * m];
    for (int j = 0; j < m; ++j) *target++ = row[j] + *(in + j);
  }
}

static void by_length(int n, int m, double a[n][m], double b[m][n], double corner[static 2]) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) b[j][i] = a[i][j] + corner[1];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i && j < m; ++j) a[i][j] *= 2;
    if (i < m) a[i][i] = -1;
  }
}

int main(void) {
  const int n = 41, m = 29;
  double(*a)[m] = malloc(sizeof(double[n][m])), (*b)[n] = malloc(sizeof(double[m][n])), corner[2] = {0.5, 0.75};
  double *flat = malloc(sizeof(double) * n * m), local[n];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) a[i][j] = i * 100 + j;
  by_length(n, m, a, b, corner);
  by_pointer(n, m, flat, &a[0][0]);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) sum += (i + 2 * j) * (a[i][j] - b[j][i] / 3 + flat[i * m + j] / 7);
  printf("%.10g\n", sum);

#pragma omp parallel for
  for (int i = ROWS - 1; i >= 0; --i)
    for (int j = 0; j < COLUMNS; j += 2) table[i][j] = i - j / 2.0f;
#pragma omp parallel for
  for (unsigned k = 0; k < 11; ++k)
    for (int i = 4; i > -1; i--)
      for (size_t j = 0; j != 7; ++j) cube[i][j][k] = (short)(i * 100 + j * 10 + k);
#pragma omp parallel for
  for (int i = 3; i <= n - 2; i += 3) {
    local[i] = i;
    if (i + 1 < n) local[i + 1] = local[i] * 2;
    local[i - 1] = local[i] + local[i + 1];
  }
  double t = 0;
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < COLUMNS; ++j) t += table[i][j] * (i + j);
  for (int i = 2; i < n - 1; ++i) t += local[i] * i;
  long c = 0;
  for (int i = 0; i < 5 * 7 * 11; ++i) c = c * 7 % 1000033 + (&cube[0][0][0])[i];
  printf("%.10g %ld\n", t, c);

  body *bodies = malloc(100 * sizeof *bodies);
  struct pair pairs[50], offset = {3, 4};
  memset(bodies, 0, 100 * sizeof *bodies);
#pragma omp parallel for
  for (int i = 0; i < 100; ++i) {
    body *one = &bodies[i];
    for (int d = 0; d < 3; ++d) one->position[d] = i + d * 0.5;
    one->mass = (float)i / 4;
    bodies[i].kind = i % 3;
  }
#pragma omp parallel for
  for (int i = 0; i < 50; ++i) {
    struct pair made = {i, bodies[2 * i + 1].kind};
    made.second += offset.second;
    pairs[i] = made;
    pairs[i].first += offset.first;
  }
  double s = 0;
  for (int i = 0; i < 50; ++i) s += pairs[i].first * pairs[i].second + bodies[i].position[2] * bodies[i].mass;
  printf("%.10g\n", s);
  free(a), free(b), free(flat), free(bodies);
  return 0;
}
