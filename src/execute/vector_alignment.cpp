#include "execute/vector_alignment.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "loop/traverse.hpp"

namespace hoist::execute {

VectorAlignments vector_alignments(const loop::Plan& plan) {
  std::map<const loop::Buffer*, std::size_t> widest;
  const auto see = [&](const loop::BufferPtr& buffer, const loop::ValueType& type) {
    std::size_t& known = widest[buffer.get()];
    known = std::max(known, std::bit_ceil(size_of(type.scalar) * static_cast<std::size_t>(type.width)));
  };
  for (const loop::Kernel& kernel : plan.kernels) {
    loop::for_each_value(kernel.body, [&](const loop::ValuePtr& value) {
      if (const auto* load = std::get_if<loop::Load>(&value->node)) see(load->buffer, value->type);
    });
    loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
      if (const auto* store = std::get_if<loop::Store>(&statement.node))
        see(store->buffer, store->value->type);
    });
  }
  const auto of = [&](const loop::BufferPtr& buffer) {
    const auto found = widest.find(buffer.get());
    return found == widest.end() ? std::size_t{1} : found->second;
  };
  VectorAlignments alignments;
  for (const loop::PlanInput& input : plan.inputs) {
    const auto* buffer = std::get_if<loop::BufferPtr>(&input);
    alignments.inputs.push_back(buffer ? of(*buffer) : 1);
  }
  for (const loop::BufferPtr& buffer : plan.outputs) alignments.outputs.push_back(of(buffer));
  return alignments;
}

}  // namespace hoist::execute
