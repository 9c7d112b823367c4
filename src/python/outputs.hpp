#pragma once
// Where the results of a call go.
#include <vector>

#include "python/prepared.hpp"

namespace hoist::python {

/// New arrays of NumPy's; those that the caller gave as `out`, NumPy's or on the device; or, where an input
/// is on the device and none was given, new arrays there.
class Outputs {
 public:
  /// Raises the user's errors about what was given. The interpreter's lock is held. All but `out` outlive it.
  Outputs(const Signature& signature, const Prepared& prepared, const Compiled& compiled,
          const py::object& out);

  /// Whether no result goes to the host.
  bool are_on_device() const;
  /// Those of other libraries that the caller gave.
  std::vector<const ForeignArray*> foreign() const;
  /// Places for a run's results. The device is this thread's.
  Result<std::vector<Output>> places();
  /// The results as Python has them. The interpreter's lock is held.
  py::object results() const;

 private:
  struct Place {
    py::object object;             ///< what the result is returned as; none for a new array on the device
    std::optional<Output> output;  ///< nothing for what places() makes
    std::optional<ForeignArray> foreign;
    DeviceArrayPtr made;
  };
  Place new_place(const ArrayFacts& facts) const;
  Place given_place(const ArrayFacts& facts, const py::object& object) const;
  Result<Output> foreign_output(const ArrayFacts& facts, const ForeignArray& array) const;

  const Signature& signature_;
  const Prepared& prepared_;
  std::vector<ArrayFacts> facts_;  ///< of ranks those of this one's rows
  std::vector<Place> places_;
};

}  // namespace hoist::python
