#pragma once
// The imperative IR: kernels made of loops, loads, stores and barriers, and the plan that launches them.
#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "loop/value.hpp"

namespace hoist::loop {

struct Statement;
using Block = std::vector<Statement>;

/// How the iterations of a loop are spread over work-items. For Global, Group and Local, `dimension` is 0..2
/// and the loop strides by the number of work-items (or groups) in that dimension, starting at this one's id.
enum class Parallelism : std::uint8_t { Sequential, Global, Group, Local };

/// What control-flow simplification proved: a loop, at most one iteration for each work-item, exactly one.
enum class LoopForm : std::uint8_t { Loop, AtMostOnce, ExactlyOnce };

/// for variable in [start, stop) step: body. For the parallel kinds start is 0 and step 1 in the loop's own
/// terms; the printed loop adds the id and the stride.
struct For {
  arith::Expr variable;  ///< an Index variable whose name is unique in the kernel
  arith::Expr start, stop, step;
  Parallelism parallelism = Parallelism::Sequential;
  int dimension = 0;
  LoopForm form = LoopForm::Loop;
  /// The condition of a sequential loop, which is tested before each iteration; where it is false the loop
  /// ends. Null: nothing ends it early.
  ValuePtr condition = nullptr;
  bool reorderable =
      false;  ///< a reduction whose operator is associative and commutative, floats' rounding apart
  /// Of a sequential loop: some of its iterations may run without the others, if the same ones of all loops
  /// of the kernel that are so marked do. What they write no statement reads outside of them.
  bool is_independent = false;
  bool unroll = false;  ///< must be fully unrolled (its bounds are constant by then)
  /// How many iterations the device's compiler is asked to put into one; 0: nothing is said.
  std::int64_t unroll_factor = 0;
  Block body;
};
struct If {
  ValuePtr condition;  ///< bool, width 1
  Block then_body, else_body;
};
/// Declares and sets a variable. An immutable one with integer type may appear in index expressions as the
/// Data variable of the same name, kept in `index` when it does.
struct Let {
  VariablePtr variable;
  ValuePtr value;     ///< may be null for a mutable variable: declared, not yet set
  arith::Expr index;  ///< the Data variable, or empty
};
struct Assign {
  VariablePtr variable;
  ValuePtr value;
};
/// Writes value's scalars from scalar offset `index` on (see Load). With `update`, one scalar of global or
/// local memory becomes what the operation gives for it and the value (see is_atomic_update): indivisibly, so
/// that updates of one place by several work-items do not race with one another, in any order.
struct Store {
  BufferPtr buffer;
  arith::Expr index;
  ValuePtr value;
  /// From global into local memory, done by the Await that waits for it: until then the place must not be
  /// read. Where a language has no such copies it is done at once.
  bool is_asynchronous = false;
  std::optional<ScalarOp> update = std::nullopt;
  /// Past the caches, where a language and a processor have such stores. It means the same.
  bool is_streamed = false;
};
/// Closes the group of this work-item's asynchronous stores since the last Commit.
struct Commit {};
/// Waits until all but the latest `pending` groups of this work-item's asynchronous stores are done.
struct Await {
  std::int64_t pending = 0;
};
/// Work-items of a group wait for each other; names whose writes become visible.
struct Barrier {
  bool local = true;
  bool global = false;
};
/// Declares a private or local buffer. Local ones are declared by the printer at the kernel's top.
struct Allocate {
  BufferPtr buffer;
};
/// Declares `pointer` as another name of `target`.
struct Alias {
  BufferPtr pointer, target;
};
/// Exchanges what two pointers name.
struct Swap {
  BufferPtr first, second;
};
struct Comment {
  std::string text;
};

struct Statement {
  std::variant<For, If, Let, Assign, Store, Commit, Await, Barrier, Allocate, Alias, Swap, Comment> node;
};

/// A kernel's parameter: memory, a size variable or parameter of the program (an integer), or a scalar input.
struct BufferParameter {
  BufferPtr buffer;
  bool is_written = false;
};
struct SizeParameter {
  arith::Expr variable;
};
struct ScalarParameter {
  VariablePtr variable;
};
using KernelParameter = std::variant<BufferParameter, SizeParameter, ScalarParameter>;

/// Work-items in all and per group, by dimension; expressions over sizes. local divides global.
struct LaunchRange {
  std::array<arith::Expr, 3> global{1, 1, 1};
  std::array<arith::Expr, 3> local{1, 1, 1};
};

struct Kernel {
  std::string name;
  std::vector<KernelParameter> parameters;
  LaunchRange launch;
  Scalar index_type = Scalar::I32;  ///< I64 where an index may pass 2^31-1
  Block body;
};

// ---- The plan: what the host does.
struct LaunchStep {
  std::size_t kernel = 0;  ///< its parameters are bound to the plan's buffers and inputs by name
};
struct PlanStep;
/// Runs `body` again and again; after each time the two buffers of each pair exchange their roles.
struct RepeatStep {
  arith::Expr count;     ///< how often, at the most; empty where `count_from` says it
  BufferPtr count_from;  ///< one i32, which is read when the step begins; below 1: not at all
  VariablePtr
      number;  ///< which round it is, from 0 on: a scalar argument of the kernels in `body`; may be null
  std::vector<PlanStep> test;  ///< run before each round
  BufferPtr
      condition;  ///< one bool, which `test` has written: where it is false the repetition ends; may be null
  std::vector<PlanStep> body;
  std::vector<std::pair<BufferPtr, BufferPtr>> exchanged;
};
/// Device-side copy of whole buffers of equal size.
struct CopyStep {
  BufferPtr from, to;
};
struct PlanStep {
  std::variant<LaunchStep, RepeatStep, CopyStep> node;
};

/// Something a launch must check once the sizes are bound, and what it means when it does not hold.
struct Assumption {
  arith::Predicate predicate;
  std::string message;  ///< "split(4): 4 must divide N"
};

struct ScalarInput {
  VariablePtr variable;
};
using PlanInput = std::variant<BufferPtr, ScalarInput>;

/// Everything needed to run a program: sizes to bind, buffers to allocate, kernels to launch in order.
struct Plan {
  std::string name;
  std::vector<arith::Expr> sizes;      ///< free size variables, bound before anything else
  std::vector<PlanInput> inputs;       ///< flattened: an array of tuples is one buffer a component
  std::vector<BufferPtr> outputs;      ///< flattened likewise; a scalar result is a buffer of one
  std::vector<BufferPtr> temporaries;  ///< global memory between kernels
  std::vector<Kernel> kernels;
  std::vector<PlanStep> steps;
  std::vector<Assumption> assumptions;
};

}  // namespace hoist::loop
