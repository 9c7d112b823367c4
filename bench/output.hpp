#pragma once
// What all programs that measure are told and where they write: options, rows as JSON, a table as Markdown.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hoist::bench {

struct Output {
  std::string json_path, markdown_path;
  std::string commit = "unknown";
  std::size_t repetitions = 21;

  void add_options(CLI::App& app);
  /// After each benchmark, with all rows so far: a long run that is cut short has what it measured.
  void write_rows(std::vector<nlohmann::json> rows, const std::vector<nlohmann::json>& summaries = {}) const;
  void write_table(const std::string& table) const;
};

}  // namespace hoist::bench
