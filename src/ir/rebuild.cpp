// Taking terms apart and rebuilding them.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/arena_data.hpp"
#include "ir/scheme.hpp"

namespace hoist::ir {

std::vector<Term> children(Term term) {
  struct Visitor {
    std::vector<Term> operator()(const Literal&) { return {}; }
    std::vector<Term> operator()(const Bound&) { return {}; }
    std::vector<Term> operator()(const Free&) { return {}; }
    std::vector<Term> operator()(const SizeValue&) { return {}; }
    std::vector<Term> operator()(const Lambda& n) { return {n.body}; }
    std::vector<Term> operator()(const Call& n) { return n.arguments; }
    std::vector<Term> operator()(const ScalarCall& n) { return n.arguments; }
    std::vector<Term> operator()(const Cast& n) { return {n.operand}; }
    std::vector<Term> operator()(const Tuple& n) { return n.components; }
    std::vector<Term> operator()(const Get& n) { return {n.tuple}; }
    std::vector<Term> operator()(const Let& n) { return {n.value, n.body}; }
    std::vector<Term> operator()(const If& n) { return {n.condition, n.then_term, n.else_term}; }
  };
  return std::visit(Visitor{}, term->node);
}

namespace {

/// The same node over children of the same types: nothing to check again.
Term replace_children(Term term, const std::vector<Term>& next) {
  TermNode node;
  node.node = term->node;
  node.type = term.type();
  struct Visitor {
    const std::vector<Term>& next;
    void operator()(Literal&) {}
    void operator()(Bound&) {}
    void operator()(Free&) {}
    void operator()(SizeValue&) {}
    void operator()(Lambda& n) { n.body = next[0]; }
    void operator()(Call& n) { n.arguments = next; }
    void operator()(ScalarCall& n) { n.arguments = next; }
    void operator()(Cast& n) { n.operand = next[0]; }
    void operator()(Tuple& n) { n.components = next; }
    void operator()(Get& n) { n.tuple = next[0]; }
    void operator()(Let& n) {
      n.value = next[0];
      n.body = next[1];
    }
    void operator()(If& n) {
      n.condition = next[0];
      n.then_term = next[1];
      n.else_term = next[2];
    }
  };
  std::visit(Visitor{next}, node.node);
  return intern(std::move(node));
}

}  // namespace

Term with_children(Term term, const std::vector<Term>& next) {
  std::vector<Term> old = children(term);
  if (old == next) return term;
  if (old.size() != next.size()) throw Bug("a node cannot change its number of children");
  auto* called = term.as<Call>();
  bool same_types = !(called && called->op == Op::Iterate);
  for (std::size_t i = 0; i < old.size() && same_types; ++i) same_types = old[i].type() == next[i].type();
  if (auto* get_node = term.as<Get>()) return get(get_node->index, next[0]);
  if (same_types) return replace_children(term, next);
  if (auto* lambda_node = term.as<Lambda>()) {
    return raw_lambda(lambda_node->parameters, next[0], lambda_node->names, lambda_node->claims);
  }
  if (called) return call(called->op, called->sizes, next);
  if (auto* scalar = term.as<ScalarCall>()) return scalar_call(scalar->op, next);
  if (auto* cast_node = term.as<Cast>()) return cast(cast_node->to, next[0]);
  if (term.as<Tuple>()) return tuple(next);
  if (term.as<Let>()) return let(next[0], next[1]);
  return if_then_else(next[0], next[1], next[2]);
}

namespace {

/// Applies `leaf` to every node that `wants` to change, tracking how many binders were crossed; results are shared
/// by (node, depth).
template <class Stop, class Leaf>
class Rewriter {
 public:
  Rewriter(Stop stop, Leaf leaf) : stop_(stop), leaf_(leaf) {}

  Term run(Term term, std::uint32_t depth) {
    if (stop_(term, depth)) return term;
    std::uint64_t key = mix(term->hash, depth);
    auto range = done_.equal_range(key);
    for (auto it = range.first; it != range.second; ++it) {
      if (it->second.term == term && it->second.depth == depth) return it->second.result;
    }
    Term result = leaf_(term, depth);
    if (!result) {
      std::uint32_t inside = depth;
      if (auto* function = term.as<Lambda>()) inside += static_cast<std::uint32_t>(function->parameters.size());
      std::vector<Term> next = children(term);
      for (Term& child : next) child = run(child, inside);
      result = with_children(term, next);
    }
    done_.emplace(key, Entry{term, depth, result});
    return result;
  }

 private:
  struct Entry {
    Term term;
    std::uint32_t depth;
    Term result;
  };
  Stop stop_;
  Leaf leaf_;
  std::unordered_multimap<std::uint64_t, Entry> done_;
};

template <class Stop, class Leaf>
Term rewrite(Term term, Stop stop, Leaf leaf) {
  return Rewriter<Stop, Leaf>(stop, leaf).run(term, 0);
}

}  // namespace

Term shift(Term term, std::int32_t amount, std::uint32_t cutoff) {
  if (amount == 0 || term->loose <= cutoff) return term;
  return rewrite(
      term, [cutoff](Term t, std::uint32_t depth) { return t->loose <= depth + cutoff; },
      [=](Term t, std::uint32_t depth) -> Term {
        auto* variable = t.as<Bound>();
        if (!variable) return {};
        if (variable->index < depth + cutoff) return t;
        return bound(static_cast<std::uint32_t>(static_cast<std::int64_t>(variable->index) + amount), t.type());
      });
}

Term apply(Term lambda_term, const std::vector<Term>& arguments) {
  auto* function = lambda_term.as<Lambda>();
  if (!function) throw Bug("apply needs a lambda");
  auto count = static_cast<std::uint32_t>(function->parameters.size());
  if (count != arguments.size()) throw Bug("a lambda is applied to the wrong number of arguments");
  for (std::uint32_t i = 0; i < count; ++i) {
    if (arguments[i].type() != function->parameters[i]) {
      throw_user("a function that takes " + to_string(function->parameters[i]) + " is applied to " +
                 to_string(arguments[i].type()));
    }
  }
  return rewrite(
      function->body, [](Term t, std::uint32_t depth) { return t->loose <= depth; },
      [&](Term t, std::uint32_t depth) -> Term {
        auto* variable = t.as<Bound>();
        if (!variable) return {};
        if (variable->index < depth) return t;
        std::uint32_t index = variable->index - depth;
        if (index < count) return shift(arguments[count - 1 - index], static_cast<std::int32_t>(depth));
        return bound(variable->index - count, t.type());
      });
}

Term lambda(const std::vector<Term>& parameters, Term body, OperatorClaims claims) {
  std::unordered_map<const TermNode*, std::uint32_t> position;
  std::vector<Type> types;
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < parameters.size(); ++i) {
    auto* variable = parameters[i].as<Free>();
    if (!variable) throw Bug("only free variables can be bound");
    position.emplace(parameters[i].get(), i);
    types.push_back(parameters[i].type());
    names.push_back(variable->name);
  }
  auto count = static_cast<std::uint32_t>(parameters.size());
  // Loose indices of the body move up past the new binder.
  Term shifted = shift(body, static_cast<std::int32_t>(count));
  Term closed = rewrite(
      shifted, [](Term t, std::uint32_t) { return !t->has_free; },
      [&](Term t, std::uint32_t depth) -> Term {
        if (!t.as<Free>()) return {};
        auto known = position.find(t.get());
        if (known == position.end()) return t;
        return bound(depth + count - 1 - known->second, t.type());
      });
  return raw_lambda(std::move(types), closed, std::move(names), claims);
}

Term substitute_free(Term term, const std::vector<std::pair<Term, Term>>& replacements) {
  return rewrite(
      term, [](Term t, std::uint32_t) { return !t->has_free; },
      [&](Term t, std::uint32_t depth) -> Term {
        if (!t.as<Free>()) return {};
        for (const auto& [from, to] : replacements) {
          if (from == t) return shift(to, static_cast<std::int32_t>(depth));
        }
        return t;
      });
}

namespace {

class SizeSubstitution {
 public:
  explicit SizeSubstitution(const arith::Substitution& sizes) : sizes_(sizes) {}

  Term run(Term term) {
    auto known = done_.find(term);
    if (known != done_.end()) return known->second;
    Term result = rebuild(term);
    done_.emplace(term, result);
    return result;
  }

 private:
  Type type(Type t) {
    auto known = types_.find(t);
    if (known != types_.end()) return known->second;
    Type result = substitute(t, sizes_);
    types_.emplace(t, result);
    return result;
  }
  std::vector<Term> all(const std::vector<Term>& terms) {
    std::vector<Term> result;
    for (Term each : terms) result.push_back(run(each));
    return result;
  }
  Term rebuild(Term term) {
    if (auto* n = term.as<Bound>()) return bound(n->index, type(term.type()));
    if (auto* n = term.as<Free>()) {
      Type next = type(term.type());
      if (next == term.type()) return term;
      TermNode node;
      node.node = *n;
      node.type = next;
      return intern(std::move(node));
    }
    if (auto* n = term.as<SizeValue>()) {
      arith::Expr size = arith::substitute(n->size, sizes_);
      if (auto value = size.constant()) return literal(ScalarValue::of_integer(Scalar::I32, *value));
      return size_value(size);
    }
    if (auto* n = term.as<Lambda>()) {
      std::vector<Type> parameters;
      for (Type each : n->parameters) parameters.push_back(type(each));
      return raw_lambda(std::move(parameters), run(n->body), n->names, n->claims);
    }
    if (auto* n = term.as<Call>()) {
      std::vector<arith::Expr> sizes;
      for (arith::Expr size : n->sizes) sizes.push_back(arith::substitute(size, sizes_));
      return call(n->op, std::move(sizes), all(n->arguments));
    }
    if (auto* n = term.as<ScalarCall>()) return scalar_call(n->op, all(n->arguments));
    if (auto* n = term.as<Cast>()) return cast(n->to, run(n->operand));
    if (auto* n = term.as<Tuple>()) return tuple(all(n->components));
    if (auto* n = term.as<Get>()) return get(n->index, run(n->tuple));
    if (auto* n = term.as<Let>()) return let(run(n->value), run(n->body));
    if (auto* n = term.as<If>()) return if_then_else(run(n->condition), run(n->then_term), run(n->else_term));
    return term;
  }

  const arith::Substitution& sizes_;
  std::unordered_map<Term, Term> done_;
  std::unordered_map<Type, Type> types_;
};

}  // namespace

Term substitute_sizes(Term term, const arith::Substitution& sizes) {
  if (sizes.empty()) return term;
  return SizeSubstitution(sizes).run(term);
}

std::size_t occurrences(Term term, std::uint32_t index) {
  if (term->loose <= index) return 0;
  if (auto* variable = term.as<Bound>()) return variable->index == index ? 1 : 0;
  auto* function = term.as<Lambda>();
  std::uint32_t inside = index + (function ? static_cast<std::uint32_t>(function->parameters.size()) : 0);
  std::size_t count = 0;
  for (Term child : children(term)) count += occurrences(child, inside);
  return count;
}

namespace {

/// Calls fn once for every distinct node.
template <class Fn>
void for_each_node(Term term, std::unordered_set<Term>& seen, Fn&& fn) {
  if (!seen.insert(term).second) return;
  fn(term);
  for (Term child : children(term)) for_each_node(child, seen, fn);
}

}  // namespace

std::vector<SizeAssumption> size_assumptions(Term term) {
  std::vector<SizeAssumption> result;
  auto add = [&](const SizeAssumption& assumption) {
    if (arith::holds(assumption.predicate) == arith::Truth::Yes) return;
    for (const SizeAssumption& known : result) {
      if (known.predicate == assumption.predicate) return;
    }
    result.push_back(assumption);
  };
  std::unordered_set<Term> seen;
  for_each_node(term, seen, [&](Term node) {
    auto* called = node.as<Call>();
    if (!called) return;
    CallTyping typing(called->op, called->arguments.size());
    const auto& wanted = typing.arguments();
    std::size_t next_static = 0, next = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i].is_static()) {
        typing.give_static(i, called->sizes[next_static++]);
      } else if (wanted[i].kind == ArgumentKind::Function) {
        ++next;
      } else {
        (void)typing.give_data(i, called->arguments[next++].type());
      }
    }
    next = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i].is_static()) continue;
      if (wanted[i].kind == ArgumentKind::Function) (void)typing.give_function(i, called->arguments[next].type());
      ++next;
    }
    if (!typing.result()) return;
    for (const SizeAssumption& assumption : typing.assumptions()) add(assumption);

    // What an iterate's function assumes of its length holds for the length of every iteration.
    if (called->op == Op::Iterate && is_array(node.type())) {
      auto steps = called->sizes[0].constant();
      arith::Expr k = called->sizes[1], length = called->arguments[1].type()->size;
      Type next_type = called->arguments[0].as<Lambda>()->body.type();
      std::vector<SizeAssumption> inner = size_assumptions(called->arguments[0]);
      for (std::int64_t step = 0; step < std::min<std::int64_t>(steps.value_or(1), 64); ++step) {
        for (const SizeAssumption& assumption : inner) {
          bool about_length = arith::contains(assumption.predicate.left, k) || arith::contains(assumption.predicate.right, k);
          if (!about_length) continue;
          add({arith::substitute(assumption.predicate, {{k.get(), length}}),
               assumption.message + ", where " + arith::to_string(k) + " is " + arith::to_string(length) +
                   " in iteration " + std::to_string(step)});
        }
        arith::Expr next_length = arith::substitute(next_type->size, {{k.get(), length}});
        if (next_length == length) break;
        length = next_length;
      }
    }
  });
  // Assumptions about a bound length were stated above for the lengths it takes.
  std::erase_if(result, [](const SizeAssumption& assumption) {
    for (arith::Expr side : {assumption.predicate.left, assumption.predicate.right}) {
      for (arith::Expr variable : arith::variables(side)) {
        if (variable->name.starts_with("$k")) return true;
      }
    }
    return false;
  });
  return result;
}

std::vector<arith::Expr> open_parameters(Term term) {
  std::vector<arith::Expr> result;
  auto note = [&](arith::Expr e) {
    for (arith::Expr variable : arith::variables(e)) {
      if (variable->variable_kind != arith::VariableKind::Parameter) continue;
      if (std::find(result.begin(), result.end(), variable) == result.end()) result.push_back(variable);
    }
  };
  std::function<void(Type)> in_type = [&](Type type) {
    if (type->size) note(type->size);
    for (Type element : type->elements) in_type(element);
  };
  std::unordered_set<Term> seen;
  for_each_node(term, seen, [&](Term node) {
    in_type(node.type());
    if (auto* called = node.as<Call>()) {
      for (arith::Expr size : called->sizes) note(size);
    } else if (auto* value = node.as<SizeValue>()) {
      note(value->size);
    }
  });
  return result;
}

}  // namespace hoist::ir
