#include "variants/open_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>
#include <unordered_set>

#include "base/parallel.hpp"
#include "ir/term.hpp"
#include "variants/limits.hpp"

namespace hoist::variants {

namespace {

/// Whether one of the assumptions is that the parameter divides something.
bool divides(arith::Expr parameter, const std::vector<ir::SizeAssumption>& assumptions) {
  return std::any_of(assumptions.begin(), assumptions.end(), [&](const ir::SizeAssumption& assumption) {
    const arith::Expr left = assumption.predicate.left;
    return assumption.predicate.relation == arith::Relation::Equal && left.kind() == arith::Kind::Remainder &&
           left->operands[1] == parameter;
  });
}

/// A tile ?t that need not divide the n elements that it cuts: ceil(n / ?t).
struct GuardedTile {
  arith::Expr size;
  std::int64_t length;  ///< the shortest that it cuts
};

void collect_guarded_tiles(arith::Expr e, std::vector<GuardedTile>& tiles) {
  if (e.kind() == arith::Kind::CeilingQuotient) {
    const auto length = e->operands[0].constant();
    const arith::Expr size = e->operands[1];
    if (length && size.kind() == arith::Kind::Variable) {
      const auto known = std::find_if(tiles.begin(), tiles.end(),
                                      [&](const GuardedTile& each) { return each.size == size; });
      if (known == tiles.end()) {
        tiles.push_back({size, *length});
      } else {
        known->length = std::min(known->length, *length);
      }
    }
  }
  for (arith::Expr operand : e->operands) collect_guarded_tiles(operand, tiles);
}

std::vector<GuardedTile> guarded_tiles_of(ir::Term term) {
  std::vector<GuardedTile> tiles;
  std::unordered_set<ir::Term> seen;
  const auto collect = [&](const auto& self, ir::Term each) -> void {
    if (!seen.insert(each).second) return;
    if (const auto* call = each.as<ir::Call>()) {
      for (arith::Expr size : call->sizes) collect_guarded_tiles(size, tiles);
    }
    for (ir::Term child : ir::children(each)) self(self, child);
  };
  collect(collect, term);
  return tiles;
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

/// What makes a space of a program.
struct Sizes {
  std::vector<space::Parameter> parameters;
  std::vector<space::Constraint> constraints;
};

Sizes sizes_of(const ir::Program& program, const target::Target& target, const ParameterBounds& bounds,
               bool is_derived) {
  const std::vector<ir::SizeAssumption> assumptions = ir::size_assumptions(program.function);
  Sizes result;
  result.constraints = constraints_of(program.function, target);
  for (const ir::SizeAssumption& each : assumptions)
    result.constraints.push_back({each.predicate, each.message});
  const std::vector<GuardedTile> guarded =
      is_derived ? guarded_tiles_of(program.function) : std::vector<GuardedTile>();
  for (const GuardedTile& tile : guarded) {
    // One tile may be all that there is, but not twice as much.
    result.constraints.push_back(
        {{arith::Relation::Less, tile.size, 2 * tile.length},
         fmt::format("a tile must be less than twice as long as the {} elements that it cuts", tile.length)});
  }
  const std::int64_t largest = largest_size(assumptions);
  for (arith::Expr each : ir::open_parameters(program.function)) {
    // Only powers of two are worth a look among sizes that need not divide anything, and among blocks (?b).
    const bool is_guarded = std::any_of(guarded.begin(), guarded.end(),
                                        [&](const GuardedTile& tile) { return tile.size == each; });
    // A place among loops (?at) is no size, and what registers hold (?rows of ?vectors) is few.
    const bool is_count =
        each->name.starts_with("at") || each->name.starts_with("rows") || each->name.starts_with("vectors");
    const bool is_power =
        is_derived && !is_count && (each->name[0] == 'b' || is_guarded || !divides(each, assumptions));
    // Shorter chunks of a reduction (?part) are not worth what it takes to put them together.
    constexpr std::int64_t least_part = 64;
    const bool is_part = is_derived && each->name.starts_with("part");
    space::Parameter parameter{each->name, is_part ? least_part : 1, largest, is_power};
    if (const auto bound = bounds.find(each->name); bound != bounds.end()) {
      parameter.least = bound->second.first;
      parameter.most = bound->second.second;
    }
    result.parameters.push_back(std::move(parameter));
  }
  return result;
}

/// The same for spaces that are equal. Expressions are told by their addresses: they are interned.
std::vector<std::int64_t> key_of(const Sizes& sizes) {
  const auto address = [](arith::Expr e) {
    return static_cast<std::int64_t>(std::bit_cast<std::intptr_t>(e.get()));
  };
  using Parts = std::array<std::int64_t, 3>;
  std::vector<Parts> constraints;
  for (const space::Constraint& each : sizes.constraints) {
    constraints.push_back({static_cast<std::int64_t>(each.predicate.relation), address(each.predicate.left),
                           address(each.predicate.right)});
  }
  // Their order only says which is named first of several that refuse.
  std::sort(constraints.begin(), constraints.end());
  constraints.erase(std::unique(constraints.begin(), constraints.end()), constraints.end());
  std::vector<std::int64_t> key;
  for (const space::Parameter& each : sizes.parameters) {
    const std::int64_t is_power = each.is_power_of_two ? 1 : 0;
    key.insert(key.end(), {address(arith::parameter(each.name)), each.least, each.most, is_power});
  }
  for (const Parts& each : constraints) key.insert(key.end(), each.begin(), each.end());
  return key;
}

}  // namespace

Result<space::Space> space_of(const ir::Program& program, const target::Target& target,
                              const ParameterBounds& bounds, bool is_derived) {
  Sizes sizes = sizes_of(program, target, bounds, is_derived);
  return space::Space::make(std::move(sizes.parameters), std::move(sizes.constraints));
}

driver::NamedSizes named_values(const space::Space& space, std::uint64_t rank) {
  driver::NamedSizes values;
  const space::Point point = space.at(rank);
  for (std::size_t at = 0; at < point.size(); ++at)
    values.emplace_back(space.parameters()[at].name, point[at]);
  return values;
}

ir::Program with_values(const ir::Program& program, const driver::NamedSizes& values) {
  return with_values(program, values, [](std::string_view) { return false; });
}

ir::Program with_values(const ir::Program& program, const driver::NamedSizes& values,
                        const std::function<bool(std::string_view)>& is_launched) {
  arith::Substitution replacements;
  for (const auto& [name, value] : values) {
    const arith::Expr number = is_launched(name) ? arith::launched(name, value) : arith::constant(value);
    replacements.emplace(arith::parameter(name).get(), number);
  }
  ir::Program result = program;
  result.function = ir::substitute_sizes(result.function, replacements);
  return result;
}

Result<std::shared_ptr<const space::Space>> Spaces::of(const ir::Program& program,
                                                       const target::Target& target,
                                                       const ParameterBounds& bounds, bool is_derived) {
  Sizes sizes = sizes_of(program, target, bounds, is_derived);
  auto& known = known_[key_of(sizes)];
  if (known) return known;
  auto space = space::Space::make(std::move(sizes.parameters), std::move(sizes.constraints));
  if (!space) return tl::unexpected(space.error());
  known = std::make_shared<const space::Space>(*std::move(space));
  return known;
}

std::vector<std::uint64_t> counts_of(const std::vector<std::shared_ptr<const space::Space>>& spaces) {
  // Counting remembers, so that a space is one thread's.
  std::unordered_map<const space::Space*, std::uint64_t> counts;
  for (const auto& each : spaces) counts.emplace(each.get(), 0);
  const std::vector<std::pair<const space::Space* const, std::uint64_t>*> different = [&] {
    std::vector<std::pair<const space::Space* const, std::uint64_t>*> all;
    for (auto& each : counts) all.push_back(&each);
    return all;
  }();
  share_out(different.size(), usual_threads(), [&](const auto& next) {
    while (const auto number = next()) different[*number]->second = different[*number]->first->count();
  });
  std::vector<std::uint64_t> result;
  result.reserve(spaces.size());
  for (const auto& each : spaces) result.push_back(counts.at(each.get()));
  return result;
}

}  // namespace hoist::variants
