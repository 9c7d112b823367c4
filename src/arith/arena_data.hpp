#pragma once
// Private to arith: the intern table, the memory and the memo of one arena.
#include <memory>
#include <span>
#include <vector>

#include "arith/node.hpp"

namespace hoist::arith {

/// Memory that is only given back as a whole, to the thread's next arenas.
class BumpMemory {
 public:
  BumpMemory();
  ~BumpMemory();
  BumpMemory(const BumpMemory&) = delete;
  BumpMemory& operator=(const BumpMemory&) = delete;

  void* allocate(std::size_t bytes);

 private:
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::vector<std::unique_ptr<std::byte[]>> oversized_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
};

/// What a node is looked up by, before it exists.
struct NodeKey {
  Kind kind;
  std::size_t hash = 0;
  std::int64_t value = 0;                ///< Constant and Launched, or the coefficient of a term
  const Interned* monomial = nullptr;    ///< of a term with a coefficient
  const Predicate* predicate = nullptr;  ///< Conditional
  std::span<const Expr> operands = {};   ///< all but Constant and terms
  VariableKind variable_kind{};          ///< Size, Parameter and Launched
  std::string_view name = {};            ///< likewise
};

struct ArenaData {
  explicit ArenaData(ArenaData* outer_arena);
  ~ArenaData();
  ArenaData(const ArenaData&) = delete;
  ArenaData& operator=(const ArenaData&) = delete;

  const Interned* find(const NodeKey& key) const;
  void insert(const Interned* node);
  Interned* allocate(Kind kind);
  std::span<Expr> allocate_operands(std::size_t operand_count);
  std::span<const Implied> store(std::span<const Implied> implied);

  struct MemoEntry {
    const Node* first = nullptr;
    const Node* second = nullptr;
    Question question{};
    bool raw = false;
    Expr result;
  };
  MemoEntry& memo_entry(Question question, const Node* first, const Node* second);

  ArenaData* outer;
  std::uint16_t depth;
  std::uint32_t next_id;
  std::size_t count = 0;

 private:
  void grow();

  BumpMemory memory_;
  std::vector<const Interned*> table_;  ///< open addressing; a power of two long
  std::vector<Interned*> variables_;    ///< they own a name each
  std::vector<MemoEntry> memo_;         ///< direct-mapped
};

/// The calling thread's innermost arena.
ArenaData& current_arena();

}  // namespace hoist::arith
