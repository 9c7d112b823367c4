#pragma once
// What ranks do each by itself and must know of each other, so that none waits for one that has failed.
#include <functional>
#include <optional>

#include "base/error.hpp"
#include "ranks/communicator.hpp"

namespace hoist::ranks {

/// What `work` throws, as an error.
std::optional<Error> failure_of(const std::function<void()>& work);

/// Each rank's own work; all ranks call it. Where it throws at some of them, it throws Failure at all: at
/// these their own error, at the others that of the first of them, with its rank. Without others: the work
/// alone.
void together(Communicator* others, const std::function<void()>& work);

}  // namespace hoist::ranks
