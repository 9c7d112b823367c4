#include "assembly/counts.hpp"

#include <fmt/format.h>

namespace hoist::assembly {

namespace {

/// Whether a load or a store is all that an instruction with an operand in memory does.
bool is_access_alone(const Operation& operation) {
  return operation.memory != nullptr && (operation.kind == Kind::Move || operation.kind == Kind::Broadcast);
}

}  // namespace

Counts& Counts::operator+=(const Counts& more) {
  additions += more.additions;
  multiplications += more.multiplications;
  loads += more.loads;
  stores += more.stores;
  miscellaneous += more.miscellaneous;
  element_operations += more.element_operations;
  scalar_arithmetic += more.scalar_arithmetic;
  bytes_loaded += more.bytes_loaded;
  bytes_stored += more.bytes_stored;
  instructions += more.instructions;
  return *this;
}

Counts counts_of(const Operation& operation) {
  Counts counts;
  counts.instructions = 1;
  if (operation.loads) counts.bytes_loaded = static_cast<double>(operation.memory_bytes);
  if (operation.stores) counts.bytes_stored = static_cast<double>(operation.memory_bytes);
  if (operation.bits == 0) return counts;
  counts.loads = operation.loads ? 1 : 0;
  counts.stores = operation.stores ? 1 : 0;
  const bool adds =
      is_one_of(operation.kind, {Kind::Addition, Kind::IntegerAddition, Kind::FusedMultiplyAdd});
  const bool multiplies =
      is_one_of(operation.kind, {Kind::Multiplication, Kind::IntegerMultiplication,
                                 Kind::LongIntegerMultiplication, Kind::FusedMultiplyAdd});
  const double together = (adds ? 1 : 0) + (multiplies ? 1 : 0);
  if (operation.is_scalar_arithmetic) counts.scalar_arithmetic = together;
  if (!operation.is_packed) return counts;
  counts.additions = adds ? 1 : 0;
  counts.multiplications = multiplies ? 1 : 0;
  counts.element_operations = together * operation.lanes();
  if (together == 0 && !is_access_alone(operation)) counts.miscellaneous = 1;
  return counts;
}

Counts counts_of(const std::vector<Instruction>& instructions) {
  Counts counts;
  for (const Instruction& each : instructions) counts += counts_of(operation_of(each));
  return counts;
}

std::string counted_as(const Counts& counts) {
  std::vector<std::string_view> names;
  if (counts.additions > 0) names.emplace_back("addition");
  if (counts.multiplications > 0) names.emplace_back("multiplication");
  if (counts.scalar_arithmetic > 0) names.emplace_back("scalar arithmetic");
  if (counts.loads > 0) names.emplace_back("load");
  if (counts.stores > 0) names.emplace_back("store");
  if (counts.miscellaneous > 0) names.emplace_back("miscellaneous");
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace hoist::assembly
