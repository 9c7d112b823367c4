#pragma once
// Holds a rule against the reference interpreter: on generated programs in which it fires, the meaning must
// stay.
#include <cstdint>
#include <string>

#include "rewrite/rule.hpp"

namespace hoist::testing_support {

struct Soundness {
  int fired = 0;      ///< programs that were rewritten and run before and after
  int tried = 0;      ///< programs generated
  std::string fault;  ///< the first difference: program, result, seed; empty if there is none
};

/// Until the rule fired `wanted` times on programs that could be run, it failed, or `wanted` times 40
/// programs were tried.
/// The programs are instances of the left side of `instances`, which a rule that is a function does not have.
Soundness hold_against_interpreter(const rewrite::Rule& rule, const rewrite::Rule& instances, int wanted,
                                   std::uint64_t seed);

}  // namespace hoist::testing_support
