#include "ranks/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "base/need.hpp"

namespace hoist::ranks {
namespace {

/// An error as it is sent: message, note and help, with zeros between.
std::string packed(const Error& error) {
  const Diagnostic& first = error.diagnostics.front();
  return first.message + '\0' + first.note + '\0' + first.help;
}

Error unpacked(ErrorKind kind, const std::string& text, const std::string& rank) {
  const std::size_t note = text.find('\0') + 1, help = text.find('\0', note) + 1;
  return fail(kind, rank + text.substr(0, note - 1), text.substr(note, help - note - 1), text.substr(help))
      .value();
}

/// What a rank tells of its work.
struct Told {
  std::uint64_t bytes = 0;  ///< of the text; 0: it has not failed
  ErrorKind kind = ErrorKind::User;
};

}  // namespace

std::optional<Error> failure_of(const std::function<void()>& work) {
  try {
    work();
    return std::nullopt;
  } catch (const Failure& failure) {
    return failure.error();
  } catch (const std::bad_alloc&) {
    return device_error("not enough memory").value();
  } catch (const std::exception& failure) {
    return fail(ErrorKind::Bug, failure.what()).value();
  }
}

void together(Communicator* others, const std::function<void()>& work) {
  if (others == nullptr) return work();
  const std::optional<Error> failure = failure_of(work);
  const std::string text = failure ? packed(*failure) : "";
  const std::vector<Told> told =
      need(others->all_gather(Told{text.size(), failure ? failure->kind : ErrorKind::User}));
  const auto longest = std::max_element(told.begin(), told.end(),
                                        [](const Told& a, const Told& b) { return a.bytes < b.bytes; });
  if (longest->bytes == 0) return;
  std::string mine = text;
  mine.resize(longest->bytes);
  const std::vector<std::byte> all = need(others->all_gather(std::as_bytes(std::span(mine))));
  if (failure) throw Failure(*failure);
  const auto first = static_cast<std::size_t>(
      std::find_if(told.begin(), told.end(), [](const Told& each) { return each.bytes > 0; }) - told.begin());
  const std::string theirs(reinterpret_cast<const char*>(all.data()) + first * longest->bytes,
                           told[first].bytes);
  throw Failure(unpacked(told[first].kind, theirs, fmt::format("rank {} of {}: ", first, others->size())));
}

}  // namespace hoist::ranks
