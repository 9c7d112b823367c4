// cuBLAS's single-precision routines without tensor cores: what Hoist's programs are held against. The
// libraries are opened at run time and their few functions declared here, so that this builds anywhere and
// runs where they are.
//
//   cublas_bench [--library libcublas.so.13] [--json OUT.json] [--markdown OUT.md] [--commit ID] [SHAPE ...]
//
// A shape is ROUTINE:LENGTHxLENGTH..., its lengths in the order of the table `routines` (`sgemv:8192x4096`,
// `saxpy:67108864`); one length stands for all of them, and a shape without a routine is one of sgemm
// (`4096`, `2048x2048x512`). Matrices lie by rows, as in kernels/: cuBLAS, which has them by columns, sees
// their transposes.
//
// Each routine does the arithmetic of the program of kernels/ that BLAS has it for, reads what the program
// reads, and is checked on the host, where the truth is a sum in double precision. What a routine overwrites
// is restored before the call that is checked. Read in this order: `Driver` and `Blas`, the libraries;
// `Bench`, how a call is timed; a function for each kind of routine; the table of all; the shapes.
//
// Exit status 77 where there is no driver, no device or no cuBLAS.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <memory>

#include "foreign.hpp"

namespace {

using namespace hoist::bench;
using hoist::runtime::Measurement;
using nlohmann::json;

using DevicePointer = unsigned long long;  // CUdeviceptr
using Floats = std::vector<float>;

struct Driver {
  explicit Driver(void* library) : library_(library) {
    try {
      Function<unsigned>(library, "cuInit")(0);
      Function<int*, int>(library, "cuDeviceGet")(&device, 0);
    } catch (const Failed& failed) {
      throw Skip{"no device: " + failed.what};
    }
    char text[256] = {};
    Function<char*, int, int>(library, "cuDeviceGetName")(text, sizeof text, device);
    name = text;
    void* context = nullptr;
    Function<void**, int>(library, "cuDevicePrimaryCtxRetain")(&context, device);
    Function<void*>(library, "cuCtxSetCurrent")(context);
    for (void** event : {&start, &stop}) Function<void**, unsigned>(library, "cuEventCreate")(event, 0);
  }

  void* library_;
  int device = 0;
  std::string name;
  void *start = nullptr, *stop = nullptr;
  Function<DevicePointer*, std::size_t> allocate{library_, "cuMemAlloc_v2"};
  Function<DevicePointer> release{library_, "cuMemFree_v2"};
  Function<DevicePointer, const void*, std::size_t> write{library_, "cuMemcpyHtoD_v2"};
  Function<void*, DevicePointer, std::size_t> read{library_, "cuMemcpyDtoH_v2"};
  Function<void*, void*> record{library_, "cuEventRecord"};
  Function<void*> wait{library_, "cuEventSynchronize"};
  Function<float*, void*, void*> elapsed{library_, "cuEventElapsedTime"};
};

constexpr int by_columns = 0, transposed = 1;  // CUBLAS_OP_N, CUBLAS_OP_T
constexpr int lower = 0;                       // CUBLAS_FILL_MODE_LOWER

struct Blas {
  explicit Blas(void* library) : library_(library) {
    constexpr int pedantic = 2;           // CUBLAS_PEDANTIC_MATH: single precision in every step
    constexpr int scalars_on_device = 1;  // CUBLAS_POINTER_MODE_DEVICE
    for (void** each : {&handle, &reducing}) {
      Function<void**>(library, "cublasCreate_v2")(each);
      Function<void*, int>(library, "cublasSetMathMode")(*each, pedantic);
    }
    Function<void*, int>(library, "cublasSetPointerMode_v2")(reducing, scalars_on_device);
  }

  void* library_;
  void* handle = nullptr;    ///< its scalars, alpha and beta, are on the host
  void* reducing = nullptr;  ///< its scalar, the result, stays on the device, as a program's does
  Function<void*, int, int, int, int, int, const float*, DevicePointer, int, DevicePointer, int, const float*,
           DevicePointer, int>
      gemm{library_, "cublasSgemm_v2"};
  Function<void*, int, int, int, int, int, const float*, DevicePointer, int, long long, DevicePointer, int,
           long long, const float*, DevicePointer, int, long long, int>
      gemm_batched{library_, "cublasSgemmStridedBatched"};
  Function<void*, int, int, int, int, const float*, DevicePointer, int, const float*, DevicePointer, int>
      syrk{library_, "cublasSsyrk_v2"};
  Function<void*, int, int, int, const float*, DevicePointer, int, DevicePointer, int, const float*,
           DevicePointer, int>
      gemv{library_, "cublasSgemv_v2"};
  Function<void*, int, const float*, DevicePointer, int, DevicePointer, int> axpy{library_, "cublasSaxpy_v2"};
  Function<void*, int, const float*, DevicePointer, int> scal{library_, "cublasSscal_v2"};
  Function<void*, int, DevicePointer, int, DevicePointer, int, DevicePointer> dot{library_, "cublasSdot_v2"};
  Function<void*, int, DevicePointer, int, DevicePointer> asum{library_, "cublasSasum_v2"},
      nrm2{library_, "cublasSnrm2_v2"}, isamax{library_, "cublasIsamax_v2"};
};

// Repeated in place, a scaling by alpha stays finite; beta is not 0, so that what was there is read.
constexpr float one = 1, zero = 0, alpha = -1, beta = 0.5;

/// Memory of the device that begins with these values.
class DeviceArray {
 public:
  DeviceArray(const Driver& driver, const Floats& values)
      : driver_(driver), bytes_(values.size() * sizeof(float)) {
    driver.allocate(&pointer_, bytes_);
    write(values);
  }
  DeviceArray(const DeviceArray&) = delete;
  ~DeviceArray() {
    try {
      driver_.release(pointer_);
    } catch (const Failed&) {
      // The call that broke the context has been reported, and so will the next one be.
    }
  }
  operator DevicePointer() const { return pointer_; }
  void write(const Floats& values) const { driver_.write(pointer_, values.data(), bytes_); }
  Floats read() const {
    Floats values(bytes_ / sizeof(float));
    driver_.read(values.data(), pointer_, bytes_);
    return values;
  }

 private:
  const Driver& driver_;
  std::size_t bytes_;
  DevicePointer pointer_ = 0;
};

struct Timed {
  Measurement measurement;
  Floats result;
};

struct Bench {
  Driver driver;
  Blas blas;
  std::size_t repetitions;

  DeviceArray array(const Floats& values) const { return DeviceArray(driver, values); }

  /// The times of a call that writes `out`, and what it makes of the values that `out` has at first.
  Timed time(const std::function<void()>& call, const DeviceArray& out, const Floats& before) const {
    const auto once = [&]() -> double {
      driver.record(driver.start, nullptr);
      call();
      driver.record(driver.stop, nullptr);
      driver.wait(driver.stop);
      float milliseconds = 0;
      driver.elapsed(&milliseconds, driver.start, driver.stop);
      return milliseconds * 1e-3;
    };
    Measurement measurement = times_of(once, repetitions);
    out.write(before);
    call();
    return {std::move(measurement), out.read()};
  }
};

using Lengths = std::vector<std::size_t>;

/// `count` products C = A B of m rows, n columns and inner length k, of matrices one after the other. A is
/// stored as its transpose where `a_transposed`, B where `b_transposed`.
struct Products {
  std::size_t count, m, n, k;
  bool a_transposed = false, b_transposed = false;
};

template <class Call>
Measurement time_products(const Bench& bench, const Products& of, const Call& call) {
  const Floats a = random_floats(of.count * of.m * of.k), b = random_floats(of.count * of.k * of.n);
  const Floats before(of.count * of.m * of.n);
  const DeviceArray da = bench.array(a), db = bench.array(b), dc = bench.array(before);
  const Timed timed = bench.time([&] { call(da, db, dc); }, dc, before);
  const std::size_t row_of_a = of.a_transposed ? 1 : of.k, column_of_a = of.a_transposed ? of.m : 1;
  const std::size_t row_of_b = of.b_transposed ? 1 : of.n, column_of_b = of.b_transposed ? of.k : 1;
  check_elements(timed.result, of.k, [&](std::size_t index) {
    const std::size_t column = index % of.n, row = index / of.n % of.m, which = index / of.n / of.m;
    double sum = 0;
    for (std::size_t i = 0; i < of.k; ++i) {
      sum += static_cast<double>(a[which * of.m * of.k + row * row_of_a + i * column_of_a]) *
             b[which * of.k * of.n + i * row_of_b + column * column_of_b];
    }
    return sum;
  });
  return timed.measurement;
}

/// The transpose of C is that of B times that of A: cuBLAS's first operand is B, and one that is stored as
/// its transpose is what cuBLAS has to transpose.
template <bool a_transposed, bool b_transposed>
Measurement time_gemm(const Bench& bench, const Lengths& of) {
  const int m = static_cast<int>(of[0]), n = static_cast<int>(of[1]), k = static_cast<int>(of[2]);
  const auto call = [&](DevicePointer a, DevicePointer b, DevicePointer c) {
    bench.blas.gemm(bench.blas.handle, b_transposed ? transposed : by_columns,
                    a_transposed ? transposed : by_columns, n, m, k, &one, b, b_transposed ? k : n, a,
                    a_transposed ? m : k, &zero, c, n);
  };
  return time_products(bench, {1, of[0], of[1], of[2], a_transposed, b_transposed}, call);
}

Measurement time_gemm_batched(const Bench& bench, const Lengths& of) {
  const int count = static_cast<int>(of[0]);
  const int m = static_cast<int>(of[1]), n = static_cast<int>(of[2]), k = static_cast<int>(of[3]);
  const auto elements = [](int rows, int columns) { return static_cast<long long>(rows) * columns; };
  const auto call = [&](DevicePointer a, DevicePointer b, DevicePointer c) {
    bench.blas.gemm_batched(bench.blas.handle, by_columns, by_columns, n, m, k, &one, b, n, elements(k, n), a,
                            k, elements(m, k), &zero, c, n, elements(m, n), count);
  };
  return time_products(bench, {of[0], of[1], of[2], of[3]}, call);
}

/// alpha A A^T + beta C, of which cuBLAS writes one triangle: by rows the upper one. kernels/syrk.hoist
/// writes all of C.
Measurement time_syrk(const Bench& bench, const Lengths& of) {
  const std::size_t n = of[0], k = of[1];
  const Floats a = random_floats(n * k), before = random_floats(n * n);
  const DeviceArray da = bench.array(a), dc = bench.array(before);
  const auto call = [&] {
    bench.blas.syrk(bench.blas.handle, lower, transposed, static_cast<int>(n), static_cast<int>(k), &alpha,
                    da, static_cast<int>(k), &beta, dc, static_cast<int>(n));
  };
  const Timed timed = bench.time(call, dc, before);
  check_elements(timed.result, k + 1, [&](std::size_t index) {
    const std::size_t row = index / n, column = index % n;
    if (column < row) return static_cast<double>(before[index]);
    double sum = 0;
    for (std::size_t i = 0; i < k; ++i) sum += static_cast<double>(a[row * k + i]) * a[column * k + i];
    return alpha * sum + beta * static_cast<double>(before[index]);
  });
  return timed.measurement;
}

/// alpha A x + beta y, or alpha A^T x + beta y.
template <bool of_transpose>
Measurement time_gemv(const Bench& bench, const Lengths& of) {
  const std::size_t m = of[0], n = of[1], inner = of_transpose ? m : n;
  const Floats a = random_floats(m * n), x = random_floats(inner),
               before = random_floats(of_transpose ? n : m);
  const DeviceArray da = bench.array(a), dx = bench.array(x), dy = bench.array(before);
  const auto call = [&] {
    bench.blas.gemv(bench.blas.handle, of_transpose ? by_columns : transposed, static_cast<int>(n),
                    static_cast<int>(m), &alpha, da, static_cast<int>(n), dx, 1, &beta, dy, 1);
  };
  const Timed timed = bench.time(call, dy, before);
  check_elements(timed.result, inner + 1, [&](std::size_t index) {
    double sum = 0;
    for (std::size_t i = 0; i < inner; ++i)
      sum += static_cast<double>(of_transpose ? a[i * n + index] : a[index * n + i]) * x[i];
    return alpha * sum + beta * static_cast<double>(before[index]);
  });
  return timed.measurement;
}

Measurement time_axpy(const Bench& bench, const Lengths& of) {
  const Floats x = random_floats(of[0]), before = random_floats(of[0]);
  const DeviceArray dx = bench.array(x), dy = bench.array(before);
  const int n = static_cast<int>(of[0]);
  const Timed timed =
      bench.time([&] { bench.blas.axpy(bench.blas.handle, n, &alpha, dx, 1, dy, 1); }, dy, before);
  check_elements(timed.result, 1, [&](std::size_t index) {
    return alpha * static_cast<double>(x[index]) + static_cast<double>(before[index]);
  });
  return timed.measurement;
}

Measurement time_scal(const Bench& bench, const Lengths& of) {
  const Floats before = random_floats(of[0]);
  const DeviceArray dx = bench.array(before);
  const int n = static_cast<int>(of[0]);
  const Timed timed = bench.time([&] { bench.blas.scal(bench.blas.handle, n, &alpha, dx, 1); }, dx, before);
  check_elements(timed.result, 1,
                 [&](std::size_t index) { return alpha * static_cast<double>(before[index]); });
  return timed.measurement;
}

Measurement time_dot(const Bench& bench, const Lengths& of) {
  const Floats x = random_floats(of[0]), y = random_floats(of[0]), before(1);
  const DeviceArray dx = bench.array(x), dy = bench.array(y), result = bench.array(before);
  const int n = static_cast<int>(of[0]);
  const Timed timed =
      bench.time([&] { bench.blas.dot(bench.blas.reducing, n, dx, 1, dy, 1, result); }, result, before);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(x[i]) * y[i];
  check_elements(timed.result, of[0], [&](std::size_t) { return sum; });
  return timed.measurement;
}

/// The times of a routine that reduces a vector to a number, and the vector and the number.
struct Reduced {
  Measurement measurement;
  Floats x;
  float result;
};

template <class Routine>
Reduced time_reduction(const Bench& bench, const Routine& routine, std::size_t n) {
  Floats x = random_floats(n);
  const Floats before(1);
  const DeviceArray dx = bench.array(x), result = bench.array(before);
  Timed timed =
      bench.time([&] { routine(bench.blas.reducing, static_cast<int>(n), dx, 1, result); }, result, before);
  return {std::move(timed.measurement), std::move(x), timed.result.front()};
}

Measurement time_asum(const Bench& bench, const Lengths& of) {
  const Reduced reduced = time_reduction(bench, bench.blas.asum, of[0]);
  double sum = 0;
  for (const float each : reduced.x) sum += std::fabs(static_cast<double>(each));
  check_elements({reduced.result}, of[0], [&](std::size_t) { return sum; });
  return reduced.measurement;
}

/// The norm's square is what is checked, by the bound for sums.
Measurement time_nrm2(const Bench& bench, const Lengths& of) {
  const Reduced reduced = time_reduction(bench, bench.blas.nrm2, of[0]);
  double sum = 0;
  for (const float each : reduced.x) sum += static_cast<double>(each) * each;
  check_elements({reduced.result * reduced.result}, of[0], [&](std::size_t) { return sum; });
  return reduced.measurement;
}

/// Where the largest absolute value is first, counted from one.
Measurement time_isamax(const Bench& bench, const Lengths& of) {
  const Reduced reduced = time_reduction(bench, bench.blas.isamax, of[0]);
  const auto smaller = [](float a, float b) { return std::fabs(a) < std::fabs(b); };
  const auto largest = std::max_element(reduced.x.begin(), reduced.x.end(), smaller);
  const auto found = std::bit_cast<int>(reduced.result);
  if (found != largest - reduced.x.begin() + 1) throw Failed{"wrong: element " + std::to_string(found)};
  return reduced.measurement;
}

double product(std::initializer_list<std::size_t> lengths) {
  double result = 1;
  for (const std::size_t each : lengths) result *= static_cast<double>(each);
  return result;
}

struct Routine {
  std::string name;
  std::vector<const char*> lengths;
  double (*flops)(const Lengths&);
  double (*elements)(const Lengths&);  ///< read and written, each array once, twice what is overwritten
  Measurement (*time)(const Bench&, const Lengths&);
};

double gemm_flops(const Lengths& of) { return 2 * product({of[0], of[1], of[2]}); }
double gemm_elements(const Lengths& of) {
  return product({of[0], of[2]}) + product({of[2], of[1]}) + product({of[0], of[1]});
}
double gemv_flops(const Lengths& of) { return 2 * product({of[0], of[1]}); }
template <int per_element>
double of_vector(const Lengths& of) {
  return per_element * product({of[0]});
}

const std::vector<Routine> routines{
    {"sgemm", {"M", "N", "K"}, gemm_flops, gemm_elements, time_gemm<false, false>},
    {"sgemm_nt", {"M", "N", "K"}, gemm_flops, gemm_elements, time_gemm<false, true>},
    {"sgemm_tn", {"M", "N", "K"}, gemm_flops, gemm_elements, time_gemm<true, false>},
    {"sgemm_tt", {"M", "N", "K"}, gemm_flops, gemm_elements, time_gemm<true, true>},
    {"sgemm_batched",
     {"P", "M", "N", "K"},
     [](const Lengths& of) {
       return product({of[0]}) * gemm_flops({of[1], of[2], of[3]});
     },
     [](const Lengths& of) {
       return product({of[0]}) * gemm_elements({of[1], of[2], of[3]});
     },
     time_gemm_batched},
    {"ssyrk",
     {"N", "K"},
     [](const Lengths& of) {
       return product({of[0], of[0] + 1, of[1]});
     },
     [](const Lengths& of) {
       return product({of[0], of[1]}) + product({of[0], of[0] + 1});
     },
     time_syrk},
    {"sgemv",
     {"M", "N"},
     gemv_flops,
     [](const Lengths& of) {
       return product({of[0], of[1]}) + product({of[1]}) + 2 * product({of[0]});
     },
     time_gemv<false>},
    {"sgemv_t",
     {"M", "N"},
     gemv_flops,
     [](const Lengths& of) {
       return product({of[0], of[1]}) + product({of[0]}) + 2 * product({of[1]});
     },
     time_gemv<true>},
    {"saxpy", {"N"}, of_vector<2>, of_vector<3>, time_axpy},
    {"sscal", {"N"}, of_vector<1>, of_vector<2>, time_scal},
    {"sdot", {"N"}, of_vector<2>, of_vector<2>, time_dot},
    {"sasum", {"N"}, of_vector<1>, of_vector<1>, time_asum},
    {"snrm2", {"N"}, of_vector<2>, of_vector<1>, time_nrm2},
    {"isamax", {"N"}, of_vector<0>, of_vector<1>, time_isamax},
};

struct Shape {
  const Routine* routine;
  Lengths lengths;
};

Shape shape_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = colon == std::string::npos ? "sgemm" : text.substr(0, colon);
  const auto routine =
      std::find_if(routines.begin(), routines.end(), [&](const Routine& each) { return each.name == name; });
  if (routine == routines.end()) throw CLI::ValidationError(text, "is of no routine that is known");
  Lengths lengths = lengths_of(colon == std::string::npos ? text : text.substr(colon + 1));
  const std::size_t wanted = routine->lengths.size();
  if (lengths.size() == 1) lengths.resize(wanted, lengths.front());
  if (lengths.size() != wanted)
    throw CLI::ValidationError(text, "has not one length or " + std::to_string(wanted));
  return {&*routine, std::move(lengths)};
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> texts{"1024", "2048", "4096", "8192"};
  std::vector<std::string> libraries{"libcublas.so.13", "libcublas.so.12",
                                     "/usr/local/cuda/lib64/libcublas.so"};
  std::string known;
  for (const Routine& each : routines) {
    known += (known.empty() ? "" : ", ") + each.name + ":";
    for (const char* length : each.lengths)
      known += (length == each.lengths.front() ? "" : "x") + std::string(length);
  }
  Output output;
  CLI::App app("cuBLAS's single-precision routines, without tensor cores");
  app.add_option("shapes", texts, known + "; a shape without a routine is sgemm's, one length stands for all")
      ->capture_default_str();
  app.add_option("--library", libraries, "cuBLAS; the first that opens")->capture_default_str();
  output.add_options(app);
  std::vector<Shape> shapes;
  app.final_callback([&] {
    for (const std::string& each : texts) shapes.push_back(shape_of(each));
  });
  CLI11_PARSE(app, count, arguments);
  std::unique_ptr<Bench> bench;
  const auto cases = [&](json& common) {
    bench.reset(
        new Bench{Driver(open_first({"libcuda.so.1"})), Blas(open_first(libraries)), output.repetitions});
    common.update({{"backend", "cublas"}, {"device", bench->driver.name}, {"variant", "pedantic"}});
    std::vector<LibraryCase> all;
    for (const Shape& of : shapes) {
      LibraryCase each{of.routine->name,
                       {},
                       of.routine->flops(of.lengths),
                       of.routine->elements(of.lengths) * sizeof(float),
                       [&, of] { return of.routine->time(*bench, of.lengths); }};
      for (std::size_t i = 0; i < of.lengths.size(); ++i)
        each.sizes.emplace_back(of.routine->lengths[i], of.lengths[i]);
      all.push_back(std::move(each));
    }
    return all;
  };
  return report_library(cases, output);
}
