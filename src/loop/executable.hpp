#pragma once
// A kernel prepared for the interpreter: names are numbers, sizes are bound, index expressions are programs.
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "loop/index_program.hpp"
#include "loop/kernel.hpp"

namespace hoist::loop {

/// An index expression: its program's number, or -1 for an empty one.
using ProgramNumber = std::int32_t;

struct ReadyValue {
  enum class Kind : std::uint8_t {
    Literal,
    Reference,
    Index,
    Test,
    Load,
    Operation,
    LazySelect,  ///< Select under one bool: only the chosen operand is computed, as C's ?: does
    LazyLogic,   ///< And, Or of one bool each: the second operand only where it decides, as in C
    Cast,
    Component,
    MakeVector,
    Shuffle,
  };
  Kind kind = Kind::Literal;
  ValueType type;
  ScalarValue literal;
  ScalarOp op{};
  arith::Relation relation{};
  std::int32_t slot = 0;       ///< Reference: variable; Load: buffer; Component: which; Shuffle: mask
  std::int32_t workspace = 0;  ///< LazySelect, LazyLogic
  ProgramNumber index = -1, test_right = -1;
  std::vector<ReadyValue> operands;
};

struct ReadyStatement;
using ReadyBlock = std::vector<ReadyStatement>;

struct ReadyStatement {
  enum class Kind : std::uint8_t {
    For,
    If,
    Let,
    Assign,
    Store,
    Commit,
    Await,
    Barrier,
    Allocate,
    Alias,
    Swap
  };
  Kind kind = Kind::For;
  // For: `column` is that of its variable.
  Parallelism parallelism{};
  std::size_t dimension = 0;
  LoopForm form{};
  std::int32_t workspace = 0;  // For, If
  ProgramNumber start = -1, stop = -1, step = -1;
  ProgramNumber range_start = -1, range_stop = -1;  ///< the variable's own range where it is not the loop's
  ReadyBlock body, else_body;                       // For, If
  // Let, Assign: variable; Store, Allocate, Alias, Swap: buffer.
  std::int32_t slot = 0;
  std::int32_t other_slot = 0;      ///< Alias: target; Swap: second
  std::int32_t column = -1;         ///< Let: where its value goes for index expressions, if anywhere
  std::optional<ReadyValue> value;  ///< For: its condition, if it has one
  ProgramNumber index = -1;
  bool is_asynchronous = false;    // Store
  std::optional<ScalarOp> update;  // Store
  std::int64_t pending = 0;        // Await
  bool is_local_barrier = false, is_global_barrier = false;
  std::string name;  ///< of a variable with a range, for messages
};

struct ReadyBuffer {
  std::string name;
  Scalar scalar{};
  AddressSpace space{};
  bool is_parameter = false;  ///< bound to the plan's memory of the same name
  bool is_pointer = false;
  std::int64_t scalars = 0;
};

struct ReadyVariable {
  std::string name;
  ValueType type;
  bool is_mutable = false;
  std::optional<ScalarValue> given;  ///< the value of a scalar parameter
};

struct Executable {
  std::string name;
  std::array<std::int64_t, 3> global{1, 1, 1}, local{1, 1, 1};
  std::int64_t smallest_index = 0, largest_index = 0;
  std::vector<ReadyBuffer> buffers;
  std::vector<ReadyVariable> variables;
  std::vector<IndexProgram> programs;
  std::vector<std::string> program_texts;
  std::size_t columns = 0;     ///< of integers: loop variables and variables that index expressions use
  std::size_t workspaces = 0;  ///< of lists of work-items
  ReadyBlock body;
};

/// Prepares a kernel that the checker accepts. Throws Failure where a size or scalar is not given.
Executable prepare(const Kernel& kernel, const arith::Bindings& sizes,
                   const std::map<std::string, ScalarValue>& scalars);

/// The value of an expression over sizes; throws Failure (User), naming `what`, where it has none.
std::int64_t evaluate_size(arith::Expr e, const arith::Bindings& sizes, const std::string& what);

}  // namespace hoist::loop
