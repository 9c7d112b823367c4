// The shape of a kernel's launch, read off its term before it is lowered.
//
// `collect` notes the extent of every pattern whose elements are shared by work-items or groups, by
// dimension. `kernel_shape` makes the launch of them: groups of mapLcl are as long as the longest map of the
// dimension, within the device's limit; kernels of mapGlb alone get groups of a length that was measured to
// be good (`global_lengths`), and as many as cover the elements.
#include "lower/launch.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include "ir/inspect.hpp"
#include "loop/at_launch.hpp"
#include "lower/memory_needs.hpp"

namespace hoist::lower {

namespace {

using Extents = std::array<std::vector<arith::Expr>, 3>;

struct Usage {
  Extents global, group, local;
  Extents copied;  ///< of the mapLcl that only copy into local memory
  Extents stored;  ///< of those that compute what is kept in local memory
  bool private_of_local = false;
  std::array<std::unordered_set<const ir::TermNode*>, 3> seen;  ///< by purpose: equal terms are one
  std::unordered_set<const ir::TermNode*> seen_outside;
};

bool produces_by_local_map(ir::Term term) {
  if (auto* call = term.as<ir::Call>()) {
    if (call->op == ir::Op::MapLocal) return true;
    if (ir::is_layout(call->op) && !call->arguments.empty()) {
      return produces_by_local_map(call->arguments.back());
    }
  }
  return false;
}

bool computes(ir::Term term) {
  if (term.as<ir::ScalarCall>() || term.as<ir::Cast>()) return true;
  if (auto* call = term.as<ir::Call>();
      call && (ir::is_reduce(call->op) || ir::is_scan(call->op) || ir::is_keyed_reduce(call->op))) {
    return true;
  }
  const std::vector<ir::Term> children = ir::children(term);
  return std::any_of(children.begin(), children.end(), computes);
}

/// What the mapLcl around a term are for.
enum class Purpose : std::uint8_t { Result, Stored, Copied };

void note_extent(const ir::Call& call, Usage& usage, Purpose purpose) {
  Extents* extents = nullptr;
  switch (ir::sharing(call.op)) {
    case ir::Sharing::Nobody:
      return;
    case ir::Sharing::WorkItems:
      extents = &usage.global;
      break;
    case ir::Sharing::Groups:
      extents = &usage.group;
      break;
    case ir::Sharing::ItemsOfGroup:
      extents = purpose == Purpose::Result || !ir::is_map(call.op) ? &usage.local
                : purpose == Purpose::Stored                       ? &usage.stored
                                                                   : &usage.copied;
      break;
  }
  auto dimension = static_cast<std::size_t>(call.sizes.at(0).constant().value_or(0));
  const arith::Expr length = call.arguments.back().type()->size;
  if (call.op == ir::Op::ReduceByKeyLocal) {
    (*extents)[dimension].push_back(arith::minimum(length, most_keyed_items));
  } else {
    (*extents)[dimension].push_back(length);
  }
  // The accumulators are shared out, too.
  if (call.op == ir::Op::ReduceByKeyGlobal) (*extents)[dimension].push_back(call.arguments[1].type()->size);
}

void collect(ir::Term term, Usage& usage, Purpose purpose = Purpose::Result) {
  if (!usage.seen[static_cast<std::size_t>(purpose)].insert(term.get()).second) return;
  if (auto* call = term.as<ir::Call>()) {
    note_extent(*call, usage, purpose);
    if (call->op == ir::Op::ToLocal && purpose != Purpose::Copied)
      purpose = computes(call->arguments[0]) ? Purpose::Stored : Purpose::Copied;
    if (call->op == ir::Op::ToPrivate && produces_by_local_map(call->arguments[0]))
      usage.private_of_local = true;
    if (ir::is_reduce(call->op) && ir::is_array(term.type())) usage.private_of_local = true;
    for (ir::Term argument : call->arguments) collect(argument, usage, purpose);
    return;
  }
  for (ir::Term child : ir::children(term)) collect(child, usage, purpose);
}

/// Collects from the term that a kernel computes, without what kernels before this one have computed for it.
void collect_own(ir::Term term, Usage& usage, bool is_outermost = true) {
  if ((!is_outermost && is_producer(term)) || !usage.seen_outside.insert(term.get()).second) return;
  if (term.as<ir::If>()) return collect(term, usage);  // only the kernel knows which branch it needs
  if (auto* let = term.as<ir::Let>()) {
    collect_own(let->value, usage, false);
    return collect_own(let->body.as<ir::Lambda>()->body, usage, false);
  }
  if (auto* call = term.as<ir::Call>()) {
    note_extent(*call, usage, Purpose::Result);
    if (ir::is_reduce(call->op) && ir::is_array(term.type())) usage.private_of_local = true;
  }
  for (ir::Term child : ir::children(term)) {
    if (child.as<ir::Lambda>()) {
      collect(child, usage);
    } else {
      collect_own(child, usage, false);
    }
  }
}

bool any(const Extents& extents) {
  return std::any_of(extents.begin(), extents.end(), [](const auto& list) { return !list.empty(); });
}

/// The largest of the extents that are constants, and whether others were seen.
struct Largest {
  std::int64_t constant = 0;
  arith::Expr symbolic;
};
Largest largest(const std::vector<arith::Expr>& extents) {
  Largest result;
  for (arith::Expr extent : extents) {
    if (auto value = extent.constant()) {
      result.constant = std::max(result.constant, *value);
    } else if (!result.symbolic || arith::is_less(result.symbolic, extent)) {
      result.symbolic = extent;
    }
  }
  return result;
}

/// How long groups are along a dimension: as what computes the result is; as what is kept in local memory,
/// where that is much longer; as what is copied, where nothing computes. A copy, or a stage, may be longer
/// than what is computed from it by the halo of a stencil: then its work-items go on in a loop.
void add_kept(Usage& usage) {
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<arith::Expr>& own = usage.local[d];
    const std::vector<arith::Expr>& stored = usage.stored[d];
    const bool is_halo = !own.empty() && !stored.empty() && largest(own).constant > 0 &&
                         !largest(stored).symbolic && largest(stored).constant <= 2 * largest(own).constant;
    if (!is_halo) own.insert(own.end(), stored.begin(), stored.end());
    if (own.empty()) own = usage.copied[d];
  }
}

/// The lengths of groups of kernels that only use mapGlb. Many work-items go in large groups, since a GPU
/// starts groups at a limited rate; few in small ones, so that every compute unit gets some. Measured on one
/// H200: an elementwise kernel of 2^26 is 1.3 to 1.5 times as fast in groups of 512 as of 128, a sum of 8192
/// rows by one work-item each 2.5 times slower; 3D stencils by columns of planes take 0.93 of the time in
/// groups of 32 x 8 that they take in groups of 64 x 4 x 2.
std::array<std::int64_t, 3> global_lengths(std::size_t dimensions, std::optional<std::int64_t> items) {
  constexpr std::int64_t many = 1 << 20, few = 1 << 15;
  if (items && *items >= many) {
    return dimensions == 1   ? std::array<std::int64_t, 3>{512, 1, 1}
           : dimensions == 2 ? std::array<std::int64_t, 3>{64, 8, 1}
                             : std::array<std::int64_t, 3>{32, 8, 1};
  }
  if (items && *items <= few)
    return dimensions == 1 ? std::array<std::int64_t, 3>{64, 1, 1} : std::array<std::int64_t, 3>{32, 2, 1};
  return dimensions == 1 ? std::array<std::int64_t, 3>{128, 1, 1} : std::array<std::int64_t, 3>{32, 4, 1};
}

/// The lengths of groups of mapLcl: as many work-items as the longest map of each dimension has elements,
/// within the device's limit; where lengths are only known at the launch, a middling group whose loops
/// stride.
std::array<std::int64_t, 3> local_lengths(const Extents& extents, std::int64_t limit) {
  std::array<std::int64_t, 3> lengths{1, 1, 1};
  for (std::size_t d = 0; d < 3; ++d) {
    Largest l = largest(extents[d]);
    lengths[d] = l.constant > 0 ? l.constant : l.symbolic ? (d == 0 ? 64 : 4) : 1;
  }
  while (lengths[0] * lengths[1] * lengths[2] > limit) {
    std::size_t longest = 2;
    for (std::size_t d : {1U, 0U}) {
      if (lengths[d] > lengths[longest]) longest = d;
    }
    lengths[longest] = (lengths[longest] + 1) / 2;
  }
  return lengths;
}

/// The same with the numbers that kernels learn at their launch where these say how long groups are. Not
/// where groups were too large so, and go on in loops: nothing else says how long these are.
std::array<arith::Expr, 3> learned_lengths(const Extents& extents, const std::array<std::int64_t, 3>& lengths,
                                           std::int64_t limit) {
  std::array<arith::Expr, 3> known, learned;
  std::int64_t items = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    const Largest l = largest(extents[d]);
    known[d] = learned[d] = lengths[d];
    if (l.constant == 0 && l.symbolic && loop::is_launched(l.symbolic)) learned[d] = l.symbolic;
    items *= std::min(*arith::known_value(learned[d]), limit + 1);
  }
  return items > limit ? known : learned;
}

/// Has work-items, or groups, go on in a loop where a device launches fewer groups in a dimension than there
/// are elements.
void limit_groups(loop::LaunchRange& launch, const std::array<std::size_t, 3>& most_groups) {
  for (std::size_t d = 0; d < 3; ++d) {
    const auto global = arith::known_value(launch.global[d]), local = arith::known_value(launch.local[d]);
    const auto most = static_cast<std::int64_t>(most_groups[d]);
    if (global && local && *global / *local > most)
      launch.global[d] = arith::constant(most) * launch.local[d];
  }
}

/// How many work-items a group may have. On a processor all of them lie on one stack, with what each makes by
/// itself.
std::int64_t most_of_a_group(ir::Term term, const target::Target& target) {
  const std::int64_t most = target.most_launched_together();
  if (target.type != target::Type::Cpu) return most;
  const std::int64_t kept = std::min(largest_of_one_work_item(term), most_private_bytes);
  return kept == 0 ? most : std::clamp<std::int64_t>(most_private_bytes_of_group / kept, 1, most);
}

}  // namespace

bool contains_parallel_map(ir::Term term) {
  Usage usage;
  collect(term, usage);
  add_kept(usage);
  return any(usage.global) || any(usage.group) || any(usage.local);
}

KernelShape kernel_shape(ir::Term term, const Options& options) {
  Usage usage;
  collect_own(term, usage);
  add_kept(usage);
  KernelShape shape;
  shape.uses_global = any(usage.global);
  shape.uses_groups = any(usage.group);
  shape.uses_local = any(usage.local);
  shape.spreads_private = shape.uses_local && usage.private_of_local;
  if (shape.uses_global && (shape.uses_groups || shape.uses_local)) {
    throw_user("one kernel mixes mapGlb with mapWrg or mapLcl",
               "mapGlb numbers work-items over all groups, mapWrg and mapLcl number groups and the "
               "work-items inside",
               "use mapWrg and mapLcl together, or mapGlb alone");
  }
  if (shape.uses_global) {
    std::size_t dimensions = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      if (!usage.global[d].empty()) dimensions = d + 1;
    }
    arith::Expr items = 1;
    for (const auto& extents : usage.global) {
      if (!extents.empty())
        items = items * arith::constant(std::max<std::int64_t>(largest(extents).constant, 1));
      if (!extents.empty() && largest(extents).symbolic) items = items * largest(extents).symbolic;
    }
    auto lengths = global_lengths(dimensions, items.constant());
    while (lengths[0] * lengths[1] * lengths[2] > options.target.most_launched_together()) {
      auto longest = std::max_element(lengths.begin(), lengths.end());
      *longest = (*longest + 1) / 2;
    }
    for (std::size_t d = 0; d < 3; ++d) {
      if (usage.global[d].empty()) continue;
      Largest l = largest(usage.global[d]);
      std::int64_t length = lengths[d];
      arith::Expr extent = l.symbolic ? l.symbolic : arith::constant(l.constant);
      if (!l.symbolic) length = std::clamp<std::int64_t>(l.constant, 1, length);
      shape.launch.local[d] = length;
      shape.launch.global[d] = arith::ceiling_quotient(extent, length) * length;
    }
  } else {
    const std::int64_t most = most_of_a_group(term, options.target);
    shape.launch.local = learned_lengths(usage.local, local_lengths(usage.local, most), most);
    for (std::size_t d = 0; d < 3; ++d) {
      Largest l = largest(usage.group[d]);
      arith::Expr groups = l.symbolic ? l.symbolic : arith::constant(std::max<std::int64_t>(l.constant, 1));
      shape.launch.global[d] = groups * shape.launch.local[d];
    }
  }
  if (options.local_size) shape.launch.local = *options.local_size;
  if (options.global_size) {
    shape.launch.global = *options.global_size;
  } else if (options.local_size) {
    // Groups as before; or as many as cover the elements of mapGlb.
    KernelShape derived = kernel_shape(term, [&] {
      Options plain = options;
      plain.local_size.reset();
      return plain;
    }());
    for (std::size_t d = 0; d < 3; ++d) {
      arith::Expr local = shape.launch.local[d];
      arith::Expr old_local = derived.launch.local[d];
      shape.launch.global[d] = shape.uses_global
                                   ? arith::ceiling_quotient(derived.launch.global[d], local) * local
                                   : arith::exact_quotient(derived.launch.global[d], old_local) * local;
    }
  }
  if (!options.global_size) limit_groups(shape.launch, options.target.most_groups());
  return shape;
}

}  // namespace hoist::lower
