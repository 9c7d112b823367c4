#pragma once
// What reference_bench tells: its rows (bench/README.md has their form) summed up and as a table.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hoist::bench {

/// The variant of a row that is not generated.
inline constexpr const char* hand_written = "hand-written";

/// Rows with the number, geometric mean and minimum of the ratios of variant "all" to the hand-written
/// kernels, and how many of either failed: for the twelve of Table 4.2, and for all.
std::vector<nlohmann::json> summaries(const std::vector<nlohmann::json>& rows);

/// Markdown: a line a benchmark and size with its time by hand, then each variant's speed as a share of it;
/// the summaries below. The rows of a benchmark and size follow each other, the hand-written first.
std::string table_of(const std::vector<nlohmann::json>& rows, const std::vector<nlohmann::json>& summary);

}  // namespace hoist::bench
