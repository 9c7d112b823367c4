// A store as lines of JSON: how results travel, and outlive any database. Rows refer to each other by numbers
// that hold within one file; what is the same in two stores is found by natural keys.
#include "store/store.hpp"

#include <fmt/format.h>

#include <istream>
#include <map>

#include "base/need.hpp"
#include "store/facts.hpp"
#include "store/schema.hpp"
#include "store/tables.hpp"

namespace hoist::store {

namespace {

constexpr std::string_view header_kind = "hoist store";
constexpr int deepest =
    100;  // lists in lists that a line may have: what nests without end has no meaning here

std::string hexadecimal(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::optional<std::string> bytes_of(const std::string& text) {
  constexpr std::string_view digits = "0123456789abcdef";
  if (text.size() % 2 != 0 || text.find_first_not_of(digits) != std::string::npos) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes += static_cast<char>(digits.find(text[i]) * 16 + digits.find(text[i + 1]));
  return bytes;
}

std::int64_t* count_of(Counts& counts, std::string_view table) {
  const std::pair<std::string_view, std::int64_t*> places[] = {
      {"programs", &counts.programs},     {"devices", &counts.devices}, {"tasks", &counts.tasks},
      {"candidates", &counts.candidates}, {"runs", &counts.runs},       {"evaluations", &counts.evaluations},
      {"features", &counts.features},     {"models", &counts.models}};
  for (const auto& [name, place] : places)
    if (name == table) return place;
  return nullptr;
}

/// Writes tables one after the other, rows in the order of their numbers.
class Exporter {
 public:
  Exporter(Database& database, const std::function<Result<void>(std::string_view)>& write)
      : database_(database), write_(write) {}

  void run() {
    put({{"kind", header_kind}, {"format", newest_schema()}});
    for (const Table& table : all_tables()) write_table(table);
  }

 private:
  void put(const Json& line) { need(write_(to_text(line) + "\n")); }

  void write_table(const Table& table) {
    std::string columns = "id";
    for (const Column& column : table.columns) columns += fmt::format(", {}", column.name);
    std::int64_t last = 0;
    // Some at a time: a store may be larger than memory.
    for (bool is_done = false; !is_done;) {
      is_done = true;
      database_.query(
          fmt::format("SELECT {} FROM {} WHERE id > $1 ORDER BY id LIMIT 1000", columns, table.name), {last},
          [&](const Row& row) {
            is_done = false;
            last = row.integer(0);
            put(line_of(table, row));
          });
    }
  }

  Json line_of(const Table& table, const Row& row) {
    auto& numbers = numbers_[table.name];
    const auto number = static_cast<std::int64_t>(numbers.size()) + 1;
    numbers[row.integer(0)] = number;
    Json line{{"kind", table.kind}, {"id", number}};
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      line[std::string(table.columns[i].name)] = json_of(table.columns[i], row, i + 1);
    return line;
  }

  Json json_of(const Column& column, const Row& row, std::size_t place) {
    if (row.is_null(place)) return nullptr;
    switch (column.kind) {
      case Column::Kind::Text:
        return row.text(place);
      case Column::Kind::JsonText:
        return read_column(row.text(place), [](const Json& json) { return json; });
      case Column::Kind::Integer:
        return row.integer(place);
      case Column::Kind::Real:
        return row.real(place);
      case Column::Kind::Bytes:
        return hexadecimal(row.bytes(place));
      case Column::Kind::Reference:
        return numbers_.at(column.refers_to).at(row.integer(place));
    }
    throw Bug("a column of no kind");
  }

  Database& database_;
  const std::function<Result<void>(std::string_view)>& write_;
  std::map<std::string_view, std::map<std::int64_t, std::int64_t>>
      numbers_;  ///< of the file, by table and row
};

class Importer {
 public:
  Importer(Database& database, std::string name) : database_(database), name_(std::move(name)) {}

  Imported run(std::istream& lines) {
    std::string line;
    while (std::getline(lines, line)) {
      ++number_;
      if (line.find_first_not_of(" \t\r") != std::string::npos) read(line);
    }
    if (lines.bad())
      throw_failure(ErrorKind::Device, fmt::format("{} cannot be read after line {}", name_, number_));
    if (!has_header_)
      throw_user(fmt::format("{} is empty", name_), {}, "hoist store export writes what can be imported");
    return imported_;
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    throw_user(fmt::format("{}:{}: {}", name_, number_, message), "nothing of the file was imported",
               "hoist store export writes what can be imported");
  }

  Json parsed(const std::string& line) const {
    try {
      return Json::parse(line, [&](int depth, Json::parse_event_t, Json&) {
        if (depth > deepest) refuse("its lists and objects are nested too deeply");
        return true;
      });
    } catch (const Json::exception& failure) {
      refuse(fmt::format("this is no JSON: {}", failure.what()));
    }
  }

  void read(const std::string& line) {
    const Json json = parsed(line);
    if (!json.is_object() || !json.contains("kind") || !json["kind"].is_string())
      refuse("this is no line of an export: it has no \"kind\"");
    const auto kind = json["kind"].get<std::string>();
    if (kind == header_kind) {
      read_header(json);
      return;
    }
    if (!has_header_) refuse("this is not an export of a store: its first line is not the header of one");
    for (const Table& table : all_tables()) {
      if (table.kind == kind) {
        read_row(table, json);
        return;
      }
    }
    refuse(fmt::format("'{}' is no kind of line that Hoist knows", kind));
  }

  /// Files may follow each other in one: each numbers its rows from 1.
  void read_header(const Json& json) {
    if (!json.contains("format") || !json["format"].is_number_unsigned()) refuse("the header says no format");
    if (json["format"].get<std::uint64_t>() > static_cast<std::uint64_t>(newest_schema()))
      throw_user(fmt::format("{}:{}: this was exported by a newer Hoist", name_, number_),
                 fmt::format("its format is {}; this Hoist knows those up to {}", json["format"].dump(),
                             newest_schema()),
                 "import it with the newer Hoist");
    has_header_ = true;
    rows_.clear();
  }

  void read_row(const Table& table, const Json& json) {
    if (!json.contains("id") || !json["id"].is_number_integer()) refuse("it has no \"id\"");
    Values values;
    for (const Column& column : table.columns) {
      const std::string name(column.name);
      if (!json.contains(name)) refuse(fmt::format("\"{}\" is missing", name));
      values.push_back(value_of(column, json[name]));
    }
    if (table.name == "evaluations") check_evaluation(json);
    const Inserted row = insert(database_, table, values);
    if (!row.is_new) complete(table, row.id, values);
    if (!rows_[table.name].emplace(json["id"].get<std::int64_t>(), row.id).second)
      refuse(fmt::format("another {} has the id {} already", table.kind, json["id"].dump()));
    Counts& counts = row.is_new ? imported_.added : imported_.known;
    if (std::int64_t* count = count_of(counts, table.name)) ++*count;
  }

  /// What a known row may lack: a source, the end of a run that went on elsewhere.
  void complete(const Table& table, std::int64_t id, const Values& values) {
    if (table.name == "candidates")
      database_.execute("UPDATE candidates SET source = $1 WHERE id = $2 AND source = ''",
                        {values[table.place("source")], id});
    if (table.name == "runs")
      database_.execute("UPDATE runs SET funnel = $1, ended = $2 WHERE id = $3 AND ended = ''",
                        {values[table.place("funnel")], values[table.place("ended")], id});
  }

  Value value_of(const Column& column, const Json& json) const {
    const auto need = [&](bool is_right, std::string_view wanted) {
      if (!is_right) refuse(fmt::format("\"{}\" must be {}", column.name, wanted));
    };
    if (json.is_null() && column.may_be_null) return {};
    switch (column.kind) {
      case Column::Kind::Text:
        need(json.is_string(), "a text");
        return text(json.get<std::string>());
      case Column::Kind::JsonText:
        check_form(column.name, json);
        return to_text(json);
      case Column::Kind::Integer:
        need(json.is_number_integer(), "a whole number");
        return json.get<std::int64_t>();
      case Column::Kind::Real:
        need(json.is_number(), "a number");
        return json.get<double>();
      case Column::Kind::Bytes: {
        need(json.is_string() && bytes_of(json.get<std::string>()), "bytes in hexadecimal digits");
        return Blob{*bytes_of(json.get<std::string>())};
      }
      case Column::Kind::Reference:
        return reference(column, json);
    }
    throw Bug("a column of no kind");
  }

  Value reference(const Column& column, const Json& json) const {
    const auto rows = rows_.find(column.refers_to);
    if (json.is_number_integer() && rows != rows_.end()) {
      const auto row = rows->second.find(json.get<std::int64_t>());
      if (row != rows->second.end()) return row->second;
    }
    refuse(fmt::format("\"{}\" is {}, but no line before has this id", column.name, json.dump()));
  }

  /// Lists have the form in which they are read again.
  void check_form(std::string_view column, const Json& json) const {
    try {
      if (column == "sizes" || column == "parameters") named_values(json);
      if (column == "steps") steps(json);
      if (column == "launches") launches(json);
      if (column == "kernels") kernel_builds(json);
      if (column == "names") names(json);
      if (column == "times" || column == "numbers") doubles(json);
    } catch (const Json::exception& failure) {
      refuse(fmt::format("\"{}\" does not have the form that it should have: {}", column, failure.what()));
    }
  }

  void check_evaluation(const Json& json) const {
    const std::optional<Outcome> outcome = outcome_of(json["outcome"].get<std::string>());
    if (!outcome) refuse(fmt::format("{} is not an outcome that Hoist knows", json["outcome"].dump()));
    if (!origin_of(json["origin"].get<std::string>()))
      refuse(fmt::format("{} is not an origin that Hoist knows", json["origin"].dump()));
    const Evaluation evaluation{.outcome = *outcome, .times = doubles(json["times"])};
    if (const std::string fault = fault_of(evaluation); !fault.empty()) refuse(fault);
    const std::optional<double> median = median_of(evaluation.times);
    if (median ? json["median"] != *median : !json["median"].is_null())
      refuse(fmt::format("\"median\" is {}, which is not the median of \"times\"", json["median"].dump()));
  }

  Database& database_;
  std::string name_;
  std::size_t number_ = 0;  ///< of the line
  bool has_header_ = false;
  std::map<std::string_view, std::map<std::int64_t, std::int64_t>>
      rows_;  ///< by table and number in the file
  Imported imported_;
};

}  // namespace

Result<void> Store::export_lines(const std::function<Result<void>(std::string_view)>& write) {
  return catch_failure(
      [&] { once_in_transaction(*database_, Access::Read, [&] { Exporter(*database_, write).run(); }); });
}

Result<Imported> Store::import_lines(std::istream& lines, const std::string& name) {
  return catch_failure([&] {
    return once_in_transaction(*database_, Access::Write,
                               [&] { return Importer(*database_, name).run(lines); });
  });
}

}  // namespace hoist::store
