#pragma once
// Errors, and results that may hold one. The standard library is all that Hoist's headers need.
#include <hoist/export.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace hoist::api {

enum class ErrorKind {
  User,         ///< what was given is wrong
  Unsupported,  ///< a known limit of Hoist
  Device,       ///< a device or another resource failed
  Bug,          ///< Hoist's own fault
};

/// A place in a program's text; lines and columns count from 1.
struct Location {
  std::string source;  ///< the file's name, or the one that was given to Program::parse
  int line = 1, column = 1;
};

/// One thing that is wrong.
struct Problem {
  std::string message;
  std::string note;                  ///< why it is wrong, or empty
  std::string help;                  ///< what to do, or empty
  std::optional<Location> location;  ///< in the program's text, where it applies
  std::string excerpt;               ///< the line at fault with a mark below it, or empty
};

/// What went wrong: at least one problem; the text of a program may have several.
struct HOIST_EXPORT Error {
  ErrorKind kind = ErrorKind::User;
  std::vector<Problem> problems;

  const std::string& message() const { return problems.front().message; }
  const std::string& note() const { return problems.front().note; }
  const std::optional<Location>& location() const { return problems.front().location; }
  /// All of it, as the command line prints it.
  std::string text() const;
};

/// A value, or the error that was found instead. Nothing in Hoist's interface throws but value().
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}      // NOLINT: a value is a result
  Result(Error error) : content_(std::move(error)) {}  // NOLINT: an error is a result

  bool has_value() const { return content_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  /// Precondition: has_value().
  T& operator*() & { return *std::get_if<0>(&content_); }
  const T& operator*() const& { return *std::get_if<0>(&content_); }
  T&& operator*() && { return std::move(*std::get_if<0>(&content_)); }
  T* operator->() { return std::get_if<0>(&content_); }
  const T* operator->() const { return std::get_if<0>(&content_); }
  /// Precondition: !has_value().
  const Error& error() const { return *std::get_if<1>(&content_); }
  /// The value; throws std::runtime_error with the error's text where there is none.
  T value() && {
    if (!has_value()) throw std::runtime_error(error().text());
    return std::move(**this);
  }

 private:
  std::variant<T, Error> content_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: an error is a result

  bool has_value() const { return !error_; }
  explicit operator bool() const { return has_value(); }
  /// Precondition: !has_value().
  const Error& error() const { return *error_; }
  /// Throws std::runtime_error with the error's text, if there is one.
  void value() const {
    if (error_) throw std::runtime_error(error_->text());
  }

 private:
  std::optional<Error> error_;
};

}  // namespace hoist::api
