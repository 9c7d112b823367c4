#pragma once
// The reader of loop nests, in two files: nest_expressions.cpp, and nest_statements.cpp, which begins with
// how it works.
#include <deque>

#include "openmp/nest.hpp"

namespace hoist::openmp {

class NestReader {
 public:
  NestReader(const Loop& loop, clang::ASTContext& context, Terms& terms, Samples& samples)
      : loop_(loop), context_(context), terms_(terms), samples_(samples) {}
  Nest run();

 private:
  /// What an expression or a variable of the program has.
  struct Value {
    enum Kind { None, Number, Pointer, Variable, Record } kind = None;
    Term term = nullptr;                       ///< Number
    const clang::VarDecl* variable = nullptr;  ///< Variable: a pointer to it; Pointer: the array
    Poly at = {};                              ///< Pointer, in innermost elements
    std::string member = {};                   ///< Pointer: inside of the element, which is a structure
    std::map<std::string, Value> fields = {};  ///< Record
  };
  /// `value` was written at element `at`, for all values of the counters.
  struct Write {
    const Storage* storage;
    Poly at;
    Term value;
    std::vector<Term> counters;
    clang::SourceLocation where;
  };
  /// What execution has come to. Reads that `memory` does not answer are of the arrays as they were when the
  /// round of loop `entry` began, or, with none, when the nest began.
  struct State {
    std::map<const clang::VarDecl*, Value> values;
    std::vector<Write> memory;
    Value returned;
    int entry = 0;
  };
  /// Statements that are still to be executed.
  using Todo = std::deque<const clang::Stmt*>;

  [[noreturn]] static void refuse(clang::SourceLocation where, const std::string& why) {
    throw Untranslatable{where, why};
  }
  static Value number(Term term) { return {.kind = Value::Number, .term = term}; }

  // ---- Expressions ----

  NumberType number_type(clang::QualType type, clang::SourceLocation where) const;
  Value evaluate(State& state, const clang::Expr* expression);
  Term scalar(State& state, const clang::Expr* expression);
  Term condition(State& state, const clang::Expr* expression);
  Value variable_value(State& state, const clang::DeclRefExpr* reference);
  /// What a constant of the function is computed from, where that is still what it was then.
  Term defined(State& state, const clang::VarDecl* variable);
  Value cast_value(State& state, const clang::CastExpr* cast);
  Value unary_value(State& state, const clang::UnaryOperator* unary);
  Value binary_value(State& state, const clang::BinaryOperator* binary);
  Value moved(State& state, const Value& pointer, const Poly& by, clang::QualType type,
              const clang::Expr* where);
  Poly length_of(State& state, const clang::ArrayType* array, clang::SourceLocation where);
  Poly elements_of(State& state, clang::QualType type, const clang::Expr* where);
  /// An lvalue: a pointer to an element, or to a variable.
  Value place_of(State& state, const clang::Expr* expression);
  Value load(State& state, const Value& place, clang::QualType type, const clang::Expr* where);
  void assign(State& state, const clang::Expr* target, const Value& value);
  void store(State& state, const Value& place, const Value& value, clang::QualType type,
             const clang::Expr* where);
  Value call_value(State& state, const clang::CallExpr* call);
  Value library_call(State& state, const clang::CallExpr* call, const std::string& name);
  Value initial_value(State& state, const clang::Expr* initializer, clang::QualType type);
  const Storage* storage_of(const clang::VarDecl* variable, const std::string& member, NumberType type);
  Value merged(Term condition, const Value& yes, const Value& no);

  // ---- Memory ----

  Term read(State& state, const Storage* storage, const Poly& at, clang::SourceLocation where);
  Term read_before(State& state, std::size_t writes, const Storage* storage, const Poly& at,
                   clang::SourceLocation where);
  void write(State& state, Write made);
  /// Whether two places never are one, whatever the counters in scope are.
  bool never_equal(const Poly& a, const Poly& b, const std::vector<Term>& further);
  std::vector<Term> in_scope(const std::vector<Term>& further) const;

  // ---- Statements ----

  void execute(State& state, Todo todo);
  void declare(State& state, const clang::VarDecl* variable);
  void choose(State& state, const clang::IfStmt* choice, Todo rest);
  State joined(State& before, Term condition, State yes, State no);
  void run_loop(State& state, const clang::ForStmt* statement);
  /// The counter of a loop, and what its variable is in a round.
  Term enter(State& state, const CanonicalLoop& loop);
  struct Round;
  void find_states(Round& round);
  void leave_loop(Round& round);
  void add_results(State& state, Nest& nest);

  const Loop& loop_;
  clang::ASTContext& context_;
  Terms& terms_;
  Samples& samples_;
  Nest nest_;
  std::vector<Term> counters_;  ///< of the loops around
  std::map<std::pair<int, const Storage*>, const Storage*> entries_;
  std::set<const clang::VarDecl*> changed_;  ///< variables that the loop's function changes anywhere
  int loops_ = 0, depth_ = 0;
};

/// Variables that a statement changes, or takes the address of.
void changed_by(const clang::Stmt* statement, std::set<const clang::VarDecl*>& changed);

}  // namespace hoist::openmp
