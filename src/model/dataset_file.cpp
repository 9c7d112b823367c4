// Tables of measurements as text: comma-separated values below lines of '#' that say what they are.
// docs/model.md describes it.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>

#include "base/named_values.hpp"
#include "model/dataset.hpp"
#include "model/files.hpp"
#include "model/table_text.hpp"

namespace hoist::model {

namespace {

constexpr int format_version = 2;
constexpr std::string_view title = "#hoist-measurements";
constexpr std::size_t columns_before_features = 8;
constexpr const char* column_names = "program,sizes,device_class,derivation,candidate,values,outcome,seconds";

std::string header_of(const Dataset& dataset) {
  std::string text = fmt::format("{},{}\n#schema,{}\n", title, format_version, dataset.schema.version);
  for (const auto& [key, value] : dataset.provenance)
    text += fmt::format("#provenance,{},{}\n", quoted_cell(key), quoted_cell(value));
  for (const Feature& feature : dataset.schema.features) {
    text += fmt::format("#feature,{},{},{},{}\n", quoted_cell(feature.name), quoted_cell(feature.unit),
                        quoted_cell(feature.group), quoted_cell(feature.per));
  }
  for (const std::string& derivation : dataset.derivations)
    text += fmt::format("#derivation,{}\n", quoted_cell(derivation));
  text += column_names;
  for (const Feature& feature : dataset.schema.features) text += ',' + quoted_cell(feature.name);
  return text + '\n';
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : lines_(text, name, "a table of measurements") {}

  Dataset read() {
    read_title();
    while (lines_.next() && lines_.line().starts_with('#')) read_header();
    if (!has_schema_) lines_.wrong("there is no line '#schema' above the table");
    read_column_names();
    while (lines_.next()) {
      if (!lines_.line().empty()) read_row();
    }
    return std::move(dataset_);
  }

 private:
  void read_title() {
    if (!lines_.next() || !lines_.line().starts_with(title))
      lines_.wrong(fmt::format("the first line does not begin with '{}'", title));
    const std::vector<std::string>& cells = lines_.split();
    if (cells.size() != 2 || cells[1] != std::to_string(format_version)) {
      lines_.wrong(fmt::format("the format's version is '{}', and this Hoist reads {}",
                               cells.size() > 1 ? cells[1] : "", format_version));
    }
  }

  void read_header() {
    const std::vector<std::string>& cells = lines_.split();
    const std::string& kind = cells[0];
    const auto expect = [&](std::size_t count) {
      if (cells.size() != count)
        lines_.wrong(fmt::format("'{}' has {} values instead of {}", kind, cells.size() - 1, count - 1));
    };
    if (kind == "#schema") {
      expect(2);
      dataset_.schema.version = static_cast<int>(lines_.number(cells[1], "the schema's version"));
      has_schema_ = true;
    } else if (kind == "#provenance") {
      expect(3);
      dataset_.provenance[cells[1]] = cells[2];
    } else if (kind == "#feature") {
      expect(5);
      if (dataset_.schema.index_of(cells[1]))
        lines_.wrong(fmt::format("the feature '{}' is there twice", cells[1]));
      dataset_.schema.features.push_back({cells[1], cells[2], cells[3], cells[4]});
    } else if (kind == "#derivation") {
      expect(2);
      dataset_.derivation(cells[1]);
    } else {
      lines_.wrong(fmt::format("'{}' is not known", kind));
    }
  }

  void read_column_names() {
    std::string expected = column_names;
    for (const Feature& feature : dataset_.schema.features) expected += ',' + feature.name;
    std::string found;
    for (const std::string& cell : lines_.split()) found += (found.empty() ? "" : ",") + cell;
    if (found != expected) lines_.wrong("the names of the columns are not those of the lines '#feature'");
  }

  std::map<std::string, std::int64_t> values(const std::string& cell) const {
    std::map<std::string, std::int64_t> values;
    std::istringstream words(cell);
    for (std::string word; words >> word;) {
      const std::size_t equals = std::min(word.find('='), word.size() - 1);
      const char* end = word.data() + word.size();
      std::int64_t value = 0;
      const auto [stop, error] = std::from_chars(word.data() + equals + 1, end, value);
      if (equals == 0 || error != std::errc() || stop != end)
        lines_.wrong(fmt::format("'{}' in the column 'values' is not like t=64", word));
      values[word.substr(0, equals)] = value;
    }
    return values;
  }

  void read_row() {
    const std::vector<std::string>& cells = lines_.split();
    const std::size_t expected = columns_before_features + dataset_.schema.features.size();
    if (cells.size() != expected)
      lines_.wrong(fmt::format("the row has {} cells instead of {}", cells.size(), expected));
    Measurement measurement;
    measurement.task = dataset_.task({cells[0], cells[1], cells[2]});
    const double derivation = lines_.number(cells[3], "derivation");
    if (derivation < 0 || derivation >= static_cast<double>(dataset_.derivations.size())) {
      lines_.wrong(fmt::format("there is no derivation {}: there are {} lines '#derivation'", cells[3],
                               dataset_.derivations.size()),
                   {});
    }
    measurement.derivation = static_cast<std::uint32_t>(derivation);
    measurement.candidate = cells[4];
    measurement.values = values(cells[5]);
    measurement.outcome = cells[6];
    measurement.seconds = std::numeric_limits<double>::quiet_NaN();
    if (!cells[7].empty()) {
      measurement.seconds = lines_.number(cells[7], "seconds");
      if (measurement.seconds <= 0)
        lines_.wrong(fmt::format("the time of {} seconds is not positive", cells[7]));
    }
    row_.clear();
    for (std::size_t i = 0; i < dataset_.schema.features.size(); ++i)
      row_.push_back(lines_.number(cells[columns_before_features + i], dataset_.schema.features[i].name));
    dataset_.add(std::move(measurement), row_);
  }

  TableLines lines_;
  bool has_schema_ = false;
  std::vector<double> row_;
  Dataset dataset_;
};

}  // namespace

Result<void> write_dataset(const Dataset& dataset, const std::string& path) {
  std::string text = header_of(dataset);
  for (std::size_t i = 0; i < dataset.measurements.size(); ++i) {
    const Measurement& each = dataset.measurements[i];
    const Task& task = dataset.tasks[each.task];
    text += fmt::format("{},{},{},{},{},{},{},", quoted_cell(task.program), quoted_cell(task.sizes),
                        quoted_cell(task.device_class), each.derivation, quoted_cell(each.candidate),
                        quoted_cell(assignments(each.values)), quoted_cell(each.outcome));
    if (each.ran()) text += fmt::format("{:.6g}", each.seconds);
    for (const double number : dataset.features.row(i)) {
      text += ',';
      append_number(text, number);
    }
    text += '\n';
  }
  return write_file(path, text);
}

Result<Dataset> parse_dataset(std::string_view text, const std::string& name) {
  return catch_failure([&] { return Reader(text, name).read(); });
}

Result<Dataset> read_dataset(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  return parse_dataset(*text, path);
}

}  // namespace hoist::model
