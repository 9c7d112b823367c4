#pragma once
// Runs of integers: elements of an array, or iterations of a loop.
#include <algorithm>
#include <cstdint>
#include <vector>

namespace hoist::tasks {

/// The integers from..to-1; all empty ones are alike.
struct Interval {
  std::int64_t from = 0, to = 0;

  bool is_empty() const { return to <= from; }
  std::int64_t length() const { return is_empty() ? 0 : to - from; }
  bool contains(const Interval& other) const {
    return other.is_empty() || (from <= other.from && other.to <= to);
  }
  bool operator==(const Interval& other) const {
    return (is_empty() && other.is_empty()) || (from == other.from && to == other.to);
  }
};

/// The smallest interval that contains both.
inline Interval hull(const Interval& a, const Interval& b) {
  if (a.is_empty()) return b;
  if (b.is_empty()) return a;
  return {std::min(a.from, b.from), std::max(a.to, b.to)};
}
inline Interval intersection(const Interval& a, const Interval& b) {
  const Interval both{std::max(a.from, b.from), std::min(a.to, b.to)};
  return a.is_empty() || b.is_empty() || both.is_empty() ? Interval{} : both;
}
inline bool intersects(const Interval& a, const Interval& b) { return !intersection(a, b).is_empty(); }

/// A set of integers, as the intervals of which it consists.
class IntervalSet {
 public:
  IntervalSet() = default;
  explicit IntervalSet(const Interval& interval) { add(interval); }

  bool is_empty() const { return parts_.empty(); }
  bool operator==(const IntervalSet&) const = default;
  /// The parts of an interval that are not in the set, in order.
  std::vector<Interval> missing(const Interval& interval) const;
  /// The parts of this set that are not in the other.
  std::vector<Interval> missing_from(const IntervalSet& other) const;
  void add(const Interval& interval);
  void remove(const Interval& interval);
  /// The parts of an interval that are in the set, in order.
  std::vector<Interval> within(const Interval& interval) const;
  bool contains(const Interval& interval) const { return missing(interval).empty(); }

 private:
  std::vector<Interval> parts_;  ///< in order, with gaps between them
};

}  // namespace hoist::tasks
