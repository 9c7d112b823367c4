#include "tune/explore.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <random>

#include "rewrite/default_mapping.hpp"

namespace hoist::tune {

std::string to_string(const CandidateId& id) { return fmt::format("{}-{}", id.derivation, id.point); }

Result<CandidateId> candidate_id(const std::string& text) {
  CandidateId id;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, id.derivation);
  if (first.ec == std::errc() && first.ptr != end && *first.ptr == '-') {
    const auto second = std::from_chars(first.ptr + 1, end, id.point);
    if (second.ec == std::errc() && second.ptr == end) return id;
  }
  return user_error(fmt::format("'{}' is no candidate's id", text), {},
                    "an id reads 12-345; hoist explore --sample prints some");
}

namespace {

constexpr std::uint64_t most_points = std::numeric_limits<std::uint64_t>::max();

/// Whether one of the assumptions is that the parameter divides something.
bool divides(arith::Expr parameter, const std::vector<ir::SizeAssumption>& assumptions) {
  return std::any_of(assumptions.begin(), assumptions.end(), [&](const ir::SizeAssumption& assumption) {
    const arith::Expr left = assumption.predicate.left;
    return assumption.predicate.relation == arith::Relation::Equal && left.kind() == arith::Kind::Remainder &&
           left->operands[1] == parameter;
  });
}

std::int64_t largest_size(const std::vector<ir::SizeAssumption>& assumptions) {
  std::int64_t largest = 1024;
  for (const ir::SizeAssumption& assumption : assumptions) {
    // What must divide a number may be as large as that.
    for (arith::Expr side : {assumption.predicate.left, assumption.predicate.right}) {
      if (side->facts.maximum) largest = std::max(largest, *side->facts.maximum);
      for (arith::Expr operand : side->operands) {
        if (auto constant = operand.constant()) largest = std::max(largest, *constant);
      }
    }
  }
  return largest;
}

bool has_parallel_map(ir::Term term) {
  if (const auto* call = term.as<ir::Call>(); call != nullptr && ir::is_parallel_map(call->op)) return true;
  const std::vector<ir::Term> children = ir::children(term);
  return std::any_of(children.begin(), children.end(), has_parallel_map);
}

}  // namespace

Result<space::Space> space_of(const ir::Program& program, const DeviceLimits& limits,
                              const ParameterBounds& bounds, bool is_derived) {
  const std::vector<ir::SizeAssumption> assumptions = ir::size_assumptions(program.function);
  std::vector<space::Constraint> constraints = constraints_of(program.function, limits);
  for (const ir::SizeAssumption& each : assumptions) constraints.push_back({each.predicate, each.message});
  std::vector<space::Parameter> parameters;
  const std::int64_t largest = largest_size(assumptions);
  for (arith::Expr each : ir::open_parameters(program.function)) {
    // Of sizes that need not divide anything, and of blocks (?b), only powers of two are worth a look.
    const bool is_power = is_derived && (each->name[0] == 'b' || !divides(each, assumptions));
    space::Parameter parameter{each->name, 1, largest, is_power};
    if (const auto bound = bounds.find(each->name); bound != bounds.end()) {
      parameter.least = bound->second.first;
      parameter.most = bound->second.second;
    }
    parameters.push_back(std::move(parameter));
  }
  return space::Space::make(std::move(parameters), std::move(constraints));
}

Result<Exploration> Exploration::of(const ir::Program& program, const ExplorationOptions& options) {
  Exploration result;
  result.options_ = options;
  const bool is_open = !ir::open_parameters(program.function).empty();
  if (is_open || has_parallel_map(program.function)) {
    if (!is_open) {
      return user_error(
          "the program says how it is computed and leaves no sizes open: there is nothing to explore", {},
          "leave a hole where a number may be chosen, split(?t), or write no mapGlb, mapWrg and mapLcl");
    }
    auto mapped = rewrite::default_mapping(program, rewrite::Processor::Gpu);
    if (!mapped) return tl::unexpected(mapped.error());
    result.derivations_.list.push_back({mapped->program, {}});
    result.derivations_.stages = {1, 1, 1, {}, {}};
  } else {
    result.derivations_ = derive(program, options.profile, options.limits, options.derivations);
    if (result.derivations_.list.empty()) {
      // No macro rule covers it: what everybody gets who asks for nothing.
      auto mapped = rewrite::default_mapping(program, rewrite::Processor::Gpu);
      if (!mapped) return tl::unexpected(mapped.error());
      result.derivations_.list.push_back({mapped->program, {}});
      result.is_default_ = true;
    }
  }
  std::vector<Derivation> with_points;
  std::vector<std::string> known;
  for (Derivation& each : result.derivations_.list) {
    auto space = space_of(each.program, options.limits, options.bounds, !each.trace.empty());
    if (!space) return tl::unexpected(space.error());
    for (const space::Parameter& parameter : space->parameters()) known.push_back(parameter.name);
    const std::uint64_t count = space->count();
    if (count == 0) {
      result.emptied_by_ = space->emptied_by();
      ++result.derivations_.stages.discarded["no sizes fit"];
      continue;
    }
    result.counts_.push_back(count);
    result.spaces_.push_back(std::move(*space));
    with_points.push_back(std::move(each));
  }
  result.derivations_.list = std::move(with_points);
  for (const auto& [name, bound] : options.bounds) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      return user_error("no derivation has a tuning parameter ?" + name);
  }
  return result;
}

std::uint64_t Exploration::count() const {
  std::uint64_t total = 0;
  for (const std::uint64_t each : counts_) total = total > most_points - each ? most_points : total + each;
  return total;
}

std::vector<CandidateId> Exploration::sample(std::size_t wanted, std::uint64_t seed) const {
  // How many of each derivation: shares are equal, and what small spaces cannot give goes to the others.
  std::vector<std::uint64_t> shares(counts_.size());
  std::mt19937_64 random(seed);
  std::vector<std::size_t> order(counts_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::uint64_t left = std::min<std::uint64_t>(wanted, count());
  while (left > 0) {
    // The generator's own numbers: distributions differ between standard libraries.
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (const std::size_t each : order) {
      if (left == 0) break;
      if (shares[each] == counts_[each]) continue;
      ++shares[each];
      --left;
    }
  }
  std::vector<CandidateId> result;
  for (std::size_t each = 0; each < shares.size(); ++each) {
    for (const std::uint64_t point :
         space::sample_ranks(counts_[each], static_cast<std::size_t>(shares[each]), seed + each))
      result.push_back({each, point});
  }
  for (std::size_t i = result.size(); i > 1; --i) std::swap(result[i - 1], result[random() % i]);
  return result;
}

bool Exploration::contains(const CandidateId& id) const {
  return id.derivation < counts_.size() && id.point < counts_[id.derivation];
}

NamedSizes Exploration::values(const CandidateId& id) const {
  NamedSizes values;
  const space::Space& space = spaces_[id.derivation];
  const space::Point point = space.at(id.point);
  for (std::size_t at = 0; at < point.size(); ++at)
    values.emplace_back(space.parameters()[at].name, point[at]);
  return values;
}

/// Without with_sizes' questions: that the values satisfy what the program assumes is what made them points.
ir::Program Exploration::specialised(const CandidateId& id) const {
  arith::Substitution replacements;
  for (const auto& [name, value] : values(id))
    replacements.emplace(arith::parameter(name).get(), arith::constant(value));
  ir::Program result = derivations_.list[id.derivation].program;
  result.function = ir::substitute_sizes(result.function, replacements);
  return result;
}

Candidate Exploration::look(const CandidateId& id, const lower::Options& lowering) const {
  Candidate result;
  result.id = id;
  result.values = values(id);
  const auto refuse = [&](const char* reason, std::string text) {
    result.reason = reason;
    result.discarded = std::move(text);
  };
  result.low = specialised(id);
  auto plan = lower::lower(*result.low, lowering);
  if (!plan) {
    refuse("not compiled", plan.error().diagnostics.front().message);
    return result;
  }
  result.plan = std::move(*plan);
  result.structure = structure_of(*result.plan);
  const DeviceLimits& limits = options_.limits;
  constexpr double most_lines = 4.5;
  if (result.structure.copy_lines > most_lines) {
    refuse("scattered copies",
           fmt::format("work-items that copy into local memory read {:.0f} lines for each that they need",
                       result.structure.copy_lines));
  } else if (result.structure.group_size > limits.group_size) {
    refuse("group size", fmt::format("a group of {} work-items is larger than {}",
                                     result.structure.group_size, limits.group_size));
  } else if (result.structure.local_memory > limits.local_memory) {
    refuse("local memory", fmt::format("{} bytes of local memory are more than {}",
                                       result.structure.local_memory, limits.local_memory));
  }
  return result;
}

}  // namespace hoist::tune
