#include "assembly/hot_loop.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "assembly/counts.hpp"
#include "assembly/loops.hpp"

namespace hoist::assembly {

namespace {

/// "$kernel._omp_fn.0", "helper@PLT" and "*table(%rip)" without what is about the name.
std::string_view symbol_in(const Operand& operand) {
  std::string_view text = operand.kind == OperandKind::Memory ? operand.displacement : operand.text;
  while (!text.empty() && (text.front() == '$' || text.front() == '*')) text.remove_prefix(1);
  return text.substr(0, text.find_first_of("@+"));
}

/// The kernel, its parts (compilers put a point after its name), and what they name.
std::vector<const Function*> reachable(const std::vector<Function>& functions, std::string_view kernel) {
  const std::string part = std::string(kernel) + ".";
  std::vector<const Function*> found;
  const auto add = [&](const Function& function) {
    if (std::find(found.begin(), found.end(), &function) == found.end()) found.push_back(&function);
  };
  for (const Function& each : functions) {
    if (each.name == kernel || each.name.starts_with(part)) add(each);
  }
  for (std::size_t next = 0; next < found.size(); ++next) {
    std::set<std::string_view> symbols;
    for (const Instruction& instruction : found[next]->instructions) {
      for (const Operand& operand : instruction.operands) symbols.insert(symbol_in(operand));
    }
    for (const Function& each : functions) {
      if (symbols.contains(each.name)) add(each);
    }
  }
  return found;
}

bool has_frame_pointer(const Function& function) {
  return std::any_of(function.instructions.begin(), function.instructions.end(), [](const Instruction& each) {
    return each.mnemonic == "movq" && each.operands.size() == 2 && each.operands[0].text == "%rsp" &&
           each.operands[1].text == "%rbp";
  });
}

/// What loops are ordered by, the first number first.
std::array<double, 3> heat(const HotLoop& loop) {
  constexpr double iterations = 10;  // that a loop is taken to have
  constexpr std::size_t deepest = 20;
  const Counts counts = counts_of(loop.instructions);
  const double times = std::pow(iterations, static_cast<double>(std::min(loop.depth, deepest)));
  return {times * counts.element_operations, times * counts.scalar_arithmetic, times * counts.instructions};
}

}  // namespace

std::optional<HotLoop> hot_loop(const std::vector<Function>& functions, std::string_view kernel) {
  std::optional<HotLoop> hottest;
  for (const Function* function : reachable(functions, kernel)) {
    for (const Loop& loop : loops_of(*function)) {
      HotLoop candidate{function->name, {}, loop.depth, has_frame_pointer(*function)};
      for (std::size_t index : loop.instructions)
        candidate.instructions.push_back(function->instructions[index]);
      if (!hottest || heat(candidate) > heat(*hottest)) hottest = std::move(candidate);
    }
  }
  return hottest;
}

}  // namespace hoist::assembly
