#include "output.hpp"

#include <fstream>
#include <iostream>

namespace hoist::bench {

void Output::add_options(CLI::App& app) {
  app.add_option("--repetitions", repetitions, "timed runs of each, unless they are slow")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--json", json_path, "writes rows to this file");
  app.add_option("--markdown", markdown_path, "writes the table to this file");
  app.add_option("--commit", commit, "named in each row")->capture_default_str();
}

void Output::write_rows(std::vector<nlohmann::json> rows,
                        const std::vector<nlohmann::json>& summaries) const {
  if (json_path.empty()) return;
  rows.insert(rows.end(), summaries.begin(), summaries.end());
  std::ofstream(json_path) << nlohmann::json(rows).dump(1) << "\n";
}

void Output::write_table(const std::string& table) const {
  std::cout << table;
  if (!markdown_path.empty()) std::ofstream(markdown_path) << table;
}

}  // namespace hoist::bench
