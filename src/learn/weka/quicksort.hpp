#pragma once
// Quicksort as Weka has it: which of equal numbers comes first is a part of the result, since the rounding of
// sums depends on it.
#include <span>
#include <utility>

namespace hoist::learn {

/// Orders a list by a number of each element, `key`, with the median of three as pivot (Sedgewick:
/// Implementing quicksort programs, 1978).
template <class T, class Key>
void quicksort(std::span<T> list, const Key& key) {
  if (list.size() < 2) return;
  const auto order = [&](std::size_t one, std::size_t other) {
    if (key(list[one]) > key(list[other])) std::swap(list[one], list[other]);
  };
  const std::size_t last = list.size() - 1;
  if (last < 3) {
    order(0, 1);
    order(0, last);
    order(1, last);
    return;
  }
  const std::size_t middle = last / 2;
  order(0, middle);
  order(0, last);
  order(middle, last);
  // The pivot waits at the end, and what is beside it stops both searches.
  std::swap(list[middle], list[last - 1]);
  const double pivot = key(list[last - 1]);
  std::size_t low = 0, high = last - 1;
  while (true) {
    do {
      ++low;
    } while (key(list[low]) < pivot);
    do {
      --high;
    } while (key(list[high]) > pivot);
    if (low >= high) break;
    std::swap(list[low], list[high]);
  }
  std::swap(list[low], list[last - 1]);
  quicksort(list.first(low), key);
  quicksort(list.subspan(low + 1), key);
}

}  // namespace hoist::learn
