#include "lang/diagnostics.hpp"

#include <algorithm>

namespace hoist::lang {
namespace {

// More help nobody: the first ones have to be mended anyway.
constexpr std::size_t limit = 50;

}  // namespace

void Diagnostics::report(Span span, std::string message, std::string note, std::string help) {
  ++reports_;
  if (is_quiet() || diagnostics_.size() >= limit) return;
  const bool known = std::any_of(diagnostics_.begin(), diagnostics_.end(),
                                 [&](const Diagnostic& other) { return other.span == span; });
  if (known) return;
  diagnostics_.push_back({std::move(message), span, std::move(note), std::move(help)});
}

Error Diagnostics::take() {
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.span->begin < b.span->begin; });
  return Error{ErrorKind::User, std::move(diagnostics_)};
}

}  // namespace hoist::lang
