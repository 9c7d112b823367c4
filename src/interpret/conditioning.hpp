#pragma once
// How far rounding moves the results of a program on the inputs at hand: Monte Carlo arithmetic.
//
// The program is evaluated a few times more with a random error in the last place of the result of every
// operation that rounds (Parker, Pierce, Eggert, "Monte Carlo arithmetic: how to gamble with floating point
// and win", 2000; Vignes, "Discrete stochastic arithmetic for validating results of numerical software",
// 2004). How far an element's values lie apart is what rounding does to it, whatever the program does:
// quotients of differences, elimination, recurrences. Running error analysis (Higham, "Accuracy and stability
// of numerical algorithms", section 3.3) bounds the same in one run, but takes all errors for the worst:
// where errors in fact cancel, as in recursive filters and rotations, its bounds grow exponentially and would
// let every wrong result pass.
//
// A spread costs `spread_runs` evaluations. So it is looked for where the bound by lengths (error_bound.hpp)
// does not hold, or before many results are compared where the program is one that magnifies errors.
#include <functional>

#include "interpret/compare.hpp"

namespace hoist::interpret {

inline constexpr std::uint64_t spread_runs = 4;

/// The program's result with rounding errors from that seed, which is not 0.
using Disturbed = std::function<Result<Data>(std::uint64_t noise)>;

/// The root mean square of the distances from `expected`, for each element of the leaves of floats (in the
/// leaf's type); it is infinite where one of both is. Errors are those of evaluating.
Result<Data> spread_of(const Data& expected, const Disturbed& evaluate);

/// compare; where `got` is outside `bound`, and that has no spread yet, it gets one and decides again.
Result<Comparison> compare(const Data& expected, const Data& got, ErrorBound& bound,
                           const Disturbed& evaluate);

/// Gives the bound a spread where the program may magnify errors and disturbed results lie so far from what
/// is expected that another executor's might miss the bound.
Result<void> widen_if_needed(ErrorBound& bound, const ir::Program& program, const Data& expected,
                             const Disturbed& evaluate);

}  // namespace hoist::interpret
