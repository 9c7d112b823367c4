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

namespace hoist::model {

namespace {

constexpr int format_version = 2;
constexpr std::string_view title = "#hoist-measurements";
constexpr std::size_t columns_before_features = 8;
constexpr const char* column_names = "program,sizes,device_class,derivation,candidate,values,outcome,seconds";

/// A cell; quoted where a reader would take it apart.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r#") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char letter : text) {
    if (letter == '"') cell += '"';
    cell += letter == '\n' || letter == '\r' ? ' ' : letter;
  }
  return cell + '"';
}

void append_number(std::string& text, double number) {
  constexpr double all_digits_below = 1e15;
  if (number == std::floor(number) && std::abs(number) < all_digits_below) {
    fmt::format_to(std::back_inserter(text), "{}", static_cast<std::int64_t>(number));
  } else {
    fmt::format_to(std::back_inserter(text), "{:.6g}", number);
  }
}

std::string header_of(const Dataset& dataset) {
  std::string text = fmt::format("{},{}\n#schema,{}\n", title, format_version, dataset.schema.version);
  for (const auto& [key, value] : dataset.provenance)
    text += fmt::format("#provenance,{},{}\n", quoted(key), quoted(value));
  for (const Feature& feature : dataset.schema.features) {
    text += fmt::format("#feature,{},{},{},{}\n", quoted(feature.name), quoted(feature.unit),
                        quoted(feature.group), quoted(feature.per));
  }
  for (const std::string& derivation : dataset.derivations)
    text += fmt::format("#derivation,{}\n", quoted(derivation));
  text += column_names;
  for (const Feature& feature : dataset.schema.features) text += ',' + quoted(feature.name);
  return text + '\n';
}

/// Reads lines, and says of what is wrong where it is.
class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Dataset read() {
    read_title();
    while (next_line() && line_.starts_with('#')) read_header();
    if (!has_schema_) wrong("there is no line '#schema' above the table", {});
    read_column_names();
    while (next_line()) {
      if (!line_.empty()) read_row();
    }
    return std::move(dataset_);
  }

 private:
  [[noreturn]] void wrong(const std::string& what, const std::string& why) const {
    throw_user(fmt::format("{}:{}: {}", name_, number_, what), why,
               "the file is not a table of measurements as Hoist writes them, or it was damaged; get or "
               "collect it again");
  }

  bool next_line() {
    if (at_ >= text_.size()) return false;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    line_ = text_.substr(at_, end - at_);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    at_ = end + 1;
    ++number_;
    return true;
  }

  /// Takes the line apart into cells_.
  void split() {
    cells_.clear();
    for (std::size_t at = 0; at <= line_.size();) {
      std::string& cell = cells_.emplace_back();
      if (at < line_.size() && line_[at] == '"') {
        at = read_quoted(at + 1, cell);
      } else {
        const std::size_t end = std::min(line_.find(',', at), line_.size());
        cell = line_.substr(at, end - at);
        at = end;
      }
      if (at < line_.size() && line_[at] != ',')
        wrong("something stands between a closing quote and a comma", {});
      ++at;
    }
  }
  /// The place behind the closing quote.
  std::size_t read_quoted(std::size_t at, std::string& cell) const {
    while (at < line_.size()) {
      if (line_[at] != '"') {
        cell += line_[at++];
      } else if (at + 1 < line_.size() && line_[at + 1] == '"') {
        cell += '"';
        at += 2;
      } else {
        return at + 1;
      }
    }
    wrong("a quote is not closed", {});
  }

  void read_title() {
    if (!next_line() || !line_.starts_with(title))
      wrong(fmt::format("the first line does not begin with '{}'", title), {});
    split();
    if (cells_.size() != 2 || cells_[1] != std::to_string(format_version)) {
      wrong(fmt::format("the format's version is '{}', and this Hoist reads {}",
                        cells_.size() > 1 ? cells_[1] : "", format_version),
            {});
    }
  }

  void read_header() {
    split();
    const std::string& kind = cells_[0];
    const auto expect = [&](std::size_t count) {
      if (cells_.size() != count)
        wrong(fmt::format("'{}' has {} values instead of {}", kind, cells_.size() - 1, count - 1), {});
    };
    if (kind == "#schema") {
      expect(2);
      dataset_.schema.version = static_cast<int>(number(cells_[1], "the schema's version"));
      has_schema_ = true;
    } else if (kind == "#provenance") {
      expect(3);
      dataset_.provenance[cells_[1]] = cells_[2];
    } else if (kind == "#feature") {
      expect(5);
      if (dataset_.schema.index_of(cells_[1]))
        wrong(fmt::format("the feature '{}' is there twice", cells_[1]), {});
      dataset_.schema.features.push_back({cells_[1], cells_[2], cells_[3], cells_[4]});
    } else if (kind == "#derivation") {
      expect(2);
      dataset_.derivation(cells_[1]);
    } else {
      wrong(fmt::format("'{}' is not known", kind), {});
    }
  }

  void read_column_names() {
    split();
    std::string expected = column_names;
    for (const Feature& feature : dataset_.schema.features) expected += ',' + feature.name;
    std::string found;
    for (const std::string& cell : cells_) found += (found.empty() ? "" : ",") + cell;
    if (found != expected) wrong("the names of the columns are not those of the lines '#feature'", {});
  }

  double number(std::string_view cell, std::string_view column) const {
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value))
      wrong(fmt::format("'{}' in the column '{}' is no finite number", cell, column), {});
    return value;
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
        wrong(fmt::format("'{}' in the column 'values' is not like t=64", word), {});
      values[word.substr(0, equals)] = value;
    }
    return values;
  }

  void read_row() {
    split();
    const std::size_t expected = columns_before_features + dataset_.schema.features.size();
    if (cells_.size() != expected)
      wrong(fmt::format("the row has {} cells instead of {}", cells_.size(), expected), {});
    Measurement measurement;
    measurement.task = dataset_.task({cells_[0], cells_[1], cells_[2]});
    const double derivation = number(cells_[3], "derivation");
    if (derivation < 0 || derivation >= static_cast<double>(dataset_.derivations.size())) {
      wrong(fmt::format("there is no derivation {}: there are {} lines '#derivation'", cells_[3],
                        dataset_.derivations.size()),
            {});
    }
    measurement.derivation = static_cast<std::uint32_t>(derivation);
    measurement.candidate = cells_[4];
    measurement.values = values(cells_[5]);
    measurement.outcome = cells_[6];
    measurement.seconds = std::numeric_limits<double>::quiet_NaN();
    if (!cells_[7].empty()) {
      measurement.seconds = number(cells_[7], "seconds");
      if (measurement.seconds <= 0)
        wrong(fmt::format("the time of {} seconds is not positive", cells_[7]), {});
    }
    row_.clear();
    for (std::size_t i = 0; i < dataset_.schema.features.size(); ++i)
      row_.push_back(number(cells_[columns_before_features + i], dataset_.schema.features[i].name));
    dataset_.add(std::move(measurement), row_);
  }

  std::string_view text_, line_;
  const std::string& name_;
  std::size_t at_ = 0, number_ = 0;
  bool has_schema_ = false;
  std::vector<std::string> cells_;
  std::vector<double> row_;
  Dataset dataset_;
};

}  // namespace

Result<void> write_dataset(const Dataset& dataset, const std::string& path) {
  std::string text = header_of(dataset);
  for (std::size_t i = 0; i < dataset.measurements.size(); ++i) {
    const Measurement& each = dataset.measurements[i];
    const Task& task = dataset.tasks[each.task];
    text += fmt::format("{},{},{},{},{},{},{},", quoted(task.program), quoted(task.sizes),
                        quoted(task.device_class), each.derivation, quoted(each.candidate),
                        quoted(assignments(each.values)), quoted(each.outcome));
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
