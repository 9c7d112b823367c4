#pragma once
// The first stages of an exploration: from a program to low-level programs with open sizes, each with the
// rules that led to it. Macro rules rewrite the algorithm and say who computes what; what is left goes to the
// device's hierarchy; then values that are used again are kept in faster memory. Everything is done in a
// fixed order, so that the number of a derivation is the same in every run.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "ir/term.hpp"
#include "rewrite/trace.hpp"
#include "target/target.hpp"
#include "variants/variants.hpp"

namespace hoist::variants {

struct Derivation {
  ir::Program program;  ///< low-level, with parameters ?t
  rewrite::Trace trace;
};

struct DerivationBounds {
  std::size_t steps = 5;         ///< macro rules in a row
  std::size_t programs = 20000;  ///< of each stage
  /// True ends it: what is derived then are the first ones of those that there would be, with their numbers.
  std::function<bool()> is_over = {};
};

struct Derivations {
  std::vector<Derivation> list;
  Stages stages;
};
/// The derivations of a program all of whose sizes are given. The target's profile says what is derived, its
/// limits which copies into local memory are tried: only those whose work-items read neighbours.
Derivations derive(const ir::Program& program, const target::Target& target,
                   const DerivationBounds& bounds = {});

/// The derivations of a chain of stages that compute all of them tile by tile (strategies/tiled_stages.hpp).
Derivations derive_tiled(const ir::Program& program, const target::Target& target);

/// The derivations of a program that maps rows, each of which a group keeps in registers while it goes
/// through it several times (strategies/reductions.hpp).
Derivations derive_rows(const ir::Program& program, const target::Target& target);

/// The program after the steps of a derivation, each done anew by its name at its place. User error: a step
/// that no longer fits, or gives something else than it did.
Result<ir::Program> replay(const ir::Program& program, const rewrite::Trace& steps);

}  // namespace hoist::variants
