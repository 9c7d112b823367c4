// A table has a row for each run: the program, its sizes, its features, partitions, tasks, seconds. The
// reader takes rows in any order, gathers those of a program and its sizes in a record, and joins repeated
// runs to their median, which spells of a busy machine hardly move. What makes a record whole (a single
// stream was timed) is checked behind the last row.
#include "predict/stream_table.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "learn/statistics.hpp"
#include "model/files.hpp"
#include "model/table_text.hpp"

namespace hoist::predict {

namespace {

constexpr std::string_view streams_title = "#hoist-streams";
constexpr int streams_version = 1;
constexpr const char* program_column = "program";
constexpr const char* group_column = "group";
constexpr const char* size_column = "size";
constexpr const char* partitions_column = "partitions";
constexpr const char* tasks_column = "tasks";
constexpr const char* round_column = "round";  ///< of runs that were made together; all of them are joined
constexpr const char* seconds_column = "seconds";
constexpr double most_count = 1e9;    ///< of partitions and tasks
constexpr double most_number = 1e30;  ///< of anything else: loops whose ends are data count at their most

class StreamTableReader {
 public:
  StreamTableReader(std::string_view text, const std::string& name)
      : lines_(text, name, "a table of streamed programs"), name_(name) {}

  StreamTable read() {
    model::TableOrigin origin = lines_.read_origin(streams_title, streams_version);
    table_.device_class = std::move(origin.device_class);
    table_.provenance = std::move(origin.provenance);
    read_columns();
    while (lines_.next()) {
      if (!lines_.line().empty()) read_row();
    }
    if (records_.empty()) lines_.wrong("the table has no rows");
    for (Gathered& each : records_) table_.records.push_back(finished(std::move(each)));
    return std::move(table_);
  }

 private:
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

  struct Gathered {
    StreamRecord record;
    std::map<StreamConfiguration, std::vector<double>> seconds;
  };

  void read_columns() {
    names_ = lines_.split();
    std::set<std::string> known;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const std::string& each = names_[i];
      if (!known.insert(each).second) lines_.wrong(fmt::format("the column '{}' is there twice", each));
      if (const auto feature = stream_feature_named(each)) {
        features_.emplace_back(*feature, i);
      } else if (each == program_column) {
        program_ = i;
      } else if (each == group_column) {
        group_ = i;
      } else if (each == size_column) {
        size_ = i;
      } else if (each == partitions_column) {
        partitions_ = i;
      } else if (each == tasks_column) {
        tasks_ = i;
      } else if (each == seconds_column) {
        seconds_ = i;
      } else if (each != round_column) {
        lines_.wrong(fmt::format("no column is called '{}'", each),
                     "docs/streams-model.md lists the features by their names");
      }
    }
    const std::pair<std::size_t, const char*> needed[] = {{program_, program_column},
                                                          {size_, size_column},
                                                          {partitions_, partitions_column},
                                                          {tasks_, tasks_column},
                                                          {seconds_, seconds_column}};
    for (const auto& [place, column] : needed) {
      if (place == absent) lines_.wrong(fmt::format("there is no column '{}'", column));
    }
  }

  double number(std::size_t column, double least, double most) const {
    return lines_.number(cells()[column], names_[column], least, most);
  }
  std::int64_t count(std::size_t column) const {
    const double value = number(column, 1, most_count);
    if (value != std::floor(value))
      lines_.wrong(
          fmt::format("'{}' in the column '{}' is no whole number", cells()[column], names_[column]));
    return static_cast<std::int64_t>(value);
  }
  const std::vector<std::string>& cells() const { return *cells_; }

  void read_row() {
    cells_ = &lines_.split();
    if (cells().size() != names_.size())
      lines_.wrong(fmt::format("the row has {} cells instead of {}", cells().size(), names_.size()));
    const std::string& program = cells()[program_];
    if (program.empty()) lines_.wrong("the program has no name");
    Gathered& gathered = gathered_of(program, cells()[size_]);
    const std::string& group = group_ == absent || cells()[group_].empty() ? program : cells()[group_];
    if (gathered.seconds.empty()) {
      gathered.record.group = group;
    } else if (gathered.record.group != group) {
      lines_.wrong(fmt::format("'{}' is of the group '{}' here and of '{}' above", program, group,
                               gathered.record.group));
    }
    for (const auto& [feature, column] : features_) {
      if (!cells()[column].empty()) read_feature(gathered.record, feature, column);
    }
    const StreamConfiguration configuration{count(partitions_), count(tasks_)};
    gathered.seconds[configuration].push_back(number(seconds_, 1e-12, most_number));
  }

  Gathered& gathered_of(const std::string& program, const std::string& size) {
    const auto [found, is_new] = places_.try_emplace({program, size}, records_.size());
    if (is_new) {
      records_.emplace_back();
      records_.back().record.program = program;
      records_.back().record.size = size;
    }
    return records_[found->second];
  }

  void read_feature(StreamRecord& record, StreamFeature feature, std::size_t column) const {
    const double value = number(column, 0, most_number);
    const auto known = record.features.get(feature);
    if (known && *known != value)
      lines_.wrong(fmt::format("'{}' of {} {} is {} here and {} above", name_of(feature), record.program,
                               record.size, value, *known),
                   "features are of a program at its sizes, whatever its streams");
    record.features.set(feature, value);
  }

  StreamRecord finished(Gathered gathered) const {
    StreamRecord& record = gathered.record;
    for (const auto& [configuration, seconds] : gathered.seconds) {
      record.timed.push_back({configuration, learn::median(seconds), seconds.size()});
    }
    if (!record.timed.front().configuration.is_single())
      throw_user(fmt::format("{}: {} {} has no time with one partition and one task", name_, record.program,
                             record.size),
                 "speed is told over that of a single stream", "time it, or leave the program out");
    return std::move(record);
  }

  model::TableLines lines_;
  const std::string& name_;
  std::vector<std::string> names_;
  const std::vector<std::string>* cells_ = nullptr;  ///< of the row at hand
  std::size_t program_ = absent, group_ = absent, size_ = absent, partitions_ = absent, tasks_ = absent,
              seconds_ = absent;
  std::vector<std::pair<StreamFeature, std::size_t>> features_;  ///< with their columns
  std::vector<Gathered> records_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
  StreamTable table_;
};

/// The features that a record of the table has.
std::vector<StreamFeature> present_features(const StreamTable& table) {
  std::vector<StreamFeature> present;
  for (std::size_t i = 0; i < stream_feature_count; ++i) {
    const auto feature = static_cast<StreamFeature>(i);
    const auto has = [&](const StreamRecord& each) { return each.features.has(feature); };
    if (std::any_of(table.records.begin(), table.records.end(), has)) present.push_back(feature);
  }
  return present;
}

}  // namespace

const TimedConfiguration& StreamRecord::best() const {
  return *std::min_element(timed.begin(), timed.end(),
                           [](const auto& one, const auto& other) { return one.seconds < other.seconds; });
}

Result<StreamTable> parse_stream_table(std::string_view text, const std::string& name) {
  return catch_failure([&] { return StreamTableReader(text, name).read(); });
}

Result<StreamTable> read_stream_table(const std::string& path) {
  const auto text = model::read_file(path);
  if (!text) return tl::unexpected(text.error());
  return parse_stream_table(*text, path);
}

Result<StreamTable> merge_stream_tables(const std::vector<StreamTable>& tables) {
  StreamTable all;
  std::set<std::pair<std::string, std::string>> known;
  for (const StreamTable& each : tables) {
    if (all.device_class.empty()) all.device_class = each.device_class;
    if (each.device_class != all.device_class)
      return user_error(fmt::format("one table is of {}, another of {}", all.device_class, each.device_class),
                        {}, "a model is learned for devices of one class");
    all.provenance.insert(each.provenance.begin(), each.provenance.end());
    for (const StreamRecord& record : each.records) {
      if (!known.emplace(record.program, record.size).second)
        return user_error(fmt::format("{} {} is in two tables", record.program, record.size), {},
                          "times of two tables are not of one run");
      all.records.push_back(record);
    }
  }
  return all;
}

std::string stream_table_text(const StreamTable& table) {
  std::string text = model::origin_text(streams_title, streams_version, table.device_class, table.provenance);
  const std::vector<StreamFeature> features = present_features(table);
  text += fmt::format("{},{},{}", program_column, group_column, size_column);
  for (const StreamFeature each : features) text += fmt::format(",{}", name_of(each));
  text += fmt::format(",{},{},{}\n", partitions_column, tasks_column, seconds_column);
  for (const StreamRecord& record : table.records) {
    std::string start = fmt::format("{},{},{}", model::quoted_cell(record.program),
                                    model::quoted_cell(record.group), model::quoted_cell(record.size));
    for (const StreamFeature each : features) {
      start += ',';
      if (const auto value = record.features.get(each)) model::append_number(start, *value);
    }
    for (const TimedConfiguration& each : record.timed) {
      text += fmt::format("{},{},{},", start, each.configuration.partitions, each.configuration.tasks);
      model::append_number(text, each.seconds);
      text += '\n';
    }
  }
  return text;
}

Result<void> write_stream_table(const StreamTable& table, const std::string& path) {
  return model::write_file(path, stream_table_text(table));
}

}  // namespace hoist::predict
