#pragma once
// Measuring many programs at many sizes, for models to learn from.
#include <string>

#include "store/store.hpp"

namespace hoist::cli {

struct Session;

struct CollectOptions {
  std::string plan, device, budget = "10m";
};
/// Measures what a plan asks for and the store does not have yet: candidates drawn at random, of each task in
/// turn, until the time is spent. Throws Failure: a plan that cannot be read (it says where), a program that
/// cannot be, a device that is not there. A task that fails is told, and the others go on.
void collect(Session& session, const CollectOptions& options, store::Store& store);

}  // namespace hoist::cli
