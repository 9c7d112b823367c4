#pragma once
// What the report of a tuned task shows (docs/report.md), gathered from the store.
#include <nlohmann/json_fwd.hpp>

#include "store/store.hpp"

namespace hoist::tuner {

/// User errors: no such task, one of which nothing was measured, a program that this Hoist does not read any
/// more.
Result<nlohmann::json> report_data(store::Store& store, store::TaskId task);

}  // namespace hoist::tuner
