#pragma once
// What the user sees: facts on standard output, everything else on standard error.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace hoist::cli {

using Json = nlohmann::ordered_json;

/// Writes to standard output. When nobody reads it any more (a closed pipe) the rest is dropped.
void print(std::string_view text);
/// Indented, with a line's end; bytes that are no UTF-8 are replaced.
void print_json(const Json& json);
/// Nothing is printed any more, and no notes are: another rank prints the same. Errors still are.
void print_nothing();
/// Writes what is buffered. Device error when standard output took not all of it (a full disk).
Result<void> finish_output();

/// One line to standard error.
void note(std::string_view text);
/// An error, rendered, to standard error; in colours on a terminal.
void report(const Error& error, const Source* source);
/// The same for programs: {"error": {"kind", "status", "messages": [{"message", "note", "help", "file",
/// "line", "column"}, ...]}}, each as far as it is known.
Json error_json(const Error& error, const Source* source, int status);

/// Columns with a header; a column of numbers is aligned to the right.
class Table {
 public:
  enum class Align { Left, Right };
  struct Column {
    std::string header;
    Align align = Align::Left;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// "1.25 ms", with the unit that suits it.
std::string time_text(double seconds);
/// "0.0232", "2.15", "49379": three digits at least.
std::string rate_text(double rate);
/// "N = 4, M = 8".
std::string named_values_text(const std::vector<std::pair<std::string, std::int64_t>>& values);
std::string joined(const std::vector<std::string>& parts, std::string_view separator = ", ");
/// "opencl, cuda or host".
std::string alternatives(const std::vector<std::string>& parts);
/// "opencl, cuda and host".
std::string conjunction(const std::vector<std::string>& parts);
/// The text as one word of a shell.
std::string shell_quoted(const std::string& word);
/// "; did you mean 'M'?" or nothing.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace hoist::cli
