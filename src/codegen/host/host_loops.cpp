// Kernels as ordinary loops.
#include <fmt/format.h>

#include "codegen/host/host_printer.hpp"

namespace hoist::codegen {

void Host::print_loops(const loop::Kernel& kernel) {
  declare_local_memory(nullptr);
  block(kernel.body);
}

void Host::declare_local_memory(const loop::For* loop) {
  const auto buffers = local_memory_->find(loop);
  if (buffers == local_memory_->end()) return;
  for (const loop::BufferPtr& buffer : buffers->second) declare_buffer(*buffer);
}

void Host::loop_over_all(const loop::For& loop) {
  if (loop.parallelism != loop::Parallelism::Local && !is_shared_) return shared_loops(loop);
  if (is_straight(loop.body)) write_pragma("omp simd");
  open_loop(loop);
  block(loop.body);
  close();
}

/// The outermost parallel loops. Where the innermost of them fits vector instructions it keeps to itself,
/// unless it is the only one.
void Host::shared_loops(const loop::For& loop) {
  std::vector<const loop::For*> nest = perfect_nest(loop);
  const bool is_simple = is_straight(nest.back()->body);
  const loop::For* innermost = nest.back();
  if (is_simple && nest.size() > 1) nest.pop_back();
  std::string pragma = is_simple && nest.back() == innermost ? "omp parallel for simd" : "omp parallel for";
  if (nest.size() > 1) pragma += fmt::format(" collapse({})", nest.size());
  write_pragma(pragma);
  for (const loop::For* each : nest) open_loop(*each);
  is_shared_ = true;
  declare_local_memory(&loop);
  block(nest.back()->body);
  is_shared_ = false;
  for (std::size_t at = 0; at < nest.size(); ++at) close();
}

void Host::open_loop(const loop::For& loop) { open_for(name(loop.variable), {"0"}, index(loop.stop), {"1"}); }

}  // namespace hoist::codegen
