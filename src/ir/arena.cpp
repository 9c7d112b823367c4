#include "ir/arena_data.hpp"

namespace hoist::ir {

namespace {

ArenaData& root_arena() {
  thread_local ArenaData root;
  return root;
}
thread_local ArenaData* innermost = nullptr;

}  // namespace

ArenaData& current_arena() { return innermost ? *innermost : root_arena(); }

Arena::Arena() : data_(std::make_unique<ArenaData>()), previous_(innermost) {
  data_->arithmetic.emplace();
  data_->enclosing = &current_arena();
  innermost = data_.get();
}

Arena::~Arena() { innermost = previous_; }

bool TypeEqual::operator()(const TypeNode* a, const TypeNode* b) const {
  return a->kind == b->kind && a->scalar == b->scalar && a->size == b->size && a->elements == b->elements;
}

namespace {

bool same(const Literal& a, const Literal& b) { return a.value == b.value; }
bool same(const Bound& a, const Bound& b) { return a.index == b.index; }
bool same(const Free& a, const Free& b) { return a.id == b.id; }
bool same(const SizeValue& a, const SizeValue& b) { return a.size == b.size; }
bool same(const Lambda& a, const Lambda& b) {
  return a.parameters == b.parameters && a.body == b.body && a.claims == b.claims;
}
bool same(const Call& a, const Call& b) { return a.op == b.op && a.sizes == b.sizes && a.arguments == b.arguments; }
bool same(const ScalarCall& a, const ScalarCall& b) { return a.op == b.op && a.arguments == b.arguments; }
bool same(const Cast& a, const Cast& b) { return a.to == b.to && a.operand == b.operand; }
bool same(const Tuple& a, const Tuple& b) { return a.components == b.components; }
bool same(const Get& a, const Get& b) { return a.index == b.index && a.tuple == b.tuple; }
bool same(const Let& a, const Let& b) { return a.value == b.value && a.body == b.body; }
bool same(const If& a, const If& b) {
  return a.condition == b.condition && a.then_term == b.then_term && a.else_term == b.else_term;
}

}  // namespace

bool TermEqual::operator()(const TermNode* a, const TermNode* b) const {
  if (a->node.index() != b->node.index() || a->type != b->type) return false;
  return std::visit(
      [&](const auto& left) { return same(left, std::get<std::decay_t<decltype(left)>>(b->node)); }, a->node);
}

Type intern(TypeNode node) {
  std::size_t hash = mix(static_cast<std::size_t>(node.kind), static_cast<std::size_t>(node.scalar));
  if (node.size) hash = mix(hash, node.size->hash);
  for (Type element : node.elements) hash = mix(hash, element->hash);
  node.hash = hash;
  for (ArenaData* arena = &current_arena(); arena; arena = arena->enclosing) {
    auto found = arena->types.find(&node);
    if (found != arena->types.end()) return Type(*found);
  }
  ArenaData& arena = current_arena();
  arena.type_nodes.push_back(std::move(node));
  arena.types.insert(&arena.type_nodes.back());
  return Type(&arena.type_nodes.back());
}

Term intern(TermNode node) {
  std::size_t hash = mix(node.node.index(), node.type->hash);
  auto child = [&](Term term) {
    hash = mix(hash, term->hash);
    node.loose = std::max(node.loose, term->loose);
    node.has_free |= term->has_free;
  };
  auto all = [&](const std::vector<Term>& terms) {
    for (Term term : terms) child(term);
  };
  struct Visitor {
    std::size_t& hash;
    TermNode& node;
    decltype(child)& one;
    decltype(all)& many;
    void operator()(const Literal& n) { hash = mix(hash, hash_value(n.value)); }
    void operator()(const Bound& n) {
      hash = mix(hash, n.index);
      node.loose = n.index + 1;
    }
    void operator()(const Free& n) {
      hash = mix(hash, n.id);
      node.has_free = true;
    }
    void operator()(const SizeValue& n) { hash = mix(hash, n.size->hash); }
    void operator()(const Lambda& n) {
      one(n.body);
      auto count = static_cast<std::uint32_t>(n.parameters.size());
      node.loose = node.loose > count ? node.loose - count : 0;
      hash = mix(hash, (n.claims.associative ? 1U : 0U) + (n.claims.commutative ? 2U : 0U));
    }
    void operator()(const Call& n) {
      hash = mix(hash, static_cast<std::size_t>(n.op));
      for (arith::Expr size : n.sizes) hash = mix(hash, size->hash);
      many(n.arguments);
    }
    void operator()(const ScalarCall& n) {
      hash = mix(hash, static_cast<std::size_t>(n.op));
      many(n.arguments);
    }
    void operator()(const Cast& n) { one(n.operand); }
    void operator()(const Tuple& n) { many(n.components); }
    void operator()(const Get& n) {
      hash = mix(hash, n.index);
      one(n.tuple);
    }
    void operator()(const Let& n) {
      one(n.value);
      one(n.body);
    }
    void operator()(const If& n) {
      one(n.condition);
      one(n.then_term);
      one(n.else_term);
    }
  };
  std::visit(Visitor{hash, node, child, all}, node.node);
  node.hash = hash;
  for (ArenaData* arena = &current_arena(); arena; arena = arena->enclosing) {
    auto found = arena->terms.find(&node);
    if (found != arena->terms.end()) return Term(*found);
  }
  ArenaData& arena = current_arena();
  arena.term_nodes.push_back(std::move(node));
  arena.terms.insert(&arena.term_nodes.back());
  return Term(&arena.term_nodes.back());
}

}  // namespace hoist::ir
