#pragma once
// A program as Python calls it: compiled for each device and each set of sizes when it is first called with
// them, and kept.
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

#include "python/prepared.hpp"

namespace hoist::python {

/// A program compiled for a device and sizes.
struct Variant {
  Variant(DevicePtr device, Compiled made) : compiled(std::move(device), std::move(made)) {}
  OnDevice<Compiled> compiled;
};
using VariantPtr = std::shared_ptr<Variant>;

class Step {
 public:
  explicit Step(const Program& program, std::string device);

  const Program& program() const { return signature_.program(); }
  const std::string& device() const { return device_; }

  /// Runs the program on what is given.
  py::object call(const py::args& positional, const py::kwargs& named);
  /// The sizes that arguments mean; those given by name alone where there are no arrays.
  Sizes sizes_of(const py::args& positional, const py::kwargs& named);
  /// Facts of what would run for these arguments: device, sizes, kernels, notes, the low-level program.
  py::dict explain(const py::args& positional, const py::kwargs& named);
  /// Searches the fastest kernel for these arguments. Options beside a call's: budget in seconds,
  /// evaluations, search, seed, fresh, store, worker, and `progress`, which is called with a dictionary a few
  /// times a second.
  py::dict tune(const py::args& positional, const py::kwargs& named);

  /// Seconds that the kernels of the last call took, as their device tells.
  double kernel_seconds() const { return kernel_seconds_; }
  /// How many variants there are.
  std::size_t compiled_count() const { return order_.size(); }

 private:
  Prepared prepare(const py::args& positional, const py::kwargs& named,
                   const std::vector<std::string>& options);
  DevicePtr device_for(const Prepared& prepared);
  DevicePtr opened(const std::string& id, std::optional<std::size_t> chosen_by);
  void read_places(Prepared& prepared);
  VariantPtr variant_for(const Prepared& prepared);
  py::object call_on_places(const Prepared& prepared, std::size_t steps, const std::string& feed);
  void forget(const VariantPtr& variant);

  Signature signature_;
  std::string device_;  ///< that it runs on unless a call says another; empty: what `hoist run` takes
  Warned warned_;
  double kernel_seconds_ = 0;
  // Both are touched with the interpreter's lock held.
  std::list<std::pair<std::string, VariantPtr>> order_;  ///< the one used last first
  std::unordered_map<std::string, std::list<std::pair<std::string, VariantPtr>>::iterator> variants_;
  /// The same of what runs on several devices or ranks, in the order of use, the last one first. What ranks
  /// compile together they keep and forget together, whatever else each of them calls.
  std::list<std::pair<std::string, VariantPtr>> placed_;
  std::unordered_map<std::string, DevicePtr> devices_;  ///< by the names that they were asked for
};

void add_step(py::module_& module);
void add_tuning(py::module_& module);
void add_tracing(py::module_& module);

}  // namespace hoist::python
