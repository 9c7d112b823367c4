#include "equivalence/pipeline_batch.hpp"

#include <stdexcept>

#include "driver/verify.hpp"
#include "execute/executable.hpp"
#include "interpret/interpret.hpp"
#include "support/executed.hpp"

namespace hoist::testing_support {

namespace {

/// A device that is handed one text after another, and builds the first of a batch only, which is all of
/// theirs.
class BatchDevice final : public runtime::Device {
 public:
  BatchDevice(runtime::Device& device, std::string source) : device_(device), source_(std::move(source)) {}

  const target::Target& info() const override { return device_.info(); }
  Result<std::unique_ptr<runtime::Program>> build(const std::string&) override {
    if (!program_) {
      auto built = device_.build(source_);
      if (!built) return built;
      program_ = std::move(*built);
    }
    return std::make_unique<Share>(program_);
  }
  Result<std::unique_ptr<runtime::Program>> load(const std::string& binary) override {
    return device_.load(binary);
  }
  Result<std::unique_ptr<runtime::Buffer>> allocate(std::size_t bytes) override {
    return device_.allocate(bytes);
  }
  Result<void> write(runtime::Buffer& buffer, std::span<const std::byte> data, std::size_t offset) override {
    return device_.write(buffer, data, offset);
  }
  Result<void> read(const runtime::Buffer& buffer, std::span<std::byte> data, std::size_t offset) override {
    return device_.read(buffer, data, offset);
  }
  Result<void> fill(runtime::Buffer& buffer, std::uint8_t value, std::size_t offset,
                    std::optional<std::size_t> bytes) override {
    return device_.fill(buffer, value, offset, bytes);
  }
  Result<void> copy(const runtime::Buffer& from, runtime::Buffer& to, std::size_t bytes,
                    std::size_t from_offset, std::size_t to_offset) override {
    return device_.copy(from, to, bytes, from_offset, to_offset);
  }
  Result<double> launch(runtime::Kernel& kernel, std::span<const runtime::Argument> arguments,
                        const runtime::Range& range) override {
    return device_.launch(kernel, arguments, range);
  }

 private:
  class Share final : public runtime::Program {
   public:
    explicit Share(std::shared_ptr<runtime::Program> program) : program_(std::move(program)) {}
    Result<std::unique_ptr<runtime::Kernel>> kernel(const std::string& name,
                                                    std::size_t local_memory) override {
      return program_->kernel(name, local_memory);
    }
    const runtime::BuildFacts& facts() const override { return program_->facts(); }

   private:
    std::shared_ptr<runtime::Program> program_;
  };

  runtime::Device& device_;
  std::string source_;
  std::shared_ptr<runtime::Program> program_;
};

Result<Data> run_twice(runtime::Device& device, const driver::Compiled& compiled,
                       const std::vector<Data>& inputs) {
  auto executable = execute::Executable::prepare(device, compiled);
  if (!executable) return tl::unexpected(executable.error());
  if (auto written = executable->write_inputs(inputs); !written) return tl::unexpected(written.error());
  if (auto poisoned = executable->poison(); !poisoned) return tl::unexpected(poisoned.error());
  if (auto ran = executable->run(); !ran) return tl::unexpected(ran.error());
  auto first = executable->read_outputs();
  if (!first) return first;
  if (auto ran = executable->run(); !ran) return tl::unexpected(ran.error());
  auto second = executable->read_outputs();
  if (!second) return second;
  for (std::size_t leaf = 0; leaf < first->size(); ++leaf) {
    if (first->at(leaf).bytes != second->at(leaf).bytes) return fail(ErrorKind::Bug, "two runs differ");
  }
  return second;
}

}  // namespace

PipelineCase pipeline_case(std::uint64_t seed) { return pipeline_case(seed, random_pipeline(seed)); }

PipelineCase pipeline_case(std::uint64_t seed, RandomPipeline text) {
  PipelineCase made{seed, std::move(text), {}, {}, {}};
  made.program = program_of(made.text.hoist);
  made.inputs = extreme_inputs(made.program, seed);
  auto expected = interpret::evaluate(made.program, made.inputs, {});
  if (!expected) throw std::runtime_error(expected.error().render() + "\n" + made.text.hoist);
  made.expected = std::move(*expected);
  return made;
}

std::vector<Result<Data>> run_batch(runtime::Device& device, std::span<const PipelineCase> cases) {
  std::vector<Result<driver::Compiled>> compiled;
  loop::Plan all;
  for (const PipelineCase& each : cases) {
    const auto& made =
        compiled.emplace_back(driver::compile(each.program, driver::options_for(device.info())));
    if (!made) continue;
    const loop::Plan& plan = made->plan;
    all.kernels.insert(all.kernels.end(), plan.kernels.begin(), plan.kernels.end());
    all.temporaries.insert(all.temporaries.end(), plan.temporaries.begin(), plan.temporaries.end());
    all.steps.insert(all.steps.end(), plan.steps.begin(), plan.steps.end());
  }
  const auto source = driver::source_of(all, device.info());
  std::vector<Result<Data>> results;
  if (!source) {
    results.assign(cases.size(), tl::unexpected(source.error()));
    return results;
  }
  BatchDevice batch(device, *source);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    results.push_back(compiled[i] ? run_twice(batch, *compiled[i], cases[i].inputs)
                                  : tl::unexpected(compiled[i].error()));
  }
  return results;
}

}  // namespace hoist::testing_support
