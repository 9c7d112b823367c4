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

/// A text's bytes; of one that is no Unicode what repr() gives.
inline std::string utf8_of(py::handle text) {
  Py_ssize_t length = 0;
  if (const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &length))
    return {bytes, static_cast<std::size_t>(length)};
  PyErr_Clear();
  return py::repr(text).cast<std::string>();
}

/// The value, or the error raised. The interpreter's lock is held.
template <class T>
T need(Result<T> result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace hoist::python
