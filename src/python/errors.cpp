#include "python/errors.hpp"

namespace hoist::python {

namespace {

const char* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::User:
      return "UserError";
    case ErrorKind::Unsupported:
      return "UnsupportedError";
    case ErrorKind::Device:
      return "DeviceError";
    case ErrorKind::Bug:
      return "Bug";
  }
  return "Error";
}

}  // namespace

void raise(const Error& error) {
  py::list problems;
  for (const Problem& each : error.problems) {
    py::object location = py::none();
    if (each.location)
      location = py::make_tuple(each.location->source, each.location->line, each.location->column);
    problems.append(py::make_tuple(each.message, each.note, each.help, location, each.excerpt));
  }
  const py::object made =
      py::module_::import("hoist._errors").attr(class_of(error.kind))(error.text(), problems);
  PyErr_SetObject(py::type::handle_of(made).ptr(), made.ptr());
  throw py::error_already_set();
}

void raise_user(const std::string& message, const std::string& note, const std::string& help) {
  raise({ErrorKind::User, {{message, note, help, std::nullopt, {}}}});
}

}  // namespace hoist::python
