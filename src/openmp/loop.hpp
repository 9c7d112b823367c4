#pragma once
// A loop that OpenMP shares out, and what its variables are to it.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtOpenMP.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "openmp/problem.hpp"
#include "openmp/syntax.hpp"

namespace hoist::openmp {

/// `for (v = from; v < bound; v += step)` and its relatives.
struct CanonicalLoop {
  const clang::ForStmt* statement = nullptr;
  const clang::VarDecl* iterator = nullptr;
  const clang::Expr* from = nullptr;
  const clang::Expr* bound = nullptr;
  const clang::Expr* step = nullptr;  ///< its absolute value; 1 when there is none
  bool goes_up = true;
  bool includes_bound = false;
  bool has_further_condition = false;  ///< `v < bound && ...`: it may end earlier
};
/// Nothing when the loop is of another kind.
std::optional<CanonicalLoop> canonical_loop(const clang::ForStmt* statement);

/// An operation by which OpenMP combines values, as C spells it: "+", "&&", "min".
struct Reduction {
  const clang::VarDecl* variable;
  std::string operation;
};

/// A variable that a construct around the loop gives each thread for itself.
enum class ThreadVariable { Private, Firstprivate, Reduction };
using ThreadVariables = std::map<const clang::VarDecl*, ThreadVariable>;

/// What is told of a loop although it is translated.
struct Remark {
  clang::SourceLocation where;
  std::string text;
};

struct Loop {
  const clang::OMPExecutableDirective* directive = nullptr;
  const clang::FunctionDecl* function = nullptr;
  std::vector<CanonicalLoop> loops;  ///< those that are shared out, the outermost first
  const clang::Stmt* body = nullptr;
  std::string name;                           ///< of the kernel, and of what belongs to it
  std::string place;                          ///< "gemm.c:20"
  bool is_repeated = false;                   ///< it stands in another loop
  std::vector<const clang::VarDecl*> arrays;  ///< which it reads or writes elements of
  std::vector<const clang::VarDecl*> values;  ///< numbers and structures that it only reads
  std::set<const clang::VarDecl*> firsts;  ///< values of which each iteration has a copy that it may change
  std::vector<const clang::VarDecl*> changed;  ///< those that it changes
  std::vector<const clang::VarDecl*> privates;
  std::vector<const clang::VarDecl*> lasts;  ///< of the privates: the last iteration's value is kept
  std::vector<Reduction> reductions;
  std::vector<std::string> locks;                      ///< names of critical sections
  std::set<const clang::VarDecl*> watched;             ///< arrays that critical sections use
  std::map<const clang::VarDecl*, std::string> names;  ///< of all of these, different, in C and in the kernel
  std::vector<Remark> remarks;
};

/// A number in the range of a shared loop that is the same in each run, or the name of the argument that has
/// it.
struct RangePart {
  std::string text;  ///< in the kernel
  const clang::Expr* argument =
      nullptr;  ///< what is passed as a long under that name; nothing for a constant
};
/// The first value and the step of a shared loop.
RangePart first_value(const CanonicalLoop& loop, const Loop& of, clang::ASTContext& context);
RangePart step(const CanonicalLoop& loop, const Loop& of, clang::ASTContext& context);
/// A name that neither OpenCL C nor CUDA C++ has for itself.
std::string kernel_name(const std::string& name);

/// Reads a loop: what it runs over and what its variables are. `of_thread` are variables of a parallel region
/// around it. Throws Untranslatable.
Loop read_loop(const clang::OMPLoopDirective* directive, const clang::FunctionDecl* function,
               const ThreadVariables& of_thread);

}  // namespace hoist::openmp
