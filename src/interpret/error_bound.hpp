#pragma once
// How far two correct executions of one program may differ, because floats round and executors may compute
// sums in another order and elementary functions in another way.
//
// The bound for an element is  epsilon(type) * factor * scale,  where
//
//   factor = 8 + 2 R + 4 T + 4 sqrt(L) c
//
//   R  roundings on the longest path from an input to the result, each body of a reduction counted once
//   T  units in the last place that the elementary functions on that path may be wrong by (as OpenCL's
//      full profile allows)
//   L  the longest sum on it: the length of a reduction (by key, too) or scan whose function rounds, times
//   that of one
//      inside its function, plus that of one it reads from. An iterate counts R, T and L of its function as
//      often as it runs it
//   c  how much larger intermediate sums are than their results (Counts::cancellation of the reference run)
//
// Rounding errors of a sum behave like a random walk: the error of n additions grows like sqrt(n) times the
// largest partial sum, with a constant of a few units (Higham, Mary, "A new approach to probabilistic
// rounding error analysis", 2019). The worst case, n, would accept almost any result of a long sum.
//
// The scale is the element itself where nothing can cancel, and the largest magnitude of its leaf where the
// program adds or subtracts floats.
//
// A program may magnify errors: it divides by a difference, eliminates, iterates. How much, only its run
// tells: `spread` says for each element how far random rounding errors moved it (conditioning.hpp), and the
// bound is at least spread_factor times that; the scale of a program with sums is the median of its leaf
// then. What no bound covers is reported, not excused: a comparison or a floor may fall to the other side of
// a jump.
#include "arith/expr.hpp"
#include "base/tensor.hpp"
#include "interpret/counts.hpp"
#include "ir/term.hpp"

namespace hoist::interpret {

struct ErrorBound {
  double factor = 8;     ///< in units of the type's epsilon (2^-23 for f32, 2^-52 for f64)
  bool cancels = false;  ///< whether the scale is the leaf's or the element's
  Data spread = {};      ///< of each element of the leaves of floats; empty where the factor suffices
};
/// The spread is a mean of a few runs, and another executor's error may be larger than most.
inline constexpr double spread_factor = 16;

/// `observed` are the Counts of the reference run, where there was one.
ErrorBound error_bound(const ir::Program& program, const arith::Bindings& sizes,
                       const Counts* observed = nullptr);

/// Whether the term (or a function in it) adds or subtracts floats.
bool has_float_sums(ir::Term term);

/// Whether errors of sums may grow beyond what error_bound takes them for: sums are divided by or are
/// arguments of elementary functions, or what a reduction, scan or iterate carries is multiplied.
bool may_magnify(const ir::Program& program);

/// Whether an operation on floats rounds, and the units in the last place by which a device's result may
/// differ from the rounded one.
bool rounds(ScalarOp op);
double ulps_of(ScalarOp op);

}  // namespace hoist::interpret
