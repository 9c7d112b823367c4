// What a text for the host needs beside its kernels: helper functions, vector types, headers, and the words
// that identifiers must keep away from. The raw strings are printed code, C++17.
//
// The printer asks for a helper by name where it prints a call of it (CFamily::need), so a text has those
// that it uses: a kernel with `a % b` of integers gets
//
//   template <class T>
//   static inline T remainder_of(T a, T b) { ... }
//
// Helpers are there for two reasons: the language gives all operands a meaning, where C++ leaves overflow,
// division by 0 and conversions out of range undefined; and functions of the library do not take vectors. Two
// of them (by_branch, by_component) keep faults of g++ 12 away, which their comments tell.
//
// `declarations` is written last, when the text is known: it looks for words in it, and puts in front what
// they need: headers, mathematical functions (`math::exp`), vector types by the compiler's vector extension
// (`float4`), and short names such as `uint`. The functions are the compiler's own, which <cmath> names, too:
// g++ takes longer to read <cmath> than to compile most kernels.
#include "codegen/host/helpers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "codegen/code.hpp"

namespace hoist::codegen::host_cpp {
namespace {

struct Helper {
  std::string_view name, text;
};

constexpr Helper helpers[] = {
    {"smaller", R"(// As std::fmin, where a NaN loses to a number, but inline and for vectors too.
template <class T>
static inline T smaller(T a, T b) {
  const T least = a < b ? a : b;
  return b != b ? a : least;
}
)"},
    {"larger", R"(// As std::fmax, where a NaN loses to a number, but inline and for vectors too.
template <class T>
static inline T larger(T a, T b) {
  const T largest = a > b ? a : b;
  return b != b ? a : largest;
}
)"},
    {"absolute", R"(// Integers wrap, as unsigned ones do; for vectors, too.
template <class Unsigned, class T>
static inline T absolute(T a) {
  return a < 0 ? (T)(-(Unsigned)a) : a;
}
)"},
    {"sign", R"(// -1 or 1, and for zeros the operand; 0 for NaN.
template <class T>
static inline T sign(T a) {
  return a > 0 ? T(1) : a < 0 ? T(-1) : a == 0 ? a : T(0);
}
)"},
    {"integer_sign", R"(template <class T>
static inline T integer_sign(T a) {
  return static_cast<T>((a > 0) - (a < 0));
}
)"},
    {"power", R"(// As unsigned as the operators make it: that of narrow integers would be computed with ints.
template <class T>
static inline T power(T base, T exponent) {
  std::make_unsigned_t<decltype(base * base)> result = 1, square = base;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}
)"},
    {"multiply_add",
     R"(// a * b + c, rounded once where processors have an operation for it. The text says where that is: compilers
// leave products and sums as they are (-ffp-contract=off), since what they would choose depends on the loop.
[[gnu::always_inline]] static inline float multiply_add(float a, float b, float c) {
#if defined __FMA__ || defined __FP_FAST_FMAF || defined __ARM_FEATURE_FMA
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
[[gnu::always_inline]] static inline double multiply_add(double a, double b, double c) {
#if defined __FMA__ || defined __FP_FAST_FMA || defined __ARM_FEATURE_FMA
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}
)"},
    {"multiply_add_vectors",
     R"(// The same of vectors, by the operation for vectors of this size, or by those for its halves.
template <class V>
[[gnu::always_inline]] static inline V multiply_add(V a, V b, V c) {
#if defined __FMA__ || defined __FP_FAST_FMAF || defined __ARM_FEATURE_FMA
  [[maybe_unused]] constexpr bool is_single = sizeof(a[0]) == sizeof(float);
  [[maybe_unused]] constexpr int bytes = sizeof(V);
#if defined __FMA__
  typedef float f32_4 __attribute__((vector_size(16))), f32_8 __attribute__((vector_size(32)));
  typedef double f64_2 __attribute__((vector_size(16))), f64_4 __attribute__((vector_size(32)));
  if constexpr (bytes == 16 && is_single) return (V)__builtin_ia32_vfmaddps((f32_4)a, (f32_4)b, (f32_4)c);
  if constexpr (bytes == 16 && !is_single) return (V)__builtin_ia32_vfmaddpd((f64_2)a, (f64_2)b, (f64_2)c);
  if constexpr (bytes == 32 && is_single) return (V)__builtin_ia32_vfmaddps256((f32_8)a, (f32_8)b, (f32_8)c);
  if constexpr (bytes == 32 && !is_single) return (V)__builtin_ia32_vfmaddpd256((f64_4)a, (f64_4)b, (f64_4)c);
#if defined __AVX512F__
  typedef float f32_16 __attribute__((vector_size(64)));
  typedef double f64_8 __attribute__((vector_size(64)));
  if constexpr (bytes == 64 && is_single)
    return (V)__builtin_ia32_vfmaddps512_mask((f32_16)a, (f32_16)b, (f32_16)c, -1, 4);
  if constexpr (bytes == 64 && !is_single)
    return (V)__builtin_ia32_vfmaddpd512_mask((f64_8)a, (f64_8)b, (f64_8)c, -1, 4);
#endif
  if constexpr (bytes > 32) {
    typedef decltype(+a[0]) Half __attribute__((vector_size(bytes / 2)));
    Half parts[3][2];
    std::memcpy(parts[0], &a, bytes);
    std::memcpy(parts[1], &b, bytes);
    std::memcpy(parts[2], &c, bytes);
    for (int at = 0; at < 2; ++at) parts[0][at] = multiply_add(parts[0][at], parts[1][at], parts[2][at]);
    std::memcpy(&a, parts[0], bytes);
    return a;
  }
#endif
  for (size_t at = 0; at < sizeof(V) / sizeof(a[0]); ++at) {
    if constexpr (is_single) a[at] = __builtin_fmaf(a[at], b[at], c[at]);
    if constexpr (!is_single) a[at] = __builtin_fma(a[at], b[at], c[at]);
  }
  return a;
#else
  return a * b + c;
#endif
}
)"},
    {"square_of", R"(template <class T>
static inline T square_of(T a) {
  return a * a;
}
)"},
    {"quotient",
     R"(// The smallest integer divided by -1 wraps; a division by 0 gives 0, where the processor would trap.
template <class T>
static inline T quotient(T a, T b) {
  if (b == 0) return 0;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(-static_cast<std::make_unsigned_t<T>>(a));
  return static_cast<T>(a / b);
}
)"},
    {"remainder_of", R"(// The processor would trap for 0, and for the smallest integer and -1.
template <class T>
static inline T remainder_of(T a, T b) {
  return b == 0 || (std::is_signed_v<T> && b == static_cast<T>(-1)) ? T(0) : static_cast<T>(a % b);
}
)"},
    {"saturate",
     R"(// A float out of an integer's range becomes the nearest one in it, NaN becomes 0.
template <class Integer, class Float>
static inline Integer saturate(Float a) {
  constexpr Integer lowest = std::numeric_limits<Integer>::min(), highest = std::numeric_limits<Integer>::max();
  if (a != a) return 0;
  if (a <= static_cast<Float>(lowest)) return lowest;
  if (a >= static_cast<Float>(highest)) return highest;
  return static_cast<Integer>(a);
}
)"},
    {"by_branch",
     R"(// Where this is called under a condition, there is a branch: g++ 12 makes several masked loads of a group of
// conditional ones, all with the mask of the first.
template <class T>
static inline T by_branch(T a) {
#ifdef __GNUC__
  __asm__ volatile("");
#endif
  return a;
}
)"},
    {"splat", R"(// The same scalar in all components; subtracting zeros keeps the sign of a zero.
template <class Vector, class Scalar>
static inline Vector splat(Scalar a) {
  return static_cast<std::decay_t<decltype(Vector{}[0])>>(a) - Vector{};
}
)"},
    {"shuffled", R"(// Components of two vectors: numbers from their width on are the second one's.
template <class Result, int... lanes, class Vector>
static inline Result shuffled(Vector a, Vector b) {
#if defined(__has_builtin) && __has_builtin(__builtin_shufflevector)
  return __builtin_shufflevector(a, b, lanes...);
#else
  constexpr int width = sizeof(Vector) / sizeof(a[0]);
  return Result{(lanes < width ? a[lanes % width] : b[lanes % width])...};
#endif
}
)"},
    {"load_vector", R"(template <class Vector, int width, class Scalar>
static inline Vector load_vector(const Scalar* from) {
  Vector vector{};
  std::memcpy(&vector, from, width * sizeof(Scalar));
  return vector;
}
)"},
    {"store_vector", R"(template <int width, class Scalar, class Vector>
static inline void store_vector(Scalar* to, Vector vector) {
  std::memcpy(to, &vector, width * sizeof(Scalar));
}
)"},
    {"stream_vector",
     R"(// Past the caches, where the processor has such stores and the place is a multiple of the vector's size.
template <int width, class Scalar, class Vector>
[[gnu::always_inline]] static inline void stream_vector(Scalar* to, Vector vector) {
#if defined(__x86_64__)
  if (sizeof(vector) == width * sizeof(Scalar) && reinterpret_cast<size_t>(to) % sizeof(vector) == 0) {
#if defined(__clang__)
    return __builtin_nontemporal_store(vector, reinterpret_cast<Vector*>(to));
#else
    typedef float f32_4 __attribute__((vector_size(16))), f32_8 __attribute__((vector_size(32)));
    typedef float f32_16 __attribute__((vector_size(64)));
    float* const place = reinterpret_cast<float*>(to);
    if constexpr (sizeof(vector) == 16) return __builtin_ia32_movntps(place, (f32_4)vector);
#if defined(__AVX__)
    if constexpr (sizeof(vector) == 32) return __builtin_ia32_movntps256(place, (f32_8)vector);
#endif
#if defined(__AVX512F__)
    if constexpr (sizeof(vector) == 64) return __builtin_ia32_movntps512(place, (f32_16)vector);
#endif
#endif
  }
#endif
  std::memcpy(to, &vector, width * sizeof(Scalar));
}
)"},
    {"finish_streams", R"(// What was stored past the caches is in memory when a thread says that it is done.
static inline void finish_streams() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}
)"},
    {"exponential",
     R"(// The exponential function of floats, inline and for vectors too, within 1.01 units in the last place: x is
// n ln 2 + r, and exp(r) a polynomial (Cephes). The power of two is multiplied in two parts, which are normal
// numbers.
template <class Float, class Bits>
[[gnu::always_inline]] static inline Float exponential(Float x) {
  x = x < -104.0f ? Float{} - 104.0f : x;
  x = x > 89.0f ? Float{} + 89.0f : x;
  const Float zero = Float{}, shifted = multiply_add(x, zero + 1.44269504f, zero + 12582912.0f);
  const Float n = shifted - 12582912.0f;
  const Float r = multiply_add(n, zero + 2.12194440e-4f, multiply_add(n, zero - 0.693359375f, x));
  Float p = multiply_add(r, zero + 1.9875691500e-4f, zero + 1.3981999507e-3f);
  p = multiply_add(p, r, zero + 8.3334519073e-3f);
  p = multiply_add(p, r, zero + 4.1665795894e-2f);
  p = multiply_add(p, r, zero + 1.6666665459e-1f);
  p = multiply_add(p, r, zero + 5.0000001201e-1f);
  p = multiply_add(p, r * r, r) + 1.0f;
  Bits bits;
  std::memcpy(&bits, &shifted, sizeof(Bits));
  bits -= 0x4B400000u - 256u;
  const Bits half = bits >> 1u, first = (half - 1u) << 23u, second = (bits - half - 1u) << 23u;
  Float a, b;
  std::memcpy(&a, &first, sizeof(Float));
  std::memcpy(&b, &second, sizeof(Float));
  return p * a * b;
}
)"},
    {"update_atomically", R"(template <class T, class Combine>
static inline void update_atomically(T* place, T operand, Combine combine) {
  T old, next;
  __atomic_load(place, &old, __ATOMIC_RELAXED);
  do {
    next = combine(old, operand);
  } while (!__atomic_compare_exchange(place, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}
)"},
    {"by_component",
     R"(// A function of scalars applied to each component, by way of an array: g++ 12 makes a mask of two components
// that are set to a comparison's result.
template <class Result, int width, class Function, class... Vectors>
static inline Result by_component(Function function, Vectors... vectors) {
  Result result{};
  std::decay_t<decltype(result[0])> components[sizeof(Result) / sizeof(result[0])] = {};
  for (int i = 0; i < width; ++i) components[i] = function(vectors[i]...);
  std::memcpy(&result, components, sizeof(Result));
  return result;
}
)"},
};

/// How functions that glibc has for vectors are declared, and by what each of them is computed.
constexpr std::string_view vector_functions = R"(
#if defined __GNUC__ && !defined __clang__ && defined __GLIBC__ && defined __x86_64__ && defined _OPENMP && \
    (!defined __AVX__ || defined __AVX2__)
// glibc has some functions for vectors, too, within 4 units in the last place. g++ calls those of several widths
// in loops, and that of a scalar for what is left over: each has last places of its own. Here all ask that of the
// widest vectors, so that the bits of an element do not depend on where in a loop it is.
#define MATH_BY_VECTORS
namespace math {
typedef float float_4 __attribute__((vector_size(16))), float_8 __attribute__((vector_size(32)));
typedef float float_16 __attribute__((vector_size(64)));
typedef double double_2 __attribute__((vector_size(16))), double_4 __attribute__((vector_size(32)));
typedef double double_8 __attribute__((vector_size(64)));
#if defined __AVX512F__
typedef float_16 float_widest;
typedef double_8 double_widest;
#define MATH_WIDEST_float "_ZGVeN16v"
#define MATH_WIDEST_double "_ZGVeN8v"
#elif defined __AVX2__
typedef float_8 float_widest;
typedef double_4 double_widest;
#define MATH_WIDEST_float "_ZGVdN8v"
#define MATH_WIDEST_double "_ZGVdN4v"
#else
typedef float_4 float_widest;
typedef double_2 double_widest;
#define MATH_WIDEST_float "_ZGVbN4v"
#define MATH_WIDEST_double "_ZGVbN2v"
#endif
template <class Wide, class Part>
static inline Wide repeated(Part part) {
  if constexpr (sizeof(Part) <= sizeof(double)) return part - Wide{};  // keeps the sign of a zero
  Wide wide;
  for (size_t at = 0; at < sizeof(Wide); at += sizeof(Part))
    __builtin_memcpy(reinterpret_cast<char*>(&wide) + at, &part, sizeof(Part));
  return wide;
}
template <class Part, class Wide>
static inline Part first(Wide wide) {
  Part part;
  __builtin_memcpy(&part, &wide, sizeof(Part));
  return part;
}
}
// Functions by the symbols that g++ calls: those of the vectors' ABI.
#define MATH_FUNCTION_1(Part, Wide, function, part, symbol)                                               \
  [[gnu::used]] static Part function##_##part(Part) noexcept __asm__(symbol);                             \
  static Part function##_##part(Part a) noexcept { return first<Part>(function(repeated<Wide>(a))); }
#define MATH_FUNCTION_2(Part, Wide, function, part, symbol)                                               \
  [[gnu::used]] static Part function##_##part(Part, Part) noexcept __asm__(symbol);                       \
  static Part function##_##part(Part a, Part b) noexcept {                                                \
    return first<Part>(function(repeated<Wide>(a), repeated<Wide>(b)));                                   \
  }
#endif
)";

constexpr std::pair<std::string_view, std::string_view> real_types[] = {{"float", "f"}, {"double", ""}};

/// A function of one or two operands, declared for vectors, with what its calls become.
std::string function_by_vectors(std::string_view name, int operands) {
  std::string result;
  for (const auto& [type, suffix] : real_types) {
    const std::string wide = fmt::format("{}_widest", type), function = fmt::format("{}{}", name, suffix);
    const std::string_view more = operands == 2 ? "v" : "";
    const auto parameters = [&](std::string_view each) {
      return operands == 2 ? fmt::format("{0}, {0}", each) : std::string(each);
    };
    const std::string mangled = fmt::format("_ZN4math{}{}E{}", name.size(), name,
                                            std::string(static_cast<std::size_t>(operands), type[0]));
    const auto defined = [&](std::string_view part_type, std::string_view part, const std::string& symbol) {
      return fmt::format("MATH_FUNCTION_{}({}, {}, widest_{}, {}, {})\n", operands, part_type, wide, function,
                         part, symbol);
    };
    const auto narrower = [&](char set, int bytes, std::string_view condition) {
      const int lanes = bytes / (type == "float" ? 4 : 8);
      return fmt::format("#ifdef {}\n{}#endif\n", condition,
                         defined(fmt::format("{}_{}", type, lanes), fmt::format("{}", lanes),
                                 fmt::format("\"_ZGV{}N{}v{}_{}\"", set, lanes, more, mangled)));
    };
    result +=
        fmt::format("#pragma omp declare simd notinbranch\n{0} {1}({2}) noexcept __attribute__((const));\n",
                    type, name, parameters(type));
    result += fmt::format("{} widest_{}({}) noexcept __asm__(MATH_WIDEST_{} \"{}_{}\");\n", wide, function,
                          parameters(wide), type, more, function);
    result += defined(type, "1", fmt::format("\"{}\"", mangled));
    result += defined(wide, "widest", fmt::format("MATH_WIDEST_{} \"{}_{}\"", type, more, mangled));
    result += narrower('d', 32, "__AVX512F__") + narrower('b', 16, "__AVX2__");
  }
  return result;
}

/// Mathematical functions, for float and double, and the two values that have no literals.
std::string mathematics(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> values[] = {{"NAN", "__builtin_nanf(\"\")"},
                                                                      {"INFINITY", "__builtin_inff()"}};
  constexpr std::pair<std::string_view, std::string_view> shapes[] = {
      {"{0} a", "a"}, {"{0} a, {0} b", "a, b"}, {"{0} a, {0} b, {0} c", "a, b, c"}};
  constexpr std::pair<std::string_view, std::size_t> functions[] = {
      {"atan", 1},  {"atan2", 2}, {"ceil", 1}, {"cos", 1},  {"erf", 1},  {"exp", 1},  {"exp2", 1},
      {"fabs", 1},  {"floor", 1}, {"fma", 3},  {"fmod", 2}, {"log", 1},  {"log2", 1}, {"pow", 2},
      {"round", 1}, {"sin", 1},   {"sqrt", 1}, {"tan", 1},  {"tanh", 1}, {"trunc", 1}};
  std::string result, overloads, by_vectors, without_them;
  for (const auto& [name, value] : values) {
    if (has_word(text, name)) result += fmt::format("#ifndef {0}\n#define {0} {1}\n#endif\n", name, value);
  }
  for (const auto& [name, operands] : functions) {
    if (!has_word(text, fmt::format("math::{}", name))) continue;
    constexpr std::string_view for_vectors[] = {"exp", "log", "sin", "cos", "pow"};
    const bool is_for_vectors = std::ranges::find(for_vectors, name) != std::end(for_vectors);
    if (is_for_vectors) by_vectors += function_by_vectors(name, operands);
    const auto& [parameters, arguments] = shapes[operands - 1];
    for (const auto& [type, suffix] : real_types) {
      (is_for_vectors ? without_them : overloads) +=
          fmt::format("static inline {} {}({}) {{ return __builtin_{}{}({}); }}\n", type, name,
                      fmt::format(fmt::runtime(parameters), type), name, suffix, arguments);
    }
  }
  if (!by_vectors.empty()) {
    result += vector_functions.substr(1);
    overloads += "#ifdef MATH_BY_VECTORS\n" + by_vectors + "#else\n" + without_them + "#endif\n";
  }
  if (!overloads.empty()) result += "namespace math {\n" + overloads + "}\n";
  return result.empty() ? result : result + "\n";
}

}  // namespace

std::string_view helper(std::string_view name) {
  const auto* row = std::find_if(std::begin(helpers), std::end(helpers),
                                 [&](const Helper& each) { return each.name == name; });
  if (row == std::end(helpers)) throw Bug(fmt::format("no helper function is called {}", name));
  return row->text;
}

std::string declarations(std::string_view text) {
  std::string result = "// C++17; needs -fopenmp for more than one thread.\n";
  // Each header stands beside a word that needs it.
  constexpr std::pair<std::string_view, std::string_view> headers[] = {
      {"algorithm", "std::min"},      {"algorithm", "std::max"},  {"climits", "INT_MIN"},
      {"climits", "LONG_MIN"},        {"cstddef", "size_t"},      {"cstring", "memcpy"},
      {"limits", "numeric_limits"},   {"type_traits", "decay_t"}, {"type_traits", "make_unsigned_t"},
      {"type_traits", "is_signed_v"}, {"utility", "std::swap"},   {"vector", "std::vector"}};
  std::string_view last;
  for (const auto& [header, need] : headers) {
    if (header != last && has_word(text, need)) {
      result += fmt::format("#include <{}>\n", header);
      last = header;
    }
  }
  result += "\n";
  result += mathematics(text);
  const std::size_t before_types = result.size();
  constexpr std::string_view short_names[][2] = {{"uchar", "unsigned char"},
                                                 {"ushort", "unsigned short"},
                                                 {"uint", "unsigned int"},
                                                 {"ulong", "unsigned long"}};
  struct Element {
    std::string_view name, type;
    int bytes;
  };
  constexpr Element elements[] = {{"char", "signed char", 1}, {"uchar", "uchar", 1}, {"short", "short", 2},
                                  {"ushort", "ushort", 2},    {"int", "int", 4},     {"uint", "uint", 4},
                                  {"long", "long", 8},        {"ulong", "ulong", 8}, {"float", "float", 4},
                                  {"double", "double", 8}};
  std::string vectors;
  for (const Element& element : elements) {
    for (int width : {2, 3, 4, 8, 16}) {
      const std::string name = fmt::format("{}{}", element.name, width);
      if (!has_word(text, name)) continue;
      const int lanes = width == 3 ? 4 : width;  // a vector of three leaves its fourth component unused
      vectors += fmt::format("typedef {} {} __attribute__((vector_size({})));\n", element.type, name,
                             lanes * element.bytes);
    }
  }
  for (const auto& [name, type] : short_names) {
    if (has_word(text, name) || has_word(vectors, name))
      result += fmt::format("using {} = {};\n", name, type);
  }
  if (has_word(text, "char")) result += "static_assert(char(-1) < 0, \"needs -fsigned-char\");\n";
  result += vectors;
  if (result.size() > before_types) result += "\n";
  return result;
}

std::span<const std::string_view> reserved_words() {
  static constexpr std::string_view words[] = {"arguments",
                                               "range",
                                               "std",
                                               "uchar",
                                               "uint",
                                               "ulong",
                                               "ushort",
                                               "smaller",
                                               "larger",
                                               "absolute",
                                               "sign",
                                               "power",
                                               "quotient",
                                               "remainder_of",
                                               "saturate",
                                               "integer_sign",
                                               "splat",
                                               "load_vector",
                                               "shuffled",
                                               "store_vector",
                                               "stream_vector",
                                               "finish_streams",
                                               "by_component",
                                               "by_branch",
                                               "update_atomically",
                                               "exponential",
                                               "square_of",
                                               "multiply_add",
                                               "M_PI",
                                               "M_E",
                                               "FP_NAN",
                                               "FP_ZERO",
                                               "EOF",
                                               "MAXFLOAT",
                                               "assert",
                                               "errno",
                                               "math"};
  return words;
}

}  // namespace hoist::codegen::host_cpp
