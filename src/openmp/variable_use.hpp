#pragma once
// How a loop uses the variables that it does not declare.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "openmp/syntax.hpp"

namespace hoist::openmp {

/// How a loop uses a variable that it does not declare.
struct Uses {
  bool is_read = false, is_written = false;
  bool is_read_openly = false;     ///< outside of critical and atomic constructs
  bool is_written_openly = false;  ///< the same
  bool is_address_taken = false;
  bool in_critical = false;
  clang::SourceLocation first_write;
};

struct LoopUses {
  std::map<const clang::VarDecl*, Uses> uses;
  std::vector<const clang::VarDecl*> order;  ///< in which they appear
  std::vector<std::string> locks;            ///< names of critical sections
};
/// Walks through a body and all functions that it calls. `own` are variables that are the loop's by
/// definition: its counters.
LoopUses collect_uses(const clang::Stmt* body, const std::set<const clang::VarDecl*>& own);
/// Whether each execution of a statement writes the variable before it reads it.
bool is_written_first(const clang::Stmt* body, const clang::VarDecl* variable);
/// The operation by which a loop gathers a value in a variable that it uses for nothing else: "+", "*",
/// "min", "max".
std::optional<std::string> gathering_operation(const clang::Stmt* body, const clang::VarDecl* variable);

}  // namespace hoist::openmp
