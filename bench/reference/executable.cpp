#include "reference/executable.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace hoist::bench {

namespace {

Result<std::string> text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return user_error("cannot read " + path);
  return text.str();
}

runtime::Range groups_of_256(std::int64_t groups) {
  runtime::Range range;
  range.global[0] = static_cast<std::size_t>(groups) * 256;
  range.local[0] = 256;
  return range;
}

}  // namespace

Result<std::string> reference_source(const std::string& folder, const std::string& name,
                                     const driver::NamedSizes& defines) {
  auto prefix = text_of(folder + "/prefix.h"), kernels = text_of(folder + "/" + name + ".cl");
  if (!prefix) return prefix;
  if (!kernels) return kernels;
  std::string source;
  for (const auto& [define, value] : defines) source += fmt::format("#define {} {}\n", define, value);
  return source + *prefix + *kernels;
}

Result<ReferenceExecutable> ReferenceExecutable::prepare(runtime::Device& device, const std::string& folder,
                                                         const Reference& reference,
                                                         const driver::NamedSizes& sizes,
                                                         const std::vector<Data>& inputs,
                                                         std::vector<Tensor> outputs) {
  if (device.info().language == target::Language::Host) {
    return user_error("the hand-written kernels are for OpenCL and CUDA", {},
                      "name another device: `hoist devices`");
  }
  ReferenceExecutable made;
  made.device_ = &device;
  made.plan_ = reference.plan({sizes.begin(), sizes.end()}, device.info());
  made.outputs_ = std::move(outputs);
  driver::NamedSizes defines = sizes;
  defines.insert(defines.end(), made.plan_.defines.begin(), made.plan_.defines.end());
  auto source = reference_source(folder, reference.name, defines);
  if (!source) return tl::unexpected(source.error());
  auto program = device.build(*source);
  if (!program) return tl::unexpected(program.error());
  made.program_ = std::move(*program);
  for (const ReferenceLaunch& launch : made.plan_.launches) {
    auto kernel = made.program_->kernel(launch.kernel);
    if (!kernel) return tl::unexpected(kernel.error());
    made.kernels_.push_back(std::move(*kernel));
  }
  auto add_buffer = [&](std::vector<std::unique_ptr<runtime::Buffer>>& buffers,
                        std::size_t bytes) -> Result<void> {
    auto buffer = device.allocate(bytes);
    if (!buffer) return tl::unexpected(buffer.error());
    made.arguments_.emplace_back(buffer->get());
    buffers.push_back(std::move(*buffer));
    return {};
  };
  for (const Data& data : inputs) {
    for (const Tensor& tensor : data) {
      if (tensor.shape.empty()) {
        made.arguments_.emplace_back(load_scalar(tensor.bytes.data(), tensor.scalar, 0));
        continue;
      }
      if (auto added = add_buffer(made.inputs_, tensor.bytes.size()); !added)
        return tl::unexpected(added.error());
      if (auto sent = device.write(*made.inputs_.back(), tensor.bytes); !sent)
        return tl::unexpected(sent.error());
    }
  }
  if (made.plan_.temporary_bytes > 0) {
    if (auto added = add_buffer(made.written_, made.plan_.temporary_bytes); !added)
      return tl::unexpected(added.error());
  }
  for (Tensor& tensor : made.outputs_) {
    const std::size_t bytes = static_cast<std::size_t>(tensor.elements()) * size_of(tensor.scalar);
    if (auto added = add_buffer(made.written_, bytes); !added) return tl::unexpected(added.error());
  }
  return made;
}

Result<void> ReferenceExecutable::poison() {
  for (auto& buffer : written_) {
    if (auto filled = device_->fill(*buffer, 0xA5); !filled) return filled;
  }
  return {};
}

Result<double> ReferenceExecutable::run() {
  double total = 0;
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    auto seconds = device_->launch(*kernels_[i], arguments_, plan_.launches[i].range);
    if (!seconds) return seconds;
    total += *seconds;
  }
  return total;
}

Result<Data> ReferenceExecutable::read_outputs() {
  Data result = outputs_;
  const std::size_t first = written_.size() - result.size();
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].bytes.resize(written_[first + i]->bytes());
    if (auto read = device_->read(*written_[first + i], result[i].bytes); !read)
      return tl::unexpected(read.error());
  }
  return result;
}

Result<Ceilings> Ceilings::prepare(runtime::Device& device, const std::string& folder, double bytes) {
  constexpr std::int64_t vector_bytes = 16;
  Ceilings made;
  made.device_ = &device;
  made.vectors_ = std::max<std::int64_t>(static_cast<std::int64_t>(bytes) / vector_bytes, 2);
  // A few groups a compute unit: each work-item has much to read.
  made.read_groups_ = std::clamp<std::int64_t>(made.vectors_ / 256, 1,
                                               16 * static_cast<std::int64_t>(device.info().compute_units));
  for (auto [buffer, vectors] :
       {std::pair(&made.from_, made.vectors_), std::pair(&made.to_, made.vectors_ / 2)}) {
    auto allocated = device.allocate(static_cast<std::size_t>(vectors * vector_bytes));
    if (!allocated) return tl::unexpected(allocated.error());
    *buffer = std::move(*allocated);
  }
  // Random numbers from 1 to 2, as the programs' inputs are random: equal bits cost a memory less power.
  std::vector<std::uint32_t> numbers(static_cast<std::size_t>(made.vectors_) * 4);
  std::uint32_t state = 2463534242;
  for (std::uint32_t& number : numbers) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    number = 0x3F800000 | (state >> 9);
  }
  if (auto sent = device.write(*made.from_, std::as_bytes(std::span(numbers))); !sent) {
    return tl::unexpected(sent.error());
  }
  auto source = reference_source(folder, "ceilings", {});
  if (!source) return tl::unexpected(source.error());
  auto program = device.build(*source);
  if (!program) return tl::unexpected(program.error());
  made.program_ = std::move(*program);
  for (auto [name, kernel] : {std::pair("copy", &made.copy_), std::pair("read", &made.read_)}) {
    auto found = made.program_->kernel(name);
    if (!found) return tl::unexpected(found.error());
    *kernel = std::move(*found);
  }
  return made;
}

Result<double> Ceilings::copy() {
  const std::int64_t half = vectors_ / 2;
  const runtime::Argument arguments[] = {from_.get(), to_.get(), ScalarValue::of_integer(Scalar::I32, half)};
  return device_->launch(*copy_, arguments, groups_of_256((half + 255) / 256));
}

Result<double> Ceilings::read() {
  const runtime::Argument arguments[] = {from_.get(), to_.get(),
                                         ScalarValue::of_integer(Scalar::I32, vectors_)};
  return device_->launch(*read_, arguments, groups_of_256(read_groups_));
}

}  // namespace hoist::bench
