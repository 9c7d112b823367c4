#pragma once
// What the step `cutTasks` rests on, for one plan: each claim that must hold so that task after task computes
// what kernel after kernel does, and how it is known. Why these are enough is said in cut.cpp.
#include <string>
#include <vector>

#include "tasks/cut.hpp"

namespace hoist::tasks {

struct Obligation {
  std::string claim;  ///< "each iteration of g writes to out behind the one before"
  std::string shown;  ///< "by the bounds of its indices"
};

std::vector<Obligation> obligations_of(const Cut& cut);

}  // namespace hoist::tasks
