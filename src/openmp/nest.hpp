#pragma once
// A loop nest as what it computes: each element that it writes, and each variable that it gathers, as a term.
#include <clang/AST/ASTContext.h>

#include "openmp/loop.hpp"
#include "openmp/nest_samples.hpp"
#include "openmp/nest_terms.hpp"

namespace hoist::openmp {

struct NestResult {
  /// Elements of an array: `value` is written at element `at`, for all values of `counters`.
  const Storage* storage = nullptr;
  Poly at = {};
  std::vector<Term> counters = {};  ///< those that move farthest in memory first
  /// A variable of the program: what the reduction by `operation` gives, or, without one, what the last
  /// iteration leaves in it.
  const clang::VarDecl* variable = nullptr;
  std::string operation = {};
  Term value = nullptr;
};

struct Nest {
  std::vector<NestResult> results;
  /// The lengths of the dimensions of an array that its declaration tells: all but the outermost.
  std::map<const clang::VarDecl*, std::vector<Poly>> lengths;
};

/// Throws Untranslatable where the nest is none that terms can say.
Nest read_nest(const Loop& loop, clang::ASTContext& context, Terms& terms, Samples& samples);

/// The number v of each counter with which the polynomial `at` is `place`: nothing where that is not seen.
std::optional<Terms::Replacements> solved(const Poly& at, const std::vector<Term>& counters,
                                          const Poly& place, Terms& terms, Samples& samples);
/// p / q, where it is a polynomial.
std::optional<Poly> exact_quotient(Poly p, const Poly& q);
/// The part of `given` that `unit` divides: given = unit * quotient + the rest.
Poly quotient(const Poly& given, const Poly& unit, const std::function<bool(SymbolId)>& is_counter);

}  // namespace hoist::openmp
