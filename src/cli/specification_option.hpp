#pragma once
// Specification files on the command line: which one, and the settings for it.
#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/session.hpp"
#include "search/specification/syntax.hpp"
#include "search/specified_search.hpp"

namespace hoist::cli {

/// NAME=VALUE,... as given with --set.
void add_settings_option(CLI::App& command, std::vector<std::string>& settings);
/// What an option gave. Throws Failure: what is no NAME=VALUE, or a name twice.
std::vector<std::pair<std::string, std::string>> read_settings(const std::vector<std::string>& given,
                                                               const std::string& option = "--set");

struct NamedSpecification {
  std::string name;  ///< as it ships, or that of the file without its folder
  search::specification::Specification specification;
};
/// The specification that ships by a name, or that of a file, whose name has a '/' or ends in ".spec";
/// nothing where the text is neither. Its text is the session's source from then on. Throws Failure: a file
/// that cannot be read, faults in its text.
std::optional<NamedSpecification> find_specification(Session& session, const std::string& text);
std::vector<std::string> names_of_specifications();

/// What a search by a specification asked for, and what that cost; a line.
std::string tally_text(const search::SpecificationTally& tally);

}  // namespace hoist::cli
