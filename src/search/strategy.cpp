#include "search/strategy.hpp"

#include "base/error.hpp"

namespace hoist::search {

std::vector<Configuration> Strategy::propose(std::size_t count) {
  std::vector<Configuration> batch;
  while (batch.size() < count) {
    std::optional<Configuration> next = acquire();
    if (!next && !is_exhausted()) next = draws_.next(history_);
    if (!next) break;
    if (!history_.claim(*next)) throw Bug("a search strategy proposed a configuration that is already known");
    batch.push_back(std::move(*next));
  }
  return batch;
}

void Strategy::report(std::span<const Trial> trials) {
  for (const Trial& trial : trials) {
    if (history_.add(trial)) learn(trial);
  }
}

}  // namespace hoist::search
