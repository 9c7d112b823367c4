// OpenCL C 1.2.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "codegen/c_family.hpp"
#include "codegen/opencl/helpers.hpp"
#include "loop/local_memory.hpp"
#include "loop/traverse.hpp"

namespace hoist::codegen {
namespace {

using loop::ValueType;

constexpr std::size_t line_length = 110;

class OpenCl : public CFamily {
 public:
  using CFamily::CFamily;

 protected:
  std::span<const std::string_view> reserved_words() const override { return opencl_c::reserved_words(); }

  std::span<const std::string_view> reserved_functions() const override { return {}; }

  std::string preamble(const std::string&) override {
    return (uses(Scalar::F64) ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n\n" : "") +
           (uses_sub_groups_ ? opencl_c::sub_group_preamble() : "");
  }

  // ---- Vectors

  Code splat(const std::string& type, const Code& scalar) override {
    return {fmt::format("({})({})", type, scalar.text), Precedence::Unary};
  }
  Code vector_of(const std::string& type, const std::vector<Code>& components) override {
    return {call("(" + type + ")", components).text, Precedence::Unary};
  }
  Code component(const Code& vector, int index) override {
    return {fmt::format("{}.s{:x}", enclosed(vector, Precedence::Postfix), index)};
  }
  Code vector_select(const Code& mask, const Code& yes, const Code& no) override {
    return call("select", {no, yes, mask});
  }
  Code converted_vector(const std::string& type, const Code& vector) override {
    return call("convert_" + type, {vector});
  }
  Code reinterpreted(const std::string& type, const Code& vector) override {
    return call("as_" + type, {vector});
  }
  Code saturated(ValueType to, ValueType, const Code& operand) override {
    return call(fmt::format("convert_{}_sat", type_name(to)), {operand});
  }

  // A vector may be read as one only where it is aligned like one.
  Code load_vector(const loop::Buffer& buffer, arith::Expr index, ValueType type) override {
    if (has_vector_form(buffer, index, type)) return vector_element(buffer, index, type);
    return call(fmt::format("vload{}", type.width), {{"0"}, address(buffer, index)});
  }
  void store_vector(const loop::Buffer& buffer, arith::Expr index, ValueType type,
                    const Code& vector) override {
    if (has_vector_form(buffer, index, type)) {
      return line("{} = {};", vector_element(buffer, index, type).text, vector.text);
    }
    line("{};", call(fmt::format("vstore{}", type.width), {vector, {"0"}, address(buffer, index)}).text);
  }
  bool is_image(const loop::Buffer& buffer) const override { return buffer.image && !is_written(buffer); }
  Code pixel(const loop::Buffer& image, arith::Expr number) override {
    const auto& [channels, width, blocks] = *image.image;
    arith::Expr column = number % width, row = number / width;
    if (blocks != 1) {
      const arith::Expr height = image.scalars / (width * arith::constant(channels * blocks));
      column = row / height * width + column;
      row = row % height;
    }
    const Code whole = call(is_float(image.type.scalar) ? "read_imagef" : "read_imagei",
                            {{name(image)}, call("(int2)", {index(column), index(row)})});
    return channels == 1 ? component(whole, 0) : whole;
  }
  Code dynamic_component(const loop::Buffer& buffer, arith::Expr index) override {
    const std::string scalar = memory_name({buffer.type.scalar, 1});
    const int width = buffer.type.width;
    if (width != 3) return {fmt::format("(({}*){})[{}]", scalar, name(buffer), this->index(index).text)};
    return {fmt::format("(({}*)&{}[{}])[{}]", scalar, name(buffer), this->index(index / width).text,
                        this->index(index % width).text)};
  }

  // ---- Operations

  Code function(ScalarOp op, ValueType type, const std::vector<Code>& operands) override {
    const std::string name = type_name(type);
    const bool is_real = is_float(type.scalar);
    switch (op) {
      case ScalarOp::Minimum:
        return call(is_real ? "fmin" : "min", operands);
      case ScalarOp::Maximum:
        return call(is_real ? "fmax" : "max", operands);
      case ScalarOp::Absolute:
        if (is_real) return call("fabs", operands);
        need("absolute_" + name, opencl_c::absolute_helper(name, type));
        return call("absolute_" + name, operands);
      case ScalarOp::Sign:
        if (is_real) return call("sign", operands);
        need("sign_" + name, opencl_c::sign_helper(name, type));
        return call("sign_" + name, operands);
      case ScalarOp::ReciprocalSqrt:
        return call("rsqrt", operands);
      case ScalarOp::Power:
        if (is_real) return call("pow", operands);
        return helper_call("power", opencl_c::power_helper(type.scalar, scalar_name(type.scalar)), type,
                           operands);
      default:
        return call(c_function(op), operands);
    }
  }
  Code guarded_division(ScalarOp op, ValueType type, const Code& dividend, const Code& divisor) override {
    const bool is_division = op == ScalarOp::Divide;
    const std::string scalar = scalar_name(type.scalar);
    return helper_call(is_division ? "quotient" : "remainder",
                       is_division ? opencl_c::quotient_helper(type.scalar, scalar)
                                   : opencl_c::remainder_helper(type.scalar, scalar),
                       type, {dividend, divisor});
  }
  /// Calls a helper of two scalars; for vectors, one that calls it for each component.
  Code helper_call(const std::string& helper, const std::string& text, ValueType type,
                   const std::vector<Code>& operands) {
    const std::string scalar = fmt::format("{}_{}", helper, scalar_name(type.scalar));
    need(scalar, text);
    if (type.width == 1) return call(scalar, operands);
    const std::string vector = fmt::format("{}_{}", helper, type_name(type));
    need(vector, opencl_c::by_component(vector, scalar, type_name(type), type.width));
    return call(vector, operands);
  }
  Code positive_part(ValueType type, const Code& operand) override {
    const std::string name = type_name(type);
    need("positive_part_" + name, opencl_c::positive_part_helper(name, type));
    return call("positive_part_" + name, {operand});
  }
  Code index_extremum(bool is_minimum, const Code& left, const Code& right) override {
    return call(is_minimum ? "min" : "max", {left, right});
  }
  Code index_power(const Code& base, const Code& exponent) override {
    need("power_" + index_name(), opencl_c::power_helper(index_type_, index_name()));
    return call("power_" + index_name(), {base, exponent});
  }

  Code shuffle(ValueType type, const Code& operand, int mask) override {
    const std::string scalar = type.width == 1 ? scalar_name(type.scalar) : memory_name({type.scalar, 1});
    const std::string function = "exchanged_" + scalar;
    need("exchanged_uint", opencl_c::exchange_helper());
    if (type.scalar != Scalar::U32) need(function, opencl_c::exchange_helper(scalar, size_of(type.scalar)));
    uses_sub_groups_ = true;
    const Code distance{fmt::format("{}", mask)};
    if (type.width == 1) return call(function, {operand, distance});
    std::vector<Code> components;
    for (int at = 0; at < type.width; ++at)
      components.push_back(call(function, {component(operand, at), distance}));
    return vector_of(type_name(type), components);
  }

  // ---- Statements

  void parallel_loop(const loop::For& loop) override {
    const std::string& variable = name(loop.variable);
    const std::string id = fmt::format("get_{}_id({})", loop::name_of(loop.parallelism), loop.dimension);
    if (loop.form == loop::LoopForm::Loop) {
      open_for(variable, {id}, index(loop.stop), stride(loop));
      block(loop.body);
      return close();
    }
    line("const {} {} = {};", index_name(), variable, id);
    if (loop.form == loop::LoopForm::ExactlyOnce) return block(loop.body);
    indent("if ({}) {{", infix({variable}, "<", index(loop.stop), Precedence::Relational).text);
    block(loop.body);
    close();
  }
  bool has_asynchronous_copies(const loop::Buffer& from) const override { return !is_image(from); }
  void asynchronous_copy(const MemoryOperand& to, const MemoryOperand& from, ValueType type,
                         const Code& condition) override {
    need_asynchronous_copies();
    const auto pointer = [&](const loop::Buffer& buffer, arith::Expr index) {
      if (type.width == 1) return address(buffer, index).text;
      return offset(fmt::format("({}){}", pointer_to(buffer, type), name(buffer)),
                    this->index(arith::exact_quotient(index, type.width)))
          .text;
    };
    const std::string test = condition.text.empty() ? "" : condition.text + ", ";
    line("COPY_ASYNC{}({}{}, {}, {});", test.empty() ? "" : "_IF", test,
         size_of(type.scalar) * static_cast<std::size_t>(type.width), pointer(to.buffer, to.index),
         pointer(from.buffer, from.index));
  }
  void atomic_update(const MemoryOperand& place, ScalarOp op, Scalar type, const Code& operand) override {
    const std::string target = "&" + element(place.buffer, place.index).text;
    const bool is_wide = size_of(type) == 8;
    if (is_wide) need("int64_atomics", opencl_c::wide_atomics());
    if (!is_float(type)) {
      return line("{}_{}({}, {});", is_wide ? "atom" : "atomic", opencl_c::atomic_name(op), target,
                  operand.text);
    }
    const std::string space(loop::name_of(place.buffer.space));
    const std::string helper = fmt::format("update_{}_{}_{}", info(op).name, scalar_name(type), space);
    need(helper,
         opencl_c::update_helper(helper, op, type, space, updated(op, type, {"old"}, {"operand"}).text));
    line("{}({}, {});", helper, target, operand.text);
  }
  void commit() override {
    need_asynchronous_copies();
    line("COPY_ASYNC_COMMIT();");
  }
  void await(const loop::Await& await) override {
    need_asynchronous_copies();
    line("COPY_ASYNC_WAIT({});", await.pending);
  }
  void barrier(const loop::Barrier& barrier) override {
    std::string fences = barrier.local || !barrier.global ? "CLK_LOCAL_MEM_FENCE" : "";
    if (barrier.global) fences += fmt::format("{}CLK_GLOBAL_MEM_FENCE", fences.empty() ? "" : " | ");
    line("barrier({});", fences);
  }
  void allocate(const loop::Allocate& allocate) override {
    const loop::Buffer& buffer = *allocate.buffer;
    if (buffer.space == loop::AddressSpace::Local) return;  // declared at the kernel's top
    check_width(buffer.type);
    line("{} {}[{}];", memory_name(buffer.type), name(buffer), constant_scalars(buffer) / buffer.type.width);
  }
  void alias(const loop::Alias& alias) override {
    line("{} {} = {};", pointer_type(*alias.pointer), name(*alias.pointer), name(*alias.target));
  }
  void sine_and_cosine(Scalar type, const std::string& angle, const std::string& sine,
                       const std::string& cosine) override {
    line("{} {};", scalar_name(type), cosine);
    line("const {} {} = sincos({}, &{});", scalar_name(type), sine, angle, cosine);
  }
  void swap(const loop::Swap& swap) override {
    const std::string kept = names_.fresh("swapped");
    line("{} {} = {};", pointer_type(*swap.first), kept, name(*swap.first));
    line("{} = {};", name(*swap.first), name(*swap.second));
    line("{} = {};", name(*swap.second), kept);
  }

  // ---- Kernels

  void print_kernel(const loop::Kernel& kernel) override {
    avoid_nvidia_faults();
    std::vector<std::string> parameters;
    for (const loop::KernelParameter& each : kernel.parameters) parameters.push_back(parameter(each));
    const auto& local = kernel.launch.local;
    const bool is_fixed = std::all_of(local.begin(), local.end(), [](arith::Expr e) { return e.constant(); });
    const std::string sub_groups = has_shuffle(kernel) ? " SUB_GROUPS" : "";
    if (is_fixed) {
      line("kernel{} __attribute__((reqd_work_group_size({}, {}, {})))", sub_groups, *local[0].constant(),
           *local[1].constant(), *local[2].constant());
    }
    const std::string head =
        fmt::format("{}void {}(", is_fixed ? "" : "kernel" + sub_groups + " ", kernel.name);
    signature(head, parameters);
    for (const std::size_t d : learned_dimensions())
      line("const {} {} = get_local_size({});", index_name(), name(kernel.launch.local[d]), d);
    declare_local_memory(kernel);
    block(kernel.body);
    close();
  }

 private:
  void need_asynchronous_copies() { need("COPY_ASYNC", opencl_c::asynchronous_copies()); }

  Code vector_element(const loop::Buffer& buffer, arith::Expr index, ValueType type) {
    const Code vectors{fmt::format("(({}){})", pointer_to(buffer, type), name(buffer))};
    return subscript(vectors, this->index(arith::exact_quotient(index, type.width)));
  }
  Code address(const loop::Buffer& buffer, arith::Expr index) {
    return offset(name(buffer), this->index(index));
  }

  /// "const global float4*" for elements of `type` in the buffer's memory.
  std::string pointer_to(const loop::Buffer& buffer, ValueType type) const {
    return fmt::format("{}{} {}*", is_written(buffer) ? "" : "const ", loop::name_of(buffer.space),
                       memory_name(type));
  }
  std::string pointer_type(const loop::Buffer& buffer) const { return pointer_to(buffer, buffer.type); }

  std::string parameter(const loop::KernelParameter& parameter) {
    return std::visit(Overloaded{[&](const loop::BufferParameter& each) {
                                   if (is_image(*each.buffer))
                                     return fmt::format("read_only image2d_t {}", name(*each.buffer));
                                   return fmt::format("{} {}{}", pointer_type(*each.buffer),
                                                      is_restricted(*each.buffer) ? "restrict " : "",
                                                      name(*each.buffer));
                                 },
                                 [&](const loop::SizeParameter& each) {
                                   return fmt::format("const {} {}", index_name(), name(each.variable));
                                 },
                                 [&](const loop::ScalarParameter& each) {  // a kernel has no bool parameters
                                   return fmt::format("const {} {}", memory_name(each.variable->type),
                                                      name(*each.variable));
                                 }},
                      parameter);
  }

  /// The parameters in lines that are not too long, each aligned with the first.
  void signature(const std::string& head, const std::vector<std::string>& parameters) {
    std::string text = head;
    const std::string margin(head.size(), ' ');
    std::size_t used = head.size();
    for (std::size_t at = 0; at < parameters.size(); ++at) {
      const bool is_last = at + 1 == parameters.size();
      const std::size_t length = parameters[at].size() + (is_last ? 3 : 1);
      if (at > 0 && used + 1 + length > line_length) {
        text += "\n" + margin;
        used = head.size();
      } else if (at > 0) {
        text += " ";
        ++used;
      }
      text += parameters[at] + (is_last ? "" : ",");
      used += length;
    }
    indent("{}) {{", text);
  }

  void declare_local_memory(const loop::Kernel& kernel) {
    const std::size_t alignment = std::max(loop::local_alignment, local_vector_bytes(kernel));
    for (const loop::Buffer* array : loop::local_arrays(kernel))
      line("local {} {}[{}] __attribute__((aligned({})));", memory_name(array->type), name(*array),
           constant_scalars(*array) / array->type.width, alignment);
  }

  static bool has_shuffle(const loop::Kernel& kernel) {
    bool found = false;
    loop::for_each_value(kernel.body, [&](const loop::ValuePtr& value) {
      found = found || std::holds_alternative<loop::Shuffle>(value->node);
    });
    return found;
  }

  /// The size of the widest vectors that are accessed in local memory, 0 where there are none.
  static std::size_t local_vector_bytes(const loop::Kernel& kernel) {
    std::size_t bytes = 0;
    const auto note = [&](const loop::Buffer& buffer, ValueType type) {
      if (buffer.space != loop::AddressSpace::Local || type.width == 1 || buffer.type.width > 1) return;
      bytes = std::max(bytes, size_of(type.scalar) * static_cast<std::size_t>(type.width));
    };
    loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
      if (const auto* store = std::get_if<loop::Store>(&statement.node))
        note(*store->buffer, store->value->type);
    });
    loop::for_each_value(kernel.body, [&](const loop::ValuePtr& value) {
      if (const auto* load = std::get_if<loop::Load>(&value->node)) note(*load->buffer, value->type);
    });
    return bytes;
  }

  /// How far a work-item's iterations are apart; a constant where the launch is.
  Code stride(const loop::For& loop) {
    const auto dimension = static_cast<std::size_t>(loop.dimension);
    const arith::Expr global = kernel().launch.global[dimension];
    const arith::Expr local = kernel().launch.local[dimension];
    arith::Expr stride = loop.parallelism == loop::Parallelism::Global ? global : local;
    std::string function = fmt::format("get_{}_size", loop::name_of(loop.parallelism));
    if (loop.parallelism == loop::Parallelism::Group) {
      stride = arith::exact_quotient(global, local);
      function = "get_num_groups";
    }
    if (stride.constant()) return index(stride);
    return {fmt::format("{}({})", function, dimension)};
  }

  bool uses_sub_groups_ = false;  // in any kernel
};

}  // namespace

Result<std::string> opencl(const loop::Plan& plan, const Options& options) {
  return catch_failure([&] { return OpenCl(options).plan(plan); });
}

bool may_name_opencl_kernel(const std::string& name) { return OpenCl(Options{}).may_name_kernel(name); }

}  // namespace hoist::codegen
