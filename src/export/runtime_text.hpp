#pragma once
// The C of src/export/runtime, by which exported programs run in tasks.
#include <string_view>

namespace hoist::exporting {

/// A file of src/export/runtime, by its name without the ending.
std::string_view runtime_text(std::string_view name);

}  // namespace hoist::exporting
