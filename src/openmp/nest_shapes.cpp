#include "openmp/nest_shapes.hpp"

#include <algorithm>

namespace hoist::openmp {

using namespace clang;

namespace {

std::optional<Poly> extreme(const Poly& poly, bool is_greatest, Terms& terms, Samples& samples,
                            const std::set<Term>& fixed) {
  Poly result = poly;
  while (true) {
    // The innermost counter first, for its count may use the outer ones.
    Term innermost = nullptr;
    for (const auto& [monomial, coefficient] : result.terms()) {
      for (const SymbolId id : monomial) {
        const Term each = terms.by_id(id);
        if (fixed.count(each)) continue;
        if (each->kind == TermKind::Counter) {
          if (!innermost || each->id > innermost->id) innermost = each;
        } else if (!is_invariant(each, terms)) {
          return std::nullopt;
        }
      }
    }
    if (!innermost) return result;
    const auto unit = result.coefficient(innermost->id);
    if (!unit) return std::nullopt;
    std::vector<Term> others;
    terms.visit(*unit, [&](Term each) {
      if (each->kind == TermKind::Counter) others.push_back(each);
    });
    std::sort(others.begin(), others.end(), [](Term a, Term b) { return a->id < b->id; });
    const bool rises = samples.always_at_least(*unit, 0, others);
    if (!rises && !samples.always_at_least(Poly(0) - *unit, 0, others)) return std::nullopt;
    const Poly last = terms.poly(innermost->operands[0]) - Poly(1);
    result = result.substituted(innermost->id, rises == is_greatest ? last : Poly(0));
  }
}

}  // namespace

bool is_invariant(Term term, const Terms& terms) {
  bool is = true;
  terms.visit(term, [&](Term each) {
    is = is && (each->kind == TermKind::Number || each->kind == TermKind::Given ||
                each->kind == TermKind::Operation || each->kind == TermKind::Choice);
  });
  return is;
}

std::optional<Poly> greatest(const Poly& poly, Terms& terms, Samples& samples, const std::set<Term>& fixed) {
  return extreme(poly, true, terms, samples, fixed);
}
std::optional<Poly> least(const Poly& poly, Terms& terms, Samples& samples, const std::set<Term>& fixed) {
  return extreme(poly, false, terms, samples, fixed);
}

namespace {

/// An element that is read, and the comparisons under which it is.
struct Use {
  Term element;
  std::vector<Term> conditions;
};

class Shaper {
 public:
  Shaper(const Nest& nest, Terms& terms, Samples& samples) : nest_(nest), terms_(terms), samples_(samples) {}

  Shapes run() {
    for (const NestResult& each : nest_.results) found_.results.push_back(with_plain_counts(each));
    for (const NestResult& each : found_.results) walk(each.value, {});
    std::map<const Storage*, std::vector<Use>> by_storage;
    std::map<const VarDecl*, std::vector<Poly>> indices;
    for (const Use& each : uses_) {
      const Storage* storage = each.element->storage;
      if (!by_storage.count(storage)) order_.push_back(storage);
      by_storage[storage].push_back(each);
      indices[storage->variable].push_back(each.element->index[0]);
    }
    for (const NestResult& each : found_.results) {
      if (each.storage) indices[each.storage->variable].push_back(each.at);
    }
    for (const Storage* storage : order_) strides_[storage] = strides(storage, indices[storage->variable]);
    std::map<const Storage*, const Storage*> shaped;
    for (const Storage* storage : order_) {
      Storage made = *storage;
      made.lengths = lengths(storage, by_storage[storage]);
      // An array with lengths is another one to the factory only by its name.
      made.name = storage->member.empty() ? storage->variable->getNameAsString()
                                          : storage->variable->getNameAsString() + "_" + storage->member;
      std::replace(made.name.begin(), made.name.end(), '.', '_');
      shaped[storage] = terms_.storage(made);
      found_.arrays.push_back(shaped[storage]);
    }
    for (NestResult& each : found_.results) {
      each.value = with_indices(each.value, shaped);
    }
    return std::move(found_);
  }

 private:
  /// A counter whose count uses others counts as far as it ever does; where it would not, the element stays.
  NestResult with_plain_counts(NestResult result) {
    if (!result.storage) return result;
    std::vector<Term> ordered = result.counters;
    std::sort(ordered.begin(), ordered.end(), [](Term a, Term b) { return a->id < b->id; });
    Term inside = nullptr;
    for (const Term counter : ordered) {
      const Term count = counter->operands[0];
      if (is_invariant(count, terms_)) continue;
      // Where the loop begins at a value of its own, what it counts is the C loop's variable.
      Poly from, to = terms_.poly(count);
      const bool has_start = counter->operands.size() > 1;
      if (has_start) {
        const Poly start = terms_.poly(counter->operands[1]);
        const auto low = least(start, terms_, samples_), high = greatest(start + to, terms_, samples_);
        if (low && high && samples_.always_at_least(*low, 0)) {
          from = start;
          to = start + to;
        }
      }
      const auto most = greatest(to, terms_, samples_);
      if (!most) {
        throw Untranslatable{result.storage->variable->getLocation(),
                             "how many elements of '" + result.storage->variable->getNameAsString() +
                                 "' it writes is not known before the loop"};
      }
      const Term plain = terms_.fresh_counter(counter->text, terms_.term(*most));
      const Poly now = Poly::symbol(plain->id) - from;
      const Terms::Replacements by{{counter, terms_.term(now)}};
      Term here = terms_.operation("<", {plain, terms_.term(to)}, NumberType::Bool);
      if (!(from == Poly(0))) {
        const Term begun = terms_.operation(">=", {plain, terms_.term(from)}, NumberType::Bool);
        here = terms_.operation("&&", {begun, here}, NumberType::Bool);
        // Where it always ends at the last one, only the beginning is asked for.
        if (to == *most) here = begun;
      }
      inside = inside ? terms_.operation("&&", {inside, here}, NumberType::Bool) : here;
      inside = terms_.replaced(inside, by);
      result.at = terms_.replaced(result.at, by);
      result.value = terms_.replaced(result.value, by);
      std::replace(result.counters.begin(), result.counters.end(), counter, plain);
    }
    if (inside) {
      const auto writes =
          std::count_if(nest_.results.begin(), nest_.results.end(), [&](const NestResult& each) {
            return each.storage && each.storage->variable == result.storage->variable;
          });
      if (writes > 1) {
        throw Untranslatable{result.storage->variable->getLocation(),
                             "several statements write parts of '" +
                                 result.storage->variable->getNameAsString() +
                                 "' whose rows have different lengths"};
      }
      const Term kept = terms_.element(result.storage, {result.at});
      result.value = terms_.choice(inside, terms_.converted(result.value, kept->type), kept);
    }
    return result;
  }

  static std::string negated(const std::string& comparison) {
    if (comparison == "<") return ">=";
    if (comparison == "<=") return ">";
    if (comparison == ">") return "<=";
    return comparison == ">=" ? "<" : "";
  }

  void conditions_of(Term condition, std::vector<Term>& all) {
    if (condition->kind == TermKind::Operation && condition->text == "&&") {
      for (const Term each : condition->operands) conditions_of(each, all);
    } else {
      all.push_back(condition);
    }
  }

  void walk(const Poly& poly, const std::vector<Term>& conditions) {
    for (const auto& [monomial, coefficient] : poly.terms()) {
      for (const SymbolId id : monomial) walk(terms_.by_id(id), conditions);
    }
  }

  void walk(Term term, const std::vector<Term>& conditions) {
    if (!walked_.insert({term, conditions}).second) return;
    const auto recurrence = [&](const Recurrence& each) {
      if (!each.counter) return;
      walk(each.counter->operands[0], conditions);
      for (const Term one : each.initial) walk(one, conditions);
      for (const Term one : each.next) walk(one, conditions);
    };
    if (term->kind == TermKind::Choice) {
      walk(term->operands[0], conditions);
      std::vector<Term> yes = conditions, no = conditions;
      conditions_of(term->operands[0], yes);
      const Term asked = term->operands[0];
      if (asked->kind == TermKind::Operation && !negated(asked->text).empty())
        no.push_back(terms_.operation(negated(asked->text), asked->operands, NumberType::Bool));
      walk(term->operands[1], yes);
      walk(term->operands[2], no);
      return;
    }
    if (term->kind == TermKind::Element && term->storage->kind == StorageKind::Given)
      uses_.push_back({term, conditions});
    for (const Term each : term->operands) walk(each, conditions);
    for (const Poly& each : term->index) walk(each, conditions);
    recurrence(term->recurrence);
    if (!term->storage) return;
    for (const Term each : term->storage->counters) walk(each->operands[0], conditions);
    if (term->storage->value) walk(term->storage->value, conditions);
    recurrence(term->storage->recurrence);
  }

  bool moves(SymbolId id) const { return !is_invariant(terms_.by_id(id), terms_); }

  /// How far apart in memory the elements of each dimension but the last are, the outermost first.
  std::vector<Poly> strides(const Storage* storage, const std::vector<Poly>& indices) {
    std::vector<Poly> found;
    if (const auto declared = nest_.lengths.find(storage->variable);
        declared != nest_.lengths.end() && !declared->second.empty()) {
      Poly product(1);
      for (std::size_t i = declared->second.size(); i-- > 0;) {
        product = product * declared->second[i];
        found.insert(found.begin(), product);
      }
      return found;
    }
    // Flat memory: what counters are multiplied with.
    for (const Poly& index : indices) {
      for (const auto& [monomial, coefficient] : index.terms()) {
        for (const SymbolId id : monomial) {
          if (!moves(id)) continue;
          const auto unit = index.coefficient(id);
          if (!unit || unit->constant()) continue;
          bool is_plain = true;
          for (const auto& [symbols, number] : unit->terms()) {
            for (const SymbolId symbol : symbols) is_plain = is_plain && !moves(symbol);
          }
          if (is_plain && std::find(found.begin(), found.end(), *unit) == found.end()) found.push_back(*unit);
        }
      }
    }
    // The diagonal of a matrix is no row of another one: n + 1 beside n, or n + m beside both.
    std::erase_if(found, [&](const Poly& each) {
      return std::any_of(found.begin(), found.end(), [&](const Poly& other) {
        const Poly rest = each - other;
        return !(other == each) && each.terms().size() > other.terms().size() &&
               (rest.constant() || std::find(found.begin(), found.end(), rest) != found.end());
      });
    });
    const auto size = [&](const Poly& each) { return samples_.evaluated(each, {}, 0).value_or(0); };
    std::stable_sort(found.begin(), found.end(),
                     [&](const Poly& a, const Poly& b) { return size(a) > size(b); });
    std::vector<Poly> chain;
    for (const Poly& each : found) {
      const bool is_divisor = chain.empty() || exact_quotient(chain.back(), each).has_value();
      if (is_divisor && samples_.always_at_least(each, 1)) chain.push_back(each);
    }
    return chain;
  }

  bool always_below(const Poly& a, const Poly& b) {
    std::vector<Term> counters;
    terms_.visit(b - a, [&](Term each) {
      if (each->kind == TermKind::Counter) counters.push_back(each);
    });
    std::sort(counters.begin(), counters.end(), [](Term x, Term y) { return x->id < y->id; });
    return samples_.always_at_least(b - a, 1, counters);
  }

  std::vector<Poly> index_of(const Storage* storage, const Poly& flat) {
    std::vector<Poly> index;
    Poly rest = flat;
    for (const Poly& stride : strides_.at(storage)) {
      Poly part = quotient(rest, stride, [&](SymbolId id) { return moves(id); });
      rest = rest - part * stride;
      // What is left is in the row: `n * i + (n - 1 - j)` begins one row later otherwise.
      if (always_below(rest, Poly(0))) {
        part = part - Poly(1);
        rest = rest + stride;
      } else if (always_below(stride - Poly(1), rest)) {
        part = part + Poly(1);
        rest = rest - stride;
      }
      index.push_back(part);
    }
    index.push_back(rest);
    return index;
  }

  /// One more than the greatest index that the conditions leave.
  std::optional<Poly> length_for(const Poly& index, const std::vector<Term>& conditions) {
    for (const Term each : conditions) {
      if (each->kind != TermKind::Operation || each->operands.size() != 2) continue;
      const Poly left = terms_.poly(each->operands[0]), right = terms_.poly(each->operands[1]);
      std::optional<Poly> bound;
      // index + shift < right
      const auto shift = [&](const Poly& side) { return (side - index).constant(); };
      if (const auto by = shift(left); by && (each->text == "<" || each->text == "<="))
        bound = right - Poly(*by) + Poly(each->text == "<=");
      if (const auto by = shift(right); by && (each->text == ">" || each->text == ">="))
        bound = left - Poly(*by) + Poly(each->text == ">=");
      if (!bound) continue;
      if (const auto most = greatest(*bound, terms_, samples_)) return most;
    }
    if (const auto most = greatest(index, terms_, samples_)) return *most + Poly(1);
    return std::nullopt;
  }

  /// Makes the samples' values of an unknown length large enough for the index.
  void fit(const std::string& name, const Poly& index) {
    std::vector<Term> counters;
    terms_.visit(index, [&](Term each) {
      if (each->kind == TermKind::Counter) counters.push_back(each);
    });
    std::sort(counters.begin(), counters.end(), [](Term a, Term b) { return a->id < b->id; });
    samples_.always(counters, [&](const Samples::Values& values, int trial) -> std::optional<bool> {
      const auto at = samples_.evaluated(index, values, trial);
      if (at) samples_.at_least(name, trial, *at + 1);
      return true;
    });
  }

  std::vector<Poly> lengths(const Storage* storage, const std::vector<Use>& uses) {
    std::optional<Poly> outermost;
    bool is_known = true;
    for (const Use& each : uses) {
      const auto length = length_for(index_of(storage, each.element->index[0])[0], each.conditions);
      if (!length) {
        is_known = false;
        continue;
      }
      if (!outermost || samples_.always_at_least(*length - *outermost, 0)) {
        outermost = length;
      } else if (!samples_.always_at_least(*outermost - *length, 0)) {
        const Term both =
            terms_.operation("max", {terms_.term(*outermost), terms_.term(*length)}, NumberType::I32);
        outermost = Poly::symbol(both->id);
      }
    }
    const std::string name = storage->variable->getNameAsString();
    if (const auto* array =
            llvm::dyn_cast<ConstantArrayType>(storage->variable->getType().getCanonicalType().getTypePtr())) {
      outermost = Poly(static_cast<std::int64_t>(array->getSize().getZExtValue()));
    } else if (!is_known) {
      // How long the array is may be anything that its indices fit.
      Term& size = found_.unknown[name];
      if (!size) size = terms_.given(nullptr, name, NumberType::I32);
      outermost = Poly::symbol(size->id);
      for (const Use& each : uses) fit(name, index_of(storage, each.element->index[0])[0]);
    }
    std::vector<Poly> result{*outermost};
    const std::vector<Poly>& apart = strides_.at(storage);
    for (std::size_t i = 0; i < apart.size(); ++i) {
      const auto length = i + 1 < apart.size() ? exact_quotient(apart[i], apart[i + 1]) : apart[i];
      if (!length)
        throw Untranslatable{storage->variable->getLocation(),
                             "the rows of '" + name + "' have no common length"};
      result.push_back(*length);
    }
    return result;
  }

  Term with_indices(Term term, const std::map<const Storage*, const Storage*>& shaped) {
    return terms_.with_elements(term, [&](Term each) -> Term {
      const auto found = shaped.find(each->storage);
      if (found == shaped.end()) return nullptr;
      std::vector<Poly> index;
      for (const Poly& one : index_of(each->storage, each->index[0])) {
        Poly inner;
        for (const auto& [monomial, coefficient] : one.terms()) {
          Poly product(coefficient);
          for (const SymbolId id : monomial) {
            const Term atom = terms_.by_id(id);
            product = product * (is_invariant(atom, terms_) || atom->kind == TermKind::Counter
                                     ? Poly::symbol(id)
                                     : terms_.poly(with_indices(atom, shaped)));
          }
          inner = inner + product;
        }
        index.push_back(inner);
      }
      return terms_.element(found->second, index);
    });
  }

  const Nest& nest_;
  Terms& terms_;
  Samples& samples_;
  Shapes found_;
  std::vector<Use> uses_;
  std::vector<const Storage*> order_;
  std::map<const Storage*, std::vector<Poly>> strides_;
  std::set<std::pair<Term, std::vector<Term>>> walked_;
};

}  // namespace

Shapes find_shapes(const Nest& nest, Terms& terms, Samples& samples) {
  return Shaper(nest, terms, samples).run();
}

}  // namespace hoist::openmp
