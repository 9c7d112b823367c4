#pragma once
// Questions about Clang's trees.
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtOpenMP.h>

#include <algorithm>
#include <string>

namespace hoist::openmp {

/// The definition of what a call calls; nothing where it is elsewhere or behind a pointer.
const clang::FunctionDecl* called_definition(const clang::CallExpr* call);
/// The name of the function that is called; empty where it is behind a pointer.
std::string called_name(const clang::CallExpr* call);
/// Without parentheses and implicit conversions.
const clang::Expr* plain(const clang::Expr* expression);
const clang::VarDecl* variable_of(const clang::Expr* expression);
/// Whether it lives as long as the program.
bool is_global(const clang::VarDecl* variable);
/// The type of the elements of an array or of what a pointer points to, at any depth of arrays.
clang::QualType innermost_element(clang::QualType type);
bool is_pointer_or_array(clang::QualType type);
/// Whether OpenMP gives each thread one of its own.
bool is_threadprivate(const clang::VarDecl* variable);
/// The statement under an OpenMP directive, without what Clang captures.
const clang::Stmt* statement_of(const clang::OMPExecutableDirective* directive);

/// The values of an array that never changes, where a list gives them; otherwise nothing.
const clang::InitListExpr* constant_values(const clang::VarDecl* array);
/// Whether a statement of the kind is in it.
template <class Kind>
bool contains(const clang::Stmt* statement) {
  if (!statement) return false;
  return llvm::isa<Kind>(statement) ||
         std::any_of(statement->child_begin(), statement->child_end(), contains<Kind>);
}

}  // namespace hoist::openmp
