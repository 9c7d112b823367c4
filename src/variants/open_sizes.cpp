#include "variants/open_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/term.hpp"
#include "variants/limits.hpp"

namespace hoist::variants {

namespace {

/// Whether one of the assumptions is that the parameter divides something.
bool divides(arith::Expr parameter, const std::vector<ir::SizeAssumption>& assumptions) {
  return std::any_of(assumptions.begin(), assumptions.end(), [&](const ir::SizeAssumption& assumption) {
    const arith::Expr left = assumption.predicate.left;
    return assumption.predicate.relation == arith::Relation::Equal && left.kind() == arith::Kind::Remainder &&
           left->operands[1] == parameter;
  });
}

std::int64_t largest_size(const std::vector<ir::SizeAssumption>& assumptions) {
  std::int64_t largest = 1024;
  for (const ir::SizeAssumption& assumption : assumptions) {
    // What must divide a number may be as large as that.
    for (arith::Expr side : {assumption.predicate.left, assumption.predicate.right}) {
      if (side->facts.maximum) largest = std::max(largest, *side->facts.maximum);
      for (arith::Expr operand : side->operands) {
        if (auto constant = operand.constant()) largest = std::max(largest, *constant);
      }
    }
  }
  return largest;
}

/// What makes a space of a program.
struct Sizes {
  std::vector<space::Parameter> parameters;
  std::vector<space::Constraint> constraints;
};

Sizes sizes_of(const ir::Program& program, const target::Target& target, const ParameterBounds& bounds,
               bool is_derived) {
  const std::vector<ir::SizeAssumption> assumptions = ir::size_assumptions(program.function);
  Sizes result;
  result.constraints = constraints_of(program.function, target);
  for (const ir::SizeAssumption& each : assumptions)
    result.constraints.push_back({each.predicate, each.message});
  const std::int64_t largest = largest_size(assumptions);
  for (arith::Expr each : ir::open_parameters(program.function)) {
    // Only powers of two are worth a look among sizes that need not divide anything, and among blocks (?b).
    const bool is_power = is_derived && (each->name[0] == 'b' || !divides(each, assumptions));
    space::Parameter parameter{each->name, 1, largest, is_power};
    if (const auto bound = bounds.find(each->name); bound != bounds.end()) {
      parameter.least = bound->second.first;
      parameter.most = bound->second.second;
    }
    result.parameters.push_back(std::move(parameter));
  }
  return result;
}

/// The same for spaces that are equal.
std::string key_of(const Sizes& sizes) {
  std::string key;
  for (const space::Parameter& each : sizes.parameters)
    key += fmt::format("{} {} {} {};", each.name, each.least, each.most, each.is_power_of_two);
  std::vector<std::string> constraints;
  for (const space::Constraint& each : sizes.constraints) {
    constraints.push_back(fmt::format("{} {} {};", static_cast<int>(each.predicate.relation),
                                      static_cast<const void*>(each.predicate.left.get()),
                                      static_cast<const void*>(each.predicate.right.get())));
  }
  // Their order only says which is named first of several that refuse.
  std::sort(constraints.begin(), constraints.end());
  constraints.erase(std::unique(constraints.begin(), constraints.end()), constraints.end());
  return fmt::format("{}{}", key, fmt::join(constraints, ""));
}

}  // namespace

Result<space::Space> space_of(const ir::Program& program, const target::Target& target,
                              const ParameterBounds& bounds, bool is_derived) {
  Sizes sizes = sizes_of(program, target, bounds, is_derived);
  return space::Space::make(std::move(sizes.parameters), std::move(sizes.constraints));
}

Result<std::shared_ptr<const space::Space>> Spaces::of(const ir::Program& program,
                                                       const target::Target& target,
                                                       const ParameterBounds& bounds, bool is_derived) {
  Sizes sizes = sizes_of(program, target, bounds, is_derived);
  auto& known = known_[key_of(sizes)];
  if (known) return known;
  auto space = space::Space::make(std::move(sizes.parameters), std::move(sizes.constraints));
  if (!space) return tl::unexpected(space.error());
  known = std::make_shared<const space::Space>(*std::move(space));
  return known;
}

}  // namespace hoist::variants
