// Devices through OpenCL 1.2: buffers, images, programs, kernels and launches.
//
// Everything of one device holds its Session: the loader's functions, a context, and a command queue that
// runs commands in order and measures them (profiling). The session is counted by reference, so that the
// context goes last whatever else goes first.
//
// Read OpenclDevice first. `build` compiles a source (`compile_source`), `load` takes what a builder in
// another process made (`load_binary`); OpenclProgram makes a kernel; `launch` checks the range, sets the
// arguments and runs the kernel, whose time is what the event of its launch tells. `open_session` opens the
// device that enumerate.cpp found.
//
// A buffer that a kernel reads as an image has a copy of its contents as an image (`OpenclBuffer::image`).
// A launch makes the copy anew where the buffer may have changed since: by a write, a fill, a copy to it, or
// a launch that was given it as a buffer (`may_change`).
//
// Drivers differ from the standard in places; a comment says so where the code makes up for it.
#include "runtime/opencl/opencl_device.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "base/need.hpp"
#include "base/stopwatch.hpp"
#include "runtime/limits.hpp"
#include "runtime/nvml.hpp"
#include "runtime/opencl/enumerate.hpp"
#include "runtime/opencl/quiet.hpp"
#include "runtime/opencl/status.hpp"

namespace hoist::runtime::opencl {

namespace {

using Clock = std::chrono::steady_clock;

/// What a device, its buffers, programs and kernels share. Each of them holds the session.
struct Session {
  Functions functions;
  cl_device_id device = nullptr;
  target::Target info;
  std::string build_options, pci_address;
  Handle<cl_context> context;
  Handle<cl_command_queue> queue;
  std::size_t allocated = 0;  ///< bytes in live buffers

  std::string named() const { return fmt::format("{} ({})", info.id, info.name); }
};
using SessionPtr = std::shared_ptr<Session>;

/// Throws a Failure when the status is no success.
void require(cl_int status, const std::string& attempted, const std::string& note = {}) {
  if (status != CL_SUCCESS) throw Failure(status_error(status, attempted, note).value());
}

class OpenclBuffer : public Buffer {
 public:
  OpenclBuffer(SessionPtr session, Handle<cl_mem> memory, std::size_t bytes)
      : session_(std::move(session)), memory_(std::move(memory)), bytes_(bytes) {
    session_->allocated += bytes_;
  }
  ~OpenclBuffer() override { session_->allocated -= bytes_; }
  std::size_t bytes() const override { return bytes_; }
  cl_mem memory() const { return memory_.get(); }
  const SessionPtr& session() const { return session_; }

  /// Must be called where the contents may change: the image, if there is one, is then copied again.
  void may_change() const { image_.is_current = false; }
  /// Returns an image of this shape with the buffer's contents, which are copied there unless they already
  /// were.
  cl_mem image(const ImageArgument& shape) const;

 private:
  struct Image {
    Handle<cl_mem> memory;
    std::array<std::size_t, 4> shape{};  // scalar, channels, width, height
    bool is_current = false;
  };
  Handle<cl_mem> make_image(const ImageArgument& shape) const;

  SessionPtr session_;
  Handle<cl_mem> memory_;
  std::size_t bytes_;
  mutable Image image_;
};

Handle<cl_mem> OpenclBuffer::make_image(const ImageArgument& shape) const {
  cl_image_format format{static_cast<cl_channel_order>(shape.channels == 4 ? CL_RGBA : CL_R),
                         static_cast<cl_channel_type>(is_float(shape.scalar) ? CL_FLOAT : CL_SIGNED_INT32)};
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = shape.width;
  description.image_height = shape.height;
  cl_int status = CL_SUCCESS;
  Handle<cl_mem> memory(session_->functions.clCreateImage(session_->context.get(), CL_MEM_READ_ONLY, &format,
                                                          &description, nullptr, &status),
                        session_->functions.clReleaseMemObject);
  require(status, fmt::format("making an image of {} x {} pixels on device {}", shape.width, shape.height,
                              session_->named()));
  return memory;
}

cl_mem OpenclBuffer::image(const ImageArgument& shape) const {
  const std::array<std::size_t, 4> wanted{static_cast<std::size_t>(shape.scalar), shape.channels, shape.width,
                                          shape.height};
  if (shape.bytes() > bytes_) throw_failure(ErrorKind::Bug, "an image is larger than its buffer");
  if (image_.shape != wanted) image_ = {make_image(shape), wanted, false};
  if (!image_.is_current) {
    const std::size_t origin[3] = {0, 0, 0}, region[3] = {shape.width, shape.height, 1};
    require(session_->functions.clEnqueueCopyBufferToImage(session_->queue.get(), memory_.get(),
                                                           image_.memory.get(), 0, origin, region, 0, nullptr,
                                                           nullptr),
            fmt::format("copying to an image on device {}", session_->named()));
    image_.is_current = true;
  }
  return image_.memory.get();
}

class OpenclKernel : public Kernel {
 public:
  OpenclKernel(SessionPtr session, Handle<cl_kernel> kernel, std::string name)
      : session_(std::move(session)), kernel_(std::move(kernel)), name_(std::move(name)) {
    max_group_size_ = property<std::size_t>(CL_KERNEL_WORK_GROUP_SIZE);
    local_memory_ = property<cl_ulong>(CL_KERNEL_LOCAL_MEM_SIZE);
    if (session_->info.platform == "NVIDIA CUDA") {
      // This driver (580) calls 256 the limit of every kernel, and yet it runs larger groups; when the
      // registers do not suffice the launch itself fails, with CL_OUT_OF_RESOURCES.
      max_group_size_ = session_->info.max_group_size;
      // It counts one byte of its own, padded to the arrays' alignment, after the kernel's local memory.
      constexpr std::size_t alignment = 16;
      local_memory_ = (std::max<std::size_t>(local_memory_, 1) - 1) / alignment * alignment;
    }
    private_memory_ = property<cl_ulong>(CL_KERNEL_PRIVATE_MEM_SIZE);
    cl_uint parameters = 0;
    require(session_->functions.clGetKernelInfo(kernel_.get(), CL_KERNEL_NUM_ARGS, sizeof parameters,
                                                &parameters, nullptr),
            fmt::format("counting the parameters of kernel {}", name_));
    parameter_count_ = parameters;
  }
  std::size_t max_group_size() const override { return max_group_size_; }
  std::size_t local_memory() const override { return local_memory_; }
  std::size_t private_memory() const override { return private_memory_; }
  std::size_t parameter_count() const { return parameter_count_; }
  cl_kernel kernel() const { return kernel_.get(); }
  const std::string& name() const { return name_; }
  const SessionPtr& session() const { return session_; }

 private:
  template <class Value>
  Value property(cl_kernel_work_group_info which) const {
    Value value{};
    require(session_->functions.clGetKernelWorkGroupInfo(kernel_.get(), session_->device, which, sizeof value,
                                                         &value, nullptr),
            fmt::format("reading the limits of kernel {} on device {}", name_, session_->named()));
    return value;
  }

  SessionPtr session_;
  Handle<cl_kernel> kernel_;
  std::string name_;
  std::size_t max_group_size_ = 0, local_memory_ = 0, private_memory_ = 0, parameter_count_ = 0;
};

class OpenclProgram : public Program {
 public:
  OpenclProgram(SessionPtr session, Handle<cl_program> program, BuildFacts facts)
      : session_(std::move(session)), program_(std::move(program)), facts_(std::move(facts)) {}

  Result<std::unique_ptr<Kernel>> kernel(const std::string& name, std::size_t) override {
    return catch_failure([&]() -> std::unique_ptr<Kernel> {
      cl_int status = CL_SUCCESS;
      Handle<cl_kernel> kernel(session_->functions.clCreateKernel(program_.get(), name.c_str(), &status),
                               session_->functions.clReleaseKernel);
      if (status == CL_INVALID_KERNEL_NAME)
        throw_failure(ErrorKind::Bug, fmt::format("the program has no kernel {}", name));
      require(status, fmt::format("creating kernel {} on device {}", name, session_->named()));
      return std::make_unique<OpenclKernel>(session_, std::move(kernel), name);
    });
  }
  const BuildFacts& facts() const override { return facts_; }

 private:
  SessionPtr session_;
  Handle<cl_program> program_;
  BuildFacts facts_;
};

// ---- Building

struct BuiltProgram {
  Handle<cl_program> program;
  BuildFacts facts;
};

std::string build_log(const Session& session, cl_program program) {
  std::size_t bytes = 0;
  const auto query = [&](std::size_t size, char* text, std::size_t* needed) {
    return session.functions.clGetProgramBuildInfo(program, session.device, CL_PROGRAM_BUILD_LOG, size, text,
                                                   needed);
  };
  if (query(0, nullptr, &bytes) != CL_SUCCESS) return {};
  std::string log(bytes, '\0');
  if (query(bytes, log.data(), nullptr) != CL_SUCCESS) return {};
  log.resize(std::min(log.find('\0'), log.size()));
  return log.find_first_not_of(" \t\r\n") == std::string::npos ? "" : log;
}

cl_int build_program(const Session& session, cl_program program) {
  // Compilers count their errors on standard error, beside the log that the caller gets.
  const QuietStandardError quiet;
  return session.functions.clBuildProgram(program, 1, &session.device, session.build_options.c_str(), nullptr,
                                          nullptr);
}

[[noreturn]] void throw_build_failure(const Session& session, cl_int status, const std::string& log,
                                      const std::string& source) {
  const std::string note =
      fmt::format("{}\n{}", log.empty() ? "(the compiler left no log)" : log, numbered(source));
  // NVIDIA's assembler counts local memory, which it calls shared data, only here.
  if (is_resource_shortage(status) || log.find("too much shared data") != std::string::npos)
    throw_failure(ErrorKind::Device,
                  fmt::format("the kernel does not fit device {}: {}", session.named(), status_text(status)),
                  note, "choose smaller tiles or groups");
  throw_failure(
      ErrorKind::Bug,
      fmt::format("the compiler of device {} refused the source: {}", session.named(), status_text(status)),
      note);
}

/// Compiles a source; a failure has the compiler's log and the source with numbered lines. Throws Failure.
BuiltProgram compile_source(const Session& session, const std::string& source) {
  const auto start = Clock::now();
  const char* text = source.c_str();
  const std::size_t length = source.size();
  cl_int status = CL_SUCCESS;
  Handle<cl_program> program(
      session.functions.clCreateProgramWithSource(session.context.get(), 1, &text, &length, &status),
      session.functions.clReleaseProgram);
  require(status, fmt::format("creating a program on device {}", session.named()));
  status = build_program(session, program.get());
  BuildFacts facts{
      .seconds = seconds_since(start), .from_cache = false, .log = build_log(session, program.get())};
  if (status != CL_SUCCESS) throw_build_failure(session, status, facts.log, source);
  return {std::move(program), std::move(facts)};
}

/// Loads what binary_of gave. Throws Failure.
BuiltProgram load_binary(const Session& session, const std::string& binary) {
  if (binary.empty()) throw_failure(ErrorKind::Bug, "an empty binary was given to device " + session.named());
  const auto start = Clock::now();
  const std::string attempted = fmt::format("loading a binary on device {}", session.named());
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t length = binary.size();
  cl_int status = CL_SUCCESS;
  Handle<cl_program> program(
      session.functions.clCreateProgramWithBinary(session.context.get(), 1, &session.device, &length, &bytes,
                                                  nullptr, &status),
      session.functions.clReleaseProgram);
  require(status, attempted);
  require(build_program(session, program.get()), attempted);
  return {std::move(program), BuildFacts{.seconds = seconds_since(start), .from_cache = true, .log = {}}};
}

/// Reads the binary of a program, in whose context there is one device. Throws Failure.
std::string binary_of(const Session& session, cl_program program) {
  const std::string attempted = fmt::format("reading a binary from device {}", session.named());
  std::size_t length = 0;
  require(
      session.functions.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof length, &length, nullptr),
      attempted);
  std::string binary(length, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(binary.data());
  require(session.functions.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, nullptr),
          attempted);
  return binary;
}

class OpenclBuilder : public Builder {
 public:
  explicit OpenclBuilder(SessionPtr session) : session_(std::move(session)) {}
  const target::Target& info() const override { return session_->info; }
  Result<Built> build(const std::string& source) override {
    return catch_failure([&]() -> Built {
      BuiltProgram built = compile_source(*session_, source);
      if (compiles_at_launch()) return {{}, std::move(built.facts)};
      return {binary_of(*session_, built.program.get()), std::move(built.facts)};
    });
  }
  /// PoCL compiles for processors at the first launch with a local size. For a binary it would compile for
  /// any local size, too, which takes as long and is never run here.
  bool compiles_at_launch() const override {
    const char* cache = std::getenv("POCL_KERNEL_CACHE");
    const bool has_cache = cache == nullptr || std::string_view(cache) != "0";
    return has_cache && info().type == target::Type::Cpu && info().platform == "Portable Computing Language";
  }

 private:
  SessionPtr session_;
};

class OpenclDevice : public Device {
 public:
  explicit OpenclDevice(SessionPtr session) : session_(std::move(session)) {}

  const target::Target& info() const override { return session_->info; }

  Result<std::unique_ptr<Program>> build(const std::string& source) override {
    return catch_failure([&] { return program_of(compile_source(*session_, source)); });
  }

  Result<std::unique_ptr<Program>> load(const std::string& binary) override {
    return catch_failure([&] { return program_of(load_binary(*session_, binary)); });
  }

  Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes) override {
    return catch_failure([&]() -> std::unique_ptr<Buffer> {
      need(check_allocation(info(), bytes, session_->allocated));
      cl_int status = CL_SUCCESS;
      // OpenCL has no empty buffers.
      Handle<cl_mem> memory(functions().clCreateBuffer(session_->context.get(), CL_MEM_READ_WRITE,
                                                       std::max<std::size_t>(bytes, 1), nullptr, &status),
                            functions().clReleaseMemObject);
      require(status, fmt::format("allocating {} on device {}", bytes_text(bytes), session_->named()),
              fmt::format("the device has {}, of which {} are in use here", bytes_text(info().global_memory),
                          bytes_text(session_->allocated)));
      return std::make_unique<OpenclBuffer>(session_, std::move(memory), bytes);
    });
  }

  Result<void> write(Buffer& buffer, std::span<const std::byte> data, std::size_t offset) override {
    return catch_failure([&] {
      const OpenclBuffer& target = own(buffer);
      need(check_transfer(info(), "write", offset + data.size(), buffer.bytes()));
      target.may_change();
      if (data.empty()) return;
      require(functions().clEnqueueWriteBuffer(queue(), target.memory(), CL_TRUE, offset, data.size(),
                                               data.data(), 0, nullptr, nullptr),
              fmt::format("writing {} to device {}", bytes_text(data.size()), session_->named()));
    });
  }

  Result<void> read(const Buffer& buffer, std::span<std::byte> data, std::size_t offset) override {
    return catch_failure([&] {
      const OpenclBuffer& origin = own(buffer);
      need(check_transfer(info(), "read", offset + data.size(), buffer.bytes()));
      if (data.empty()) return;
      require(functions().clEnqueueReadBuffer(queue(), origin.memory(), CL_TRUE, offset, data.size(),
                                              data.data(), 0, nullptr, nullptr),
              fmt::format("reading {} from device {}", bytes_text(data.size()), session_->named()));
    });
  }

  Result<void> fill(Buffer& buffer, std::uint8_t value, std::size_t offset,
                    std::optional<std::size_t> bytes) override {
    return catch_failure([&] {
      const OpenclBuffer& target = own(buffer);
      const std::size_t count = filled_bytes(buffer, offset, bytes);
      need(check_transfer(info(), "fill", offset + count, buffer.bytes()));
      if (count == 0) return;
      target.may_change();
      const std::string attempted =
          fmt::format("filling {} on device {}", bytes_text(count), session_->named());
      require(functions().clEnqueueFillBuffer(queue(), target.memory(), &value, 1, offset, count, 0, nullptr,
                                              nullptr),
              attempted);
      require(functions().clFinish(queue()), attempted);
    });
  }

  Result<void> copy(const Buffer& from, Buffer& to, std::size_t bytes, std::size_t from_offset,
                    std::size_t to_offset) override {
    return catch_failure([&] {
      const OpenclBuffer& origin = own(from);
      const OpenclBuffer& target = own(to);
      need(check_copy(info(), from, from_offset, to, to_offset, bytes));
      if (moves_nothing(from, from_offset, to, to_offset, bytes)) return;
      target.may_change();
      const std::string attempted =
          fmt::format("copying {} on device {}", bytes_text(bytes), session_->named());
      require(functions().clEnqueueCopyBuffer(queue(), origin.memory(), target.memory(), from_offset,
                                              to_offset, bytes, 0, nullptr, nullptr),
              attempted);
      require(functions().clFinish(queue()), attempted);
    });
  }

  Result<double> launch(Kernel& kernel, std::span<const Argument> arguments, const Range& range) override {
    return catch_failure([&]() -> double {
      auto* own_kernel = dynamic_cast<OpenclKernel*>(&kernel);
      if (!own_kernel || own_kernel->session() != session_) throw_foreign("kernel");
      need(check_launch(info(), kernel, own_kernel->name(), range));
      if (work_items(range.global) == 0) return 0;
      set_arguments(*own_kernel, arguments);
      return run(*own_kernel, range);
    });
  }

  /// NVIDIA's management library tells the state of NVIDIA's devices; OpenCL itself has no such query.
  std::optional<Vitals> vitals() override {
    if (!was_managed_ && !session_->pci_address.empty())
      managed_ = ManagedDevice::find(session_->pci_address);
    was_managed_ = true;
    return managed_ ? managed_->vitals() : std::nullopt;
  }

 private:
  const Functions& functions() const { return session_->functions; }
  cl_command_queue queue() const { return session_->queue.get(); }

  std::unique_ptr<Program> program_of(BuiltProgram built) const {
    return std::make_unique<OpenclProgram>(session_, std::move(built.program), std::move(built.facts));
  }

  [[noreturn]] void throw_foreign(const char* what) const {
    throw_failure(ErrorKind::Bug,
                  fmt::format("a {} of another device was given to device {}", what, session_->named()));
  }

  const OpenclBuffer& own(const Buffer& buffer) const {
    const auto* own_buffer = dynamic_cast<const OpenclBuffer*>(&buffer);
    if (!own_buffer || own_buffer->session() != session_) throw_foreign("buffer");
    return *own_buffer;
  }

  void set_arguments(const OpenclKernel& kernel, std::span<const Argument> arguments) const {
    if (arguments.size() != kernel.parameter_count())
      throw_failure(ErrorKind::Bug, fmt::format("kernel {} has {} parameters, {} arguments were given",
                                                kernel.name(), kernel.parameter_count(), arguments.size()));
    for (std::size_t index = 0; index < arguments.size(); ++index) {
      alignas(8) std::byte scalar[8]{};
      cl_mem memory = nullptr;
      const void* value = nullptr;
      std::size_t bytes = 0;
      if (const auto* buffer = std::get_if<const Buffer*>(&arguments[index])) {
        if (!*buffer)
          throw_failure(ErrorKind::Bug,
                        fmt::format("argument {} of kernel {} is no buffer", index, kernel.name()));
        memory = own(**buffer).memory();
        own(**buffer).may_change();
        value = &memory;
        bytes = sizeof memory;
      } else if (const auto* image = std::get_if<ImageArgument>(&arguments[index])) {
        memory = own(*image->buffer).image(*image);
        value = &memory;
        bytes = sizeof memory;
      } else {
        const auto& given = std::get<ScalarValue>(arguments[index]);
        store_scalar(scalar, 0, given);
        value = scalar;
        bytes = size_of(given.type);
      }
      const cl_int status =
          functions().clSetKernelArg(kernel.kernel(), static_cast<cl_uint>(index), bytes, value);
      if (status != CL_SUCCESS)
        throw_failure(
            is_resource_shortage(status) ? ErrorKind::Device : ErrorKind::Bug,
            fmt::format("setting argument {} of kernel {} ({} of {}) failed: {}", index, kernel.name(),
                        memory ? "a buffer" : "a scalar", bytes_text(bytes), status_text(status)));
    }
  }

  double run(const OpenclKernel& kernel, const Range& range) const {
    const std::string attempted =
        fmt::format("running kernel {} on {} work-items in groups of {} on device {}", kernel.name(),
                    range_text(range.global), range_text(range.local), session_->named());
    const auto start = Clock::now();
    cl_event raw_event = nullptr;
    const cl_int status =
        functions().clEnqueueNDRangeKernel(queue(), kernel.kernel(), 3, nullptr, range.global.data(),
                                           range.local.data(), 0, nullptr, &raw_event);
    if (status == CL_OUT_OF_RESOURCES)
      throw_failure(ErrorKind::Device, fmt::format("{} failed: {}", attempted, status_text(status)),
                    "the registers or the local memory that a group needs are more than a compute unit has",
                    "choose smaller local sizes");
    require(status, attempted);
    const Handle<cl_event> event(raw_event, functions().clReleaseEvent);
    require(functions().clWaitForEvents(1, &raw_event), attempted);
    require(functions().clFinish(queue()), attempted);
    const double waited = seconds_since(start);
    cl_ulong begin = 0, end = 0;
    const auto profile = [&](cl_profiling_info which, cl_ulong& value) {
      return functions().clGetEventProfilingInfo(event.get(), which, sizeof value, &value, nullptr);
    };
    const bool profiled = profile(CL_PROFILING_COMMAND_START, begin) == CL_SUCCESS &&
                          profile(CL_PROFILING_COMMAND_END, end) == CL_SUCCESS;
    // Without a usable time from the device, the time that the host waited is an upper bound.
    return profiled && end > begin ? static_cast<double>(end - begin) * 1e-9 : waited;
  }

  SessionPtr session_;
  bool was_managed_ = false;  ///< whether NVML was looked for
  std::optional<ManagedDevice> managed_;
};

}  // namespace

std::vector<target::Target> list_devices(std::vector<std::string>* notes) {
  Enumeration found = enumerate();
  std::vector<target::Target> devices;
  for (FoundDevice& device : found.devices) devices.push_back(std::move(device.info));
  if (notes) notes->insert(notes->end(), found.notes.begin(), found.notes.end());
  return devices;
}

namespace {

/// Opens a context and a queue. Null when there is no device of that id; throws Failure.
SessionPtr open_session(const target::DeviceId& id) {
  Enumeration found = enumerate();
  const auto device = std::find_if(found.devices.begin(), found.devices.end(),
                                   [&](const FoundDevice& candidate) { return id.means(candidate.info); });
  if (device == found.devices.end()) return nullptr;
  auto session = std::make_shared<Session>();
  session->functions = found.functions;
  session->device = device->device;
  session->info = device->info;
  session->build_options = device->build_options;
  session->pci_address = device->pci_address;
  const std::string attempted = fmt::format("opening device {}", session->named());
  cl_int status = CL_SUCCESS;
  session->context = Handle<cl_context>(
      found.functions.clCreateContext(nullptr, 1, &session->device, nullptr, nullptr, &status),
      found.functions.clReleaseContext);
  require(status, attempted);
  session->queue =
      Handle<cl_command_queue>(found.functions.clCreateCommandQueue(session->context.get(), session->device,
                                                                    CL_QUEUE_PROFILING_ENABLE, &status),
                               found.functions.clReleaseCommandQueue);
  require(status, attempted);
  return session;
}

}  // namespace

Result<std::unique_ptr<Device>> open_device(const target::DeviceId& id) {
  return catch_failure([&]() -> std::unique_ptr<Device> {
    SessionPtr session = open_session(id);
    return session ? std::make_unique<OpenclDevice>(std::move(session)) : nullptr;
  });
}

Result<std::unique_ptr<Builder>> open_builder(const target::DeviceId& id) {
  return catch_failure([&]() -> std::unique_ptr<Builder> {
    SessionPtr session = open_session(id);
    return session ? std::make_unique<OpenclBuilder>(std::move(session)) : nullptr;
  });
}

}  // namespace hoist::runtime::opencl
