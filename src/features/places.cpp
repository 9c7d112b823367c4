// Index expressions as forms, constant + sum of coefficient * symbol, from which features are computed. For
// x[4 * i + j % 8 + 3], with i and j counters of loops:
//
//   3 + 4 * i + 1 * s      where the symbol s is the remainder of the form j by 8
//
// Sums and multiples so become linear in counters; what is not linear (a quotient, a remainder, a product of
// counters, a choice) is a symbol of its own, with forms as operands. Three questions are answered about a
// form: its value at given counters (`at`), its bounds in a box of counters by interval arithmetic
// (`bounds`), and its value in the middle of all iterations (`centre`), kept with each symbol.
//
// Read `accumulate`, `remembered` and `operation` first. A form is made in one of two cases: Case::All keeps
// choices, as guards need them; Case::Common takes each choice as it is in the middle of all iterations
// (`common_choice`), so that an access of a stencil counts as it does away from edges. `common_of` is what
// profile.cpp asks for every access: unrolled loops have the same index many times with other constants, so
// an index is known by its terms (a hash of their addresses), and its constant is added again.
#include "features/places.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "loop/index_program.hpp"

namespace hoist::features {

using arith::Expr;
using loop::holds;
using Kind = Symbol::Kind;

namespace {

std::int64_t power(std::int64_t base, std::int64_t exponent) {
  const double value = std::pow(static_cast<double>(base), static_cast<double>(exponent));
  constexpr double most = 1e18;
  return static_cast<std::int64_t>(std::clamp(value, -most, most));
}

/// Combines two numbers with C's meaning of the operation. A division by zero gives 0.
std::int64_t combine(Kind kind, std::int64_t a, std::int64_t b) {
  switch (kind) {
    case Kind::Quotient:
      return b == 0 ? 0 : a / b;
    case Kind::Remainder:
      return b == 0 ? 0 : a % b;
    case Kind::CeilingQuotient:
      return b == 0 ? 0 : a / b + (a % b != 0 ? 1 : 0);
    case Kind::Product:
      return a * b;
    case Kind::Power:
      return power(a, b);
    case Kind::Minimum:
      return std::min(a, b);
    case Kind::Maximum:
      return std::max(a, b);
    default:
      throw Bug("not an operation of an index");
  }
}

Interval combine(Kind kind, Interval a, Interval b) {
  if (kind == Kind::Remainder) {
    const std::int64_t divisor = std::max<std::int64_t>(std::abs(b.to), 1);
    const bool is_one_period = a.from >= 0 && b.from == b.to && a.from / divisor == a.to / divisor;
    if (is_one_period) return {a.from % divisor, a.to % divisor};
    return {a.from < 0 ? 1 - divisor : 0, a.to > 0 ? divisor - 1 : 0};
  }
  const std::int64_t corners[] = {combine(kind, a.from, b.from), combine(kind, a.from, b.to),
                                  combine(kind, a.to, b.from), combine(kind, a.to, b.to)};
  return {*std::min_element(std::begin(corners), std::end(corners)),
          *std::max_element(std::begin(corners), std::end(corners))};
}

}  // namespace

void Form::add(Term term) {
  std::size_t at = 0;
  while (at < terms.size() && terms[at].symbol < term.symbol) ++at;
  if (at < terms.size() && terms[at].symbol == term.symbol) {
    terms[at].coefficient += term.coefficient;
    if (terms[at].coefficient == 0) terms.erase_at(at);
    return;
  }
  if (term.coefficient == 0) return;
  terms.push_back(term);
  for (std::size_t i = terms.size() - 1; i > at; --i) std::swap(terms[i], terms[i - 1]);
}

void Form::add(const Form& other, std::int64_t factor) {
  constant += other.constant * factor;
  for (const Term& term : other.terms) add(Term{term.symbol, term.coefficient * factor});
}

Places::Places(const std::array<std::int64_t, 3>& local) : local_(local) {}

LoopStop stop_of(const loop::For& loop) {
  LoopStop result{loop.stop, {}};
  if (loop.parallelism != loop::Parallelism::Sequential) return result;
  std::vector<Expr> bounds{loop.stop}, others;
  Expr most;
  while (!bounds.empty()) {
    const Expr bound = bounds.back();
    bounds.pop_back();
    if (bound.kind() == arith::Kind::Minimum) {
      bounds.insert(bounds.end(), bound->operands.begin(), bound->operands.end());
    } else if (bound.constant()) {
      most = most ? arith::minimum(most, bound) : bound;
    } else {
      others.push_back(bound);
    }
  }
  return most ? LoopStop{most, std::move(others)} : result;
}

std::uint32_t Places::enter(const loop::For& loop) {
  const Form start = form(loop.start), stop = form(stop_of(loop).most), step = form(loop.step);
  const std::int64_t by = std::max<std::int64_t>(centre(step), 1);
  Symbol counter;
  counter.kind = Kind::Counter;
  counter.parallelism = loop.parallelism;
  counter.dimension = static_cast<std::size_t>(loop.dimension);
  counter.trips = std::max<std::int64_t>((centre(stop) - centre(start) + by - 1) / by, 0);
  counter.centre = counter.trips / 2;
  const bool is_over_lanes =
      loop.parallelism == loop::Parallelism::Local || loop.parallelism == loop::Parallelism::Global;
  counter.is_by_lane = is_over_lanes && local_[counter.dimension] > 1;
  const auto number = static_cast<std::uint32_t>(symbols_.size());
  symbols_.push_back(counter);
  whole_.push_back({0, std::max<std::int64_t>(counter.trips - 1, 0)});
  centres_.push_back(counter.centre);
  Form variable = start;
  variable.add(Term{number, by});
  for (const Case which : {Case::All, Case::Common}) remember(loop.variable.get(), which, variable);
  return number;
}

void Places::define(Expr variable, Expr value) {
  for (const Case which : {Case::All, Case::Common}) remember(variable.get(), which, form(value, which));
}

void Places::define_data(Expr variable, bool is_by_lane) {
  Symbol symbol;
  symbol.is_by_lane = is_by_lane;
  symbol.is_data = true;
  const Form form = symbol_form(symbol);
  for (const Case which : {Case::All, Case::Common}) remember(variable.get(), which, form);
}

void Places::remember(const arith::Node* node, Case which, const Form& form) {
  known_[static_cast<std::size_t>(which)].set(node, static_cast<std::uint32_t>(forms_.size()));
  forms_.push_back(form);
}

Form Places::symbol_form(Symbol symbol) {
  const auto number = static_cast<std::uint32_t>(symbols_.size());
  symbols_.push_back(std::move(symbol));
  Symbol& made = symbols_.back();
  if (made.kind != Kind::Data) {
    for (const Form* operand : {&made.first, &made.second, &made.test}) {
      made.is_by_lane = made.is_by_lane || is_by_lane(*operand);
      made.is_data = made.is_data || is_data(*operand);
    }
    made.centre = value(number, centres_);
  }
  centres_.push_back(made.centre);
  whole_.push_back({made.centre, made.centre});
  Form form;
  form.add(Term{number, 1});
  return form;
}

void Places::accumulate(Expr e, std::int64_t factor, Case which, Form& into) {
  switch (e.kind()) {
    case arith::Kind::Constant:
      into.constant += factor * e->value;
      return;
    case arith::Kind::Sum:
      for (Expr term : e->operands) accumulate(term, factor, which, into);
      return;
    case arith::Kind::Product:
      return accumulate_product(e, factor, which, into);
    default:
      into.add(remembered(e, which), factor);
  }
}

void Places::accumulate_product(Expr e, std::int64_t factor, Case which, Form& into) {
  const bool is_multiple = e->operands.size() == 2 && e->operands[0].kind() == arith::Kind::Constant;
  if (is_multiple) return accumulate(e->operands[1], factor * e->operands[0]->value, which, into);
  into.add(remembered(e, which), factor);
}

const Form& Places::remembered(Expr e, Case which) {
  const KeyMap& known = known_[static_cast<std::size_t>(which)];
  const std::uint32_t at = known.find(e.get());
  if (at != KeyMap::none) return forms_[at];
  const Form made = operation(e, which);
  remember(e.get(), which, made);
  return forms_.back();
}

Form Places::operation(Expr e, Case which) {
  switch (e.kind()) {
    case arith::Kind::Variable: {  // a scalar of the program's input: the same for all
      Symbol scalar;
      scalar.is_data = true;
      return symbol_form(scalar);
    }
    case arith::Kind::Product:
      return operation(Kind::Product, e, which);
    case arith::Kind::Quotient:
    case arith::Kind::ExactQuotient:
      return operation(Kind::Quotient, e, which);
    case arith::Kind::Remainder:
      return operation(Kind::Remainder, e, which);
    case arith::Kind::CeilingQuotient:
      return operation(Kind::CeilingQuotient, e, which);
    case arith::Kind::Power:
      return operation(Kind::Power, e, which);
    default:
      return choice(e, which);
  }
}

Form Places::operation(Kind kind, Expr e, Case which) {
  Form result = form(e->operands[0], which);
  for (std::size_t i = 1; i < e->operands.size(); ++i) {
    const Form next = form(e->operands[i], which);
    if (kind == Kind::Product && (result.is_constant() || next.is_constant())) {
      Form scaled;
      scaled.add(result.is_constant() ? next : result,
                 result.is_constant() ? result.constant : next.constant);
      result = scaled;
      continue;
    }
    Symbol symbol;
    symbol.kind = kind;
    symbol.first = result;
    symbol.second = next;
    result = symbol_form(std::move(symbol));
  }
  return result;
}

Form Places::choice(Expr e, Case which) {
  if (which == Case::Common) return common_choice(e);
  if (e.kind() == arith::Kind::Minimum) return operation(Kind::Minimum, e, which);
  if (e.kind() == arith::Kind::Maximum) return operation(Kind::Maximum, e, which);
  Symbol symbol;
  symbol.kind = Kind::Conditional;
  symbol.test = form(e->predicate.left, which);
  symbol.test.add(form(e->predicate.right, which), -1);
  symbol.relation = e->predicate.relation;
  symbol.first = form(e->operands[0], which);
  symbol.second = form(e->operands[1], which);
  return symbol_form(std::move(symbol));
}

Form Places::common_choice(Expr e) {
  if (e.kind() == arith::Kind::Conditional) {
    const std::int64_t left = centre(form(e->predicate.left, Case::Common));
    const std::int64_t right = centre(form(e->predicate.right, Case::Common));
    return form(e->operands[holds(e->predicate.relation, left, right) ? 0 : 1], Case::Common);
  }
  Form chosen = form(e->operands[0], Case::Common);
  std::int64_t best = centre(chosen);
  for (Expr operand : e->operands.subspan(1)) {
    const Form next = form(operand, Case::Common);
    const std::int64_t value = centre(next);
    // Where both are the same in the middle, the operand that is not constant is taken.
    const bool is_closer = e.kind() == arith::Kind::Minimum ? value < best : value > best;
    if (!is_closer && !(value == best && chosen.is_constant())) continue;
    chosen = next;
    best = value;
  }
  return chosen;
}

namespace {

/// The terms of an index but for its constant.
std::span<const Expr> terms_of(const Expr& index) {
  if (index.kind() != arith::Kind::Sum) return {&index, index.constant() ? 0U : 1U};
  const std::span<const Expr> all = index->operands;
  return all.first(all.size() - (all.back().constant() ? 1 : 0));
}
std::int64_t constant_of(Expr index) {
  if (index.kind() == arith::Kind::Sum) return index->operands.back().constant().value_or(0);
  return index.constant().value_or(0);
}

void mix(std::uint64_t& hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  hash ^= hash >> 29U;
}

}  // namespace

CommonForm Places::common_of(Expr e) {
  const std::span<const Expr> terms = terms_of(e);
  std::uint64_t hash = 1;
  for (Expr term : terms) mix(hash, reinterpret_cast<std::uintptr_t>(term.get()));
  // Where hashes collide, the next one is tried: terms are compared.
  std::uint32_t at = by_terms_.find(hash |= 1U);
  while (at != KeyMap::none && !std::ranges::equal(terms_of(remembered_[at].index), terms))
    at = by_terms_.find(hash += 2);
  if (at == KeyMap::none) {
    Form common_terms = form(e, Case::Common);
    common_terms.constant -= constant_of(e);
    CommonForm made{0, std::exchange(common_terms.constant, 0), arith::operation_count(e)};
    if (constant_of(e) != 0 && !e.constant()) --made.operations;
    made.number = number_of(common_terms);
    at = static_cast<std::uint32_t>(remembered_.size());
    remembered_.push_back({e, made});
    by_terms_.set(hash, at);
  }
  CommonForm result = remembered_[at].form;
  const std::int64_t constant = constant_of(e);
  result.constant += constant;
  if (constant != 0 && !e.constant()) ++result.operations;
  return result;
}

std::uint32_t Places::number_of(const Form& form) {
  std::uint64_t hash = 1;
  for (const Term& term : form.terms) {
    mix(hash, term.symbol);
    mix(hash, static_cast<std::uint64_t>(term.coefficient));
  }
  std::uint32_t at = by_form_.find(hash |= 1U);
  while (at != KeyMap::none && !std::ranges::equal(common_forms_[at].terms, form.terms))
    at = by_form_.find(hash += 2);
  if (at != KeyMap::none) return at;
  at = static_cast<std::uint32_t>(common_forms_.size());
  common_forms_.push_back(form);
  by_form_.set(hash, at);
  return at;
}

bool Places::is_by_lane(const Form& form) const {
  return std::any_of(form.terms.begin(), form.terms.end(),
                     [&](const Term& term) { return symbols_[term.symbol].is_by_lane; });
}
bool Places::is_data(const Form& form) const {
  return std::any_of(form.terms.begin(), form.terms.end(),
                     [&](const Term& term) { return symbols_[term.symbol].is_data; });
}
std::int64_t Places::centre(const Form& form) const {
  std::int64_t sum = form.constant;
  for (const Term& term : form.terms) sum += term.coefficient * centres_[term.symbol];
  return sum;
}

std::int64_t Places::at(const Form& form, const std::vector<std::int64_t>& counters) const {
  std::int64_t sum = form.constant;
  for (const Term& term : form.terms) sum += term.coefficient * value(term.symbol, counters);
  return sum;
}

std::int64_t Places::value(std::uint32_t number, const std::vector<std::int64_t>& counters) const {
  const Symbol& symbol = symbols_[number];
  if (symbol.kind == Kind::Counter) return counters[number];
  if (symbol.kind == Kind::Data) return symbol.centre;
  if (symbol.kind == Kind::Conditional) {
    return at(holds(symbol.relation, at(symbol.test, counters), 0) ? symbol.first : symbol.second, counters);
  }
  return combine(symbol.kind, at(symbol.first, counters), at(symbol.second, counters));
}

Interval Places::bounds(const Form& form, const std::vector<Interval>& box) const {
  Interval sum{form.constant, form.constant};
  for (const Term& term : form.terms) {
    const Interval of_symbol = bounds_of(term.symbol, box);
    const bool is_rising = term.coefficient > 0;
    sum.from += term.coefficient * (is_rising ? of_symbol.from : of_symbol.to);
    sum.to += term.coefficient * (is_rising ? of_symbol.to : of_symbol.from);
  }
  return sum;
}

Interval Places::bounds_of(std::uint32_t number, const std::vector<Interval>& box) const {
  const Symbol& symbol = symbols_[number];
  if (symbol.kind == Kind::Counter) return box[number];
  if (symbol.kind == Kind::Data)
    return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
  const Interval first = bounds(symbol.first, box), second = bounds(symbol.second, box);
  if (symbol.kind != Kind::Conditional) return combine(symbol.kind, first, second);
  return {std::min(first.from, second.from), std::max(first.to, second.to)};
}

}  // namespace hoist::features
