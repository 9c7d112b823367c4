// Functions that OpenCL C lacks, as text, and the words that no identifier of a kernel may be. OpenCL C has
// no templates, so a helper is made for each type by a function here: `power_helper(Scalar::I32, "int")`
// gives
//
//   int power_int(int base, int exponent) { ... }
//
// The printer (opencl.cpp) asks for those that a text uses.
//
// The words come first: keywords and types, functions of the language (a variable of such a name would hide
// it), and the names of helpers. Then, in this order:
//   integers        sign, absolute value, positive part, power, quotient and remainder, which wrap and are
//                   defined for a divisor of 0; two of them are written so that NVIDIA's compilers do not
//                   know them for what they are (nvidia_faults.hpp)
//   exchanges       of values between the work-items of a sub-group (warp shuffles)
//   copies          from global to local memory that are asynchronous where NVIDIA's device has cp.async
//   atomic updates  of floats, by comparing and exchanging (a compare-and-swap loop) where there is no
//                   instruction
#include "codegen/opencl/helpers.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "target/processor.hpp"

namespace hoist::codegen::opencl_c {

namespace {

/// The names of the functions below, by their types.
std::vector<std::string> helper_names() {
  std::vector<std::string> names;
  for (const char* type : {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"}) {
    for (const char* helper : {"absolute", "positive_part", "sign", "power", "quotient", "remainder"}) {
      for (const char* width : {"", "2", "3", "4", "8", "16"})
        names.push_back(fmt::format("{}_{}{}", helper, type, width));
    }
  }
  return names;
}

}  // namespace

std::span<const std::string_view> reserved_words() {
  // Functions are here because a variable of their name would hide them.
  static const std::vector<std::string> helpers = helper_names();
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> all{"kernel",
                                      "global",
                                      "local",
                                      "constant",
                                      "private",
                                      "read_only",
                                      "write_only",
                                      "read_write",
                                      "pipe",
                                      "half",
                                      "uchar",
                                      "ushort",
                                      "uint",
                                      "ulong",
                                      "half2",
                                      "half4",
                                      "event_t",
                                      "sampler_t",
                                      "image1d_t",
                                      "image2d_t",
                                      "image3d_t",
                                      "intptr_t",
                                      "uintptr_t",
                                      "quad",
                                      "complex",
                                      "imaginary",
                                      "bool2",
                                      "bool4",
                                      "vec_step",
                                      "select",
                                      "min",
                                      "max",
                                      "fmin",
                                      "fmax",
                                      "abs",
                                      "fabs",
                                      "sign",
                                      "sqrt",
                                      "rsqrt",
                                      "pow",
                                      "exp",
                                      "exp2",
                                      "exp10",
                                      "log",
                                      "log2",
                                      "log10",
                                      "sin",
                                      "cos",
                                      "tan",
                                      "tanh",
                                      "sinh",
                                      "cosh",
                                      "asin",
                                      "acos",
                                      "atan",
                                      "atan2",
                                      "erf",
                                      "erfc",
                                      "floor",
                                      "ceil",
                                      "round",
                                      "rint",
                                      "trunc",
                                      "fma",
                                      "mad",
                                      "fmod",
                                      "remainder",
                                      "hypot",
                                      "clamp",
                                      "mix",
                                      "step",
                                      "smoothstep",
                                      "degrees",
                                      "radians",
                                      "dot",
                                      "cross",
                                      "distance",
                                      "length",
                                      "normalize",
                                      "isnan",
                                      "isinf",
                                      "isfinite",
                                      "isequal",
                                      "isless",
                                      "signbit",
                                      "any",
                                      "all",
                                      "bitselect",
                                      "barrier",
                                      "mem_fence",
                                      "prefetch",
                                      "vload2",
                                      "vload3",
                                      "vload4",
                                      "vload8",
                                      "vload16",
                                      "vstore2",
                                      "vstore3",
                                      "vstore4",
                                      "vstore8",
                                      "vstore16",
                                      "shuffle",
                                      "shuffle2",
                                      "printf",
                                      "nan",
                                      "mul24",
                                      "mad24",
                                      "mul_hi",
                                      "mad_hi",
                                      "rotate",
                                      "clz",
                                      "popcount",
                                      "upsample",
                                      "hadd",
                                      "ldexp",
                                      "ilogb",
                                      "frexp",
                                      "modf",
                                      "fdim",
                                      "cbrt",
                                      "tgamma",
                                      "lgamma",
                                      "copysign",
                                      "nextafter",
                                      "maxmag",
                                      "minmag",
                                      "get_work_dim",
                                      "get_global_id",
                                      "get_global_size",
                                      "get_local_id",
                                      "get_local_size",
                                      "get_group_id",
                                      "get_num_groups",
                                      "get_global_offset",
                                      "MAXFLOAT",
                                      "HUGE_VALL",
                                      "CLK_LOCAL_MEM_FENCE",
                                      "CLK_GLOBAL_MEM_FENCE",
                                      "M_PI",
                                      "M_E",
                                      "SUB_GROUPS",
                                      "exchanged_float",
                                      "exchanged_double",
                                      "exchanged_int",
                                      "exchanged_uint",
                                      "exchanged_long",
                                      "exchanged_uchar",
                                      "exchanged_char",
                                      "exchanged_short",
                                      "exchanged_ushort",
                                      "exchanged_ulong",
                                      "exchanged_bool",
                                      "atomic_add",
                                      "atomic_min",
                                      "atomic_max",
                                      "atomic_and",
                                      "atomic_or",
                                      "atomic_xor",
                                      "atomic_cmpxchg",
                                      "atom_add",
                                      "atom_min",
                                      "atom_max",
                                      "atom_and",
                                      "atom_or",
                                      "atom_xor",
                                      "atom_cmpxchg",
                                      "update_add_float_global",
                                      "update_add_float_local",
                                      "update_add_double_global",
                                      "update_add_double_local",
                                      "update_min_float_global",
                                      "update_min_float_local",
                                      "update_min_double_global",
                                      "update_min_double_local",
                                      "update_max_float_global",
                                      "update_max_float_local",
                                      "update_max_double_global",
                                      "update_max_double_local",
                                      "update_mul_float_global",
                                      "update_mul_float_local",
                                      "update_mul_double_global",
                                      "update_mul_double_local",
                                      "HOIST_CP_ASYNC",
                                      "COPY_ASYNC",
                                      "COPY_ASYNC_IF",
                                      "COPY_ASYNC_COMMIT",
                                      "COPY_ASYNC_WAIT",
                                      "COPY_ASYNC_CACHE_4",
                                      "COPY_ASYNC_CACHE_8",
                                      "COPY_ASYNC_CACHE_16",
                                      "sub_group_shuffle_xor"};
    all.insert(all.end(), helpers.begin(), helpers.end());
    return all;
  }();
  return words;
}

std::string sign_helper(const std::string& type, loop::ValueType value_type) {
  // True is 1 in a scalar comparison and -1 in each component of a vector's.
  const bool is_vector = value_type.width > 1;
  const std::string vector = fmt::format("as_{0}((a < ({0})(0)) - (a > ({0})(0)))", type);
  const std::string result = is_vector ? vector : "(a > 0) - (a < 0)";
  return fmt::format("{0} sign_{0}({0} a) {{ return {1}; }}\n", type, result);
}

namespace {

/// The name of the unsigned type that is as wide as an integer type. Its arithmetic wraps.
std::string unsigned_name(Scalar scalar, const std::string& type) {
  return (is_signed(scalar) ? "u" : "") + type;
}

}  // namespace

std::string absolute_helper(const std::string& type, loop::ValueType value_type) {
  const int sign_bit = 8 * static_cast<int>(size_of(value_type.scalar)) - 1;
  const std::string value = value_type.width > 1
                                ? "as_{0}(as_u{0}(a) * ((u{0})(1) - (u{0})(2) * (as_u{0}(a) >> (u{0})({1}))))"
                                : "({0})((u{0})a * (1 - 2 * ((u{0})a >> {1})))";
  return fmt::format("{0} absolute_{0}({0} a) {{ return {1}; }}\n", type,
                     fmt::format(fmt::runtime(value), type, sign_bit));
}

std::string positive_part_helper(const std::string& type, loop::ValueType value_type) {
  return fmt::format("{0} positive_part_{0}({0} a) {{ return a & ~(a >> ({0})({1})); }}\n", type,
                     8 * size_of(value_type.scalar) - 1);
}

std::string power_helper(Scalar scalar, const std::string& type) {
  return fmt::format(R"({0} power_{0}({0} base, {0} exponent) {{
  {1} result = 1, square = base;
  for (; exponent > 0; exponent >>= 1) {{
    if (exponent & 1) result *= square;
    square *= square;
  }}
  return result;
}}
)",
                     type, size_of(scalar) < 4 ? "uint" : unsigned_name(scalar, type));
}

std::string quotient_helper(Scalar scalar, const std::string& type) {
  const std::string negated = is_signed(scalar) ? fmt::format("b == -1 ? ({0})-(u{0})a : ", type) : "";
  return fmt::format("{0} quotient_{0}({0} a, {0} b) {{ return b == 0 ? 0 : {1}a / b; }}\n", type, negated);
}

std::string remainder_helper(Scalar scalar, const std::string& type) {
  const char* less = is_signed(scalar) ? " || b == -1" : "";
  return fmt::format("{0} remainder_{0}({0} a, {0} b) {{ return b == 0{1} ? 0 : a % b; }}\n", type, less);
}

std::string sub_group_preamble() {
  return fmt::format(R"(#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#ifdef cl_khr_subgroup_shuffle
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#endif
#ifdef cl_intel_required_subgroup_size
#define SUB_GROUPS __attribute__((intel_reqd_sub_group_size({})))
#else
#define SUB_GROUPS
#endif

)",
                     target::warp_size);
}

std::string exchange_helper() {
  return R"(#ifdef __NV_CL_C_VERSION  // which has no sub-groups, but takes the instruction
uint exchanged_uint(uint a, uint mask) {
  uint b;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(b) : "r"(a), "r"(mask));
  return b;
}
#else
uint exchanged_uint(uint a, uint mask) { return sub_group_shuffle_xor(a, mask); }
#endif
)";
}

std::string exchange_helper(const std::string& type, std::size_t bytes) {
  const char* form = "{0} exchanged_{0}({0} a, uint mask) {{ return ({0})exchanged_uint((uint)a, mask); }}\n";
  if (bytes == 4) {
    form = "{0} exchanged_{0}({0} a, uint mask) {{ return as_{0}(exchanged_uint(as_uint(a), mask)); }}\n";
  } else if (bytes == 8) {
    form =
        "{0} exchanged_{0}({0} a, uint mask) {{\n"
        "  const uint2 halves = as_uint2(a);\n"
        "  return as_{0}((uint2)(exchanged_uint(halves.x, mask), exchanged_uint(halves.y, mask)));\n}}\n";
  }
  return fmt::format(fmt::runtime(form), type);
}

const std::string& asynchronous_copies() {
  static const std::string text =
      R"(// HOIST_CP_ASYNC is Hoist's build option for devices of compute capability 8.0 or later.
#if defined(__NV_CL_C_VERSION) && defined(HOIST_CP_ASYNC)
#define COPY_ASYNC_CACHE_4 "ca"
#define COPY_ASYNC_CACHE_8 "ca"
#define COPY_ASYNC_CACHE_16 "cg"
#define COPY_ASYNC(bytes, to, from)                                                                   \
  asm volatile("cp.async." COPY_ASYNC_CACHE_##bytes ".shared.global [%0], [%1], " #bytes ";" ::"l"(   \
                   (ulong)(to)),                                                                      \
               "l"((ulong)(from))                                                                     \
               : "memory")
#define COPY_ASYNC_IF(condition, bytes, to, from)                                                         \
  asm volatile("cp.async." COPY_ASYNC_CACHE_##bytes ".shared.global [%0], [%1], " #bytes ", %2;" ::"l"(   \
                   (ulong)(to)),                                                                          \
               "l"((ulong)(from)), "r"((condition) ? bytes : 0)                                           \
               : "memory")
#define COPY_ASYNC_COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define COPY_ASYNC_WAIT(pending) asm volatile("cp.async.wait_group " #pending ";" ::: "memory")
#else
#define COPY_ASYNC(bytes, to, from) *(to) = *(from)
#define COPY_ASYNC_IF(condition, bytes, to, from) \
  do {                                            \
    if (condition) *(to) = *(from);               \
    else *(to) = 0;                               \
  } while (0)
#define COPY_ASYNC_COMMIT()
#define COPY_ASYNC_WAIT(pending)
#endif
)";
  return text;
}

std::string_view atomic_name(ScalarOp op) {
  switch (op) {
    case ScalarOp::BitAnd:
      return "and";
    case ScalarOp::BitOr:
      return "or";
    case ScalarOp::BitXor:
      return "xor";
    default:
      return info(op).name;
  }
}

const std::string& wide_atomics() {
  static const std::string text = R"(#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
)";
  return text;
}

std::string update_helper(const std::string& name, ScalarOp op, Scalar type, const std::string& space,
                          const std::string& updated) {
  const bool is_wide = size_of(type) == 8;
  const char* const real = is_wide ? "double" : "float";
  const char* const word = is_wide ? "ulong" : "uint";
  const std::string exchange = fmt::format(R"(  volatile {0} {1}* const word = (volatile {0} {1}*)place;
  {1} seen = *word, expected;
  do {{
    expected = seen;
    const {2} old = as_{2}(expected);
    seen = {3}_cmpxchg(word, expected, as_{1}({4}));
  }} while (seen != expected);
)",
                                           space, word, real, is_wide ? "atom" : "atomic", updated);
  std::string body = exchange;
  if (op == ScalarOp::Add) {
    body = fmt::format(R"(#ifdef __NV_CL_C_VERSION
  asm volatile("red.{}.add.f{} [%0], %1;" ::"l"((ulong)place), "{}"(operand) : "memory");
#else
{}#endif
)",
                       space == "local" ? "shared" : space, is_wide ? 64 : 32, is_wide ? 'd' : 'f', exchange);
  }
  return fmt::format("void {}(volatile {} {}* place, {} operand) {{\n{}}}\n", name, space, real, real, body);
}

std::string by_component(const std::string& name, const std::string& scalar_function, const std::string& type,
                         int width) {
  std::string components;
  for (int at = 0; at < width; ++at) {
    components += fmt::format("{}{}(a.s{:x}, b.s{:x})", at == 0 ? "" : ",\n    ", scalar_function, at, at);
  }
  return fmt::format("{0} {1}({0} a, {0} b) {{\n  return ({0})(\n    {2});\n}}\n", type, name, components);
}

}  // namespace hoist::codegen::opencl_c
