// cuBLAS's single-precision matrix product without tensor cores: what Hoist's is held against. The libraries
// are opened at run time and their few functions declared here, so that this builds anywhere and runs where
// they are.
//
//   cublas_bench [--library libcublas.so.13] [--json OUT.json] [--markdown OUT.md] [--commit ID] [size ...]
//
// Exit status 77 where there is no driver, no device or no cuBLAS.
#include <memory>

#include "foreign.hpp"

namespace {

using namespace hoist::bench;
using hoist::runtime::Measurement;
using nlohmann::json;

using DevicePointer = unsigned long long;  // CUdeviceptr

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

Measurement time_product(const Driver& driver, const Blas& blas, std::size_t n, std::size_t repetitions) {
  const std::vector<float> a = random_floats(n * n), b = random_floats(n * n);
  std::vector<float> c(n * n);
  const std::size_t bytes = n * n * sizeof(float);
  DevicePointer da = 0, db = 0, dc = 0;
  for (DevicePointer* pointer : {&da, &db, &dc}) driver.allocate(pointer, bytes);
  driver.write(da, a.data(), bytes);
  driver.write(db, b.data(), bytes);
  const float one = 1, zero = 0;
  const int size = static_cast<int>(n);
  // cuBLAS stores by columns: its B A is the row-major A B.
  const auto once = [&]() -> double {
    driver.record(driver.start, nullptr);
    blas.multiply(blas.handle, 0, 0, size, size, size, &one, db, size, da, size, &zero, dc, size);
    driver.record(driver.stop, nullptr);
    driver.wait(driver.stop);
    float milliseconds = 0;
    driver.elapsed(&milliseconds, driver.start, driver.stop);
    return milliseconds * 1e-3;
  };
  const Measurement measured = times_of(once, repetitions);
  driver.read(c.data(), dc, bytes);
  for (DevicePointer pointer : {da, db, dc}) driver.release(pointer);
  check_product(a, b, c, n, n, n);
  return measured;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::size_t> sizes{1024, 2048, 4096, 8192};
  std::vector<std::string> libraries{"libcublas.so.13", "libcublas.so.12",
                                     "/usr/local/cuda/lib64/libcublas.so"};
  Output output;
  CLI::App app("cuBLAS's single-precision matrix product, without tensor cores");
  app.add_option("sizes", sizes, "of square matrices")->capture_default_str();
  app.add_option("--library", libraries, "cuBLAS; the first that opens")->capture_default_str();
  output.add_options(app);
  CLI11_PARSE(app, count, arguments);
  std::unique_ptr<Driver> driver;
  std::unique_ptr<Blas> blas;
  const auto cases = [&](json& common) {
    driver = std::make_unique<Driver>(open_first({"libcuda.so.1"}));
    blas = std::make_unique<Blas>(open_first(libraries));
    common.update({{"backend", "cublas"}, {"device", driver->name}, {"variant", "pedantic"}});
    std::vector<LibraryCase> products;
    for (const std::size_t n : sizes) {
      const auto square = static_cast<double>(n * n);
      products.push_back({"sgemm",
                          {{"M", n}, {"N", n}, {"K", n}},
                          2 * square * static_cast<double>(n),
                          3 * square * sizeof(float),
                          [&, n] { return time_product(*driver, *blas, n, output.repetitions); }});
    }
    return products;
  };
  return report_library(cases, output);
}
