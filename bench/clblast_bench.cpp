// CLBlast's single-precision matrix product and matrix-vector product on an OpenCL device: what Hoist's are
// held against. The library is opened at run time and its functions declared here, so that this builds
// anywhere and runs where it is.
//
//   clblast_bench [--device opencl:0] [--library libclblast.so.1] [--tuned FILE.json ...] [--json OUT.json]
//   [--markdown OUT.md] [--commit ID] [SHAPE ...]
//
// A shape is MxNxK, of a matrix product, or N: the product of square matrices and that of a square matrix and
// a vector.
//
// CLBlast's kernels have the parameters that it ships with for the device, or else those that its own tuners
// found there: clblast_tuner_xgemm, clblast_tuner_xgemm_direct, clblast_tuner_xgemv and
// clblast_tuner_routine_xgemm leave files of JSON, which --tuned takes. Of several of the same kernel (the
// tuners search a fixed set and a random sample of a larger one, each for two kinds of kernel) the one with
// the best time counts, so all must have been tuned at the same sizes.
//
// Exit status 77 where there is no such device or no CLBlast.
#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

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
    id_ = device->device;
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

  cl_device_id id() const { return id_; }

  std::string name;
  cl_command_queue queue = nullptr;

 private:
  cl_ulong end_of(cl_event event) const {
    cl_ulong time = 0;
    require(cl_.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr),
            "clGetEventProfilingInfo");
    return time;
  }

  cl_device_id id_ = nullptr;
  hoist::runtime::opencl::Functions cl_;
  cl_context context_ = nullptr;
  Function<cl_command_queue, cl_uint, const cl_event*, cl_event*> mark_{open_first({"libOpenCL.so.1"}),
                                                                        "clEnqueueMarkerWithWaitList"};
};

struct Blas {
  explicit Blas(void* library)
      : gemm(library, "CLBlastSgemm"),
        gemv(library, "CLBlastSgemv"),
        override_parameters(library, "CLBlastOverrideParameters") {}
  Function<int, int, int, std::size_t, std::size_t, std::size_t, float, cl_mem, std::size_t, std::size_t,
           cl_mem, std::size_t, std::size_t, float, cl_mem, std::size_t, std::size_t, cl_command_queue*,
           cl_event*>
      gemm;
  Function<int, int, std::size_t, std::size_t, float, cl_mem, std::size_t, std::size_t, cl_mem, std::size_t,
           std::size_t, float, cl_mem, std::size_t, std::size_t, cl_command_queue*, cl_event*>
      gemv;
  Function<cl_device_id, const char*, int, std::size_t, const char**, const std::size_t*> override_parameters;
};

/// What a tuner found for a kernel of CLBlast.
struct Tuned {
  std::string kernel;
  double milliseconds = 0;
  std::map<std::string, std::size_t> parameters;
};

/// The kernel in CLBlast's database whose parameters a family of the tuners' is about; empty for one that no
/// product needs. Variants are numbered: "xgemm_1", "xgemm_12".
std::string kernel_of(std::string family) {
  static const std::map<std::string, std::string> kernels{
      {"xgemm", "Xgemm"}, {"xgemm_direct", "XgemmDirect"}, {"gemm_routine", "GemmRoutine"},
      {"xgemv", "Xgemv"}, {"xgemv_fast", "XgemvFast"},     {"xgemv_fast_rot", "XgemvFastRot"}};
  family.erase(family.find_last_not_of("0123456789") + 1);
  if (!family.empty() && family.back() == '_') family.pop_back();
  const auto kernel = kernels.find(family);
  return kernel == kernels.end() ? "" : kernel->second;
}

Tuned read_tuned(const std::string& path) {
  const json file = json::parse(std::ifstream(path), nullptr, false);
  Tuned tuned;
  try {
    if (file.at("precision") != "32") throw Failed{path + " is not of single precision"};
    tuned.kernel = kernel_of(file.at("kernel_family"));
    // The time of the best one is rounded to hundredths, that of each result is not.
    tuned.milliseconds = std::numeric_limits<double>::infinity();
    for (const json& result : file.at("results"))
      tuned.milliseconds = std::min(tuned.milliseconds, result.at("time").get<double>());
    std::istringstream assignments(file.at("best_parameters").get<std::string>());
    for (std::string each; assignments >> each;) {
      const std::size_t equals = each.find('=');
      tuned.parameters[each.substr(0, equals)] = std::stoul(each.substr(equals + 1));
    }
  } catch (const std::exception&) {
    throw Failed{path + " is no file of CLBlast's tuners"};
  }
  if (tuned.kernel.empty()) throw Failed{path + " is of a kernel that no product needs"};
  return tuned;
}

/// The fastest of each kernel, by its name.
std::map<std::string, Tuned> read_fastest(const std::vector<std::string>& paths) {
  std::map<std::string, Tuned> fastest;
  for (const std::string& path : paths) {
    Tuned tuned = read_tuned(path);
    const auto [known, is_new] = fastest.emplace(tuned.kernel, tuned);
    if (!is_new && tuned.milliseconds < known->second.milliseconds) known->second = std::move(tuned);
  }
  return fastest;
}

/// Has the library take what its tuners found.
void use_tuned(const Device& device, const Blas& blas, const std::map<std::string, Tuned>& fastest) {
  constexpr int single = 32;  // CLBlastPrecisionSingle
  for (const auto& [kernel, tuned] : fastest) {
    std::vector<const char*> names;
    std::vector<std::size_t> values;
    for (const auto& [name, value] : tuned.parameters) {
      names.push_back(name.c_str());
      values.push_back(value);
    }
    blas.override_parameters(device.id(), kernel.c_str(), single, names.size(), names.data(), values.data());
  }
}

/// C = A B.
struct Product {
  std::size_t m, n, k;
};
/// How a product is called with the arrays on the device: A, B, C.
using Call = std::function<void(cl_mem, cl_mem, cl_mem)>;

Measurement time_product(const Device& device, const Product& of, const Call& call, std::size_t repetitions) {
  const std::vector<float> a = random_floats(of.m * of.k), b = random_floats(of.k * of.n);
  // CLBlast adds 0 times what was there.
  const std::vector<float> zeros(of.m * of.n);
  cl_mem da = device.array(a), db = device.array(b), dc = device.array(zeros);
  const Measurement measured =
      times_of([&] { return device.seconds_of([&] { call(da, db, dc); }); }, repetitions);
  const std::vector<float> c = device.read(dc, of.m * of.n);
  device.release({da, db, dc});
  check_product(a, b, c, of.n, of.k);
  return measured;
}

Measurement time_gemm(Device& device, const Blas& blas, const Product& of, std::size_t repetitions) {
  const auto call = [&](cl_mem a, cl_mem b, cl_mem c) {
    blas.gemm(row_major, not_transposed, not_transposed, of.m, of.n, of.k, 1, a, 0, of.k, b, 0, of.n, 0, c, 0,
              of.n, &device.queue, nullptr);
  };
  return time_product(device, of, call, repetitions);
}

/// B and C have one column.
Measurement time_gemv(Device& device, const Blas& blas, const Product& of, std::size_t repetitions) {
  const auto call = [&](cl_mem a, cl_mem x, cl_mem y) {
    blas.gemv(row_major, not_transposed, of.m, of.k, 1, a, 0, of.k, x, 0, 1, 0, y, 0, 1, &device.queue,
              nullptr);
  };
  return time_product(device, of, call, repetitions);
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> texts{"1024", "2048", "4096", "8192"}, tuned;
  std::vector<std::string> libraries{"libclblast.so.1"};
  std::string id = "opencl:0";
  Output output;
  CLI::App app("CLBlast's single-precision matrix product and matrix-vector product");
  app.add_option("shapes", texts, "N of square matrices, or MxNxK of a matrix product")
      ->capture_default_str();
  app.add_option("--device", id, "an OpenCL device, as `hoist devices` lists it")->capture_default_str();
  app.add_option("--library", libraries, "CLBlast; the first that opens")->capture_default_str();
  app.add_option("--tuned", tuned, "files of CLBlast's tuners")->check(CLI::ExistingFile);
  output.add_options(app);
  std::vector<std::vector<std::size_t>> shapes;
  app.final_callback([&] {
    for (const std::string& each : texts) {
      shapes.push_back(lengths_of(each));
      if (shapes.back().size() != 1 && shapes.back().size() != 3)
        throw CLI::ValidationError(each, "is neither N nor MxNxK");
    }
  });
  CLI11_PARSE(app, count, arguments);
  std::unique_ptr<Device> device;
  std::unique_ptr<Blas> blas;
  const auto cases = [&](json& common) {
    const std::map<std::string, Tuned> fastest = read_fastest(tuned);
    device = std::make_unique<Device>(id);
    blas = std::make_unique<Blas>(open_first(libraries));
    use_tuned(*device, *blas, fastest);
    common.update({{"backend", "clblast"},
                   {"device", device->name},
                   {"variant", tuned.empty() ? "as shipped" : "tuned"}});
    std::vector<LibraryCase> products;
    const auto add = [&](const std::string& benchmark, std::vector<std::pair<std::string, std::size_t>> sizes,
                         const Product& of, const auto& time) {
      const auto elements = [](std::size_t rows, std::size_t columns) {
        return static_cast<double>(rows) * static_cast<double>(columns);
      };
      products.push_back(
          {benchmark, std::move(sizes), 2 * elements(of.m, of.n) * static_cast<double>(of.k),
           (elements(of.m, of.k) + elements(of.k, of.n) + elements(of.m, of.n)) * sizeof(float),
           [&, of] { return time(*device, *blas, of, output.repetitions); }});
    };
    for (const auto& lengths : shapes) {
      const std::size_t m = lengths.front(), n = lengths.size() == 3 ? lengths[1] : m, k = lengths.back();
      add("sgemm", {{"M", m}, {"N", n}, {"K", k}}, {m, n, k}, time_gemm);
      if (lengths.size() == 1) add("sgemv", {{"M", m}, {"N", m}}, {m, 1, m}, time_gemv);
    }
    return products;
  };
  return report_library(cases, output);
}
