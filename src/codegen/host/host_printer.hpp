#pragma once
// C++17 with OpenMP and the compilers' vector types.
#include <set>

#include "codegen/c_family.hpp"
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
  std::string preamble(const std::string& text) override;
  void print_kernel(const loop::Kernel& kernel) override;

  // ---- Values (host_values.cpp)
  Code splat(const std::string& type, const Code& scalar) override;
  Code vector_of(const std::string& type, const std::vector<Code>& components) override;
  Code component(const Code& vector, int index) override;
  Code vector_select(const Code& mask, const Code& yes, const Code& no) override;
  Code converted_vector(const std::string& type, const Code& vector) override;
  Code saturated(loop::ValueType to, loop::ValueType from, const Code& operand) override;
  Code function(ScalarOp op, loop::ValueType type, const std::vector<Code>& operands) override;
  Code guarded_division(ScalarOp op, loop::ValueType type, const Code& dividend,
                        const Code& divisor) override;
  Code index_extremum(bool is_minimum, const Code& left, const Code& right) override;
  Code index_power(const Code& base, const Code& exponent) override;
  Code load_vector(const loop::Buffer& buffer, arith::Expr index, loop::ValueType type) override;
  void store_vector(const loop::Buffer& buffer, arith::Expr index, loop::ValueType type,
                    const Code& vector) override;
  Code dynamic_component(const loop::Buffer& buffer, arith::Expr index) override;

  // ---- Statements
  void parallel_loop(const loop::For& loop) override;
  void barrier(const loop::Barrier&) override {}  // the loops around it are split there
  void allocate(const loop::Allocate& allocate) override;
  void alias(const loop::Alias& alias) override;
  void swap(const loop::Swap& swap) override;
  void let(const loop::Let& let) override;

 private:
  Code scalar_function(ScalarOp op, Scalar type, const std::vector<Code>& operands);
  Code by_component(loop::ValueType result, const std::vector<loop::ValueType>& operand_types,
                    const std::vector<Code>& operands,
                    const std::function<Code(const std::vector<Code>&)>& body);
  Code address(const loop::Buffer& buffer, arith::Expr index);
  std::string pointer_type(const loop::Buffer& buffer) const;

  void declare_parameter(const loop::KernelParameter& parameter, std::size_t position);
  /// Memory for `count` elements, which may be large or of a size known only when the kernel runs.
  void declare_array(const std::string& type, std::size_t element_bytes, const std::string& name,
                     arith::Expr count);

  // ---- Kernels as loops (host_loops.cpp)
  void print_loops(const loop::Kernel& kernel);
  void shared_loops(const loop::For& loop);
  void plain_loop(const loop::For& loop);
  /// Declares the local memory that is used in this loop, outside all loops for null.
  void declare_local_memory(const loop::For* loop);

  // ---- Kernels as work-items (host_work_items.cpp)
  void print_work_items(const loop::Kernel& kernel);
  void group_block(const loop::Block& block);
  void group_statement(const loop::Statement& statement);
  void group_loop(const loop::For& loop);
  void region(const Region& region);
  void open_work_item_loops(bool is_simple);
  void bind(const WorkItemState& state);
  Code work_item_id(loop::Parallelism parallelism, int dimension);
  Code work_item_stride(loop::Parallelism parallelism, int dimension);

  bool is_work_items_ = false;
  std::set<const loop::Buffer*> written_;
  bool is_shared_ = false;  // within loops whose iterations are shared among threads
};

}  // namespace hoist::codegen
