#pragma once
// OpenMP's atomic constructs, and the functions of the kernels that do what they say.
#include <clang/AST/ASTContext.h>
#include <clang/AST/StmtOpenMP.h>

#include <map>
#include <string>

#include "openmp/problem.hpp"

namespace hoist::openmp {

/// What an atomic construct says.
struct AtomicForm {
  enum Kind { Read, Write, Update } kind = Update;
  const clang::Expr* place = nullptr;
  const clang::Expr* value = nullptr;   ///< written, or the operand; nothing for 1
  const clang::Expr* result = nullptr;  ///< where what was read goes, if anywhere
  std::string operation;                ///< "+"
  bool is_reversed = false;             ///< place = value operation place
  bool takes_new = false;               ///< the result is the new value
};
/// Throws Untranslatable.
AtomicForm atomic_form(const clang::OMPAtomicDirective* directive, const clang::ASTContext& context);

/// Calls of atomic functions; remembers which ones the kernels need.
class Atomics {
 public:
  explicit Atomics(bool is_cuda) : is_cuda_(is_cuda) {}

  std::string read(const std::string& type, const std::string& place) const;
  std::string write(const std::string& type, const std::string& place, const std::string& value) const;
  bool can_update(const std::string& type) const;
  /// An expression of the value before.
  std::string update(const std::string& type, const std::string& operation, bool is_reversed,
                     const std::string& place, const std::string& value);
  std::string definitions() const;

 private:
  bool is_cuda_;
  bool uses_long_ = false;
  std::map<std::string, std::string> functions_;  ///< their texts, by name
};

/// The neutral element of a reduction's operation, and two values combined.
std::string identity(const std::string& operation, const std::string& type);
std::string combined(const std::string& operation, const std::string& a, const std::string& b);
/// The address of an lvalue: "x" of "*x" and "(*x)".
std::string pointer_to(const std::string& lvalue);

}  // namespace hoist::openmp
