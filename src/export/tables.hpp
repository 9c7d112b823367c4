#pragma once
// Tables of C, and what numbers in them stand for.
#include <string>
#include <vector>

#include "execute/stream_graph.hpp"

namespace hoist::exporting {

/// The steps that are neither uploads nor downloads, by the numbers that nodes have for them.
std::vector<execute::LaunchPlan::Task> steps_of(const execute::StreamedPlan& plan);
bool is_loop(const execute::LaunchPlan::Task& step);
/// The scalars that count rounds, in the order of their places in `rounds`.
std::vector<std::size_t> rounds_of(const execute::StreamedPlan& plan);

bool is_empty(const runtime::Range& range);
std::string items_text(const runtime::Range& range);
std::string list_of(const std::vector<std::string>& items);
/// A table of C; one with nothing in it has one entry, which C asks for.
std::string table(const std::string& type, const std::string& name, std::vector<std::string> items,
                  const std::string& nothing);

}  // namespace hoist::exporting
