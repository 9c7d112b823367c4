#pragma once
// Plans as text, printing them, and running what was printed, for the tests of the code generators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arith/arena.hpp"
#include "codegen/codegen.hpp"
#include "loop/check.hpp"
#include "loop/interpret.hpp"
#include "loop/print.hpp"
#include "runtime/devices.hpp"

namespace hoist::codegen {

inline loop::Plan parsed(const std::string& text) {
  Result<loop::Plan> plan = loop::parse_plan(text);
  if (!plan) {
    const Source source{"plan", text};
    ADD_FAILURE() << plan.error().render(&source);
    return {};
  }
  return *std::move(plan);
}

/// A plan of one kernel `k` with the given declarations, parameters, launch and body.
inline std::string one_kernel(const std::string& declarations, const std::string& parameters,
                              const std::string& launch, const std::string& body,
                              const std::string& index_type = "i32") {
  return "plan p {\n" + declarations + "kernel k(" + parameters + ") launch " + launch + " index " +
         index_type + " {\n" + body + "}\nsteps { launch k; }\n}\n";
}

inline std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

inline std::string text_of(const Result<std::string>& text) {
  if (text) return *text;
  ADD_FAILURE() << text.error().render();
  return {};
}
inline std::string opencl_text(const std::string& plan) { return text_of(opencl(parsed(plan))); }
inline std::string cuda_text(const std::string& plan) { return text_of(cuda(parsed(plan))); }
inline std::string host_text(const std::string& plan) { return text_of(host(parsed(plan))); }

/// A body over x, y and N with asynchronous copies: of one scalar, of four and of eight, of four from where
/// only two are aligned, and of one under a condition.
constexpr const char* asynchronous_copies =
    "for g in group(0) [0, N) step 1 { allocate t: local f32[512]; for l in local(0) [0, 64) step 1 : "
    "exactly_once { "
    "async t[l] = x[l]; async t[4 * l +: 4] = x[4 * l +: 4]; async t[8 * l +: 8] = x[8 * l +: 8]; "
    "async t[4 * l +: 4] = x[4 * l + 2 +: 4]; async t[l] = select(test(l + g < N), x[l], 0.0); } commit; "
    "await(1); "
    "for m in local(0) [0, 64) step 1 : exactly_once { y[m] = t[m]; } }";

/// The devices that printed kernels are run on: the host, and OpenCL's and CUDA's first where there is one.
inline std::vector<std::string> devices() {
  std::vector<std::string> ids;
  for (const target::Target& info : runtime::list_devices()) {
    if (info.id == "host" || info.id == "opencl:0" || info.id == "cuda:0") ids.push_back(info.id);
  }
  return ids;
}
inline runtime::Device& device(const std::string& id) {
  static std::map<std::string, std::unique_ptr<runtime::Device>> open;
  auto& entry = open[id];
  if (!entry) {
    auto opened = runtime::open_device(id);
    if (!opened) throw std::runtime_error(opened.error().render());
    entry = *std::move(opened);
  }
  return *entry;
}

template <class T>
T succeeded(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().render());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

/// Runs a plan's printed text on a device, the way that a plan's steps say.
class Execution {
 public:
  Execution(const std::string& device_id, const loop::Plan& plan, arith::Bindings sizes,
            std::map<std::string, ScalarValue> scalars)
      : device_(device(device_id)), plan_(plan), sizes_(std::move(sizes)), scalars_(std::move(scalars)) {
    const target::Language language = device_.info().language;
    is_cuda_ = language == target::Language::Cuda;
    text_ = succeeded(is_cuda_                               ? cuda(plan)
                      : language == target::Language::OpenCL ? opencl(plan)
                                                             : host(plan));
    program_ = succeeded(device_.build(text_));
  }
  const std::string& text() const { return text_; }

  /// Memory by name: inputs are read, outputs added.
  void run(loop::Memory& memory) { run(memory, plan_.steps); }
  void run(loop::Memory& memory, const std::vector<loop::PlanStep>& steps_to_run) {
    for (const loop::PlanInput& input : plan_.inputs) {
      if (const auto* buffer = std::get_if<loop::BufferPtr>(&input)) {
        allocate(**buffer);
        succeeded(device_.write(*buffers_.at((*buffer)->name), memory.at((*buffer)->name)));
      }
    }
    for (const auto& list : {plan_.outputs, plan_.temporaries}) {
      for (const loop::BufferPtr& each : list) {
        allocate(*each);
        succeeded(device_.fill(*buffers_.at(each->name), 0xAB));
      }
    }
    steps(steps_to_run);
    for (const loop::BufferPtr& each : plan_.outputs) {
      auto& bytes = memory[each->name];
      bytes.resize(buffers_.at(each->name)->bytes());
      succeeded(device_.read(*buffers_.at(each->name), bytes));
    }
  }

 private:
  std::int64_t number(arith::Expr e) const { return arith::evaluate(e, sizes_).value(); }

  void allocate(const loop::Buffer& buffer) {
    const auto bytes = static_cast<std::size_t>(number(buffer.scalars)) * size_of(buffer.type.scalar);
    buffers_[buffer.name] = succeeded(device_.allocate(bytes));
  }

  void steps(const std::vector<loop::PlanStep>& list) {
    for (const loop::PlanStep& step : list) {
      if (const auto* launch = std::get_if<loop::LaunchStep>(&step.node)) {
        this->launch(plan_.kernels.at(launch->kernel));
      } else if (const auto* repeat = std::get_if<loop::RepeatStep>(&step.node)) {
        for (std::int64_t at = 0; at < number(repeat->count); ++at) {
          steps(repeat->body);
          for (const auto& [first, second] : repeat->exchanged)
            std::swap(buffers_.at(first->name), buffers_.at(second->name));
        }
      } else if (const auto* copy = std::get_if<loop::CopyStep>(&step.node)) {
        const auto& from = *buffers_.at(copy->from->name);
        succeeded(device_.copy(from, *buffers_.at(copy->to->name), from.bytes()));
      }
    }
  }

  void launch(const loop::Kernel& kernel) {
    std::vector<runtime::Argument> arguments;
    for (const loop::KernelParameter& parameter : kernel.parameters) {
      if (const auto* buffer = std::get_if<loop::BufferParameter>(&parameter)) {
        arguments.emplace_back(buffers_.at(buffer->buffer->name).get());
      } else if (const auto* size = std::get_if<loop::SizeParameter>(&parameter)) {
        arguments.emplace_back(ScalarValue::of_integer(kernel.index_type, number(size->variable)));
      } else {
        arguments.emplace_back(scalars_.at(std::get<loop::ScalarParameter>(parameter).variable->name));
      }
    }
    runtime::Range range;
    for (std::size_t at = 0; at < 3; ++at) {
      range.global[at] = static_cast<std::size_t>(number(kernel.launch.global[at]));
      range.local[at] = static_cast<std::size_t>(number(kernel.launch.local[at]));
    }
    auto entry = succeeded(program_->kernel(kernel.name, is_cuda_ ? cuda_dynamic_shared_memory(kernel) : 0));
    succeeded(device_.launch(*entry, arguments, range));
  }

  runtime::Device& device_;
  const loop::Plan& plan_;
  arith::Bindings sizes_;
  std::map<std::string, ScalarValue> scalars_;
  std::string text_;
  bool is_cuda_ = false;
  std::unique_ptr<runtime::Program> program_;
  std::map<std::string, std::unique_ptr<runtime::Buffer>> buffers_;
};

template <class Element>
std::vector<std::byte> bytes_of(const std::vector<Element>& elements) {
  std::vector<std::byte> bytes(elements.size() * sizeof(Element));
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

template <class Element>
std::vector<Element> elements_of(const std::vector<std::byte>& bytes) {
  std::vector<Element> elements(bytes.size() / sizeof(Element));
  std::memcpy(elements.data(), bytes.data(), bytes.size());
  return elements;
}

}  // namespace hoist::codegen
