#pragma once
// A loop offered as a program of Hoist.
#include "openmp/loop.hpp"
#include "openmp/translator.hpp"

namespace hoist::openmp {

/// `file` is the program's path, `directory` where the program of Hoist is written to, as the user calls it.
/// Throws Untranslatable, with the reason why Hoist's language does not say the loop.
Offer written_offer(const Loop& loop, const std::string& name, const std::string& file, const std::string& directory,
                    clang::ASTContext& context);

}  // namespace hoist::openmp
