#include "openmp/nest_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace hoist::openmp {

std::string spelled(NumberType type) {
  switch (type) {
    case NumberType::Bool:
      return "bool";
    case NumberType::I8:
      return "i8";
    case NumberType::I16:
      return "i16";
    case NumberType::I32:
      return "i32";
    case NumberType::I64:
      return "i64";
    case NumberType::U8:
      return "u8";
    case NumberType::U16:
      return "u16";
    case NumberType::U32:
      return "u32";
    case NumberType::U64:
      return "u64";
    case NumberType::F32:
      return "f32";
    case NumberType::F64:
      return "f64";
  }
  return {};
}

std::string real_text(double value, NumberType type) {
  std::string text =
      type == NumberType::F32 ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (text.find_first_of(".einf") == std::string::npos) text += ".0";
  return text;
}

bool is_float(NumberType type) { return type == NumberType::F32 || type == NumberType::F64; }

namespace {

bool is_integer(NumberType type) { return !is_float(type) && type != NumberType::Bool; }

std::optional<std::int64_t> integer_value(Term term) {
  if (term->kind != TermKind::Number || !is_integer(term->type)) return std::nullopt;
  return std::stoll(term->text);
}

bool is_conversion(Term term) {
  return term->kind == TermKind::Operation && term->operands.size() == 1 && term->text == spelled(term->type);
}

}  // namespace

Term Terms::intern(TermNode node, bool is_fresh) {
  const Key key{node.kind,     node.type,       is_fresh ? std::to_string(nodes_.size()) : node.text,
                node.variable, node.operands,   node.storage,
                node.index,    node.recurrence, node.which};
  if (!is_fresh) {
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  }
  node.id = static_cast<int>(nodes_.size());
  nodes_.push_back(std::make_unique<TermNode>(std::move(node)));
  if (!is_fresh) known_[key] = nodes_.back().get();
  return nodes_.back().get();
}

Term Terms::number(const std::string& text, NumberType type) {
  return intern({.kind = TermKind::Number, .type = type, .text = text});
}
Term Terms::integer(std::int64_t value, NumberType type) { return number(std::to_string(value), type); }

Term Terms::given(const clang::VarDecl* variable, const std::string& member, NumberType type) {
  return intern({.kind = TermKind::Given, .type = type, .text = member, .variable = variable});
}
Term Terms::fresh_counter(const std::string& name, Term count, Term from) {
  std::vector<Term> operands{count};
  if (from) operands.push_back(from);
  return intern({.kind = TermKind::Counter, .type = NumberType::I32, .text = name, .operands = operands},
                true);
}
Term Terms::fresh_state(const std::string& name, NumberType type) {
  return intern({.kind = TermKind::State, .type = type, .text = name}, true);
}

Term Terms::operation(const std::string& name, std::vector<Term> operands, NumberType type) {
  if (is_integer(type) && operands.size() == 2) {
    const auto a = integer_value(operands[0]), b = integer_value(operands[1]);
    if (a && b) {
      if (name == "+") return integer(*a + *b, type);
      if (name == "-") return integer(*a - *b, type);
      if (name == "*") return integer(*a * *b, type);
      if (name == "/" && *b > 0 && *a >= 0) return integer(*a / *b, type);
    }
    if (a == 0 && name == "+") return operands[1];
    if (b == 0 && (name == "+" || name == "-")) return operands[0];
    if (a == 1 && name == "*") return operands[1];
    if (b == 1 && (name == "*" || name == "/")) return operands[0];
  }
  return intern({.kind = TermKind::Operation, .type = type, .text = name, .operands = std::move(operands)});
}

Term Terms::converted(Term term, NumberType type) {
  if (term->type == type) return term;
  if (term->type == NumberType::Bool) {
    const std::string one = is_float(type) ? "1.0" : "1", zero = is_float(type) ? "0.0" : "0";
    return choice(term, number(one, type), number(zero, type));
  }
  if (type == NumberType::Bool) {
    return operation("!=", {term, number(is_float(term->type) ? "0.0" : "0", term->type)}, type);
  }
  if (const auto value = integer_value(term)) {
    const bool fits = *value >= 0 && *value < 128;
    if (is_integer(type) && fits) return integer(*value, type);
    if (is_float(type) && *value > -(1 << 24) && *value < (1 << 24))
      return number(std::to_string(*value) + ".0", type);
  }
  if (term->kind == TermKind::Number && is_float(term->type) && is_float(type)) {
    const double value = term->type == NumberType::F32 ? std::strtof(term->text.c_str(), nullptr)
                                                       : std::strtod(term->text.c_str(), nullptr);
    return number(real_text(value, type), type);
  }
  return operation(spelled(type), {term}, type);
}

Term Terms::choice(Term condition, Term yes, Term no) {
  if (yes == no) return yes;
  return intern({.kind = TermKind::Choice, .type = yes->type, .operands = {condition, yes, no}});
}

Term Terms::element(const Storage* storage, std::vector<Poly> index) {
  return intern(
      {.kind = TermKind::Element, .type = storage->type, .storage = storage, .index = std::move(index)});
}

Term Terms::recurrence(const Recurrence& recurrence, std::size_t which) {
  return intern({.kind = TermKind::Recurrence,
                 .type = recurrence.states.at(which)->type,
                 .recurrence = recurrence,
                 .which = which});
}

const Storage* Terms::storage(Storage made) {
  for (const auto& each : storages_) {
    if (each->kind == made.kind && each->variable == made.variable && each->member == made.member &&
        each->of == made.of && each->counters == made.counters && each->value == made.value &&
        each->recurrence == made.recurrence && each->which == made.which && each->name == made.name &&
        made.kind != StorageKind::Entry && made.kind != StorageKind::Bound) {
      return each.get();
    }
  }
  storages_.push_back(std::make_unique<Storage>(std::move(made)));
  return storages_.back().get();
}

Poly Terms::poly(Term term) {
  if (const auto value = integer_value(term)) return Poly(*value);
  if (is_conversion(term) && is_integer(term->type) && is_integer(term->operands[0]->type))
    return poly(term->operands[0]);
  if (term->kind == TermKind::Operation && is_integer(term->type)) {
    if (term->operands.size() == 1 && term->text == "-") return Poly(0) - poly(term->operands[0]);
    if (term->operands.size() == 2) {
      if (term->text == "+") return poly(term->operands[0]) + poly(term->operands[1]);
      if (term->text == "-") return poly(term->operands[0]) - poly(term->operands[1]);
      if (term->text == "*") return poly(term->operands[0]) * poly(term->operands[1]);
    }
  }
  return Poly::symbol(term->id);
}

Term Terms::term(const Poly& poly) {
  Term sum = nullptr;
  const auto add = [&](Term each, bool is_negative) {
    if (!sum && is_negative)
      sum = operation("-", {each}, NumberType::I32);
    else if (!sum)
      sum = each;
    else
      sum = operation(is_negative ? "-" : "+", {sum, each}, NumberType::I32);
  };
  // What is positive first, numbers last.
  std::vector<std::pair<Poly::Monomial, std::int64_t>> ordered(poly.terms().begin(), poly.terms().end());
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.empty(), a.second < 0) < std::pair(b.first.empty(), b.second < 0);
  });
  for (const auto& [monomial, coefficient] : ordered) {
    const std::int64_t size = coefficient < 0 ? -coefficient : coefficient;
    Term product = monomial.empty() || size != 1 ? integer(size) : nullptr;
    for (const SymbolId id : monomial) {
      const Term factor = converted(by_id(id), NumberType::I32);
      product = product ? operation("*", {product, factor}, NumberType::I32) : factor;
    }
    add(product, coefficient < 0);
  }
  return sum ? sum : integer(0);
}

Term Terms::rebuilt(Term term, const std::function<Term(Term)>& change, std::map<Term, Term>& done) {
  const Term result = remade(term, change, done);
  if (const auto named = names_.find(term); result != term && named != names_.end())
    names_.emplace(result, named->second);
  return result;
}

Term Terms::remade(Term term, const std::function<Term(Term)>& change, std::map<Term, Term>& done) {
  if (const auto found = done.find(term); found != done.end()) return found->second;
  if (Term other = change(term)) return done[term] = other;
  const auto again = [&](Term each) { return rebuilt(each, change, done); };
  const auto polys = [&](const Poly& each) {
    Poly result = each;
    std::set<SymbolId> symbols;
    for (const auto& [monomial, coefficient] : each.terms()) symbols.insert(monomial.begin(), monomial.end());
    std::vector<std::pair<SymbolId, Poly>> changed;
    for (const SymbolId id : symbols) {
      const Term now = again(by_id(id));
      if (now != by_id(id)) changed.emplace_back(id, poly(now));
    }
    // At once, since what replaces one symbol may have another in it.
    Poly sum;
    for (const auto& [monomial, coefficient] : each.terms()) {
      Poly product(coefficient);
      for (const SymbolId id : monomial) {
        const auto found =
            std::find_if(changed.begin(), changed.end(), [id](const auto& one) { return one.first == id; });
        product = product * (found == changed.end() ? Poly::symbol(id) : found->second);
      }
      sum = sum + product;
    }
    return changed.empty() ? result : sum;
  };
  const auto recurrences = [&](const Recurrence& each) {
    Recurrence made = each;
    for (Term& one : made.initial) one = again(one);
    const Term count = again(each.counter->operands[0]);
    if (count == each.counter->operands[0]) {
      for (Term& one : made.next) one = again(one);
      return made;
    }
    // A loop with another number of rounds is another loop.
    const std::vector<Term>& parts = each.counter->operands;
    made.counter = fresh_counter(each.counter->text, count, parts.size() > 1 ? again(parts[1]) : nullptr);
    done[each.counter] = made.counter;
    for (Term& one : made.next) one = again(one);
    return made;
  };
  Term result = term;
  switch (term->kind) {
    case TermKind::Number:
    case TermKind::Given:
    case TermKind::State:
    case TermKind::Counter:
      break;
    case TermKind::Operation:
    case TermKind::Choice: {
      std::vector<Term> operands;
      for (const Term each : term->operands) operands.push_back(again(each));
      if (operands != term->operands) {
        result = term->kind == TermKind::Choice ? choice(operands[0], operands[1], operands[2])
                                                : operation(term->text, operands, term->type);
      }
      break;
    }
    case TermKind::Element: {
      const Storage* storage_now = term->storage;
      if (storage_now->kind == StorageKind::Built) {
        Storage made = *storage_now;
        bool is_other = false;
        for (Term& counter : made.counters) {
          const Term count = again(counter->operands[0]);
          if (count == counter->operands[0]) continue;
          done[counter] = fresh_counter(counter->text, count);
          counter = done[counter];
          is_other = true;
        }
        made.value = again(made.value);
        if (is_other || made.value != storage_now->value) storage_now = storage(std::move(made));
      } else if (storage_now->kind == StorageKind::Scanned) {
        Storage made = *storage_now;
        made.recurrence = recurrences(made.recurrence);
        if (made.recurrence != storage_now->recurrence) storage_now = storage(std::move(made));
      }
      std::vector<Poly> index;
      for (const Poly& each : term->index) index.push_back(polys(each));
      result = element(storage_now, std::move(index));
      break;
    }
    case TermKind::Recurrence:
      result = recurrence(recurrences(term->recurrence), term->which);
      break;
  }
  return done[term] = result;
}

Term Terms::replaced(Term term, const Replacements& by) {
  std::map<Term, Term> done;
  return rebuilt(
      term,
      [&](Term each) -> Term {
        const auto found = by.find(each);
        return found == by.end() ? nullptr : found->second;
      },
      done);
}

Poly Terms::replaced(const Poly& given, const Replacements& by) {
  Poly sum;
  for (const auto& [monomial, coefficient] : given.terms()) {
    Poly product(coefficient);
    for (const SymbolId id : monomial) product = product * poly(replaced(by_id(id), by));
    sum = sum + product;
  }
  return sum;
}

Term Terms::with_elements(Term term, const std::function<Term(Term)>& by) {
  std::map<Term, Term> done;
  return rebuilt(
      term, [&](Term each) -> Term { return each->kind == TermKind::Element ? by(each) : nullptr; }, done);
}

void Terms::visit(Term term, const std::function<void(Term)>& seen, std::set<Term>& done) const {
  if (!done.insert(term).second) return;
  seen(term);
  for (const Term each : term->operands) visit(each, seen, done);
  const auto recurrence = [&](const Recurrence& each) {
    if (!each.counter) return;
    visit(each.counter->operands[0], seen, done);
    for (const Term one : each.initial) visit(one, seen, done);
    for (const Term one : each.next) visit(one, seen, done);
  };
  recurrence(term->recurrence);
  for (const Poly& each : term->index) {
    for (const auto& [monomial, coefficient] : each.terms()) {
      for (const SymbolId id : monomial) visit(by_id(id), seen, done);
    }
  }
  if (!term->storage) return;
  for (const Term each : term->storage->counters) visit(each->operands[0], seen, done);
  if (term->storage->value) visit(term->storage->value, seen, done);
  recurrence(term->storage->recurrence);
}

void Terms::visit(Term term, const std::function<void(Term)>& seen) const {
  std::set<Term> done;
  visit(term, seen, done);
}

void Terms::visit(const Poly& poly, const std::function<void(Term)>& seen) const {
  std::set<Term> done;
  for (const auto& [monomial, coefficient] : poly.terms()) {
    for (const SymbolId id : monomial) visit(by_id(id), seen, done);
  }
}

bool Terms::mentions(Term term, const std::set<Term>& any) const {
  bool found = false;
  visit(term, [&](Term each) { found = found || any.count(each) > 0; });
  return found;
}

bool Terms::mentions(const Poly& poly, const std::set<Term>& any) const {
  bool found = false;
  visit(poly, [&](Term each) { found = found || any.count(each) > 0; });
  return found;
}

namespace {

/// Of a sum with the state among its terms, the sum of the others.
std::optional<Gathered> gathered_sum(Term state, Term next, Terms& terms) {
  std::vector<std::pair<Term, bool>> addends;
  for (Term rest = next; rest != state;) {
    if (rest->kind != TermKind::Operation || rest->operands.size() != 2 || (rest->text != "+" && rest->text != "-"))
      return std::nullopt;
    if (rest->operands[1] == state && rest->text == "+") {
      addends.emplace_back(rest->operands[0], false);
      break;
    }
    addends.emplace_back(rest->operands[1], rest->text == "-");
    rest = rest->operands[0];
  }
  Term value = nullptr;
  for (std::size_t i = addends.size(); i-- > 0;) {
    const auto& [each, is_negative] = addends[i];
    if (value) {
      value = terms.operation(is_negative ? "-" : "+", {value, each}, next->type);
    } else {
      value = is_negative ? terms.operation("-", {each}, next->type) : each;
    }
  }
  return Gathered{"+", value};
}

void conjuncts(Term condition, std::vector<Term>& all) {
  if (condition->kind == TermKind::Operation && condition->text == "&&") {
    for (const Term each : condition->operands) conjuncts(each, all);
  } else {
    all.push_back(condition);
  }
}

/// Of `if (e > state && ...) state = e`.
std::optional<Gathered> gathered_extreme(Term state, Term next, Terms& terms) {
  if (!is_float(next->type) || next->operands[2] != state) return std::nullopt;
  const Term value = next->operands[1];
  std::vector<Term> conditions;
  conjuncts(next->operands[0], conditions);
  std::string operation;
  Term others = nullptr;
  for (const Term each : conditions) {
    const bool compares = each->kind == TermKind::Operation && each->operands.size() == 2 &&
                          (each->text[0] == '<' || each->text[0] == '>');
    const bool is_left = compares && each->operands[0] == value && each->operands[1] == state;
    const bool is_right = compares && each->operands[1] == value && each->operands[0] == state;
    if (operation.empty() && (is_left || is_right)) {
      operation = (each->text[0] == '>') == is_left ? "max" : "min";
    } else {
      others = others ? terms.operation("&&", {others, each}, NumberType::Bool) : each;
    }
  }
  if (operation.empty()) return std::nullopt;
  if (!others) return Gathered{operation, value};
  return Gathered{operation, terms.choice(others, value, neutral(operation, next->type, terms))};
}

}  // namespace

Term neutral(const std::string& operation, NumberType type, Terms& terms) {
  const bool is_real = is_float(type);
  if (operation == "+") return terms.number(is_real ? "0.0" : "0", type);
  if (operation == "*") return terms.number(is_real ? "1.0" : "1", type);
  if (is_real && operation == "min") return terms.number("inf", type);
  if (is_real && operation == "max") return terms.number("-inf", type);
  return nullptr;
}

std::optional<Gathered> gathered(const Recurrence& loop, Terms& terms) {
  if (loop.states.size() != 1) return std::nullopt;
  const Term state = loop.states[0], next = loop.next[0];
  std::optional<Gathered> found;
  if (next->kind == TermKind::Choice) {
    found = gathered_extreme(state, next, terms);
  } else if (next->kind == TermKind::Operation && next->operands.size() == 2) {
    static const std::set<std::string> others = {"*", "min", "max", "&", "|", "^"};
    if (next->text == "+" || next->text == "-") {
      found = gathered_sum(state, next, terms);
    } else if (others.count(next->text) && (next->operands[0] == state || next->operands[1] == state)) {
      found = Gathered{next->text, next->operands[next->operands[0] == state ? 1 : 0]};
    }
  }
  if (!found || terms.mentions(found->value, {state})) return std::nullopt;
  return found;
}

}  // namespace hoist::openmp
