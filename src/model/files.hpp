#pragma once
// Whole files, packed by gzip or not.
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace hoist::model {

/// The text of a file, unpacked if need be.
Result<std::string> read_file(const std::string& path);
/// The same of bytes in memory.
Result<std::string> unpack(std::string_view bytes, const std::string& name);
/// Writes beside the path and then renames, so that an old file stays whole until the new one is; packed by
/// gzip when the path ends in ".gz". The same text gives the same bytes.
Result<void> write_file(const std::string& path, const std::string& text);

}  // namespace hoist::model
