#pragma once
// What ran when, on which queue of a device: the record of a run that moves and computes at the same time.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hoist {

struct TraceRecord {
  enum class Kind : std::uint8_t { Upload, Launch, Copy, Fill, Download, Host };

  Kind kind = Kind::Launch;
  std::string name;                                ///< of the kernel, or of the array that is moved
  std::size_t partition = 0, queue = 0;            ///< the queue's number within its partition
  std::optional<std::size_t> task = std::nullopt;  ///< of which task it is a part, where of one
  std::optional<std::size_t> step = std::nullopt;  ///< of a program that runs on its own results
  double start = 0, end = 0;                       ///< in seconds, all on one clock
  std::size_t bytes = 0;                           ///< moved; 0 of launches
};

/// "upload", "launch", "copy", "fill", "download", "host".
inline const char* name_of(TraceRecord::Kind kind) {
  switch (kind) {
    case TraceRecord::Kind::Upload:
      return "upload";
    case TraceRecord::Kind::Launch:
      return "launch";
    case TraceRecord::Kind::Copy:
      return "copy";
    case TraceRecord::Kind::Fill:
      return "fill";
    case TraceRecord::Kind::Download:
      return "download";
    case TraceRecord::Kind::Host:
      return "host";
  }
  return "";
}

struct Trace {
  std::string title;  ///< the program with its sizes
  std::vector<std::pair<std::string, std::string>>
      facts;  ///< of the device and the run: "device", "cuda:0 (…)"
  std::vector<TraceRecord> records;
};

}  // namespace hoist
