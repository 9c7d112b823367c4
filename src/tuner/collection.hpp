#pragma once
// Measuring many programs at many sizes, for models to learn from.
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "driver/compile.hpp"
#include "store/store.hpp"
#include "tuner/tuner.hpp"

namespace hoist::tuner {

/// One task of a plan: how many candidates of it are wanted.
struct PlannedTask {
  std::string program;  ///< its file
  driver::NamedSizes sizes;
  std::size_t candidates = 0;
  variants::SpaceKind space = variants::SpaceKind::Derived;  ///< what they are drawn from
};

/// A JSON file: {"tasks": [{"program": "kernels/gemv.hoist", "sizes": {"M": 512}, "candidates": 100}, ...]},
/// where a task may have a "space" (variants::space_named).
/// User errors: a file that cannot be read, another form, no tasks.
Result<std::vector<PlannedTask>> read_plan(const std::string& path);

struct Collecting {
  TuningOptions tuning;  ///< on one device; its seconds are for all tasks together
  /// Reads the program and makes its inputs, in the thread's current arena.
  std::function<Result<measure::Task>(const PlannedTask&)> prepare;
  /// Tunes, and may show how far it is.
  std::function<Result<TuningResult>(const measure::Task&, const TuningOptions&)> tune;
  // ---- Told of each task that comes to an end.
  std::function<void(const PlannedTask&, const TuningResult&)> measured = [](const auto&, const auto&) {};
  std::function<void(const PlannedTask&, const Error&)> failed = [](const auto&, const auto&) {};
};

/// Measures what a plan asks for and the store does not have yet: candidates of each task in turn, until the
/// time is spent, of which tasks have shares by how many candidates they want. A task that fails is told, and
/// the others go on; what is the user's error ends it. Errors: a device that is not there, those of the
/// store.
Result<void> collect(const std::vector<PlannedTask>& plan, const Collecting& collecting, store::Store& store);

}  // namespace hoist::tuner
