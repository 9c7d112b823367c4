#pragma once
// Ownership of interned expressions. Each thread has a current arena; a worker that compiles many candidates
// opens one per candidate (or batch), so memory does not grow with their number.
#include <memory>

namespace hoist::arith {

struct ArenaData;  // the intern tables and the nodes

/// All expressions that a thread has made, for other threads to build on. Nobody may make expressions in the
/// lending thread's arenas, or close them, while another thread has an arena around which they lie.
class LentArena {
 public:
  /// What the calling thread has made.
  static LentArena of_this_thread();

 private:
  friend class Arena;
  explicit LentArena(ArenaData* data) : data_(data) {}
  ArenaData* data_;
};

/// While it lives, expressions made by this thread belong to it; they die with it. Arenas nest like scopes.
class Arena {
 public:
  Arena();
  /// An arena inside those of another thread, whose expressions may be used in it. While it lives, this
  /// thread's own earlier expressions may not be used.
  explicit Arena(const LentArena& outer);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Nodes made so far.
  std::size_t size() const;

 private:
  struct OwnState;  ///< what an arena inside another thread's puts aside

  std::unique_ptr<ArenaData> data_;
  ArenaData* previous_;
  std::unique_ptr<OwnState> own_;
};

/// While it lives, this thread's constructors only fold constants and flatten, and apply no other identity,
/// as
/// `--without index-simplification` asks. Facts and comparisons still work.
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
