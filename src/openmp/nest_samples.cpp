#include "openmp/nest_samples.hpp"

#include <algorithm>

namespace hoist::openmp {

namespace {
constexpr int most_points = 20000;
}

std::int64_t Samples::value_of(const clang::VarDecl* variable, const std::string& member, int trial) {
  static constexpr std::int64_t values[trials][6] = {
      {7, 5, 8, 6, 4, 9}, {5, 8, 6, 9, 7, 4}, {9, 6, 11, 4, 10, 5}, {12, 13, 5, 7, 8, 6}};
  const auto place = numbers_.emplace(std::pair(variable, member), static_cast<int>(numbers_.size())).first;
  const std::int64_t value = values[trial][static_cast<std::size_t>(place->second) % 6];
  const auto least = variable ? least_.end() : least_.find({member, trial});
  return least == least_.end() ? value : std::max(value, least->second);
}

void Samples::at_least(const std::string& unknown, int trial, std::int64_t value) {
  std::int64_t& least = least_[{unknown, trial}];
  least = std::max(least, value);
}

std::optional<std::int64_t> Samples::evaluated(const Poly& poly, const Values& counters, int trial) {
  std::int64_t sum = 0;
  for (const auto& [monomial, coefficient] : poly.terms()) {
    std::int64_t product = coefficient;
    for (const SymbolId id : monomial) {
      const auto value = evaluated(terms_.by_id(id), counters, trial);
      if (!value) return std::nullopt;
      product *= *value;
    }
    sum += product;
  }
  return sum;
}

std::optional<std::int64_t> Samples::evaluated(Term term, const Values& counters, int trial) {
  if (is_float(term->type)) return std::nullopt;
  switch (term->kind) {
    case TermKind::Number:
      return std::stoll(term->text);
    case TermKind::Given:
      return value_of(term->variable, term->text, trial);
    case TermKind::Counter: {
      const auto found = counters.find(term);
      if (found == counters.end()) return std::nullopt;
      return found->second;
    }
    case TermKind::Choice: {
      const auto condition = evaluated(term->operands[0], counters, trial);
      if (!condition) return std::nullopt;
      return evaluated(term->operands[*condition ? 1 : 2], counters, trial);
    }
    case TermKind::Operation:
      break;
    case TermKind::State:
    case TermKind::Element:
    case TermKind::Recurrence:
      return std::nullopt;
  }
  std::vector<std::int64_t> values;
  for (const Term each : term->operands) {
    const auto value = evaluated(each, counters, trial);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  const std::string& name = term->text;
  if (values.size() == 1) {
    if (name == "-") return -values[0];
    if (name == "!") return values[0] == 0;
    if (name == "abs") return std::abs(values[0]);
    return name == "~" ? ~values[0] : values[0];  // otherwise a conversion
  }
  const std::int64_t a = values.at(0), b = values.at(1);
  if (name == "+") return a + b;
  if (name == "-") return a - b;
  if (name == "*") return a * b;
  if ((name == "/" || name == "%") && b == 0) return std::nullopt;
  if (name == "/") return a / b;
  if (name == "%") return a % b;
  if (name == "min") return std::min(a, b);
  if (name == "max") return std::max(a, b);
  if (name == "<") return a < b;
  if (name == "<=") return a <= b;
  if (name == ">") return a > b;
  if (name == ">=") return a >= b;
  if (name == "==") return a == b;
  if (name == "!=") return a != b;
  if (name == "&&") return a && b;
  if (name == "||") return a || b;
  if (name == "&") return a & b;
  if (name == "|") return a | b;
  if (name == "^") return a ^ b;
  if ((name == "<<" || name == ">>") && (b < 0 || b > 30)) return std::nullopt;
  if (name == "<<") return a << b;
  if (name == ">>") return a >> b;
  return std::nullopt;
}

bool Samples::each(const std::vector<Term>& counters, std::size_t next, Values& values, int trial, int& left,
                   const std::function<std::optional<bool>(const Values&, int)>& holds) {
  if (next == counters.size()) return --left < 0 || holds(values, trial).value_or(false);
  const auto count = evaluated(counters[next]->operands[0], values, trial);
  if (!count) return false;
  for (std::int64_t i = 0; i < *count && left >= 0; ++i) {
    values[counters[next]] = i;
    if (!each(counters, next + 1, values, trial, left, holds)) return false;
  }
  values.erase(counters[next]);
  return true;
}

bool Samples::always(const std::vector<Term>& counters,
                     const std::function<std::optional<bool>(const Values&, int)>& holds) {
  for (int trial = 0; trial < trials; ++trial) {
    Values values;
    int left = most_points;
    if (!each(counters, 0, values, trial, left, holds)) return false;
  }
  return true;
}

bool Samples::always_at_least(const Poly& poly, std::int64_t least, const std::vector<Term>& counters) {
  return always(counters, [&](const Values& values, int trial) -> std::optional<bool> {
    const auto value = evaluated(poly, values, trial);
    if (!value) return std::nullopt;
    return *value >= least;
  });
}

}  // namespace hoist::openmp
