// _hoist: what the package `hoist` is made of. The C++ interface, and nothing else of Hoist, is behind it.

#include <dlfcn.h>

#include <cmath>

#include "python/step.hpp"

namespace hoist::python {

namespace {

py::dict facts_of(const DeviceFacts& device) {
  py::dict facts;
  facts["id"] = device.id;
  facts["name"] = device.name;
  facts["vendor"] = device.vendor;
  facts["platform"] = device.platform;
  facts["version"] = device.version;
  facts["type"] = device.type;
  facts["global_memory"] = device.global_memory;
  facts["local_memory"] = device.local_memory;
  facts["compute_units"] = device.compute_units;
  facts["max_group_size"] = device.max_group_size;
  facts["has_f64"] = device.has_f64;
  return facts;
}

py::list pairs_of(const std::vector<Parameter>& parameters) {
  py::list pairs;
  for (const Parameter& each : parameters) pairs.append(py::make_tuple(each.name, each.type));
  return pairs;
}

std::unique_ptr<Step> step_of(Result<Program> program, const std::string& device) {
  return std::make_unique<Step>(need(std::move(program)), device);
}

/// pybind11 before 2.12 finds NumPy's functions for C where NumPy 1 has them; later ones of NumPy 2 may have
/// them elsewhere alone.
void show_numpy() {
  const auto imported = [](const char* name) -> py::object {
    try {
      return py::module_::import(name);
    } catch (const py::error_already_set&) {
      return py::none();
    }
  };
  constexpr const char* first = "numpy.core.multiarray";
  if (!imported(first).is_none()) return;
  const py::object second = imported("numpy._core.multiarray");
  if (!second.is_none()) py::module_::import("sys").attr("modules")[first] = second;
}

/// Refuses a library of another version, which the process loaded under this one's name before: a module and
/// its library are built together.
void check_library() {
  if (version() == HOIST_VERSION) return;
  Dl_info library{};
  const bool is_found = dladdr(reinterpret_cast<void*>(&version), &library) != 0;
  throw py::import_error("the module hoist is of version " HOIST_VERSION
                         ", but this process has loaded libhoist " +
                         version() + (is_found ? std::string(" from ") + library.dli_fname : "") +
                         ": install the same version of both, or use them in different processes");
}

}  // namespace

void add_step(py::module_& module) {
  py::class_<Step>(module, "Step")
      .def("call", &Step::call)
      .def("sizes_of", &Step::sizes_of)
      .def("explain", &Step::explain)
      .def("tune", &Step::tune)
      .def_property_readonly("device", &Step::device)
      .def_property_readonly("kernel_seconds", &Step::kernel_seconds)
      .def_property_readonly("compiled_count", &Step::compiled_count)
      .def_property_readonly("name", [](const Step& step) { return step.program().name(); })
      .def_property_readonly("text", [](const Step& step) { return step.program().text(); })
      .def_property_readonly("entry", [](const Step& step) { return step.program().entry(); })
      .def_property_readonly("source_name", [](const Step& step) { return step.program().source_name(); })
      .def_property_readonly("documentation", [](const Step& step) { return step.program().documentation(); })
      .def_property_readonly("parameters",
                             [](const Step& step) { return pairs_of(step.program().parameters()); })
      .def_property_readonly("result_type", [](const Step& step) { return step.program().result_type(); })
      .def_property_readonly("sizes", [](const Step& step) { return step.program().size_variables(); })
      .def_property_readonly("tuning_parameters",
                             [](const Step& step) { return step.program().tuning_parameters(); })
      .def_property_readonly("assumptions", [](const Step& step) { return step.program().assumptions(); });
  py::class_<Communicator>(module, "Ranks", "The ranks that run programs together: what hoist.ranks gives.")
      .def_property_readonly("rank", &Communicator::rank)
      .def_property_readonly("size", &Communicator::size)
      .def_property_readonly("rank_of_node", &Communicator::rank_of_node)
      .def_property_readonly("library", &Communicator::library)
      .def(
          "rows",
          [](const Communicator& ranks, std::int64_t all) {
            const auto first = [&](int rank) {
              return static_cast<py::ssize_t>(std::llround(static_cast<double>(all) * rank / ranks.size()));
            };
            return py::slice(first(ranks.rank()), first(ranks.rank() + 1), py::ssize_t{1});
          },
          "The rows, of so many, that this rank gives or gets where shares are equal: "
          "u[ranks.rows(len(u))].");
  module.def("ranks_of", [](int number, const std::string& library) {
    return need([&] {
      const py::gil_scoped_release unlocked;
      return Communicator::of_number(number, library);
    }());
  });
  module.def("parse",
             [](const std::string& text, const std::string& entry, const std::string& name,
                const std::string& device) { return step_of(Program::parse(text, entry, name), device); });
  module.def("load", [](const std::string& path, const std::string& entry, const std::string& device) {
    return step_of(Program::load(path, entry), device);
  });
  module.def("devices", [] {
    std::vector<DeviceFacts> found;
    {
      const py::gil_scoped_release unlocked;
      found = devices();
    }
    py::list list;
    for (const DeviceFacts& each : found) list.append(facts_of(each));
    return list;
  });
}

}  // namespace hoist::python

PYBIND11_MODULE(_hoist, module) {
  hoist::python::check_library();
  module.doc() = "What the package hoist is made of.";
  module.attr("__version__") = HOIST_VERSION;
  hoist::python::show_numpy();
  hoist::python::add_device_array(module);
  hoist::python::add_step(module);
  hoist::python::add_tuning(module);
  hoist::python::add_tracing(module);
}
