#pragma once
// Which statements of a kernel run as loops over the work-items of a group, and what must outlive such a
// loop.
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "loop/kernel.hpp"
#include "loop/uniformity.hpp"

namespace hoist::codegen {

/// A part of a block that all work-items come to: a stretch of statements that each of them runs through
/// without waiting, or one statement that is printed around or between such stretches.
struct Segment {
  std::span<const loop::Statement> statements;
  bool is_region = false;
};

/// A private variable, buffer or pointer, or a loop variable that is a work-item's id.
struct WorkItemState {
  loop::VariablePtr variable;
  loop::BufferPtr buffer;
  const loop::For* id = nullptr;
};

/// The address that stands for it.
const void* entity_of(const WorkItemState& state);

class WorkItemAnalysis {
 public:
  /// Analyses a whole kernel. `fast_dimension` is the one that consecutive work-items differ in. Bug where a
  /// barrier is in control flow that differs between work-items.
  WorkItemAnalysis(const loop::Kernel& kernel, int fast_dimension);
  /// Analyses a parallel loop of a kernel, each iteration being a work-item; it has neither barriers nor
  /// parallel loops.
  WorkItemAnalysis(const loop::Kernel& kernel, const loop::For& loop);

  std::vector<Segment> segments(const loop::Block& block) const;
  /// What a region uses or declares that outlives it, and the ids that it uses.
  std::vector<WorkItemState> bound_in(std::span<const loop::Statement> region) const;
  /// What needs an element for each work-item of the group, in order of declaration.
  const std::vector<WorkItemState>& kept() const { return kept_; }
  bool is_kept(const void* entity) const { return kept_entities_.contains(entity); }
  /// Whether a private buffer is best kept with the same element of consecutive work-items side by side: it
  /// is used only where vector instructions may work on many work-items.
  bool is_interleaved(const loop::Buffer& buffer) const {
    return is_kept(&buffer) && !buffer.is_pointer && !scalar_uses_.contains(&buffer);
  }
  /// Whether a region is straight but for the declarations of what is kept, which are printed elsewhere.
  bool is_straight_region(std::span<const loop::Statement> region) const;
  /// Whether some loop of the work-items' own code was moved around the loops over work-items.
  bool has_moved_loops() const { return !moved_.empty(); }
  bool is_moved(const loop::For& loop) const { return moved_.contains(&loop); }

 private:
  void finish(const loop::Block& block);
  void keep(const WorkItemState& state);
  void find_pointers(const loop::Block& block);
  bool is_movable(const loop::For& loop) const;
  bool is_movable(const loop::Block& block) const;
  bool is_contiguous(arith::Expr index) const;
  bool is_group_statement(const loop::Statement& statement) const;
  void number(const loop::Block& block);
  void require_uniform(const loop::Statement& statement) const;
  void note_region(const loop::Statement& statement);
  void declare(const std::string& name, const WorkItemState& state);
  void note(const void* entity, int region);
  void note(arith::Expr index, int region);
  void join_pointers(const loop::Block& block);
  void find_contiguous_uses(const loop::Block& block);

  loop::Uniformity uniformity_;
  std::set<const loop::Buffer*> group_pointers_;  // declared where all work-items are, and the same for all
  std::map<const void*, std::set<int>> regions_;  // by variable, buffer or loop: where it is used
  std::set<const void*> uniform_;  // variables that never change, the same for all, declared where all are
  std::set<const void*> set_by_group_;  // those of them that are used in several regions
  bool is_split_again_ = false;
  int region_count_ = 0;
  std::vector<std::span<const loop::Statement>> region_statements_;
  int fast_dimension_ = 0;
  std::vector<arith::Expr> fast_ids_;  // loop variables that are one more for the next work-item
  std::set<const loop::For*> moved_;   // sequential loops that are printed around loops over work-items
  std::set<const void*> scalar_uses_;  // what is used in regions that have loops or arrays of their own
  std::map<std::string, const void*> by_name_;  // what index expressions may mention
  std::vector<WorkItemState> declared_;
  std::vector<WorkItemState> kept_;
  std::set<const void*> kept_entities_;
};

}  // namespace hoist::codegen
