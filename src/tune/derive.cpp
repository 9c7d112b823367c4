#include "tune/derive.hpp"

#include <algorithm>
#include <unordered_set>

#include "rewrite/strategies/hierarchy.hpp"
#include "rewrite/strategies/memory.hpp"
#include "rewrite/strategies/nests.hpp"
#include "rewrite/strategy.hpp"

namespace hoist::tune {

using ir::Op;
using ir::Term;
using rewrite::Context;
using rewrite::Dealing;
using rewrite::Outcome;
using rewrite::Strategy;
using rewrite::TileOwner;

Profile discrete_gpu() { return {"discrete GPU", true, true, {1, 4}}; }
Profile gpu_without_local_memory() { return {"GPU without local memory", true, false, {1, 4}}; }
Profile cpu() { return {"CPU", false, false, {1, 8}}; }

namespace {

/// A macro rule that the exploration may apply, at the outermost place where it fits.
struct Move {
  std::string name;
  Strategy strategy;
  std::string kind;  ///< moves of one kind exclude each other
};

/// Only inside one of these maps.
Strategy inside(std::initializer_list<Op> ops, Strategy strategy) {
  return
      [ops = std::vector<Op>(ops), strategy = std::move(strategy)](Term term, Context& context) -> Outcome {
        for (const auto& [op, dimension] : context.enclosing) {
          if (std::find(ops.begin(), ops.end(), op) != ops.end()) return strategy(term, context);
        }
        return rewrite::declined("it is outside of the work-items or groups that it is for");
      };
}

std::vector<Move> moves_for(const Profile& profile) {
  std::vector<Move> moves;
  const auto add = [&](std::string name, Strategy strategy, std::string kind) {
    moves.push_back({std::move(name), rewrite::top_down(std::move(strategy)), std::move(kind)});
  };
  for (std::size_t rank = 1; rank <= 3; ++rank) {
    const std::string n = std::to_string(rank);
    add("tileItems " + n, rewrite::tile_nest(rank, {Dealing::Neighbours, TileOwner::WorkItem}), "outer");
    if (!profile.has_groups) continue;
    add("tileGroups " + n, rewrite::tile_nest(rank, {Dealing::Neighbours, TileOwner::Group}), "outer");
    add("tileLocal " + n, rewrite::tile_nest(rank, {Dealing::Neighbours, TileOwner::ItemOfGroup}), "inner");
    add("tileLocalBlocks " + n, rewrite::tile_nest(rank, {Dealing::Blocks, TileOwner::ItemOfGroup}), "inner");
  }
  if (profile.has_groups) {
    add("hoistReduceByChunks", inside({Op::MapGroup}, rewrite::hoist_reduce_by_chunks()), "chunks");
    add("tileAccumulationLocal", rewrite::tile_accumulation({Dealing::Neighbours, TileOwner::ItemOfGroup}),
        "inner");
    add("tileAccumulationLocalBlocks", rewrite::tile_accumulation({Dealing::Blocks, TileOwner::ItemOfGroup}),
        "inner");
  }
  add("hoistReduce", inside({Op::MapLocal, Op::MapGlobal}, rewrite::hoist_reduce()), "registers");
  return moves;
}

/// A program on its way.
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

template <class Predicate>
bool any_call(Term term, Predicate&& predicate) {
  if (const auto* call = term.as<ir::Call>(); call != nullptr && predicate(*call)) return true;
  for (Term child : ir::children(term)) {
    if (any_call(child, predicate)) return true;
  }
  return false;
}

// ---- Heuristics: mapped programs that no device likes. Empty, or why it is discarded.

std::string discarded_for(Term function) {
  const auto has = [&](Op op) {
    return any_call(function, [op](const ir::Call& call) { return call.op == op; });
  };
  if (!has(Op::MapGlobal) && !has(Op::MapGroup)) return "nothing is parallel";
  if (has(Op::MapGroup) && !has(Op::MapLocal)) return "groups of one work-item";
  return "";
}

class Deriver {
 public:
  Deriver(const ir::Program& program, const Profile& profile, const DerivationBounds& bounds)
      : program_(program), profile_(profile), bounds_(bounds) {}

  Derivations run() {
    const std::vector<State> algorithms = algorithmic();
    stages().algorithms = algorithms.size();
    std::vector<State> mapped;
    for (const State& each : algorithms) {
      auto next = after(each, rewrite::map_hierarchy());
      if (!next) {
        ++stages().declined["map"];
        continue;
      }
      if (const std::string reason = discarded_for(next->function); !reason.empty()) {
        ++stages().discarded[reason];
        continue;
      }
      if (seen_.insert(next->function).second) mapped.push_back(std::move(*next));
    }
    stages().mapped = mapped.size();
    for (const State& each : mapped) place(each);
    stages().placed = result_.list.size();
    return std::move(result_);
  }

 private:
  Stages& stages() { return result_.stages; }

  /// Breadth first: all programs that up to `steps` macro rules make.
  std::vector<State> algorithmic() {
    const std::vector<Move> moves = moves_for(profile_);
    std::vector<State> all{{program_.function, {}, {}}};
    seen_.insert(program_.function);
    std::size_t begin = 0;
    for (std::size_t step = 0; step < bounds_.steps; ++step) {
      const std::size_t end = all.size();
      for (std::size_t i = begin; i < end && all.size() < bounds_.programs; ++i) {
        for (const Move& move : moves) {
          if (std::find(all[i].kinds.begin(), all[i].kinds.end(), move.kind) != all[i].kinds.end()) continue;
          auto next = after(all[i], move.strategy);
          if (!next) {
            ++stages().declined[move.name];
            continue;
          }
          if (!seen_.insert(next->function).second) continue;
          next->kinds.push_back(move.kind);
          all.push_back(std::move(*next));
        }
      }
      begin = end;
    }
    return all;
  }

  void add(const State& state) {
    if (!placed_.insert(state.function).second || result_.list.size() >= bounds_.programs) return;
    Derivation derivation{program_, state.trace};
    derivation.program.function = state.function;
    result_.list.push_back(std::move(derivation));
  }

  /// The program as it is, and with copies in local memory and registers.
  void place(const State& state) {
    for (const State& local : with_local_copies(state, 0)) {
      for (const State& held : with_private_copies(local)) {
        add(held);
        const auto outer = after(held, rewrite::top_down(rewrite::prefetch_copies()));
        if (!outer) continue;
        add(*outer);
        if (const auto inner = after(held, rewrite::bottom_up(rewrite::prefetch_copies()))) add(*inner);
        if (const auto both = after(*outer, rewrite::bottom_up(rewrite::prefetch_copies()))) add(*both);
      }
    }
  }

  std::vector<State> with_local_copies(const State& state, std::size_t part) {
    std::vector<State> all{state};
    if (!profile_.has_local_memory || part > 3) return all;
    std::vector<State> here = with_local_copies(state, part + 1);
    all = here;
    for (const State& each : here) {
      for (std::size_t along = 0; along < 2; ++along) {
        for (std::size_t stored = 0; stored < 2; ++stored) {
          for (const std::int64_t width : profile_.widths) {
            rewrite::GroupCopy copy{part, along, width, true, stored, 0};
            if (auto next = after(each, rewrite::bottom_up(rewrite::copy_to_local(copy))))
              all.push_back(std::move(*next));
          }
        }
      }
    }
    return all;
  }

  std::vector<State> with_private_copies(const State& state) {
    std::vector<State> all{state};
    for (std::size_t part = 0; part < 2; ++part) {
      std::vector<State> more;
      for (const State& each : all) {
        for (const std::int64_t width : profile_.widths) {
          const Strategy strategy =
              rewrite::top_down(inside({Op::MapLocal, Op::MapGlobal}, rewrite::copy_to_private(part, width)));
          if (auto next = after(each, strategy)) more.push_back(std::move(*next));
        }
      }
      if (!more.empty()) all = std::move(more);
    }
    return all;
  }

  const ir::Program& program_;
  const Profile& profile_;
  const DerivationBounds& bounds_;
  std::unordered_set<Term> seen_, placed_;
  Derivations result_;
};

}  // namespace

Derivations derive(const ir::Program& program, const Profile& profile, const DerivationBounds& bounds) {
  return Deriver(program, profile, bounds).run();
}

}  // namespace hoist::tune
