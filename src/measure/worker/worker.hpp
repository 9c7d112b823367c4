#pragma once
// A worker process (runtime/guard.hpp) of the tuner: builds candidates, or runs, checks and times them. All
// that it knows it is told: a task once, then candidates as text.
#include <optional>

namespace hoist::measure {

/// The first argument of a program that is to be a worker; the second says which.
inline constexpr const char* worker_argument = "--hoist-worker";
inline constexpr const char* building = "build";
inline constexpr const char* measuring = "measure";

/// To be called by main, before all else, in each program whose workers are it itself: when the arguments say
/// that this process is a worker, does its work and returns what main is to return.
std::optional<int> run_as_worker(int count, char** arguments);

}  // namespace hoist::measure
