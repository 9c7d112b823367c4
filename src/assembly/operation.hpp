#pragma once
// What an instruction does: which kind it is, what it moves, which registers it reads and writes.
#include <cstddef>
#include <vector>

#include "assembly/instruction.hpp"
#include "assembly/kind.hpp"

namespace hoist::assembly {

/// A place that holds a value: the flags, or a register, by a number below register_places.
using Place = int;
inline constexpr Place flags_place = 80;
inline constexpr Place register_places = 81;
/// Of a register of the file Other there is none: -1.
Place place_of(const Register& reg);

struct Operation {
  Kind kind = Kind::GeneralArithmetic;
  bool is_vector = false;             ///< on vector or mask registers
  bool is_packed = false;             ///< on all lanes of vector registers
  bool is_scalar_arithmetic = false;  ///< of floating-point numbers, on one lane: addss, vfmadd231sd
  int bits = 0;                       ///< of the widest vector register
  int element_bytes = 0;              ///< of vectors
  const Operand* memory = nullptr;    ///< what it loads from or stores to, of the instruction given
  bool loads = false, stores = false;
  std::size_t memory_bytes = 0;
  bool is_zeroing = false;  ///< its result does not depend on what it reads: vxorps of a register with itself
  bool is_copy = false;     ///< a move between registers, which renaming does
  std::vector<Place> reads;  ///< without the registers of the address
  std::vector<Place> address;
  std::vector<Place> writes;

  int lanes() const { return element_bytes == 0 ? 0 : bits / 8 / element_bytes; }
};

/// The result refers to the instruction.
Operation operation_of(const Instruction& instruction);

}  // namespace hoist::assembly
