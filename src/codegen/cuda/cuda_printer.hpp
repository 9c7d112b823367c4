#pragma once
// CUDA C++17, as NVIDIA's compiler at run time takes it.
#include <set>

#include "codegen/c_family.hpp"

namespace hoist::codegen {

/// Kernels are printed in a namespace, so that its vector types may have names that CUDA gives to others.
///
/// Local arrays are declared as shared memory while all of a kernel's fit what may be declared; else they are
/// parts of the memory that the launch gives.
class Cuda : public CFamily {
 public:
  using CFamily::CFamily;

  /// Where a kernel's local buffers are in its shared memory.
  struct SharedMemory {
    std::vector<std::pair<const loop::Buffer*, arith::Expr>> offsets;  ///< in bytes
    arith::Expr bytes = 0;
    /// Whether the launch says how much there is: it is more than a kernel may declare, or depends on what
    /// kernels learn at their launch.
    bool is_dynamic() const;
  };
  static SharedMemory shared_memory(const loop::Kernel& kernel);

 protected:
  std::span<const std::string_view> reserved_words() const override;
  std::span<const std::string_view> reserved_functions() const override { return c_library_functions(); }
  std::string preamble(const std::string& text) override;
  std::string epilogue() override;

  // ---- Values (cuda_values.cpp)
  Code splat(const std::string& type, const Code& scalar) override;
  Code vector_of(const std::string& type, const std::vector<Code>& components) override;
  Code component(const Code& vector, int index) override;
  Code vector_select(const Code& mask, const Code& yes, const Code& no) override;
  Code converted_vector(const std::string& type, const Code& vector) override;
  Code reinterpreted(const std::string& type, const Code& vector) override {
    return converted_vector(type, vector);
  }
  bool vector_operators_wrap() const override { return true; }
  Code saturated(loop::ValueType to, loop::ValueType from, const Code& operand) override;
  Code function(ScalarOp op, loop::ValueType type, const std::vector<Code>& operands) override;
  Code guarded_division(ScalarOp op, loop::ValueType type, const Code& dividend,
                        const Code& divisor) override;
  Code positive_part(loop::ValueType type, const Code& operand) override;
  Code index_extremum(bool is_minimum, const Code& left, const Code& right) override;
  Code index_power(const Code& base, const Code& exponent) override;
  Code load_vector(const loop::Buffer& buffer, arith::Expr index, loop::ValueType type) override;
  void store_vector(const loop::Buffer& buffer, arith::Expr index, loop::ValueType type,
                    const Code& vector) override;
  /// A texture object over the buffer's own memory, of one dimension: its place is the index.
  bool is_image(const loop::Buffer& buffer) const override { return buffer.image && !is_written(buffer); }
  Code pixel(const loop::Buffer& image, arith::Expr number) override;
  Code dynamic_component(const loop::Buffer& buffer, arith::Expr index) override;
  Code shuffle(loop::ValueType type, const Code& operand, int mask) override;

  // ---- Statements (cuda_statements.cpp)
  void print_kernel(const loop::Kernel& kernel) override;
  void parallel_loop(const loop::For& loop) override;
  void sine_and_cosine(Scalar type, const std::string& angle, const std::string& sine,
                       const std::string& cosine) override;
  bool has_asynchronous_copies(const loop::Buffer& from) const override { return !is_image(from); }
  void asynchronous_copy(const MemoryOperand& to, const MemoryOperand& from, loop::ValueType type,
                         const Code& condition) override;
  void atomic_update(const MemoryOperand& place, ScalarOp op, Scalar type, const Code& operand) override;
  void commit() override;
  void await(const loop::Await& await) override;
  void barrier(const loop::Barrier& barrier) override;
  void allocate(const loop::Allocate& allocate) override;
  void alias(const loop::Alias& alias) override;
  void swap(const loop::Swap& swap) override;

 private:
  void need_helper(std::string_view name);
  Code help(std::string_view helper, const std::vector<Code>& operands);
  Code scalar_function(ScalarOp op, Scalar type, const std::vector<Code>& operands);
  /// Calls a function of scalars for each component; `body` prints it for the names of its operands.
  Code by_component(loop::ValueType result, loop::ValueType operand_type, const std::vector<Code>& operands,
                    const std::function<Code(const std::vector<Code>&)>& body);
  Code vector_element(const loop::Buffer& buffer, arith::Expr index, loop::ValueType type);
  /// Adds the vector operators that the kernel's values are printed with.
  void need_operators(const loop::Kernel& kernel);

  std::string pointer_to(const loop::Buffer& buffer, loop::ValueType type) const;
  std::string parameter(const loop::KernelParameter& parameter);
  void declare_shared_memory(const loop::Kernel& kernel);
  /// A work-item's, or its group's, first iteration, and how far its iterations are apart.
  Code first(const loop::For& loop) const;
  Code stride(const loop::For& loop);
};

}  // namespace hoist::codegen
