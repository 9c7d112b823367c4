// Devices through OpenCL 1.2: buffers, images, programs, kernels and launches.
//
// Everything of one device holds its Session (opencl/opencl_objects.hpp, where buffers, kernels and launches
// are): the loader's functions, a context, and a command queue that runs commands in order and measures them
// (profiling). The session is counted by reference, so that the context goes last whatever else goes first.
//
// Read OpenclDevice first. `build` compiles a source (`compile_source`), `load` takes what a builder in
// another process made (`load_binary`); OpenclProgram makes a kernel; `launch` checks the range, sets the
// arguments and runs the kernel, whose time is what the event of its launch tells. `partitions` has queues
// that overlap (opencl/opencl_queue.hpp). `open_session` opens the device that enumerate.cpp found.
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
#include "runtime/opencl/opencl_objects.hpp"
#include "runtime/opencl/opencl_queue.hpp"
#include "runtime/opencl/quiet.hpp"
#include "runtime/opencl/status.hpp"
#include "runtime/queue.hpp"

namespace hoist::runtime::opencl {

namespace {

using Clock = std::chrono::steady_clock;

class OpenclProgram : public Program {
 public:
  OpenclProgram(SessionPtr session, Handle<cl_program> program, BuildFacts facts, std::size_t code)
      : session_(std::move(session)), program_(std::move(program)), facts_(std::move(facts)), code_(code) {}

  Result<std::unique_ptr<Kernel>> kernel(const std::string& name, std::size_t) override {
    return catch_failure([&]() -> std::unique_ptr<Kernel> {
      cl_int status = CL_SUCCESS;
      Handle<cl_kernel> kernel(session_->functions.clCreateKernel(program_.get(), name.c_str(), &status),
                               session_->functions.clReleaseKernel);
      if (status == CL_INVALID_KERNEL_NAME)
        throw_failure(ErrorKind::Bug, fmt::format("the program has no kernel {}", name));
      require(status, fmt::format("creating kernel {} on device {}", name, session_->named()));
      return std::make_unique<OpenclKernel>(session_, std::move(kernel), KernelCode{code_, name});
    });
  }
  const BuildFacts& facts() const override { return facts_; }

 private:
  SessionPtr session_;
  Handle<cl_program> program_;
  BuildFacts facts_;
  std::size_t code_;  ///< a hash of what it was made of
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
    return has_cache && info().type == target::Type::Cpu && info().is_pocl();
  }

 private:
  SessionPtr session_;
};

class OpenclDevice : public Device {
 public:
  explicit OpenclDevice(SessionPtr session) : session_(std::move(session)) {}

  const target::Target& info() const override { return session_->info; }

  Result<std::unique_ptr<Program>> build(const std::string& source) override {
    return catch_failure([&] { return program_of(compile_source(*session_, source), source); });
  }

  Result<std::unique_ptr<Program>> load(const std::string& binary) override {
    return catch_failure([&] { return program_of(load_binary(*session_, binary), binary); });
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
      if (origin.shared() != nullptr && data.data() == origin.shared() + offset)
        return hand_back(origin, offset, data.size());
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
      const OpenclKernel& own_kernel = opencl::own(session_, kernel);
      need(check_launch(info(), kernel, own_kernel.name(), range));
      if (work_items(range.global) == 0) return 0;
      return run(own_kernel, arguments, range);
    });
  }

  Result<Partitioning> partitions(std::size_t count) override {
    return catch_failure([&] {
      need(check_partition_count(info(), count));
      return divide(session_, count);
    });
  }

  /// Kernels on processors reach all memory, and queues have threads of their own that copy.
  Result<std::unique_ptr<HostMemory>> host_memory(std::size_t bytes) override {
    if (info().type == target::Type::Cpu) return plain_memory(bytes, {});
    auto memory = mapped_memory(session_, bytes);
    if (memory) return memory;
    return plain_memory(bytes,
                        "the driver has no pinned memory: " + memory.error().diagnostics.front().message);
  }
  Result<std::unique_ptr<HostMemory>> pin(std::span<std::byte> memory) override {
    return plain_memory(memory,
                        info().type == target::Type::Cpu ? "" : "OpenCL pins no memory of a program's own");
  }
  /// Processors run kernels on any memory. Graphics processors would copy it.
  Result<std::unique_ptr<Buffer>> buffer_in(std::span<std::byte> memory) override {
    return catch_failure([&]() -> std::unique_ptr<Buffer> {
      if (info().type != target::Type::Cpu || memory.empty()) return nullptr;
      cl_int status = CL_SUCCESS;
      Handle<cl_mem> buffer(
          functions().clCreateBuffer(session_->context.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                     memory.size(), memory.data(), &status),
          functions().clReleaseMemObject);
      if (status != CL_SUCCESS) return nullptr;
      return std::make_unique<OpenclBuffer>(session_, std::move(buffer), memory);
    });
  }
  StreamFacts stream_facts() override { return opencl::stream_facts(*session_); }

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

  std::unique_ptr<Program> program_of(BuiltProgram built, const std::string& code) const {
    return std::make_unique<OpenclProgram>(session_, std::move(built.program), std::move(built.facts),
                                           std::hash<std::string>()(code));
  }

  const OpenclBuffer& own(const Buffer& buffer) const { return opencl::own(session_, buffer); }

  /// Lets the host see what kernels wrote to memory that it shares with the device.
  void hand_back(const OpenclBuffer& buffer, std::size_t offset, std::size_t bytes) const {
    const std::string attempted =
        fmt::format("reading {} from device {}", bytes_text(bytes), session_->named());
    cl_int status = CL_SUCCESS;
    void* mapped = functions().clEnqueueMapBuffer(queue(), buffer.memory(), CL_TRUE, CL_MAP_READ, offset,
                                                  bytes, 0, nullptr, nullptr, &status);
    require(status, attempted);
    require(functions().clEnqueueUnmapMemObject(queue(), buffer.memory(), mapped, 0, nullptr, nullptr),
            attempted);
    require(functions().clFinish(queue()), attempted);
  }

  double run(const OpenclKernel& kernel, std::span<const Argument> arguments, const Range& range) const {
    const auto start = Clock::now();
    cl_event raw_event = nullptr;
    enqueue_launch(kernel, arguments, range, queue(), {}, &raw_event);
    const Handle<cl_event> event(raw_event, functions().clReleaseEvent);
    require(functions().clWaitForEvents(1, &raw_event), launch_text(kernel, range));
    require(functions().clFinish(queue()), launch_text(kernel, range));
    const double waited = seconds_since(start);
    const auto times = profiled(*session_, event.get());
    // Without a usable time from the device, the time that the host waited is an upper bound.
    return times && (*times)[1] > (*times)[0] ? (*times)[1] - (*times)[0] : waited;
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
  const auto device = found.device_of(id);
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
  session->queue = make_command_queue(*session, session->device);
  return session;
}

}  // namespace

Result<std::unique_ptr<Device>> open_device(const target::DeviceId& id) {
  return catch_failure([&]() -> std::unique_ptr<Device> {
    SessionPtr session = open_session(id);
    return session ? std::make_unique<OpenclDevice>(std::move(session)) : nullptr;
  });
}

Result<std::optional<target::Target>> describe_device(const target::DeviceId& id) {
  return catch_failure([&]() -> std::optional<target::Target> {
    Enumeration found = enumerate();
    const auto device = found.device_of(id);
    return device == found.devices.end() ? std::nullopt : std::optional(std::move(device->info));
  });
}

Result<std::unique_ptr<Builder>> open_builder(const target::Target& device) {
  return catch_failure([&]() -> std::unique_ptr<Builder> {
    SessionPtr session = open_session(target::device_id(device.id).value());
    return session ? std::make_unique<OpenclBuilder>(std::move(session)) : nullptr;
  });
}

}  // namespace hoist::runtime::opencl
