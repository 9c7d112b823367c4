#pragma once
// Errors of the C++ interface as Python's exceptions.
#include <pybind11/pybind11.h>

#include <hoist/hoist.hpp>

namespace hoist::python {

namespace py = pybind11;

/// Throws the exception of hoist._errors that an error is. The interpreter's lock is held.
[[noreturn]] void raise(const Error& error);
/// Throws a user's error that is about no place in a text.
[[noreturn]] void raise_user(const std::string& message, const std::string& note = {},
                             const std::string& help = {});

/// What str() gives.
inline std::string text_of(py::handle object) { return py::str(object).cast<std::string>(); }

/// The value, or the error raised. The interpreter's lock is held.
template <class T>
T need(Result<T> result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace hoist::python
