// Products of matrices and tensors, and rearrangements of a matrix.
#include <algorithm>

#include "plain/plain.hpp"

namespace hoist::plain {

namespace {

/// A row of a product: out[j] = sum over k of row[k * stride] * b[k][j].
void row_times_matrix(const float* row, long stride, const float* b, float* __restrict out, long n, long k) {
  std::fill_n(out, n, 0.0f);
  for (long l = 0; l < k; ++l) {
    const float factor = row[l * stride];
    for (long j = 0; j < n; ++j) out[j] += factor * b[l * n + j];
  }
}

void matmul_nn(const float* a, const float* b, float* c, long m, long n, long k) {
#pragma omp parallel for
  for (long i = 0; i < m; ++i) row_times_matrix(a + i * k, 1, b, c + i * n, n, k);
}

void matmul_tn(const float* a, const float* b, float* c, long m, long n, long k) {
#pragma omp parallel for
  for (long i = 0; i < m; ++i) row_times_matrix(a + i, m, b, c + i * n, n, k);
}

void matmul_nt(const float* a, const float* b, float* __restrict c, long m, long n, long k) {
#pragma omp parallel for
  for (long i = 0; i < m; ++i) {
    for (long j = 0; j < n; ++j) {
      float sum = 0;
      for (long l = 0; l < k; ++l) sum += a[i * k + l] * b[j * k + l];
      c[i * n + j] = sum;
    }
  }
}

// No order of the loops reads and writes all three in order: column by column, only the result is not.
void matmul_tt(const float* a, const float* b, float* __restrict c, long m, long n, long k) {
#pragma omp parallel for
  for (long j = 0; j < n; ++j) {
    std::vector<float> column(static_cast<std::size_t>(m));
    row_times_matrix(b + j * k, 1, a, column.data(), m, k);
    for (long i = 0; i < m; ++i) c[i * n + j] = column[static_cast<std::size_t>(i)];
  }
}

void matmul_batched(const float* a, const float* b, float* c, long p, long m, long n, long k) {
#pragma omp parallel for
  for (long q = 0; q < p; ++q) {
    for (long i = 0; i < m; ++i)
      row_times_matrix(a + (q * m + i) * k, 1, b + q * k * n, c + (q * m + i) * n, n, k);
  }
}

void syrk(float alpha, const float* a, float beta, const float* c, float* __restrict out, long n, long k) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) {
      float sum = 0;
      for (long l = 0; l < k; ++l) sum += a[i * k + l] * a[j * k + l];
      out[i * n + j] = alpha * sum + beta * c[i * n + j];
    }
  }
}

void contraction_ijk_ilk_jl(const float* a, const float* b, float* c, long size_i, long size_j, long size_k,
                            long size_l) {
#pragma omp parallel for
  for (long i = 0; i < size_i; ++i) {
    for (long j = 0; j < size_j; ++j) {
      row_times_matrix(b + j * size_l, 1, a + i * size_l * size_k, c + (i * size_j + j) * size_k, size_k,
                       size_l);
    }
  }
}

struct SixSizes {
  long i, j, k, l, m, n;
};

void contraction_ijkl_imkn_jnlm(const float* a, const float* b, float* __restrict c, const SixSizes& size) {
#pragma omp parallel for
  for (long i = 0; i < size.i; ++i) {
    for (long j = 0; j < size.j; ++j) {
      for (long k = 0; k < size.k; ++k) {
        float* out = c + ((i * size.j + j) * size.k + k) * size.l;
        for (long l = 0; l < size.l; ++l) out[l] = 0;
        for (long n = 0; n < size.n; ++n) {
          for (long l = 0; l < size.l; ++l) {
            float sum = 0;
            for (long m = 0; m < size.m; ++m) {
              sum += a[((i * size.m + m) * size.k + k) * size.n + n] *
                     b[((j * size.n + n) * size.l + l) * size.m + m];
            }
            out[l] += sum;
          }
        }
      }
    }
  }
}

void transpose(const float* a, float* __restrict out, long h, long w) {
#pragma omp parallel for
  for (long j = 0; j < w; ++j) {
    for (long i = 0; i < h; ++i) out[j * h + i] = a[i * w + j];
  }
}

void matrix_reverse(const float* a, float* __restrict out, long h, long w) {
#pragma omp parallel for
  for (long i = 0; i < h; ++i) {
    for (long j = 0; j < w; ++j) out[i * w + j] = a[(h - 1 - i) * w + w - 1 - j];
  }
}

}  // namespace

std::vector<Kernel> matrix_kernels() {
  using A = const Arguments&;
  using Product = void (*)(const float*, const float*, float*, long, long, long);
  static constexpr auto product = [](A a, Product run) {
    run(a.reals(0), a.reals(1), a.real_output(0), a.size("M"), a.size("N"), a.size("K"));
  };
  return {
      {"matmul_nn", [](A a) { product(a, matmul_nn); }},
      {"matmul_nt", [](A a) { product(a, matmul_nt); }},
      {"matmul_tn", [](A a) { product(a, matmul_tn); }},
      {"matmul_tt", [](A a) { product(a, matmul_tt); }},
      {"matmul_batched",
       [](A a) {
         matmul_batched(a.reals(0), a.reals(1), a.real_output(0), a.size("P"), a.size("M"), a.size("N"),
                        a.size("K"));
       }},
      {"syrk",
       [](A a) {
         syrk(a.real(0), a.reals(1), a.real(2), a.reals(3), a.real_output(0), a.size("N"), a.size("K"));
       }},
      {"contraction_ij_ik_kj",
       [](A a) {
         matmul_nn(a.reals(0), a.reals(1), a.real_output(0), a.size("I"), a.size("J"), a.size("K"));
       }},
      {"contraction_ijk_ilk_jl",
       [](A a) {
         contraction_ijk_ilk_jl(a.reals(0), a.reals(1), a.real_output(0), a.size("I"), a.size("J"),
                                a.size("K"), a.size("L"));
       }},
      {"contraction_ijkl_imkn_jnlm",
       [](A a) {
         contraction_ijkl_imkn_jnlm(
             a.reals(0), a.reals(1), a.real_output(0),
             {a.size("I"), a.size("J"), a.size("K"), a.size("L"), a.size("M"), a.size("N")});
       }},
      {"transpose", [](A a) { transpose(a.reals(0), a.real_output(0), a.size("H"), a.size("W")); }},
      {"matrix_reverse", [](A a) { matrix_reverse(a.reals(0), a.real_output(0), a.size("H"), a.size("W")); }},
  };
}

}  // namespace hoist::plain
