#pragma once
// What the names in a specification mean in one space: parameters, sizes, settings and their words.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "search/named_space.hpp"
#include "search/specification/syntax.hpp"

namespace hoist::search::specification {

/// What a specification may mention beside the space's names.
struct Context {
  std::vector<std::pair<std::string, std::int64_t>> sizes;    ///< NX, NY, NZ, and the program's own
  std::vector<std::pair<std::string, std::string>> settings;  ///< what the user set: a number or a word
};

/// The specification with every name replaced by what it means, without settings; what can be computed is.
/// User errors, with places in the text: a name that means nothing or two things, a value that no
/// configuration has, a range that is empty or never ends, a division by zero, a value that is used before
/// there is one. Without a place: a setting that the specification does not have.
Result<Specification> bind(const Specification& specification, const NamedSpace& space,
                           const Context& context);

}  // namespace hoist::search::specification
