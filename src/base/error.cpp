#include "base/error.hpp"

namespace hoist {

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::User:
      return "error";
    case ErrorKind::Unsupported:
      return "unsupported";
    case ErrorKind::Device:
      return "device error";
    case ErrorKind::Bug:
      return "bug";
  }
  throw Bug("not a kind of error");
}

std::string Error::render(const Source* source) const {
  std::string result;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!result.empty()) result += '\n';
    if (source != nullptr && diagnostic.span) {
      result += render_excerpt(*source, *diagnostic.span, name_of(kind), diagnostic.message, diagnostic.note,
                               diagnostic.help);
      continue;
    }
    result += fmt::format("{}: {}", name_of(kind), diagnostic.message);
    if (!diagnostic.note.empty()) result += fmt::format("\n  note: {}", diagnostic.note);
    if (!diagnostic.help.empty()) result += fmt::format("\n  help: {}", diagnostic.help);
  }
  return result;
}

void throw_failure(ErrorKind kind, std::string message, std::string note, std::string help) {
  throw Failure(fail(kind, std::move(message), std::move(note), std::move(help)).value());
}

}  // namespace hoist
