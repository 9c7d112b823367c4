// Taking terms apart and rebuilding them: children, substitution, opening and closing of binders.
//
// All of it is one recursion, `Rewriter`: it walks to the leaves, replaces variables there, and rebuilds the
// nodes above. A node whose children keep their types keeps its own and is made without being typed again
// (`replace_children`); others go through the checking makers of term.cpp (`rebuild`). Results are remembered
// by node, since terms share subterms. The functions at the end of the file are what term.hpp declares, each
// a Rewriter with its own idea of a leaf.
#include <algorithm>

#include "ir/arena_data.hpp"
#include "ir/iterate.hpp"
#include "ir/memo.hpp"
#include "ir/term.hpp"

namespace hoist::ir {

std::vector<Term> children(Term term) {
  std::vector<Term> result;
  for_each_child(term, [&](Term child) { result.push_back(child); });
  return result;
}

namespace {

/// The same node over children of the same types: nothing to check again.
Term replace_children(Term term, const Term* next) {
  struct Visitor {
    const Term* next;
    void all(std::vector<Term>& terms) const { std::copy_n(next, terms.size(), terms.begin()); }
    void operator()(Literal&) const {}
    void operator()(Bound&) const {}
    void operator()(Free&) const {}
    void operator()(SizeValue&) const {}
    void operator()(Lambda& n) const { n.body = next[0]; }
    void operator()(Call& n) const { all(n.arguments); }
    void operator()(ScalarCall& n) const { all(n.arguments); }
    void operator()(Cast& n) const { n.operand = next[0]; }
    void operator()(Tuple& n) const { all(n.components); }
    void operator()(Get& n) const { n.tuple = next[0]; }
    void operator()(Let& n) const {
      n.value = next[0];
      n.body = next[1];
    }
    void operator()(If& n) const {
      n.condition = next[0];
      n.then_term = next[1];
      n.else_term = next[2];
    }
  };
  TermContent content = term->node;
  std::visit(Visitor{next}, content);
  return intern(std::move(content), term.type(), {interned(term)->makes_assumption, false});
}

/// Whether a node's type only depends on its children's types, and theirs stayed.
bool keeps_type(Term term, const Term* next) {
  const auto* called = term.as<Call>();
  // The first may name its length anew, the second may have become a component.
  if ((called != nullptr && called->op == Op::Iterate) || term.as<Get>() != nullptr) return false;
  bool keeps = true;
  std::size_t i = 0;
  for_each_child(term, [&](Term child) { keeps = keeps && child.type() == next[i++].type(); });
  return keeps;
}

/// `next` has as many terms as the node has children.
Term rebuild(Term term, const Term* next, std::size_t count) {
  if (keeps_type(term, next)) return replace_children(term, next);
  const std::vector<Term> all(next, next + count);
  if (const auto* n = term.as<Get>()) return get(n->index, next[0]);
  if (const auto* n = term.as<Lambda>()) return raw_lambda(n->parameters, next[0], n->names, n->claims);
  if (const auto* n = term.as<Call>()) return call(n->op, n->sizes, all);
  if (const auto* n = term.as<ScalarCall>()) return scalar_call(n->op, all);
  if (const auto* n = term.as<Cast>()) return cast(n->to, next[0]);
  if (term.as<Tuple>() != nullptr) return tuple(all);
  if (term.as<Let>() != nullptr) return let(next[0], next[1]);
  return if_then_else(next[0], next[1], next[2]);
}

/// The node over the results of `run` on its children; the node itself where they stay.
template <class Run>
Term rebuild_with(Term term, Run&& run) {
  constexpr std::size_t few = 8;
  Term inside[few];
  std::vector<Term> outside;
  std::size_t count = 0;
  bool changes = false;
  for_each_child(term, [&](Term child) {
    const Term next = run(child);
    changes = changes || next != child;
    if (count < few) {
      inside[count] = next;
    } else {
      if (count == few) outside.assign(inside, inside + few);
      outside.push_back(next);
    }
    ++count;
  });
  if (!changes) return term;
  return rebuild(term, outside.empty() ? inside : outside.data(), count);
}

std::uint32_t binders(Term term) {
  const auto* function = term.as<Lambda>();
  return function != nullptr ? static_cast<std::uint32_t>(function->parameters.size()) : 0;
}

/// Rebuilds a term from its leaves: variables become `leaf(variable, binders crossed)`, and nodes for which
/// `stays` holds are left alone. Results are shared.
template <class Stays, class Leaf>
class Rewriter {
 public:
  Rewriter(Stays stays, Leaf leaf) : stays_(std::move(stays)), leaf_(std::move(leaf)) {}

  Term run(Term term, std::uint32_t depth = 0) {
    if (stays_(term, depth)) return term;
    if (term.as<Bound>() != nullptr || term.as<Free>() != nullptr) return leaf_(term, depth);
    if (const Term* known = done_.recall(term.get(), depth)) return *known;
    const std::uint32_t inside = depth + binders(term);
    const Term result = rebuild_with(term, [&](Term child) { return run(child, inside); });
    done_.remember(term.get(), depth, result);
    return result;
  }

 private:
  Stays stays_;
  Leaf leaf_;
  Memo<Term> done_;
};

}  // namespace

Term with_children(Term term, const std::vector<Term>& next) {
  const std::vector<Term> old = children(term);
  if (old == next) return term;
  if (old.size() != next.size()) throw Bug("a node cannot change its number of children");
  return rebuild(term, next.data(), next.size());
}

Term shift(Term term, std::int32_t amount, std::uint32_t cutoff) {
  if (amount == 0 || term->loose <= cutoff) return term;
  return Rewriter([cutoff](Term t, std::uint32_t depth) { return t->loose <= depth + cutoff; },
                  [=](Term t, std::uint32_t) {
                    const std::int64_t index = t.as<Bound>()->index;
                    return bound(static_cast<std::uint32_t>(index + amount), t.type());
                  })
      .run(term);
}

Term apply(Term lambda_term, const std::vector<Term>& arguments) {
  const auto* function = lambda_term.as<Lambda>();
  if (function == nullptr) throw Bug("apply needs a lambda");
  const auto count = static_cast<std::uint32_t>(function->parameters.size());
  if (count != arguments.size()) throw Bug("a lambda is applied to the wrong number of arguments");
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!is_equal(arguments[i].type(), function->parameters[i])) {
      throw_user("a function that takes " + to_string(function->parameters[i]) + " is applied to " +
                 to_string(arguments[i].type()));
    }
  }
  return Rewriter([](Term t, std::uint32_t depth) { return t->loose <= depth; },
                  [&](Term t, std::uint32_t depth) {
                    const std::uint32_t index = t.as<Bound>()->index - depth;
                    if (index < count)
                      return shift(arguments[count - 1 - index], static_cast<std::int32_t>(depth));
                    return bound(depth + index - count, t.type());
                  })
      .run(function->body);
}

Term lambda(const std::vector<Term>& parameters, Term body, OperatorClaims claims) {
  std::vector<Type> types;
  std::vector<std::string> names;
  for (Term parameter : parameters) {
    const auto* variable = parameter.as<Free>();
    if (variable == nullptr) throw Bug("only free variables can be bound");
    types.push_back(parameter.type());
    names.push_back(variable->name);
  }
  const auto count = static_cast<std::uint32_t>(parameters.size());
  // Loose indices of the body move up past the new binder.
  const Term closed =
      Rewriter([](Term t, std::uint32_t depth) { return !t->has_free && t->loose <= depth; },
               [&](Term t, std::uint32_t depth) {
                 if (const auto* variable = t.as<Bound>()) return bound(variable->index + count, t.type());
                 const auto position = std::find(parameters.rbegin(), parameters.rend(), t);
                 if (position == parameters.rend()) return t;
                 return bound(depth + static_cast<std::uint32_t>(position - parameters.rbegin()), t.type());
               })
          .run(body);
  return raw_lambda(std::move(types), closed, std::move(names), claims);
}

Term substitute_free(Term term, const std::vector<std::pair<Term, Term>>& replacements) {
  return Rewriter([](Term t, std::uint32_t) { return !t->has_free; },
                  [&](Term t, std::uint32_t depth) {
                    for (const auto& [from, to] : replacements) {
                      if (from == t) return shift(to, static_cast<std::int32_t>(depth));
                    }
                    return t;
                  })
      .run(term);
}

namespace {

class SizeSubstitution {
 public:
  explicit SizeSubstitution(const arith::Substitution& sizes) : sizes_(sizes), mask_(size_mask(sizes)) {}

  Term run(Term term) {
    if ((interned(term)->sizes & mask_) == 0) return term;
    if (const auto* n = term.as<Bound>()) return bound(n->index, type(term.type()));
    if (const auto* n = term.as<SizeValue>()) return size_or_literal(arith::substitute(n->size, sizes_));
    if (const auto* n = term.as<Free>()) return intern(Free(*n), type(term.type()));
    if (const Term* known = done_.recall(term.get())) return *known;
    const Term result = rebuilt(term);
    done_.remember(term.get(), 0, result);
    return result;
  }

 private:
  static Term size_or_literal(arith::Expr size) {
    if (const auto value = size.constant()) return literal(ScalarValue::of_integer(Scalar::I32, *value));
    return size_value(size);
  }
  Type type(Type t) const { return substitute(t, sizes_); }

  Term rebuilt(Term term) {
    if (const auto* n = term.as<Lambda>()) {
      std::vector<Type> parameters;
      parameters.reserve(n->parameters.size());
      for (Type each : n->parameters) parameters.push_back(type(each));
      OperatorClaims claims = n->claims;
      if (claims.neutral) claims.neutral = run(claims.neutral);
      return raw_lambda(std::move(parameters), run(n->body), n->names, claims);
    }
    const auto* called = term.as<Call>();
    if (called == nullptr) return rebuild_with(term, [this](Term child) { return run(child); });
    std::vector<arith::Expr> sizes;
    sizes.reserve(called->sizes.size());
    for (arith::Expr size : called->sizes) sizes.push_back(arith::substitute(size, sizes_));
    std::vector<Term> arguments;
    arguments.reserve(called->arguments.size());
    const arith::Expr length = bound_length(term);
    for (Term argument : called->arguments) {
      const bool binds = length && arguments.empty();
      arguments.push_back(binds ? under_length(argument, length) : run(argument));
    }
    return call(called->op, std::move(sizes), std::move(arguments));
  }

  /// Inside iterate's function its length is nobody else's variable.
  Term under_length(Term function, arith::Expr length) {
    const SizeMask of_length = size_mask(length);
    bool clashes = false;
    for (const auto& [variable, replacement] : sizes_) {
      clashes = clashes || variable == length.get() ||
                ((size_mask(replacement) & of_length) != 0 && arith::contains(replacement, length));
    }
    if (!clashes) return run(function);
    arith::Substitution sizes = sizes_;
    sizes[length.get()] = fresh_length();
    return SizeSubstitution(sizes).run(function);
  }

  const arith::Substitution& sizes_;
  SizeMask mask_;
  Memo<Term> done_;
};

}  // namespace

Term substitute_sizes(Term term, const arith::Substitution& sizes) {
  const auto is_idle = [](const auto& entry) {
    return !entry.first->has_variables || entry.second.get() == entry.first;
  };
  if (std::none_of(sizes.begin(), sizes.end(), is_idle)) return SizeSubstitution(sizes).run(term);
  arith::Substitution needed = sizes;
  std::erase_if(needed, is_idle);
  return needed.empty() ? term : SizeSubstitution(needed).run(term);
}

namespace {

std::size_t count_occurrences(Term term, std::uint32_t index, Memo<std::size_t>& counts) {
  if (term->loose <= index) return 0;
  if (const auto* variable = term.as<Bound>()) return variable->index == index ? 1 : 0;
  if (const std::size_t* known = counts.recall(term.get(), index)) return *known;
  const std::uint32_t inside = index + binders(term);
  std::size_t count = 0;
  for_each_child(term, [&](Term child) { count += count_occurrences(child, inside, counts); });
  counts.remember(term.get(), index, count);
  return count;
}

}  // namespace

std::size_t occurrences(Term term, std::uint32_t index) {
  Memo<std::size_t> counts;
  return count_occurrences(term, index, counts);
}

}  // namespace hoist::ir
