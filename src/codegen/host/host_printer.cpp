#include "codegen/host/host_printer.hpp"

#include <fmt/format.h>

#include <charconv>

#include "codegen/host/edges.hpp"
#include "codegen/host/fault_flags.hpp"
#include "codegen/host/helpers.hpp"
#include "codegen/host/layouts.hpp"
#include "codegen/host/loop_order.hpp"
#include "codegen/host/masked_loads.hpp"
#include "codegen/host/products.hpp"
#include "codegen/host/ranges.hpp"
#include "codegen/host/register_tiles.hpp"
#include "codegen/host/streamed_rows.hpp"
#include "codegen/host/turns.hpp"
#include "codegen/host/windows.hpp"

namespace hoist::codegen {
namespace {

constexpr std::int64_t largest_stack_array = 64 * 1024;  // bytes
constexpr int vector_alignment = 64;                     // bytes: a cache line, and the widest vector

}  // namespace

std::span<const std::string_view> Host::reserved_words() const { return host_cpp::reserved_words(); }
std::span<const std::string_view> Host::reserved_functions() const { return c_library_functions(); }
std::string Host::preamble(const std::string& text) { return host_cpp::declarations(text); }

void Host::print_kernel(const loop::Kernel& kernel) {
  const Scalar size_type = index_type_;
  branching_loads_ = grouped_masked_loads(kernel);
  local_memory_ = loop_nest(kernel);
  work_items_.reset();
  dimensions_ = {};
  is_shared_ = false;
  indent("extern \"C\" void {}(void* const* arguments, const size_t*{}) {{", kernel.name,
         local_memory_ ? "" : " range");
  for (std::size_t at = 0; at < kernel.parameters.size(); ++at) {
    declare_parameter(kernel.parameters[at], scalar_name(size_type), at);
  }
  // Indices are as wide as addresses, so that compilers need not think of how they wrap.
  index_type_ = Scalar::I64;
  if (local_memory_) {
    print_loops(kernel);
  } else {
    print_work_items(kernel);
  }
  close();
}

void Host::declare_parameter(const loop::KernelParameter& parameter, const std::string& size_type,
                             std::size_t position) {
  const auto scalar = [&](const std::string& type, const std::string& memory, const std::string& name) {
    line("const {} {} = *static_cast<const {}*>(arguments[{}]);", type, name, memory, position);
  };
  std::visit(Overloaded{[&](const loop::BufferParameter& each) {
                          const std::string type = pointer_type(*each.buffer);
                          line("{} const __restrict {} = static_cast<{}>(arguments[{}]);", type,
                               name(*each.buffer), type, position);
                        },
                        [&](const loop::SizeParameter& each) {
                          scalar(scalar_name(Scalar::I64), size_type, name(each.variable));
                        },
                        [&](const loop::ScalarParameter& each) {
                          scalar(type_name(each.variable->type), memory_name(each.variable->type),
                                 name(*each.variable));
                        }},
             parameter);
}

std::string Host::pointer_type(const loop::Buffer& buffer) const {
  return fmt::format("{}{}*", is_written(buffer) ? "" : "const ", memory_name(buffer.type));
}

void Host::declare_buffer(const loop::Buffer& buffer) {
  check_width(buffer.type);
  const auto bytes = size_of(buffer.type.scalar) * static_cast<std::size_t>(buffer.type.width);
  declare_array(memory_name(buffer.type), bytes, name(buffer),
                index(arith::exact_quotient(buffer.scalars, buffer.type.width)),
                buffer.space == loop::AddressSpace::Local);
}

void Host::declare_array(const std::string& type, std::size_t element_bytes, const std::string& name,
                         const Code& count, bool is_aligned) {
  std::int64_t known = 0;
  const char* end = count.text.data() + count.text.size();
  const bool is_known = std::from_chars(count.text.data(), end, known).ptr == end;
  if (!is_known) {
    const std::string memory = names_.fresh(name + "_memory");
    line("std::vector<{}> {}({});", type, memory, count.text);
    return line("{}* const {} = {}.data();", type, name, memory);
  }
  const bool is_large = known * static_cast<std::int64_t>(element_bytes) > largest_stack_array;
  line("{}{}{} {}[{}];", is_aligned ? fmt::format("alignas({}) ", vector_alignment) : "",
       is_large ? "static thread_local " : "", type, name, count.text);
}

// ---- Statements

arith::Expr Host::element_position(const loop::Buffer& buffer, arith::Expr element) {
  if (!work_items_ || !is_interleaved(buffer)) return element;
  return element * *item_capacity();
}

void Host::parallel_loop(const loop::For& loop) {
  if (local_memory_) return loop_over_all(loop);
  work_item_loop(loop);
}

void Host::allocate(const loop::Allocate& allocate) {
  const bool is_elsewhere = allocate.buffer->space == loop::AddressSpace::Local ||
                            (work_items_ && work_items_->is_kept(allocate.buffer.get()));
  if (!is_elsewhere) declare_buffer(*allocate.buffer);
}

void Host::alias(const loop::Alias& alias) {
  const bool is_declared = work_items_ && work_items_->is_kept(alias.pointer.get());
  line("{}{} = {};", is_declared ? "" : pointer_type(*alias.pointer) + " ", name(*alias.pointer),
       name(*alias.target));
}

/// Past the caches go vectors of a kernel printed as loops, which a fence follows.
void Host::store(const loop::Store& store) {
  const bool is_vector = store.buffer->type.width == 1 && store.value->type.width > 1;
  if (!store.is_streamed || !is_vector || !local_memory_ || work_items_) return CFamily::store(store);
  need("stream_vector", std::string(host_cpp::helper("stream_vector")));
  line("{};", call(fmt::format("stream_vector<{}>", store.value->type.width),
                   {address(*store.buffer, store.index), value(store.value)})
                  .text);
}

void Host::swap(const loop::Swap& swap) { line("std::swap({}, {});", name(*swap.first), name(*swap.second)); }

void Host::let(const loop::Let& let) {
  if (!work_items_ || !work_items_->is_kept(let.variable.get())) return CFamily::let(let);
  if (let.value) line("{} = {};", name(*let.variable), value(let.value).text);
}

Result<std::string> host(const loop::Plan& plan, const Options& options) {
  return catch_failure([&] {
    loop::Plan split = with_layouts(plan);
    for (loop::Kernel& kernel : split.kernels) {
      kernel = round_chosen_products(std::move(kernel));
      if (!loop_nest(kernel)) continue;
      kernel = split_edges(unroll_turns(unroll_windows(order_loops(split_ranges(std::move(kernel))))));
      // Last: only now do indices say what lies side by side.
      kernel = vectorise_streamed_rows(tile_for_registers(std::move(kernel), options.vector_bytes),
                                       options.vector_bytes);
      kernel = collect_faults(std::move(kernel));
    }
    return Host(options).plan(split);
  });
}

bool may_name_host_kernel(const std::string& name) { return Host(Options{}).may_name_kernel(name); }

}  // namespace hoist::codegen
