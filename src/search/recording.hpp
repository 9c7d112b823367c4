#pragma once
// Recorded spaces: every configuration that somebody measured, so that searches are evaluated without a
// device.
#include <string>
#include <vector>

#include "search/configuration.hpp"

namespace hoist::search {

struct Recording {
  std::string name;            ///< of the file, without its endings
  std::string kernel, device;  ///< empty where the file does not say
  std::vector<std::string> parameters;
  std::vector<std::vector<std::string>> values;  ///< of each parameter, in their order, as text
  std::vector<Trial> trials;                     ///< numbers of a configuration are places in `values`
  std::vector<std::string> notes;                ///< what was odd about the file: cut at its end, no unit

  /// "32,4,1": the values of a configuration, in the order of the parameters.
  std::string text(const Configuration& configuration) const;
};

}  // namespace hoist::search
