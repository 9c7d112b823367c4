#include "openmp/functions.hpp"

#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtOpenMP.h>

#include <algorithm>
#include <functional>
#include <set>

#include "openmp/loop.hpp"

namespace hoist::openmp {

using namespace clang;

namespace {

const std::set<std::string>& mathematical() {
  static const std::set<std::string> names = {
      "sqrt",  "exp",      "exp2",   "expm1",  "log",   "log2",      "log10",    "log1p", "sin",
      "cos",   "tan",      "asin",   "acos",   "atan",  "sinh",      "cosh",     "tanh",  "asinh",
      "acosh", "atanh",    "fabs",   "floor",  "ceil",  "round",     "trunc",    "rint",  "cbrt",
      "erf",   "erfc",     "tgamma", "lgamma", "pow",   "fmod",      "fmin",     "fmax",  "atan2",
      "hypot", "copysign", "fdim",   "fma",    "ldexp", "remainder", "nearbyint"};
  return names;
}

bool starts_with(const std::string& text, const char* start) { return text.rfind(start, 0) == 0; }

bool is_input_or_output(const std::string& name) {
  static const std::set<std::string> names = {
      "printf", "fprintf", "puts",    "putchar",  "fputs",  "fputc",  "putc",         "fwrite",
      "fread",  "scanf",   "fscanf",  "fopen",    "fclose", "fflush", "perror",       "getchar",
      "fgets",  "fgetc",   "vprintf", "vfprintf", "write",  "read",   "__assert_fail"};
  return names.count(name) > 0;
}

}  // namespace

std::string DeviceFunction::text(const std::vector<std::string>& arguments) const {
  if (is_constant) return name;
  if (name.empty()) return "(" + arguments.at(0) + ")";
  std::string text;
  for (const std::string& each : arguments) text += (text.empty() ? "" : ", ") + each;
  return name + "(" + text + ")";
}

std::optional<DeviceFunction> device_function(const std::string& called, bool is_cuda) {
  std::string name = called;
  if (starts_with(name, "__builtin_")) name = name.substr(10);
  if (name == "inff" || name == "huge_valf" || name == "inf" || name == "huge_val")
    return DeviceFunction{"INFINITY", true};
  if (name == "nanf" || name == "nan") return DeviceFunction{"NAN", true};
  if (name == "isnan" || name == "isinf" || name == "isfinite" || name == "signbit")
    return DeviceFunction{name};
  if (name == "isinf_sign") return DeviceFunction{"isinf"};
  if (name == "abs" || name == "labs" || name == "llabs") {
    if (is_cuda) return DeviceFunction{name};
    return DeviceFunction{name == "abs" ? "(int)abs" : "(long)abs", false, false, true};
  }
  std::string base = name;
  const bool is_single = !mathematical().count(name) && !name.empty() && name.back() == 'f';
  if (is_single) base.pop_back();
  if (!mathematical().count(base)) return std::nullopt;
  const std::string spelled = is_cuda ? base + (is_single ? "f" : "") : base == "nearbyint" ? "rint" : base;
  return DeviceFunction{spelled, false, !is_single, true};
}

std::string why_not_on_device(const std::string& name) {
  if (is_input_or_output(name)) return "it calls '" + name + "': a device has no input and output";
  if (name == "malloc" || name == "calloc" || name == "realloc" || name == "free")
    return "it calls '" + name + "': a device allocates no memory";
  if (starts_with(name, "omp_"))
    return "it calls '" + name + "': a device's work-items are no threads of OpenMP";
  if (name == "rand" || name == "random" || name == "drand48" || name == "srand")
    return "it calls '" + name + "', which keeps its state on the host";
  if (name == "exit" || name == "abort") return "it may end the program by '" + name + "'";
  return "it calls '" + name + "', which is not defined in this file";
}

std::string user_function_name(const std::string& name) {
  static const std::set<std::string> builtin = {
      "step",     "distance", "length", "normalize",   "dot",       "cross",      "min",      "max",
      "clamp",    "mix",      "sign",   "degrees",     "radians",   "smoothstep", "select",   "shuffle",
      "prefetch", "barrier",  "any",    "all",         "rotate",    "hadd",       "rhadd",    "mad",
      "mad24",    "mul24",    "fract",  "mul_hi",      "popcount",  "clz",        "upsample", "isequal",
      "maxmag",   "minmag",   "rsqrt",  "recip",       "convert",   "printf",     "abs_diff", "add_sat",
      "sub_sat",  "mad_sat",  "mad_hi", "fast_length", "bitselect", "rootn",      "pown",     "powr",
      "sincos",   "ilogb",    "logb",   "nextafter",   "exp10",     "norm"};
  if (builtin.count(name) || mathematical().count(name)) return name + "_of_program";
  return kernel_name(name);
}

std::vector<const VarDecl*> globals_of(const FunctionDecl* function) {
  std::vector<const VarDecl*> found;
  std::set<const FunctionDecl*> visited;
  const std::function<void(const Stmt*)> walk = [&](const Stmt* statement) {
    if (!statement) return;
    if (const auto* reference = llvm::dyn_cast<DeclRefExpr>(statement)) {
      const auto* variable = llvm::dyn_cast<VarDecl>(reference->getDecl());
      if (variable && is_global(variable) && std::find(found.begin(), found.end(), variable) == found.end())
        found.push_back(variable);
    }
    if (const auto* call = llvm::dyn_cast<CallExpr>(statement)) {
      const FunctionDecl* callee = called_definition(call);
      if (callee && visited.insert(callee).second) walk(callee->getBody());
    }
    if (const auto* directive = llvm::dyn_cast<OMPExecutableDirective>(statement))
      return walk(statement_of(directive));
    for (const Stmt* child : statement->children()) walk(child);
  };
  visited.insert(function);
  walk(function->getBody());
  return found;
}

HostEffect host_effect(const std::string& called) {
  std::string name = called;
  if (starts_with(name, "__builtin_")) name = name.substr(10);
  static const std::set<std::string> none = {
      "malloc",   "calloc",      "aligned_alloc", "posix_memalign", "free",    "exit",     "abort",
      "rand",     "srand",       "random",        "srandom",        "drand48", "srand48",  "clock",
      "time",     "atoi",        "atof",          "atol",           "strtol",  "strtod",   "getenv",
      "abs",      "labs",        "clock_gettime", "gettimeofday",   "expect",  "putchar",  "fflush",
      "huge_val", "inf",         "nan",           "isnan",          "isinf",   "isfinite", "omp_get_wtime",
      "fclose",   "assert_fail", "__assert_fail", "va_start",       "va_end",  "fputc",    "getopt"};
  if (none.count(name) || starts_with(name, "omp_") || device_function(name, true)) return HostEffect::None;
  static const std::set<std::string> reads = {"printf", "fprintf", "puts",    "fputs",  "fwrite",
                                              "strlen", "strcmp",  "strncmp", "memcmp", "perror",
                                              "strchr", "strrchr", "strstr"};
  return reads.count(name) ? HostEffect::ReadsArguments : HostEffect::Unknown;
}

}  // namespace hoist::openmp
