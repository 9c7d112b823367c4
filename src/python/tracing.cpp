// The builder of the C++ interface for Python: hoist._function traces functions of Python's with it, so that
// both languages' builders write the same text.
#include <pybind11/functional.h>

#include "python/step.hpp"

namespace hoist::python {

namespace {

using Binary = Value (*)(const Value&, const Value&);

Value binary(const std::string& symbol, const Value& a, const Value& b) {
  static const std::map<std::string, Binary> operators{
      {"+", [](const Value& x, const Value& y) { return x + y; }},
      {"-", [](const Value& x, const Value& y) { return x - y; }},
      {"*", [](const Value& x, const Value& y) { return x * y; }},
      {"/", [](const Value& x, const Value& y) { return x / y; }},
      {"%", [](const Value& x, const Value& y) { return x % y; }},
      {"<", [](const Value& x, const Value& y) { return x < y; }},
      {"<=", [](const Value& x, const Value& y) { return x <= y; }},
      {">", [](const Value& x, const Value& y) { return x > y; }},
      {">=", [](const Value& x, const Value& y) { return x >= y; }},
      {"==", [](const Value& x, const Value& y) { return x == y; }},
      {"!=", [](const Value& x, const Value& y) { return x != y; }},
      {"&&", [](const Value& x, const Value& y) { return x && y; }},
      {"||", [](const Value& x, const Value& y) { return x || y; }},
      {"&", [](const Value& x, const Value& y) { return x & y; }},
      {"|", [](const Value& x, const Value& y) { return x | y; }},
      {"^", [](const Value& x, const Value& y) { return x ^ y; }},
      {"<<", [](const Value& x, const Value& y) { return x << y; }},
      {">>", [](const Value& x, const Value& y) { return x >> y; }}};
  return operators.at(symbol)(a, b);
}

Value unary(const std::string& symbol, const Value& a) {
  if (symbol == "-") return -a;
  return symbol == "~" ? ~a : !a;
}

/// A number of Python's or NumPy's: these keep their type.
Value number(const py::object& object) {
  if (PyBool_Check(object.ptr())) return object.cast<bool>();
  if (PyFloat_CheckExact(object.ptr())) return Value::untyped(object.cast<double>());
  if (PyLong_Check(object.ptr())) return Value::untyped(object.cast<std::int64_t>());
  const py::dtype type = object.attr("dtype");
  const auto scalar = scalar_of(type);
  if (!scalar) raise_user("numbers of " + text_of(type) + " have no type of the language");
  return with_type_of(*scalar, [&]<class T>(std::type_identity<T>) { return Value(object.cast<T>()); });
}

}  // namespace

void add_tracing(py::module_& module) {
  py::class_<Value>(module, "Value")
      .def("element", [](const Value& array, const Value& index) { return array[index]; })
      .def("component", &Value::component);
  py::class_<Function>(module, "Function")
      .def(py::init([](const std::string& text) { return Function(text.c_str()); }))
      .def(py::init<std::size_t, const std::function<Value(const std::vector<Value>&)>&,
                    const std::string&>());
  py::class_<Operand>(module, "Operand")
      .def(py::init([](const Value& value) { return Operand(value); }))
      .def(py::init([](const Function& function) { return Operand(function); }));
  py::class_<Builder>(module, "Builder")
      .def(py::init<std::string>())
      .def("size", [](Builder& builder, const std::string& name) { builder.size(name); })
      .def("input", [](Builder& builder, const std::string& name,
                       const std::string& type) { return builder.input(name, Type::written(type)); })
      .def("returns", [](const Builder& builder, const Value& value, const std::string& device) {
        return std::make_unique<Step>(need(builder.returns(value)), device);
      });
  module.def("binary", &binary);
  module.def("unary", &unary);
  module.def("number", &number);
  module.def("size_value", [](const std::string& text) { return Value(Size::written(text)); });
  module.def("tuple", &tuple);
  module.def("if_then_else", &if_then_else);
  module.def("apply", [](const std::string& name, const std::vector<Operand>& operands) {
    return apply(name, operands);
  });
  module.def("names_of_patterns", &names_of_patterns);
}

}  // namespace hoist::python
