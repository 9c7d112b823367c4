// Statements and kernels in CUDA C++.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "codegen/cuda/cuda_printer.hpp"
#include "codegen/cuda/helpers.hpp"
#include "loop/local_memory.hpp"

namespace hoist::codegen {
namespace {

constexpr std::size_t line_length = 110;
/// The most shared memory that a kernel may declare.
constexpr std::int64_t declarable_shared_memory = 48 * 1024;

/// No device runs larger blocks: a bound above is an error of the compiler, while the launch is refused with
/// words.
constexpr std::int64_t most_threads = 1024;

constexpr char dimension_names[] = {'x', 'y', 'z'};

/// The work-items of a group, where they are known.
std::optional<std::int64_t> constant_threads(const loop::Kernel& kernel) {
  std::int64_t threads = 1;
  for (const arith::Expr each : kernel.launch.local) {
    const auto size = each.constant();
    if (!size) return std::nullopt;
    threads *= *size;
  }
  return threads;
}

}  // namespace

bool Cuda::SharedMemory::is_dynamic() const {
  return !bytes.constant() || *bytes.constant() > declarable_shared_memory;
}

Cuda::SharedMemory Cuda::shared_memory(const loop::Kernel& kernel) {
  SharedMemory memory;
  for (const loop::Buffer* array : loop::local_arrays(kernel)) {
    if (!arith::known_value(array->scalars)) constant_scalars(*array);  // there is no way to say it
    memory.bytes = loop::aligned_local_offset(memory.bytes);
    memory.offsets.emplace_back(array, memory.bytes);
    memory.bytes = memory.bytes + array->scalars * static_cast<std::int64_t>(size_of(array->type.scalar));
  }
  return memory;
}

std::span<const std::string_view> Cuda::reserved_words() const { return cuda_cpp::reserved_words(); }

std::string Cuda::preamble(const std::string& text) {
  const std::string macros = cuda_cpp::macros(text);
  const std::string types = cuda_cpp::types(text);
  return macros + (macros.empty() ? "" : "\n") + "namespace kernels {\n\n" + types +
         (types.empty() ? "" : "\n");
}

std::string Cuda::epilogue() { return "\n}  // namespace kernels\n"; }

// ---- Statements

void Cuda::parallel_loop(const loop::For& loop) {
  const std::string& variable = name(loop.variable);
  if (loop.form == loop::LoopForm::Loop) {
    open_for(variable, first(loop), index(loop.stop), stride(loop));
    block(loop.body);
    return close();
  }
  line("const {} {} = {};", index_name(), variable, first(loop).text);
  if (loop.form == loop::LoopForm::ExactlyOnce) return block(loop.body);
  indent("if ({}) {{", infix({variable}, "<", index(loop.stop), Precedence::Relational).text);
  block(loop.body);
  close();
}

Code Cuda::first(const loop::For& loop) const {
  const char dimension = dimension_names[loop.dimension];
  // CUDA's ids have 32 bits.
  const std::string wide = index_type_ == Scalar::I64 ? "(long)" : "";
  if (loop.parallelism == loop::Parallelism::Local) return {fmt::format("threadIdx.{}", dimension)};
  if (loop.parallelism == loop::Parallelism::Group) return {fmt::format("blockIdx.{}", dimension)};
  const auto local = kernel().launch.local[static_cast<std::size_t>(loop.dimension)].constant();
  const std::string size = local ? fmt::format("{}", *local) : fmt::format("blockDim.{}", dimension);
  return {fmt::format("{0}blockIdx.{1} * {2} + threadIdx.{1}", wide, dimension, size), Precedence::Sum};
}

Code Cuda::stride(const loop::For& loop) {
  const auto at = static_cast<std::size_t>(loop.dimension);
  const char dimension = dimension_names[loop.dimension];
  const arith::Expr global = kernel().launch.global[at];
  const arith::Expr local = kernel().launch.local[at];
  switch (loop.parallelism) {
    case loop::Parallelism::Local:
      if (local.constant()) return index(local);
      return {fmt::format("blockDim.{}", dimension)};
    case loop::Parallelism::Group:
      if (const arith::Expr groups = arith::exact_quotient(global, local); groups.constant())
        return index(groups);
      return {fmt::format("gridDim.{}", dimension)};
    default:
      if (global.constant()) return index(global);
      return {
          fmt::format("{0}gridDim.{1} * blockDim.{1}", index_type_ == Scalar::I64 ? "(long)" : "", dimension),
          Precedence::Product};
  }
}

void Cuda::sine_and_cosine(Scalar type, const std::string& angle, const std::string& sine,
                           const std::string& cosine) {
  line("{} {}, {};", scalar_name(type), sine, cosine);
  line("sincos{}({}, &{}, &{});", type == Scalar::F32 ? "f" : "", angle, sine, cosine);
}

void Cuda::asynchronous_copy(const MemoryOperand& to, const MemoryOperand& from, loop::ValueType type,
                             const Code& condition) {
  need_helper("copy_async");
  std::string arguments = fmt::format("{}, {}", offset(name(to.buffer), index(to.index)).text,
                                      offset(name(from.buffer), index(from.index)).text);
  if (!condition.text.empty()) arguments += fmt::format(", {}", condition.text);
  line("copy_async<{}>({});", size_of(type.scalar) * static_cast<std::size_t>(type.width), arguments);
}

void Cuda::atomic_update(const MemoryOperand& place, ScalarOp op, Scalar type, const Code& operand) {
  const std::string target = "&" + element(place.buffer, place.index).text;
  if (is_float(type) && op != ScalarOp::Add) {
    need_helper("update_atomically");
    const std::string scalar = scalar_name(type);
    return line("update_atomically<{}>({}, {}, []({} a, {} b) {{ return {}; }});",
                type == Scalar::F32 ? "unsigned int" : "unsigned long long", target, operand.text, scalar,
                scalar, updated(op, type, {"a"}, {"b"}).text);
  }
  constexpr std::pair<ScalarOp, std::string_view> functions[] = {
      {ScalarOp::Add, "Add"},    {ScalarOp::Minimum, "Min"}, {ScalarOp::Maximum, "Max"},
      {ScalarOp::BitAnd, "And"}, {ScalarOp::BitOr, "Or"},    {ScalarOp::BitXor, "Xor"}};
  const auto* function = std::find_if(std::begin(functions), std::end(functions),
                                      [&](const auto& each) { return each.first == op; });
  if (function == std::end(functions)) throw Bug(fmt::format("no atomic {}", info(op).name));
  if (size_of(type) < 8 || is_float(type))
    return line("atomic{}({}, {});", function->second, target, operand.text);
  // Sums and bits are the same of unsigned numbers.
  const bool compares = op == ScalarOp::Minimum || op == ScalarOp::Maximum;
  const std::string_view word = compares && is_signed(type) ? "long long" : "unsigned long long";
  line("atomic{}(({}*){}, ({})({}));", function->second, word, target, word, operand.text);
}

void Cuda::commit() { line("asm volatile(\"cp.async.commit_group;\" ::: \"memory\");"); }

void Cuda::await(const loop::Await& await) {
  line("asm volatile(\"cp.async.wait_group {};\" ::: \"memory\");", await.pending);
}

void Cuda::barrier(const loop::Barrier&) {
  line("__syncthreads();");  // makes a block's writes to global memory visible in it, too
}

void Cuda::allocate(const loop::Allocate& allocate) {
  const loop::Buffer& buffer = *allocate.buffer;
  if (buffer.space == loop::AddressSpace::Local) return;  // declared at the kernel's top
  check_width(buffer.type);
  line("{} {}[{}];", memory_name(buffer.type), name(buffer), constant_scalars(buffer) / buffer.type.width);
}

void Cuda::alias(const loop::Alias& alias) {
  line("{} {} = {};", pointer_to(*alias.pointer, alias.pointer->type), name(*alias.pointer),
       name(*alias.target));
}

void Cuda::swap(const loop::Swap& swap) {
  const std::string kept = names_.fresh("swapped");
  line("{} {} = {};", pointer_to(*swap.first, swap.first->type), kept, name(*swap.first));
  line("{} = {};", name(*swap.first), name(*swap.second));
  line("{} = {};", name(*swap.second), kept);
}

// ---- Kernels

void Cuda::print_kernel(const loop::Kernel& kernel) {
  avoid_nvidia_faults();
  need_operators(kernel);
  std::vector<std::string> parameters;
  for (const loop::KernelParameter& each : kernel.parameters) parameters.push_back(parameter(each));
  std::string bounds;
  if (const auto threads = constant_threads(kernel); threads && *threads <= most_threads) {
    bounds = fmt::format("__launch_bounds__({}) ", *threads);
  }
  line("extern \"C\" __global__ void {}{}(", bounds, kernel.name);
  std::string text;
  for (const std::string& each : parameters) {
    const std::string next = each + (&each == &parameters.back() ? ") {" : ",");
    if (!text.empty() && text.size() + 1 + next.size() + 4 > line_length) {
      line("    {}", text);
      text.clear();
    }
    text += (text.empty() ? "" : " ") + next;
  }
  indent("    {}", parameters.empty() ? ") {" : text);
  for (const std::size_t d : learned_dimensions())
    line("const {} {} = blockDim.{};", index_name(), name(kernel.launch.local[d]), dimension_names[d]);
  declare_shared_memory(kernel);
  block(kernel.body);
  close();
}

std::string Cuda::pointer_to(const loop::Buffer& buffer, loop::ValueType type) const {
  return fmt::format("{}{}*", is_written(buffer) ? "" : "const ", memory_name(type));
}

std::string Cuda::parameter(const loop::KernelParameter& parameter) {
  return std::visit(
      Overloaded{[&](const loop::BufferParameter& each) {
                   if (is_image(*each.buffer))
                     return fmt::format("const cudaTextureObject_t {}", name(*each.buffer));
                   return fmt::format("{} {}{}", pointer_to(*each.buffer, each.buffer->type),
                                      is_restricted(*each.buffer) ? "__restrict__ " : "", name(*each.buffer));
                 },
                 [&](const loop::SizeParameter& each) {
                   return fmt::format("const {} {}", index_name(), name(each.variable));
                 },
                 [&](const loop::ScalarParameter& each) {  // a kernel has no bool parameters
                   return fmt::format("const {} {}", memory_name(each.variable->type), name(*each.variable));
                 }},
      parameter);
}

void Cuda::declare_shared_memory(const loop::Kernel& kernel) {
  const SharedMemory memory = shared_memory(kernel);
  if (memory.is_dynamic())
    line("extern __shared__ __align__({}) uchar shared_memory[];", loop::local_alignment);
  for (const auto& [buffer, offset] : memory.offsets) {
    const std::string type = memory_name(buffer->type);
    if (memory.is_dynamic()) {
      const Code place = infix({"shared_memory"}, "+", index(offset), Precedence::Sum);
      line("{0}* const {1} = ({0}*)({2});", type, name(*buffer), place.text);
    } else {
      line("__shared__ __align__({}) {} {}[{}];", loop::local_alignment, type, name(*buffer),
           constant_scalars(*buffer) / buffer->type.width);
    }
  }
}

Result<std::string> cuda(const loop::Plan& plan, const Options& options) {
  return catch_failure([&] { return Cuda(options).plan(plan); });
}

bool may_name_cuda_kernel(const std::string& name) { return Cuda(Options{}).may_name_kernel(name); }

std::size_t cuda_dynamic_shared_memory(const loop::Kernel& kernel) {
  const Cuda::SharedMemory memory = Cuda::shared_memory(kernel);
  return memory.is_dynamic() ? static_cast<std::size_t>(*arith::known_value(memory.bytes)) : 0;
}

}  // namespace hoist::codegen
