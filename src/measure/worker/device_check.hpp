#pragma once
// Results held against what is expected where they are: on the device. Large arrays take long to copy and to
// compare on one core, while the device would wait.
#include <memory>
#include <optional>
#include <vector>

#include "base/tensor.hpp"
#include "driver/compile.hpp"
#include "execute/executable.hpp"
#include "interpret/error_bound.hpp"

namespace hoist::measure {

class DeviceCheck {
 public:
  /// Copies what is expected to the device and tries the check on it: on what is right, and with one element
  /// changed, in the memory where results will be. Nothing where the device cannot do it, or fails at that:
  /// then the host compares.
  static std::unique_ptr<DeviceCheck> prepare(runtime::Device& device, const Data& expected,
                                              const interpret::ErrorBound& bound,
                                              const std::vector<runtime::Buffer*>& results);

  /// The largest error of an element of these arrays, in units of its bound (interpret::compare). Nothing
  /// where one is at its bound or beyond, or the device fails: then the host's comparison decides.
  std::optional<double> largest_error(const std::vector<runtime::Buffer*>& got);

 private:
  struct Leaf {
    execute::Executable executable;  ///< of a program of what is expected and what is got
    std::unique_ptr<runtime::Buffer> expected;
    bool is_exact = false;
  };
  static std::optional<Leaf> leaf_of(runtime::Device& device, const Tensor& expected,
                                     const interpret::ErrorBound& bound);
  static std::optional<double> error_of(Leaf& leaf, runtime::Buffer& got);
  static bool notices_a_change(runtime::Device& device, Leaf& leaf, const Tensor& expected,
                               runtime::Buffer& result);

  std::vector<Leaf> leaves_;
};

}  // namespace hoist::measure
