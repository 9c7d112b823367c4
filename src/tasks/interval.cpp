#include "tasks/interval.hpp"

namespace hoist::tasks {

std::vector<Interval> IntervalSet::missing(const Interval& interval) const {
  std::vector<Interval> result;
  Interval rest = interval;
  for (const Interval& part : parts_) {
    if (rest.is_empty() || part.from >= rest.to) break;
    if (part.to <= rest.from) continue;
    if (part.from > rest.from) result.push_back({rest.from, part.from});
    rest.from = part.to;
  }
  if (!rest.is_empty()) result.push_back(rest);
  return result;
}

std::vector<Interval> IntervalSet::missing_from(const IntervalSet& other) const {
  std::vector<Interval> result;
  for (const Interval& part : parts_) {
    const std::vector<Interval> missing = other.missing(part);
    result.insert(result.end(), missing.begin(), missing.end());
  }
  return result;
}

void IntervalSet::add(const Interval& interval) {
  if (interval.is_empty()) return;
  Interval joined = interval;
  std::vector<Interval> parts;
  for (const Interval& part : parts_) {
    if (part.to < joined.from || joined.to < part.from) {
      parts.push_back(part);
    } else {
      joined = hull(joined, part);
    }
  }
  const auto place =
      std::find_if(parts.begin(), parts.end(), [&](const Interval& part) { return part.from > joined.from; });
  parts.insert(place, joined);
  parts_ = std::move(parts);
}

void IntervalSet::remove(const Interval& interval) {
  if (interval.is_empty()) return;
  std::vector<Interval> parts;
  for (const Interval& part : parts_) {
    const Interval before{part.from, std::min(part.to, interval.from)};
    const Interval behind{std::max(part.from, interval.to), part.to};
    if (!before.is_empty()) parts.push_back(before);
    if (!behind.is_empty()) parts.push_back(behind);
  }
  parts_ = std::move(parts);
}

std::vector<Interval> IntervalSet::within(const Interval& interval) const {
  std::vector<Interval> result;
  for (const Interval& part : parts_) {
    const Interval both = intersection(part, interval);
    if (!both.is_empty()) result.push_back(both);
  }
  return result;
}

}  // namespace hoist::tasks
