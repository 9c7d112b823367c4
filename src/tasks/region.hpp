#pragma once
// Rectangles of integers: elements of an array that is seen as rows of equal length, or iterations of two
// loops, the one around the other.
//
// An array is seen as rows of one element each where programs are cut along one dimension, and one loop is
// seen as being around a loop of one iteration: then the rectangle is the interval of its rows.
#include <vector>

#include "tasks/interval.hpp"

namespace hoist::tasks {

struct Region {
  Interval rows;
  Interval columns{0, 1};

  bool is_empty() const { return rows.is_empty() || columns.is_empty(); }
  std::int64_t area() const { return rows.length() * columns.length(); }
  bool contains(const Region& other) const {
    return other.is_empty() || (rows.contains(other.rows) && columns.contains(other.columns));
  }
  bool operator==(const Region& other) const {
    return (is_empty() && other.is_empty()) || (rows == other.rows && columns == other.columns);
  }
};

/// The smallest rectangle that contains both.
inline Region hull(const Region& a, const Region& b) {
  if (a.is_empty()) return b;
  if (b.is_empty()) return a;
  return {hull(a.rows, b.rows), hull(a.columns, b.columns)};
}
inline Region intersection(const Region& a, const Region& b) {
  return {intersection(a.rows, b.rows), intersection(a.columns, b.columns)};
}
inline bool intersects(const Region& a, const Region& b) { return !intersection(a, b).is_empty(); }

/// A set of pairs of integers, as bands of rows that have the same columns.
class RegionSet {
 public:
  RegionSet() = default;
  explicit RegionSet(const Region& region) { add(region); }

  bool is_empty() const { return bands_.empty(); }
  void add(const Region& region);
  void remove(const Region& region);
  /// The parts of a rectangle that are in the set, and those that are not, from the first row on.
  std::vector<Region> within(const Region& region) const;
  std::vector<Region> missing(const Region& region) const;

 private:
  struct Band {
    Interval rows;
    IntervalSet columns;  ///< not empty
  };
  template <class Change>
  void change(const Region& region, Change&& change);

  std::vector<Band> bands_;  ///< in order; bands that touch each other differ in their columns
};

}  // namespace hoist::tasks
