#pragma once
// Whether what a device computed is what the program means.
#include <functional>

#include "driver/compile.hpp"
#include "interpret/compare.hpp"

namespace hoist::driver {

/// What to tell where results differ because the program diverges (interpret::differs_by_overflow).
inline constexpr const char* overflow_help =
    "the program diverges on these inputs, so its kernels cannot be judged: give other inputs, "
    "x=random:SEED:LOW:HIGH "
    "or x=x.npy";

struct Verification {
  Data expected;  ///< what the reference interpreter gave
  interpret::Counts counts;
  interpret::ErrorBound bound;
  interpret::Comparison comparison;
};

/// A program that is run several times, its result fed to the next time (Executable::run_steps).
struct Steps {
  std::size_t count = 1;
  std::size_t fed = 0;
};

/// What `evaluate` gives in the last step: of the inputs first, then of them with the result of the step
/// before.
Result<Data> evaluate_steps(
    const Steps& steps, std::vector<Data> inputs,
    const std::function<Result<Data>(std::size_t step, const std::vector<Data>& inputs)>& evaluate);

/// Evaluates the program with the reference interpreter and compares. Errors are those of evaluating; a
/// result that differs is no error here: see `comparison`. The bound is that of one step times their number,
/// and where that does not hold, what rounding does to the result (interpret/conditioning.hpp).
Result<Verification> verify(const ir::Program& program, const NamedSizes& sizes,
                            const std::vector<Data>& inputs, const Data& got, const Steps& steps = {});

}  // namespace hoist::driver
