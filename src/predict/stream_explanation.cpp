#include "predict/stream_explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace hoist::predict {

namespace {

std::string time_of(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return fmt::format("{:.3g} us", 1e6 * seconds);
}

std::string part_of(const char* name, double seconds) {
  return fmt::format("{} ({})", name, time_of(seconds));
}

/// What binds the run, and what goes on beside it.
std::string bound_text(const StreamEstimate& chosen, const StreamConfiguration& configuration) {
  const auto tasks = static_cast<double>(configuration.tasks);
  const double rounds = std::ceil(tasks / static_cast<double>(configuration.partitions));
  const std::string uploads = part_of("uploads", tasks * chosen.upload);
  const std::string kernels = part_of("kernels", rounds * chosen.kernel);
  const std::string downloads = part_of("downloads", tasks * chosen.download);
  switch (chosen.bound) {
    case StreamBound::Upload:
      return fmt::format("{} bind the run, {} and {} overlap them", uploads, kernels, downloads);
    case StreamBound::Kernel:
      return fmt::format("{} bind the run, {} and {} overlap them", kernels, uploads, downloads);
    case StreamBound::Download:
      return fmt::format("{} bind the run, {} and {} overlap them", downloads, uploads, kernels);
    case StreamBound::Queue:
      return fmt::format(
          "{}, {} and {} of a partition wait for each other, those of other partitions overlap them", uploads,
          kernels, downloads);
    case StreamBound::Host:
      return fmt::format("giving {:.0f} tasks to the device binds the run, {}, {} and {} overlap that", tasks,
                         uploads, kernels, downloads);
  }
  throw Bug("nothing binds the run");
}

std::string single_text(const StreamTimes& times) {
  const StreamEstimate one = times.of({1, 1}), two = times.of({1, 2});
  return fmt::format(
      "{}, {} and {} in a single stream; two tasks would overlap {} of it at most and cost {} more",
      part_of("uploads", one.upload + one.once), part_of("a kernel", one.kernel),
      part_of("downloads", one.download),
      time_of(one.first_task - std::max({one.upload, one.kernel, one.download})),
      time_of(std::max(2 * two.first_task - one.first_task + two.overhead, 0.0)));
}

}  // namespace

std::string stream_explanation(const StreamFeatures& features, const StreamConstants& constants,
                               const StreamConfiguration& chosen, double speedup) {
  const StreamTimes times(features, constants);
  if (chosen.is_single()) return single_text(times);
  const StreamEstimate estimate = times.of(chosen);
  const StreamEstimate single = times.of({1, 1});
  std::string text = bound_text(estimate, chosen);
  text += fmt::format("; the first task overlaps nothing for {}", time_of(estimate.first_task));
  if (chosen.tasks / 2 >= chosen.partitions) {
    const StreamEstimate fewer = times.of({chosen.partitions, chosen.tasks / 2});
    text += fmt::format(", with half as many tasks for {}", time_of(fewer.first_task));
  }
  const StreamEstimate more = times.of({chosen.partitions, 2 * chosen.tasks});
  if (more.seconds > estimate.seconds)
    text += fmt::format("; twice as many would cost {} more of latencies and commands",
                        time_of(more.seconds - estimate.seconds));
  if (chosen.partitions > 1) {
    const StreamEstimate whole = times.of({1, chosen.tasks});
    text += fmt::format("; on one partition the run would take {:.2f} times as long",
                        whole.seconds / estimate.seconds);
  }
  text += fmt::format("; {:.2f} times as fast as a single stream is expected", speedup);
  const double analytic = single.seconds / estimate.seconds;
  constexpr double differs = 1.05;
  if (std::max(speedup / analytic, analytic / speedup) > differs)
    text += fmt::format(" ({:.2f} before what was learned of such programs)", analytic);
  return text;
}

}  // namespace hoist::predict
