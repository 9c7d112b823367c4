#pragma once
// Reads recorded spaces: Kernel Tuner's cache files and the T4 results format, both JSON, gzip or not.
#include <string>

#include "base/error.hpp"
#include "search/recording.hpp"

namespace hoist::search {

/// User errors: no such file, neither JSON nor gzip of JSON, neither of the formats, no configuration that
/// was valid.
Result<Recording> read_recording(const std::string& path);
/// The same of text that was read already; `name` is for messages.
Result<Recording> parse_recording(const std::string& text, const std::string& name);

}  // namespace hoist::search
