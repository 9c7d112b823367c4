#include "interpret/interpret.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "interpret/compile.hpp"
#include "interpret/machine.hpp"

namespace hoist::interpret {
namespace {

/// "[3][4]f32".
std::string describe(Scalar scalar, const std::vector<std::int64_t>& shape) {
  std::string text;
  for (std::int64_t extent : shape) text += fmt::format("[{}]", extent);
  return text + std::string(name_of(scalar));
}

/// Points the parameter's leaves at the input, whose type and shape must be the parameter's.
void bind_input(Machine& machine, const ir::ParameterDeclaration& parameter, std::span<const Leaf> leaves,
                const Data& input) {
  if (input.size() != leaves.size()) {
    throw_user(fmt::format("the input {} has {} arrays, its type {} takes {}", parameter.name, input.size(),
                           ir::to_string(parameter.type), leaves.size()));
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Leaf& leaf = leaves[i];
    const Tensor& tensor = input[i];
    std::vector<std::int64_t> shape;
    for (SizeSlot extent : leaf.shape) shape.push_back(machine.sizes[extent]);
    if (tensor.scalar != leaf.scalar || tensor.shape != shape) {
      const std::string component = leaves.size() > 1 ? fmt::format(" (component {})", i) : "";
      throw_user(fmt::format("the input {}{} is {}, not {}", parameter.name, component,
                             describe(tensor.scalar, tensor.shape), describe(leaf.scalar, shape)),
                 fmt::format("its type is {}", ir::to_string(parameter.type)));
    }
    if (tensor.bytes.size() != static_cast<std::size_t>(bytes_of(machine, leaf))) {
      throw Bug(fmt::format("the input {} of {} has {} bytes", parameter.name,
                            describe(tensor.scalar, tensor.shape), tensor.bytes.size()));
    }
    if (leaf.is_scalar()) {
      machine.frame[leaf.place] = load_word(tensor.bytes.data(), leaf.scalar);
    } else {
      set_dense(machine, leaf, tensor.bytes.data());
    }
  }
}

Data read_output(const Machine& machine, const std::vector<Leaf>& leaves) {
  Data output;
  for (const Leaf& leaf : leaves) {
    Tensor tensor;
    tensor.scalar = leaf.scalar;
    for (SizeSlot extent : leaf.shape) tensor.shape.push_back(machine.sizes[extent]);
    tensor.bytes.resize(static_cast<std::size_t>(bytes_of(machine, leaf)));
    copy_elements(machine, tensor.bytes.data(), leaf);
    output.push_back(std::move(tensor));
  }
  return output;
}

Data evaluate_or_throw(const ir::Program& program, const std::vector<Data>& inputs,
                       const arith::Bindings& sizes, const Options& options, Counts& counts) {
  if (inputs.size() != program.parameters.size()) {
    throw_user(
        fmt::format("{} takes {} inputs, not {}", program.name, program.parameters.size(), inputs.size()));
  }
  Machine machine;
  machine.sizes = SizeTable(sizes);
  if (options.max_operations != 0) machine.max_operations = options.max_operations;
  machine.noise = options.noise;
  machine.is_over = options.is_over;
  for (arith::Expr size : program.sizes) machine.sizes.slot(size, SizeUse::Number);
  for (arith::Expr parameter : ir::open_parameters(program.function)) {
    machine.sizes.slot(parameter, SizeUse::Number);
  }
  declare_iterated_sizes(machine.sizes, program.function);
  for (const ir::SizeAssumption& assumption : ir::size_assumptions(program.function)) {
    machine.sizes.require(assumption);
  }

  Compiler compiler(machine);
  const Function function = compiler.compile_function(program.function);
  std::size_t first = 0;
  for (std::size_t parameter = 0; parameter < inputs.size(); ++parameter) {
    const std::size_t count = ir::leaves(program.parameters[parameter].type).size();
    bind_input(machine, program.parameters[parameter], std::span(function.parameters).subspan(first, count),
               inputs[parameter]);
    first += count;
  }
  function.body.run(machine);
  counts = machine.counts;
  for (const Magnitudes& sums : machine.sums) {
    counts.cancellation = std::max(counts.cancellation, sums.cancellation());
  }
  return read_output(machine, function.results);
}

}  // namespace

Result<Data> evaluate(const ir::Program& program, const std::vector<Data>& inputs,
                      const arith::Bindings& sizes, const Options& options, Counts* counts) {
  Counts work;
  try {
    return catch_failure([&] {
      Data output = evaluate_or_throw(program, inputs, sizes, options, work);
      if (counts) *counts = work;
      return output;
    });
  } catch (const std::bad_alloc&) {
    return device_error("not enough memory to run the program");
  }
}

}  // namespace hoist::interpret
