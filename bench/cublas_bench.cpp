// cuBLAS's single-precision matrix product without tensor cores: what Hoist's is held against. The libraries
// are opened at run time and their few functions declared here, so that this builds anywhere and runs where
// they are.
//
//   cublas_bench [--library libcublas.so.13] [--json OUT.json] [--markdown OUT.md] [--commit ID] [SHAPE ...]
//
// A shape is N, of square matrices, or MxNxK.
//
// Exit status 77 where there is no driver, no device or no cuBLAS.
#include <cstdio>
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

/// C = A B, where A has m rows and C has n columns.
struct Shape {
  std::size_t m = 0, n = 0, k = 0;
};

Shape shape_of(const std::string& text) {
  Shape shape;
  char end = 0;
  if (std::sscanf(text.c_str(), "%zu%c", &shape.m, &end) == 1) {
    shape.n = shape.k = shape.m;
  } else if (std::sscanf(text.c_str(), "%zux%zux%zu%c", &shape.m, &shape.n, &shape.k, &end) != 3) {
    throw CLI::ValidationError(text, "is neither N nor MxNxK");
  }
  // What is negative is read as huge.
  constexpr std::size_t most = 1 << 20;
  for (const std::size_t length : {shape.m, shape.n, shape.k}) {
    if (length == 0 || length > most)
      throw CLI::ValidationError(text, "has a length that is not from 1 to 2^20");
  }
  return shape;
}

Measurement time_product(const Driver& driver, const Blas& blas, const Shape& of, std::size_t repetitions) {
  const std::vector<float> a = random_floats(of.m * of.k), b = random_floats(of.k * of.n);
  std::vector<float> c(of.m * of.n);
  const auto bytes = [](const std::vector<float>& array) { return array.size() * sizeof(float); };
  DevicePointer da = 0, db = 0, dc = 0;
  driver.allocate(&da, bytes(a));
  driver.allocate(&db, bytes(b));
  driver.allocate(&dc, bytes(c));
  driver.write(da, a.data(), bytes(a));
  driver.write(db, b.data(), bytes(b));
  const float one = 1, zero = 0;
  const auto m = static_cast<int>(of.m), n = static_cast<int>(of.n), k = static_cast<int>(of.k);
  // cuBLAS stores by columns: its B A is the row-major A B.
  const auto once = [&]() -> double {
    driver.record(driver.start, nullptr);
    blas.multiply(blas.handle, 0, 0, n, m, k, &one, db, n, da, k, &zero, dc, n);
    driver.record(driver.stop, nullptr);
    driver.wait(driver.stop);
    float milliseconds = 0;
    driver.elapsed(&milliseconds, driver.start, driver.stop);
    return milliseconds * 1e-3;
  };
  const Measurement measured = times_of(once, repetitions);
  driver.read(c.data(), dc, bytes(c));
  for (DevicePointer pointer : {da, db, dc}) driver.release(pointer);
  check_product(a, b, c, of.m, of.n, of.k);
  return measured;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> sizes{"1024", "2048", "4096", "8192"};
  std::vector<std::string> libraries{"libcublas.so.13", "libcublas.so.12",
                                     "/usr/local/cuda/lib64/libcublas.so"};
  Output output;
  CLI::App app("cuBLAS's single-precision matrix product, without tensor cores");
  app.add_option("sizes", sizes, "N of square matrices, or MxNxK")->capture_default_str();
  app.add_option("--library", libraries, "cuBLAS; the first that opens")->capture_default_str();
  output.add_options(app);
  std::vector<Shape> shapes;
  app.final_callback([&] {
    for (const std::string& each : sizes) shapes.push_back(shape_of(each));
  });
  CLI11_PARSE(app, count, arguments);
  std::unique_ptr<Driver> driver;
  std::unique_ptr<Blas> blas;
  const auto cases = [&](json& common) {
    driver = std::make_unique<Driver>(open_first({"libcuda.so.1"}));
    blas = std::make_unique<Blas>(open_first(libraries));
    common.update({{"backend", "cublas"}, {"device", driver->name}, {"variant", "pedantic"}});
    std::vector<LibraryCase> products;
    for (const Shape& of : shapes) {
      const std::size_t elements = of.m * of.k + of.k * of.n + of.m * of.n;
      products.push_back({"sgemm",
                          {{"M", of.m}, {"N", of.n}, {"K", of.k}},
                          2 * static_cast<double>(of.m * of.n) * static_cast<double>(of.k),
                          static_cast<double>(elements * sizeof(float)),
                          [&, of] { return time_product(*driver, *blas, of, output.repetitions); }});
    }
    return products;
  };
  return report_library(cases, output);
}
