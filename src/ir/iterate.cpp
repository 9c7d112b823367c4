#include "ir/iterate.hpp"

#include <algorithm>
#include <atomic>
#include <unordered_set>

#include "ir/arena_data.hpp"

namespace hoist::ir {

namespace {

using arith::Expr;

bool mentions(Type type, Expr size, SizeMask mask) {
  if ((interned(type)->sizes & mask) == 0) return false;
  if (type->size && arith::contains(type->size, size)) return true;
  return std::any_of(type->elements.begin(), type->elements.end(),
                     [&](Type element) { return mentions(element, size, mask); });
}

/// Where a function mentions a size.
class Mentions {
 public:
  explicit Mentions(Expr size) : size_(size), mask_(size_mask(size)) {}

  /// In the type of a variable that is bound outside.
  bool is_outside(Term term, std::uint32_t depth = 0) {
    const InternedTerm& node = *interned(term);
    if ((node.sizes & mask_) == 0 || (node.loose <= depth && !node.has_free)) return false;
    if (term.as<Bound>() != nullptr || term.as<Free>() != nullptr) return mentions(term.type(), size_, mask_);
    if (!outside_.insert(term).second) return false;
    const auto* function = term.as<Lambda>();
    const auto binders = function != nullptr ? static_cast<std::uint32_t>(function->parameters.size()) : 0;
    bool found = false;
    for_each_child(term, [&](Term child) { found = found || is_outside(child, depth + binders); });
    return found;
  }

  bool is_anywhere(Term term) {
    if ((interned(term)->sizes & mask_) == 0) return false;
    if (mentions(term.type(), size_, mask_)) return true;
    if (const auto* value = term.as<SizeValue>()) return arith::contains(value->size, size_);
    if (!anywhere_.insert(term).second) return false;
    bool found = false;
    if (const auto* called = term.as<Call>()) {
      found = std::any_of(called->sizes.begin(), called->sizes.end(),
                          [&](Expr each) { return arith::contains(each, size_); });
    }
    for_each_child(term, [&](Term child) { found = found || is_anywhere(child); });
    return found;
  }

 private:
  Expr size_;
  SizeMask mask_;
  std::unordered_set<Term> outside_, anywhere_;
};

}  // namespace

Expr fresh_length() {
  static std::atomic<std::uint64_t> next{0};
  return arith::size("$knew" + std::to_string(next++));
}

Expr canonical_length(Term function, Expr length) {
  constexpr const char* digits = "0123456789abcdefghijklmnopqrstuv";
  constexpr unsigned bits_per_digit = 5;
  std::string name = "$k";
  for (std::size_t shape = interned(function)->shape; shape != 0; shape >>= bits_per_digit) {
    name += digits[shape & ((1U << bits_per_digit) - 1)];
  }
  // It is somebody else's only where a size outside was replaced by one that is bound elsewhere.
  Expr canonical = arith::size(name);
  while (canonical != length && Mentions(canonical).is_anywhere(function)) {
    name += 'x';
    canonical = arith::size(name);
  }
  return canonical;
}

Expr bound_length(Term term) { return interned(term)->binds_length ? term.as<Call>()->sizes[1] : Expr(); }

bool is_length_outside(Term function, Expr length) { return Mentions(length).is_outside(function); }

Expr known_steps(Term most) {
  if (const auto* size = most.as<SizeValue>()) return size->size;
  const auto* literal = most.as<Literal>();
  return literal ? arith::constant(std::max<std::int64_t>(literal->value.integer, 0)) : Expr();
}

Expr length_after(Expr next, Expr k, Expr n, Expr count) {
  if (next == k || count.is_constant(0)) return n;
  if (!arith::contains(next, k)) {
    if (count.constant()) return next;
    return arith::equal(next, n) == arith::Truth::Yes ? n : Expr();
  }
  if (next.kind() == arith::Kind::ExactQuotient && next->operands[0] == k &&
      !arith::contains(next->operands[1], k)) {
    return arith::exact_quotient(n, arith::power(next->operands[1], count));
  }
  const Expr ratio = arith::exact_quotient(next, k);
  // The quotient assumes that it is exact, so it must be held against what it came from.
  if (!arith::contains(ratio, k) && arith::equal(ratio * k, next) == arith::Truth::Yes) {
    return n * arith::power(ratio, count);
  }
  // At the first length: without simplification next - k keeps its k.
  const Expr difference = arith::substitute(next, {{k.get(), n}}) - n;
  if (!arith::contains(difference, k) && arith::equal(k + difference, next) == arith::Truth::Yes)
    return n + difference * count;
  // Anything else one step after the other, unless there are many.
  constexpr std::int64_t most_steps = 64;
  if (!count.constant() || *count.constant() > most_steps) return {};
  for (std::int64_t step = 0; step < *count.constant(); ++step) n = arith::substitute(next, {{k.get(), n}});
  return n;
}

}  // namespace hoist::ir
