#pragma once
// What a misspelt word was probably meant to be.
#include <cstddef>
#include <string_view>
#include <vector>

namespace hoist {

/// Insertions, deletions, changes, and swaps of neighbours that turn one word into the other, where no part
/// is edited twice (optimal string alignment).
std::size_t edit_distance(std::string_view one, std::string_view other);

/// The candidate that is nearest to the word, and among equally near ones the first in the alphabet;
/// empty where none is within `most` slips, or has a letter in common. A wrong case is a smaller slip than a
/// wrong letter.
std::string_view closest(std::string_view word, const std::vector<std::string_view>& candidates,
                         std::size_t most);

}  // namespace hoist
