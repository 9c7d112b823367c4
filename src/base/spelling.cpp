#include "base/spelling.hpp"

#include <algorithm>
#include <cctype>

namespace hoist {

namespace {

bool are_alike_but_for_case(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

}  // namespace

std::size_t edit_distance(std::string_view one, std::string_view other) {
  // The Damerau-Levenshtein distances in the row before the last, the last row and this one.
  std::vector<std::size_t> before(other.size() + 1), last(before), row(before);
  for (std::size_t j = 0; j <= other.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t change = last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      const bool is_swap = i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
      if (is_swap) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[other.size()];
}

std::string_view closest(std::string_view word, const std::vector<std::string_view>& candidates,
                         std::size_t most) {
  // Nobody means so long a word by another, and the distance takes the product of both lengths.
  constexpr std::size_t longest = 40;
  if (word.size() > longest) return {};
  std::string_view best;
  std::size_t least = most + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.empty() || candidate.size() > longest) continue;
    const std::size_t distance = are_alike_but_for_case(word, candidate) ? 0 : edit_distance(word, candidate);
    const bool is_nearer = distance < least || (distance == least && !best.empty() && candidate < best);
    if (!is_nearer || distance >= std::max(word.size(), candidate.size())) continue;
    best = candidate;
    least = distance;
  }
  return best;
}

}  // namespace hoist
