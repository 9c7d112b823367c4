#pragma once
// Private to ir: what nodes hold beside their public part, and how they are interned.
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "arith/arena.hpp"
#include "ir/node.hpp"

namespace hoist::ir {

/// One bit for each variable of sizes inside, by its hash: a clear bit proves absence.
using SizeMask = std::uint64_t;
SizeMask size_mask(arith::Expr e);
SizeMask size_mask(const arith::Substitution& replaced);

/// Every type node is one of these.
struct InternedType : TypeNode {
  SizeMask sizes = 0;
  bool has_parameter = false;  ///< a tuning parameter is inside, or a number that kernels learn
};

/// Every term node is one of these.
struct InternedTerm : TermNode {
  SizeMask sizes = 0;             ///< of the term and of every type in it
  std::size_t shape = 0;          ///< a hash of the term but for its sizes, types and variables
  bool has_parameter = false;     ///< likewise
  bool binds_length = false;      ///< iterate: sizes[1] is a variable bound in its function
  bool makes_assumption = false;  ///< the call itself could not prove one of its conditions
  bool has_assumption = false;    ///< it, or one inside
};

inline const InternedType* interned(Type type) { return static_cast<const InternedType*>(type.get()); }
inline const InternedTerm* interned(Term term) { return static_cast<const InternedTerm*>(term.get()); }

/// Open addressing on hashes that the nodes keep; a power of two long.
template <class Node>
class InternTable {
 public:
  template <class Matches>
  const Node* find(std::size_t hash, Matches&& matches) const {
    if (slots_.empty()) return nullptr;
    const std::size_t last = slots_.size() - 1;
    for (std::size_t slot = hash & last; slots_[slot] != nullptr; slot = (slot + 1) & last) {
      if (slots_[slot]->hash == hash && matches(*slots_[slot])) return slots_[slot];
    }
    return nullptr;
  }
  const Node* insert(Node&& node) {
    nodes_.push_back(std::move(node));
    if (2 * nodes_.size() > slots_.size()) {
      grow();
    } else {
      place(&nodes_.back());
    }
    return &nodes_.back();
  }
  std::size_t size() const { return nodes_.size(); }

 private:
  void place(const Node* node) {
    const std::size_t last = slots_.size() - 1;
    std::size_t slot = node->hash & last;
    while (slots_[slot] != nullptr) slot = (slot + 1) & last;
    slots_[slot] = node;
  }
  void grow() {
    constexpr std::size_t fewest_slots = 256;
    slots_.assign(slots_.empty() ? fewest_slots : 2 * slots_.size(), nullptr);
    for (const Node& node : nodes_) place(&node);
  }

  std::deque<Node> nodes_;
  std::vector<const Node*> slots_;
};

/// The identity of this thread's next free variable.
std::uint64_t& next_free();

/// Nodes of one arena. A node is looked for in the enclosing arenas too, and added to the innermost.
struct ArenaData {
  std::optional<arith::Arena> arithmetic;  ///< none in a thread's first arena: arith has one of its own
  ArenaData* enclosing = nullptr;
  InternTable<InternedType> types;
  InternTable<InternedTerm> terms;
};
/// The calling thread's innermost arena.
ArenaData& current_arena();

using TermContent = decltype(TermNode::node);

/// What `call` found out about a primitive's application.
struct CallFacts {
  bool makes_assumption = false;
  bool binds_length = false;
};

/// The node with this content, made if there is none yet. The hash and all that follows from the content is
/// computed here.
Type intern(TypeNode&& content);
/// The same; the type must be right.
Term intern(TermContent&& content, Type type, CallFacts facts = {});

/// Calls `fn` with each immediate subterm, in the order of `children`.
template <class Fn>
void for_each_child(Term term, Fn&& fn) {
  struct Visitor {
    Fn& fn;
    void all(const std::vector<Term>& terms) const {
      for (Term each : terms) fn(each);
    }
    void operator()(const Literal&) const {}
    void operator()(const Bound&) const {}
    void operator()(const Free&) const {}
    void operator()(const SizeValue&) const {}
    void operator()(const Lambda& n) const { fn(n.body); }
    void operator()(const Call& n) const { all(n.arguments); }
    void operator()(const ScalarCall& n) const { all(n.arguments); }
    void operator()(const Cast& n) const { fn(n.operand); }
    void operator()(const Tuple& n) const { all(n.components); }
    void operator()(const Get& n) const { fn(n.tuple); }
    void operator()(const Let& n) const {
      fn(n.value);
      fn(n.body);
    }
    void operator()(const If& n) const {
      fn(n.condition);
      fn(n.then_term);
      fn(n.else_term);
    }
  };
  std::visit(Visitor{fn}, term->node);
}

inline std::size_t mix(std::size_t seed, std::size_t value) {
  std::size_t mixed = (seed ^ value) * 0x9E3779B97F4A7C15U;
  mixed ^= mixed >> 32U;
  return mixed + 0x165667B19E3779F9U;
}

}  // namespace hoist::ir
