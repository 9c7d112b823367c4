#pragma once
// Ownership of interned expressions. Each thread has a current arena; a worker that compiles many candidates
// opens one per candidate (or batch), so memory does not grow with their number.
#include <memory>

namespace hoist::arith {

struct ArenaData;  // the intern tables and the nodes

/// While it lives, expressions made by this thread belong to it; they die with it. Arenas nest like scopes.
class Arena {
 public:
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Nodes made so far.
  std::size_t size() const;

 private:
  std::unique_ptr<ArenaData> data_;
  ArenaData* previous_;
};

/// While it lives, this thread's constructors only fold constants and flatten, and apply no other identity:
/// what
/// `--without index-simplification` measures. Facts and comparisons still work.
class WithoutSimplification {
 public:
  WithoutSimplification();
  ~WithoutSimplification();
  WithoutSimplification(const WithoutSimplification&) = delete;
  WithoutSimplification& operator=(const WithoutSimplification&) = delete;

 private:
  bool previous_;
};

}  // namespace hoist::arith
