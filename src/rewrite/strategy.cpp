// Strategies and their combinators.
//
// A strategy that declines leaves the context as it was: `Attempt` remembers the length of the trace and the
// choices that were left, and puts them back. Traversals visit the children of a term in order, with a
// context that says where they are (`Inside`: the path, the parallel maps around, the open maps), and rebuild
// the term around the child that changed (`on_child`). `any_of` looks rules up by the head of the term, so
// that most terms ask no rule at all.
#include "rewrite/strategy.hpp"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/error.hpp"
#include "rewrite/rules/catalogue.hpp"

namespace hoist::rewrite {

using ir::Op;
using ir::Term;

namespace {

/// What a strategy that declines must leave as it was.
class Attempt {
 public:
  explicit Attempt(Context& context)
      : context_(context), steps_(context.trace.size()), choices_(context.choices) {}
  void undo() {
    context_.trace.resize(steps_);
    context_.choices = choices_;
  }

 private:
  Context& context_;
  std::size_t steps_;
  std::vector<arith::Expr> choices_;
};

bool encloses(Op op) {
  return ir::is_parallel_map(op) || op == Op::MapSeq || op == Op::MapSeqUnroll || ir::carries_state(op);
}

/// Whether this pattern deals out the elements that it reads, and nothing else shares the work of making
/// them.
bool is_dealt_out_by(Op op) { return op == Op::ReduceLocal || op == Op::MapGroup || op == Op::MapGlobal; }

/// While it lives the context is that of a child.
class Inside {
 public:
  Inside(Context& context, Term parent, Term child, std::size_t position) : context_(context) {
    context.path.push_back(static_cast<std::uint32_t>(position));
    const auto* call = parent.as<ir::Call>();
    // An iteration outside of all maps is the host's: its steps are kernels.
    const bool is_of_host = call != nullptr && ir::is_iterate(call->op) && context.enclosing.empty() &&
                            context.open_maps == 0 && context.unshared == 0;
    is_enclosed_ = call != nullptr && child.as<ir::Lambda>() != nullptr && encloses(call->op) && !is_of_host;
    is_mapped_ = call != nullptr && child.as<ir::Lambda>() != nullptr && call->op == Op::Map;
    const bool is_other_function =
        call != nullptr && child.as<ir::Lambda>() != nullptr && !is_enclosed_ && !is_mapped_ && !is_of_host;
    const bool is_dealt_out =
        call != nullptr && is_dealt_out_by(call->op) && child.as<ir::Lambda>() == nullptr;
    is_unshared_ = is_other_function || is_dealt_out || parent.as<ir::If>() != nullptr;
    if (is_mapped_) ++context.open_maps;
    if (is_unshared_) ++context.unshared;
    if (is_enclosed_)
      context.enclosing.emplace_back(call->op,
                                     ir::is_parallel_map(call->op) ? call->sizes[0] : arith::Expr());
  }
  ~Inside() {
    context_.path.pop_back();
    if (is_enclosed_) context_.enclosing.pop_back();
    if (is_mapped_) --context_.open_maps;
    if (is_unshared_) --context_.unshared;
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Context& context_;
  bool is_enclosed_, is_mapped_, is_unshared_;
};

/// What a rule can see of the maps around a term.
std::size_t surroundings(const Context& context) {
  std::size_t hash = context.open_maps + (context.unshared > 0 ? 512 : 0);
  for (const auto& [op, dimension] : context.enclosing) {
    hash = 1024 * hash + 4 * static_cast<std::size_t>(op) +
           static_cast<std::size_t>(dimension ? *dimension.constant() + 1 : 0);
  }
  return hash;
}

/// The parent over other children.
Outcome rebuilt(Term parent, const std::vector<Term>& children) {
  try {
    return ir::with_children(parent, children);
  } catch (const Failure& failure) {
    return declined("the program around it does not allow the change: " +
                    failure.error().diagnostics.front().message);
  }
}

Outcome on_child(const Strategy& strategy, Term term, std::size_t position, Context& context) {
  std::vector<Term> children = ir::children(term);
  if (position >= children.size()) return declined("there is no such place");
  Attempt attempt(context);
  Outcome result;
  {
    const Inside inside(context, term, children[position], position);
    result = strategy(children[position], context);
  }
  if (!result) return result;
  if (*result == children[position]) return term;
  children[position] = *result;
  Outcome whole = rebuilt(term, children);
  if (!whole) attempt.undo();
  return whole;
}

}  // namespace

Strategy rule(const Rule& rule) {
  return [&rule](Term term, Context& context) { return apply(rule, term, context); };
}
Strategy rule(std::string_view name) { return rule(known_rule(name)); }

Strategy any_of(const std::vector<std::string_view>& names) {
  // Rules for terms that are no calls, or that functions match, come under each head.
  std::unordered_map<Op, std::vector<const Rule*>> by_head;
  std::vector<const Rule*> others;
  for (std::string_view name : names) {
    const Rule& each = known_rule(name);
    if (each.function == nullptr && each.law.left.kind == Pattern::Kind::Call) {
      by_head[each.law.left.op].push_back(&each);
    } else {
      others.push_back(&each);
    }
  }
  return [by_head, others](Term term, Context& context) -> Outcome {
    Outcome last = declined("none of the rules fits");
    const auto run = [&](const std::vector<const Rule*>& rules) {
      for (const Rule* each : rules) {
        last = apply(*each, term, context);
        if (last) return true;
      }
      return false;
    };
    if (const auto* call = term.as<ir::Call>()) {
      const auto found = by_head.find(call->op);
      if (found != by_head.end() && run(found->second)) return last;
    }
    run(others);
    return last;
  };
}

Strategy identity() {
  return [](Term term, Context&) -> Outcome { return term; };
}
Strategy decline(std::string reason) {
  return [reason = std::move(reason)](Term, Context&) -> Outcome { return declined(reason); };
}

Strategy then(Strategy first, Strategy second) {
  return [first = std::move(first), second = std::move(second)](Term term, Context& context) {
    Attempt attempt(context);
    Outcome result = first(term, context);
    if (result) result = second(*result, context);
    if (!result) attempt.undo();
    return result;
  };
}

Strategy all_of(std::vector<Strategy> strategies) {
  return [strategies = std::move(strategies)](Term term, Context& context) {
    Attempt attempt(context);
    Outcome result = term;
    for (const Strategy& each : strategies) {
      result = each(*result, context);
      if (result) continue;
      attempt.undo();
      break;
    }
    return result;
  };
}

Strategy or_else(Strategy first, Strategy second) {
  return [first = std::move(first), second = std::move(second)](Term term, Context& context) {
    Outcome result = first(term, context);
    if (result) return result;
    Outcome other = second(term, context);
    if (!other && other.error().reason != result.error().reason)
      return Outcome(declined(result.error().reason + "; " + other.error().reason));
    return other;
  };
}

Strategy attempt(Strategy strategy) {
  return [strategy = std::move(strategy)](Term term, Context& context) -> Outcome {
    const Outcome result = strategy(term, context);
    return result ? *result : term;
  };
}

Strategy repeat(Strategy strategy, std::size_t bound) {
  return [strategy = std::move(strategy), bound](Term term, Context& context) -> Outcome {
    Outcome last = strategy(term, context);
    if (!last) return last;
    for (std::size_t done = 1; done < bound; ++done) {
      const Outcome next = strategy(*last, context);
      if (!next) break;
      last = next;
    }
    return last;
  };
}

namespace {

/// One place in a term, before or after those inside. A subterm that occurs again is not searched again under
/// the same enclosing maps. Most of a derivation's time is spent here, where nothing fits.
class Search {
 public:
  Search(const Strategy& strategy, bool is_outermost, Context& context)
      : strategy_(strategy), is_outermost_(is_outermost), context_(context) {}

  Outcome run(Term term) {
    if (const auto found = find(term)) return *found;
    return declined(reason_.empty() ? "it fits nowhere" : reason_);
  }

 private:
  std::optional<Term> find(Term term) {
    if (!seen_.insert({surroundings(context_), term}).second) return std::nullopt;
    if (is_outermost_) {
      if (const auto here = at(term)) return here;
    }
    std::vector<Term> children = ir::children(term);
    for (std::size_t i = 0; i < children.size(); ++i) {
      Attempt attempt(context_);
      const Term child = children[i];
      std::optional<Term> found;
      {
        const Inside inside(context_, term, child, i);
        found = find(child);
      }
      if (!found) continue;
      children[i] = *found;
      if (const Outcome whole = rebuilt(term, children)) return *whole;
      children[i] = child;
      attempt.undo();
    }
    return is_outermost_ ? std::nullopt : at(term);
  }

  std::optional<Term> at(Term term) {
    if (term.as<ir::Lambda>()) return std::nullopt;
    Outcome result = strategy_(term, context_);
    if (result) return *result;
    // The reason of a condition says more than that of a form that differs.
    if (reason_.empty() || result.error().reason.find(": ") != std::string::npos)
      reason_ = std::move(result.error().reason);
    return std::nullopt;
  }

  using Visited = std::pair<std::size_t, Term>;
  struct HashOfVisited {
    std::size_t operator()(const Visited& place) const {
      return std::hash<Term>()(place.second) ^ (place.first * 0x9E3779B97F4A7C15U);
    }
  };

  const Strategy& strategy_;
  bool is_outermost_;
  Context& context_;
  std::string reason_;
  std::unordered_set<Visited, HashOfVisited> seen_;  ///< surroundings and term
};

class Everywhere {
 public:
  Everywhere(const Strategy& strategy, Context& context) : strategy_(strategy), context_(context) {}

  Term run(Term term) {
    const std::size_t around = surroundings(context_);
    const auto& known = done_[around];
    if (const auto found = known.find(term); found != known.end()) return found->second;
    Term result = term;
    std::vector<Term> children = ir::children(term);
    for (std::size_t i = 0; i < children.size(); ++i) {
      const Term child = children[i];
      Attempt attempt(context_);
      {
        const Inside inside(context_, result, child, i);
        children[i] = run(child);
      }
      if (children[i] == child) continue;
      if (const Outcome whole = rebuilt(result, children)) {
        result = *whole;
        children = ir::children(result);
      } else {
        attempt.undo();
        children[i] = child;
      }
    }
    if (!result.as<ir::Lambda>()) {
      if (const Outcome here = strategy_(result, context_)) result = *here;
    }
    has_changed = has_changed || result != term;
    done_[around].emplace(term, result);
    return result;
  }
  bool has_changed = false;

 private:
  const Strategy& strategy_;
  Context& context_;
  std::unordered_map<std::size_t, std::unordered_map<Term, Term>> done_;
};

void collect_redexes(Term term, const Strategy& strategy, Context& context, std::vector<Redex>& found) {
  if (!term.as<ir::Lambda>()) {
    Attempt attempt(context);
    if (strategy(term, context)) found.push_back({context.path, term});
    attempt.undo();
  }
  const std::vector<Term> children = ir::children(term);
  for (std::size_t i = 0; i < children.size(); ++i) {
    const Inside inside(context, term, children[i], i);
    collect_redexes(children[i], strategy, context, found);
  }
}

}  // namespace

Strategy top_down(Strategy strategy) {
  return [strategy = std::move(strategy)](Term term, Context& context) {
    return Search(strategy, true, context).run(term);
  };
}
Strategy bottom_up(Strategy strategy) {
  return [strategy = std::move(strategy)](Term term, Context& context) {
    return Search(strategy, false, context).run(term);
  };
}
Strategy everywhere(Strategy strategy) {
  return [strategy = std::move(strategy)](Term term, Context& context) -> Outcome {
    Everywhere pass(strategy, context);
    const Term result = pass.run(term);
    if (!pass.has_changed) return declined("it fits nowhere");
    return result;
  };
}

Strategy under_maps(std::size_t depth, Strategy strategy) {
  return [strategy = std::move(strategy), depth](Term term, Context& context) -> Outcome {
    if (depth == 0) return strategy(term, context);
    const auto* call = term.as<ir::Call>();
    if (call == nullptr || !ir::is_map(call->op))
      return declined(fmt::format("{} more maps are needed around it", depth));
    const Strategy on_body = [&](Term function, Context& inside) {
      return on_child(under_maps(depth - 1, strategy), function, 0, inside);
    };
    return on_child(on_body, term, 0, context);
  };
}

Strategy at_path(Path path, Strategy strategy) {
  return [path = std::move(path), strategy = std::move(strategy)](Term term, Context& context) -> Outcome {
    std::function<Outcome(Term, Context&, std::size_t)> walk = [&](Term here, Context& inside,
                                                                   std::size_t step) {
      if (step == path.size()) return strategy(here, inside);
      return on_child([&](Term child, Context& deeper) { return walk(child, deeper, step + 1); }, here,
                      path[step], inside);
    };
    return walk(term, context, 0);
  };
}

std::vector<Redex> redexes(Term term, const Strategy& strategy, const Context& context) {
  std::vector<Redex> found;
  Context inside = context;
  collect_redexes(term, strategy, inside, found);
  return found;
}

tl::expected<Rewritten, Declined> rewrite(const ir::Program& program, const Strategy& strategy,
                                          std::vector<arith::Expr> choices) {
  const auto* function = program.function.as<ir::Lambda>();
  Context context(program.function);
  context.choices = std::move(choices);
  const Outcome body = strategy(function->body, context);
  if (!body) return tl::unexpected(body.error());
  Rewritten result{program, std::move(context.trace)};
  result.program.function = ir::raw_lambda(function->parameters, *body, function->names, function->claims);
  return result;
}

}  // namespace hoist::rewrite
