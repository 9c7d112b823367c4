#pragma once
// Traces as files: JSON in the trace event format of Chrome (Google, "Trace Event Format", 2016), which
// Perfetto (ui.perfetto.dev) and chrome://tracing show.
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/trace.hpp"

namespace hoist::report {

/// Complete events ("X") with times in microseconds from the first on. Partitions are processes there, and
/// queues their threads; kind, task and bytes are arguments. Title and facts are in `otherData`.
std::string trace_json(const Trace& trace);

/// Reads what trace_json wrote. User error, which says what is wrong, for any other text.
Result<Trace> read_trace(std::string_view text);

/// How long what a run did took, in seconds. Of a kind it is the time in which at least one of that kind ran.
struct TraceSummary {
  double span = 0;  ///< from the first start to the last end
  double busy = 0;  ///< of `span`, in which anything ran
  double uploads = 0, launches = 0, downloads = 0;
  std::size_t uploaded = 0, downloaded = 0;  ///< bytes
  /// `uploads`, `launches` and `downloads` together, over `busy`: 1 where nothing overlapped, at most 3.
  double overlap = 1;
};
TraceSummary summarize(const Trace& trace);

/// One self-contained page with the picture of a trace: a row for each queue, time to the right. It has no
/// script.
std::string trace_page(const Trace& trace);

}  // namespace hoist::report
