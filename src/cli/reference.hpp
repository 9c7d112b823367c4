#pragma once
// The language's reference, printed from its tables.
#include <string>

namespace hoist::cli {

/// Every primitive with its scheme and documentation, and every scalar function, as Markdown.
std::string reference_markdown();

}  // namespace hoist::cli
