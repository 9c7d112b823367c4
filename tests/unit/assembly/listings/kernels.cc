// The functions whose assembly the tests read; make.sh compiles them.

// A loop of vectors, and what is left of it.
extern "C" void stencil(const float* __restrict a, float* __restrict b, long n) {
  for (long i = 1; i < n - 1; ++i) b[i] = 0.25f * (a[i - 1] + a[i + 1]) + 0.5f * a[i];
}

// A reduction into registers inside two loops; its innermost loop is nested three deep.
extern "C" void product(const double* __restrict a, const double* __restrict b, double* __restrict c) {
  for (long i = 0; i < 64; ++i) {
    for (long j = 0; j < 64; j += 16) {
      double sums[16] = {};
      for (long k = 0; k < 64; ++k) {
#pragma omp simd
        for (long l = 0; l < 16; ++l) sums[l] += a[64 * i + k] * b[64 * k + j + l];
      }
      for (long l = 0; l < 16; ++l) c[64 * i + j + l] = sums[l];
    }
  }
}

// One sum, and so a chain of additions from one iteration to the next; nothing is vectorised.
extern "C" float sum(const float* a, long n) {
  float result = 0;
  for (long i = 0; i < n; ++i) result += a[i];
  return result;
}

// More sums than there are registers.
extern "C" void spill(const float* __restrict a, const float* __restrict b, float* __restrict c, long n) {
  using Vector = float __attribute__((vector_size(16)));
  Vector sums[5][4] = {};
  const Vector* left = reinterpret_cast<const Vector*>(a);
  const Vector* right = reinterpret_cast<const Vector*>(b);
  for (long k = 0; k < n; ++k) {
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 4; ++j) sums[i][j] += left[5 * k + i] * right[4 * k + j];
  }
  Vector* out = reinterpret_cast<Vector*>(c);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 4; ++j) out[4 * i + j] = sums[i][j];
}

// What is vectorised is unrolled altogether; g++ keeps a loop for arrays that overlap.
extern "C" void peeled(const float* a, const float* b, float* c) {
  for (long i = 0; i < 8; ++i) {
    for (long j = 0; j < 8; ++j) {
      for (long k = 0; k < 16; ++k) {
        float sum = 0;
        for (long l = 0; l < 8; ++l) sum += a[128 * i + 16 * l + k] * b[8 * j + l];
        c[128 * i + 16 * j + k] = sum;
      }
    }
  }
}

// The loop is in a function that the compiler makes of the parallel region.
extern "C" void parallel(const float* __restrict a, float* __restrict b) {
#pragma omp parallel for
  for (long i = 0; i < 64; ++i)
    for (long j = 0; j < 1024; ++j) b[1024 * i + j] += 3.0f * a[1024 * i + j];
}

// No loop.
extern "C" void straight(const float* a, float* b) { b[0] = a[0] * a[1]; }
