// CLBlast's single-precision matrix product and matrix-vector product on an OpenCL device: what Hoist's are
// held against. The library is opened at run time and its two functions declared here, so that this builds
// anywhere and runs where it is. Its kernels have the parameters that it ships with for the device.
//
//   clblast_bench [--device opencl:0] [--library libclblast.so.1] [--json OUT.json] [--markdown OUT.md]
//   [--commit ID] [size ...]
//
// Exit status 77 where there is no such device or no CLBlast.
#include <algorithm>

#include "foreign.hpp"
#include "runtime/opencl/enumerate.hpp"

namespace {

using namespace hoist::bench;
using hoist::runtime::Measurement;
using nlohmann::json;

constexpr int row_major = 101, not_transposed = 111;  // CLBlastLayoutRowMajor, CLBlastTransposeNo

void require(cl_int status, const char* attempted) {
  if (status != CL_SUCCESS) throw Failed{std::string(attempted) + " gave " + std::to_string(status)};
}

/// A device and its queue, in order; they live as long as the process.
class Device {
 public:
  explicit Device(const std::string& id) {
    auto found = hoist::runtime::opencl::enumerate();
    const auto device = std::find_if(found.devices.begin(), found.devices.end(),
                                     [&](const auto& each) { return each.info.id == id; });
    if (device == found.devices.end()) throw Skip{"there is no device " + id};
    name = device->info.name;
    cl_ = found.functions;
    cl_int status = CL_SUCCESS;
    context_ = cl_.clCreateContext(nullptr, 1, &device->device, nullptr, nullptr, &status);
    require(status, "clCreateContext");
    queue = cl_.clCreateCommandQueue(context_, device->device, CL_QUEUE_PROFILING_ENABLE, &status);
    require(status, "clCreateCommandQueue");
  }
  cl_mem array(const std::vector<float>& values) const {
    const std::size_t bytes = values.size() * sizeof(float);
    cl_int status = CL_SUCCESS;
    cl_mem memory = cl_.clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, nullptr, &status);
    require(status, "clCreateBuffer");
    require(cl_.clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, bytes, values.data(), 0, nullptr, nullptr),
            "clEnqueueWriteBuffer");
    return memory;
  }
  std::vector<float> read(cl_mem memory, std::size_t elements) const {
    std::vector<float> values(elements);
    require(cl_.clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, elements * sizeof(float), values.data(), 0,
                                    nullptr, nullptr),
            "clEnqueueReadBuffer");
    return values;
  }
  void release(std::initializer_list<cl_mem> arrays) const {
    for (cl_mem each : arrays) cl_.clReleaseMemObject(each);
  }
  /// The device's seconds for what `enqueue` does, which may be several kernels. It is done twice: while the
  /// device is at the first, the second is being prepared, so that its time has no waiting for the host in
  /// it.
  double seconds_of(const std::function<void()>& enqueue) const {
    cl_event begin = nullptr, end = nullptr;
    enqueue();
    mark_(queue, 0, nullptr, &begin);
    enqueue();
    mark_(queue, 0, nullptr, &end);
    require(cl_.clFinish(queue), "clFinish");
    const double seconds = static_cast<double>(end_of(end) - end_of(begin)) * 1e-9;
    cl_.clReleaseEvent(begin);
    cl_.clReleaseEvent(end);
    return seconds;
  }

  std::string name;
  cl_command_queue queue = nullptr;

 private:
  cl_ulong end_of(cl_event event) const {
    cl_ulong time = 0;
    require(cl_.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr),
            "clGetEventProfilingInfo");
    return time;
  }

  hoist::runtime::opencl::Functions cl_;
  cl_context context_ = nullptr;
  Function<cl_command_queue, cl_uint, const cl_event*, cl_event*> mark_{open_first({"libOpenCL.so.1"}),
                                                                        "clEnqueueMarkerWithWaitList"};
};

struct Blas {
  explicit Blas(void* library) : gemm(library, "CLBlastSgemm"), gemv(library, "CLBlastSgemv") {}
  Function<int, int, int, std::size_t, std::size_t, std::size_t, float, cl_mem, std::size_t, std::size_t,
           cl_mem, std::size_t, std::size_t, float, cl_mem, std::size_t, std::size_t, cl_command_queue*,
           cl_event*>
      gemm;
  Function<int, int, std::size_t, std::size_t, float, cl_mem, std::size_t, std::size_t, cl_mem, std::size_t,
           std::size_t, float, cl_mem, std::size_t, std::size_t, cl_command_queue*, cl_event*>
      gemv;
};

/// C = A B, or y = A x where B has one column.
Measurement time_product(Device& device, const Blas& blas, std::size_t n, std::size_t columns,
                         std::size_t repetitions) {
  const std::vector<float> a = random_floats(n * n), b = random_floats(n * columns);
  // CLBlast adds 0 times what was there.
  const std::vector<float> zeros(n * columns);
  cl_mem da = device.array(a), db = device.array(b), dc = device.array(zeros);
  const auto enqueue = [&] {
    if (columns == 1) {
      blas.gemv(row_major, not_transposed, n, n, 1, da, 0, n, db, 0, 1, 0, dc, 0, 1, &device.queue, nullptr);
    } else {
      blas.gemm(row_major, not_transposed, not_transposed, n, columns, n, 1, da, 0, n, db, 0, columns, 0, dc,
                0, columns, &device.queue, nullptr);
    }
  };
  const Measurement measured = times_of([&] { return device.seconds_of(enqueue); }, repetitions);
  const std::vector<float> c = device.read(dc, n * columns);
  device.release({da, db, dc});
  check_product(a, b, c, columns, n);
  return measured;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::size_t> sizes{1024, 2048, 4096, 8192};
  std::vector<std::string> libraries{"libclblast.so.1"};
  std::string id = "opencl:0";
  Output output;
  CLI::App app("CLBlast's single-precision matrix product and matrix-vector product");
  app.add_option("sizes", sizes, "of square matrices")->capture_default_str();
  app.add_option("--device", id, "an OpenCL device, as `hoist devices` lists it")->capture_default_str();
  app.add_option("--library", libraries, "CLBlast; the first that opens")->capture_default_str();
  output.add_options(app);
  CLI11_PARSE(app, count, arguments);
  std::unique_ptr<Device> device;
  std::unique_ptr<Blas> blas;
  const auto cases = [&](json& common) {
    device = std::make_unique<Device>(id);
    blas = std::make_unique<Blas>(open_first(libraries));
    common.update({{"backend", "clblast"}, {"device", device->name}});
    std::vector<LibraryCase> products;
    for (const std::size_t n : sizes) {
      for (const std::size_t columns : {n, std::size_t{1}}) {
        const double square = static_cast<double>(n * n), result = static_cast<double>(n * columns);
        LibraryCase product{
            "sgemm",
            {{"M", n}, {"N", columns}, {"K", n}},
            2 * square * static_cast<double>(columns),
            (square + 2 * result) * sizeof(float),
            [&, n, columns] { return time_product(*device, *blas, n, columns, output.repetitions); }};
        if (columns == 1) {
          product.benchmark = "sgemv";
          product.sizes = {{"M", n}, {"N", n}};
        }
        products.push_back(std::move(product));
      }
    }
    return products;
  };
  return report_library(cases, output);
}
