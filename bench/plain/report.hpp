#pragma once
// What plain_bench tells: its rows (bench/README.md has their form) summed up and as a table.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hoist::bench {

/// The variant of a row that is the plain loops.
inline constexpr const char* plain_loops = "plain";

/// Of each other variant: how many kernels were compared, how many failed, geometric mean and minimum of the
/// ratios.
std::vector<nlohmann::json> plain_summaries(const std::vector<nlohmann::json>& rows);

/// Markdown: a line a kernel with the time of its plain loops, then each variant's speed as a share of
/// theirs; the summaries below. The rows of a kernel follow each other, the plain loops first.
std::string plain_table(const std::vector<nlohmann::json>& rows, const std::vector<nlohmann::json>& summary);

}  // namespace hoist::bench
