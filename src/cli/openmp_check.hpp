#pragma once
// Programs of Hoist that loops of C were written as, held against the loops.
#include <string>

namespace hoist::cli {

/// Reads FOLDER/checks.json, which `hoist-openmp --checks FOLDER` writes. Of each program there: the C
/// compiler builds its loop, both run on random inputs at small sizes, and what came of it is printed. A
/// program that differs from its loop is removed.
void check_offers(const std::string& folder);

}  // namespace hoist::cli
