#pragma once
// The checker of the loop IR, which tests run on every plan that they make.
#include "base/error.hpp"
#include "loop/kernel.hpp"

namespace hoist::loop {

/// Every name is unique and declared before use and in scope; types agree; private vector accesses are whole
/// elements or components; no barrier where only some work-items of a group may come (under a non-uniform
/// condition, inside a Local or Global loop that is not ExactlyOnce, or in a loop with a non-uniform trip
/// count); no array of global memory that one group may write and another read; stores only to writable
/// parameters, temporaries or own memory; unrolled loops have constant bounds. All violations are listed, as
/// Bug.
Result<void> check(const Kernel& kernel);
Result<void> check(const Plan& plan);

}  // namespace hoist::loop
