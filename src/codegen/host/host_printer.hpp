#pragma once
// C++17 with OpenMP and the compilers' vector types.
#include <array>
#include <map>
#include <optional>
#include <set>

#include "codegen/c_family.hpp"
#include "codegen/host/loop_nest.hpp"
#include "codegen/host/work_items.hpp"

namespace hoist::codegen {

/// A kernel is printed in one of two ways.
///
/// As loops, where that means the same: a parallel loop becomes an ordinary one over its whole range,
/// whatever the launch is, the outermost ones shared among threads. Statements that all work-items would
/// execute alike are executed once, and barriers vanish, since each loop ends before the next begins.
///
/// Else as work-items: threads take groups, and within a group every stretch of statements between barriers
/// becomes a loop over the group's work-items. Variables that live across such stretches become arrays with
/// an element for each work-item. The method is that of Stratton, Stone and Hwu, "MCUDA" (LCPC 2008), and of
/// pocl.
class Host : public CFamily {
 public:
  using CFamily::CFamily;

 protected:
  std::span<const std::string_view> reserved_words() const override;
  std::span<const std::string_view> reserved_functions() const override;
  std::string preamble(const std::string& text) override;
  void print_kernel(const loop::Kernel& kernel) override;

  // ---- Values (host_values.cpp)
  Code splat(const std::string& type, const Code& scalar) override;
  Code vector_of(const std::string& type, const std::vector<Code>& components) override;
  std::optional<Code> shuffled(loop::ValueType type, const loop::MakeVector& vector) override;
  Code component(const Code& vector, int index) override;
  Code vector_select(const Code& mask, const Code& yes, const Code& no) override;
  Code converted_vector(const std::string& type, const Code& vector) override;
  Code reinterpreted(const std::string& type, const Code& vector) override { return cast(type, vector); }
  Code saturated(loop::ValueType to, loop::ValueType from, const Code& operand) override;
  Code function(ScalarOp op, loop::ValueType type, const std::vector<Code>& operands) override;
  std::optional<Code> fused_sum(const loop::Operation& sum, loop::ValueType type) override;
  Code guarded_division(ScalarOp op, loop::ValueType type, const Code& dividend,
                        const Code& divisor) override;
  Code index_extremum(bool is_minimum, const Code& left, const Code& right) override;
  Code index_power(const Code& base, const Code& exponent) override;
  Code load_vector(const loop::Buffer& buffer, arith::Expr index, loop::ValueType type) override;
  void store_vector(const loop::Buffer& buffer, arith::Expr index, loop::ValueType type,
                    const Code& vector) override;
  Code dynamic_component(const loop::Buffer& buffer, arith::Expr index) override;
  Code loaded(const loop::Load& load, const Code& place) override;

  // ---- Statements (host_printer.cpp)
  arith::Expr element_position(const loop::Buffer& buffer, arith::Expr index) override;
  void sine_and_cosine(Scalar type, const std::string& angle, const std::string& sine,
                       const std::string& cosine) override {
    line("const {0} {1} = math::sin({3}), {2} = math::cos({3});", scalar_name(type), sine, cosine, angle);
  }
  /// The compiler of the host knows best.
  void unroll_hint(std::int64_t) override {}
  void atomic_update(const MemoryOperand& place, ScalarOp op, Scalar type, const Code& operand) override;
  void parallel_loop(const loop::For& loop) override;
  void sequential_loop(const loop::For& loop) override;
  void barrier(const loop::Barrier&) override {}  // the loops around it end there
  void allocate(const loop::Allocate& allocate) override;
  void alias(const loop::Alias& alias) override;
  void store(const loop::Store& store) override;
  void swap(const loop::Swap& swap) override;
  void let(const loop::Let& let) override;

 private:
  Code scalar_function(ScalarOp op, Scalar type, const std::vector<Code>& operands);
  /// Calls a function of scalars for each component; `body` prints it for the names of its operands.
  Code by_component(loop::ValueType result, loop::ValueType operand_type, const std::vector<Code>& operands,
                    const std::function<Code(const std::vector<Code>&)>& body);
  void need_multiply_add(loop::ValueType type);
  Code help(std::string_view helper, const std::vector<Code>& operands);
  Code address(const loop::Buffer& buffer, arith::Expr index);

  void declare_parameter(const loop::KernelParameter& parameter, const std::string& size_type,
                         std::size_t position);
  std::string pointer_type(const loop::Buffer& buffer) const;
  /// The declaration of memory for `count` elements, on the stack where it is small.
  void declare_array(const std::string& type, std::size_t element_bytes, const std::string& name,
                     const Code& count, bool is_aligned);
  void declare_buffer(const loop::Buffer& buffer);

  // ---- Kernels as loops (host_loops.cpp)
  void print_loops(const loop::Kernel& kernel);
  void loop_over_all(const loop::For& loop);
  /// The iterations of a parallel loop as work-items, in blocks: see WorkItemAnalysis::has_moved_loops.
  bool is_blocked(const loop::For& loop) const;
  void blocked_loop(const loop::For& loop, bool is_shared);
  std::int64_t items_of_block(const loop::For& loop, bool is_shared) const;
  void shared_loops(const loop::For& loop);
  std::string only_where_worth(const loop::For& loop, bool is_vector);
  void open_loop(const loop::For& loop);
  void declare_local_memory(const loop::For* loop);

  // ---- Kernels as work-items (host_work_items.cpp)
  void print_work_items(const loop::Kernel& kernel);
  void declare_launch(const loop::Kernel& kernel);
  std::optional<std::int64_t> item_capacity() const;
  Code kept_size(std::int64_t elements) const;
  bool is_interleaved(const loop::Buffer& buffer) const;
  void declare_kept();
  void group_block(const loop::Block& block);
  void group_statement(const loop::Statement& statement);
  void group_loop(const loop::For& loop);
  void region(std::span<const loop::Statement> statements);
  void name_ids(const std::vector<WorkItemState>& states);
  void bind(const WorkItemState& state, bool is_copy);
  void keep_copies(const std::vector<WorkItemState>& states, std::span<const loop::Statement> statements);
  void open_parallel(const loop::For& loop);
  void work_item_loop(const loop::For& loop);
  Code position() const;
  Code id(const loop::For& loop) const;
  Code stride(const loop::For& loop) const;
  /// Prints where there is no work-item: what is the same for all is read from the first.
  void for_group(const std::function<void()>& print);

  /// The work-items of one dimension; an id that can only be 0 is printed so.
  struct Dimension {
    Code local_size{"1"}, groups{"1"}, local_id{"0"}, group_id{"0"};
    Code capacity{"1"};  // at least local_size
    bool has_items() const { return local_id.text != "0"; }
    bool has_groups() const { return group_id.text != "0"; }
  };

  std::set<const loop::Load*> branching_loads_;  // that must not become masked ones
  std::optional<LocalMemory> local_memory_;      // of a kernel printed as loops
  bool is_shared_ = false;                       // in loops whose iterations are shared among threads
  std::optional<WorkItemAnalysis> work_items_;   // of a kernel printed as work-items
  std::array<Dimension, 3> dimensions_;
  /// A loop whose iterations are printed as work-items, and the first of the block.
  const loop::For* block_loop_ = nullptr;
  Code block_start_;
  std::map<const void*, std::string> kept_names_;  // by entity: the array with an element for each work-item
  std::string item_;                               // the position of a work-item in its group
};

}  // namespace hoist::codegen
