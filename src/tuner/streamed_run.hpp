#pragma once
// What a run in streams tells a model of streams.
#include <utility>
#include <vector>

#include "execute/streamed_executable.hpp"
#include "predict/stream_time.hpp"

namespace hoist::tuner {

/// The features that were counted, as far as they were.
std::vector<std::pair<predict::StreamFeature, double>> counted_features(const runtime::CounterRates& rates);

/// Of a run of one step, of which each command was timed.
predict::StreamedRun streamed_run(const execute::StreamedPlan& plan, const execute::StreamTimes& times);

}  // namespace hoist::tuner
