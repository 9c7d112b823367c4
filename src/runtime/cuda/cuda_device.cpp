// Devices through CUDA's driver API: buffers, modules, kernels, launches, and what opens a device. Hoist's
// words are OpenCL's: a work-group is a thread block, local memory is shared memory, private memory is what
// CUDA calls local memory, and a compute unit is a multiprocessor.
//
// Everything of one device holds its Session (cuda/session.hpp): the driver's functions, the primary
// context, a stream and two events. A kernel that fails takes the context with it, and the session makes a
// new one. So each object notes the generation of the context in which it was made: `require_alive` refuses
// to use an object of an earlier one, and its destructor frees nothing.
//
// Read CudaDevice first. `build` asks NVRTC for an image (cuda/compiler.hpp), which Module loads;
// CudaProgram finds a kernel in it; `launch` checks the range, and `run` launches between two events, whose
// distance is the kernel's time. CudaBuilder compiles without a context, and so without memory of the
// device. At the end, `read_device` says where each number of a target comes from, and `open_platform` what
// may be missing. Failures are thrown inside; catch_failure makes them results in the functions of
// runtime::Device.
#include "runtime/cuda/cuda_device.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "base/need.hpp"
#include "runtime/cuda/compiler.hpp"
#include "runtime/cuda/session.hpp"
#include "runtime/limits.hpp"
#include "runtime/nvml.hpp"

namespace hoist::runtime::cuda {

namespace {

using Clock = std::chrono::steady_clock;

class CudaBuffer : public Buffer {
 public:
  /// Throws Failure, which names the bytes asked and free, when it does not fit.
  CudaBuffer(SessionPtr session, std::size_t bytes) : session_(std::move(session)), bytes_(bytes) {
    const Driver& driver = session_->driver();
    session_->enter();
    // CUDA has no empty buffers.
    const CUresult status = driver.cuMemAlloc_v2(&memory_, std::max<std::size_t>(bytes, 1));
    generation_ = session_->generation();
    if (status != CUDA_ERROR_OUT_OF_MEMORY) {
      session_->require(status,
                        fmt::format("allocating {} on device {}", bytes_text(bytes), session_->named()));
      return;
    }
    std::size_t free = 0, total = 0;
    driver.cuMemGetInfo_v2(&free, &total);
    throw_failure(ErrorKind::Device,
                  fmt::format("a buffer of {}: device {} has {} of memory, of which {} are free",
                              bytes_text(bytes), session_->named(), bytes_text(total), bytes_text(free)),
                  status_text(driver, status),
                  "use smaller arrays, or free memory that other programs hold on the device");
  }
  ~CudaBuffer() override {
    if (generation_ != session_->generation()) return;  // it went with its context
    if (session_->driver().cuCtxSetCurrent(session_->context()) != CUDA_SUCCESS) return;
    for (const Texture& each : textures_) session_->driver().cuTexObjectDestroy(each.object);
    session_->driver().cuMemFree_v2(memory_);
  }
  std::size_t bytes() const override { return bytes_; }
  CUdeviceptr memory() const { return memory_; }
  /// A texture object over this memory, for kernels that read it as an image of this shape. What it reads is
  /// what the buffer holds when a kernel starts. Throws Failure.
  CUtexObject texture(const ImageArgument& image) const;
  std::uint64_t generation() const { return generation_; }
  const SessionPtr& session() const { return session_; }

 private:
  struct Texture {
    Scalar scalar;
    std::size_t channels, bytes;
    CUtexObject object;
  };

  SessionPtr session_;
  CUdeviceptr memory_ = 0;
  std::size_t bytes_;
  std::uint64_t generation_ = 0;
  mutable std::vector<Texture> textures_;  ///< those that were asked for
};

CUtexObject CudaBuffer::texture(const ImageArgument& image) const {
  for (const Texture& each : textures_) {
    if (each.scalar == image.scalar && each.channels == image.channels && each.bytes == image.bytes())
      return each.object;
  }
  if (image.bytes() > bytes_) throw_failure(ErrorKind::Bug, "an image is larger than its buffer");
  CUDA_RESOURCE_DESC resource;
  resource.res.linear = {memory_, is_float(image.scalar) ? CU_AD_FORMAT_FLOAT : CU_AD_FORMAT_SIGNED_INT32,
                         static_cast<unsigned int>(image.channels), image.bytes()};
  CUDA_TEXTURE_DESC description;
  if (!is_float(image.scalar)) description.flags = CU_TRSF_READ_AS_INTEGER;
  CUtexObject object = 0;
  session_->require(session_->driver().cuTexObjectCreate(&object, &resource, &description, nullptr),
                    fmt::format("making a texture of {} x {} pixels on device {}", image.width, image.height,
                                session_->named()));
  textures_.push_back({image.scalar, image.channels, image.bytes(), object});
  return object;
}

/// Code that is loaded in a context. It is unloaded when neither its program nor a kernel of it is left.
class Module {
 public:
  Module(SessionPtr session, const Image& image)
      : session_(std::move(session)), generation_(session_->generation()) {
    std::string log(log_bytes, '\0');
    int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log.data(), reinterpret_cast<void*>(log_bytes)};
    const CUresult status = session_->driver().cuModuleLoadDataEx(&module_, image.code.c_str(),
                                                                  std::size(options), options, values);
    log.resize(std::min(log.find('\0'), log.size()));
    const bool is_refused = status == CUDA_ERROR_INVALID_IMAGE || status == CUDA_ERROR_NO_BINARY_FOR_GPU ||
                            status == CUDA_ERROR_INVALID_PTX || status == CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    session_->require(
        status, fmt::format("loading code for {} on device {}", image.architecture, session_->named()), log,
        is_refused ? "the driver may be older than NVRTC: update it, or name an older NVRTC in "
                     "HOIST_NVRTC_LIBRARY"
                   : "");
  }
  ~Module() {
    if (!module_ || generation_ != session_->generation()) return;
    if (session_->driver().cuCtxSetCurrent(session_->context()) == CUDA_SUCCESS)
      session_->driver().cuModuleUnload(module_);
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  CUmodule get() const { return module_; }
  std::uint64_t generation() const { return generation_; }
  const SessionPtr& session() const { return session_; }

 private:
  static constexpr std::size_t log_bytes = 8192;
  SessionPtr session_;
  std::uint64_t generation_;
  CUmodule module_ = nullptr;
};

class CudaKernel : public Kernel {
 public:
  CudaKernel(std::shared_ptr<Module> module, std::string name, std::size_t dynamic_local_memory)
      : module_(std::move(module)), name_(std::move(name)), dynamic_(dynamic_local_memory) {
    Session& own = session();
    own.require_alive(module_->generation(), "the program of kernel " + name_);
    own.enter();
    const CUresult status = own.driver().cuModuleGetFunction(&function_, module_->get(), name_.c_str());
    if (status == CUDA_ERROR_NOT_FOUND)
      throw_failure(ErrorKind::Bug, fmt::format("the program has no kernel {}", name_));
    own.require(status, fmt::format("looking for kernel {} on device {}", name_, own.named()));
    max_group_size_ = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    declared_ = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    private_memory_ = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    registers_ = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
    // More than the device has is refused, with words, when the kernel is launched.
    if (dynamic_ == 0 || local_memory() > own.info().local_memory) return;
    own.require(own.driver().cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                static_cast<int>(dynamic_)),
                fmt::format("giving kernel {} {} of shared memory on device {}", name_, bytes_text(dynamic_),
                            own.named()));
  }
  std::size_t max_group_size() const override { return max_group_size_; }
  std::size_t local_memory() const override { return declared_ + dynamic_; }
  std::size_t private_memory() const override { return private_memory_; }

  std::optional<KernelFacts> facts(std::size_t group_size) const override {
    const Session& own = *module_->session();
    if (module_->generation() != own.generation()) return std::nullopt;
    KernelFacts facts{.registers = registers_,
                      .private_memory = private_memory_,
                      .local_memory = local_memory(),
                      .max_group_size = max_group_size_,
                      .groups_per_unit = 0};
    int groups = 0;
    if (own.driver().cuCtxSetCurrent(own.context()) != CUDA_SUCCESS ||
        own.driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &groups, function_, static_cast<int>(group_size), dynamic_) != CUDA_SUCCESS)
      return std::nullopt;
    facts.groups_per_unit = static_cast<std::size_t>(groups);
    return facts;
  }

  CUfunction function() const { return function_; }
  std::size_t dynamic_local_memory() const { return dynamic_; }
  std::size_t registers() const { return registers_; }
  const std::string& name() const { return name_; }
  std::uint64_t generation() const { return module_->generation(); }
  Session& session() const { return *module_->session(); }

 private:
  std::size_t attribute(int which) const {
    int value = 0;
    session().require(session().driver().cuFuncGetAttribute(&value, which, function_),
                      fmt::format("reading the limits of kernel {} on device {}", name_, session().named()));
    return static_cast<std::size_t>(value);
  }

  std::shared_ptr<Module> module_;
  std::string name_;
  CUfunction function_ = nullptr;
  std::size_t dynamic_;
  std::size_t max_group_size_ = 0, declared_ = 0, private_memory_ = 0, registers_ = 0;
};

class CudaProgram : public Program {
 public:
  CudaProgram(std::shared_ptr<Module> module, BuildFacts facts)
      : module_(std::move(module)), facts_(std::move(facts)) {}

  Result<std::unique_ptr<Kernel>> kernel(const std::string& name, std::size_t dynamic_local_memory) override {
    return catch_failure([&]() -> std::unique_ptr<Kernel> {
      return std::make_unique<CudaKernel>(module_, name, dynamic_local_memory);
    });
  }
  const BuildFacts& facts() const override { return facts_; }

 private:
  std::shared_ptr<Module> module_;
  BuildFacts facts_;
};

class CudaBuilder : public Builder {
 public:
  CudaBuilder(Nvrtc nvrtc, target::Target info, int major, int minor)
      : nvrtc_(nvrtc), info_(std::move(info)), major_(major), minor_(minor) {}
  const target::Target& info() const override { return info_; }
  Result<Built> build(const std::string& source) override {
    const auto start = Clock::now();
    auto image = compile(nvrtc_, source, major_, minor_);
    if (!image) return tl::unexpected(std::move(image.error()));
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return Built{to_bytes(*image), {.seconds = seconds, .from_cache = false, .log = std::move(image->log)}};
  }

 private:
  Nvrtc nvrtc_;
  target::Target info_;
  int major_, minor_;
};

class CudaDevice : public Device {
 public:
  explicit CudaDevice(SessionPtr session) : session_(std::move(session)) {}

  const target::Target& info() const override { return session_->info(); }

  Result<std::unique_ptr<Program>> build(const std::string& source) override {
    return catch_failure([&] {
      const auto start = Clock::now();
      return load_image(need(compile(session_->nvrtc(), source, session_->major(), session_->minor())),
                        start);
    });
  }

  Result<std::unique_ptr<Program>> load(const std::string& binary) override {
    return catch_failure([&] { return load_image(need(image_of(binary)), Clock::now()); });
  }

  Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes) override {
    return catch_failure(
        [&]() -> std::unique_ptr<Buffer> { return std::make_unique<CudaBuffer>(session_, bytes); });
  }

  Result<void> write(Buffer& buffer, std::span<const std::byte> data, std::size_t offset) override {
    return catch_failure([&] {
      const CUdeviceptr target = own(buffer).memory() + offset;
      need(check_transfer(info(), "write", offset + data.size(), buffer.bytes()));
      if (data.empty()) return;
      const std::string attempted =
          fmt::format("writing {} to device {}", bytes_text(data.size()), session_->named());
      Staging& staging = session_->staging();
      if (data.size() >= Staging::least_bytes && staging.is_possible())
        return session_->require(staging.write(session_->context(), target, data), attempted);
      finish(driver().cuMemcpyHtoDAsync_v2(target, data.data(), data.size(), session_->stream()), attempted);
    });
  }

  Result<void> read(const Buffer& buffer, std::span<std::byte> data, std::size_t offset) override {
    return catch_failure([&] {
      const CUdeviceptr origin = own(buffer).memory() + offset;
      need(check_transfer(info(), "read", offset + data.size(), buffer.bytes()));
      if (data.empty()) return;
      const std::string attempted =
          fmt::format("reading {} from device {}", bytes_text(data.size()), session_->named());
      Staging& staging = session_->staging();
      if (data.size() >= Staging::least_bytes && staging.is_possible())
        return session_->require(staging.read(session_->context(), data, origin), attempted);
      finish(driver().cuMemcpyDtoHAsync_v2(data.data(), origin, data.size(), session_->stream()), attempted);
    });
  }

  Result<void> fill(Buffer& buffer, std::uint8_t value, std::size_t offset,
                    std::optional<std::size_t> bytes) override {
    return catch_failure([&] {
      const CUdeviceptr target = own(buffer).memory() + offset;
      const std::size_t count = filled_bytes(buffer, offset, bytes);
      need(check_transfer(info(), "fill", offset + count, buffer.bytes()));
      if (count == 0) return;
      finish(driver().cuMemsetD8Async(target, value, count, session_->stream()),
             fmt::format("filling {} on device {}", bytes_text(count), session_->named()));
    });
  }

  Result<void> copy(const Buffer& from, Buffer& to, std::size_t bytes, std::size_t from_offset,
                    std::size_t to_offset) override {
    return catch_failure([&] {
      const CUdeviceptr origin = own(from).memory() + from_offset;
      const CUdeviceptr target = own(to).memory() + to_offset;
      need(check_copy(info(), from, from_offset, to, to_offset, bytes));
      if (moves_nothing(from, from_offset, to, to_offset, bytes)) return;
      finish(driver().cuMemcpyDtoDAsync_v2(target, origin, bytes, session_->stream()),
             fmt::format("copying {} on device {}", bytes_text(bytes), session_->named()));
    });
  }

  Result<double> launch(Kernel& kernel, std::span<const Argument> arguments, const Range& range) override {
    return catch_failure([&]() -> double {
      auto* own_kernel = dynamic_cast<CudaKernel*>(&kernel);
      if (!own_kernel || &own_kernel->session() != session_.get()) throw_foreign("kernel");
      session_->require_alive(own_kernel->generation(), "kernel " + own_kernel->name());
      need(check_launch(info(), kernel, own_kernel->name(), range));
      if (work_items(range.global) == 0) return 0;
      session_->enter();
      return run(*own_kernel, arguments, range);
    });
  }

  std::optional<Vitals> vitals() override {
    if (!was_managed_) {
      was_managed_ = true;
      std::array<char, 32> place{};
      const int length = static_cast<int>(place.size()) - 1;
      if (driver().cuDeviceGetPCIBusId(place.data(), length, session_->device()) == CUDA_SUCCESS)
        managed_ = ManagedDevice::find(place.data());
    }
    return managed_ ? managed_->vitals() : std::nullopt;
  }

 private:
  const Driver& driver() const { return session_->driver(); }

  std::unique_ptr<Program> load_image(const Image& image, Clock::time_point start) {
    session_->enter();
    auto module = std::make_shared<Module>(session_, image);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return std::make_unique<CudaProgram>(
        std::move(module), BuildFacts{.seconds = seconds, .from_cache = false, .log = image.log});
  }

  [[noreturn]] void throw_foreign(const char* what) const {
    throw_failure(ErrorKind::Bug,
                  fmt::format("a {} of another device was given to device {}", what, session_->named()));
  }

  /// Sees that a buffer is this device's and was not lost with its context; makes the context current. Throws
  /// Failure.
  const CudaBuffer& own(const Buffer& buffer) const {
    const auto* own_buffer = dynamic_cast<const CudaBuffer*>(&buffer);
    if (!own_buffer || own_buffer->session() != session_) throw_foreign("buffer");
    session_->require_alive(own_buffer->generation(), "a buffer");
    session_->enter();
    return *own_buffer;
  }

  void finish(CUresult started, const std::string& attempted) {
    session_->require(started, attempted);
    session_->finish(attempted);
  }

  double run(const CudaKernel& kernel, std::span<const Argument> arguments, const Range& range) {
    const std::string attempted =
        fmt::format("running kernel {} on {} work-items in groups of {} on device {}", kernel.name(),
                    range_text(range.global), range_text(range.local), session_->named());
    std::array<unsigned int, 3> groups{}, group{};
    for (std::size_t at = 0; at < 3; ++at) {
      const std::size_t count = range.global[at] / range.local[at];
      if (count > most_groups[at])
        throw_failure(ErrorKind::Device,
                      fmt::format("{} groups in dimension {}: device {} allows at most {} there", count, at,
                                  session_->named(), most_groups[at]),
                      fmt::format("kernel {} was to run on {} work-items in groups of {}", kernel.name(),
                                  range_text(range.global), range_text(range.local)),
                      "choose fewer groups in this dimension");
      groups[at] = static_cast<unsigned int>(count);
      group[at] = static_cast<unsigned int>(range.local[at]);
    }
    // The driver reads each argument where its parameter's pointer points, eight bytes at most.
    std::vector<std::array<std::byte, 8>> values(arguments.size());
    std::vector<void*> parameters;
    for (std::size_t at = 0; at < arguments.size(); ++at) {
      if (const auto* buffer = std::get_if<const Buffer*>(&arguments[at])) {
        if (!*buffer)
          throw_failure(ErrorKind::Bug,
                        fmt::format("argument {} of kernel {} is no buffer", at, kernel.name()));
        const CUdeviceptr memory = own(**buffer).memory();
        std::memcpy(values[at].data(), &memory, sizeof memory);
      } else if (const auto* scalar = std::get_if<ScalarValue>(&arguments[at])) {
        store_scalar(values[at].data(), 0, *scalar);
      } else {
        const auto& image = std::get<ImageArgument>(arguments[at]);
        const CUtexObject texture = own(*image.buffer).texture(image);
        std::memcpy(values[at].data(), &texture, sizeof texture);
      }
      parameters.push_back(values[at].data());
    }
    const CUstream stream = session_->stream();
    session_->require(driver().cuEventRecord(session_->start(), stream), attempted);
    const CUresult status = driver().cuLaunchKernel(
        kernel.function(), groups[0], groups[1], groups[2], group[0], group[1], group[2],
        static_cast<unsigned int>(kernel.dynamic_local_memory()), stream, parameters.data(), nullptr);
    session_->require(
        status, attempted,
        fmt::format("a work-item of it has {} registers and {} of private memory, a group {} of local "
                    "memory; the driver allows groups of at most {} work-items",
                    kernel.registers(), bytes_text(kernel.private_memory()),
                    bytes_text(kernel.local_memory()), kernel.max_group_size()),
        "choose smaller local sizes");
    session_->require(driver().cuEventRecord(session_->end(), stream), attempted);
    session_->require(driver().cuEventSynchronize(session_->end()), attempted);
    float milliseconds = 0;
    session_->require(driver().cuEventElapsedTime(&milliseconds, session_->start(), session_->end()),
                      attempted);
    return static_cast<double>(milliseconds) * 1e-3;
  }

  // These limits are the same for all devices that there are.
  static constexpr std::array<std::size_t, 3> most_groups{2147483647, 65535, 65535};

  SessionPtr session_;
  std::optional<ManagedDevice> managed_;
  bool was_managed_ = false;  ///< whether NVML was looked for
};

// ---- Which devices there are

struct FoundDevice {
  CUdevice device = 0;
  int major = 0, minor = 0;
  target::Target info;
};

/// Pixels of an image, which is a texture over linear memory; `attribute` is what older drivers say.
std::size_t most_pixels(const Driver& driver, CUdevice device, std::size_t attribute) {
  std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const unsigned int channels : {1U, 4U}) {
    std::size_t pixels = 0;
    const bool is_told = driver.cuDeviceGetTexture1DLinearMaxWidth != nullptr &&
                         driver.cuDeviceGetTexture1DLinearMaxWidth(&pixels, CU_AD_FORMAT_FLOAT, channels,
                                                                   device) == CUDA_SUCCESS;
    most = std::min(most, is_told ? pixels : attribute);
  }
  return most;
}

/// Reads the properties of a device. Throws Failure.
FoundDevice read_device(const Driver& driver, int ordinal, int driver_version) {
  FoundDevice found;
  const auto check = [&](CUresult status) {
    if (status != CUDA_SUCCESS)
      throw_failure(ErrorKind::Device, fmt::format("reading the properties of cuda:{} failed: {}", ordinal,
                                                   status_text(driver, status)));
  };
  check(driver.cuDeviceGet(&found.device, ordinal));
  const auto attribute = [&](int which) {
    int value = 0;
    check(driver.cuDeviceGetAttribute(&value, which, found.device));
    return value;
  };
  const auto size = [&](int which) { return static_cast<std::size_t>(std::max(attribute(which), 0)); };
  found.major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  found.minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  target::Target& info = found.info;
  char name[256] = {};
  check(driver.cuDeviceGetName(name, sizeof name - 1, found.device));
  info.id = fmt::format("cuda:{}", ordinal);
  info.name = name;
  info.vendor = "NVIDIA";
  info.platform = "CUDA";
  info.version = fmt::format("compute capability {}.{}", found.major, found.minor);
  info.driver = fmt::format("CUDA {}.{}", driver_version / 1000, driver_version % 1000 / 10);
  info.language = target::Language::Cuda;
  info.type = target::Type::Gpu;
  info.compute_units = size(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  check(driver.cuDeviceTotalMem_v2(&info.global_memory, found.device));
  info.largest_buffer = info.global_memory;
  info.local_memory = size(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  info.local_memory_is_dedicated = true;
  info.cache_line = 128;
  info.max_group_size = size(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  for (int at = 0; at < 3; ++at)
    info.max_group_sizes[static_cast<std::size_t>(at)] = size(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + at);
  info.preferred_group_multiple = size(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  info.sub_group_sizes = {info.preferred_group_multiple};
  info.most_pixels =
      most_pixels(driver, found.device, size(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH));
  info.largest_image = {info.most_pixels, info.most_pixels};
  info.preferred_f32_vector = 4;
  info.has_f64 = true;
  info.clock_mhz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000;
  info = completed(std::move(info));
  return found;
}

struct Platform {
  Driver driver;
  int version = 0;  ///< CUDA's, as 1000 * major + 10 * minor
  int devices = 0;
};

/// Loads and starts the driver. Device error where there is no driver or no device.
Result<Platform> open_platform() {
  auto driver = load_driver();
  if (!driver) return tl::unexpected(driver.error());
  Platform platform{*driver};
  CUresult status = driver->cuInit(0);
  if (status == CUDA_SUCCESS) status = driver->cuDriverGetVersion(&platform.version);
  if (status == CUDA_SUCCESS) status = driver->cuDeviceGetCount(&platform.devices);
  if (status == CUDA_ERROR_NO_DEVICE || (status == CUDA_SUCCESS && platform.devices == 0))
    return device_error("NVIDIA's driver finds no device", status_text(*driver, CUDA_ERROR_NO_DEVICE),
                        "see with nvidia-smi whether there is one, and CUDA_VISIBLE_DEVICES hides none");
  if (status != CUDA_SUCCESS)
    return device_error("NVIDIA's driver does not start: " + status_text(*driver, status), {},
                        "see with nvidia-smi what is wrong");
  return platform;
}

/// Finds the session of a device, which all who have it open share, or makes it.
SessionPtr session_of(std::size_t ordinal, const std::function<SessionPtr()>& make) {
  static std::mutex mutex;
  static std::map<std::size_t, std::weak_ptr<Session>> sessions;
  const std::lock_guard lock(mutex);
  if (SessionPtr known = sessions[ordinal].lock()) return known;
  SessionPtr made = make();
  sessions[ordinal] = made;
  return made;
}

}  // namespace

std::vector<target::Target> list_devices(std::vector<std::string>* notes) {
  const auto note = [&](const Error& error) {
    const Diagnostic& why = error.diagnostics.front();
    if (notes)
      notes->push_back(fmt::format("CUDA: {}{}", why.message, why.help.empty() ? "" : "; " + why.help));
  };
  const auto platform = open_platform();
  if (!platform) return {};
  if (auto nvrtc = load_nvrtc(); !nvrtc) {
    note(nvrtc.error());
    return {};
  }
  std::vector<target::Target> devices;
  for (int ordinal = 0; ordinal < platform->devices; ++ordinal) {
    auto found = catch_failure([&] { return read_device(platform->driver, ordinal, platform->version); });
    if (!found) {
      note(found.error());
      continue;
    }
    devices.push_back(std::move(found->info));
  }
  return devices;
}

namespace {

/// A device that is there, and the compiler for it.
struct OpenedPlatform {
  Platform platform;
  Nvrtc nvrtc;
  FoundDevice device;
};

std::size_t ordinal_of(const target::DeviceId& id) { return id.number.value_or(0); }

/// Opens what a device or a builder needs. Nothing when there are fewer devices; throws Failure.
std::optional<OpenedPlatform> open_platform_of(const target::DeviceId& id) {
  const Platform platform = need(open_platform());
  if (ordinal_of(id) >= static_cast<std::size_t>(platform.devices)) return std::nullopt;
  const Nvrtc nvrtc = need(load_nvrtc(platform.version / 1000));
  return OpenedPlatform{platform, nvrtc,
                        read_device(platform.driver, static_cast<int>(ordinal_of(id)), platform.version)};
}

}  // namespace

Result<std::unique_ptr<Device>> open_device(const target::DeviceId& id) {
  return catch_failure([&]() -> std::unique_ptr<Device> {
    std::optional<OpenedPlatform> opened = open_platform_of(id);
    if (!opened) return nullptr;
    FoundDevice& found = opened->device;
    return std::make_unique<CudaDevice>(session_of(ordinal_of(id), [&] {
      return std::make_shared<Session>(opened->platform.driver, opened->nvrtc, found.device,
                                       std::move(found.info), found.major, found.minor);
    }));
  });
}

Result<std::unique_ptr<Builder>> open_builder(const target::DeviceId& id) {
  return catch_failure([&]() -> std::unique_ptr<Builder> {
    std::optional<OpenedPlatform> opened = open_platform_of(id);
    if (!opened) return nullptr;
    FoundDevice& found = opened->device;
    return std::make_unique<CudaBuilder>(opened->nvrtc, std::move(found.info), found.major, found.minor);
  });
}

}  // namespace hoist::runtime::cuda
