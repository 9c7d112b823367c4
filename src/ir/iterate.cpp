#include "ir/iterate.hpp"

#include <atomic>
#include <cctype>
#include <unordered_set>

#include "ir/arena_data.hpp"

namespace hoist::ir {

namespace {

using arith::Expr;

/// No name in the language has it.
constexpr char mark = '$';

bool mentions(Type type, Expr size, SizeMask mask) {
  if ((interned(type)->sizes & mask) == 0) return false;
  if (type->size && arith::contains(type->size, size)) return true;
  for (Type element : type->elements) {
    if (mentions(element, size, mask)) return true;
  }
  return false;
}

/// Whether a variable that is bound outside has `size` in its type.
bool has_outside(Term term, Expr size, SizeMask mask, std::uint32_t depth, std::unordered_set<Term>& seen) {
  const InternedTerm& node = *interned(term);
  if ((node.sizes & mask) == 0 || (node.loose <= depth && !node.has_free)) return false;
  if (term.as<Bound>() != nullptr || term.as<Free>() != nullptr) return mentions(term.type(), size, mask);
  if (!seen.insert(term).second) return false;
  const auto* function = term.as<Lambda>();
  const std::uint32_t inside =
      depth + (function != nullptr ? static_cast<std::uint32_t>(function->parameters.size()) : 0);
  bool found = false;
  for_each_child(term, [&](Term child) { found = found || has_outside(child, size, mask, inside, seen); });
  return found;
}

}  // namespace

Expr fresh_length() {
  static std::atomic<std::uint64_t> next{0};
  return arith::size(mark + ("new" + std::to_string(next++)));
}

Expr canonical_length(Term function) {
  constexpr const char* digits = "0123456789abcdefghijklmnopqrstuv";
  constexpr unsigned bits_per_digit = 5;
  std::string name{mark, 'k'};
  for (std::size_t shape = interned(function)->shape; shape != 0; shape >>= bits_per_digit) {
    name += digits[shape & ((1U << bits_per_digit) - 1)];
  }
  return arith::size(name);
}

Expr bound_length(Term term) { return interned(term)->binds_length ? term.as<Call>()->sizes[1] : Expr(); }

Term rename_length(Term function, Expr from, Expr to) {
  std::unordered_set<Term> seen;
  if (has_outside(function, from, size_mask(from), 0, seen)) {
    throw_user("iterate: its function takes " + readable(from) + " elements, but is given others",
               "what it uses from outside has that length, so it cannot stand for the length of each step");
  }
  return substitute_sizes(function, {{from.get(), to}});
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
  const Expr difference = next - k;
  if (!arith::contains(difference, k)) return n + difference * count;
  // Anything else one step after the other, unless there are many.
  constexpr std::int64_t most_steps = 64;
  if (!count.constant() || *count.constant() > most_steps) return {};
  for (std::int64_t step = 0; step < *count.constant(); ++step) n = arith::substitute(next, {{k.get(), n}});
  return n;
}

std::string readable(Expr size) {
  const std::string text = arith::to_string(size);
  if (text.find(mark) == std::string::npos) return text;
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != mark) {
      result += text[i];
      continue;
    }
    result += 'k';
    while (i + 1 < text.size() && std::isalnum(static_cast<unsigned char>(text[i + 1])) != 0) ++i;
  }
  return result;
}

}  // namespace hoist::ir
