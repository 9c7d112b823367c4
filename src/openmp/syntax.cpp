#include "openmp/syntax.hpp"

#include <clang/AST/Attr.h>

#include <algorithm>

namespace hoist::openmp {

using namespace clang;

const Expr* plain(const Expr* expression) { return expression ? expression->IgnoreParenImpCasts() : nullptr; }

const VarDecl* variable_of(const Expr* expression) {
  const auto* reference = llvm::dyn_cast_or_null<DeclRefExpr>(plain(expression));
  return reference ? llvm::dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

bool is_global(const VarDecl* variable) { return variable->hasGlobalStorage(); }

QualType innermost_element(QualType type) {
  type = type.getCanonicalType();
  if (const auto* pointer = type->getAs<PointerType>()) type = pointer->getPointeeType();
  while (const auto* array = llvm::dyn_cast<ArrayType>(type.getCanonicalType().getTypePtr())) {
    type = array->getElementType();
  }
  return type.getCanonicalType();
}

bool is_pointer_or_array(QualType type) { return type->isPointerType() || type->isArrayType(); }

bool is_threadprivate(const VarDecl* variable) {
  return std::any_of(variable->redecls_begin(), variable->redecls_end(),
                     [](const VarDecl* each) { return each->hasAttr<OMPThreadPrivateDeclAttr>(); });
}

const InitListExpr* constant_values(const VarDecl* array) {
  if (!array->getType()->isArrayType()) return nullptr;
  if (!array->getASTContext().getBaseElementType(array->getType()).isConstQualified()) return nullptr;
  return llvm::dyn_cast_or_null<InitListExpr>(array->getAnyInitializer());
}

const FunctionDecl* called_definition(const CallExpr* call) {
  const FunctionDecl* callee = call->getDirectCallee();
  const FunctionDecl* definition = nullptr;
  return callee && callee->hasBody(definition) ? definition : nullptr;
}

std::string called_name(const CallExpr* call) {
  const FunctionDecl* callee = call->getDirectCallee();
  return callee ? callee->getNameAsString() : "";
}

const Stmt* statement_of(const OMPExecutableDirective* directive) {
  if (!directive->hasAssociatedStmt()) return nullptr;
  const Stmt* statement = directive->getAssociatedStmt();
  while (const auto* captured = llvm::dyn_cast_or_null<CapturedStmt>(statement)) {
    statement = captured->getCapturedStmt();
  }
  return statement;
}

}  // namespace hoist::openmp
