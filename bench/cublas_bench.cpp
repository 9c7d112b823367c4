// cuBLAS's single-precision matrix product without tensor cores: what Hoist's is held against. The libraries
// are opened at run time and their few functions declared here, so that this builds anywhere and runs where
// they are.
//
//   cublas_bench [--library libcublas.so.13] [--json OUT.json] [--markdown OUT.md] [--commit ID] [size ...]
//
// Exit status 77 where there is no driver, no device or no cuBLAS.
#include <dlfcn.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "runtime/measure.hpp"

namespace {

using hoist::runtime::Measurement;
using nlohmann::json;

constexpr int skipped = 77;
constexpr std::uint64_t seed = 20261121;

struct Skip {
  std::string reason;
};
struct Failed {
  std::string what;
};

using DevicePointer = unsigned long long;  // CUdeviceptr

void* open_first(const std::vector<std::string>& names) {
  std::string tried;
  for (const std::string& name : names) {
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
    tried += (tried.empty() ? "" : ", ") + name;
  }
  throw Skip{"none of these could be opened: " + tried};
}

/// A function of a library that returns 0 when all is well.
template <class... Parameters>
class Function {
 public:
  Function(void* library, const char* name) : name_(name) {
    *reinterpret_cast<void**>(&pointer_) = dlsym(library, name);
    if (!pointer_) throw Skip{std::string("the library has no ") + name};
  }
  void operator()(Parameters... parameters) const {
    if (int status = pointer_(parameters...))
      throw Failed{std::string(name_) + " gave " + std::to_string(status)};
  }

 private:
  const char* name_;
  int (*pointer_)(Parameters...) = nullptr;
};

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

struct Blas {
  explicit Blas(void* library) : multiply(library, "cublasSgemm_v2") {
    constexpr int pedantic = 2;  // CUBLAS_PEDANTIC_MATH: single precision in every step
    Function<void**>(library, "cublasCreate_v2")(&handle);
    Function<void*, int>(library, "cublasSetMathMode")(handle, pedantic);
  }
  void* handle = nullptr;
  Function<void*, int, int, int, int, int, const float*, DevicePointer, int, DevicePointer, int, const float*,
           DevicePointer, int>
      multiply;
};

/// The largest error of 64 elements of C = A B, in units of what rounding may make of sums of random
/// products.
double error_of(const std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& c,
                std::size_t n) {
  std::mt19937_64 random(seed);
  double largest = 0;
  for (int i = 0; i < 64; ++i) {
    const std::size_t row = random() % n, column = random() % n;
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += static_cast<double>(a[row * n + k]) * b[k * n + column];
    const double bound = 8 * 0x1p-24 * static_cast<double>(n);
    largest = std::max(largest, std::fabs(sum - c[row * n + column]) / bound);
  }
  return largest;
}

Measurement time_product(const Driver& driver, const Blas& blas, std::size_t n, std::size_t repetitions) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> between(-1, 1);
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (float& x : a) x = between(random);
  for (float& x : b) x = between(random);
  const std::size_t bytes = n * n * sizeof(float);
  DevicePointer da = 0, db = 0, dc = 0;
  for (DevicePointer* pointer : {&da, &db, &dc}) driver.allocate(pointer, bytes);
  driver.write(da, a.data(), bytes);
  driver.write(db, b.data(), bytes);
  const float one = 1, zero = 0;
  const int size = static_cast<int>(n);
  // cuBLAS stores by columns: its B A is the row-major A B.
  auto once = [&]() -> double {
    driver.record(driver.start, nullptr);
    blas.multiply(blas.handle, 0, 0, size, size, size, &one, db, size, da, size, &zero, dc, size);
    driver.record(driver.stop, nullptr);
    driver.wait(driver.stop);
    float milliseconds = 0;
    driver.elapsed(&milliseconds, driver.start, driver.stop);
    return milliseconds * 1e-3;
  };
  for (int i = 0; i < 3; ++i) once();
  std::vector<double> seconds;
  for (std::size_t i = 0; i < repetitions; ++i) seconds.push_back(once());
  driver.read(c.data(), dc, bytes);
  for (DevicePointer pointer : {da, db, dc}) driver.release(pointer);
  if (double error = error_of(a, b, c, n); !(error <= 1))
    throw Failed{"wrong: " + std::to_string(error) + " of the bound"};
  return hoist::runtime::summarize(std::move(seconds));
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::size_t> sizes{1024, 2048, 4096, 8192};
  std::vector<std::string> libraries{"libcublas.so.13", "libcublas.so.12",
                                     "/usr/local/cuda/lib64/libcublas.so"};
  std::string json_path, markdown_path, commit = "unknown";
  std::size_t repetitions = 21;
  CLI::App app("cuBLAS's single-precision matrix product, without tensor cores");
  app.add_option("sizes", sizes, "of square matrices")->capture_default_str();
  app.add_option("--library", libraries, "cuBLAS; the first that opens")->capture_default_str();
  app.add_option("--repetitions", repetitions)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--json", json_path, "writes rows to this file");
  app.add_option("--markdown", markdown_path, "writes the table to this file");
  app.add_option("--commit", commit, "named in each row")->capture_default_str();
  CLI11_PARSE(app, count, arguments);
  try {
    const Driver driver(open_first({"libcuda.so.1"}));
    const Blas blas(open_first(libraries));
    json rows = json::array();
    std::string table =
        "| benchmark | sizes | median ms | spread | TFLOP/s | outcome |\n|---|---|---:|---:|---:|---|\n";
    bool all_right = true;
    for (std::size_t n : sizes) {
      json row{{"benchmark", "sgemm"}, {"backend", "cublas"},   {"device", driver.name},
               {"commit", commit},     {"variant", "pedantic"}, {"sizes", {{"M", n}, {"N", n}, {"K", n}}}};
      try {
        const Measurement measured = time_product(driver, blas, n, repetitions);
        const double tera = 2.0 * std::pow(static_cast<double>(n), 3) / measured.median * 1e-12;
        row.update({{"repetitions", repetitions},
                    {"median_seconds", measured.median},
                    {"spread", measured.spread},
                    {"gflop_per_second", tera * 1e3},
                    {"verified", true},
                    {"outcome", "ok"}});
        table += fmt::format("| sgemm | M=N=K={} | {:.4f} | {:.1f}% | {:.2f} | ok |\n", n,
                             measured.median * 1e3, measured.spread * 100, tera);
      } catch (const Failed& failed) {
        all_right = false;
        row["outcome"] = failed.what;
        table += fmt::format("| sgemm | M=N=K={} | | | | {} |\n", n, failed.what);
      }
      rows.push_back(std::move(row));
    }
    std::cout << table;
    if (!json_path.empty()) std::ofstream(json_path) << rows.dump(1) << "\n";
    if (!markdown_path.empty()) std::ofstream(markdown_path) << table;
    return all_right ? 0 : 3;
  } catch (const Skip& skip) {
    std::cout << "skipped: " << skip.reason << "\n";
    return skipped;
  } catch (const Failed& failed) {
    std::cerr << "error: " << failed.what << "\n";
    return 2;
  }
}
