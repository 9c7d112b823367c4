#pragma once
// What the report of a tuned task shows (docs/report.md), gathered from the store.
#include <nlohmann/json_fwd.hpp>

#include "driver/compile.hpp"
#include "store/store.hpp"
#include "target/target.hpp"

namespace hoist::tuner {

/// The task of the program that was measured last: at these sizes where some are given, in this language of
/// devices where one is. Nothing where nothing was measured. Errors: the store's.
Result<std::optional<store::TaskId>> last_measured(store::Store& store, const ir::Program& program,
                                                   const driver::NamedSizes& sizes,
                                                   std::optional<target::Language> language);

/// User errors: no such task, one of which nothing was measured, a program that this Hoist does not read any
/// more.
Result<nlohmann::json> report_data(store::Store& store, store::TaskId task);

}  // namespace hoist::tuner
