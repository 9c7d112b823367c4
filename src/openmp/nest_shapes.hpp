#pragma once
// Which dimensions the arrays of a nest have, and which numbers of the program are sizes.
#include "openmp/nest_program.hpp"

namespace hoist::openmp {

/// Gives the elements of the results' values as many indices as their arrays have dimensions, and the results
/// counters whose counts are sizes. The arrays' `lengths` are those of the dimensions. Lengths that nothing
/// tells are the sizes `unknown`, numbers of variables that the program does not have.
struct Shapes {
  std::vector<NestResult> results;
  std::vector<const Storage*> arrays;  ///< those that are read
  std::map<std::string, Term> unknown;
};
Shapes find_shapes(const Nest& nest, Terms& terms, Samples& samples);

/// Whether it is made of numbers that the nest does not change.
bool is_invariant(Term term, const Terms& terms);

}  // namespace hoist::openmp
