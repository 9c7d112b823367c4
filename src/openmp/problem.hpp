#pragma once
// Why something of the C program stays on the host.
#include <clang/Basic/SourceLocation.h>

#include <string>

namespace hoist::openmp {

/// Thrown inside the translation of one loop; caught where its region begins.
struct Untranslatable {
  clang::SourceLocation where;
  std::string why;
};

}  // namespace hoist::openmp
