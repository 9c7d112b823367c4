// Interning of types and terms (hash-consing): whatever is made twice is one node, so that equality is a
// comparison of pointers.
//
// A maker in term.cpp or type.cpp gives a node's content to `intern`, which computes what the node knows of
// itself from what its children know (`Completion`: hash, free and loose variables, sizes), looks for an
// equal node in the arena at hand and those around it, and inserts the new one only if there is none. Arenas
// are nested; the innermost takes what is new.
#include "ir/arena.hpp"

#include <algorithm>

#include "ir/arena_data.hpp"

namespace hoist::ir {

namespace {

ArenaData& root_arena() {
  thread_local ArenaData root;
  return root;
}
thread_local ArenaData* innermost = nullptr;

/// From the innermost arena outwards: an outer arena's node is as good.
template <class Node, class Matches>
const Node* find(InternTable<Node> ArenaData::*table, std::size_t hash, Matches&& matches) {
  for (const ArenaData* arena = &current_arena(); arena != nullptr; arena = arena->enclosing) {
    if (const Node* found = (arena->*table).find(hash, matches)) return found;
  }
  return nullptr;
}

bool has_parameter(arith::Expr e) {
  if (!e->has_variables) return false;
  if (e.kind() == arith::Kind::Variable)
    return e->variable_kind == arith::VariableKind::Parameter ||
           e->variable_kind == arith::VariableKind::Launched;
  if (e.kind() == arith::Kind::Conditional &&
      (has_parameter(e->predicate.left) || has_parameter(e->predicate.right))) {
    return true;
  }
  return std::ranges::any_of(e->operands, has_parameter);
}

std::size_t hash_of(const TypeNode& type) {
  std::size_t hash = mix(static_cast<std::size_t>(type.kind), static_cast<std::size_t>(type.scalar));
  if (type.size) hash = mix(hash, type.size->hash);
  for (Type element : type.elements) hash = mix(hash, element->hash);
  return hash;
}

bool is_same(const TypeNode& a, const TypeNode& b) {
  return a.kind == b.kind && a.scalar == b.scalar && a.size == b.size && a.elements == b.elements;
}

bool same(const Literal& a, const Literal& b) { return a.value == b.value; }
bool same(const Bound& a, const Bound& b) { return a.index == b.index; }
bool same(const Free& a, const Free& b) { return a.id == b.id; }
bool same(const SizeValue& a, const SizeValue& b) { return a.size == b.size; }
bool same(const Lambda& a, const Lambda& b) {
  return a.parameters == b.parameters && a.body == b.body && a.claims == b.claims;
}
bool same(const Call& a, const Call& b) {
  return a.op == b.op && a.sizes == b.sizes && a.arguments == b.arguments;
}
bool same(const ScalarCall& a, const ScalarCall& b) { return a.op == b.op && a.arguments == b.arguments; }
bool same(const Cast& a, const Cast& b) { return a.to == b.to && a.operand == b.operand; }
bool same(const Tuple& a, const Tuple& b) { return a.components == b.components; }
bool same(const Get& a, const Get& b) { return a.index == b.index && a.tuple == b.tuple; }
bool same(const Let& a, const Let& b) { return a.value == b.value && a.body == b.body; }
bool same(const If& a, const If& b) {
  return a.condition == b.condition && a.then_term == b.then_term && a.else_term == b.else_term;
}

bool is_same(const TermContent& a, const TermContent& b) {
  return std::visit(
      [&](const auto& left) { return same(left, *std::get_if<std::decay_t<decltype(left)>>(&b)); }, a);
}

/// Computes what a node knows from its content.
class Completion {
 public:
  explicit Completion(InternedTerm& node) : node_(node) {
    seed_ = mix(node.type->hash, node.node.index());
    node_.shape = node.node.index();
  }

  void run() {
    const InternedType& type = *interned(node_.type);
    node_.sizes = type.sizes;
    node_.has_parameter = type.has_parameter;
    std::visit([this](const auto& content) { add(content); }, node_.node);
    node_.has_assumption |= node_.makes_assumption;
    node_.hash = seed_;
  }

 private:
  void tell(std::size_t value) {
    seed_ = mix(seed_, value);
    node_.shape = mix(node_.shape, value);
  }
  void add(const Literal& n) { tell(hash_value(n.value)); }
  void add(const Bound& n) {
    seed_ = mix(seed_, n.index);
    node_.loose = n.index + 1;
    node_.shape = mix(0, 0);
  }
  void add(const Free& n) {
    seed_ = mix(seed_, n.id);
    node_.has_free = true;
    node_.shape = mix(0, 0);
  }
  void add(const SizeValue& n) { add(n.size); }
  void add(const Lambda& n) {
    add(n.body);
    const std::uint64_t ops_of_body = node_.ops;
    if (n.claims.neutral) add(n.claims.neutral);
    node_.ops = ops_of_body;  // a claim is no subterm
    const auto bound_here = static_cast<std::uint32_t>(n.parameters.size());
    node_.loose -= std::min(node_.loose, bound_here);
    tell((n.claims.associative ? 1U : 0U) + (n.claims.commutative ? 2U : 0U));
  }
  void add(const Call& n) {
    tell(static_cast<std::size_t>(n.op));
    node_.ops |= op_bit(n.op);
    for (arith::Expr size : n.sizes) add(size);
    add(n.arguments);
  }
  void add(const ScalarCall& n) {
    tell(static_cast<std::size_t>(n.op));
    add(n.arguments);
  }
  void add(const Cast& n) {
    tell(static_cast<std::size_t>(n.to));
    add(n.operand);
  }
  void add(const Tuple& n) { add(n.components); }
  void add(const Get& n) {
    tell(n.index);
    add(n.tuple);
  }
  void add(const Let& n) {
    add(n.value);
    add(n.body);
  }
  void add(const If& n) {
    add(n.condition);
    add(n.then_term);
    add(n.else_term);
  }
  void add(const std::vector<Term>& terms) {
    for (Term term : terms) add(term);
  }
  void add(Term inner) {
    const InternedTerm& of = *interned(inner);
    seed_ = mix(seed_, of.hash);
    node_.shape = mix(node_.shape, of.shape);
    node_.loose = std::max(node_.loose, of.loose);
    node_.has_free |= of.has_free;
    node_.ops |= of.ops;
    node_.sizes |= of.sizes;
    node_.has_parameter |= of.has_parameter;
    node_.has_assumption |= of.has_assumption;
  }
  void add(arith::Expr size) {
    seed_ = mix(seed_, size->hash);
    node_.sizes |= size_mask(size);
    node_.has_parameter |= has_parameter(size);
  }

  InternedTerm& node_;
  std::size_t seed_;
};

}  // namespace

ArenaData& current_arena() { return innermost != nullptr ? *innermost : root_arena(); }

std::uint64_t& next_free() {
  thread_local std::uint64_t next = 0;
  return next;
}

LentArena LentArena::of_this_thread() {
  return {&current_arena(), arith::LentArena::of_this_thread(), next_free()};
}

Arena::Arena(const LentArena& outer) : data_(std::make_unique<ArenaData>()), previous_(innermost) {
  data_->arithmetic.emplace(outer.arithmetic_);
  data_->enclosing = outer.data_;
  innermost = data_.get();
  // Free variables here are none of those outside.
  next_free() = std::max(next_free(), outer.next_free_);
}

Arena::Arena() : data_(std::make_unique<ArenaData>()), previous_(innermost) {
  data_->arithmetic.emplace();
  data_->enclosing = &current_arena();
  innermost = data_.get();
}

Arena::~Arena() { innermost = previous_; }

SizeMask size_mask(arith::Expr e) {
  if (!e->has_variables) return 0;
  if (e.kind() == arith::Kind::Variable) return SizeMask{1} << (e->hash >> 58U);
  SizeMask mask = 0;
  for (arith::Expr operand : e->operands) mask |= size_mask(operand);
  if (e.kind() == arith::Kind::Conditional) {
    mask |= size_mask(e->predicate.left) | size_mask(e->predicate.right);
  }
  return mask;
}

SizeMask size_mask(const arith::Substitution& replaced) {
  SizeMask mask = 0;
  for (const auto& [node, replacement] : replaced) {
    // A constant could be anywhere.
    mask |= node->has_variables ? size_mask(arith::Expr(node)) : ~SizeMask{0};
  }
  return mask;
}

Type intern(TypeNode&& content) {
  content.hash = hash_of(content);
  const auto* found =
      find(&ArenaData::types, content.hash, [&](const InternedType& node) { return is_same(node, content); });
  if (found != nullptr) return Type(found);
  InternedType node{std::move(content)};
  if (node.size) {
    node.sizes = size_mask(node.size);
    node.has_parameter = has_parameter(node.size);
  }
  for (Type element : node.elements) {
    node.sizes |= interned(element)->sizes;
    node.has_parameter |= interned(element)->has_parameter;
  }
  return Type(current_arena().types.insert(std::move(node)));
}

Term intern(TermContent&& content, Type type, CallFacts facts) {
  InternedTerm node;
  node.node = std::move(content);
  node.type = type;
  node.makes_assumption = facts.makes_assumption;
  node.binds_length = facts.binds_length;
  Completion(node).run();
  const auto* found = find(&ArenaData::terms, node.hash, [&](const InternedTerm& known) {
    return known.type == type && known.node.index() == node.node.index() && is_same(known.node, node.node);
  });
  if (found != nullptr) return Term(found);
  return Term(current_arena().terms.insert(std::move(node)));
}

}  // namespace hoist::ir
