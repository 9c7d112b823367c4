#include "learn/cross_validation.hpp"

#include <algorithm>
#include <map>

namespace hoist::learn {

namespace {
std::vector<std::uint32_t> different(std::vector<std::uint32_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}
}  // namespace

std::size_t count_different(std::vector<std::uint32_t> numbers) {
  return different(std::move(numbers)).size();
}

std::vector<Fold> folds_of(const std::vector<std::uint32_t>& groups, std::uint32_t most, Random& random) {
  std::vector<std::uint32_t> dealt = different(groups);
  random.shuffle(dealt);
  std::map<std::uint32_t, std::size_t> fold_of;
  for (std::size_t i = 0; i < dealt.size(); ++i) fold_of[dealt[i]] = i % most;
  std::vector<Fold> folds(std::min<std::size_t>(most, dealt.size()));
  for (std::uint32_t place = 0; place < groups.size(); ++place) {
    const std::size_t own = fold_of[groups[place]];
    for (std::size_t fold = 0; fold < folds.size(); ++fold)
      (fold == own ? folds[fold].left_out : folds[fold].seen).push_back(place);
  }
  return folds;
}

}  // namespace hoist::learn
