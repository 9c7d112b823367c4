#pragma once
// What a loop nest computes, as terms of arithmetic: the middle between C and Hoist's language.
//
// A term is a number that C computes, without the order in which it does: an element of an array at an index
// that is a polynomial in the loops' counters, an operation on terms, a choice, or what a loop leaves in a
// variable that it carries from one round to the next (a recurrence). Terms are interned, so that equal ones
// are the same; a counter and a state are named by their number. All counters begin at 0 and go up by 1.
#include <clang/AST/Decl.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "openmp/poly.hpp"

namespace hoist::openmp {

enum class NumberType { Bool, I8, I16, I32, I64, U8, U16, U32, U64, F32, F64 };
/// As Hoist spells it.
std::string spelled(NumberType type);
bool is_float(NumberType type);
/// The number in the fewest digits that give it again.
std::string real_text(double value, NumberType type);

struct TermNode;
using Term = const TermNode*;
struct Storage;

enum class TermKind {
  Number,   ///< `text`
  Given,    ///< a number of the C program that the nest does not change: `variable`, and `text` for a member
  Counter,  ///< of a loop with `operands[0]` rounds; operands[1], where it is, is the C loop's first value,
            ///< and its step 1
  State,    ///< what a variable has when a round begins
  Operation,   ///< `text` on the operands: an operator, or a function as Hoist names it; a type's name
               ///< converts
  Choice,      ///< if operands[0] then operands[1] else operands[2]
  Element,     ///< of `storage` at `index`
  Recurrence,  ///< what `recurrence` leaves in its state number `which`
};

/// A loop that carries states from one round to the next.
struct Recurrence {
  Term counter;
  std::vector<Term> states, initial, next;
  auto operator<=>(const Recurrence&) const = default;
};

/// What elements are of.
enum class StorageKind {
  Given,    ///< an array of the C program
  Own,      ///< one that an iteration declares
  Entry,    ///< `of` as it was when a round of a loop began
  Built,    ///< the value for all values of the counters: an array that is computed
  Scanned,  ///< a recurrence's state number `which` after each round
  Bound,    ///< a row, a window or an element that the printed text has bound to a name
};
struct Storage {
  StorageKind kind = StorageKind::Given;
  NumberType type = NumberType::I32;
  const clang::VarDecl* variable = nullptr;  ///< Given and Own
  std::string member = {};                   ///< of the elements, which are structures; or empty
  const Storage* of = nullptr;
  std::vector<Term> counters = {};
  Term value = nullptr;
  Recurrence recurrence = {};
  std::size_t which = 0;
  std::string name = {};           ///< Bound
  std::vector<Poly> lengths = {};  ///< of its dimensions, the outermost first, where they are known
};

struct TermNode {
  TermKind kind;
  NumberType type;
  int id = 0;
  std::string text = {};
  const clang::VarDecl* variable = nullptr;
  std::vector<Term> operands = {};
  const Storage* storage = nullptr;
  std::vector<Poly> index = {};
  Recurrence recurrence = {};
  std::size_t which = 0;
};

class Terms {
 public:
  Term number(const std::string& text, NumberType type);
  Term integer(std::int64_t value, NumberType type = NumberType::I32);
  Term given(const clang::VarDecl* variable, const std::string& member, NumberType type);
  Term fresh_counter(const std::string& name, Term count, Term from = nullptr);
  Term fresh_state(const std::string& name, NumberType type);
  Term operation(const std::string& name, std::vector<Term> operands, NumberType type);
  Term converted(Term term, NumberType type);
  Term choice(Term condition, Term yes, Term no);
  Term element(const Storage* storage, std::vector<Poly> index);
  Term recurrence(const Recurrence& recurrence, std::size_t which);
  const Storage* storage(Storage made);

  Term by_id(SymbolId id) const { return nodes_[static_cast<std::size_t>(id)].get(); }
  /// An integer as a polynomial in what cannot be taken apart further.
  Poly poly(Term term);
  Term term(const Poly& poly);

  /// A variable of the program that had the term as its value; a term made of it has the same name.
  void name(Term term, const std::string& variable) { names_.emplace(term, variable); }
  std::string name_of(Term term) const {
    const auto found = names_.find(term);
    return found == names_.end() ? std::string() : found->second;
  }

  using Replacements = std::map<Term, Term>;
  Term replaced(Term term, const Replacements& by);
  Poly replaced(const Poly& poly, const Replacements& by);
  /// With `by(element)` for each element for which it gives something; inner ones first.
  Term with_elements(Term term, const std::function<Term(Term)>& by);

  /// Every node that the term is made of, itself too, each once.
  void visit(Term term, const std::function<void(Term)>& seen) const;
  void visit(const Poly& poly, const std::function<void(Term)>& seen) const;
  bool mentions(Term term, const std::set<Term>& any) const;
  bool mentions(const Poly& poly, const std::set<Term>& any) const;

 private:
  using Key = std::tuple<TermKind, NumberType, std::string, const clang::VarDecl*, std::vector<Term>,
                         const Storage*, std::vector<Poly>, Recurrence, std::size_t>;
  Term intern(TermNode node, bool is_fresh = false);
  Term remade(Term term, const std::function<Term(Term)>& change, std::map<Term, Term>& done);
  Term rebuilt(Term term, const std::function<Term(Term)>& change, std::map<Term, Term>& done);
  void visit(Term term, const std::function<void(Term)>& seen, std::set<Term>& done) const;

  std::vector<std::unique_ptr<TermNode>> nodes_;
  std::map<Key, Term> known_;
  std::map<Term, std::string> names_;
  std::vector<std::unique_ptr<Storage>> storages_;
};

/// A recurrence of one state that is combined with a value in each round, which does not use it: "+", "*", "min", "max",
/// "&", "|", "^".
struct Gathered {
  std::string operation;
  Term value;
};
std::optional<Gathered> gathered(const Recurrence& loop, Terms& terms);
/// What changes nothing when it is combined; nothing where the type has no such number.
Term neutral(const std::string& operation, NumberType type, Terms& terms);

}  // namespace hoist::openmp
