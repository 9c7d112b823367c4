#pragma once
// What the expressions of a specification amount to, once their names are bound.
#include <cstdint>
#include <functional>

#include "search/named_space.hpp"
#include "search/specification/syntax.hpp"

namespace hoist::search::specification {

/// Values by the places of names.
struct Surroundings {
  const NamedValues* at_hand = nullptr;  ///< of the configuration that is being made
  const NamedValues* best = nullptr;     ///< of the best so far; null: there is none
};

/// An error about a place in the specification's text. Throws Failure.
[[noreturn]] void fail_at(Span span, std::string message, std::string note = {}, std::string help = {});

/// Whether it is the same in every configuration.
bool is_constant(const Expression& expression);
/// Throws Failure: a division by zero, a result of more than 64 bits, a name that has no value.
std::int64_t evaluate(const Expression& expression, const Surroundings& surroundings);

/// The three numbers of a range, checked: it ends. Throws Failure.
struct RangeBounds {
  std::int64_t from = 0, to = 0, step = 1;
  bool multiplies = false;

  bool is_empty() const { return from > to; }
  /// Calls fn with each value until it gives false.
  void for_each(const std::function<bool(std::int64_t)>& fn) const;
};
RangeBounds bounds_of(const Range& range, const Surroundings& surroundings);

}  // namespace hoist::search::specification
