#pragma once
// The three kinds of error, and results that may hold one.
#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "base/span.hpp"

namespace hoist {

/// Who has to act, and so which exit status the program ends with.
enum class ErrorKind {
  User,         ///< the user's: exit status 1
  Unsupported,  ///< a known limit of Hoist, named: exit status 1
  Device,       ///< a device or resource failed: exit status 2
  Bug,          ///< ours: exit status 3
};
/// What a message of that kind begins with: "error", "unsupported", "device error", "bug".
std::string_view name_of(ErrorKind kind);

/// One thing that is wrong, where, and what to do about it.
struct Diagnostic {
  std::string message;
  std::optional<Span> span = std::nullopt;  ///< in the source that was being read, where there is one
  std::string note = {};                    ///< why it is wrong
  std::string help = {};                    ///< what to do
};

struct Error {
  ErrorKind kind = ErrorKind::User;
  std::vector<Diagnostic> diagnostics;

  /// All diagnostics as text; those with a span show the place in `source` when it is given.
  std::string render(const Source* source = nullptr) const;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorKind kind, std::string message, std::string note = {},
                                  std::string help = {}) {
  return tl::unexpected<Error>(
      Error{kind, {Diagnostic{std::move(message), std::nullopt, std::move(note), std::move(help)}}});
}
inline tl::unexpected<Error> user_error(std::string message, std::string note = {}, std::string help = {}) {
  return fail(ErrorKind::User, std::move(message), std::move(note), std::move(help));
}
inline tl::unexpected<Error> unsupported(std::string message, std::string note = {}, std::string help = {}) {
  return fail(ErrorKind::Unsupported, std::move(message), std::move(note), std::move(help));
}
inline tl::unexpected<Error> device_error(std::string message, std::string note = {}, std::string help = {}) {
  return fail(ErrorKind::Device, std::move(message), std::move(note), std::move(help));
}

/// Carries an Error up through the recursion inside one module; never crosses a module's boundary.
class Failure : public std::exception {
 public:
  explicit Failure(Error error) : error_(std::move(error)), text_(error_.render()) {}
  const Error& error() const { return error_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  Error error_;
  std::string text_;
};
[[noreturn]] void throw_failure(ErrorKind kind, std::string message, std::string note = {},
                                std::string help = {});
[[noreturn]] inline void throw_user(std::string message, std::string note = {}, std::string help = {}) {
  throw_failure(ErrorKind::User, std::move(message), std::move(note), std::move(help));
}
[[noreturn]] inline void throw_unsupported(std::string message, std::string note = {},
                                           std::string help = {}) {
  throw_failure(ErrorKind::Unsupported, std::move(message), std::move(note), std::move(help));
}
/// A broken invariant of Hoist itself; only the command line's main catches it.
class Bug : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Runs `body` and turns a Failure thrown inside it into an error result: the boundary of a module.
template <class Body>
auto catch_failure(Body&& body) -> Result<decltype(body())> {
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return {};
    } else {
      return body();
    }
  } catch (const Failure& failure) {
    return tl::unexpected<Error>(failure.error());
  }
}

}  // namespace hoist
