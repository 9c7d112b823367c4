#pragma once
#include <cstdint>
#include <memory>

#include "arith/arena.hpp"

namespace hoist::ir {

struct ArenaData;

/// All types, terms and expressions that a thread has made, for other threads to build on; as
/// arith::LentArena.
class LentArena {
 public:
  /// What the calling thread has made.
  static LentArena of_this_thread();

 private:
  friend class Arena;
  LentArena(ArenaData* data, arith::LentArena arithmetic, std::uint64_t next_free)
      : data_(data), arithmetic_(arithmetic), next_free_(next_free) {}
  ArenaData* data_;
  arith::LentArena arithmetic_;
  std::uint64_t next_free_;
};

/// Owns interned types and terms, and the arithmetic in them (it opens an arith::Arena too). Nests like
/// scopes; terms of an enclosing arena may be used inside.
class Arena {
 public:
  Arena();
  /// An arena inside those of another thread, whose terms may be used in it. While it lives, this thread's
  /// own earlier terms may not be used.
  explicit Arena(const LentArena& outer);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

 private:
  std::unique_ptr<ArenaData> data_;
  ArenaData* previous_;
};

}  // namespace hoist::ir
