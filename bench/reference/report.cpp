#include "reference/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace hoist::bench {

using nlohmann::json;

namespace {

/// The ratios of variant "all" among the rows that `wanted` accepts, as a row.
void summarize(const std::string& what, const std::vector<json>& rows, std::vector<json>& summary,
               const std::function<bool(const json&)>& wanted) {
  double logarithms = 0, least = INFINITY;
  std::string slowest;
  int count = 0, failed = 0;
  for (const json& row : rows) {
    if (!wanted(row)) continue;
    // Where the hand-written kernel failed, nothing else was compared.
    if (row["variant"] == hand_written && row["outcome"] != "ok") ++failed;
    if (row["variant"] != "all") continue;
    if (!row.contains("ratio")) {
      if (row["outcome"] != "ok") ++failed;
      continue;
    }
    const double ratio = row["ratio"].get<double>();
    logarithms += std::log(ratio);
    ++count;
    if (ratio < least) {
      least = ratio;
      slowest = row["benchmark"].get<std::string>() + " " + row["size_set"].get<std::string>();
    }
  }
  if (count == 0) return;
  summary.push_back({{"benchmark", "summary: " + what},
                     {"compared", count},
                     {"failed", failed},
                     {"geometric_mean", std::exp(logarithms / count)},
                     {"minimum", least},
                     {"slowest", slowest}});
}

}  // namespace

std::vector<json> summaries(const std::vector<json>& rows) {
  std::vector<json> summary;
  summarize("the twelve of Table 4.2", rows, summary,
            [](const json& row) { return row["is_of_table"].get<bool>(); });
  summarize("all", rows, summary, [](const json&) { return true; });
  return summary;
}

std::string table_of(const std::vector<json>& rows, const std::vector<json>& summary) {
  std::vector<std::string> variants;
  for (const json& row : rows) {
    std::string variant = row["variant"];
    if (variant == hand_written || std::find(variants.begin(), variants.end(), variant) != variants.end())
      continue;
    variants.push_back(variant);
  }
  std::string text = "| benchmark | sizes | by hand, ms | spread |";
  std::string rule = "|---|---|---:|---:|";
  for (const std::string& variant : variants) {
    text += " " + variant + " |";
    rule += "---:|";
  }
  text += " all to copy | all to read | right |\n" + rule + "---:|---:|---|\n";
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first + 1;
    while (last < rows.size() && rows[last]["variant"] != hand_written) ++last;
    const json& by_hand = rows[first];
    std::string sizes, notes;
    for (const auto& [name, value] : by_hand["sizes"].items())
      sizes += fmt::format("{}={} ", name, value.get<std::int64_t>());
    text += fmt::format("| {} | {}|", by_hand["benchmark"].get<std::string>(), sizes);
    text += by_hand.contains("median_seconds")
                ? fmt::format(" {:.4f} | {:.1f}% |", by_hand["median_seconds"].get<double>() * 1e3,
                              by_hand["spread"].get<double>() * 100)
                : " | |";
    auto add_cell = [&](const std::string& variant, const char* ratio) {
      auto row = std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(first),
                              rows.begin() + static_cast<std::ptrdiff_t>(last),
                              [&](const json& r) { return r["variant"] == variant; });
      const bool is_there = row != rows.begin() + static_cast<std::ptrdiff_t>(last) && row->contains(ratio);
      text += is_there ? fmt::format(" {:.3f} |", (*row)[ratio].get<double>()) : " |";
    };
    for (const std::string& variant : variants) add_cell(variant, "ratio");
    add_cell("all", "ratio_to_copy");
    add_cell("all", "ratio_to_read");
    for (std::size_t i = first; i < last; ++i) {
      if (rows[i]["outcome"] == "ok") continue;
      notes += fmt::format("{}: {}; ", rows[i]["variant"].get<std::string>(),
                           rows[i]["outcome"].get<std::string>());
    }
    text += " " + (notes.empty() ? "yes" : notes.substr(0, notes.size() - 2)) + " |\n";
    first = last;
  }
  text +=
      "\nColumns after the spread: speed as a share of the hand-written kernel's (1 is as fast, 2 twice as "
      "fast); `copy` and "
      "`read` move as many bytes as the program's inputs and outputs hold. The last two: speed of `all` as a "
      "share of theirs.\n\n";
  for (const json& row : summary) {
    text += fmt::format("{}: {} compared, {} failed, geometric mean {:.3f}, minimum {:.3f} ({})\n",
                        row["benchmark"].get<std::string>(), row["compared"].get<int>(),
                        row["failed"].get<int>(), row["geometric_mean"].get<double>(),
                        row["minimum"].get<double>(), row["slowest"].get<std::string>());
  }
  return text;
}

}  // namespace hoist::bench
