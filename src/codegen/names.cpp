#include "codegen/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace hoist::codegen {

void Names::reserve(std::span<const std::string_view> words) {
  // Kernels are many, and the lists of words few.
  thread_local std::unordered_map<const std::string_view*, Words> known;
  const auto [list, is_new] = known.try_emplace(words.data());
  if (is_new) list->second.insert(words.begin(), words.end());
  reserved_.push_back(&list->second);
}

bool Names::is_taken(const std::string& word) const {
  return taken_.contains(word) || std::any_of(reserved_.begin(), reserved_.end(),
                                              [&](const Words* words) { return words->contains(word); });
}

const std::string& Names::of(const std::string& name) {
  const auto known = identifiers_.find(name);
  if (known != identifiers_.end()) return known->second;
  std::string valid;
  for (char c : name) valid += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  // Identifiers that begin with an underscore belong to the compilers.
  if (valid.empty() || valid[0] == '_' || std::isdigit(static_cast<unsigned char>(valid[0])) != 0) {
    valid = "v" + valid;
  }
  return identifiers_.emplace(name, fresh(valid)).first->second;
}

std::string Names::replace(const std::string& name, std::string text) {
  ++replacements_;
  return std::exchange(identifiers_.at(name), std::move(text));
}

std::string Names::fresh(std::string_view base) {
  std::string identifier(base);
  for (int attempt = 1; is_taken(identifier); ++attempt) {
    identifier = attempt == 1 ? fmt::format("{}_", base) : fmt::format("{}_{}", base, attempt);
  }
  taken_.insert(identifier);
  return identifier;
}

std::span<const std::string_view> c_keywords() {
  static constexpr std::string_view words[] = {
      "alignas",  "alignof",   "and",     "asm",      "auto",     "bitand",   "bitor",     "bool",
      "break",    "case",      "catch",   "char",     "class",    "compl",    "const",     "constexpr",
      "continue", "decltype",  "default", "delete",   "do",       "double",   "else",      "enum",
      "explicit", "export",    "extern",  "false",    "float",    "for",      "friend",    "goto",
      "if",       "inline",    "int",     "long",     "main",     "mutable",  "namespace", "new",
      "noexcept", "not",       "nullptr", "operator", "or",       "private",  "protected", "public",
      "register", "restrict",  "return",  "short",    "signed",   "sizeof",   "static",    "struct",
      "switch",   "template",  "this",    "throw",    "true",     "try",      "typedef",   "typeid",
      "typename", "typeof",    "union",   "unsigned", "using",    "virtual",  "void",      "volatile",
      "wchar_t",  "while",     "xor",     "unix",     "linux",    "NULL",     "NAN",       "INFINITY",
      "HUGE_VAL", "HUGE_VALF", "INT_MIN", "INT_MAX",  "LONG_MIN", "LONG_MAX", "UINT_MAX",  "ULONG_MAX",
      "CHAR_BIT", "CHAR_MAX",  "FLT_MAX", "DBL_MAX",  "size_t",   "ptrdiff_t"};
  return words;
}

std::span<const std::string_view> vector_types() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const char* scalar :
         {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"}) {
      for (const int width : {2, 3, 4, 8, 16}) all.push_back(fmt::format("{}{}", scalar, width));
    }
    return all;
  }();
  static const std::vector<std::string_view> words(names.begin(), names.end());
  return words;
}

std::span<const std::string_view> c_library_functions() {
  static constexpr std::string_view words[] = {
      "abs",         "fabs",      "labs",     "div",       "ldiv",   "sqrt",   "cbrt",   "hypot",  "pow",
      "exp",         "exp2",      "expm1",    "log",       "log2",   "log10",  "log1p",  "sin",    "cos",
      "tan",         "sinh",      "cosh",     "tanh",      "asin",   "acos",   "atan",   "atan2",  "erf",
      "erfc",        "gamma",     "lgamma",   "tgamma",    "floor",  "ceil",   "round",  "rint",   "trunc",
      "fma",         "fmod",      "fmin",     "fmax",      "fdim",   "logb",   "ldexp",  "frexp",  "modf",
      "scalb",       "j0",        "j1",       "jn",        "y0",     "y1",     "yn",     "nan",    "drem",
      "memcpy",      "memset",    "memmove",  "memcmp",    "strlen", "strcpy", "malloc", "calloc", "realloc",
      "free",        "exit",      "abort",    "atexit",    "system", "getenv", "random", "rand",   "srand",
      "bsearch",     "qsort",     "index",    "rindex",    "select", "swab",   "min",    "max",    "exp10",
      "significand", "remainder", "copysign", "nextafter", "isnan",  "isinf",  "finite"};
  return words;
}

}  // namespace hoist::codegen
