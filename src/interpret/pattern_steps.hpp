#pragma once
// Steps that run a function (a block with leaves for parameters and results) over and over.
#include <memory>
#include <optional>
#include <vector>

#include "interpret/machine.hpp"

namespace hoist::interpret {

/// A compiled lambda.
struct Function {
  std::vector<Leaf> parameters;  ///< the leaves of all parameters
  Block body;
  std::vector<Leaf> results;
};

std::unique_ptr<Step> map_step(std::vector<Leaf> arrays, Function function, std::vector<Leaf> results);
std::unique_ptr<Step> generate_step(Function function, std::vector<Leaf> results);
/// The indices from one scalar's value up to, without, another's.
struct IndexRange {
  FrameIndex from, to;
};
/// The accumulator stays where the function's first parameters are: those are the leaves of the result.
/// Without a range all elements are combined. `watched`: the magnitudes of its scalars are kept in
/// Machine::sums.
std::unique_ptr<Step> reduce_step(std::vector<Leaf> initial, std::optional<IndexRange> range,
                                  std::vector<Leaf> arrays, Function function, bool watched);
std::unique_ptr<Step> scan_step(std::vector<Leaf> initial, std::vector<Leaf> arrays, Function function,
                                std::vector<Leaf> results);
/// `keys` is an array of i32. Sums of floats are watched as those of reduce_step.
std::unique_ptr<Step> keyed_reduce_step(std::vector<Leaf> initial, Leaf keys, std::vector<Leaf> arrays,
                                        Function function, bool watched, std::vector<Leaf> results);
std::unique_ptr<Step> gather_step(Function index, std::vector<Leaf> arrays, std::vector<Leaf> results);
std::unique_ptr<Step> scatter_step(Function index, std::vector<Leaf> arrays, std::vector<Leaf> results);
std::unique_ptr<Step> if_step(Leaf condition, Block then_block, std::vector<Leaf> then_results,
                              Block else_block, std::vector<Leaf> else_results, std::vector<Leaf> results);

/// The size that the function of an iterate is typed with.
struct IteratedSize {
  arith::Expr variable;
  SizeSlot initial;  ///< its value for the first iteration
  SizeSlot next;     ///< for the next, in terms of this one's
};
/// A step's function takes the number of the step and then what the condition takes.
std::unique_ptr<Step> iterate_while_step(Leaf most, std::vector<Leaf> initial, Function condition,
                                         Function function, std::vector<Leaf> results);
std::unique_ptr<Step> iterate_step(SizeSlot times, std::optional<IteratedSize> size,
                                   std::vector<Leaf> initial, Function function, std::vector<Leaf> results);

}  // namespace hoist::interpret
