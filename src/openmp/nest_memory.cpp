// The memory of a loop nest that is read (nest_reader.hpp): which write a read gets its value from.
#include <algorithm>

#include "openmp/nest_reader.hpp"

namespace hoist::openmp {

using namespace clang;

std::optional<Poly> exact_quotient(Poly p, const Poly& q) {
  // By leading terms, those of the most factors first.
  const auto leading = [](const Poly& poly) {
    return *std::max_element(poly.terms().begin(), poly.terms().end(), [](const auto& a, const auto& b) {
      return std::pair(a.first.size(), a.first) < std::pair(b.first.size(), b.first);
    });
  };
  if (q.terms().empty()) return std::nullopt;
  const auto [divisor, number] = leading(q);
  Poly result;
  while (!p.terms().empty()) {
    const auto [monomial, coefficient] = leading(p);
    if (coefficient % number != 0 ||
        !std::includes(monomial.begin(), monomial.end(), divisor.begin(), divisor.end()))
      return std::nullopt;
    Poly::Monomial left;
    std::set_difference(monomial.begin(), monomial.end(), divisor.begin(), divisor.end(),
                        std::back_inserter(left));
    Poly term(coefficient / number);
    for (const SymbolId id : left) term = term * Poly::symbol(id);
    result = result + term;
    p = p - term * q;
  }
  return result;
}

Poly quotient(const Poly& given, const Poly& unit, const std::function<bool(SymbolId)>& is_counter) {
  // By what counters each term has; what is left is divided.
  std::map<Poly::Monomial, Poly> groups;
  for (const auto& [monomial, coefficient] : given.terms()) {
    Poly::Monomial counters, rest;
    for (const SymbolId id : monomial) (is_counter(id) ? counters : rest).push_back(id);
    Poly term(coefficient);
    for (const SymbolId id : rest) term = term * Poly::symbol(id);
    groups[counters] = groups[counters] + term;
  }
  Poly result;
  for (const auto& [counters, part] : groups) {
    Poly factor(1);
    for (const SymbolId id : counters) factor = factor * Poly::symbol(id);
    Poly found;
    if (unit.terms().size() == 1) {
      const auto& [symbols, coefficient] = *unit.terms().begin();
      for (const auto& [monomial, number] : part.terms()) {
        if (number % coefficient != 0 ||
            !std::includes(monomial.begin(), monomial.end(), symbols.begin(), symbols.end()))
          continue;
        Poly::Monomial left;
        std::set_difference(monomial.begin(), monomial.end(), symbols.begin(), symbols.end(),
                            std::back_inserter(left));
        Poly term(number / coefficient);
        for (const SymbolId id : left) term = term * Poly::symbol(id);
        found = found + term;
      }
    } else if (const auto exact = exact_quotient(part, unit)) {
      found = *exact;
    }
    result = result + found * factor;
  }
  return result;
}

std::optional<Terms::Replacements> solved(const Poly& at, const std::vector<Term>& counters,
                                          const Poly& place, Terms& terms, Samples& samples) {
  Poly rest = place;
  {
    Poly base = at;
    for (const Term counter : counters) base = base.substituted(counter->id, Poly(0));
    rest = rest - base;
  }
  std::vector<std::pair<Term, Poly>> units;
  for (const Term counter : counters) {
    const auto unit = at.coefficient(counter->id);
    if (!unit || unit->terms().empty()) return std::nullopt;
    if (std::any_of(counters.begin(), counters.end(), [&](Term each) { return unit->uses(each->id); }))
      return std::nullopt;
    units.emplace_back(counter, *unit);
  }
  const auto size = [&](const Poly& unit) { return std::abs(samples.evaluated(unit, {}, 0).value_or(0)); };
  std::stable_sort(units.begin(), units.end(),
                   [&](const auto& a, const auto& b) { return size(a.second) > size(b.second); });
  Terms::Replacements found;
  for (const auto& [counter, unit] : units) {
    const Poly value =
        quotient(rest, unit, [&](SymbolId id) { return terms.by_id(id)->kind == TermKind::Counter; });
    rest = rest - unit * value;
    found[counter] = terms.term(value);
  }
  if (!rest.terms().empty()) return std::nullopt;
  return found;
}

// ---- Memory ----

std::vector<Term> NestReader::in_scope(const std::vector<Term>& further) const {
  std::set<Term> all(counters_.begin(), counters_.end());
  const std::function<void(Term)> add = [&](Term each) {
    if (each->kind == TermKind::Counter) all.insert(each);
  };
  for (const Term each : further) terms_.visit(each, add);
  std::vector<Term> ordered(all.begin(), all.end());
  // Loops that are around others were entered before them.
  std::sort(ordered.begin(), ordered.end(), [](Term a, Term b) { return a->id < b->id; });
  return ordered;
}

bool NestReader::never_equal(const Poly& a, const Poly& b, const std::vector<Term>& further) {
  const Poly difference = a - b;
  if (const auto constant = difference.constant()) return *constant != 0;
  std::vector<Term> used = further;
  terms_.visit(difference, [&](Term each) { used.push_back(each); });
  return samples_.always(in_scope(used),
                         [&](const Samples::Values& values, int trial) -> std::optional<bool> {
                           const auto value = samples_.evaluated(difference, values, trial);
                           if (!value) return std::nullopt;
                           return *value != 0;
                         });
}

Term NestReader::read(State& state, const Storage* storage, const Poly& at, SourceLocation where) {
  return read_before(state, state.memory.size(), storage, at, where);
}

Term NestReader::read_before(State& state, std::size_t writes, const Storage* storage, const Poly& at,
                             SourceLocation where) {
  const auto alias = [&]() {
    refuse(where, "it reads an element of '" + storage->variable->getNameAsString() +
                      "' that it may have written before, or not, as the counters have it");
  };
  for (std::size_t i = writes; i-- > 0;) {
    const Write& each = state.memory[i];
    if (each.storage->variable != storage->variable) continue;
    if (each.storage != storage) {
      // Another member of the same structures is other memory.
      if (each.storage->member != storage->member) continue;
      alias();
    }
    if (each.counters.empty()) {
      if (each.at == at) return each.value;
      if (never_equal(each.at, at, {})) continue;
      alias();
    }
    const auto values = solved(each.at, each.counters, at, terms_, samples_);
    if (!values) {
      std::vector<Term> own(each.counters.begin(), each.counters.end());
      if (never_equal(each.at, at, own)) continue;
      alias();
    }
    Term inside = nullptr;
    std::vector<Term> used;
    terms_.visit(at, [&](Term one) { used.push_back(one); });
    bool is_inside = true, is_outside = false;
    for (const Term counter : each.counters) {
      const Poly value = terms_.poly(values->at(counter));
      const Term count = terms_.replaced(counter->operands[0], *values);
      const auto holds = [&](bool wanted) {
        return samples_.always(in_scope(used),
                               [&](const Samples::Values& now, int trial) -> std::optional<bool> {
                                 const auto number = samples_.evaluated(value, now, trial),
                                            end = samples_.evaluated(count, now, trial);
                                 if (!number || !end) return std::nullopt;
                                 return (*number >= 0 && *number < *end) == wanted;
                               });
      };
      if (holds(true)) continue;
      is_inside = false;
      is_outside = is_outside || holds(false);
      const Term low = terms_.operation(">=", {terms_.term(value), terms_.integer(0)}, NumberType::Bool),
                 high = terms_.operation("<", {terms_.term(value), count}, NumberType::Bool);
      Term both = terms_.operation("&&", {low, high}, NumberType::Bool);
      inside = inside ? terms_.operation("&&", {inside, both}, NumberType::Bool) : both;
    }
    if (is_outside) continue;
    // What takes a loop to compute is kept as an array, unless it is for this place alone.
    bool is_costly = false;
    terms_.visit(each.value, [&](Term one) { is_costly = is_costly || one->kind == TermKind::Recurrence; });
    Term value = nullptr;
    if (is_costly) {
      Storage built{
          .kind = StorageKind::Built, .type = storage->type, .counters = each.counters, .value = each.value};
      std::vector<Poly> index;
      for (const Term counter : each.counters) {
        built.lengths.push_back(terms_.poly(counter->operands[0]));
        index.push_back(terms_.poly(values->at(counter)));
      }
      built.name = storage->variable->getNameAsString();
      value = terms_.element(terms_.storage(built), index);
    } else {
      value = terms_.replaced(each.value, *values);
    }
    if (is_inside) return value;
    return terms_.choice(inside, value, read_before(state, i, storage, at, where));
  }
  if (state.entry == 0) {
    if (storage->kind == StorageKind::Own)
      refuse(where, "it reads '" + storage->variable->getNameAsString() + "' before it has written it");
    return terms_.element(storage, {at});
  }
  const Storage*& entry = entries_[{state.entry, storage}];
  if (!entry) {
    entry = terms_.storage(
        {.kind = StorageKind::Entry, .type = storage->type, .variable = storage->variable, .of = storage});
  }
  return terms_.element(entry, {at});
}

void NestReader::write(State& state, Write made) {
  std::erase_if(state.memory, [&](const Write& each) {
    if (each.storage != made.storage || each.counters.size() != made.counters.size()) return false;
    Terms::Replacements renamed;
    for (std::size_t i = 0; i < made.counters.size(); ++i) {
      if (each.counters[i]->operands[0] != made.counters[i]->operands[0]) return false;
      renamed[each.counters[i]] = made.counters[i];
    }
    return terms_.replaced(each.at, renamed) == made.at;
  });
  state.memory.push_back(std::move(made));
}

}  // namespace hoist::openmp
