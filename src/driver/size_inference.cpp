#include "driver/size_inference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

namespace hoist::driver {

namespace {

std::string describe(const ShapeFact& fact) {
  return fmt::format("{}: {} is given as {}", fact.input, ir::to_string(fact.type), fact.given);
}

[[noreturn]] void throw_about(const ShapeFact& fact, std::string message, std::string note = {}) {
  throw Failure(Error{ErrorKind::User, {{std::move(message), fact.place, std::move(note), {}}}});
}

/// Sizes that grow with their variable (as all of the language's do) are found by bisection where the
/// equation is not linear: [N/2], [ceildiv(N, 4)]. Only a single solution is one.
std::optional<std::int64_t> bisect(arith::Expr wanted, std::int64_t found, arith::Expr variable) {
  constexpr std::int64_t most = std::int64_t{1} << 40U;
  auto value_at = [&](std::int64_t at) { return arith::evaluate(wanted, {{variable.get(), at}}); };
  std::int64_t low = 1, high = 1;
  // A division that must be exact has values only at some places: there is no order to search by.
  for (; high < most; high *= 2) {
    const auto value = value_at(high);
    if (!value) return std::nullopt;
    if (*value >= found) break;
  }
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    const auto value = value_at(middle);
    if (!value) return std::nullopt;
    if (*value < found) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (value_at(low) != found || value_at(low + 1) == found) return std::nullopt;
  return low;
}

/// [N/2] where 2 divides N.
std::optional<std::int64_t> solve_exact_quotient(arith::Expr wanted, std::int64_t found,
                                                 arith::Expr variable) {
  if (wanted.kind() != arith::Kind::ExactQuotient || !(wanted->operands[0] == variable)) return std::nullopt;
  const auto divisor = wanted->operands[1].constant();
  std::int64_t value = 0;
  if (!divisor || __builtin_mul_overflow(found, *divisor, &value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> solution(arith::Expr wanted, std::int64_t found, arith::Expr variable) {
  if (arith::Expr solved = arith::solve(wanted, arith::constant(found), variable)) return solved.constant();
  if (auto value = solve_exact_quotient(wanted, found, variable)) return value;
  return bisect(wanted, found, variable);
}

}  // namespace

void SizeInference::give(const std::string& name, std::int64_t value) { given_.emplace_back(name, value); }

std::vector<arith::Expr> SizeInference::variables() const {
  std::vector<arith::Expr> all = program_.sizes;
  const std::vector<arith::Expr> parameters = ir::open_parameters(program_.function);
  all.insert(all.end(), parameters.begin(), parameters.end());
  return all;
}

arith::Substitution SizeInference::values_of(const KnownSizes& known) const {
  arith::Substitution values;
  for (arith::Expr variable : variables()) {
    if (auto found = known.find(variable->name); found != known.end())
      values.emplace(variable.get(), arith::constant(found->second.value));
  }
  return values;
}

void SizeInference::infer(KnownSizes& known) const {
  for (bool progress = true; progress;) {
    progress = false;
    for (const ShapeFact& fact : facts_) {
      for (std::size_t d = 0; d < fact.wanted.size(); ++d) {
        const arith::Expr wanted = arith::substitute(fact.wanted[d], values_of(known));
        const std::vector<arith::Expr> open = arith::variables(wanted);
        if (open.size() != 1) continue;
        const auto value = solution(wanted, fact.found[d], open[0]);
        if (!value) continue;
        if (*value < 1) {
          throw_about(fact, fmt::format("{} would be {}, but sizes are at least 1", open[0]->name, *value),
                      describe(fact));
        }
        known[open[0]->name] = {*value, describe(fact)};
        progress = true;
      }
    }
  }
}

void SizeInference::throw_contradiction(const KnownSizes& known, const ShapeFact& fact,
                                        std::size_t dimension) const {
  std::vector<std::string> origins;
  std::vector<std::string> values;
  for (arith::Expr variable : arith::variables(fact.wanted[dimension])) {
    if (auto found = known.find(variable->name); found != known.end()) {
      values.push_back(fmt::format("{} = {}", variable->name, found->second.value));
      origins.push_back(found->second.origin);
    }
  }
  const std::string which =
      fact.wanted.size() == 1 ? "elements" : fmt::format("elements in dimension {}", dimension);
  const std::string takes =
      fmt::format("{}: {} takes {} {}, but {} has {}", fact.input, ir::to_string(fact.type),
                  arith::to_string(arith::substitute(fact.wanted[dimension], values_of(known))), which,
                  fact.holder, fact.found[dimension]);
  if (values.empty()) throw_about(fact, takes);
  throw_about(fact, fmt::format("with {} the input {}", fmt::join(values, ", "), takes),
              fmt::format("{}", fmt::join(origins, "; ")));
}

Diagnostic SizeInference::missing(arith::Expr variable) const {
  const bool is_size = variable->variable_kind == arith::VariableKind::Size;
  std::string note = is_size ? std::string() : "the program leaves it open";
  for (const ShapeFact& fact : facts_) {
    for (std::size_t d = 0; d < fact.wanted.size(); ++d) {
      if (!arith::contains(fact.wanted[d], variable)) continue;
      note = fmt::format("no single value follows from {} = {}; {}", arith::to_string(fact.wanted[d]),
                         fact.found[d], describe(fact));
    }
  }
  constexpr std::int64_t usual_size = 1024, usual_parameter = 16;
  return {fmt::format("the {} is not given",
                      is_size ? "size " + variable->name : "tuning parameter ?" + variable->name),
          {},
          note,
          advice_(variable->name, is_size ? usual_size : usual_parameter)};
}

Result<NamedSizes> SizeInference::solve() const {
  return catch_failure([&] {
    KnownSizes known;
    for (const auto& [name, value] : given_)
      known[name] = {value, fmt::format("{}={} is given", name, value)};
    infer(known);
    for (const ShapeFact& fact : facts_) {
      for (std::size_t d = 0; d < fact.wanted.size(); ++d) {
        const arith::Expr wanted = arith::substitute(fact.wanted[d], values_of(known));
        if (arith::variables(wanted).empty() && !wanted.is_constant(fact.found[d]))
          throw_contradiction(known, fact, d);
      }
    }
    NamedSizes result;
    Error unknown;
    for (arith::Expr variable : variables()) {
      if (auto found = known.find(variable->name); found != known.end()) {
        result.emplace_back(variable->name, found->second.value);
      } else if (!leaves_parameters_open_ || variable->variable_kind == arith::VariableKind::Size) {
        unknown.diagnostics.push_back(missing(variable));
      }
    }
    if (!unknown.diagnostics.empty()) throw Failure(unknown);
    return result;
  });
}

}  // namespace hoist::driver
