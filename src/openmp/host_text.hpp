#pragma once
// What the host has for a loop: C that tells the run time what a task takes, and the call that stands before
// the loop.
#include <string>

#include "openmp/accesses.hpp"
#include "openmp/loop.hpp"

namespace hoist::openmp {

struct HostText {
  std::string definitions;  ///< before the function that has the loop: what it takes, its task function, its
                            ///< description
  std::string call;         ///< before the loop: "if (!hoist_run(...))" with its block opened
  std::string end;          ///< after the loop
};
/// `kernels` is the name of the lines of the kernels' source. Throws Untranslatable.
HostText host_text(const Loop& loop, const Accesses& accesses, const std::string& kernels, bool is_cuda,
                   clang::ASTContext& context);

/// An expression as the program has it.
std::string source_text(const clang::Stmt* statement, const clang::ASTContext& context);

}  // namespace hoist::openmp
