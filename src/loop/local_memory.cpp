#include "loop/local_memory.hpp"

#include "loop/traverse.hpp"

namespace hoist::loop {

std::vector<const Buffer*> local_arrays(const Kernel& kernel) {
  std::vector<const Buffer*> arrays;
  for_each_statement(kernel.body, [&](const Statement& statement) {
    const auto* allocate = std::get_if<Allocate>(&statement.node);
    if (allocate && allocate->buffer->space == AddressSpace::Local) arrays.push_back(allocate->buffer.get());
  });
  return arrays;
}

std::optional<std::size_t> bytes_of(const Buffer& array) {
  const auto scalars = array.scalars.constant();
  if (!scalars) return std::nullopt;
  return static_cast<std::size_t>(*scalars) * size_of(array.type.scalar);
}

arith::Expr aligned_local_offset(arith::Expr bytes) {
  return arith::ceiling_quotient(bytes, local_alignment) * arith::Expr(local_alignment);
}

std::size_t local_bytes(const Kernel& kernel) {
  arith::Expr bytes = 0;
  for (const Buffer* array : local_arrays(kernel))
    bytes = aligned_local_offset(bytes) + arith::Expr(bytes_of(*array).value_or(0));
  return static_cast<std::size_t>(*bytes.constant());
}

}  // namespace hoist::loop
