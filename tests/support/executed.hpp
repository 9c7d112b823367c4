#pragma once
// What tests of compiled programs share: text to program, program to plan, and a plan run by the loop
// interpreter.
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/tensor.hpp"
#include "driver/compile.hpp"
#include "ir/type.hpp"
#include "lang/lang.hpp"
#include "loop/interpret.hpp"

namespace hoist::testing_support {

/// The program that a text means; throws what is wrong with the text.
inline ir::Program program_of(const std::string& text) {
  Source source{"test", text};
  auto program = lang::parse_program(source);
  if (!program) throw std::runtime_error(program.error().render(&source) + "\n" + text);
  return *program;
}

struct Executed {
  Data outputs;  ///< shaped as `result`
  loop::ExecutionReport report;
};

/// Runs a plan by the loop interpreter. `result` is the program's type with the plan's sizes put in.
inline Result<Executed> execute(const loop::Plan& plan, ir::Type result, const std::vector<Data>& inputs,
                                const arith::Bindings& sizes = {}, loop::Observer* observer = nullptr) {
  loop::Memory memory;
  std::map<std::string, ScalarValue> scalars;
  std::size_t next = 0;
  for (const Data& data : inputs) {
    for (const Tensor& tensor : data) {
      const loop::PlanInput& input = plan.inputs.at(next++);
      if (auto* buffer = std::get_if<loop::BufferPtr>(&input)) {
        memory[(*buffer)->name] = tensor.bytes;
      } else {
        scalars[std::get<loop::ScalarInput>(input).variable->name] =
            load_scalar(tensor.bytes.data(), tensor.scalar, 0);
      }
    }
  }
  auto report = loop::interpret(plan, sizes, scalars, memory, observer);
  if (!report) return tl::unexpected(report.error());
  auto leaves = driver::empty_leaves(result);
  if (!leaves) return tl::unexpected(leaves.error());
  Executed executed{std::move(*leaves), std::move(*report)};
  for (std::size_t i = 0; i < executed.outputs.size(); ++i) {
    executed.outputs[i].bytes = memory.at(plan.outputs.at(i)->name);
  }
  return executed;
}

}  // namespace hoist::testing_support
