#pragma once
// Calls of the run time before the host touches arrays whose newest copy may be on the device.
#include <clang/Rewrite/Core/Rewriter.h>

#include <set>

#include "openmp/loop.hpp"

namespace hoist::openmp {

/// What a program's functions have to do with the device.
struct DeviceUse {
  std::set<const clang::Stmt*> loops;  ///< directives that were translated
  std::set<const clang::FunctionDecl*>
      functions;  ///< that run such loops, by themselves or by what they call
};

/// What else is written into functions.
struct RegionTexts {
  std::map<const clang::Stmt*, std::pair<std::string, std::string>>
      loops;                                          ///< before and after a translated loop
  std::map<const clang::Stmt*, std::string> regions;  ///< in place of a region's pragma; it opens a block
};

/// Inserts all of it into a function. Gives functions whose callers touch arrays in the statement that calls
/// them: they must leave all arrays valid on the host.
std::set<const clang::FunctionDecl*> insert_host_syncs(const clang::FunctionDecl* function,
                                                       const DeviceUse& use, clang::Rewriter& rewriter,
                                                       clang::ASTContext& context, const RegionTexts& texts);

/// Behind a statement and its semicolon.
clang::SourceLocation end_of_statement(const clang::Stmt* statement, clang::ASTContext& context);
/// Whether the functions that a statement calls include one of these.
bool calls_any(const clang::Stmt* statement, const std::set<const clang::FunctionDecl*>& functions);

}  // namespace hoist::openmp
