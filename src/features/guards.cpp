// How often the code under guards is executed: counts the iterations for which comparisons of indices hold,
// without visiting them. For
//
//   for i in [0, 1000) { for j in [0, 100) { if (test(i + j < 1000)) ... } }
//
// the iterations are a box, 1000 x 100. Interval arithmetic decides the guard for a box as a whole, or leaves
// it open (`answer`). An open box is cut along one counter, and its parts are counted, as in branch and
// bound: here i + j < 1000 holds for all i below 901, and only the rest is cut further. After `most_boxes`
// the rest is an estimate, one half.
//
// Read `Counting::count` first, then `choose_cut`, which takes the counter that moves the guard most, and
// `narrow`, which for a linear counter finds the range outside of which the guard is decided. `Shares::of` is
// around it: guards that have no counter in common are independent, so their shares are multiplied; connected
// ones are counted together, and what was counted is remembered.
#include "features/guards.hpp"

#include <algorithm>
#include <numeric>

namespace hoist::features {

using arith::Relation;

namespace {

/// At most so many boxes are looked at.
constexpr int most_boxes = 400;

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

enum class Answer : std::uint8_t { No, Yes, Open };

Answer answer(Relation relation, Interval value) {
  const auto decide = [](bool always, bool never) {
    return always ? Answer::Yes : never ? Answer::No : Answer::Open;
  };
  switch (relation) {
    case Relation::Less:
      return decide(value.to < 0, value.from >= 0);
    case Relation::LessEqual:
      return decide(value.to <= 0, value.from > 0);
    case Relation::Equal:
      return decide(value.from == 0 && value.to == 0, value.from > 0 || value.to < 0);
    case Relation::NotEqual:
      return decide(value.from > 0 || value.to < 0, value.from == 0 && value.to == 0);
  }
  return Answer::Open;
}

class Counting {
 public:
  Counting(const Places& places, const std::vector<Guard>& guards)
      : places_(places), guards_(guards), box_(places.whole()) {}

  Share run() {
    Share result;
    result.share = count(0);
    result.is_exact = is_exact_;
    return result;
  }

 private:
  /// The share of the box for which the guards from `first` on hold.
  double count(std::size_t first) {
    while (first < guards_.size()) {
      const Answer known = answer(guards_[first].relation, places_.bounds(guards_[first].form, box_));
      if (known == Answer::No) return 0;
      if (known == Answer::Open) break;
      ++first;
    }
    if (first == guards_.size()) return 1;
    constexpr double unknown = 0.5;
    if (++boxes_ > most_boxes || !choose_cut(guards_[first])) {
      is_exact_ = false;
      return unknown;
    }
    // The cuts are copied, since inner calls choose theirs in the same members.
    const std::uint32_t along = cut_;
    const Interval all = box_[along];
    const std::array<std::int64_t, 2> cuts = {from_, to_};
    double sum = 0;
    std::int64_t at = all.from;
    for (const std::int64_t end : {cuts[0] - 1, cuts[1], all.to}) {
      if (end < at) continue;
      box_[along] = {at, end};
      sum += count(first) * static_cast<double>(end - at + 1);
      at = end + 1;
    }
    box_[along] = all;
    return sum / static_cast<double>(all.length());
  }

  /// Chooses which counter to cut, and the part of it, from_ to to_, that is looked at apart. False where
  /// none can be cut.
  bool choose_cut(const Guard& guard) {
    double most = 0;
    cut_ = UINT32_MAX;
    bool is_linear = false;
    const Interval whole = places_.bounds(guard.form, box_);
    for (const Term& term : guard.form.terms) {
      const Symbol& symbol = places_[term.symbol];
      const double weight = static_cast<double>(std::abs(term.coefficient));
      if (symbol.kind == Symbol::Kind::Counter) {
        consider(term.symbol, weight, true, most, is_linear);
      } else {
        consider_inside(symbol, weight, most, is_linear);
      }
    }
    if (cut_ == UINT32_MAX) return false;
    const Interval range = box_[cut_];
    const std::int64_t middle = range.from + (range.to - range.from) / 2;
    from_ = range.from;
    to_ = middle;
    if (is_linear) narrow(guard, whole, range);
    return true;
  }
  void consider(std::uint32_t counter, double weight, bool linear, double& most, bool& is_linear) {
    const double influence = weight * static_cast<double>(box_[counter].length() - 1);
    if (influence <= most) return;
    most = influence;
    cut_ = counter;
    is_linear = linear;
  }
  void consider_inside(const Symbol& symbol, double weight, double& most, bool& is_linear) {
    if (symbol.is_data) return;
    for (const Form* operand : {&symbol.first, &symbol.second, &symbol.test}) {
      for (const Term& term : operand->terms) {
        const Symbol& inner = places_[term.symbol];
        const double inner_weight = weight * static_cast<double>(std::abs(term.coefficient));
        if (inner.kind == Symbol::Kind::Counter) {
          consider(term.symbol, inner_weight, false, most, is_linear);
        } else {
          consider_inside(inner, inner_weight, most, is_linear);
        }
      }
    }
  }

  /// Narrows the part of a counter in which the form is linear to the values for which the rest of the form
  /// matters. For values outside of it the guard is decided.
  void narrow(const Guard& guard, Interval whole, Interval range) {
    std::int64_t coefficient = 0;
    for (const Term& term : guard.form.terms) {
      if (term.symbol == cut_) coefficient = term.coefficient;
    }
    const std::int64_t most = coefficient * (coefficient > 0 ? range.to : range.from);
    const std::int64_t least = coefficient * (coefficient > 0 ? range.from : range.to);
    const Interval rest{whole.from - least, whole.to - most};
    // The form may be 0 or change its sign from `from` to `to`; one value more is for strict relations.
    std::int64_t from = floor_quotient(-rest.to, coefficient), to = floor_quotient(-rest.from, coefficient);
    if (from > to) std::swap(from, to);
    from = std::max(from, range.from);
    to = std::min(to + 1, range.to);
    const bool is_part = from <= to && to - from < range.to - range.from;
    if (!is_part) return;
    from_ = from;
    to_ = to;
  }

  const Places& places_;
  const std::vector<Guard>& guards_;
  std::vector<Interval> box_;
  int boxes_ = 0;
  bool is_exact_ = true;
  std::uint32_t cut_ = 0;
  std::int64_t from_ = 0, to_ = 0;
};

using Counters = std::vector<std::uint32_t>;

void add_counters(const Places& places, const Form& form, Counters& into) {
  for (const Term& term : form.terms) {
    const Symbol& symbol = places[term.symbol];
    if (symbol.kind == Symbol::Kind::Counter) {
      into.push_back(term.symbol);
    } else {
      for (const Form* operand : {&symbol.first, &symbol.second, &symbol.test})
        add_counters(places, *operand, into);
    }
  }
}
Counters counters_of(const Places& places, const Form& form) {
  Counters counters;
  add_counters(places, form, counters);
  return counters;
}
bool has_common(const Counters& a, const Counters& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

bool is_same(const Guard& a, const Guard& b) {
  return a.relation == b.relation && a.form.constant == b.form.constant &&
         std::equal(a.form.terms.begin(), a.form.terms.end(), b.form.terms.begin(), b.form.terms.end());
}
std::uint64_t hash_of(const std::vector<Guard>& guards) {
  std::uint64_t hash = guards.size();
  const auto mix = [&](std::uint64_t number) {
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15U;
    hash = (hash ^ number) * factor;
    hash ^= hash >> 32U;
  };
  for (const Guard& guard : guards) {
    mix(static_cast<std::uint64_t>(guard.relation));
    mix(static_cast<std::uint64_t>(guard.form.constant));
    for (const Term& term : guard.form.terms) {
      mix(term.symbol);
      mix(static_cast<std::uint64_t>(term.coefficient));
    }
  }
  return hash;
}

}  // namespace

Guard negation(const Guard& guard) {
  Guard result = guard;
  switch (guard.relation) {
    case Relation::Less:  // f >= 0 is -f <= 0
    case Relation::LessEqual:
      result.form = Form{};
      result.form.add(guard.form, -1);
      result.relation = guard.relation == Relation::Less ? Relation::LessEqual : Relation::Less;
      return result;
    case Relation::Equal:
      result.relation = Relation::NotEqual;
      return result;
    case Relation::NotEqual:
      result.relation = Relation::Equal;
      return result;
  }
  return result;
}

Share Shares::of(const std::vector<Guard>& guards) {
  std::vector<Counters> counters;
  for (const Guard& guard : guards) counters.push_back(counters_of(places_, guard.form));
  // Guards with a common counter are in one group, also by way of others (connected components). A group has
  // the number of its first guard.
  std::vector<std::size_t> groups(guards.size());
  std::iota(groups.begin(), groups.end(), std::size_t{0});
  for (std::size_t i = 0; i < guards.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (groups[j] == groups[i] || !has_common(counters[j], counters[i])) continue;
      const std::size_t kept = std::min(groups[i], groups[j]), merged = std::max(groups[i], groups[j]);
      std::ranges::replace(groups, merged, kept);
    }
  }
  Share result;
  for (std::size_t group = 0; group < guards.size(); ++group) {
    std::vector<Guard> related;
    for (std::size_t i = group; i < guards.size(); ++i) {
      if (groups[i] == group) related.push_back(guards[i]);
    }
    if (related.empty()) continue;
    const Share part = of_related(std::move(related));
    result.share *= part.share;
    result.is_exact = result.is_exact && part.is_exact;
  }
  return result;
}

Share Shares::of_related(std::vector<Guard> guards) {
  const std::uint64_t hash = hash_of(guards);
  const auto [begin, end] = known_.equal_range(hash);
  const auto known = std::find_if(begin, end, [&](const auto& each) {
    return std::equal(guards.begin(), guards.end(), each.second.guards.begin(), each.second.guards.end(),
                      is_same);
  });
  if (known != end) return known->second.share;
  const Share share = Counting(places_, guards).run();
  known_.emplace(hash, Known{std::move(guards), share});
  return share;
}

}  // namespace hoist::features
