// What an instruction does follows from its kind and, in the second half, from its operands: the last one is
// the destination, the others are read, and what remains are exceptions to that.
//
//   vfmadd231ps 64(%rax), %ymm1, %ymm2{%k1}
//
// is packed arithmetic on 8 lanes of 4 bytes, loads 32 bytes at an address that %rax gives, reads %ymm1, the
// mask and %ymm2, which it writes. Read `operation_of` first.
#include "assembly/operation.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace hoist::assembly {

namespace {

bool is_in(const Operand& operand, RegisterFile file) {
  return operand.kind == OperandKind::Register && operand.reg.file == file;
}
bool is_memory(const Operand& operand) { return operand.kind == OperandKind::Memory; }

bool is_on_vectors(const Instruction& instruction) {
  return std::any_of(instruction.operands.begin(), instruction.operands.end(), [](const Operand& each) {
    return is_in(each, RegisterFile::Vector) || is_in(each, RegisterFile::Mask);
  });
}

/// A mnemonic without the v of its VEX or EVEX form.
struct VectorName {
  std::string_view text;
  bool is_vex = false;
};
VectorName vector_name(std::string_view mnemonic) {
  if (mnemonic.starts_with('v')) return {mnemonic.substr(1), true};
  return {mnemonic, mnemonic.starts_with('k')};
}

/// Whether a name without v is that of a conversion from or to a single number.
bool is_scalar_conversion(std::string_view name) {
  return name.starts_with("cvtsi2") || name.starts_with("cvtusi2") ||
         name.find("ss2") != std::string_view::npos || name.find("sd2") != std::string_view::npos;
}

/// Whether a name without v is that of an operation on, or a move of, one floating-point number.
bool is_scalar_name(std::string_view name) {
  if (name.starts_with("cvt")) return is_scalar_conversion(name);
  return (name.ends_with("ss") || name.ends_with("sd") || name.ends_with("sh")) && !name.starts_with('p') &&
         !name.starts_with("broadcast");
}

/// Of the lanes of vectors, by the letter at the end of a name without v.
int element_bytes_of(std::string_view name) {
  if (name.starts_with("cvt") && name.find("sd2") != std::string_view::npos) return 8;
  if (name.starts_with("cvt") && name.find("ss2") != std::string_view::npos) return 4;
  const bool is_integer = name.starts_with('p') && !name.starts_with("perm");
  if (name.ends_with("64") || name.ends_with("64x2") || name.ends_with("64x4") || name.ends_with("64x8"))
    return 8;
  switch (name.empty() ? ' ' : name.back()) {
    case 'b':
      return 1;
    case 'w':
    case 'h':
      return 2;
    case 'd':
      return is_integer || name == "movd" || name.starts_with("perm") ? (name.ends_with("pd") ? 8 : 4) : 8;
    case 'q':
      return name.starts_with("cvt") ? 4 : 8;
    default:
      return 4;
  }
}

/// Bytes of the lanes that broadcasts, insertions and extractions of "f32x4", "i128" and so on move; 0 for
/// other names.
std::size_t named_part_bytes(std::string_view name) {
  struct Part {
    std::string_view end;
    std::size_t bytes;
  };
  constexpr std::array parts =
      std::to_array<Part>({{"128", 16}, {"x4", 16}, {"32x8", 32}, {"64x2", 16}, {"32x2", 8}, {"64x4", 32}});
  std::size_t bytes = 0;
  for (const Part& part : parts) {
    if (name.ends_with(part.end)) bytes = part.bytes;
  }
  return bytes;
}

/// What an instruction on vectors moves from or to memory.
std::size_t vector_memory_bytes(std::string_view name, const Operation& operation) {
  const auto width = static_cast<std::size_t>(operation.bits) / 8;
  const auto element = static_cast<std::size_t>(operation.element_bytes);
  if (operation.memory->is_broadcast) return element;
  if (name.starts_with("cvtsi2") || name.starts_with("cvtusi2")) return name.ends_with('q') ? 8 : 4;
  if (operation.kind == Kind::ToGeneral || operation.kind == Kind::FromGeneral) return element;
  if (operation.kind == Kind::Broadcast || name.starts_with("insert") || name.starts_with("extract")) {
    const std::size_t part = named_part_bytes(name);
    return part > 0 ? part : element;
  }
  if (name.starts_with("movh") || name.starts_with("movl") || name == "movq") return 8;
  if (name == "movddup" && width == 16) return 8;
  if (name == "movd" || is_scalar_name(name)) return element;
  if (name.starts_with("pmovzx") || name.starts_with("pmovsx")) {
    const std::string_view lengths = name.substr(std::string_view("pmovzx").size());
    if (lengths == "bd" || lengths == "wq") return width / 4;
    return lengths == "bq" ? width / 8 : width / 2;
  }
  if (name.starts_with("cvtps2pd") || name.starts_with("cvtdq2pd") || name.starts_with("cvtph2ps"))
    return width / 2;
  if (name.starts_with('k'))
    return name.ends_with('w') ? 2 : name.ends_with('b') ? 1 : name.ends_with('d') ? 4 : 8;
  return width;
}

/// What an instruction on general registers moves: by the letter that ends its name, else by its register.
std::size_t general_memory_bytes(const Instruction& instruction) {
  const std::string_view name = instruction.mnemonic;
  const auto bytes_of = [](char letter) -> std::size_t {
    switch (letter) {
      case 'b':
        return 1;
      case 'w':
        return 2;
      case 'l':
        return 4;
      case 'q':
        return 8;
      default:
        return 0;
    }
  };
  const bool extends = (name.starts_with("movz") || name.starts_with("movs")) && name.size() == 6;
  if (const std::size_t bytes = name.empty() ? 0 : bytes_of(extends ? name[4] : name.back()); bytes > 0)
    return bytes;
  for (const Operand& each : instruction.operands) {
    if (is_in(each, RegisterFile::General)) return static_cast<std::size_t>(each.reg.bits) / 8;
  }
  return 8;
}

bool compares_only(const Instruction& instruction, std::string_view name, Kind kind) {
  if (kind == Kind::ConditionalJump || kind == Kind::Jump || kind == Kind::Call || kind == Kind::Nothing)
    return true;
  if (name.starts_with("comis") || name.starts_with("ucomis") || name == "ptest" ||
      name.starts_with("kortest") || name.starts_with("ktest"))
    return true;
  if (is_on_vectors(instruction)) return name == "testps" || name == "testpd";
  return (name.starts_with("cmp") && !name.starts_with("cmpxchg")) || name.starts_with("test") ||
         name == "bt" || name.starts_with("push");
}

/// Whether an instruction on vectors in a form without v only writes its destination.
bool overwrites_in_place(std::string_view name, const Operation& operation) {
  // Between registers movss and movsd replace one lane.
  if (operation.kind == Kind::Move) return !is_scalar_name(name) || operation.memory != nullptr;
  if (is_one_of(operation.kind, {Kind::SquareRoot, Kind::ReciprocalEstimate, Kind::Rounding, Kind::Conversion,
                                 Kind::LengthConversion}))
    return !is_scalar_name(name);
  if (is_one_of(operation.kind, {Kind::Broadcast, Kind::ToGeneral})) return true;
  return name.starts_with("pshuf") || name.starts_with("pmov") || name.starts_with("pabs") ||
         name == "movddup" || name == "movshdup" || name == "movsldup";
}

/// Whether the destination, the last operand, is an operand of the operation, too.
bool reads_destination(const Instruction& instruction, std::string_view name, bool is_vex,
                       const Operation& operation) {
  const Operand& destination = instruction.operands.back();
  if (destination.mask && !destination.zeroes_masked) return true;
  if (!operation.is_vector) {
    if (operation.kind == Kind::GeneralMove || operation.kind == Kind::Address ||
        operation.kind == Kind::BitCount || name.starts_with("set"))
      return false;
    return instruction.operands.size() <= 2;
  }
  if (is_memory(destination)) return false;
  if (operation.kind == Kind::FusedMultiplyAdd || operation.kind == Kind::Gather ||
      name.starts_with("permi2") || name.starts_with("permt2") || name.starts_with("ptern"))
    return true;
  return !is_vex && !overwrites_in_place(name, operation);
}

/// Whether the same register twice gives a constant: the difference or the exclusive or of a value with
/// itself.
bool is_zeroing_idiom(const Instruction& instruction, std::string_view name, const Operation& operation) {
  const auto& operands = instruction.operands;
  if (operands.size() < 2 || operands.back().mask) return false;
  if (operands[0].kind != OperandKind::Register || !(operands[0].reg == operands[1].reg)) return false;
  if (!operation.is_vector)
    return operands.size() == 2 && (name.starts_with("xor") || name.starts_with("sub"));
  return name.starts_with("xor") || name.starts_with("pxor") || name.starts_with("psub") ||
         name.starts_with("pcmpeq") || name.starts_with("kxor");
}

/// "cltq", "cqto": from %eax to %rax, from %rax to %rdx and so on.
bool widens_rax(std::string_view name) {
  return name == "cltq" || name == "cwtl" || name == "cqto" || name == "cltd";
}

bool writes_flags(std::string_view name, const Operation& operation) {
  if (operation.is_vector)
    return name.starts_with("comis") || name.starts_with("ucomis") || name == "ptest" ||
           name.starts_with("kortest") || name.starts_with("ktest") || name == "testps" || name == "testpd";
  if (operation.kind == Kind::GeneralArithmetic)
    return !name.starts_with("not") && !name.starts_with("set") && !widens_rax(name);
  return is_one_of(operation.kind,
                   {Kind::GeneralShift, Kind::GeneralMultiplication, Kind::GeneralDivision, Kind::BitCount});
}

bool reads_flags(std::string_view name, const Operation& operation) {
  return operation.kind == Kind::ConditionalJump || operation.kind == Kind::ConditionalMove ||
         name.starts_with("set") ||
         (!operation.is_vector && (name.starts_with("adc") || name.starts_with("sbb")));
}

void add_place(std::vector<Place>& places, const Register& reg) {
  if (const Place place = place_of(reg); place >= 0) places.push_back(place);
}

constexpr Register rax{RegisterFile::General, 0, 64};
constexpr Register rdx{RegisterFile::General, 2, 64};

/// Registers that no operand names.
void add_implied_places(std::string_view name, Operation& operation, std::size_t operands) {
  if (operation.kind == Kind::Call) {
    for (int number : {0, 1, 2, 6, 7, 8, 9, 10, 11})
      add_place(operation.writes, {RegisterFile::General, number, 64});
    for (int number = 0; number < 32; ++number)
      add_place(operation.writes, {RegisterFile::Vector, number, 512});
  }
  const bool is_long =
      operation.kind == Kind::GeneralDivision || operation.kind == Kind::GeneralMultiplication;
  if (is_long && operands == 1) {
    for (const Register& each : {rax, rdx}) {
      if (each == rax || operation.kind == Kind::GeneralDivision) add_place(operation.reads, each);
      add_place(operation.writes, each);
    }
  }
  if (widens_rax(name)) {
    add_place(operation.reads, rax);
    add_place(operation.writes, name == "cltq" || name == "cwtl" ? rax : rdx);
  }
}

void find_places(const Instruction& instruction, std::string_view name, bool is_vex, Operation& operation) {
  const auto& operands = instruction.operands;
  const bool writes_last = !operands.empty() && !compares_only(instruction, name, operation.kind);
  operation.is_zeroing = is_zeroing_idiom(instruction, name, operation);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand& operand = operands[i];
    const bool is_destination = writes_last && i + 1 == operands.size();
    if (operand.mask) add_place(operation.reads, *operand.mask);
    if (is_memory(operand)) {
      for (const auto& part : {operand.base, operand.index}) {
        if (part) add_place(operation.address, *part);
      }
    } else if (operand.kind == OperandKind::Register) {
      const bool is_read = !is_destination || reads_destination(instruction, name, is_vex, operation);
      if (is_read && !operation.is_zeroing) add_place(operation.reads, operand.reg);
      if (is_destination) add_place(operation.writes, operand.reg);
    }
  }
  // xchg writes both.
  if (name.starts_with("xchg") && operands.size() == 2) {
    for (const Operand& each : operands) {
      add_place(operation.reads, each.reg);
      add_place(operation.writes, each.reg);
    }
  }
  if (reads_flags(name, operation)) operation.reads.push_back(flags_place);
  if (writes_flags(name, operation)) operation.writes.push_back(flags_place);
  add_implied_places(name, operation, operands.size());
}

/// Whether memory is loaded, stored, or both; lea and prefetches do neither.
void find_accesses(const Instruction& instruction, std::string_view name, bool is_vex, Operation& operation) {
  if (operation.kind == Kind::Address || operation.kind == Kind::Nothing) return;
  const auto& operands = instruction.operands;
  const auto found = std::find_if(operands.begin(), operands.end(), is_memory);
  if (found == operands.end()) return;
  operation.memory = &*found;
  const bool is_destination =
      &*found == &operands.back() && !compares_only(instruction, name, operation.kind);
  operation.stores = is_destination;
  operation.loads =
      !is_destination || (!operation.is_vector && reads_destination(instruction, name, is_vex, operation));
  operation.memory_bytes =
      operation.is_vector ? vector_memory_bytes(name, operation) : general_memory_bytes(instruction);
}

/// Moves to and from general registers, and comparisons, have names that do not tell them apart.
Kind kind_by_operands(const Instruction& instruction, Kind kind) {
  const Operand& destination = instruction.operands.back();
  const bool has_general =
      std::any_of(instruction.operands.begin(), instruction.operands.end(),
                  [](const Operand& each) { return is_in(each, RegisterFile::General); });
  if (has_general && (kind == Kind::Move || kind == Kind::MaskLogic))
    return is_in(destination, RegisterFile::General) ? Kind::ToGeneral : Kind::FromGeneral;
  if (is_in(destination, RegisterFile::Mask) &&
      (kind == Kind::MinimumOrComparison || kind == Kind::IntegerComparison))
    return Kind::MaskComparison;
  return kind;
}

/// Loads that repeat elements need no shuffle, and those of one half of a register are blended with the
/// other.
Kind kind_of_load(std::string_view name, Kind kind) {
  if (name == "movddup" || name == "movshdup" || name == "movsldup") return Kind::Broadcast;
  if (name.starts_with("insertf") || name.starts_with("inserti")) return Kind::Blend;
  return kind;
}

}  // namespace

Place place_of(const Register& reg) {
  switch (reg.file) {
    case RegisterFile::General:
      return reg.number;
    case RegisterFile::Vector:
      return 32 + reg.number;
    case RegisterFile::Mask:
      return 64 + reg.number;
    case RegisterFile::Other:
      return -1;
  }
  return -1;
}

Operation operation_of(const Instruction& instruction) {
  Operation operation;
  operation.is_vector = is_on_vectors(instruction);
  std::string_view name = instruction.mnemonic;
  bool is_vex = false;
  if (operation.is_vector) {
    const VectorName vector = vector_name(name);
    name = vector.text;
    is_vex = vector.is_vex;
    operation.kind = vector_kind(name);
    operation.element_bytes = element_bytes_of(name);
    for (const Operand& each : instruction.operands) {
      if (is_in(each, RegisterFile::Vector)) operation.bits = std::max(operation.bits, each.reg.bits);
    }
    operation.is_packed = operation.bits > 0 && !is_scalar_name(name);
    operation.is_scalar_arithmetic =
        is_scalar_name(name) && (operation.kind == Kind::Addition || operation.kind == Kind::Multiplication ||
                                 operation.kind == Kind::FusedMultiplyAdd);
    operation.kind = kind_by_operands(instruction, operation.kind);
  } else {
    operation.kind = general_kind(name);
  }
  find_accesses(instruction, name, is_vex, operation);
  if (operation.loads) operation.kind = kind_of_load(name, operation.kind);
  find_places(instruction, name, is_vex, operation);
  operation.is_copy = (operation.kind == Kind::Move || operation.kind == Kind::GeneralMove) &&
                      !operation.memory && instruction.operands.size() == 2 &&
                      instruction.operands[0].kind == OperandKind::Register && !is_scalar_name(name);
  return operation;
}

}  // namespace hoist::assembly
