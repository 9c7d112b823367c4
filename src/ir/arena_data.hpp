#pragma once
// The intern tables behind ir::Arena.
#include <deque>
#include <memory>
#include <optional>
#include <unordered_set>

#include "arith/arena.hpp"
#include "ir/term.hpp"

namespace hoist::ir {

struct TypeHash {
  std::size_t operator()(const TypeNode* node) const { return node->hash; }
};
struct TypeEqual {
  bool operator()(const TypeNode* a, const TypeNode* b) const;
};
struct TermHash {
  std::size_t operator()(const TermNode* node) const { return node->hash; }
};
struct TermEqual {
  bool operator()(const TermNode* a, const TermNode* b) const;
};

/// Nodes of one arena. A node is looked for in the enclosing arenas too, and added to the innermost.
struct ArenaData {
  std::optional<arith::Arena> arithmetic;  ///< none in a thread's first arena: arith has one of its own
  ArenaData* enclosing = nullptr;
  std::deque<TypeNode> type_nodes;
  std::deque<TermNode> term_nodes;
  std::unordered_set<const TypeNode*, TypeHash, TypeEqual> types;
  std::unordered_set<const TermNode*, TermHash, TermEqual> terms;
};
/// The calling thread's innermost arena.
ArenaData& current_arena();

Type intern(TypeNode node);
/// `node.type` is set; hash, loose and has_free are computed here.
Term intern(TermNode node);

inline std::size_t mix(std::size_t seed, std::size_t value) {
  return (seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2))) * 0xff51afd7ed558ccdULL;
}

}  // namespace hoist::ir
