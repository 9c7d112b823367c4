// Interning (hash consing) of index expressions, and the memory that they live in.
//
// An expression is made once: `4 * i + j` made again, anywhere on the thread, gives the same node, so
// equality is a comparison of addresses, and what is known of a node (its bounds, its residue, its samples)
// is computed once, when it is made. Sizes and parameters are known by name; index and data variables are
// not, since two loops over `i` are two variables.
//
//   Arena a;                  // nodes made from here on belong to it and die with it
//   { Arena b; ... }          // looks nodes up in b, then in a, then in the thread's root
//
// Read `intern_operator` first: find the node or make it, with its facts (facts.cpp) and what `complete`
// derives. `named_variable` and `fresh_variable` make variables, `constant_node` constants, the small ones of
// which live in the thread's root arena and need no look-up; `intern_term` makes coefficient * monomial. The
// tables are ArenaData's: a hash table with open addressing for nodes, memory that is only given back as a
// whole, and a direct-mapped memo of what the simplifier found out (`recall`, `remember`).
#include "arith/arena.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "arith/arena_data.hpp"
#include "arith/facts.hpp"
#include "arith/implications.hpp"
#include "arith/samples.hpp"
#include "base/error.hpp"

namespace hoist::arith {
namespace {

constexpr std::size_t block_bytes = 64 * 1024;
constexpr std::size_t most_spare_blocks = 128;
constexpr std::size_t first_table_slots = 256;
constexpr std::size_t first_memo_entries = 256;
constexpr std::size_t largest_memo_entries = 2048;

// Constants in this range are found without a hash.
constexpr std::int64_t first_small = -64;
constexpr std::int64_t last_small = 1024;

thread_local ArenaData* current = nullptr;
thread_local bool raw = false;
thread_local std::uint64_t surrender_count = 0;
using SmallConstants = std::array<const Interned*, last_small - first_small + 1>;
thread_local SmallConstants small_constants{};
/// This thread's outermost arena that lies inside another thread's arenas.
thread_local ArenaData* outermost_inside = nullptr;

using Block = std::unique_ptr<std::byte[]>;
std::vector<Block>& spare_blocks() {
  thread_local std::vector<Block> blocks;
  return blocks;
}

ArenaData& root_arena() {
  thread_local ArenaData root(nullptr);
  return root;
}

constexpr std::size_t mix(std::size_t seed, std::size_t value) {
  std::size_t mixed = (seed ^ value) * 0x9E3779B97F4A7C15U;
  mixed ^= mixed >> 32U;
  return mixed + 0x165667B19E3779F9U;
}

std::size_t hash_text(std::string_view text) {
  std::size_t hash = 0xCBF29CE484222325U;
  for (char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3U;
  return hash;
}

std::size_t hash_of(Expr e) { return e ? e->hash : 0; }
std::size_t seed_of(Kind kind) { return mix(0x5851F42D4C957F2DU, static_cast<std::size_t>(kind)); }
std::size_t hash_operands(Kind kind, std::span<const Expr> operands) {
  std::size_t hash = seed_of(kind);
  for (Expr operand : operands) hash = mix(hash, operand->hash);
  return hash;
}
std::size_t hash_term(std::int64_t coefficient, const Interned* monomial) {
  return mix(mix(seed_of(Kind::Product), static_cast<std::size_t>(coefficient)), monomial->hash);
}

bool matches(const Interned& node, const NodeKey& key) {
  if (node.hash != key.hash || node.kind != key.kind) return false;
  switch (key.kind) {
    case Kind::Constant:
      return node.value == key.value;
    case Kind::Variable:
      return node.variable_kind == key.variable_kind && node.name == key.name && node.value == key.value;
    case Kind::Product:
      if (key.monomial != nullptr) return node.monomial == key.monomial && node.coefficient == key.value;
      break;
    case Kind::Conditional:
      if (!(node.predicate == *key.predicate)) return false;
      break;
    default:
      break;
  }
  return std::ranges::equal(node.operands, key.operands);
}

/// Looks from the innermost arena outwards: a node of an outer arena serves as well.
const Interned* find(const NodeKey& key) {
  for (const ArenaData* arena = &current_arena(); arena != nullptr; arena = arena->outer) {
    if (const Interned* found = arena->find(key)) return found;
  }
  return nullptr;
}

std::uint32_t saturating_add(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{a} + b, 1U << 30U));
}

void inherit(Interned& node, Expr operand) {
  const Interned* inner = interned(operand);
  node.variable_mask |= inner->variable_mask;
  node.level = std::max(node.level, inner->level);
  node.operations = saturating_add(node.operations, inner->operations);
  node.has_variables |= inner->has_variables;
  node.has_index |= inner->has_index;
  node.has_implications |= inner->has_implications;
}

/// Derives all of a node but its kind, hash, operands and facts.
void complete(Interned& node) {
  node.samples = samples_of_operator(node);
  node.is_fixed = node.facts.minimum && node.facts.minimum == node.facts.maximum;
  for (Expr operand : node.operands) inherit(node, operand);
  if (node.kind == Kind::Conditional) {
    inherit(node, node.predicate.left);
    inherit(node, node.predicate.right);
    ++node.operations;
  }
  node.operations = saturating_add(node.operations, static_cast<std::uint32_t>(node.operands.size() - 1));
  const bool is_polynomial = node.kind == Kind::Sum || node.kind == Kind::Product;
  if (!is_polynomial && node.level < UINT16_MAX) ++node.level;
  node.has_division =
      node.kind == Kind::Quotient || node.kind == Kind::Remainder || node.kind == Kind::ExactQuotient;
  if (is_polynomial) {
    for (Expr operand : node.operands) node.has_division |= interned(operand)->has_division;
  }
  if (node.kind == Kind::Product) {
    const auto constants = static_cast<std::size_t>(node.operands.front()->kind == Kind::Constant);
    node.degree = static_cast<std::uint16_t>(node.operands.size() - constants);
  }
}

Facts facts_of(Kind kind, std::span<const Expr> operands) {
  switch (kind) {
    case Kind::Sum:
      return facts_of_sum(operands);
    case Kind::Product:
      return facts_of_product(operands);
    case Kind::Quotient:
      return facts_of_quotient(operands[0]->facts, operands[1]->facts);
    case Kind::Remainder:
      return facts_of_remainder(operands[0]->facts, operands[1]->facts);
    case Kind::ExactQuotient:
      return facts_of_exact_quotient(operands[0]->facts, operands[1]->facts);
    case Kind::CeilingQuotient:
      return facts_of_ceiling_quotient(operands[0]->facts, operands[1]->facts);
    case Kind::Power:
      return facts_of_power(operands[0]->facts, operands[1]->facts);
    case Kind::Minimum:
      return facts_of_minimum(operands[0]->facts, operands[1]->facts);
    case Kind::Maximum:
      return facts_of_maximum(operands[0]->facts, operands[1]->facts);
    case Kind::Conditional:
      return facts_of_either(operands[0]->facts, operands[1]->facts);
    case Kind::Constant:
    case Kind::Variable:
      break;
  }
  throw Bug("only operators have facts of operands");
}

Expr finish(ArenaData& arena, Interned& node, const NodeKey& key) {
  node.hash = key.hash;
  arena.insert(&node);
  return Expr(&node);
}

Expr intern_operator(const NodeKey& key) {
  if (const Interned* found = find(key)) return Expr(found);
  ArenaData& arena = current_arena();
  Interned& node = *arena.allocate(key.kind);
  const std::span<Expr> operands = arena.allocate_operands(key.operands.size());
  std::ranges::copy(key.operands, operands.begin());
  node.operands = operands;
  if (key.predicate != nullptr) node.predicate = *key.predicate;
  node.monomial = &node;
  node.facts = facts_of(key.kind, operands);
  complete(node);
  return finish(arena, node, key);
}

Expr named_variable(VariableKind kind, std::string_view name, std::int64_t value = 0) {
  const std::size_t hash =
      mix(mix(mix(seed_of(Kind::Variable), static_cast<std::size_t>(kind)), hash_text(name)),
          static_cast<std::size_t>(value));
  const NodeKey key{
      .kind = Kind::Variable, .hash = hash, .value = value, .variable_kind = kind, .name = name};
  if (const Interned* found = find(key)) return Expr(found);
  ArenaData& arena = current_arena();
  Interned& node = *arena.allocate(Kind::Variable);
  node.variable_kind = kind;
  node.name = name;
  node.value = value;
  node.monomial = &node;
  node.variable_mask = std::uint64_t{1} << (hash >> 58U);
  node.level = 1;
  node.has_variables = true;
  node.facts = facts_of_variable(kind, {}, {}, {});
  node.hash = hash;
  node.samples = samples_of_variable(node);
  return finish(arena, node, key);
}

Expr fresh_variable(VariableKind kind, std::string_view name, Expr start, Expr stop, Expr step) {
  ArenaData& arena = current_arena();
  Interned& node = *arena.allocate(Kind::Variable);
  node.variable_kind = kind;
  node.name = name;
  node.start = start;
  node.stop = stop;
  node.step = step;
  node.monomial = &node;
  std::size_t hash = mix(mix(seed_of(Kind::Variable), static_cast<std::size_t>(kind)), hash_text(name));
  hash = mix(mix(mix(hash, hash_of(start)), hash_of(stop)), hash_of(step));
  node.hash = hash;
  node.variable_mask = std::uint64_t{1} << (node.id % 64);
  node.level = 1;
  for (Expr bound : {start, stop, step}) {
    if (bound) node.level = std::max(node.level, interned(bound)->level);
  }
  ++node.level;
  node.has_variables = true;
  node.has_index = true;
  node.facts = facts_of_variable(kind, start, stop, step);
  node.is_fixed = node.facts.minimum && node.facts.minimum == node.facts.maximum;
  node.samples = samples_of_variable(node);
  node.implied = arena.store(implications_of_range(start, stop));
  node.has_implications = !node.implied.empty();
  return Expr(&node);  // never looked up: its identity is its own
}

}  // namespace

// The pool of spare blocks is made before the root arena, whose memory returns to it, so that it ends later.
BumpMemory::BumpMemory() { spare_blocks(); }

BumpMemory::~BumpMemory() {
  std::vector<Block>& spare = spare_blocks();
  for (Block& block : blocks_) {
    if (spare.size() < most_spare_blocks) spare.push_back(std::move(block));
  }
}

void* BumpMemory::allocate(std::size_t bytes) {
  constexpr std::size_t alignment = alignof(std::max_align_t);
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (bytes > block_bytes) {
    oversized_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
    return oversized_.back().get();
  }
  if (bytes > left_) {
    std::vector<Block>& spare = spare_blocks();
    if (spare.empty()) {
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(block_bytes));
    } else {
      blocks_.push_back(std::move(spare.back()));
      spare.pop_back();
    }
    next_ = blocks_.back().get();
    left_ = block_bytes;
  }
  void* result = next_;
  next_ += bytes;
  left_ -= bytes;
  return result;
}

ArenaData::ArenaData(ArenaData* outer_arena)
    : outer(outer_arena),
      depth(static_cast<std::uint16_t>(outer != nullptr ? outer->depth + 1 : 0)),
      next_id(outer != nullptr ? outer->next_id : 0),
      table_(first_table_slots) {}

ArenaData::~ArenaData() {
  for (Interned* variable : variables_) variable->~Interned();
}

const Interned* ArenaData::find(const NodeKey& key) const {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t slot = key.hash & mask; table_[slot] != nullptr; slot = (slot + 1) & mask) {
    if (matches(*table_[slot], key)) return table_[slot];
  }
  return nullptr;
}

void ArenaData::insert(const Interned* node) {
  if (2 * count > table_.size()) grow();
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = node->hash & mask;
  while (table_[slot] != nullptr) slot = (slot + 1) & mask;
  table_[slot] = node;
}

void ArenaData::grow() {
  std::vector<const Interned*> smaller(4 * table_.size());
  std::swap(smaller, table_);
  const std::size_t mask = table_.size() - 1;
  for (const Interned* node : smaller) {
    if (node == nullptr) continue;
    std::size_t slot = node->hash & mask;
    while (table_[slot] != nullptr) slot = (slot + 1) & mask;
    table_[slot] = node;
  }
}

Interned* ArenaData::allocate(Kind kind) {
  auto* node = new (memory_.allocate(sizeof(Interned))) Interned();
  node->kind = kind;
  node->id = next_id++;
  node->depth = depth;
  ++count;
  // Only names own memory elsewhere, so only variables need their destructor run.
  if (kind == Kind::Variable) variables_.push_back(node);
  return node;
}

std::span<Expr> ArenaData::allocate_operands(std::size_t operand_count) {
  auto* operands = static_cast<Expr*>(memory_.allocate(operand_count * sizeof(Expr)));
  std::uninitialized_default_construct_n(operands, operand_count);
  return {operands, operand_count};
}

std::span<const Implied> ArenaData::store(std::span<const Implied> implied) {
  if (implied.empty()) return {};
  auto* stored = static_cast<Implied*>(memory_.allocate(implied.size_bytes()));
  std::uninitialized_copy(implied.begin(), implied.end(), stored);
  return {stored, implied.size()};
}

ArenaData::MemoEntry& ArenaData::memo_entry(Question question, const Node* first, const Node* second) {
  const bool is_small = memo_.size() < largest_memo_entries && memo_.size() <= 2 * count;
  if (memo_.empty() || is_small) {
    memo_.assign(memo_.empty() ? first_memo_entries : largest_memo_entries, MemoEntry{});
  }
  const std::size_t hash = mix(mix(first->hash, second->hash), static_cast<std::size_t>(question));
  return memo_[hash & (memo_.size() - 1)];
}

ArenaData& current_arena() {
  if (current == nullptr) current = &root_arena();
  return *current;
}

struct Arena::OwnState {
  SmallConstants constants;
  ArenaData* outermost_inside;
};

LentArena LentArena::of_this_thread() { return LentArena(&current_arena()); }

Arena::Arena() : data_(std::make_unique<ArenaData>(&current_arena())), previous_(current) {
  current = data_.get();
}

Arena::Arena(const LentArena& outer)
    : data_(std::make_unique<ArenaData>(outer.data_)),
      previous_(current),
      own_(std::make_unique<OwnState>(OwnState{small_constants, outermost_inside})) {
  current = outermost_inside = data_.get();
  small_constants = {};
}

Arena::~Arena() {
  if (own_) {
    small_constants = own_->constants;
    outermost_inside = own_->outermost_inside;
  } else {
    // Later nodes of the outer arena must not reuse the identities that this one gave out.
    previous_->next_id = data_->next_id;
  }
  current = previous_;
}

std::size_t Arena::size() const { return data_->count; }

bool is_raw() { return raw; }
WithoutSimplification::WithoutSimplification() : previous_(raw) { raw = true; }
WithoutSimplification::~WithoutSimplification() { raw = previous_; }
Simplifying::Simplifying() : previous_(raw) { raw = false; }
Simplifying::~Simplifying() { raw = previous_; }

std::uint64_t& surrenders() { return surrender_count; }

Expr recall(Question question, const Node* first, const Node* second) {
  if (has_assumptions()) return {};
  const ArenaData::MemoEntry& entry = current_arena().memo_entry(question, first, second);
  const bool hit =
      entry.first == first && entry.second == second && entry.question == question && entry.raw == raw;
  return hit ? entry.result : Expr();
}

void remember(Question question, const Node* first, const Node* second, Expr result) {
  if (has_assumptions()) return;
  current_arena().memo_entry(question, first, second) = {first, second, question, raw, result};
}

const Node* constant_node(std::int64_t value) {
  const bool is_small = value >= first_small && value <= last_small;
  if (is_small && small_constants[value - first_small] != nullptr)
    return small_constants[value - first_small];
  const std::size_t hash = mix(seed_of(Kind::Constant), static_cast<std::size_t>(value));
  const NodeKey key{.kind = Kind::Constant, .hash = hash, .value = value};
  if (const Interned* found = find(key)) return found;
  // Small constants outlive every arena but the thread's outermost.
  ArenaData& outermost = outermost_inside != nullptr ? *outermost_inside : root_arena();
  ArenaData& arena = is_small ? outermost : current_arena();
  Interned& node = *arena.allocate(Kind::Constant);
  node.value = value;
  node.coefficient = value;
  node.degree = 0;
  node.facts = facts_of_constant(value);
  node.is_fixed = true;
  node.samples = samples_of_constant(value);
  finish(arena, node, key);
  if (is_small) small_constants[value - first_small] = &node;
  return &node;
}

Expr constant(std::int64_t value) { return Expr(value); }
Expr size(std::string_view name) { return named_variable(VariableKind::Size, name); }
Expr parameter(std::string_view name) { return named_variable(VariableKind::Parameter, name); }
Expr launched(std::string_view name, std::int64_t value) {
  return named_variable(VariableKind::Launched, name, value);
}
Expr index(std::string_view name, Expr start, Expr stop, Expr step) {
  return fresh_variable(VariableKind::Index, name, start, stop, step);
}
Expr data(std::string_view name, Expr minimum, Expr stop) {
  return fresh_variable(VariableKind::Data, name, minimum, stop, Expr(1));
}

Expr intern(Kind kind, std::span<const Expr> operands) {
  return intern_operator({.kind = kind, .hash = hash_operands(kind, operands), .operands = operands});
}

Expr intern(Kind kind, Expr first, Expr second) {
  const Expr operands[] = {first, second};
  return intern(kind, operands);
}

Expr intern_conditional(const Predicate& predicate, Expr then_value, Expr else_value) {
  const Expr operands[] = {then_value, else_value};
  std::size_t hash = hash_operands(Kind::Conditional, operands);
  hash = mix(hash, static_cast<std::size_t>(predicate.relation));
  hash = mix(mix(hash, predicate.left->hash), predicate.right->hash);
  return intern_operator(
      {.kind = Kind::Conditional, .hash = hash, .predicate = &predicate, .operands = operands});
}

Expr intern_term(std::int64_t coefficient, const Interned* monomial) {
  if (coefficient == 1) return Expr(monomial);
  const NodeKey key{.kind = Kind::Product,
                    .hash = hash_term(coefficient, monomial),
                    .value = coefficient,
                    .monomial = monomial};
  if (const Interned* found = find(key)) return Expr(found);
  ArenaData& arena = current_arena();
  const Expr self(monomial);
  const std::span<const Expr> factors = factors_of(monomial, self);
  const std::span<Expr> operands = arena.allocate_operands(factors.size() + 1);
  operands[0] = Expr(coefficient);
  std::ranges::copy(factors, operands.begin() + 1);
  Interned& node = *arena.allocate(Kind::Product);
  node.operands = operands;
  node.monomial = monomial;
  node.coefficient = coefficient;
  const Expr parts[] = {operands[0], self};
  node.facts = facts_of_product(parts);
  complete(node);
  return finish(arena, node, key);
}

}  // namespace hoist::arith
