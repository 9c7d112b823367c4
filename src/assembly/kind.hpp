#pragma once
// The kinds of instructions, by their mnemonics.
#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace hoist::assembly {

/// Kinds whose instructions take the same ports for the same time (ports.hpp).
enum class Kind {
  // On vector registers.
  Addition,  ///< and subtraction, of floating-point numbers
  Multiplication,
  FusedMultiplyAdd,
  MinimumOrComparison,
  MaskComparison,  ///< whose result is a mask register
  Division,
  SquareRoot,
  ReciprocalEstimate,
  Rounding,
  Logic,
  IntegerAddition,  ///< and subtraction
  IntegerComparison,
  IntegerMultiplication,
  LongIntegerMultiplication,  ///< of 32 bits by 32 bits, the low half of the product: two operations
  VectorShift,
  Shuffle,      ///< within 128 bits
  WideShuffle,  ///< across them
  Blend,
  VariableBlend,
  HorizontalAddition,
  Conversion,
  LengthConversion,  ///< between numbers of different length
  Move,              ///< a load, a store or a copy
  Broadcast,
  ToGeneral,  ///< or to the flags
  FromGeneral,
  Gather,
  Scatter,
  MaskLogic,
  OtherVector,
  // On general registers.
  GeneralArithmetic,
  GeneralMove,
  Address,  ///< lea
  GeneralShift,
  GeneralMultiplication,
  GeneralDivision,
  BitCount,
  ConditionalMove,
  ConditionalJump,
  Jump,
  Call,
  Nothing,  ///< nop, prefetches, vzeroupper
};

/// Of an instruction on vector or mask registers; the name is without the v of its VEX form.
Kind vector_kind(std::string_view name);
/// Of any other instruction.
Kind general_kind(std::string_view name);

inline bool is_one_of(Kind kind, std::initializer_list<Kind> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

}  // namespace hoist::assembly
