#pragma once
// Assembly text in AT&T syntax for x86-64, as g++ -S and clang -S print it, read into functions and
// instructions. What is no instruction and no label, directives above all, is left out; no text is an error.
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hoist::assembly {

enum class RegisterFile { General, Vector, Mask, Other };

/// A register, by the whole of which it is a part: %eax and %rax are one, %xmm3 and %zmm3 are.
struct Register {
  RegisterFile file = RegisterFile::Other;
  int number = 0;  ///< of general registers rax is 0, rsp stack_pointer, rbp frame_pointer
  int bits = 0;    ///< of the part that is named
  bool operator==(const Register&) const = default;
};
inline constexpr int stack_pointer = 4;
inline constexpr int frame_pointer = 5;

enum class OperandKind { Register, Memory, Immediate, Label };

struct Operand {
  OperandKind kind = OperandKind::Immediate;
  std::string text;  ///< as it stands there, without decorations in braces
  Register reg;      ///< of a register
  // Of memory: displacement(base, index, scale).
  std::string displacement;
  std::optional<Register> base, index;
  bool is_broadcast = false;  ///< {1to16}: one element in memory for all lanes
  // Of a destination under a mask, {%k1}{z}.
  std::optional<Register> mask;
  bool zeroes_masked = false;
};

struct Instruction {
  std::string mnemonic;
  std::vector<Operand> operands;  ///< in AT&T's order: the destination is the last one
  std::size_t line = 0;           ///< of the text, from 1
  std::string text;               ///< without comment and indentation
};

struct Function {
  std::string name;
  std::vector<Instruction> instructions;
  std::map<std::string, std::size_t> labels;  ///< the instruction that follows each
};

/// The functions of a listing that have instructions. A label that does not begin with ".L" begins one.
std::vector<Function> read_listing(std::string_view text);

}  // namespace hoist::assembly
