#pragma once
#include <memory>

namespace hoist::ir {

struct ArenaData;

/// Owns interned types and terms, and the arithmetic in them (it opens an arith::Arena too). Nests like
/// scopes; terms of an enclosing arena may be used inside.
class Arena {
 public:
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

 private:
  std::unique_ptr<ArenaData> data_;
  ArenaData* previous_;
};

}  // namespace hoist::ir
