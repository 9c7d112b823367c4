// The processor as a device: its buffers are memory of this process, its programs are shared libraries, and
// a launch is a call of a function. host_device.hpp has the contract of that function.
//
// Read HostDevice first. `build` hands the source to the system's compiler (host/compiler.hpp), whose result
// is loaded; HostProgram finds a kernel by its symbol; `launch` checks range and arguments (HostLaunch in
// host/host_objects.hpp, where buffers and kernels are), calls the function and takes the time by the host's
// clock. The function finds its own threads (OpenMP) and runs all work-items, so a launch has nothing else to
// do. Partitions are processors side by side, and their queues threads that keep to them
// (host/host_queue.cpp).
//
// Buffers begin at a cache line, large ones at a huge page. `described` makes a target of the processor,
// restricted to the instruction set that was chosen (host/instruction_set.hpp). Groups are loops there, so
// the largest group is a convention, and so is the size of local memory: about a core's share of the
// second-level cache.
#include "runtime/host/host_device.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/need.hpp"
#include "base/stopwatch.hpp"
#include "runtime/host/compiler.hpp"
#include "runtime/host/host_objects.hpp"
#include "runtime/host/host_queue.hpp"
#include "runtime/host/instruction_set.hpp"
#include "runtime/host/processor.hpp"
#include "runtime/limits.hpp"
#include "runtime/queue.hpp"
#include "target/restricted.hpp"

namespace hoist::runtime::host {

namespace {

constexpr std::size_t group_memory = 1024 * 1024;  // about half of a core's second-level cache

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

class HostPartition final : public Partition {
 public:
  HostPartition(const target::Target& info, Processors processors)
      : info_(info), processors_(std::move(processors)) {}
  std::size_t compute_units() const override {
    return processors_.empty() ? info_.compute_units : processors_.size();
  }
  Result<std::unique_ptr<Queue>> queue() override { return make_queue(info_, processors_); }

 private:
  const target::Target& info_;
  Processors processors_;
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
      std::byte* target = memory_of(buffer);
      need(check_transfer(info_, "write", offset + data.size(), buffer.bytes()));
      if (!data.empty()) std::memcpy(target + offset, data.data(), data.size());
    });
  }

  Result<void> read(const Buffer& buffer, std::span<std::byte> data, std::size_t offset) override {
    return catch_failure([&] {
      const std::byte* origin = memory_of(buffer);
      need(check_transfer(info_, "read", offset + data.size(), buffer.bytes()));
      if (!data.empty() && data.data() != origin + offset)
        std::memcpy(data.data(), origin + offset, data.size());
    });
  }

  Result<void> fill(Buffer& buffer, std::uint8_t value, std::size_t offset,
                    std::optional<std::size_t> bytes) override {
    return catch_failure([&] {
      std::byte* target = memory_of(buffer);
      const std::size_t count = filled_bytes(buffer, offset, bytes);
      need(check_transfer(info_, "fill", offset + count, buffer.bytes()));
      if (count != 0) std::memset(target + offset, value, count);
    });
  }

  Result<void> copy(const Buffer& from, Buffer& to, std::size_t bytes, std::size_t from_offset,
                    std::size_t to_offset) override {
    return catch_failure([&] {
      const std::byte* origin = memory_of(from);
      std::byte* target = memory_of(to);
      need(check_copy(info_, from, from_offset, to, to_offset, bytes));
      if (moves_nothing(from, from_offset, to, to_offset, bytes)) return;
      std::memcpy(target + to_offset, origin + from_offset, bytes);
    });
  }

  Result<double> launch(Kernel& kernel, std::span<const Argument> arguments, const Range& range) override {
    return catch_failure([&]() -> double {
      const HostLaunch launch(info_, kernel, arguments, range);
      if (launch.is_empty()) return 0;
      const auto start = std::chrono::steady_clock::now();
      launch.run(std::nullopt);
      return seconds_since(start);
    });
  }

  Result<Partitioning> partitions(std::size_t count) override {
    if (auto checked = check_partition_count(info_, count); !checked)
      return tl::unexpected(std::move(checked.error()));
    Partitioning made{.partitions = {}, .are_separate = true, .note = {}};
    std::vector<Processors> shares(1);
    if (count > 1) shares = shares_of_processors(count, info_.compute_units);
    if (shares.size() < count) {
      made.are_separate = false;
      made.note = "the system does not tell which processors there are";
      shares.assign(count, {});
    }
    for (Processors& share : shares)
      made.partitions.push_back(std::make_unique<HostPartition>(info_, std::move(share)));
    return made;
  }

  /// A kernel reads and writes any memory.
  Result<std::unique_ptr<HostMemory>> host_memory(std::size_t bytes) override {
    return plain_memory(bytes, {});
  }
  Result<std::unique_ptr<HostMemory>> pin(std::span<std::byte> memory) override {
    return plain_memory(memory, {});
  }
  Result<std::unique_ptr<Buffer>> buffer_in(std::span<std::byte> memory) override {
    return std::make_unique<HostBuffer>(memory);
  }
  Result<std::unique_ptr<Buffer>> buffer_at(std::uintptr_t address, std::size_t bytes) override {
    return buffer_in({reinterpret_cast<std::byte*>(address), bytes});  // NOLINT
  }
  std::uintptr_t address_of(const Buffer& buffer) override {
    const auto* own = dynamic_cast<const HostBuffer*>(&buffer);
    return own == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(own->memory());
  }
  StreamFacts stream_facts() override {
    return {.is_asynchronous = true,
            .needs_pinned = false,
            .copy_engines = 0,
            .most_partitions = info_.compute_units,
            .partition_granularity = 1,
            .notes = {"processors copy what is uploaded and downloaded"}};
  }

 private:
  target::Target info_;
  Compiler compiler_;
  // Shared with the buffers, so that the order in which they and the device go does not matter.
  std::shared_ptr<std::atomic<std::size_t>> allocated_ = std::make_shared<std::atomic<std::size_t>>(0);
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
  if (notes != nullptr) {
    // It is listed all the same: programs can be compiled for it, and exported.
    if (const auto compiler = Compiler::find({}); !compiler) {
      const Diagnostic& why = compiler.error().diagnostics.front();
      notes->push_back(fmt::format("host: {}; {}", why.message, why.help));
    }
  }
  return {described(this_processor(), set.value_or(nullptr))};
}

Result<std::unique_ptr<Device>> open_device(const target::DeviceId&) {
  auto tools = toolchain();
  if (!tools) return tl::unexpected(std::move(tools.error()));
  return std::make_unique<HostDevice>(std::move(tools->info), std::move(tools->compiler));
}

Result<std::optional<target::Target>> describe_device(const target::DeviceId&) {
  auto tools = toolchain();
  if (!tools) return tl::unexpected(std::move(tools.error()));
  return std::move(tools->info);
}

Result<std::unique_ptr<Builder>> open_builder(const target::Target&) {
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
