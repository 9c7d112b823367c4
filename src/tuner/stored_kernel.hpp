#pragma once
// The best kernel that a store has for a program: measured at these sizes on this device, or else at others,
// or on another device of the kind.
#include <optional>
#include <string>

#include "driver/compile.hpp"
#include "runtime/device.hpp"
#include "store/store.hpp"

namespace hoist::tuner {

struct ChosenKernel {
  ir::Program low;     ///< low-level, with these sizes
  std::string name;    ///< of the candidate: "12-345", "default"
  std::string origin;  ///< "12-345, tuned for N = 1024 on this device"
};

/// Nothing where nothing was measured that fits these sizes: then the default mapping is what is left.
/// `program` without its sizes put in; all of them are in `sizes`. Errors: the store's.
Result<std::optional<ChosenKernel>> stored_kernel(store::Store& store, const ir::Program& program,
                                                  const driver::NamedSizes& sizes,
                                                  const target::Target& device);

/// The same from the user's own store, if there is one: where it cannot be read `note` says so.
std::optional<ChosenKernel> users_kernel(const ir::Program& program, const driver::NamedSizes& sizes,
                                         const target::Target& device, std::string* note);

}  // namespace hoist::tuner
