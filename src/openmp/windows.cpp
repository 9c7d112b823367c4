// From accesses to windows: the least and the greatest element that iterations first..last of the outermost
// loop use.
//
// An element's number is linear in the counters of the loops around it. The counters are eliminated from the
// inside out: each is replaced by the end of its range that makes the number least, or greatest. What its
// coefficient's sign is, is known or assumed, and then checked before the loop runs. What is left depends on
// the outermost counter alone, which goes from first to last. Where a loop inside has no rounds for some of
// the outermost iterations (a triangle), those are cut off.
#include <algorithm>

#include "openmp/accesses.hpp"

namespace hoist::openmp {

namespace {

constexpr SymbolId outermost = 0;

class WindowMaker {
 public:
  WindowMaker(const Accesses& accesses, const Access& access) : accesses_(accesses), access_(access) {}

  const Poly& low() const { return low_; }
  const Poly& high() const { return high_; }
  /// The bounds become others of the same form.
  void widen(Window& window, const Poly& low, const Poly& high) const {
    window.low = text(low, low_first_);
    window.high = text(high, high_last_);
  }

  Window make() {
    Window window;
    window.array = access_.array;
    is_conditional_ = access_.is_conditional;
    if (access_.is_any || !bound()) {
      window.function = access_.is_write ? "hoist_writes_any" : "hoist_reads_any";
      return window;
    }
    window.assumed = assumed_;
    window.guard = guard_;
    widen(window, low_, high_);
    if (access_.is_write) {
      window.function = is_conditional_ ? "hoist_may_write"
                        : is_dense()    ? "hoist_writes_all"
                                        : "hoist_writes";
    } else {
      window.function = is_conditional_ ? "hoist_may_read" : "hoist_reads";
    }
    return window;
  }

 private:
  const Symbol& symbol(SymbolId id) const { return accesses_.symbols[static_cast<std::size_t>(id)]; }

  bool has_counter(const Poly& poly) const {
    for (const auto& [monomial, coefficient] : poly.terms()) {
      for (const SymbolId id : monomial) {
        if (symbol(id).is_counter) return true;
      }
    }
    return false;
  }

  /// The sign of what has no counters: all symbols are assumed not to be negative, sums with minus signs to
  /// be so as a whole.
  int sign(const Poly& poly) {
    if (poly.terms().empty()) return 0;
    bool has_plus = false, has_minus = false;
    for (const auto& [monomial, coefficient] : poly.terms()) (coefficient > 0 ? has_plus : has_minus) = true;
    if (poly.constant()) return has_plus ? 1 : -1;
    if (has_plus && has_minus) {
      assumed_.push_back(text(poly) + " >= 0");
      return 1;
    }
    assumed_.push_back(text(has_plus ? poly : Poly(0) - poly) + " >= 0");
    return has_plus ? 1 : -1;
  }

  bool bound() {
    low_ = high_ = access_.element;
    for (std::size_t i = access_.counters.size(); i-- > 1;) {
      const Symbol& counter = symbol(access_.counters[i]);
      if (!counter.is_counter) return false;
      if (!replace(low_, counter, false) || !replace(high_, counter, true) || !require_rounds(counter, i))
        return false;
    }
    for (const Poly* each : {&low_, &high_}) {
      const auto coefficient = each->coefficient(outermost);
      if (!coefficient || has_counter(*coefficient)) return false;
      for (const auto& [monomial, factor] : each->terms()) {
        for (const SymbolId id : monomial) {
          if (id != outermost && symbol(id).is_counter) return false;
        }
      }
    }
    low_goes_up_ = sign(*low_.coefficient(outermost)) >= 0;
    high_goes_up_ = sign(*high_.coefficient(outermost)) >= 0;
    cut();
    return true;
  }

  bool replace(Poly& poly, const Symbol& counter, bool greatest) {
    const auto coefficient = poly.coefficient(counter.own);
    if (!coefficient || has_counter(*coefficient)) return false;
    const int direction = sign(*coefficient);
    if (direction == 0) return true;
    poly = poly.substituted(counter.own, (direction > 0) == greatest ? counter.high : counter.low);
    return true;
  }

  /// The loop of the counter has rounds: always, under a condition, or for some of the outermost iterations.
  bool require_rounds(const Symbol& counter, std::size_t) {
    const Poly rounds = counter.high - counter.low;  // one less than their number
    if (const auto constant = rounds.constant()) {
      if (*constant < 0) guard_.push_back("0");
      return true;
    }
    if (!has_counter(rounds)) {
      guard_.push_back(text(rounds) + " >= 0");
      return true;
    }
    const auto slope = rounds.coefficient(outermost);
    const std::int64_t step = slope ? slope->constant().value_or(0) : 0;
    const Poly rest = slope ? rounds - *slope * Poly::symbol(outermost) : rounds;
    if ((step == 1 || step == -1) && !has_counter(rest)) {
      if (step == 1) least_.push_back(text(Poly(0) - rest));
      if (step == -1) most_.push_back(text(rest));
      is_cut_ = true;
    } else {
      is_conditional_ = true;
    }
    return true;
  }

  /// first and last without the iterations for which a loop inside has no rounds.
  void cut() {
    std::string first = "hoist_first", last = "hoist_last";
    for (const std::string& each : least_) first = "HOIST_MOST(" + first + ", " + each + ")";
    for (const std::string& each : most_) last = "HOIST_LEAST(" + last + ", " + each + ")";
    if (is_cut_) guard_.push_back(first + " <= " + last);
    low_first_ = low_goes_up_ ? first : last;
    high_last_ = high_goes_up_ ? last : first;
  }

  /// Whether the loops write every element between the least and the greatest: the coefficient of each
  /// counter is the number of elements that the faster ones make together.
  bool is_dense() const {
    if (access_.is_partial || is_cut_) return false;
    for (const SymbolId id : access_.counters) {
      if (symbol(id).has_gaps) return false;
    }
    std::vector<SymbolId> open(access_.counters.begin(), access_.counters.end());
    Poly next(1);
    while (!open.empty()) {
      const auto found = std::find_if(open.begin(), open.end(), [&](SymbolId id) {
        const auto coefficient = access_.element.coefficient(id);
        return coefficient && (*coefficient == next || *coefficient == Poly(0) - next);
      });
      if (found == open.end()) break;
      const SymbolId id = *found;
      open.erase(found);
      if (id == outermost) return rest_is_unused(open);
      const Poly length = symbol(id).high - symbol(id).low + Poly(1);
      if (has_counter(length)) return false;
      next = next * length;
    }
    return false;
  }
  /// Writing an element several times is as good; what is beyond the outermost counter's elements is not.
  bool rest_is_unused(const std::vector<SymbolId>& open) const {
    return std::all_of(open.begin(), open.end(), [&](SymbolId id) { return !access_.element.uses(id); });
  }

  /// In C; the outermost counter is `at`.
  std::string text(const Poly& poly, const std::string& at = {}) const {
    std::string text;
    for (const auto& [monomial, coefficient] : poly.terms()) {
      std::string term;
      const std::int64_t size = coefficient < 0 ? -coefficient : coefficient;
      if (size != 1 || monomial.empty()) term = std::to_string(size);
      for (const SymbolId id : monomial)
        term += (term.empty() ? "" : " * ") + (id == outermost ? at : symbol(id).text);
      if (text.empty()) {
        text = (coefficient < 0 ? "-" : "") + term;
      } else {
        text += (coefficient < 0 ? " - " : " + ") + term;
      }
    }
    return text.empty() ? "0" : text;
  }

  const Accesses& accesses_;
  const Access& access_;
  Poly low_, high_;
  std::vector<std::string> assumed_, guard_, least_, most_;
  std::string low_first_, high_last_;
  bool low_goes_up_ = true, high_goes_up_ = true, is_cut_ = false, is_conditional_ = false;
};

/// A window that others of the same form join: neighbours in a stencil.
struct Joined {
  Window window;
  WindowMaker maker;
  Poly low, high;
};

bool is_same_form(const Poly& a, const Poly& b) { return (a - b).constant().has_value(); }

void join(std::vector<Joined>& windows, const Window& window, const WindowMaker& maker) {
  for (Joined& each : windows) {
    if (each.window.function != window.function || each.window.guard != window.guard) continue;
    if (window.low.empty()) return;
    if (!is_same_form(each.low, maker.low()) || !is_same_form(each.high, maker.high())) continue;
    if (maker.low().constant_term() < each.low.constant_term()) each.low = maker.low();
    if (maker.high().constant_term() > each.high.constant_term()) each.high = maker.high();
    each.maker.widen(each.window, each.low, each.high);
    return;
  }
  windows.push_back({window, maker, maker.low(), maker.high()});
}

}  // namespace

std::vector<Window> windows_of(const Loop& loop, const Accesses& accesses) {
  std::vector<Window> windows;
  for (const clang::VarDecl* array : loop.arrays) {
    std::vector<Joined> joined;
    for (const Access& access : accesses.accesses) {
      if (access.array != array || access.is_covered) continue;
      WindowMaker maker(accesses, access);
      const Window window = maker.make();
      join(joined, window, maker);
    }
    std::vector<Window> own;
    for (const Joined& each : joined) own.push_back(each.window);
    // Any element is all of them.
    const auto takes = [&](const char* name) {
      return std::any_of(own.begin(), own.end(), [&](const Window& each) { return each.function == name; });
    };
    if (takes("hoist_writes_any")) {
      std::erase_if(own, [](const Window& each) { return each.function != "hoist_writes_any"; });
    } else if (takes("hoist_reads_any")) {
      std::erase_if(own, [](const Window& each) {
        return each.function == "hoist_reads" || each.function == "hoist_may_read";
      });
    }
    windows.insert(windows.end(), own.begin(), own.end());
  }
  return windows;
}

// ---- Conflicts ----

namespace {

/// Accesses tried at small sizes: some values of each counter, and who touched what.
class Trial {
 public:
  Trial(const Accesses& accesses, std::size_t shared, unsigned number)
      : accesses_(accesses), shared_(shared) {
    for (const Symbol& each : accesses.symbols) {
      const auto own = static_cast<std::int64_t>(each.own);
      // Symbols are numbered in the order in which they are needed, but for what constants are computed from.
      values_.push_back(each.is_counter ? 0
                        : number == 0   ? 8
                        : number == 1   ? 7 + own % 5
                                        : std::int64_t{4} << (2 * (own % 6)));
    }
  }

  std::optional<Conflict> run() {
    for (std::size_t round = 0; round < 3; ++round) {
      for (const Symbol& each : accesses_.symbols) define(each);
    }
    for (const Access& access : accesses_.accesses) {
      if (access.is_any || access.is_conditional || access.is_protected || has_gaps(access)) continue;
      if (!is_written(access.array)) continue;
      for (std::int64_t first = 0; first < 5; ++first) {
        values_[0] = first;
        iteration_ = {first};
        if (const auto conflict = visit(access, 1)) return conflict;
      }
    }
    return std::nullopt;
  }

 private:
  /// The value of a symbol that is computed from others.
  void define(const Symbol& symbol) {
    const std::int64_t left = symbol.left.evaluated(values_), right = symbol.right.evaluated(values_);
    std::int64_t& value = values_[static_cast<std::size_t>(symbol.own)];
    if (symbol.operation == "=") value = left;
    if (symbol.operation == "/" && right != 0) value = left / right;
    if (symbol.operation == "%" && right != 0) value = left % right;
    if (symbol.operation == "<<" && right >= 0 && right < 16) value = left << right;
    if (symbol.operation == ">>" && right >= 0 && right < 63) value = left >> right;
  }

  struct Touched {
    std::vector<std::int64_t> iteration;
    bool is_written = false, by_several = false;
  };

  bool is_written(const clang::VarDecl* array) const {
    return std::any_of(accesses_.accesses.begin(), accesses_.accesses.end(),
                       [&](const Access& each) { return each.array == array && each.is_write; });
  }

  bool has_gaps(const Access& access) const {
    return std::any_of(access.counters.begin(), access.counters.end(),
                       [&](SymbolId id) { return accesses_.symbols[static_cast<std::size_t>(id)].has_gaps; });
  }

  std::optional<Conflict> visit(const Access& access, std::size_t depth) {
    if (++visited_ > 200'000) return std::nullopt;
    if (depth == access.counters.size()) return touch(access);
    const Symbol& counter = accesses_.symbols[static_cast<std::size_t>(access.counters[depth])];
    const std::int64_t low = counter.low.evaluated(values_), high = counter.high.evaluated(values_);
    for (std::int64_t value = low; value <= high; ++value) {
      if (value - low == 6 && high - value > 3) value = high - 2;
      values_[static_cast<std::size_t>(counter.own)] = value;
      if (depth < shared_) iteration_.push_back(value);
      const auto conflict = visit(access, depth + 1);
      if (depth < shared_) iteration_.pop_back();
      if (conflict) return conflict;
    }
    return std::nullopt;
  }

  std::optional<Conflict> touch(const Access& access) {
    const std::int64_t element = access.element.evaluated(values_);
    const auto [place, is_new] =
        touched_.emplace(std::pair(access.array, element), Touched{iteration_, access.is_write, false});
    Touched& seen = place->second;
    if (is_new) return std::nullopt;
    if (seen.iteration != iteration_) seen.by_several = true;
    if (seen.by_several && (seen.is_written || access.is_write)) return Conflict{access.array, access.where};
    seen.is_written |= access.is_write;
    return std::nullopt;
  }

  const Accesses& accesses_;
  std::size_t shared_;
  std::vector<std::int64_t> values_, iteration_;
  std::map<std::pair<const clang::VarDecl*, std::int64_t>, Touched> touched_;
  std::size_t visited_ = 0;
};

}  // namespace

std::optional<Conflict> find_conflict(const Accesses& accesses, std::size_t shared_loops) {
  std::optional<Conflict> found;
  // Sizes that do not fit each other (rows longer than a matrix is wide) make conflicts that the program has
  // not.
  for (unsigned number = 0; number < 3; ++number) {
    found = Trial(accesses, shared_loops, number).run();
    if (!found) return std::nullopt;
  }
  return found;
}

}  // namespace hoist::openmp
