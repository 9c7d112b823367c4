#include "cli/verified.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "base/need.hpp"
#include "base/stopwatch.hpp"

namespace hoist::cli {
namespace {

/// Says before a long verification that it is one.
driver::Verification verify(const Verified& run) {
  constexpr double seconds_per_operation = 2e-8;
  const double estimate = run.work.flops * seconds_per_operation;
  if (estimate > 1) {
    note(fmt::format("verifying with the reference interpreter: {:.3g} operations, about {}", run.work.flops,
                     time_text(estimate)));
  }
  const auto start = std::chrono::steady_clock::now();
  driver::Verification verification =
      need(driver::verify(run.program, run.arguments.sizes, run.arguments.inputs, run.result, run.steps));
  if (estimate > 1) {
    note(fmt::format("verifying took {}", time_text(seconds_since(start))));
  }
  return verification;
}

/// "7 elements agree (largest error 0.25 of the bound)".
std::string agreement_text(const interpret::Comparison& comparison) {
  return fmt::format("verified: {} element{} agree{} (largest error {:.2g} of the bound)",
                     comparison.elements, comparison.elements == 1 ? "" : "s",
                     comparison.elements == 1 ? "s" : "", comparison.largest_error);
}

}  // namespace

Status tell_verified(const Session& session, const Verified& run, bool is_json, Json& facts) {
  const driver::Verification verification = verify(run);
  const bool is_right = verification.comparison.agrees();
  facts["verified"] = is_right;
  facts["elements"] = verification.comparison.elements;
  facts["mismatches"] = verification.comparison.mismatches;
  facts["largest_error_in_bounds"] = verification.comparison.largest_error;
  if (is_right && !is_json) print(agreement_text(verification.comparison) + "\n");
  if (interpret::differs_by_overflow(verification.expected, verification.comparison)) {
    report(user_error("the result cannot be verified, since it overflows: " +
                          interpret::to_string(verification.comparison),
                      {}, driver::overflow_help)
               .value(),
           nullptr);
    if (!is_right) return users_error;
  } else if (!is_right) {
    note(fmt::format(
        "bug: the result is wrong: {}\n  This is a fault of Hoist or of the device's compiler, not of your "
        "program.\n  To reproduce it: {}",
        interpret::to_string(verification.comparison), session.command_line));
    return bug;
  }
  return done;
}

}  // namespace hoist::cli
