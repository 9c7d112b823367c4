#include "plain/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hoist::bench {

using nlohmann::json;

namespace {

std::vector<std::string> variants_of(const std::vector<json>& rows) {
  std::vector<std::string> variants;
  for (const json& row : rows) {
    std::string variant = row["variant"];
    const bool is_known = std::find(variants.begin(), variants.end(), variant) != variants.end();
    if (variant != plain_loops && !is_known) variants.push_back(variant);
  }
  return variants;
}

}  // namespace

std::vector<json> plain_summaries(const std::vector<json>& rows) {
  std::vector<json> summary;
  for (const std::string& variant : variants_of(rows)) {
    double logarithms = 0, of_minima = 0, least = INFINITY;
    std::string slowest;
    int compared = 0, failed = 0;
    for (const json& row : rows) {
      if (row["variant"] != variant) continue;
      if (!row.contains("ratio")) {
        ++failed;
        continue;
      }
      const double ratio = row["ratio"];
      logarithms += std::log(ratio);
      of_minima += std::log(row["ratio_of_minima"].get<double>());
      ++compared;
      if (ratio < least) {
        least = ratio;
        slowest = row["benchmark"];
      }
    }
    if (compared == 0) continue;
    summary.push_back({{"benchmark", "summary: " + variant},
                       {"compared", compared},
                       {"failed", failed},
                       {"geometric_mean", std::exp(logarithms / compared)},
                       {"geometric_mean_of_minima", std::exp(of_minima / compared)},
                       {"minimum", least},
                       {"slowest", slowest}});
  }
  return summary;
}

std::string plain_table(const std::vector<json>& rows, const std::vector<json>& summary) {
  const std::vector<std::string> variants = variants_of(rows);
  std::string text = "| kernel | sizes | plain, ms | spread |";
  std::string rule = "|---|---|---:|---:|";
  for (const std::string& variant : variants) {
    text += " " + variant + " |";
    rule += "---:|";
  }
  text += " host, best runs | right |\n" + rule + "---:|---|\n";
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first + 1;
    while (last < rows.size() && rows[last]["variant"] != plain_loops) ++last;
    const json& plain = rows[first];
    std::string sizes, notes;
    for (const auto& [name, value] : plain["sizes"].items())
      sizes += fmt::format("{}={} ", name, value.get<std::int64_t>());
    text += fmt::format("| {} | {}|", plain["benchmark"].get<std::string>(), sizes);
    text += plain.contains("median_seconds")
                ? fmt::format(" {:.2f} | {:.0f}% |", plain["median_seconds"].get<double>() * 1e3,
                              plain["spread"].get<double>() * 100)
                : " | |";
    const auto cell = [&](const std::string& variant, const char* ratio) {
      for (std::size_t i = first; i < last; ++i) {
        if (rows[i]["variant"] == variant && rows[i].contains(ratio))
          return fmt::format(" {:.2f} |", rows[i][ratio].get<double>());
      }
      return std::string(" |");
    };
    for (const std::string& variant : variants) text += cell(variant, "ratio");
    text += cell("host", "ratio_of_minima");
    for (std::size_t i = first; i < last; ++i) {
      if (rows[i]["outcome"] == "ok") continue;
      notes += fmt::format("{}{}: {}", notes.empty() ? "" : "; ", rows[i]["variant"].get<std::string>(),
                           rows[i]["outcome"].get<std::string>());
    }
    text += " " + (notes.empty() ? "yes" : notes) + " |\n";
    first = last;
  }
  text +=
      "\nColumns after the spread: speed as a share of the plain loops' (1 is as fast, 2 twice as fast), of "
      "the median "
      "times; `best runs` of the shortest times.\n\n";
  for (const json& row : summary) {
    text += fmt::format(
        "{}: {} compared, {} failed, geometric mean {:.3f} (of the best runs {:.3f}), minimum {:.3f} ({})\n",
        row["benchmark"].get<std::string>(), row["compared"].get<int>(), row["failed"].get<int>(),
        row["geometric_mean"].get<double>(), row["geometric_mean_of_minima"].get<double>(),
        row["minimum"].get<double>(), row["slowest"].get<std::string>());
  }
  return text;
}

}  // namespace hoist::bench
