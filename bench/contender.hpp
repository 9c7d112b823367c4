#pragma once
// Several ways to compute the same, timed in turns.
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace hoist::bench {

/// One of those that are timed in turns.
struct Contender {
  std::string name;
  std::string outcome = "ok";
  std::string same_code_as;  ///< a contender whose source is the same, character by character: timed once
  std::function<Result<double>()>
      run;  ///< seconds of a run; empty when it failed or has the same code as another
  std::vector<double> seconds;
  bool is_verified = false;
  bool is_right() const { return outcome == "ok"; }
};

/// "ok", or what went wrong in one line: with a pass left out even the compiler may stumble, which is a row
/// too.
std::string outcome_of(const std::function<Result<void>()>& attempt);

/// Times all that can run in turns, so many rounds, or fewer (but three) when they would take more than
/// `patience` seconds. A timed run follows one of the same contender, so that caches hold what they hold in a
/// loop.
void measure_in_turns(std::vector<Contender>& contenders, std::size_t rounds, double patience);

}  // namespace hoist::bench
