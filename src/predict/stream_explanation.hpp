#pragma once
// Why a program is cut into so many tasks on so many partitions, in a sentence.
#include <string>

#include "predict/stream_time.hpp"

namespace hoist::predict {

/// "uploads (12 ms) bind the run, kernels (9 ms) and downloads (5 ms) overlap them; of the first task 0.75 ms
/// overlap nothing, half as many tasks would make that 1.5 ms, twice as many would cost 0.2 ms more of
/// latencies and commands; 2.1 times as fast as a single stream is expected". `speedup` is what the whole
/// model expects, of which the analytic one is a part.
std::string stream_explanation(const StreamFeatures& features, const StreamConstants& constants,
                               const StreamConfiguration& chosen, double speedup);

}  // namespace hoist::predict
