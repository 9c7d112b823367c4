#pragma once
// What hoist store prints about tasks.
#include <string>

#include "cli/output.hpp"
#include "store/store.hpp"
#include "tuner/node_pace.hpp"

namespace hoist::cli {

/// A task in a line of `hoist store list`, and as JSON.
Table task_table(const std::vector<store::StoredTask>& tasks);
Json facts(const store::StoredTask& stored);
Json facts(const tuner::NodePace& pace);

/// Prints a task: its program, its runs, how its candidates ended, and the best of them.
void show_task(store::Store& store, store::TaskId id, std::size_t best, bool json);
/// Prints all that is known of one candidate. Throws Failure: a user error when there is none of that name.
void show_candidate(store::Store& store, store::TaskId id, const std::string& name, bool json);

}  // namespace hoist::cli
