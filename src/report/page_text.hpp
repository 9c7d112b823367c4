#pragma once
#include <string_view>

namespace hoist::report {

/// page.html, with `{{data}}` where its data go.
extern const std::string_view page_text;

}  // namespace hoist::report
