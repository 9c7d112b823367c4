#pragma once
// What the C library and the program offer, and what devices have of it.
#include <clang/AST/Decl.h>

#include <optional>
#include <string>
#include <vector>

namespace hoist::openmp {

/// A function of the C library that devices have.
struct DeviceFunction {
  std::string name;
  bool is_constant = false;  ///< a value, and no function there
  bool uses_doubles = false;
  bool casts_argument = false;  ///< always, so that an overload is chosen
  std::string text(const std::vector<std::string>& arguments) const;
};
std::optional<DeviceFunction> device_function(const std::string& name, bool is_cuda);
/// Why a function that devices have not keeps a loop on the host.
std::string why_not_on_device(const std::string& name);
/// A name for a function of the program that devices have no function of.
std::string user_function_name(const std::string& name);
/// Global variables that a function uses, and those that it calls.
std::vector<const clang::VarDecl*> globals_of(const clang::FunctionDecl* function);

/// What a function that is not defined here does to memory that its arguments lead to.
enum class HostEffect { None, ReadsArguments, Unknown };
HostEffect host_effect(const std::string& name);

}  // namespace hoist::openmp
