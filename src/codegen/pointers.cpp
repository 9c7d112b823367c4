#include "codegen/pointers.hpp"

#include "loop/traverse.hpp"

namespace hoist::codegen {

std::set<const loop::Buffer*> written_buffers(const loop::Kernel& kernel) {
  std::set<const loop::Buffer*> written;
  for (const loop::KernelParameter& parameter : kernel.parameters) {
    const auto* buffer = std::get_if<loop::BufferParameter>(&parameter);
    if (buffer && buffer->is_written) written.insert(buffer->buffer.get());
  }
  // A pointer that writes makes what it names, and what it is exchanged with, writable; until nothing
  // changes.
  std::size_t known = 0;
  const auto join = [&](const loop::Buffer* one, const loop::Buffer* other) {
    if (written.contains(one)) written.insert(other);
  };
  do {
    known = written.size();
    loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
      if (const auto* store = std::get_if<loop::Store>(&statement.node)) written.insert(store->buffer.get());
      if (const auto* alias = std::get_if<loop::Alias>(&statement.node)) {
        join(alias->pointer.get(), alias->target.get());
      }
      if (const auto* swap = std::get_if<loop::Swap>(&statement.node)) {
        join(swap->first.get(), swap->second.get());
        join(swap->second.get(), swap->first.get());
      }
    });
  } while (written.size() != known);
  return written;
}

}  // namespace hoist::codegen
