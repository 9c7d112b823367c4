// Devices through CUDA's driver API: buffers, modules, kernels, launches, and what opens a device. Hoist's
// words are OpenCL's: a work-group is a thread block, local memory is shared memory, private memory is what
// CUDA calls local memory, and a compute unit is a multiprocessor.
//
// Everything of one device holds its Session (cuda/session.hpp): the driver's functions, the primary
// context, a stream and two events. A kernel that fails takes the context with it, and the session makes a
// new one. Buffers, kernels and launches are in cuda/cuda_objects.hpp, partitions, queues and pinned memory
// in cuda/cuda_queue.hpp.
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
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "base/need.hpp"
#include "runtime/cuda/compiler.hpp"
#include "runtime/cuda/cuda_objects.hpp"
#include "runtime/cuda/cuda_queue.hpp"
#include "runtime/cuda/session.hpp"
#include "runtime/limits.hpp"
#include "runtime/nvml.hpp"
#include "runtime/queue.hpp"

namespace hoist::runtime::cuda {

namespace {

using Clock = std::chrono::steady_clock;

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

/// How a device's description has the versions that its builder needs (read_device, read_version).
constexpr const char *capability_words = "compute capability ", *driver_words = "CUDA ";

struct Version {
  int major = 0, minor = 0;
};

/// Reads a version behind the words. Throws a Failure where there is none.
Version read_version(const std::string& text, std::string_view words) {
  Version version;
  const bool has_words = text.starts_with(words);
  if (!has_words || std::sscanf(text.c_str() + words.size(), "%d.%d", &version.major, &version.minor) != 2)
    throw_failure(ErrorKind::Device, fmt::format("'{}' is no version of a CUDA device", text));
  return version;
}

class CudaBuilder : public Builder {
 public:
  CudaBuilder(Nvrtc nvrtc, target::Target info, Version capability)
      : nvrtc_(nvrtc), info_(std::move(info)), capability_(capability) {}
  const target::Target& info() const override { return info_; }
  Result<Built> build(const std::string& source) override {
    const auto start = Clock::now();
    auto image = compile(nvrtc_, source, capability_.major, capability_.minor);
    if (!image) return tl::unexpected(std::move(image.error()));
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return Built{to_bytes(*image), {.seconds = seconds, .from_cache = false, .log = std::move(image->log)}};
  }

 private:
  Nvrtc nvrtc_;
  target::Target info_;
  Version capability_;
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
      if (data.size() >= Staging::least_bytes && !session_->is_pinned(data) && staging.is_possible())
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
      if (data.size() >= Staging::least_bytes && !session_->is_pinned(data) && staging.is_possible())
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
      CudaLaunch launch(session_, kernel, arguments, range);
      return launch.is_empty() ? 0 : run(launch);
    });
  }

  Result<Partitioning> partitions(std::size_t count) override {
    return catch_failure([&] {
      need(check_partition_count(info(), count));
      return divide(session_, count);
    });
  }
  Result<std::unique_ptr<HostMemory>> host_memory(std::size_t bytes) override {
    return catch_failure([&] { return pinned_memory(session_, bytes); });
  }
  Result<std::unique_ptr<HostMemory>> pin(std::span<std::byte> memory) override {
    return catch_failure([&] { return pinned_memory(session_, memory); });
  }
  Result<std::unique_ptr<Buffer>> buffer_at(std::uintptr_t address, std::size_t bytes) override {
    return catch_failure(
        [&]() -> std::unique_ptr<Buffer> { return std::make_unique<CudaBuffer>(session_, address, bytes); });
  }
  std::uintptr_t address_of(const Buffer& buffer) override {
    const auto* own = dynamic_cast<const CudaBuffer*>(&buffer);
    return own == nullptr ? 0 : own->memory();
  }
  Result<void> follow(std::uintptr_t stream) override {
    return catch_failure([&] {
      session_->enter();
      const std::string attempted = fmt::format("waiting for a stream of device {}", session_->named());
      const auto other = reinterpret_cast<CUstream>(stream);  // NOLINT
      session_->require(driver().cuEventRecord(session_->end(), other), attempted);
      session_->require(driver().cuStreamWaitEvent(session_->stream(), session_->end(), 0), attempted);
    });
  }
  Result<std::unique_ptr<Queue>> queue_on(std::uintptr_t stream) override {
    return catch_failure(
        [&] { return cuda::queue_on(session_, reinterpret_cast<CUstream>(stream)); });  // NOLINT
  }
  std::uintptr_t stream() const override { return reinterpret_cast<std::uintptr_t>(session_->stream()); }
  std::uint64_t resets() const override { return session_->generation(); }
  StreamFacts stream_facts() override { return cuda::stream_facts(*session_); }
  bool reaches(const Device& other) const override {
    return dynamic_cast<const CudaDevice*>(&other) != nullptr;
  }

  Result<std::size_t> free_memory() override {
    return catch_failure([&] {
      session_->enter();
      std::size_t free = 0, total = 0;
      session_->require(driver().cuMemGetInfo_v2(&free, &total),
                        "asking for the free memory of device " + session_->named());
      // Kernels and their stacks take some, and allocations are rounded up.
      constexpr std::size_t most_kept = std::size_t{256} << 20;
      return free - std::min(free / 16, most_kept);
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

  const CudaBuffer& own(const Buffer& buffer) const { return cuda::own(session_, buffer); }

  void finish(CUresult started, const std::string& attempted) {
    session_->require(started, attempted);
    session_->finish(attempted);
  }

  double run(CudaLaunch& launch) {
    const CUstream stream = session_->stream();
    const auto require = [&](CUresult status) {
      if (status != CUDA_SUCCESS) session_->require(status, launch.attempted());
    };
    require(driver().cuEventRecord(session_->start(), stream));
    launch.start(stream);
    require(driver().cuEventRecord(session_->end(), stream));
    require(driver().cuEventSynchronize(session_->end()));
    float milliseconds = 0;
    require(driver().cuEventElapsedTime(&milliseconds, session_->start(), session_->end()));
    return static_cast<double>(milliseconds) * 1e-3;
  }

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
  info.version = fmt::format("{}{}.{}", capability_words, found.major, found.minor);
  info.driver = fmt::format("{}{}.{}", driver_words, driver_version / 1000, driver_version % 1000 / 10);
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
  // Streams of one process share so many connections to the device, and wait for each other where they share
  // one. The usual 8 are fewer than the partitions that there may be; what the user has set stays.
  static const int connections = setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  static_cast<void>(connections);
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

Result<std::optional<target::Target>> describe_device(const target::DeviceId& id) {
  return catch_failure([&]() -> std::optional<target::Target> {
    std::optional<OpenedPlatform> opened = open_platform_of(id);
    return opened ? std::optional(std::move(opened->device.info)) : std::nullopt;
  });
}

Result<std::unique_ptr<Builder>> open_builder(const target::Target& device) {
  return catch_failure([&]() -> std::unique_ptr<Builder> {
    const Version capability = read_version(device.version, capability_words);
    const Version driver = read_version(device.driver, driver_words);
    return std::make_unique<CudaBuilder>(need(load_nvrtc(driver.major)), device, capability);
  });
}

}  // namespace hoist::runtime::cuda
