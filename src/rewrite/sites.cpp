// Programs in sites. `in_sites` lets the default mapping run twice: once with a variable in the place of each
// nest, which tells where the nests end up, and once with the nests themselves. A nest under the binders of
// the program around it is closed over what it reads (`close`): so it is a program by itself, and any
// function of the same parameters can be put in its place (`with_sites`).
#include "rewrite/sites.hpp"

#include <fmt/format.h>

#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "ir/inspect.hpp"
#include "ir/print.hpp"
#include "rewrite/default_mapping.hpp"
#include "rewrite/invariants.hpp"
#include "rewrite/nest.hpp"
#include "rewrite/sharing.hpp"
#include "rewrite/stages.hpp"
#include "rewrite/strategies/nests.hpp"
#include "rewrite/strategies/tiled_stages.hpp"

namespace hoist::rewrite {

using ir::Op;
using ir::Term;
using ir::Type;

namespace {

const char* name_of(target::Processor processor) {
  return processor == target::Processor::Gpu ? "gpu" : "cpu";
}

/// The types of the variables that a term reads under binders around it, by their index.
void collect_loose(Term term, std::uint32_t depth, std::map<std::uint32_t, Type>& types,
                   std::unordered_set<Term>& seen) {
  if (term->loose <= depth) return;
  if (const auto* variable = term.as<ir::Bound>()) {
    types.emplace(variable->index - depth, term.type());
    return;
  }
  if (depth == 0 && !seen.insert(term).second) return;
  const auto* function = term.as<ir::Lambda>();
  const std::uint32_t inside =
      depth + (function == nullptr ? 0 : static_cast<std::uint32_t>(function->parameters.size()));
  for (Term child : ir::children(term)) collect_loose(child, inside, types, seen);
}

/// A term with loose indices as a function of them.
struct Closed {
  std::vector<Term> arguments;   ///< the loose variables
  std::vector<Term> parameters;  ///< free variables in their places
  Term body;
};
Closed close(Term term) {
  std::map<std::uint32_t, Type> types;
  std::unordered_set<Term> seen;
  collect_loose(term, 0, types, seen);
  Closed closed;
  // The last parameter of a lambda has index 0. Those that the term does not read may be anything.
  std::vector<Type> all(term->loose, ir::scalar_type(Scalar::I32));
  std::vector<Term> values;
  for (const auto& [index, type] : types) all[all.size() - 1 - index] = type;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto index = static_cast<std::uint32_t>(all.size() - 1 - i);
    values.push_back(ir::fresh(all[i], fmt::format("x{}", i)));
    if (types.count(index) == 0) continue;
    closed.arguments.push_back(ir::bound(index, all[i]));
    closed.parameters.push_back(values.back());
  }
  closed.body = all.empty() ? term : ir::apply(ir::raw_lambda(all, term), values);
  return closed;
}

/// A term over the parameters as one of the arguments again.
Term reopened(const Closed& closed, Term term) {
  if (closed.parameters.empty()) return term;
  return ir::apply(ir::lambda(closed.parameters, term), closed.arguments);
}

/// Where these variables are in a term; those that are nowhere have no path.
void find_paths(Term term, const std::unordered_map<Term, std::size_t>& numbers, Path& here,
                std::vector<std::optional<Path>>& paths) {
  if (!term->has_free) return;
  if (const auto found = numbers.find(term); found != numbers.end()) {
    paths[found->second] = here;
    return;
  }
  const std::vector<Term> children = ir::children(term);
  for (std::size_t i = 0; i < children.size(); ++i) {
    here.push_back(static_cast<std::uint32_t>(i));
    find_paths(children[i], numbers, here, paths);
    here.pop_back();
  }
}

bool has_known_size(Type type) {
  if (ir::is_array(type)) return type->size.constant() && has_known_size(ir::element_of(type));
  return !ir::is_tuple(type) || std::all_of(type->elements.begin(), type->elements.end(), has_known_size);
}

/// Whether all sizes in a term are numbers: those of what an iteration makes longer or shorter are not.
bool has_known_sizes(Term term, std::unordered_set<Term>& seen) {
  if (!seen.insert(term).second) return true;
  const auto is_known = [](arith::Expr size) { return !size || size.constant().has_value(); };
  if (term.as<ir::Lambda>() == nullptr && !has_known_size(term.type())) return false;
  if (const auto* size = term.as<ir::SizeValue>(); size != nullptr && !is_known(size->size)) return false;
  if (const auto* call = term.as<ir::Call>();
      call != nullptr && !std::all_of(call->sizes.begin(), call->sizes.end(), is_known))
    return false;
  const std::vector<Term> children = ir::children(term);
  return std::all_of(children.begin(), children.end(),
                     [&](Term child) { return has_known_sizes(child, seen); });
}

/// The nest with its two outermost dimensions exchanged; nothing where there are no two.
std::optional<Term> with_dimensions_exchanged(Term array) {
  auto nest = nest_of(array);
  if (!nest || nest->rank() < 2) return std::nullopt;
  std::swap(nest->lengths[0], nest->lengths[1]);
  for (NestInput& input : nest->inputs) {
    if (input.dims.size() > 1 && input.dims[1] == 1) {
      input.array = call1(Op::Transpose, {}, input.array);
    } else if (input.dims[0] < 2) {
      input.dims[0] = 1 - input.dims[0];
    }
  }
  return to_term(*nest);
}

/// x |> map(f) |> take(n) as x |> take(n) |> map(f), with other layouts that only say which elements there
/// are alike, and a nest whose result is transposed as one of other dimensions: so the map is outermost.
Term with_map_outermost(Term array) {
  const auto* layout = array.as<ir::Call>();
  if (layout == nullptr) return array;
  if (layout->op == Op::Transpose)
    return with_dimensions_exchanged(with_map_outermost(layout->arguments[0])).value_or(array);
  if (layout->op != Op::Take && layout->op != Op::Drop && layout->op != Op::Gather) return array;
  const Term inside = with_map_outermost(layout->arguments.back());
  const auto* map = inside.as<ir::Call>();
  if (map == nullptr || map->op != Op::Map) return array;
  std::vector<Term> arguments = layout->arguments;
  arguments.back() = map->arguments[1];
  const Term selected = ir::call(layout->op, layout->sizes, std::move(arguments));
  return ir::call(Op::Map, {}, {map->arguments[0], with_map_outermost(selected)});
}

/// How many maps are directly in each other, the outermost being the term.
std::size_t depth_of_maps(Term term) {
  const auto* map = term.as<ir::Call>();
  if (map == nullptr || map->op != Op::Map) return 0;
  return 1 + depth_of_maps(map->arguments[0].as<ir::Lambda>()->body);
}

Term mapped_to_itself(Term array) {
  const Type element = ir::element_of(array.type());
  const Term each = ir::fresh(element, ir::is_array(element) ? "row" : "e");
  const Term body = ir::is_array(element) ? mapped_to_itself(each) : each;
  return ir::call(Op::Map, {}, {ir::lambda(std::vector<Term>{each}, body), array});
}

/// A nest as maps, on which rules work, where it is an array in another form. What loops compute is not
/// copied for that: it is written through the layouts around it.
Term in_maps(Term nest) {
  if (!ir::is_array(nest.type()) || !is_indexable(nest)) return nest;
  const Term array = with_map_outermost(nest);
  const auto* call = array.as<ir::Call>();
  const bool is_generated = call != nullptr && call->op == Op::Generate;
  if (is_generated || depth_of_maps(array) >= ir::rank_of(array.type())) return array;
  if (!contains_loop(array)) return mapped_to_itself(array);
  const bool is_turned_around =
      call != nullptr && (call->op == Op::Transpose || call->op == Op::Split || call->op == Op::Join);
  return is_turned_around ? call1(call->op, call->sizes, in_maps(call->arguments[0])) : array;
}

/// Stages that follow each other, the last of a program being its result, which has no variable; several are
/// one nest, computed tile by tile.
using Group = std::vector<Binding>;

/// All of a group as one term, its last stage being the result.
Term term_of(std::span<const Binding> group) {
  return with_lets(group.first(group.size() - 1), group.back().value);
}

bool can_be_tiled(std::span<const Binding> group) {
  const Term term = term_of(group);
  Context context(term);
  return tile_stages(1)(term, context).has_value();
}

/// A staged term in groups of as many stages as that, fewer where not all can be computed together: what
/// others read is the last of its group. From the last stage on, so that the result has the largest group.
std::vector<Group> groups_of(Term staged, std::size_t most) {
  Group stages;
  const Term result = outside_lets(staged, stages);
  stages.push_back({Term(), result});
  std::vector<Group> groups;
  for (std::size_t end = stages.size(); end > 0;) {
    std::size_t begin = end - 1;
    for (std::size_t first = begin; first > 0 && end - first < most;) {
      --first;
      const auto is_read = [&](const Group& other) {
        return std::any_of(other.begin(), other.end(),
                           [&](const Binding& each) { return mentions(each.value, stages[first].variable); });
      };
      if (std::any_of(groups.begin(), groups.end(), is_read)) break;
      if (can_be_tiled(std::span(stages).subspan(first, end - first))) begin = first;
    }
    const auto group = std::span(stages).subspan(begin, end - begin);
    groups.emplace_back(group.begin(), group.end());
    end = begin;
  }
  std::reverse(groups.begin(), groups.end());
  return groups;
}

/// Maps a staged term, its groups of several stages and all nests by `own` where that gives something.
Term map_groups(Term staged, std::size_t stages_together, target::Processor processor,
                const NestMapping& own) {
  std::vector<std::string> notes;
  if (stages_together < 2) return map_by_default(staged, processor, notes, own);
  Group mapped;
  for (const Group& group : groups_of(staged, stages_together)) {
    const Term together = term_of(group);
    std::optional<Term> value;
    if (group.size() > 1) {
      value = own(together);
    } else if (group.back().variable && !contains_loop(together)) {
      value = together;
    }
    mapped.push_back(
        {group.back().variable, value ? *value : map_by_default(together, processor, notes, own)});
  }
  return term_of(mapped);
}

/// iterate(m, f, x) with so many steps in one, where that divides m: as stages of one step.
Term with_longer_steps(Term term, std::size_t most) {
  if (term.as<ir::Lambda>() != nullptr) return term;
  if (const auto* let = term.as<ir::Let>()) {
    const Term variable = ir::fresh_parameters(*let->body.as<ir::Lambda>())[0];
    const Term body = with_longer_steps(ir::apply(let->body, {variable}), most);
    return ir::let(with_longer_steps(let->value, most), ir::lambda(std::vector<Term>{variable}, body));
  }
  std::vector<Term> children = ir::children(term);
  for (Term& child : children) child = with_longer_steps(child, most);
  const auto* iterate = term.as<ir::Call>();
  if (iterate == nullptr || iterate->op != Op::Iterate) return ir::with_children(term, children);
  const auto* step = iterate->arguments[0].as<ir::Lambda>();
  const std::int64_t steps = iterate->sizes[0].constant().value_or(0);
  std::int64_t together = std::min<std::int64_t>(static_cast<std::int64_t>(most), steps);
  while (together > 1 && steps % together != 0) --together;
  const bool keeps_type = step->parameters.size() == 1 && step->body.type() == step->parameters[0];
  if (together < 2 || !keeps_type || !ir::is_array(step->body.type()))
    return ir::with_children(term, children);
  const Term state = ir::fresh_parameters(*step)[0];
  Group stages;
  for (Term next = state; static_cast<std::int64_t>(stages.size()) < together; next = stages.back().variable)
    stages.push_back({ir::fresh(state.type(), "next"), ir::apply(iterate->arguments[0], {next})});
  std::vector<arith::Expr> sizes = iterate->sizes;
  sizes[0] = steps / together;
  return ir::call(Op::Iterate, std::move(sizes),
                  {ir::lambda(std::vector<Term>{state}, term_of(stages)), children.back()});
}

/// The body in sites, and where they are: computed in the order of their paths.
struct Split {
  Term body;
  std::vector<Path> paths;
};
Split split(Term open_body, target::Processor processor, std::size_t stages_together,
            const std::function<Term(Term)>& closing) {
  std::vector<std::string> notes;
  const Term staged = in_stages(with_longer_steps(open_body, stages_together), notes);
  std::unordered_map<Term, std::size_t> numbers;
  std::size_t met = 0;
  const auto may_be_site = [&](Term nest) {
    const bool is_staged = nest.as<ir::Let>() != nullptr;
    if (met == most_sites || (is_staged && stages_together < 2)) return false;
    // A result that is a stage as it is costs nothing by default: it is computed in its place.
    if (nest.as<ir::Free>() != nullptr) return false;
    std::unordered_set<Term> seen;
    if (!has_known_sizes(nest, seen)) return false;
    // Stages inside of what the default mapping maps, such as the steps of an iteration, are one site or
    // none.
    return !is_staged || groups_of(nest, stages_together).size() == 1;
  };
  const auto mark = [&](Term nest) -> std::optional<Term> {
    if (!may_be_site(nest)) return std::nullopt;
    const Term site = ir::fresh(nest.type(), "site");
    numbers.emplace(site, met++);
    return site;
  };
  const Term marked = closing(map_groups(staged, stages_together, processor, mark));
  std::vector<std::optional<Path>> paths(met);
  Path here;
  find_paths(marked, numbers, here, paths);
  met = 0;
  Split result;
  const auto put = [&](Term nest) -> std::optional<Term> {
    if (!may_be_site(nest)) return std::nullopt;
    return paths[met++] ? std::optional(in_maps(nest)) : std::nullopt;
  };
  result.body = closing(map_groups(staged, stages_together, processor, put));
  for (const auto& path : paths) {
    if (path) result.paths.push_back(*path);
  }
  std::sort(result.paths.begin(), result.paths.end());
  return result;
}

/// A body with loose indices split: it is opened, and closed again.
Split split_loose(Term body, target::Processor processor, std::size_t stages_together) {
  const Closed closed = close(body);
  return split(closed.body, processor, stages_together, [&](Term term) { return reopened(closed, term); });
}

}  // namespace

Result<ProgramInSites> in_sites(const ir::Program& program, target::Processor processor,
                                std::size_t stages_together) {
  return catch_failure([&] {
    const auto* function = program.function.as<ir::Lambda>();
    const Split split = split_loose(function->body, processor, stages_together);
    ProgramInSites result{program, {}};
    result.program.function =
        ir::raw_lambda(function->parameters, split.body, function->names, function->claims);
    for (const Path& path : split.paths) {
      const Closed closed = close(term_at(split.body, path));
      Site site{path, {program.name, {}, {}, {}}, closed.arguments, closed.body.as<ir::Let>() != nullptr};
      for (Term parameter : closed.parameters)
        site.program.parameters.push_back({parameter.as<ir::Free>()->name, parameter.type()});
      site.program.function = ir::lambda(closed.parameters, closed.body);
      result.sites.push_back(std::move(site));
    }
    return result;
  });
}

ir::Program with_sites(const ProgramInSites& program, const std::vector<Term>& functions) {
  ir::Program result = program.program;
  const auto* function = result.function.as<ir::Lambda>();
  const std::function<Term(Term, std::size_t, std::size_t, std::size_t)> put =
      [&](Term term, std::size_t depth, std::size_t first, std::size_t last) -> Term {
    // The sites from `first` to before `last` are inside of the term; their paths begin alike.
    if (first == last) return term;
    const std::vector<Site>& sites = program.sites;
    if (sites[first].path.size() == depth) return ir::apply(functions[first], sites[first].arguments);
    std::vector<Term> children = ir::children(term);
    for (std::size_t begin = first, end = first; begin < last; begin = end) {
      const std::uint32_t child = sites[begin].path[depth];
      while (end < last && sites[end].path[depth] == child) ++end;
      children[child] = put(children[child], depth + 1, begin, end);
    }
    return ir::with_children(term, children);
  };
  const Term body = put(function->body, 0, 0, program.sites.size());
  result.function = ir::raw_lambda(function->parameters, body, function->names, function->claims);
  return result;
}

Strategy split_in_stages() {
  return step("stages", [](Term term, Context& context) -> Outcome {
    if (!context.path.empty()) return declined("it is not the whole program");
    std::vector<std::string> notes;
    const Closed closed = close(term);
    const Term staged = in_stages(closed.body, notes);
    if (staged == closed.body) return declined("it has no stages");
    return reopened(closed, staged);
  });
}

Strategy split_in_sites(target::Processor processor, std::size_t stages_together) {
  const std::string name = stages_together < 2
                               ? fmt::format("sites({})", name_of(processor))
                               : fmt::format("sites({},{})", name_of(processor), stages_together);
  return step(name, [=](Term term, Context& context) -> Outcome {
    if (!context.path.empty()) return declined("it is not the whole program");
    const Term body = split_loose(term, processor, stages_together).body;
    if (body == term) return declined("the program is one nest");
    return body;
  });
}

Strategy map_site(target::Processor processor) {
  return step(fmt::format("mapSite({})", name_of(processor)), [=](Term term, Context&) -> Outcome {
    std::vector<std::string> notes;
    const Closed closed = close(term);
    return reopened(closed, map_by_default(closed.body, processor, notes));
  });
}

}  // namespace hoist::rewrite
