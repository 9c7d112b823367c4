#include "search/recording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hoist::search {

std::string Recording::text(const Configuration& configuration) const {
  std::vector<std::string> texts;
  for (std::size_t p = 0; p < configuration.size(); ++p)
    texts.push_back(values[p][static_cast<std::size_t>(configuration[p])]);
  return fmt::format("{}", fmt::join(texts, ","));
}

}  // namespace hoist::search
