#pragma once
// Recorded spaces: every configuration that somebody measured, so that searches are evaluated without a
// device. Reads Kernel Tuner's cache files and the T4 results format, both JSON, gzip or not.
#include <string>
#include <vector>

#include "base/error.hpp"
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

/// User errors: no such file, neither JSON nor gzip of JSON, neither of the formats, no configuration that
/// was valid.
Result<Recording> read_recording(const std::string& path);
/// The same of text that was read already; `name` is for messages.
Result<Recording> parse_recording(const std::string& text, const std::string& name);

}  // namespace hoist::search
