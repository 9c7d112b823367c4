#pragma once
// Which elements of which arrays a loop uses: affine analysis of its accesses.
#include <string>
#include <vector>

#include "openmp/loop.hpp"
#include "openmp/poly.hpp"

namespace hoist::openmp {

/// Something that polynomials are made of.
struct Symbol {
  /// In C, for the host, as a long: "n", "(n / 2)"; a loop's counter has only a name to show.
  std::string text;
  bool is_counter = false;
  Poly low, high;  ///< of a counter, inclusive; of the outermost loop's, the counter of iterations, unused
  bool has_gaps = false;  ///< a counter that does not take every value between
  SymbolId own = -1;
  const clang::VarDecl* variable = nullptr;  ///< which it is the value of, if it is
  /// What it is made of, where that is known: `left operation right`, or `left` alone.
  std::string operation;
  Poly left, right;
};

/// One place of the program that uses elements of an array.
struct Access {
  const clang::VarDecl* array = nullptr;
  bool is_write = false;
  bool is_any = false;  ///< which elements is not known
  bool is_conditional = false;
  bool is_protected = false;  ///< atomic or critical
  bool is_partial = false;    ///< a member of the element alone
  bool is_covered = false;    ///< a read of what the same iteration has written before
  Poly element;               ///< its number
  std::vector<SymbolId>
      counters;  ///< of the loops around, the outermost (whose iterations are shared out) first
  clang::SourceLocation where;
};

struct Accesses {
  std::vector<Symbol> symbols;  ///< symbol 0 counts the iterations of the outermost loop, from 0
  std::vector<Access> accesses;
};

/// What a task function tells of a part of an array: text of C in the symbols' texts, `first` and `last`.
struct Window {
  const clang::VarDecl* array = nullptr;
  std::string function;              ///< "hoist_reads"
  std::vector<std::string> guard;    ///< conditions under which it is used at all
  std::vector<std::string> assumed;  ///< what must hold for it to be right
  std::string low, high;             ///< empty: any element
};

/// Throws Untranslatable.
Accesses collect_accesses(const Loop& loop, clang::ASTContext& context);
/// The windows in order of the arrays, without those that another contains.
std::vector<Window> windows_of(const Loop& loop, const Accesses& accesses);
/// An array by which iterations that run in any order would compute something else than one after the other.
struct Conflict {
  const clang::VarDecl* array;
  clang::SourceLocation where;
};
std::optional<Conflict> find_conflict(const Accesses& accesses, std::size_t shared_loops);

/// Variables whose values the texts of the symbols use.
std::vector<const clang::VarDecl*> variables_of(const Accesses& accesses);

}  // namespace hoist::openmp
