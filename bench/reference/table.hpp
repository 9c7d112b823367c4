#pragma once
// The kernels of this folder: which program of kernels/ each is held against, at which sizes, and how it is
// launched.
#include <map>
#include <string>
#include <vector>

#include "driver/compile.hpp"
#include "runtime/device.hpp"

namespace hoist::bench {

/// One kernel of a reference and the work-items it runs on.
struct ReferenceLaunch {
  std::string kernel;
  runtime::Range range;
};

/// What a reference needs besides the program's inputs and outputs.
struct ReferencePlan {
  std::vector<ReferenceLaunch> launches;  ///< in order
  driver::NamedSizes defines;             ///< beside those of the sizes
  std::size_t temporary_bytes = 0;        ///< of the one temporary between its kernels; 0: none
};

/// Every kernel of a reference takes the leaves of the program's inputs (scalars by value), the temporary if
/// there is one, and the leaves of its outputs, in this order; sizes come as #defines.
struct Reference {
  std::string
      name;  ///< of bench/reference/NAME.cl, and of kernels/low-level/NAME.hoist or kernels/NAME.hoist
  bool is_of_table = true;                          ///< one of the twelve of Table 4.2 of Remmelg's thesis
  std::map<std::string, driver::NamedSizes> sizes;  ///< "test", "small", "large"
  ReferencePlan (*plan)(const std::map<std::string, std::int64_t>& sizes, const target::Target& device);
};

const std::vector<Reference>& references();

}  // namespace hoist::bench
