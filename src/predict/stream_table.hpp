#pragma once
// Tables of streamed programs, timed at several numbers of partitions and tasks, as text
// (docs/streams-model.md#tables).
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "predict/stream_features.hpp"

namespace hoist::predict {

struct TimedConfiguration {
  StreamConfiguration configuration;
  double seconds = 0;  ///< of a whole run, transfers included; the median where there were several
  std::size_t runs = 1;
};
/// A program at sizes.
struct StreamRecord {
  std::string program;
  std::string
      group;         ///< what is left out of learning together; the program's name where nothing else is told
  std::string size;  ///< as text: "N=1024 M=64"
  StreamFeatures features;
  std::vector<TimedConfiguration> timed;  ///< ascending by configuration; a single stream is the first

  double single_seconds() const { return timed.front().seconds; }
  /// The fastest: the oracle's choice. Of equally fast ones the first.
  const TimedConfiguration& best() const;
};
/// What was measured on devices of one class (predict/devices.hpp).
struct StreamTable {
  std::string device_class;
  std::map<std::string, std::string> provenance;
  std::vector<StreamRecord> records;  ///< by program and size in the order of the file
};

/// User errors say the line: a table that is damaged, numbers that no program has, a program at sizes without
/// a time of a single stream or with features that differ from row to row.
Result<StreamTable> parse_stream_table(std::string_view text, const std::string& name);
/// The same of a file, which may be packed.
Result<StreamTable> read_stream_table(const std::string& path);
/// One of several, of devices of the same class and with each program and size in one of them; otherwise a
/// user error.
Result<StreamTable> merge_stream_tables(const std::vector<StreamTable>& tables);
/// Columns of features that no record has are left out.
std::string stream_table_text(const StreamTable& table);
Result<void> write_stream_table(const StreamTable& table, const std::string& path);

}  // namespace hoist::predict
