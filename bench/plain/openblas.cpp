#include <dlfcn.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "plain/libraries.hpp"

namespace hoist::plain {

namespace {

// The values of the C interface's enumerations.
constexpr int row_major = 101, as_is = 111, transposed = 112;

/// The routines that are used; null where the library is not there.
class OpenBlas {
 public:
  OpenBlas() {
    const char* core = __builtin_cpu_supports("avx512f") ? "SkylakeX"
                       : __builtin_cpu_supports("avx2")  ? "Haswell"
                                                         : "";
    if (*core) setenv("OPENBLAS_CORETYPE", core, 0);
    void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      facts = "OpenBLAS is not here (libopenblas.so.0)";
      return;
    }
    const auto find = [&](auto& routine, const char* name) {
      routine = reinterpret_cast<std::decay_t<decltype(routine)>>(dlsym(library, name));
    };
    find(asum, "cblas_sasum");
    find(dot, "cblas_sdot");
    find(nrm2, "cblas_snrm2");
    find(axpy, "cblas_saxpy");
    find(scal, "cblas_sscal");
    find(gemv, "cblas_sgemv");
    find(gemm, "cblas_sgemm");
    is_there = asum && dot && nrm2 && axpy && scal && gemv && gemm;
    char* (*config)() = nullptr;
    char* (*core_name)() = nullptr;
    find(config, "openblas_get_config");
    find(core_name, "openblas_get_corename");
    if (config && core_name) facts = std::string(config()) + ", kernels for " + core_name();
  }
  bool is_there = false;
  std::string facts;
  float (*asum)(int, const float*, int) = nullptr;
  float (*dot)(int, const float*, int, const float*, int) = nullptr;
  float (*nrm2)(int, const float*, int) = nullptr;
  void (*axpy)(int, float, const float*, int, float*, int) = nullptr;
  void (*scal)(int, float, float*, int) = nullptr;
  void (*gemv)(int, int, int, int, float, const float*, int, const float*, int, float, float*, int) = nullptr;
  void (*gemm)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*,
               int) = nullptr;
};

const OpenBlas& blas() {
  static const OpenBlas library;
  return library;
}

int size(const Arguments& a, const char* name) { return static_cast<int>(a.size(name)); }

void copy(const float* from, float* to, long count) {
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
}

/// out = alpha op(A) x + beta out, A of m rows and n columns.
void gemv(int op, int m, int n, float alpha, const float* a, const float* x, float beta, float* out) {
  blas().gemv(row_major, op, m, n, alpha, a, n, x, 1, beta, out, 1);
}

/// c = alpha op(a) op(b) + beta c, c of m rows and n columns.
void gemm(int op_a, int op_b, int m, int n, int k, const float* a, const float* b, float* c, float alpha = 1,
          float beta = 0) {
  blas().gemm(row_major, op_a, op_b, m, n, k, alpha, a, op_a == as_is ? k : m, b, op_b == as_is ? n : k, beta,
              c, n);
}

void product(const Arguments& a, int op_a, int op_b) {
  gemm(op_a, op_b, size(a, "M"), size(a, "N"), size(a, "K"), a.reals(0), a.reals(1), a.real_output(0));
}

const std::map<std::string, void (*)(const Arguments&)>& routines() {
  using A = const Arguments&;
  static const std::map<std::string, void (*)(const Arguments&)> table{
      {"asum", [](A a) { *a.real_output(0) = blas().asum(size(a, "N"), a.reals(0), 1); }},
      {"dot", [](A a) { *a.real_output(0) = blas().dot(size(a, "N"), a.reals(0), 1, a.reals(1), 1); }},
      {"nrm2", [](A a) { *a.real_output(0) = blas().nrm2(size(a, "N"), a.reals(0), 1); }},
      {"axpy",
       [](A a) {
         copy(a.reals(2), a.real_output(0), a.size("N"));
         blas().axpy(size(a, "N"), a.real(0), a.reals(1), 1, a.real_output(0), 1);
       }},
      {"scal",
       [](A a) {
         copy(a.reals(1), a.real_output(0), a.size("N"));
         blas().scal(size(a, "N"), a.real(0), a.real_output(0), 1);
       }},
      {"gemv",
       [](A a) {
         copy(a.reals(4), a.real_output(0), a.size("M"));
         gemv(as_is, size(a, "M"), size(a, "N"), a.real(0), a.reals(1), a.reals(2), a.real(3),
              a.real_output(0));
       }},
      {"gemv_transposed",
       [](A a) {
         copy(a.reals(4), a.real_output(0), a.size("N"));
         gemv(transposed, size(a, "M"), size(a, "N"), a.real(0), a.reals(1), a.reals(2), a.real(3),
              a.real_output(0));
       }},
      {"atax",
       [](A a) {
         std::vector<float> product(static_cast<std::size_t>(a.size("M")));
         gemv(as_is, size(a, "M"), size(a, "N"), 1, a.reals(0), a.reals(1), 0, product.data());
         gemv(transposed, size(a, "M"), size(a, "N"), 1, a.reals(0), product.data(), 0, a.real_output(0));
       }},
      {"bicg",
       [](A a) {
         gemv(transposed, size(a, "M"), size(a, "N"), 1, a.reals(0), a.reals(1), 0, a.real_output(0));
         gemv(as_is, size(a, "M"), size(a, "N"), 1, a.reals(0), a.reals(2), 0, a.real_output(1));
       }},
      {"gesummv",
       [](A a) {
         gemv(as_is, size(a, "N"), size(a, "N"), a.real(0), a.reals(1), a.reals(4), 0, a.real_output(0));
         gemv(as_is, size(a, "N"), size(a, "N"), a.real(2), a.reals(3), a.reals(4), 1, a.real_output(0));
       }},
      {"mvt",
       [](A a) {
         copy(a.reals(1), a.real_output(0), a.size("N"));
         copy(a.reals(2), a.real_output(1), a.size("N"));
         gemv(as_is, size(a, "N"), size(a, "N"), 1, a.reals(0), a.reals(3), 1, a.real_output(0));
         gemv(transposed, size(a, "N"), size(a, "N"), 1, a.reals(0), a.reals(4), 1, a.real_output(1));
       }},
      {"matmul_nn", [](A a) { product(a, as_is, as_is); }},
      {"matmul_nt", [](A a) { product(a, as_is, transposed); }},
      {"matmul_tn", [](A a) { product(a, transposed, as_is); }},
      {"matmul_tt", [](A a) { product(a, transposed, transposed); }},
      {"matmul_batched",
       [](A a) {
         const int m = size(a, "M"), n = size(a, "N"), k = size(a, "K");
         for (long p = 0; p < a.size("P"); ++p) {
           gemm(as_is, as_is, m, n, k, a.reals(0) + p * m * k, a.reals(1) + p * k * n,
                a.real_output(0) + p * m * n);
         }
       }},
      {"contraction_ij_ik_kj",
       [](A a) {
         gemm(as_is, as_is, size(a, "I"), size(a, "J"), size(a, "K"), a.reals(0), a.reals(1),
              a.real_output(0));
       }},
      {"contraction_ijk_ilk_jl",
       [](A a) {
         const int j = size(a, "J"), k = size(a, "K"), l = size(a, "L");
         for (long i = 0; i < a.size("I"); ++i)
           gemm(as_is, as_is, j, k, l, a.reals(1), a.reals(0) + i * l * k, a.real_output(0) + i * j * k);
       }},
      {"syrk",
       [](A a) {
         const int n = size(a, "N"), k = size(a, "K");
         copy(a.reals(3), a.real_output(0), a.size("N") * a.size("N"));
         gemm(as_is, transposed, n, n, k, a.reals(1), a.reals(1), a.real_output(0), a.real(0), a.real(2));
       }},
  };
  return table;
}

}  // namespace

LibraryRun openblas_run(const std::string& kernel, const Arguments& arguments) {
  const auto routine = routines().find(kernel);
  if (routine == routines().end() || !blas().is_there) return {};
  return [run = routine->second, arguments] { run(arguments); };
}

std::string openblas_facts() { return blas().facts; }

}  // namespace hoist::plain
