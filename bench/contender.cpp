#include "contender.hpp"

#include <algorithm>

namespace hoist::bench {

std::string outcome_of(const std::function<Result<void>()>& attempt) {
  std::string text = "ok";
  try {
    if (auto done = attempt(); !done) text = done.error().render();
  } catch (const std::exception& stumbled) {
    text = std::string("bug: ") + stumbled.what();
  }
  return text.substr(0, text.find('\n'));
}

void measure_in_turns(std::vector<Contender>& contenders, std::size_t rounds, double patience) {
  for (std::size_t round = 0; round < rounds; ++round) {
    double sum = 0;
    for (Contender& contender : contenders) {
      if (!contender.run) continue;
      contender.outcome = outcome_of([&]() -> Result<void> {
        auto warm = contender.run();
        auto seconds = warm ? contender.run() : warm;
        if (!seconds) return tl::unexpected(seconds.error());
        contender.seconds.push_back(*seconds);
        sum += *warm + *seconds;
        return {};
      });
      if (!contender.is_right()) contender.run = nullptr;
    }
    if (round == 0 && sum * static_cast<double>(rounds) > patience) {
      rounds = std::min(rounds, std::max<std::size_t>(3, static_cast<std::size_t>(patience / sum)));
    }
  }
}

}  // namespace hoist::bench
