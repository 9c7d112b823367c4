// What CUDA C++ lacks for kernels, as text: vectors with operators, arithmetic that is defined for all
// operands, asynchronous copies, and the words that no identifier may be. The raw strings are printed code
// for NVRTC, which has no headers.
//
// The printer asks for a helper where it prints a call of it, so a text has those that it uses. Helpers are
// templates over the scalar and the width: with
//
//   using float4 = Vector<float, 4>;
//
// `a + b` of two float4 is the operator that `vector_operator(ScalarOp::Add)` gives, by component; a
// comparison gives a mask, a vector of integers as wide as the scalars, each 0 or -1. Signed integers go
// through `wrapping`, since their overflow is undefined. `Vector` is aligned so that up to 16 bytes are one
// access, but for vectors of three.
//
// Read `helpers` first, then `vector_operator`. `macros` and `types` are asked when the rest of the text is
// known, and give what words in it need.
#include "codegen/cuda/helpers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "codegen/code.hpp"

namespace hoist::codegen::cuda_cpp {
namespace {

struct Helper {
  std::string_view name, text;
};

constexpr std::string_view vector_template =
    R"(// CUDA's own vectors have no operators, and no more than four components.
template <class T, int n>
struct alignas(n == 3 ? sizeof(T) : sizeof(T) * n < 16 ? sizeof(T) * n : 16) Vector {
  T s[n];
};
)";

constexpr Helper helpers[] = {
    {"texel", R"(template <class V, class Own>
__device__ inline V texel(cudaTextureObject_t image, int place) {
  const Own all = tex1Dfetch<Own>(image, place);
  return {all.x, all.y, all.z, all.w};
}
)"},
    {"splat", R"(template <class V, class T>
__device__ inline V splat(T a) {
  V result;
#pragma unroll
  for (int i = 0; i < sizeof(V::s) / sizeof(V::s[0]); ++i) result.s[i] = a;
  return result;
}
)"},
    {"converted", R"(template <class V, class T, int n>
__device__ inline V converted(Vector<T, n> a) {
  V result;
#pragma unroll
  for (int i = 0; i < n; ++i) result.s[i] = a.s[i];
  return result;
}
)"},
    {"chosen", R"(template <class M, class T, int n>
__device__ inline Vector<T, n> chosen(Vector<M, n> mask, Vector<T, n> yes, Vector<T, n> no) {
#pragma unroll
  for (int i = 0; i < n; ++i) yes.s[i] = mask.s[i] ? yes.s[i] : no.s[i];
  return yes;
}
)"},
    {"by_component", R"(template <class V, class Function, class... Vectors>
__device__ inline V by_component(Function function, Vectors... vectors) {
  V result;
#pragma unroll
  for (int i = 0; i < sizeof(V::s) / sizeof(V::s[0]); ++i) result.s[i] = function(vectors.s[i]...);
  return result;
}
)"},
    {"copy_async",
     R"(// From global into shared memory, while the thread goes on; zeros where `is_there` is false.
template <int bytes>
__device__ inline void copy_async(void* to, const void* from) {
  const unsigned target = __cvta_generic_to_shared(to);
  if (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" ::"r"(target), "l"(from), "n"(bytes) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(target), "l"(from), "n"(bytes) : "memory");
  }
}
template <int bytes>
__device__ inline void copy_async(void* to, const void* from, bool is_there) {
  const unsigned target = __cvta_generic_to_shared(to);
  const int given = is_there ? bytes : 0;
  if (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2, %3;" ::"r"(target), "l"(from), "n"(bytes), "r"(given)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(target), "l"(from), "n"(bytes), "r"(given)
                 : "memory");
  }
}
)"},
    {"update_atomically", R"(// By comparing and exchanging, where there is no instruction.
template <class Word, class T, class Operand, class Combine>
__device__ inline void update_atomically(T* place, Operand operand, Combine combine) {
  union Both {
    Word word;
    T value;
  };
  Both old, next;
  Word expected;
  old.value = *(volatile T*)place;
  do {
    expected = old.word;
    next.value = combine(old.value, T(operand));
    old.word = atomicCAS((Word*)place, expected, next.word);
  } while (old.word != expected);
}
)"},
    {"load_vector", R"(template <class V, class T>
__device__ inline V load_vector(const T* from) {
  V result;
#pragma unroll
  for (int i = 0; i < sizeof(V::s) / sizeof(V::s[0]); ++i) result.s[i] = from[i];
  return result;
}
)"},
    {"store_vector", R"(template <class To, class T, int n>
__device__ inline void store_vector(To* to, Vector<T, n> a) {
#pragma unroll
  for (int i = 0; i < n; ++i) to[i] = a.s[i];
}
)"},
    {"same", R"(// T, where it is not to be deduced.
template <class T>
struct Same {
  using type = T;
};
)"},
    {"mask", R"(// The signed integer of as many bytes.
template <int bytes>
struct Mask;
template <>
struct Mask<1> {
  using type = signed char;
};
template <>
struct Mask<2> {
  using type = short;
};
template <>
struct Mask<4> {
  using type = int;
};
template <>
struct Mask<8> {
  using type = long;
};
)"},
    {"wrapping", R"(// The overflow of signed integers is undefined, that of unsigned ones wraps.
template <class T>
__device__ inline T wrapping(T a) {
  return a;
}
__device__ inline unsigned int wrapping(signed char a) { return a; }
__device__ inline unsigned int wrapping(char a) { return a; }
__device__ inline unsigned int wrapping(short a) { return a; }
__device__ inline unsigned int wrapping(unsigned short a) { return a; }  // an int does not hold all products
__device__ inline unsigned int wrapping(int a) { return a; }
__device__ inline unsigned long wrapping(long a) { return a; }
)"},
    {"absolute",
     R"(// Of what it knows for an absolute value, ptxas takes for granted that it is not negative; the smallest integer's
// is.
template <class T>
__device__ inline T absolute(T a) {
  const auto bits = wrapping(a);
  return T(bits * (1 - 2 * (bits >> (8 * sizeof(bits) - 1))));
}
)"},
    {"positive_part",
     R"(// The larger of a and 0. ptxas gets max(min(a, b), 0) == b wrong, and does not know this for a maximum.
template <class T>
__device__ inline T positive_part(T a) {
  return T(a & ~(a >> (8 * sizeof(a) - 1)));
}
)"},
    {"sign", R"(// -1 or 1, and for zeros the operand; 0 for NaN.
template <class T>
__device__ inline T sign(T a) {
  return a > 0 ? T(1) : a < 0 ? T(-1) : a == 0 ? a : T(0);
}
)"},
    {"integer_sign", R"(template <class T>
__device__ inline T integer_sign(T a) {
  return T((a > 0) - (a < 0));
}
)"},
    {"smaller", R"(template <class T>
__device__ inline T smaller(T a, T b) {
  return b < a ? b : a;
}
)"},
    {"larger", R"(template <class T>
__device__ inline T larger(T a, T b) {
  return a < b ? b : a;
}
)"},
    {"power", R"(template <class T>
__device__ inline T power(T base, T exponent) {
  decltype(wrapping(base * base)) result = 1, square = base;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result *= square;
    square *= square;
  }
  return T(result);
}
)"},
    {"quotient", R"(// The smallest integer divided by -1 wraps; a division by 0 gives 0.
template <class T>
__device__ inline T quotient(T a, T b) {
  if (b == 0) return 0;
  return T(-1) < T(0) && b == T(-1) ? T(-wrapping(a)) : T(a / b);
}
)"},
    {"remainder_of", R"(template <class T>
__device__ inline T remainder_of(T a, T b) {
  return b == 0 || (T(-1) < T(0) && b == T(-1)) ? T(0) : T(a % b);
}
)"},
    {"saturate", R"(// A float out of an integer's range becomes the nearest one in it, NaN becomes 0.
template <class Integer, class Float>
__device__ inline Integer saturate(Float a) {
  constexpr bool is_signed = Integer(-1) < Integer(0);
  constexpr Integer highest = Integer(~0ul >> (64 - 8 * sizeof(Integer) + is_signed));
  constexpr Integer lowest = is_signed ? Integer(-highest - 1) : Integer(0);
  if (a != a) return 0;
  if (a <= Float(lowest)) return lowest;
  if (a >= Float(highest)) return highest;
  return Integer(a);
}
)"},
};

constexpr std::string_view short_names[][2] = {{"uchar", "unsigned char"},
                                               {"ushort", "unsigned short"},
                                               {"uint", "unsigned int"},
                                               {"ulong", "unsigned long"}};

struct Element {
  std::string_view name, type;
};
constexpr Element elements[] = {
    {"char", "signed char"}, {"uchar", "unsigned char"}, {"short", "short"}, {"ushort", "unsigned short"},
    {"int", "int"},          {"uint", "unsigned int"},   {"long", "long"},   {"ulong", "unsigned long"},
    {"float", "float"},      {"double", "double"}};

}  // namespace

std::string_view helper(std::string_view name) {
  const auto* row = std::find_if(std::begin(helpers), std::end(helpers),
                                 [&](const Helper& each) { return each.name == name; });
  if (row == std::end(helpers)) throw Bug(fmt::format("no helper function is called {}", name));
  return row->text;
}

std::string vector_operator(ScalarOp op) {
  const std::string_view name = info(op).symbol;
  if (info(op).arity == 1) {
    const std::string operand = name == "-" ? "wrapping(a.s[i])" : "a.s[i]";
    return fmt::format(R"(template <class T, int n>
__device__ inline Vector<T, n> operator{0}(Vector<T, n> a) {{
#pragma unroll
  for (int i = 0; i < n; ++i) a.s[i] = T({0}{1});
  return a;
}}
)",
                       name, operand);
  }
  const bool is_comparison = info(op).gives_bool;
  const bool wraps = op == ScalarOp::Add || op == ScalarOp::Subtract || op == ScalarOp::Multiply ||
                     op == ScalarOp::ShiftLeft;
  const std::string component = is_comparison ? fmt::format("a.s[i] {} b.s[i] ? -1 : 0", name)
                                : wraps       ? fmt::format("T(wrapping(a.s[i]) {} wrapping(b.s[i]))", name)
                                              : fmt::format("T(a.s[i] {} b.s[i])", name);
  const std::string result = is_comparison ? "Vector<typename Mask<sizeof(T)>::type, n>" : "Vector<T, n>";
  std::string text = fmt::format(R"(template <class T, int n>
__device__ inline {1} operator{0}(Vector<T, n> a, Vector<T, n> b) {{
  {1} result;
#pragma unroll
  for (int i = 0; i < n; ++i) result.s[i] = {2};
  return result;
}}
template <class T, int n>
__device__ inline {1} operator{0}(Vector<T, n> a, typename Same<T>::type b) {{
  return a {0} splat<Vector<T, n>>(b);
}}
template <class T, int n>
__device__ inline {1} operator{0}(typename Same<T>::type a, Vector<T, n> b) {{
  return splat<Vector<T, n>>(a) {0} b;
}}
)",
                                 name, result, component);
  if (op == ScalarOp::Add || op == ScalarOp::Subtract || op == ScalarOp::Multiply || op == ScalarOp::Divide) {
    text += fmt::format(R"(template <class T, int n, class Other>
__device__ inline Vector<T, n>& operator{0}=(Vector<T, n>& a, Other b) {{
  return a = a {0} b;
}}
)",
                        name);
  }
  return text;
}

std::string macros(std::string_view text) {
  constexpr std::string_view values[][2] = {{"NAN", "__int_as_float(0x7fc00000)"},
                                            {"INFINITY", "__int_as_float(0x7f800000)"},
                                            {"INT_MIN", "(-2147483647 - 1)"},
                                            {"LONG_MIN", "(-9223372036854775807L - 1)"}};
  std::string result;
  for (const auto& [name, value] : values) {
    if (has_word(text, name)) result += fmt::format("#ifndef {0}\n#define {0} {1}\n#endif\n", name, value);
  }
  return result;
}

std::string types(std::string_view text) {
  std::string vectors;
  for (const Element& element : elements) {
    for (int width : {2, 3, 4, 8, 16}) {
      const std::string name = fmt::format("{}{}", element.name, width);
      if (has_word(text, name))
        vectors += fmt::format("using {} = Vector<{}, {}>;\n", name, element.type, width);
    }
  }
  std::string result;
  for (const auto& [name, type] : short_names) {
    if (has_word(text, name)) result += fmt::format("using {} = {};\n", name, type);
  }
  if (has_word(text, "char")) result += "static_assert(char(-1) < 0, \"char has a sign\");\n";
  if (!vectors.empty() || has_word(text, "Vector")) result += std::string(vector_template) + vectors;
  return result;
}

std::span<const std::string_view> reserved_words() {
  // Functions are here because a variable of their name would hide them.
  static constexpr std::string_view words[] = {"kernels",       "Vector",
                                               "Same",          "Mask",
                                               "splat",         "converted",
                                               "chosen",        "by_component",
                                               "load_vector",   "store_vector",
                                               "wrapping",      "absolute",
                                               "positive_part", "update_atomically",
                                               "copy_async",    "atomicAdd",
                                               "atomicMin",     "atomicMax",
                                               "atomicAnd",     "atomicOr",
                                               "atomicXor",     "atomicCAS",
                                               "sign",          "integer_sign",
                                               "smaller",       "larger",
                                               "power",         "quotient",
                                               "remainder_of",  "saturate",
                                               "shared_memory", "threadIdx",
                                               "blockIdx",      "blockDim",
                                               "gridDim",       "warpSize",
                                               "uchar",         "ushort",
                                               "uint",          "ulong",
                                               "longlong",      "ulonglong",
                                               "dim3",          "half",
                                               "half2",         "asm",
                                               "sqrt",          "sqrtf",
                                               "rsqrt",         "rsqrtf",
                                               "pow",           "powf",
                                               "exp",           "expf",
                                               "exp2",          "exp2f",
                                               "log",           "logf",
                                               "log2",          "log2f",
                                               "sin",           "sinf",
                                               "cos",           "cosf",
                                               "tan",           "tanf",
                                               "tanh",          "tanhf",
                                               "atan",          "atanf",
                                               "atan2",         "atan2f",
                                               "erf",           "erff",
                                               "floor",         "floorf",
                                               "ceil",          "ceilf",
                                               "round",         "roundf",
                                               "trunc",         "truncf",
                                               "fma",           "fmaf",
                                               "fmod",          "fmodf",
                                               "fmin",          "fminf",
                                               "fmax",          "fmaxf",
                                               "fabs",          "fabsf"};
  return words;
}

}  // namespace hoist::codegen::cuda_cpp
