// Derives low-level programs from an algorithm: a search over sequences of rewrite rules, in three stages.
//
//   x |> map(f)                             the program
//   x |> split(?t) |> mapWrg(...)           1. macro rules rewrite it: here a group gets a tile of open size
//   ... mapLcl(f) ...                       2. what they leave open is mapped to the device's hierarchy
//   ... toLocal(...) ...                    3. values that are used again are copied to faster memory
//
// `moves_for` lists the macro rules for a device, with the kinds that exclude each other: a program is tiled
// once outside, once inside a group, and so on. `algorithmic` is the first stage, a breadth-first search that
// keeps each program once; `map_hierarchy` the second; `place` the third, with copies in local memory (one
// way for each array, or none), in registers, and prefetching (software pipelining). What no device likes is
// discarded between the stages (`discarded_for`, `copies_for`), with the reason counted. `copies_for` lowers
// a copy at some points and keeps it where its work-items read neighbours, that is coalesced.
//
// Read `Deriver::run` first. Everything is done in a fixed order, so that a derivation has the same number in
// every run. `replay` does the steps of a derivation again, each by its name at its place.
#include "variants/derive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_set>

#include "base/parallel.hpp"
#include "driver/work.hpp"
#include "ir/arena.hpp"
#include "ir/inspect.hpp"
#include "lower/lower.hpp"
#include "rewrite/strategies/catalogue.hpp"
#include "rewrite/strategies/hierarchy.hpp"
#include "rewrite/strategies/hoisting.hpp"
#include "rewrite/strategies/loops.hpp"
#include "rewrite/strategies/memory.hpp"
#include "rewrite/strategies/nests.hpp"
#include "rewrite/strategies/reductions.hpp"
#include "rewrite/strategies/stencils.hpp"
#include "rewrite/strategies/tiled_stages.hpp"
#include "rewrite/strategies/vectors.hpp"
#include "rewrite/strategy.hpp"
#include "variants/open_sizes.hpp"
#include "variants/structure.hpp"

namespace hoist::variants {

using ir::Op;
using ir::Term;
using rewrite::Context;
using rewrite::Dealing;
using rewrite::Outcome;
using rewrite::Strategy;
using rewrite::TileOwner;

namespace {

/// A macro rule that may be applied, at the outermost place where it fits.
struct Move {
  std::string name;
  Strategy strategy;
  std::vector<std::string> kinds;  ///< moves that share one exclude each other
  std::string not_after;           ///< a kind of moves after which this one is of no use
  std::string only_after = "";     ///< a kind of moves without which it is of no use
};

/// Of vectors that are worth their loads and stores, where registers hold as many.
constexpr std::int64_t least_lanes = 4;
constexpr std::size_t matrix_maps = 2;  ///< over the elements of a matrix

/// Of moves that say how a launch's work-items are grouped, and nothing else.
constexpr const char* kind_of_launches = "launch";

/// The strategy where the term is inside one of the maps `ops` and in none of `not_in`; declined elsewhere.
Strategy inside(std::vector<Op> ops, std::vector<Op> not_in, Strategy strategy) {
  return [=](Term term, Context& context) -> Outcome {
    const auto is_in = [&](const std::vector<Op>& maps) {
      return std::any_of(context.enclosing.begin(), context.enclosing.end(), [&](const auto& around) {
        // Groups share out a nest along dimension 0 first; others alone have a chunk of a reduction.
        if (around.first == Op::MapGroup && !around.second.is_constant(0)) return false;
        return std::find(maps.begin(), maps.end(), around.first) != maps.end();
      });
    };
    if (is_in(ops) && !is_in(not_in) && context.unshared == 0) return strategy(term, context);
    return rewrite::declined("it does not stand inside the parallel map that it needs around it");
  };
}

/// Outer tiles: guarded where the sizes at hand ask for it.
Strategy tile_any(std::size_t rank, TileOwner owner) {
  return rewrite::or_else(rewrite::tile_nest(rank, {Dealing::Neighbours, owner, true}),
                          rewrite::tile_nest(rank, {Dealing::Neighbours, owner}));
}

/// Reductions over groups are worth a second kernel where the nest's elements are fewer than the work-items
/// that the processor holds at once, and where what is reduced is much longer than the chunks.
rewrite::SplitBounds split_bounds(const target::Machine& machine) {
  constexpr std::int64_t least_length = 2048;
  return {machine.compute_units * machine.items_per_unit, least_length};
}

/// Of the profile's widest vector of floats.
std::int64_t vector_bytes(const target::Profile& profile) {
  return *std::ranges::max_element(profile.widths) * static_cast<std::int64_t>(size_of(Scalar::F32));
}

std::vector<Move> moves_for(const target::Target& target) {
  const target::Profile& profile = target.profile;
  std::vector<Move> moves;
  const auto add = [&](std::string name, Strategy strategy, std::vector<std::string> kinds,
                       std::string not_after = "") {
    moves.push_back(
        {std::move(name), rewrite::top_down(std::move(strategy)), std::move(kinds), std::move(not_after)});
  };
  if (profile.has_groups) {
    const rewrite::SplitBounds bounds = split_bounds(target.machine);
    add("splitReduction",
        rewrite::or_else(rewrite::split_reduction_guarded(bounds), rewrite::split_reduction(bounds)),
        {"split"}, "outer");
  }
  add("mapVectors", rewrite::map_in_vectors_of_bytes(vector_bytes(profile)), {"vectors"}, "outer");
  for (const std::int64_t width : profile.widths) {
    add("streamWindows " + std::to_string(width),
        rewrite::or_else(rewrite::stream_windows(width, true), rewrite::stream_windows(width)),
        {"outer", "stream"});
  }
  // The groups of other launches are as large as the tiles of groups that they have.
  if (profile.has_groups) {
    add("itemsInGroups", rewrite::items_in_groups(), {"inner", "chunks", "registers", kind_of_launches});
    moves.back().only_after = "stream";
  }
  for (std::size_t rank = 1; rank <= 3; ++rank) {
    const std::string n = std::to_string(rank);
    add("tileItems " + n, tile_any(rank, TileOwner::WorkItem), {"outer"});
    if (!profile.has_groups) continue;
    add("tileGroups " + n, tile_any(rank, TileOwner::Group), {"outer"});
    for (const Dealing dealing : {Dealing::Neighbours, Dealing::Blocks}) {
      add(dealing == Dealing::Blocks ? "tileLocalBlocks " + n : "tileLocal " + n,
          inside({Op::MapGroup}, {}, rewrite::tile_nest(rank, {dealing, TileOwner::ItemOfGroup})), {"inner"},
          "chunks");
    }
  }
  for (const std::int64_t width : profile.widths) {
    const std::string w = std::to_string(width);
    if (profile.has_dot && width > 1) add("dotVectors " + w, rewrite::dot_vectors(width), {"vectors"});
    if (!profile.has_groups) continue;
    add("reduceByGroups " + w, rewrite::reduce_by_groups(width), {"outer", "inner", "chunks", "registers"},
        "vectors");
    add("reduceInGroup " + w,
        inside({Op::MapGroup}, {Op::MapLocal, Op::ReduceSeq}, rewrite::reduce_in_group(width)),
        {"inner", "chunks", "registers"}, "vectors");
    add("rowInGroup " + w,
        inside({Op::MapGroup}, {Op::MapLocal, Op::ReduceSeq}, rewrite::row_in_group(width)),
        {"inner", "chunks", "registers"}, "vectors");
  }
  if (profile.has_groups) {
    for (std::size_t rank = 1; rank <= 3; ++rank)
      add("groups " + std::to_string(rank), rewrite::map_nest(rank, TileOwner::Group), {"outer"});
    const Strategy by_chunks =
        rewrite::or_else(rewrite::hoist_reduce_by_guarded_chunks(), rewrite::hoist_reduce_by_chunks());
    add("hoistReduceByChunks", inside({Op::MapGroup}, {Op::MapLocal}, by_chunks), {"chunks"});
    add("tileAccumulationLocal", rewrite::tile_accumulation({Dealing::Neighbours, TileOwner::ItemOfGroup}),
        {"inner"});
    add("tileAccumulationLocalBlocks", rewrite::tile_accumulation({Dealing::Blocks, TileOwner::ItemOfGroup}),
        {"inner"});
  }
  add("hoistReduceByColumns", inside({Op::MapLocal, Op::MapGlobal}, {}, rewrite::hoist_reduce_by_columns()),
      {"chunks"});
  add("hoistReduce", inside({Op::MapLocal, Op::MapGlobal}, {}, rewrite::hoist_reduce()), {"registers"});
  return moves;
}

/// A program between its stages.
struct State {
  Term function;
  rewrite::Trace trace;
  std::vector<std::string> kinds;  ///< of the moves made
};

/// The body of the program rewritten; nothing where the strategy declines.
std::optional<State> after(const State& state, const Strategy& strategy) {
  const auto* function = state.function.as<ir::Lambda>();
  Context context(state.function);
  const Outcome body = strategy(function->body, context);
  if (!body) return std::nullopt;
  State next = state;
  next.function = ir::raw_lambda(function->parameters, *body, function->names);
  next.trace.insert(next.trace.end(), context.trace.begin(), context.trace.end());
  return next;
}

// ---- Heuristics that discard mapped programs that no device runs well.

/// Whether a reduction of many elements is outside of all parallel maps.
bool reduces_alone(Term term) {
  constexpr std::int64_t many = 256;
  if (const auto* call = term.as<ir::Call>()) {
    if (ir::is_parallel_map(call->op)) return false;
    if (ir::is_reduce(call->op) && call->arguments.back().type()->size.constant().value_or(many) >= many)
      return true;
    const bool is_keyed = call->op == Op::ReduceByKey || call->op == Op::ReduceByKeySeq;
    if (is_keyed && call->arguments[3].type()->size.constant().value_or(many) >= many) return true;
  }
  const std::vector<Term> children = ir::children(term);
  return std::any_of(children.begin(), children.end(), reduces_alone);
}

/// Whether the groups of a kernel have one work-item each.
bool has_group_of_one(Term term) {
  if (const auto* call = term.as<ir::Call>(); call != nullptr && call->op == Op::MapGroup) {
    return !ir::needs_group(term);
  }
  const std::vector<Term> children = ir::children(term);
  return std::any_of(children.begin(), children.end(), has_group_of_one);
}

/// Why a mapped program is discarded; empty where it is not.
std::string discarded_for(Term function) {
  const auto has = [&](Op op) { return ir::has_call(function, op); };
  if (!has(Op::MapGlobal) && !has(Op::MapGroup)) return "nothing is parallel";
  if (has_group_of_one(function)) return "groups of one work-item";
  if (reduces_alone(function)) return "a long reduction by one work-item";
  return "";
}

class Deriver {
 public:
  Deriver(const ir::Program& program, const target::Target& target, const DerivationBounds& bounds)
      : program_(program), target_(target), profile_(target.profile), bounds_(bounds) {}

  Derivations run() {
    const std::vector<State> loops = with_loops();
    if (is_blocked_) {
      for (const State& each : loops) add(each);
      stages().placed = result_.list.size();
      return std::move(result_);
    }
    const std::vector<State> algorithms = algorithmic();
    stages().algorithms = algorithms.size();
    std::vector<State> mapped;
    std::unordered_set<Term> known;
    for (const State& each : algorithms) {
      if (!mapped.empty() && is_over()) break;
      auto next = after(each, rewrite::map_hierarchy());
      if (!next) {
        ++stages().declined["map"];
        continue;
      }
      if (const std::string reason = discarded_for(next->function); !reason.empty()) {
        ++stages().discarded[reason];
        continue;
      }
      if (known.insert(next->function).second) mapped.push_back(std::move(*next));
    }
    stages().mapped = mapped.size();
    // In portions, since time may be over before all are looked at.
    const std::size_t portion = portions_per_thread * threads_;
    for (std::size_t begin = 0; begin < mapped.size(); begin += portion) {
      if (!result_.list.empty() && is_over()) break;
      place_all(std::span(mapped).subspan(begin, std::min(portion, mapped.size() - begin)));
    }
    for (const State& each : loops) add(each);
    stages().placed = result_.list.size();
    return std::move(result_);
  }

 private:
  Stages& stages() { return result_.stages; }
  bool is_over() const { return bounds_.is_over && bounds_.is_over(); }

  /// All programs that up to `steps` macro rules make, by breadth-first search.
  std::vector<State> algorithmic() {
    const std::vector<Move> moves = moves_for(target_);
    std::vector<State> all{{program_.function, {}, {}}};
    seen_.insert(program_.function);
    std::size_t begin = 0;
    for (std::size_t step = 0; step < bounds_.steps; ++step) {
      const std::size_t end = all.size();
      for (std::size_t i = begin; i < end && all.size() < bounds_.programs && !is_over(); ++i) {
        for (const Move& move : moves) {
          const auto has_made = [&](const std::string& kind) {
            return std::find(all[i].kinds.begin(), all[i].kinds.end(), kind) != all[i].kinds.end();
          };
          if (has_made(move.not_after) || std::any_of(move.kinds.begin(), move.kinds.end(), has_made))
            continue;
          if (!move.only_after.empty() && !has_made(move.only_after)) continue;
          auto next = after(all[i], move.strategy);
          if (!next) {
            ++stages().declined[move.name];
            continue;
          }
          if (!seen_.insert(next->function).second) continue;
          next->kinds.insert(next->kinds.end(), move.kinds.begin(), move.kinds.end());
          all.push_back(std::move(*next));
        }
      }
      begin = end;
    }
    return all;
  }

  /// Nests of loops that may be in any order, where the target has vectors in its processor's registers.
  std::vector<State> with_loops() {
    if (target_.language != target::Language::Host) return {};
    const auto work = driver::work_of(program_);
    const auto plain = after({program_.function, {}, {}}, rewrite::plain_loops());
    if (!work || !plain) return {};
    ir::Program program = program_;
    program.function = plain->function;
    const auto loops = orderable_loops(program);
    if (!loops) return {};
    ir::Type element = plain->function.as<ir::Lambda>()->body.type();
    while (ir::is_array(element)) element = ir::element_of(element);
    const auto bytes = static_cast<std::int64_t>(size_of(element->scalar));
    const std::int64_t widest = target_.preferred_f32_vector * std::int64_t{4} / bytes;
    // Where the caches hold all arrays, no loop is cut for them; where the nearest does, nothing is copied.
    std::vector<State> all;
    const bool is_cached = work->bytes <= static_cast<double>(target_.machine.l2_bytes) / 2;
    if (is_cached) all = ordered(*loops, widest);
    if (work->bytes > static_cast<double>(target_.machine.l1_bytes)) blocked(*loops, widest, bytes, all);
    is_blocked_ = !is_cached && !all.empty() && loops->maps == matrix_maps;
    return all;
  }

  /// The nest as loops in any order, with lanes along each that they divide.
  std::vector<State> ordered(const lower::LoopsToOrder& loops, std::int64_t widest) const {
    std::vector<State> all;
    const std::int64_t least = std::min(least_lanes, widest);
    for (std::size_t l = 1; widest > 1 && l <= loops.lengths.size(); ++l) {
      // Half of the widest may do where only as many iterations are side by side in an array.
      constexpr int different = 2;
      int found = 0;
      for (std::int64_t width = widest; width >= least && found < different; width /= 2) {
        if (loops.lengths[l - 1] % width != 0) continue;
        ++found;
        add_if_compiled(rewrite::order_loops(l, width, loops.lengths), all);
      }
    }
    return all;
  }

  /// Reductions of two arrays, with lanes along the loop whose elements of the result are neighbours, in
  /// tiles for the caches: once for each loop whose iterations may be the rows of a body.
  void blocked(const lower::LoopsToOrder& loops, std::int64_t widest, std::int64_t bytes,
               std::vector<State>& all) const {
    using rewrite::LoopRole;
    if (loops.maps == loops.lengths.size() || loops.operands.size() != 2 || !loops.side_by_side) return;
    const std::size_t lanes = *loops.side_by_side;
    if (loops.operands[0][lanes] == loops.operands[1][lanes]) return;
    const std::size_t of_lanes = loops.operands[0][lanes] ? 0 : 1, of_rows = 1 - of_lanes;
    const auto is_of = [&](std::size_t operand, std::size_t l) {
      return loops.operands[operand][l] && !loops.operands[1 - operand][l];
    };
    std::int64_t width = widest;
    while (width > least_lanes && width / 2 >= loops.lengths[lanes]) width /= 2;
    for (std::size_t rows = 0; rows < loops.maps; ++rows) {
      if (!is_of(of_rows, rows)) continue;
      rewrite::Blocking blocking;
      blocking.width = width;
      blocking.scalars = static_cast<std::int64_t>(target_.local_memory) / bytes;
      const auto operand = [&](std::size_t number) {
        const auto along = loops.along[number];
        return rewrite::Blocking::Operand{number + 1, along ? *along + 1 : 0};
      };
      blocking.rows_operand = operand(of_rows);
      blocking.lanes_operand = operand(of_lanes);
      for (std::size_t l = 0; l < loops.lengths.size(); ++l) {
        const bool is_map = l < loops.maps;
        const LoopRole role = l == rows                      ? LoopRole::Rows
                              : l == lanes                   ? LoopRole::Lanes
                              : is_map && is_of(of_rows, l)  ? LoopRole::OfRows
                              : is_map && is_of(of_lanes, l) ? LoopRole::OfLanes
                                                             : LoopRole::Other;
        blocking.loops.push_back({role, loops.lengths[l]});
      }
      add_if_compiled(rewrite::block_loops(std::move(blocking)), all);
    }
  }

  void add_if_compiled(const Strategy& strategy, std::vector<State>& all) const {
    auto next = after({program_.function, {}, {}}, strategy);
    if (next && compiles(next->function)) all.push_back(*std::move(next));
  }

  /// Whether the first of a program's candidates becomes kernels.
  bool compiles(Term function) const {
    ir::Program program = program_;
    program.function = function;
    const auto space = space_of(program, target_);
    if (!space || space->count() == 0) return false;
    const ir::Arena of_this_candidate;
    return lower::lower(with_values(program, named_values(*space, 0))).has_value();
  }

  void add(const State& state) {
    if (!placed_.insert(state.function).second || result_.list.size() >= bounds_.programs) return;
    Derivation derivation{program_, state.trace};
    derivation.program.function = state.function;
    result_.list.push_back(std::move(derivation));
  }

  /// Places programs in memory, in their order. Which copies are worth it is found out by several threads,
  /// in arenas inside this thread's, which makes no terms meanwhile.
  void place_all(std::span<const State> states) {
    std::vector<LocalCopies> copies(states.size());
    const ir::LentArena lent = ir::LentArena::of_this_thread();
    share_out(states.size(), threads_, [&](const auto& next) {
      const ir::Arena of_this_thread(lent);
      while (const auto number = next()) copies[*number] = copies_for(states[*number]);
    });
    for (std::size_t i = 0; i < states.size(); ++i) {
      for (const auto& [reason, count] : copies[i].discarded) stages().discarded[reason] += count;
      place(states[i], copies[i].worth_it);
    }
  }

  /// Adds the program with and without copies in local memory, with what its loops read in registers or,
  /// without copies, not, and each of these with prefetching, too.
  void place(const State& state, const std::vector<rewrite::GroupCopy>& copies) {
    for (const State& local : with_local_copies(state, copies, 0)) {
      std::vector<State> all = with_private_copies(local);
      // Without copies to local memory caches may serve its loops as well as registers do; with them, this
      // would be a third more programs, of which none was among the first sixteen by the model of an H200.
      if (local.function == state.function) all.push_back(local);
      for (const State& held : all) {
        add(held);
        const auto outer = after(held, rewrite::top_down(rewrite::prefetch_copies()));
        if (!outer) continue;
        add(*outer);
        if (const auto both = after(*outer, rewrite::bottom_up(rewrite::prefetch_copies()))) add(*both);
      }
    }
  }

  static std::optional<State> with_copy(const State& state, const rewrite::GroupCopy& copy) {
    return after(state, rewrite::bottom_up(rewrite::copy_to_local(copy)));
  }

  /// Copies of single arrays, element by element.
  struct LocalCopies {
    std::vector<rewrite::GroupCopy> worth_it;  ///< their work-items read neighbours
    std::map<std::string, std::size_t> discarded;
  };
  LocalCopies copies_for(const State& state) const {
    LocalCopies found;
    // What a launch's groups are does not change what its work-items share: nothing that is copied.
    const bool is_launch =
        std::find(state.kinds.begin(), state.kinds.end(), kind_of_launches) != state.kinds.end();
    if (!profile_.has_local_memory || is_launch) return found;
    constexpr std::size_t most_parts = 4, most_dimensions = 4;
    for (std::size_t part = 0; part < most_parts; ++part) {
      for (std::size_t along = 0; along < most_dimensions; ++along) {
        for (const auto order : {rewrite::CopyOrder::Even, rewrite::CopyOrder::Rows}) {
          const rewrite::GroupCopy copy{part, along, 1, order, along, 0};
          // Only the verdict outlives the copy.
          const ir::Arena of_this_copy;
          const auto next = with_copy(state, copy);
          if (!next) continue;
          const std::optional<double> lines = copy_lines(next->function);
          if (!lines) continue;  // no sizes fit
          if (*lines == 0) {
            ++found.discarded["a copy of what is not in global memory"];
          } else if (*lines <= most_lines_at_best) {
            found.worth_it.push_back(copy);
          } else {
            ++found.discarded["a copy whose work-items read no neighbours"];
          }
          break;
        }
      }
    }
    return found;
  }

  /// How many lines copies into local memory touch for each that they need (Structure::copy_lines), at the
  /// best of some points, or at the first that is good enough; nothing where no sizes fit.
  std::optional<double> copy_lines(Term function) const {
    ir::Program program = program_;
    program.function = function;
    const auto space = space_of(program, target_);
    if (!space) return std::nullopt;
    constexpr std::size_t points = 16;
    std::optional<double> best;
    for (const std::uint64_t rank : space->sample(points, 1)) {
      const ir::Arena of_this_point;
      const auto lines = copy_lines_of(with_values(program, named_values(*space, rank)), target_.machine);
      if (!lines) continue;
      best = best ? std::min(*best, *lines) : *lines;
      if (*best <= most_lines_at_best) break;
    }
    return best;
  }

  std::vector<State> with_local_copies(const State& state, const std::vector<rewrite::GroupCopy>& copies,
                                       std::size_t part) {
    std::vector<State> all{state};
    const bool is_last = std::none_of(copies.begin(), copies.end(),
                                      [&](const rewrite::GroupCopy& copy) { return copy.part >= part; });
    if (is_last) return all;
    all = with_local_copies(state, copies, part + 1);
    const std::vector<State> others = all;
    for (const State& each : others) {
      for (const rewrite::GroupCopy& copy : copies) {
        if (copy.part == part) add_copies(each, copy, all);
      }
    }
    return all;
  }

  /// Adds copies of one array along the dimension in which work-items read neighbours: in vectors or not,
  /// kept as it is or transposed, the latter with rows padded against bank conflicts.
  void add_copies(const State& state, rewrite::GroupCopy copy, std::vector<State>& all) const {
    constexpr std::int64_t pitch = 4;
    for (const std::int64_t width : profile_.widths) {
      copy.width = width;
      copy.stored = copy.along;
      copy.pitch = 0;
      if (auto next = with_copy(state, copy)) all.push_back(std::move(*next));
      copy.stored = copy.along == 0 ? 1 : 0;
      copy.pitch = pitch;
      if (auto next = with_copy(state, copy)) all.push_back(std::move(*next));
    }
  }

  /// The program with the arrays that a work-item's loop reads in registers, where that is possible, once for
  /// each width of vectors.
  std::vector<State> with_private_copies(const State& state) const {
    std::vector<State> all;
    for (const std::int64_t width : profile_.widths) {
      State held = state;
      for (std::size_t part = 0; part < 2; ++part) {
        const Strategy strategy = rewrite::top_down(
            inside({Op::MapLocal, Op::MapGlobal}, {}, rewrite::copy_to_private(part, width)));
        if (auto next = after(held, strategy)) held = std::move(*next);
      }
      if (held.function != state.function) all.push_back(std::move(held));
    }
    if (all.empty()) all.push_back(state);
    return all;
  }

  static constexpr std::size_t portions_per_thread = 8;

  const ir::Program& program_;
  const target::Target& target_;
  const target::Profile& profile_;
  const DerivationBounds& bounds_;
  const std::size_t threads_ = usual_threads();
  std::unordered_set<Term> seen_, placed_;
  /// The caches hold the tiles of some derivations, but not the arrays, of a product of matrices: without
  /// tiles nothing is as fast. Of other contractions that is not known.
  bool is_blocked_ = false;
  Derivations result_;
};

}  // namespace

Derivations derive(const ir::Program& program, const target::Target& target, const DerivationBounds& bounds) {
  return Deriver(program, target, bounds).run();
}

Derivations derive_tiled(const ir::Program& program, const target::Target& target) {
  Derivations result;
  constexpr std::size_t most_dimensions = 3;
  const auto add = [&](const char* name, const Strategy& strategy) {
    auto tiled = rewrite::rewrite(program, strategy);
    if (tiled) {
      result.list.push_back({std::move(tiled->program), std::move(tiled->trace)});
    } else {
      ++result.stages.declined[name];
    }
  };
  for (std::size_t dimensions = 1; dimensions <= most_dimensions; ++dimensions) {
    add("rollStages", rewrite::roll_stages(dimensions));
    add("tileStages", rewrite::tile_stages(dimensions));
  }
  // Where groups have few work-items, tiles of all dimensions use them best.
  if (target.profile.has_local_memory) std::reverse(result.list.begin(), result.list.end());
  result.stages.algorithms = result.stages.mapped = result.stages.placed = result.list.size();
  return result;
}

Derivations derive_rows(const ir::Program& program, const target::Target& target) {
  Derivations result;
  if (!target.profile.has_groups) return result;
  constexpr std::size_t most_maps = 2;
  std::vector<std::int64_t> widths(target.profile.widths.begin(), target.profile.widths.end());
  std::ranges::sort(widths, std::greater());
  for (std::size_t maps = 1; maps <= most_maps; ++maps) {
    for (const std::int64_t width : widths) {
      auto rows =
          rewrite::rewrite(program, rewrite::all_of({rewrite::map_nest(maps, TileOwner::Group),
                                                     rewrite::under_maps(maps, rewrite::row_in_group(width)),
                                                     rewrite::map_hierarchy()}));
      if (rows) {
        result.list.push_back({std::move(rows->program), std::move(rows->trace)});
      } else {
        ++result.stages.declined["rowInGroup " + std::to_string(width)];
      }
    }
  }
  result.stages.algorithms = result.stages.mapped = result.stages.placed = result.list.size();
  return result;
}

Result<ir::Program> replay(const ir::Program& program, const rewrite::Trace& steps) {
  ir::Program result = program;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const rewrite::Step& step = steps[i];
    const auto refuse = [&](const std::string& why) {
      return user_error(fmt::format("step {} of the derivation, {} at {}, cannot be repeated", i + 1,
                                    step.rule, rewrite::to_string(step.path)),
                        {}, why);
    };
    auto named = rewrite::strategy_from_text(step.rule);
    if (!named) return tl::unexpected(named.error());
    auto next = rewrite::rewrite(result, rewrite::at_path(step.path, named->strategy));
    if (!next) return refuse(next.error().reason);
    result = std::move(next->program);
    if (next->trace.back().after != step.after) return refuse("it does not give the same term as before");
  }
  return result;
}

}  // namespace hoist::variants
