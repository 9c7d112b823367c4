#include "api/access.hpp"

namespace hoist::api {

namespace {

/// "    2 |   zip(x, y)\n      |   ^^^": the lines of an excerpt after its first, which holds the message.
std::string marked_line(const Source& source, Span span) {
  const std::string text = render_excerpt(source, span, "error", "", "", "");
  const std::size_t end = text.find('\n');
  return end == std::string::npos ? "" : text.substr(end + 1);
}

/// The kinds of the interface are Hoist's own, in their order.
std::string_view name_of(ErrorKind kind) { return hoist::name_of(static_cast<hoist::ErrorKind>(kind)); }

}  // namespace

std::string Error::text() const {
  std::string result;
  for (const Problem& problem : problems) {
    if (!result.empty()) result += '\n';
    if (problem.location) {
      result += fmt::format("{}:{}:{}: ", problem.location->source, problem.location->line,
                            problem.location->column);
    }
    result += fmt::format("{}: {}", name_of(kind), problem.message);
    if (!problem.excerpt.empty()) result += "\n" + problem.excerpt;
    if (!problem.note.empty()) result += "\n  note: " + problem.note;
    if (!problem.help.empty()) result += "\n  help: " + problem.help;
  }
  return result;
}

Error told(const hoist::Error& error, const Source* source) {
  Error result{static_cast<ErrorKind>(error.kind), {}};
  for (const Diagnostic& diagnostic : error.diagnostics) {
    Problem problem{diagnostic.message, diagnostic.note, diagnostic.help, std::nullopt, {}};
    if (source && diagnostic.span) {
      const Position position = position_of(*source, diagnostic.span->begin);
      problem.location = Location{source->name, position.line, position.column};
      problem.excerpt = marked_line(*source, *diagnostic.span);
    }
    result.problems.push_back(std::move(problem));
  }
  return result;
}

Error bug(const std::string& what) {
  return {ErrorKind::Bug, {{what, "this is a fault of Hoist, not of your program", {}, std::nullopt, {}}}};
}

Error no_memory() { return {ErrorKind::Device, {{"not enough memory", {}, {}, std::nullopt, {}}}}; }

}  // namespace hoist::api
