// The frame in which kernels are printed in a dialect of C, and the names that all dialects share. CFamily
// (c_family.hpp) is a template method: `plan` prints every kernel, then puts the helpers that they need in
// front, then what the dialect declares for that text. What a dialect says differently is a virtual function,
// so
//
//   y[i] = sin(a) + cos(a)
//
// is printed by the same code for all three, but for the one line that computes `a_sin` and `a_cos` together.
//
// The class is spread over files by what is printed: values in value_text.cpp, index expressions in
// index_text.cpp, statements in statement_text.cpp. Here is the rest. Read `plan` and `begin` first: `begin`
// forgets the last kernel and gives names, in the order of declaration. `find_angles` finds variables of
// which a kernel takes both the sine and the cosine. Types have the same names in all dialects (`float4`,
// `uchar`); `memory_name` says how a value lies in memory, where a bool is a uchar.
#include "codegen/c_family.hpp"

#include <algorithm>

#include "codegen/nvidia_faults.hpp"
#include "codegen/pointers.hpp"
#include "loop/at_launch.hpp"
#include "loop/traverse.hpp"

namespace hoist::codegen {

std::string CFamily::plan(const loop::Plan& plan) {
  std::string kernels;
  for (const loop::Kernel& each : plan.kernels) {
    begin(each);
    print_kernel(each);
    kernels += (kernels.empty() ? "" : "\n") + text_;
  }
  std::string text;
  for (const std::string& helper : helpers_) text += helper + "\n";
  text += kernels;
  return preamble(text) + text + epilogue();
}

bool CFamily::may_name_kernel(const std::string& name) {
  names_ = Names();
  names_.reserve(c_keywords());
  names_.reserve(vector_types());
  names_.reserve(reserved_words());
  const auto functions = reserved_functions();
  return std::find(functions.begin(), functions.end(), name) == functions.end() && names_.of(name) == name;
}

void CFamily::begin(const loop::Kernel& kernel) {
  text_.clear();
  depth_ = 0;
  kernel_ = &kernel;
  written_ = written_buffers(kernel);
  may_merge_loads_ = hides_positive_parts_ = false;
  index_type_ = kernel.index_type;
  index_texts_.clear();
  index_texts_at_ = 0;
  integer_variables_.clear();
  if (!may_name_kernel(kernel.name)) {
    throw_unsupported(fmt::format("a kernel cannot have the name {}", kernel.name),
                      "the name is a keyword or function of the kernel's language, or not an identifier",
                      "give the program another name");
  }
  declare_names(kernel);
  find_angles(kernel);
}

std::vector<std::size_t> CFamily::learned_dimensions() const {
  std::vector<std::size_t> dimensions;
  for (std::size_t d = 0; d < 3; ++d) {
    const arith::Expr length = kernel_->launch.local[d];
    const auto learned_before = [&](std::size_t other) { return kernel_->launch.local[other] == length; };
    if (loop::is_launched(length) && std::ranges::none_of(dimensions, learned_before))
      dimensions.push_back(d);
  }
  return dimensions;
}

void CFamily::avoid_nvidia_faults() {
  may_merge_loads_ = merges_loads(*kernel_, written_);
  hides_positive_parts_ = tests_equality(*kernel_);
}

/// Finds variables of which a kernel takes both the sine and the cosine: computed together, the two cost
/// little more than one.
void CFamily::find_angles(const loop::Kernel& kernel) {
  angles_.clear();
  std::set<const loop::Variable*> sines, cosines;
  loop::for_each_value(kernel.body, [&](const loop::ValuePtr& value) {
    const auto* operation = std::get_if<loop::Operation>(&value->node);
    if (!operation || (operation->op != ScalarOp::Sin && operation->op != ScalarOp::Cos)) return;
    const auto* angle = std::get_if<loop::Reference>(&operation->operands[0]->node);
    if (!angle || angle->variable->is_mutable || angle->variable->type.width > 1) return;
    (operation->op == ScalarOp::Sin ? sines : cosines).insert(angle->variable.get());
  });
  for (const loop::Variable* each : sines) {
    if (!cosines.contains(each)) continue;
    angles_[each] = {names_.fresh(name(*each) + "_sin"), names_.fresh(name(*each) + "_cos")};
  }
}

std::optional<Code> CFamily::sine_or_cosine(const loop::Operation& operation) const {
  if (operation.op != ScalarOp::Sin && operation.op != ScalarOp::Cos) return std::nullopt;
  const auto* angle = std::get_if<loop::Reference>(&operation.operands[0]->node);
  const auto known = angle ? angles_.find(angle->variable.get()) : angles_.end();
  if (known == angles_.end()) return std::nullopt;
  return Code{operation.op == ScalarOp::Sin ? known->second.first : known->second.second};
}

/// Names are given in the order of declaration, so that the first one of two that clash keeps its own.
void CFamily::declare_names(const loop::Kernel& kernel) {
  const auto declare_variable = [&](const loop::Variable& variable) {
    name(variable);
    used_scalars_.insert(variable.type.scalar);
    if (variable.type.width == 1 && is_integer(variable.type.scalar)) {
      integer_variables_[variable.name] = variable.type.scalar;
    }
  };
  const auto declare_buffer = [&](const loop::Buffer& buffer) {
    name(buffer);
    used_scalars_.insert(buffer.type.scalar);
  };
  for (const loop::KernelParameter& parameter : kernel.parameters) {
    std::visit(Overloaded{[&](const loop::BufferParameter& each) { declare_buffer(*each.buffer); },
                          [&](const loop::SizeParameter& each) { name(each.variable); },
                          [&](const loop::ScalarParameter& each) { declare_variable(*each.variable); }},
               parameter);
  }
  for (const std::size_t d : learned_dimensions()) name(kernel.launch.local[d]);
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    std::visit(
        Overloaded{[&](const loop::For& loop) { name(loop.variable); },
                   [&](const loop::Let& let) { declare_variable(*let.variable); },
                   [&](const loop::Allocate& allocate) { declare_buffer(*allocate.buffer); },
                   [&](const loop::Alias& alias) { declare_buffer(*alias.pointer); }, [&](const auto&) {}},
        statement.node);
  });
  loop::for_each_value(kernel.body,
                       [&](const loop::ValuePtr& value) { used_scalars_.insert(value->type.scalar); });
}

void CFamily::need(const std::string& helper, const std::string& text) {
  if (helper_names_.insert(helper).second) helpers_.push_back(text);
}

std::string CFamily::scalar_name(Scalar type) {
  switch (type) {
    case Scalar::F32:
      return "float";
    case Scalar::F64:
      return "double";
    case Scalar::I8:
      return "char";
    case Scalar::I16:
      return "short";
    case Scalar::I32:
      return "int";
    case Scalar::I64:
      return "long";
    case Scalar::U8:
      return "uchar";
    case Scalar::U16:
      return "ushort";
    case Scalar::U32:
      return "uint";
    case Scalar::U64:
      return "ulong";
    case Scalar::Bool:
      return "bool";
  }
  throw Bug("not a scalar type");
}

std::string CFamily::memory_name(loop::ValueType type) {
  const std::string scalar = scalar_name(type.scalar == Scalar::Bool ? Scalar::U8 : type.scalar);
  return type.width == 1 ? scalar : fmt::format("{}{}", scalar, type.width);
}

std::string CFamily::type_name(loop::ValueType type) {
  return type.width == 1 ? scalar_name(type.scalar) : memory_name(type);
}

std::string CFamily::mask_name(int lane_bytes, int width) {
  const Scalar lane = lane_bytes == 1   ? Scalar::I8
                      : lane_bytes == 2 ? Scalar::I16
                      : lane_bytes == 4 ? Scalar::I32
                                        : Scalar::I64;
  return fmt::format("{}{}", scalar_name(lane), width);
}

void CFamily::check_width(loop::ValueType type) {
  constexpr int widths[] = {1, 2, 3, 4, 8, 16};
  if (std::find(std::begin(widths), std::end(widths), type.width) == std::end(widths)) {
    throw_unsupported(fmt::format("vectors of {} components", type.width), {},
                      "vectors have 2, 3, 4, 8 or 16 components");
  }
}

std::int64_t CFamily::constant_scalars(const loop::Buffer& buffer) {
  const auto count = buffer.scalars.constant();
  if (!count) {
    throw_unsupported(
        fmt::format("the size of the buffer {} is not known when its kernel is compiled", buffer.name),
        fmt::format("it holds {} scalars", arith::to_string(buffer.scalars)),
        "give the sizes, or keep the array in global memory");
  }
  return *count;
}

std::string CFamily::c_function(ScalarOp op) {
  switch (op) {
    case ScalarOp::Remainder:
      return "fmod";
    case ScalarOp::Minimum:
      return "fmin";
    case ScalarOp::Maximum:
      return "fmax";
    case ScalarOp::Absolute:
      return "fabs";
    case ScalarOp::FusedMultiplyAdd:
    case ScalarOp::Power:
    case ScalarOp::ArcTangent2:
    case ScalarOp::Sqrt:
    case ScalarOp::Exp:
    case ScalarOp::Exp2:
    case ScalarOp::Log:
    case ScalarOp::Log2:
    case ScalarOp::Sin:
    case ScalarOp::Cos:
    case ScalarOp::Tan:
    case ScalarOp::Tanh:
    case ScalarOp::ArcTangent:
    case ScalarOp::ErrorFunction:
    case ScalarOp::Floor:
    case ScalarOp::Ceil:
    case ScalarOp::Round:
    case ScalarOp::Truncate:
      return std::string(info(op).name);
    default:
      throw Bug(fmt::format("{} is no function of C's library", info(op).name));
  }
}

bool CFamily::has_barrier(const loop::Block& block) {
  bool found = false;
  loop::for_each_statement(block, [&](const loop::Statement& statement) {
    found = found || std::holds_alternative<loop::Barrier>(statement.node);
  });
  return found;
}

}  // namespace hoist::codegen
