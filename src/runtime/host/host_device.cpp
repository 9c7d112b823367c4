// The processor as a device: its buffers are memory of this process, its programs are shared libraries, and
// a launch is a call of a function. host_device.hpp has the contract of that function.
//
// Read HostDevice first. `build` hands the source to the system's compiler (host/compiler.hpp), whose result
// is loaded; HostProgram finds a kernel by its symbol; `launch` checks the range, and `run` puts pointers to
// the arguments into an array, calls the function and takes the time by the host's clock. The function finds
// its own threads (OpenMP) and runs all work-items, so a launch has nothing else to do.
//
// Buffers begin at a cache line, large ones at a huge page (`allocate_memory`). `described` makes a target of
// the processor, restricted to the instruction set that was chosen (host/instruction_set.hpp). Groups are
// loops there, so the largest group is a convention, and so is the size of local memory: about a core's share
// of the second-level cache.
#include "runtime/host/host_device.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "base/need.hpp"
#include "base/stopwatch.hpp"
#include "runtime/host/compiler.hpp"
#include "runtime/host/instruction_set.hpp"
#include "runtime/host/processor.hpp"
#include "runtime/limits.hpp"
#include "target/restricted.hpp"

namespace hoist::runtime::host {

namespace {

using KernelFunction = void (*)(void* const* arguments, const std::size_t* range);

constexpr std::size_t largest_group = 4096;
constexpr std::size_t group_memory = 1024 * 1024;  // about half of a core's second-level cache
constexpr std::size_t buffer_alignment = 64;       // a cache line, and the widest vector
constexpr std::size_t huge_page = 2 * 1024 * 1024;

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, FreeMemory>;

/// Allocates the memory of a buffer; null when the system has no more.
Memory allocate_memory(std::size_t bytes) {
  const std::size_t alignment = bytes >= huge_page ? huge_page : buffer_alignment;
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  Memory memory(std::aligned_alloc(alignment, rounded));
  // Large arrays miss the address translation cache less often in huge pages; the system may decline.
  if (memory && alignment == huge_page) madvise(memory.get(), rounded, MADV_HUGEPAGE);
  return memory;
}

class HostBuffer : public Buffer {
 public:
  HostBuffer(std::shared_ptr<std::size_t> allocated, Memory memory, std::size_t bytes)
      : allocated_(std::move(allocated)), memory_(std::move(memory)), bytes_(bytes) {
    *allocated_ += bytes_;
  }
  ~HostBuffer() override { *allocated_ -= bytes_; }
  std::size_t bytes() const override { return bytes_; }
  void* memory() const { return memory_.get(); }

 private:
  std::shared_ptr<std::size_t> allocated_;
  Memory memory_;
  std::size_t bytes_;
};

class HostKernel : public Kernel {
 public:
  HostKernel(std::shared_ptr<Library> library, KernelFunction function, std::string name)
      : library_(std::move(library)), entry_point_(function), name_(std::move(name)) {}
  std::size_t max_group_size() const override { return largest_group; }
  std::size_t local_memory() const override { return 0; }
  std::size_t private_memory() const override { return 0; }
  KernelFunction entry_point() const { return entry_point_; }
  const std::string& name() const { return name_; }

 private:
  std::shared_ptr<Library> library_;
  KernelFunction entry_point_;
  std::string name_;
};

class HostProgram : public Program {
 public:
  HostProgram(Library library, BuildFacts facts)
      : library_(std::make_shared<Library>(std::move(library))), facts_(std::move(facts)) {}

  Result<std::unique_ptr<Kernel>> kernel(const std::string& name, std::size_t) override {
    void* symbol = library_->symbol(name);
    if (!symbol) return fail(ErrorKind::Bug, fmt::format("the program has no kernel {}", name));
    return std::make_unique<HostKernel>(library_, reinterpret_cast<KernelFunction>(symbol), name);
  }
  const BuildFacts& facts() const override { return facts_; }

 private:
  std::shared_ptr<Library> library_;  // shared with its kernels, so that these may outlive the program
  BuildFacts facts_;
};

Result<Library> build_library(Compiler& compiler, const std::string& source, BuildFacts& facts) {
  auto library = compiler.build(source, facts);
  if (library && !compiler.has_openmp())
    facts.log += "built without OpenMP, which the compiler lacks: one thread\n";
  return library;
}

class HostBuilder : public Builder {
 public:
  HostBuilder(target::Target info, Compiler compiler)
      : info_(std::move(info)), compiler_(std::move(compiler)) {}
  const target::Target& info() const override { return info_; }
  Result<Built> build(const std::string& source) override {
    Built built;
    auto library = build_library(compiler_, source, built.facts);
    if (!library) return tl::unexpected(std::move(library.error()));
    return built;
  }

 private:
  target::Target info_;
  Compiler compiler_;
};

class HostDevice : public Device {
 public:
  HostDevice(target::Target info, Compiler compiler)
      : info_(std::move(info)), compiler_(std::move(compiler)) {}

  const target::Target& info() const override { return info_; }

  Result<std::unique_ptr<Program>> build(const std::string& source) override {
    BuildFacts facts;
    auto library = build_library(compiler_, source, facts);
    if (!library) return tl::unexpected(std::move(library.error()));
    return std::make_unique<HostProgram>(std::move(*library), std::move(facts));
  }

  Result<std::unique_ptr<Program>> load(const std::string&) override {
    return fail(ErrorKind::Bug, "device host loads what it built from its cache, not from a binary");
  }

  Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes) override {
    if (auto checked = check_allocation(info_, bytes, *allocated_); !checked)
      return tl::unexpected(std::move(checked.error()));
    Memory memory = allocate_memory(bytes);
    if (!memory)
      return device_error(fmt::format("a buffer of {}: the system has no memory left", bytes_text(bytes)), {},
                          "use smaller arrays");
    return std::make_unique<HostBuffer>(allocated_, std::move(memory), bytes);
  }

  Result<void> write(Buffer& buffer, std::span<const std::byte> data, std::size_t offset) override {
    return catch_failure([&] {
      auto* target = static_cast<std::byte*>(memory_of(buffer));
      need(check_transfer(info_, "write", offset + data.size(), buffer.bytes()));
      if (!data.empty()) std::memcpy(target + offset, data.data(), data.size());
    });
  }

  Result<void> read(const Buffer& buffer, std::span<std::byte> data, std::size_t offset) override {
    return catch_failure([&] {
      const auto* origin = static_cast<const std::byte*>(memory_of(buffer));
      need(check_transfer(info_, "read", offset + data.size(), buffer.bytes()));
      if (!data.empty()) std::memcpy(data.data(), origin + offset, data.size());
    });
  }

  Result<void> fill(Buffer& buffer, std::uint8_t value, std::size_t offset,
                    std::optional<std::size_t> bytes) override {
    return catch_failure([&] {
      auto* target = static_cast<std::byte*>(memory_of(buffer));
      const std::size_t count = filled_bytes(buffer, offset, bytes);
      need(check_transfer(info_, "fill", offset + count, buffer.bytes()));
      if (count != 0) std::memset(target + offset, value, count);
    });
  }

  Result<void> copy(const Buffer& from, Buffer& to, std::size_t bytes, std::size_t from_offset,
                    std::size_t to_offset) override {
    return catch_failure([&] {
      const auto* origin = static_cast<const std::byte*>(memory_of(from));
      auto* target = static_cast<std::byte*>(memory_of(to));
      need(check_copy(info_, from, from_offset, to, to_offset, bytes));
      if (moves_nothing(from, from_offset, to, to_offset, bytes)) return;
      std::memcpy(target + to_offset, origin + from_offset, bytes);
    });
  }

  Result<double> launch(Kernel& kernel, std::span<const Argument> arguments, const Range& range) override {
    return catch_failure([&]() -> double {
      auto* own_kernel = dynamic_cast<HostKernel*>(&kernel);
      if (!own_kernel) throw_failure(ErrorKind::Bug, "a kernel of another device was given to device host");
      need(check_launch(info_, kernel, own_kernel->name(), range));
      if (work_items(range.global) == 0) return 0;
      return run(own_kernel->entry_point(), arguments, range);
    });
  }

 private:
  static void* memory_of(const Buffer& buffer) {
    const auto* own_buffer = dynamic_cast<const HostBuffer*>(&buffer);
    if (!own_buffer) throw_failure(ErrorKind::Bug, "a buffer of another device was given to device host");
    return own_buffer->memory();
  }

  static double run(KernelFunction function, std::span<const Argument> arguments, const Range& range) {
    struct alignas(8) ScalarMemory {
      std::byte bytes[8]{};
    };
    std::vector<ScalarMemory> scalars(arguments.size());
    std::vector<void*> pointers;
    for (std::size_t index = 0; index < arguments.size(); ++index) {
      if (const auto* buffer = std::get_if<const Buffer*>(&arguments[index])) {
        if (!*buffer) throw_failure(ErrorKind::Bug, fmt::format("argument {} is no buffer", index));
        pointers.push_back(memory_of(**buffer));
      } else if (const auto* scalar = std::get_if<ScalarValue>(&arguments[index])) {
        store_scalar(scalars[index].bytes, 0, *scalar);
        pointers.push_back(scalars[index].bytes);
      } else {
        throw_failure(ErrorKind::Bug, "the host reads no images");
      }
    }
    const std::array<std::size_t, 6> sizes{range.global[0], range.global[1], range.global[2],
                                           range.local[0],  range.local[1],  range.local[2]};
    const auto start = std::chrono::steady_clock::now();
    function(pointers.data(), sizes.data());
    return seconds_since(start);
  }

  target::Target info_;
  Compiler compiler_;
  // Shared with the buffers, so that the order in which they and the device go does not matter.
  std::shared_ptr<std::size_t> allocated_ = std::make_shared<std::size_t>(0);
};

/// The machine as what it is to run is built for it.
struct Toolchain {
  target::Target info;
  Compiler compiler;
};

target::Target described(const Processor& processor, const target::InstructionSet* set) {
  target::Target info;
  info.id = "host";
  info.name = processor.name;
  info.vendor = processor.vendor;
  info.platform = "host";
  info.language = target::Language::Host;
  info.type = target::Type::Cpu;
  info.compute_units = processor.threads;
  info.global_memory = info.largest_buffer = processor.memory;
  info.local_memory = group_memory;
  info.cache_line = processor.cache_line;
  info.caches = processor.caches;
  info.max_group_size = largest_group;
  info.max_group_sizes = {largest_group, largest_group, largest_group};
  info.preferred_f32_vector = processor.f32_vector;
  info.has_f64 = true;
  info.clock_mhz = processor.clock_mhz;
  info = completed(std::move(info));
  return set == nullptr ? info : with_instruction_set(std::move(info), *set);
}

/// The driver of the host is its compiler: by another one times are others.
Result<Toolchain> toolchain() {
  const auto set = chosen_instruction_set();
  if (!set) return tl::unexpected(set.error());
  const Processor processor = this_processor();
  // A compiler runs on the machine itself, and -march=native means that.
  const std::vector<target::Extension> present = present_extensions(processor);
  const target::InstructionSet emulated{target::native_instruction_set, processor.f32_vector, 0, present};
  auto compiler = Compiler::find(processor.name + "\n" + processor.features,
                                 *set == nullptr && processor.is_emulated ? &emulated : *set);
  if (!compiler) return tl::unexpected(std::move(compiler.error()));
  target::Target info = described(processor, *set);
  info.driver = compiler->description();
  return Toolchain{std::move(info), std::move(*compiler)};
}

}  // namespace

std::vector<target::Target> list_devices(std::vector<std::string>* notes) {
  const auto set = chosen_instruction_set();
  if (!set && notes != nullptr) notes->push_back(set.error().diagnostics.front().message);
  return {described(this_processor(), set.value_or(nullptr))};
}

Result<std::unique_ptr<Device>> open_device(const target::DeviceId&) {
  auto tools = toolchain();
  if (!tools) return tl::unexpected(std::move(tools.error()));
  return std::make_unique<HostDevice>(std::move(tools->info), std::move(tools->compiler));
}

Result<std::unique_ptr<Builder>> open_builder(const target::DeviceId&) {
  auto tools = toolchain();
  if (!tools) return tl::unexpected(std::move(tools.error()));
  return std::make_unique<HostBuilder>(std::move(tools->info), std::move(tools->compiler));
}

Result<std::string> assembly_of(const std::string& source) {
  auto tools = toolchain();
  if (!tools) return tl::unexpected(std::move(tools.error()));
  return tools->compiler.assembly(source);
}

}  // namespace hoist::runtime::host
