#pragma once
// A loop offered as a program of Hoist.
#include <map>
#include <string>
#include <vector>

#include "openmp/loop.hpp"

namespace hoist::openmp {

/// A loop as a program of Hoist.
struct Offer {
  std::string name;   ///< of the file: "gemm_loop1"
  std::string place;  ///< "gemm.c:20"
  std::string text;   ///< the program with what is said about it
  std::string check;  ///< C that runs the loop on given data
  std::vector<std::string> sizes;
  std::vector<std::vector<std::int64_t>> trials;  ///< values of the sizes to check with
  std::map<std::string, std::string> below;       ///< arrays whose elements are indices, and below which size
};

/// `name` is the file's, `definition` the program's; `file` is the path of the C program, `directory` where the
/// program of Hoist is written to, as the user calls it. Throws Untranslatable, with the reason why Hoist's
/// language does not say the loop.
Offer written_offer(const Loop& loop, const std::string& name, std::string definition, const std::string& file,
                    const std::string& directory, clang::ASTContext& context);

}  // namespace hoist::openmp
