#include "assembly/ports.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"

namespace hoist::assembly {

namespace {

constexpr PortSet p0 = 1, p1 = 2, p4 = 16, p5 = 32, p6 = 64;
constexpr PortSet p01 = p0 | p1, p05 = p0 | p5, p06 = p0 | p6, p15 = p1 | p5, p015 = p01 | p5,
                  p0156 = p015 | p6;
constexpr PortSet p23 = 4 | 8, p237 = p23 | 128;

/// Micro-operations in registers, of up to 256 bits and of 512.
struct Row {
  int latency;
  std::vector<PortSet> narrow, wide;
};

/// Every kind; loads and stores come to it.
Row row_of(Kind kind) {
  switch (kind) {
    case Kind::Addition:
    case Kind::Multiplication:
    case Kind::FusedMultiplyAdd:
    case Kind::MinimumOrComparison:
    case Kind::Conversion:
      return {4, {p01}, {p05}};
    case Kind::Division:
    case Kind::SquareRoot:
      return {11, {p0}, {p0, p0, p05}};
    case Kind::ReciprocalEstimate:
      return {4, {p0}, {p0, p0, p05}};
    case Kind::Rounding:
      return {8, {p01, p01}, {p05, p05}};
    case Kind::Logic:
    case Kind::IntegerAddition:
    case Kind::Blend:
      return {1, {p015}, {p05}};
    case Kind::IntegerComparison:
      return {1, {p01}, {p0}};
    case Kind::VectorShift:
      return {1, {p01}, {p0}};
    case Kind::IntegerMultiplication:
      return {5, {p01}, {p05}};
    case Kind::LongIntegerMultiplication:
      return {10, {p01, p01}, {p05, p05}};
    case Kind::Shuffle:
      return {1, {p5}, {p5}};
    case Kind::WideShuffle:
    case Kind::Broadcast:
      return {3, {p5}, {p5}};
    case Kind::VariableBlend:
      return {2, {p015, p015}, {p05}};
    case Kind::HorizontalAddition:
      return {6, {p5, p5, p01}, {p5, p5, p05}};
    case Kind::LengthConversion:
      return {7, {p5, p01}, {p5, p05}};
    case Kind::Move:
      return {1, {p015}, {p05}};
    case Kind::MaskComparison:
      return {3, {p5}, {p5}};
    case Kind::ToGeneral:
      return {2, {p0}, {p0}};
    case Kind::FromGeneral:
      return {2, {p5}, {p5}};
    case Kind::Gather:
      return {15, {p0, p015, p5}, {p0, p05, p5}};
    case Kind::Scatter:
      return {8, {p0, p015, p5}, {p0, p05, p5}};
    case Kind::MaskLogic:
      return {1, {p0}, {p0}};
    case Kind::OtherVector:
      return {4, {p015}, {p05}};
    case Kind::GeneralArithmetic:
    case Kind::GeneralMove:
      return {1, {p0156}, {p0156}};
    case Kind::Address:
      return {1, {p15}, {p15}};
    case Kind::GeneralShift:
    case Kind::ConditionalMove:
      return {1, {p06}, {p06}};
    case Kind::GeneralMultiplication:
    case Kind::BitCount:
      return {3, {p1}, {p1}};
    case Kind::GeneralDivision:
      return {26, {p0, p1, p5, p6, p0156, p0156, p0156, p0156, p0156, p0156}, {p0}};
    case Kind::ConditionalJump:
      return {1, {p06}, {p06}};
    case Kind::Jump:
    case Kind::Call:
      return {1, {p6}, {p6}};
    case Kind::Nothing:
      return {0, {}, {}};
  }
  throw_failure(ErrorKind::Bug, "a kind of instruction without a cost");
}

/// How long divisions and square roots take, and how long their unit is taken: of 32-bit and 64-bit elements,
/// of 128, 256 and 512 bits.
struct DividerRow {
  int latency;
  double taken;
};
constexpr DividerRow division_rows[2][3] = {{{11, 3}, {11, 5}, {18, 10}}, {{14, 4}, {14, 8}, {24, 16}}};
constexpr DividerRow root_rows[2][3] = {{{12, 3}, {12, 6}, {20, 12}}, {{18, 6}, {19, 12}, {32, 24}}};
constexpr double general_division_taken = 6;

DividerRow divider_row(const Operation& operation) {
  const auto& rows = operation.kind == Kind::Division ? division_rows : root_rows;
  const std::size_t width = operation.bits >= 512 ? 2 : operation.bits == 256 ? 1 : 0;
  return rows[operation.element_bytes == 8 ? 1 : 0][width];
}

/// Moves between registers are renamed, and a register is zeroed, by the front end; and nothing is left to do
/// of a load or a store that moves as a whole.
bool needs_no_execution(const Operation& operation) {
  const bool is_access = operation.loads || operation.stores;
  if (operation.is_copy || operation.is_zeroing) return true;
  if (is_one_of(operation.kind, {Kind::Move, Kind::GeneralMove, Kind::Broadcast})) return is_access;
  return operation.kind == Kind::WideShuffle && operation.stores;
}

}  // namespace

Cost cost_of(const Operation& operation) {
  Cost cost;
  const bool executes = !needs_no_execution(operation);
  if (executes) {
    Row row = row_of(operation.kind);
    cost.latency = row.latency;
    cost.micro_operations = operation.bits >= 512 ? std::move(row.wide) : std::move(row.narrow);
    if (operation.kind == Kind::Division || operation.kind == Kind::SquareRoot) {
      const DividerRow divider = divider_row(operation);
      cost.latency = divider.latency;
      cost.divider = divider.taken;
    }
    if (operation.kind == Kind::GeneralDivision) cost.divider = general_division_taken;
    // A shuffle of 128 bits crosses nothing.
    if (is_one_of(operation.kind, {Kind::WideShuffle, Kind::Broadcast}) && operation.bits == 128)
      cost.latency = 1;
  }
  const auto in_registers = static_cast<double>(cost.micro_operations.size());
  cost.issued = std::max(1.0, in_registers);
  const bool is_gathered = operation.kind == Kind::Gather || operation.kind == Kind::Scatter;
  const int accesses = is_gathered ? std::max(1, operation.lanes()) : 1;
  if (operation.loads) {
    cost.load_latency = !operation.is_packed ? 5 : operation.bits == 128 ? 6 : 7;
    cost.micro_operations.insert(cost.micro_operations.end(), static_cast<std::size_t>(accesses), p23);
    if (is_gathered) cost.issued += accesses;
  }
  if (operation.stores) {
    for (int access = 0; access < accesses; ++access) {
      cost.micro_operations.push_back(p4);
      cost.micro_operations.push_back(operation.address.size() > 1 ? p23 : p237);
    }
    // The address and the data of a store are fused with each other, and with nothing else.
    if (executes || operation.loads) cost.issued += accesses;
  }
  return cost;
}

double port_bound(const std::vector<PortSet>& micro_operations) {
  std::array<double, 256> counts{};
  for (PortSet each : micro_operations) counts[each] += 1;
  double bound = 0;
  for (unsigned set = 1; set < counts.size(); ++set) {
    double inside = 0;
    for (unsigned each = 1; each < counts.size(); ++each) {
      if ((each & ~set) == 0) inside += counts[each];
    }
    bound = std::max(bound, inside / std::popcount(set));
  }
  return bound;
}

std::array<double, ports> port_uses(const std::vector<PortSet>& micro_operations) {
  std::array<double, ports> uses{};
  for (PortSet each : micro_operations) {
    const double share = 1.0 / std::popcount(each);
    for (std::size_t port = 0; port < ports; ++port) {
      if ((each >> port & 1) != 0) uses[port] += share;
    }
  }
  return uses;
}

}  // namespace hoist::assembly
