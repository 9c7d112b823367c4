#pragma once
// Turns a definition's syntax tree into a typed term.
//
// Types are inferred forwards: an expression's type follows from its parts, a function's from the arguments
// it is applied to. Only literals without a suffix take a type from where they stand.
//
// Whatever is empty (a term, a size, a type, a null function) stands for something erroneous that is already
// reported; what depends on it stays silent and is empty too.
#include <optional>
#include <unordered_map>

#include "ir/scheme.hpp"
#include "lang/diagnostics.hpp"
#include "lang/names.hpp"
#include "lang/values.hpp"

namespace hoist::lang {

class Elaborator {
 public:
  Elaborator(const Source& source, const Globals& globals, Diagnostics& diagnostics)
      : source_(source), globals_(globals), diagnostics_(diagnostics) {}

  /// A definition whose parameters all have types, as a program; nullopt after errors.
  std::optional<ir::Program> program(const syntax::Definition& definition);

 private:
  using Expression = syntax::Expression;
  enum class Kind { Value, Function, Boundary };
  /// A value whose type the text states.
  struct Stated {
    const syntax::Type* type;
    ir::Type actual;
    Location place;  ///< of the value
  };

  // ---- Reporting and limits: elaborator.cpp.
  void report(const Location& place, std::string message, std::string note = {}, std::string help = {});
  /// Every diagnostic of `error`, at one place.
  void report(const Location& place, const Error& error);
  /// The text at a place, for messages; empty where it is long or the prelude's.
  std::string text_at(const Location& place) const;
  /// Runs a maker of ir terms; its failure is reported at `place`.
  template <class Make>
  ir::Term make(const Location& place, Make&& maker);
  void check_limits(const Location& place, ir::Term term);
  std::size_t depth_of(ir::Term term);
  std::size_t weight_of(ir::Type type);
  std::size_t weight_of(arith::Expr size);
  arith::Expr check_limits(const Location& place, arith::Expr size);
  /// Ends the elaboration of one definition. Reported where it is caught: it may be thrown where nothing is.
  struct LimitExceeded {
    Location place;
    std::string message, note;
  };
  class LimitGuard;

  // ---- Bindings: elaborator.cpp.
  Environment bind(const Environment& environment, std::string_view name, Argument* value);
  Argument* argument(const Expression& expression, const Environment& environment);
  Argument* known_argument(ir::Term term);
  Argument* known_size(arith::Expr size);
  Argument* failed_argument();
  const Function* function(Function value);
  Location place_of(const Argument& argument, const Location& otherwise) const;
  /// Binds what the pattern names; checks the types it states. Sizes that only its types name are bound to
  /// those of the argument.
  void bind_pattern(const syntax::Pattern& pattern, Argument* value, Environment& environment,
                    std::vector<Stated>& stated);
  Environment bind_parameters(const std::vector<const syntax::Pattern*>& patterns, const Arguments& values,
                              Environment environment);
  /// The argument, or what its name is bound to, if that is written as a tuple; else null.
  static const Argument* written_tuple(const Argument& argument);
  /// The components of a tuple, nullopt when it is none.
  std::optional<Arguments> components(Argument* tuple, std::size_t count);

  // ---- Sharing: sharing.cpp.
  class AnchorScope;
  /// A term that may be used any number of times: the term itself where that costs nothing, else a variable
  /// that stands for it and that `anchor` binds.
  ir::Term shared(ir::Term term, Anchor& anchor, std::string_view name);
  ir::Term close(const Anchor& anchor, ir::Term body);

  // ---- Types and sizes: sizes.cpp.
  /// `given` is what `_` in the type stands for, at the same place in another type.
  ir::Type type_of(const syntax::Type& type, const Environment& environment, ir::Type given = {});
  /// The stated type that literals should take: of scalars and tuples of them, else empty.
  ir::Type literal_type(const syntax::Type* type) const;
  arith::Expr size_of(const Expression& expression, const Environment& environment);
  arith::Expr size_of(Argument& argument, const Location& place);
  arith::Expr size_of(const syntax::Hole& hole, const Location& place);
  /// The size, or none where the argument is something else: reports nothing.
  arith::Expr size_if_any(Argument& argument, const Location& place);
  arith::Expr size_of_call(const syntax::Apply& apply, const Environment& environment, const Location& place);
  arith::Expr size_of_binary(ScalarOp op, arith::Expr left, arith::Expr right, const Location& place);
  std::optional<arith::Predicate> predicate_of(const Expression& expression, const Environment& environment);
  arith::Expr array_length_of(const Expression& expression, const Environment& environment);
  std::optional<ir::Boundary> boundary_of(const Expression& expression, const Environment& environment);
  /// Binds the sizes that `type` names and nothing binds yet.
  void bind_sizes(const std::vector<Stated>& stated, Environment& environment);
  /// Reports when `actual` is not the stated type. `what`: "the argument", "the result of f".
  bool check_type(const syntax::Type& stated, const Environment& environment, ir::Type actual,
                  const Location& place, std::string_view what);

  // ---- Expressions: expressions.cpp. `expected` only gives literals their type; it may be empty.
  ir::Term term_of(const Expression& expression, const Environment& environment, ir::Type expected = {});
  ir::Term term_of(Argument& argument, const Location& place, ir::Type expected = {});
  /// The term of an argument that has no name yet, and so one use only.
  ir::Term single_use(Argument& argument, const Location& place, ir::Type expected = {});
  ir::Term visit(const syntax::Number&, const Expression&, const Environment&, ir::Type);
  ir::Term visit(const syntax::Boolean&, const Expression&, const Environment&, ir::Type);
  ir::Term visit(const syntax::Name&, const Expression&, const Environment&, ir::Type);
  ir::Term visit(const syntax::Hole&, const Expression&, const Environment&, ir::Type);
  ir::Term visit(const syntax::Operator&, const Expression&, const Environment&, ir::Type);
  ir::Term visit(const syntax::Lambda&, const Expression&, const Environment&, ir::Type);
  ir::Term visit(const syntax::Let&, const Expression&, const Environment&, ir::Type);
  ir::Term visit(const syntax::If&, const Expression&, const Environment&, ir::Type);
  ir::Term visit(const syntax::Pipe&, const Expression&, const Environment&, ir::Type);
  ir::Term visit(const syntax::Compose&, const Expression&, const Environment&, ir::Type);
  ir::Term visit(const syntax::Binary&, const Expression&, const Environment&, ir::Type);
  ir::Term visit(const syntax::Unary&, const Expression&, const Environment&, ir::Type);
  ir::Term visit(const syntax::Apply&, const Expression&, const Environment&, ir::Type);
  ir::Term visit(const syntax::Index&, const Expression&, const Environment&, ir::Type);
  ir::Term visit(const syntax::Get&, const Expression&, const Environment&, ir::Type);
  ir::Term visit(const syntax::Tuple&, const Expression&, const Environment&, ir::Type);
  ir::Term visit(const syntax::Array&, const Expression&, const Environment&, ir::Type);
  ir::Term not_a_value(const Location& place, std::string_view what);
  /// A let that binds no term: a size, a function, a boundary, literals. Otherwise nullopt.
  std::optional<Environment> without_value(const syntax::Let& let, const Environment& environment);
  /// Whether a pattern without types binds literals, or what is computed of them alone, to each name.
  bool binds_untyped(const syntax::Pattern& pattern, const Expression& value, const Environment& environment);
  ir::Term let_value(const syntax::Let& let, const Environment& environment);
  Environment bind_let(const syntax::Let& let, ir::Term value, const Environment& environment);
  /// Whether a literal without a suffix decides the expression's type.
  bool is_untyped(const Expression& expression, const Environment& environment);
  bool is_untyped(const Argument& argument);
  /// The inside of a definition or of a function of generate, where what is called is no more than that.
  std::optional<std::pair<const Expression*, Environment>> inside_of_call(const syntax::Apply& apply,
                                                                          const Environment& environment);

  // ---- Functions: functions.cpp.
  const Function* function_of(const Expression& expression, const Environment& environment);
  const Function* function_of(Argument& argument, const Location& place);
  const Function* function_of_name(std::string_view name, const Environment& environment,
                                   const Location& place);
  const Function* function_of_apply(const syntax::Apply& apply, const Environment& environment,
                                    const Location& place);
  const Function* function_of_let(const syntax::Let& let, const Environment& environment);
  /// A function given some of its arguments, where the rest is a function.
  const Function* extend(const Function& function, const Arguments& arguments, const Location& place);
  /// The inside of a definition; an environment without expansion after an error.
  Environment expand(const PartialDefinition& definition, const Arguments& arguments, const Location& place);
  std::size_t missing_count(const Function& function);
  std::string description(const Function& function);
  std::vector<std::string> parameter_names(const Function& function, std::size_t count);
  /// What the function was given is evaluated once, though the function may run often.
  void share_given(const Function& function);

  // ---- What an expression is, before it is elaborated as that: kinds.cpp. Reports nothing.
  Kind kind_of(const Expression& expression, const Environment& environment);
  Kind kind_of(const Argument& argument);
  /// Whether a >> b shifts a number.
  bool is_shift(const syntax::Compose& node, const Environment& environment);
  Kind kind_of_name(std::string_view name, const Environment& environment);
  Kind kind_of_application(const Expression& callee, const Arguments& arguments,
                           const Environment& environment);
  /// Binds parameters without looking at their types.
  Environment bind_names(const std::vector<const syntax::Pattern*>& patterns, const Arguments& values,
                         Environment environment);

  // ---- Application: apply.cpp.
  ir::Term apply(const Function& function, Arguments arguments, const Location& place, ir::Type expected);
  ir::Term apply_callee(const Expression& callee, const Environment& environment, const Arguments& arguments,
                        const Location& place, ir::Type expected);
  ir::Type type_of_converted(const Argument& argument, Scalar to);
  ir::Term apply_closure(const Closure& closure, const Arguments& arguments, ir::Type expected);
  ir::Term apply_definition(const PartialDefinition& definition, const Arguments& arguments,
                            const Location& place, ir::Type expected);
  ir::Term apply_scalar(ScalarOp op, Arguments arguments, const Location& place, ir::Type expected);
  ir::Term apply_vectorized(const Vectorized& vectorized, const Arguments& arguments, const Location& place);
  /// Given one tuple where several arguments are missing: its components.
  Arguments spread(Arguments arguments, std::size_t missing);
  /// An argument that nothing used may still be wrong.
  void check_unused(const Arguments& arguments, const Location& place);
  ir::Term wrong_count(std::string_view what, std::size_t wanted, std::size_t given, const Location& place,
                       std::string note = {}, std::string help = {});
  /// The same of a lambda, with what it is given.
  ir::Term wrong_count_of_lambda(std::size_t wanted, const Arguments& given, const Location& place);
  /// "its arguments are slide(n, step, x)"; empty where they have no names.
  std::string form_of(const Function& callee);
  /// The function as a lambda on parameters of these types.
  ir::Term instantiate(const Function& function, const std::vector<ir::Type>& types, ir::Type expected_result,
                       const Location& place);

  // ---- Primitives: primitives.cpp.
  std::size_t primitive_arity(ir::Op op, std::size_t given);
  /// A missing dimension is dimension 0; a pad with a value is PadValue.
  ir::Op normalise(ir::Op op, Arguments& arguments);
  ir::Term apply_primitive(ir::Op op, Arguments arguments, const Location& place, ir::Type expected);
  /// Calls of primitives whose arguments are what the scheme says; `op` is normal, their number is right.
  ir::Term apply_as_scheme_says(ir::Op op, const Arguments& arguments, const Location& place,
                                ir::Type expected);
  bool give_static(ir::CallTyping& typing, std::size_t index, Argument& value, const Location& place);
  /// pad with one value: in an array of arrays every row gets it at its ends.
  ir::Term pad_with_value(const std::vector<arith::Expr>& sizes, ir::Term value, ir::Term array,
                          const Location& place);
  /// pad with a function (i, n) => ...: element i of the array around x is x[f(i, n)].
  ir::Term pad_by_function(const Arguments& arguments, const Location& place);
  /// rotate by a number that only the running program knows.
  ir::Term rotate_by_number(const Arguments& arguments, const Location& place);
  /// Whether a literal without a suffix decides the type of a tuple's component, or of all.
  bool has_untyped_part(const Expression& expression, const Environment& environment);
  /// The type, and what it would be with literals of other scalar types.
  std::vector<ir::Type> possible_types(const Expression& expression, const Environment& environment,
                                       ir::Type type, const std::vector<Scalar>& scalars);
  /// The type of what a reduction, scan or iterate starts from, if literals are part of it: the first one,
  /// `expected` before others, that the function keeps. Empty for scalars, and where there is none.
  ir::Type type_of_start(ir::Op op, const std::vector<arith::Expr>& sizes, const Arguments& arguments,
                         ir::Term array, ir::Type expected, const Location& place);
  /// A scalar to start from where the elements are vectors: repeated, if the function asks for it.
  ir::Term widened_start(Argument& function, ir::Term start, ir::Type element, const Location& place);

  // ---- Iteration: iteration.cpp.
  /// iterate and iterateWhile: the forms that their function and number of steps may have.
  ir::Term apply_iteration(ir::Op op, Arguments arguments, const Location& place, ir::Type expected);
  /// An i32: the size, where there is one, else the value of the argument. `what` is its name in errors.
  ir::Term whole_number(Argument& count, arith::Expr size, std::string_view what, const Location& place);
  /// A function of the step's number and the state, from one that may leave out the number.
  ir::Term step_function(const Function& callee, ir::Type state, bool takes_number);

  const Source& source_;
  const Globals& globals_;
  Diagnostics& diagnostics_;
  Anchor* anchor_ = nullptr;
  std::size_t steps_ = 0;
  int depth_ = 0;
  // Elaborated things refer to each other freely and live as long as this.
  std::deque<Binding> bindings_;
  std::deque<Argument> arguments_;
  std::deque<Function> functions_;
  std::deque<Expansion> expansions_;
  std::unordered_map<const ir::TermNode*, std::size_t> depths_;
  std::unordered_map<const ir::TypeNode*, std::size_t> weights_;
  std::unordered_map<const arith::Node*, std::size_t> size_weights_;
  std::unordered_map<std::string_view, std::int64_t> launched_;  ///< ?name@16, by name
};

/// Counts one expression against the limits while it is elaborated.
class Elaborator::LimitGuard {
 public:
  LimitGuard(Elaborator& elaborator, const Location& place);
  ~LimitGuard() { --elaborator_.depth_; }
  LimitGuard(const LimitGuard&) = delete;
  LimitGuard& operator=(const LimitGuard&) = delete;

 private:
  Elaborator& elaborator_;
};

/// Makes a new anchor the current one.
class Elaborator::AnchorScope {
 public:
  explicit AnchorScope(Elaborator& elaborator) : elaborator_(elaborator), previous_(elaborator.anchor_) {
    elaborator.anchor_ = &anchor_;
  }
  ~AnchorScope() { elaborator_.anchor_ = previous_; }
  AnchorScope(const AnchorScope&) = delete;
  AnchorScope& operator=(const AnchorScope&) = delete;
  /// The body with what it shares bound around it.
  ir::Term close(ir::Term body) const { return elaborator_.close(anchor_, body); }

 private:
  Elaborator& elaborator_;
  Anchor anchor_;
  Anchor* previous_;
};

template <class Make>
ir::Term Elaborator::make(const Location& place, Make&& maker) {
  const auto result = catch_failure([&] { return maker(); });
  if (!result) {
    report(place, result.error());
    return {};
  }
  check_limits(place, *result);
  return *result;
}

}  // namespace hoist::lang
