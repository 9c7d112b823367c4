// Combinations of what each nest of a program may become. Most of the interface is each part's, side by side:
// coordinates one after the other, ids in a row. `make` puts the functions that were chosen in the sites'
// places and lowers the whole; which kernel belongs to which part is told by the patterns that lowering
// meets.
//
// A candidate's steps are those of a program as a whole: first it is split in sites, then each site's steps
// follow, at the place of the site. Parameters get other names there than in the part by itself, since
// no name may be used twice (`names_of`).
#include "variants/composition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>
#include <unordered_map>

#include "base/random.hpp"
#include "ir/inspect.hpp"
#include "rewrite/strategies/catalogue.hpp"
#include "rewrite/strategy.hpp"
#include "space/counts.hpp"
#include "target/kinds.hpp"

namespace hoist::variants {

using ir::Term;

namespace {

/// "t12" as its letters and its number; a name without a number has 1.
std::pair<std::string, int> letters_and_number(const std::string& name) {
  std::size_t end = name.size();
  while (end > 0 && std::isdigit(static_cast<unsigned char>(name[end - 1])) != 0) --end;
  return {name.substr(0, end), end == name.size() ? 1 : std::stoi(name.substr(end))};
}

/// Adds a part to what is known of each subterm: those of a function that is not closed, too.
void collect_subterms(Term term, std::size_t part, std::unordered_map<Term, std::size_t>& parts) {
  if (!parts.emplace(term, part).second) return;
  for (Term child : ir::children(term)) collect_subterms(child, part, parts);
}

/// What an id says of a part: ids of one part alone are that part's.
const CandidateId& of_part(const CandidateId& id, std::size_t part) {
  return id.parts.empty() ? id : id.parts[part];
}

CandidateId composed(std::vector<CandidateId> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  return {0, 0, std::move(parts)};
}

}  // namespace

Result<Composition> Composition::of(const rewrite::ProgramInSites& program, const ir::Program& origin,
                                    std::size_t stages_together, const ExplorationOptions& options,
                                    Explored& explored) {
  Composition result;
  result.options_ = options;
  result.stages_together_ = stages_together;
  result.origin_ = origin;
  result.program_ = program;
  ExplorationOptions options_of_part = options;
  options_of_part.is_part = true;
  std::unordered_map<Term, std::size_t> numbers;
  for (const rewrite::Site& site : program.sites) {
    const auto [place, is_new] = numbers.emplace(site.program.function, result.parts_.size());
    result.part_of_site_.push_back(place->second);
    if (!is_new) continue;
    std::shared_ptr<const Exploration>& part = explored[site.program.function];
    if (!part) {
      options_of_part.computed = site.is_staged ? Computed::InTiles : Computed::AsNest;
      auto exploration = Exploration::of(site.program, options_of_part);
      if (!exploration) return tl::unexpected(exploration.error());
      part = std::make_shared<const Exploration>(*std::move(exploration));
    }
    result.stages_ += part->stages();
    result.parts_.push_back(part);
  }
  for (const auto& [name, bound] : options.bounds) {
    const auto has_it = [&name = name](const auto& part) {
      for (std::size_t d = 0; d < part->derivations(); ++d) {
        const auto& all = part->space(d).parameters();
        if (std::any_of(all.begin(), all.end(), [&](const auto& each) { return each.name == name; }))
          return true;
      }
      return false;
    };
    if (std::none_of(result.parts_.begin(), result.parts_.end(), has_it))
      return user_error("no candidate has a tuning parameter ?" + name);
  }
  return result;
}

// ---- Counting and drawing

std::uint64_t Composition::count() const {
  std::uint64_t product = 1;
  for (const auto& part : parts_) {
    const std::uint64_t count = part->count();
    if (count == 0) return 0;
    product = space::saturating_product(product, count);
  }
  return product;
}

CandidateId Composition::at(std::uint64_t rank) const {
  std::vector<CandidateId> ids;
  for (const auto& part : parts_) {
    const std::uint64_t count = part->count();
    ids.push_back(part->at(rank % count));
    rank /= count;
  }
  return composed(std::move(ids));
}

bool Composition::contains(const CandidateId& id) const {
  if (id.parts.size() != (parts_.size() == 1 ? 0 : parts_.size())) return false;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (!of_part(id, p).parts.empty() || !parts_[p]->contains(of_part(id, p))) return false;
  }
  return true;
}

CandidateId Composition::plain() const {
  std::vector<CandidateId> ids;
  for (const auto& part : parts_) ids.push_back(part->plain());
  return composed(std::move(ids));
}

CandidateId Composition::draw(Random& random) const {
  std::vector<CandidateId> ids;
  for (const auto& part : parts_) ids.push_back(part->draw(random));
  return composed(std::move(ids));
}

std::vector<CandidateId> Composition::sample(std::size_t wanted, std::uint64_t seed) const {
  std::vector<CandidateId> result;
  const std::uint64_t all = count();
  if (wanted >= all) {
    for (std::uint64_t rank = 0; rank < all; ++rank) result.push_back(at(rank));
    return result;
  }
  // Each part's own sample, again and again in another order.
  struct Deck {
    std::vector<CandidateId> cards;
    std::size_t next = 0;
  };
  Random random(seed);
  std::vector<Deck> decks;
  for (std::size_t p = 0; p < parts_.size(); ++p) decks.push_back({parts_[p]->sample(wanted, seed + p)});
  std::set<std::string> known;
  while (result.size() < wanted) {
    std::vector<CandidateId> ids;
    for (Deck& deck : decks) {
      if (deck.next == deck.cards.size()) {
        random.shuffle(deck.cards);
        deck.next = 0;
      }
      ids.push_back(deck.cards[deck.next++]);
    }
    CandidateId id = composed(std::move(ids));
    if (known.insert(to_string(id)).second) result.push_back(std::move(id));
  }
  return result;
}

// ---- Coordinates

std::vector<Coordinate> Composition::coordinates(const CandidateId& id) const {
  std::vector<Coordinate> result;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    for (Coordinate& each : parts_[p]->coordinates(of_part(id, p))) {
      each.part = p;
      result.push_back(std::move(each));
    }
  }
  return result;
}

std::optional<std::vector<std::vector<std::int64_t>>> Composition::by_part(
    const std::vector<std::int64_t>& values) const {
  std::vector<std::vector<std::int64_t>> result;
  auto next = values.begin();
  for (const auto& part : parts_) {
    if (next == values.end() || *next < 0 || static_cast<std::size_t>(*next) >= part->derivations())
      return std::nullopt;
    const std::size_t own = 1 + part->space(static_cast<std::size_t>(*next)).parameters().size();
    if (static_cast<std::size_t>(values.end() - next) < own) return std::nullopt;
    const auto end = next + static_cast<std::ptrdiff_t>(own);
    result.emplace_back(next, end);
    next = end;
  }
  return next == values.end() ? std::optional(std::move(result)) : std::nullopt;
}

std::optional<CandidateId> Composition::find(const std::vector<std::int64_t>& values) const {
  const auto own = by_part(values);
  if (!own) return std::nullopt;
  std::vector<CandidateId> ids;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    auto part = parts_[p]->find((*own)[p]);
    if (!part) return std::nullopt;
    ids.push_back(*std::move(part));
  }
  return composed(std::move(ids));
}

std::vector<std::int64_t> Composition::values(const CandidateId& id, std::size_t coordinate) const {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const std::size_t own = 1 + parts_[p]->space(of_part(id, p).derivation).parameters().size();
    if (coordinate < own) return parts_[p]->values(of_part(id, p), coordinate);
    coordinate -= own;
  }
  throw Bug("a coordinate beyond the last");
}

std::vector<CandidateId> Composition::neighbours(const CandidateId& id) const {
  std::vector<CandidateId> result;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    for (CandidateId& each : parts_[p]->neighbours(of_part(id, p))) {
      result.push_back(id);
      (id.parts.empty() ? result.back() : result.back().parts[p]) = std::move(each);
    }
  }
  return result;
}

std::vector<double> Composition::numbers(const std::vector<std::int64_t>& values) const {
  const auto own = by_part(values);
  if (!own) throw Bug("coordinates of no candidate");
  std::vector<double> result;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const std::vector<double> more = parts_[p]->numbers((*own)[p]);
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

// ---- Making and describing

std::vector<std::vector<std::string>> Composition::names_of(const CandidateId& id) const {
  // A rule that chooses a size takes the first name of its letters that the program does not have yet
  // (rewrite::Context::choose).
  std::set<std::string> used;
  std::vector<std::vector<std::string>> result;
  for (const std::size_t part : part_of_site_) {
    const auto& parameters = parts_[part]->space(of_part(id, part).derivation).parameters();
    std::vector<std::size_t> order(parameters.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return letters_and_number(parameters[a].name) < letters_and_number(parameters[b].name);
    });
    std::vector<std::string> names(parameters.size());
    for (const std::size_t each : order) {
      const std::string letters = letters_and_number(parameters[each].name).first;
      std::string& name = names[each];
      name = letters;
      for (int number = 2; !used.insert(name).second; ++number) name = fmt::format("{}{}", letters, number);
    }
    result.push_back(std::move(names));
  }
  return result;
}

driver::NamedSizes Composition::named_values(const CandidateId& id) const {
  driver::NamedSizes result;
  const auto names = names_of(id);
  for (std::size_t site = 0; site < part_of_site_.size(); ++site) {
    const std::size_t part = part_of_site_[site];
    const driver::NamedSizes own = parts_[part]->named_values(of_part(id, part));
    for (std::size_t i = 0; i < own.size(); ++i) result.emplace_back(names[site][i], own[i].second);
  }
  return result;
}

ir::Program Composition::derived(const CandidateId& id) const {
  std::vector<Term> functions;
  const auto names = names_of(id);
  for (std::size_t site = 0; site < part_of_site_.size(); ++site) {
    const std::size_t part = part_of_site_[site];
    const std::size_t derivation = of_part(id, part).derivation;
    const auto& parameters = parts_[part]->space(derivation).parameters();
    arith::Substitution renamed;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      renamed.emplace(arith::parameter(parameters[i].name).get(), arith::parameter(names[site][i]));
    functions.push_back(ir::substitute_sizes(parts_[part]->derivation(derivation).program.function, renamed));
  }
  return with_sites(program_, functions);
}

ir::Program Composition::term(const CandidateId& id) const {
  std::vector<Term> own, functions;
  for (std::size_t p = 0; p < parts_.size(); ++p) own.push_back(parts_[p]->term(of_part(id, p)).function);
  for (const std::size_t part : part_of_site_) functions.push_back(own[part]);
  return with_sites(program_, functions);
}

rewrite::Trace Composition::steps(const CandidateId& id) const {
  const target::Processor processor = target::kind_of(options_.target.language).mapping;
  rewrite::Trace trace;
  ir::Program now = origin_;
  const auto run = [&](const rewrite::Path& path, const rewrite::Strategy& strategy) {
    auto next = rewrite::rewrite(now, rewrite::at_path(path, strategy));
    if (!next)
      throw Bug(fmt::format("a step of candidate {} cannot be repeated in the whole program: {}",
                            to_string(id), next.error().reason));
    now = std::move(next->program);
    trace.insert(trace.end(), next->trace.begin(), next->trace.end());
  };
  if (program_.program.function != origin_.function)
    run({}, rewrite::split_in_sites(processor, stages_together_));
  for (std::size_t site = 0; site < part_of_site_.size(); ++site) {
    const std::size_t part = part_of_site_[site];
    for (const rewrite::Step& step : parts_[part]->derivation(of_part(id, part).derivation).trace) {
      rewrite::Path path = program_.sites[site].path;
      path.insert(path.end(), step.path.begin(), step.path.end());
      const auto named = rewrite::strategy_from_text(step.rule);
      if (!named) throw Bug(fmt::format("the step {} has no strategy", step.rule));
      run(path, named->strategy);
    }
  }
  return trace;
}

Candidate Composition::make(const CandidateId& id, const lower::Options& lowering) const {
  ir::Program low = term(id);
  std::unordered_map<Term, std::size_t> part_of_term;
  const Term body = low.function.as<ir::Lambda>()->body;
  for (std::size_t site = 0; site < part_of_site_.size(); ++site)
    collect_subterms(rewrite::term_at(body, program_.sites[site].path), part_of_site_[site], part_of_term);
  std::vector<std::size_t> part_of_kernel;
  lower::Options watched = lowering;
  watched.kernel_begun = [&](std::size_t kernel, Term pattern) {
    const auto found = part_of_term.find(pattern);
    part_of_kernel.resize(kernel + 1, no_part);
    part_of_kernel[kernel] = found == part_of_term.end() ? no_part : found->second;
  };
  Candidate result = candidate_of(std::move(low), id, named_values(id), watched, options_);
  result.part_of_kernel = std::move(part_of_kernel);
  return result;
}

// ---- How the set came about

std::size_t Composition::derivations() const {
  std::size_t sum = 0;
  for (const auto& part : parts_) sum += part->derivations();
  return sum;
}

std::vector<DerivationSummary> Composition::derivation_summaries() const {
  std::vector<DerivationSummary> list;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    for (DerivationSummary& each : parts_[p]->derivation_summaries()) {
      each.part = p;
      list.push_back(std::move(each));
    }
  }
  return list;
}

bool Composition::is_default() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->is_default(); });
}

std::string Composition::emptied_by() const {
  for (const auto& part : parts_) {
    if (part->count() == 0) return part->emptied_by();
  }
  return "";
}

}  // namespace hoist::variants
