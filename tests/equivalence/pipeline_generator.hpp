#pragma once
// The generator behind random_pipeline.hpp. It makes expressions of a wanted type out of the variables in
// scope, in both languages at once.
//
//   random_pipeline.cpp  the forms that whole programs have
//   random_values.cpp    scope, functions, scalars and tuples
//   random_arrays.cpp    maps, layouts and what else gives an array
//   random_loops.cpp     reductions, scans and iterations: what carries a state from step to step
//
// Three bounds keep a program small: `fuel` says how deep expressions nest, runs_ how often what is made is
// computed, size_ how long the text is.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "equivalence/random_choices.hpp"
#include "equivalence/random_code.hpp"
#include "equivalence/random_pipeline.hpp"

namespace hoist::testing_support {

class PipelineGenerator : RandomChoices {
 public:
  explicit PipelineGenerator(std::uint64_t seed);

  RandomPipeline program();

 private:
  struct Variable {
    std::string name;
    Type type;
  };
  using Body = std::function<Code()>;

  // ---- random_pipeline.cpp
  Type result_of_stages();
  Type result_of_long_rows();
  Code body_of(const Type& result);
  /// A chain of lets, each a stage over the one before.
  Code stages(const Type& result, int left);
  Code after_iteration(const Type& result);
  /// Each row of an array of few, long rows by a function of the row.
  Code of_long_rows(const Type& result);
  /// The same with the work-items that compute each row said in the text.
  Code mapped_by_hand(const Type& result);
  Code of_row(const Code& row, const Type& type, int left);
  /// A number that is computed once for the row, by a pattern that runs in order.
  Code of_whole_row(const Code& row, const Type& type, Scalar wanted);
  Code in_order(const Code& row, const Type& type);

  // ---- random_values.cpp
  int small_extent() { return pick({1, 2, 3, 4, 5, 7, 8}); }
  int some_extent();
  Scalar some_integer();
  Type some_scalar();
  Type some_element();
  Type some_array() { return some_array(some_extent()); }
  Type some_array(int extent) { return array_of(extent, some_element()); }
  Type some_vector(int extent) { return array_of(extent, some_scalar()); }

  bool is_exhausted(int fuel) const { return fuel <= 0 || size_ > 80 || runs_ > 8'000; }
  /// What runs `times` as often as what is around it.
  Code repeated(double times, const Body& body);
  std::optional<Code> variable(const Type& type);
  /// How the parameters of a function are written.
  enum class Parameters {
    Plain,  ///< names; tuples are taken apart now and then
    Typed,  ///< arrays with their types
    Apart,  ///< pairs taken apart always, as beside the number of a step
  };
  /// A function of values of these types. In Python tuples are taken apart by a function inside.
  Code lambda(const std::vector<Type>& parameters, const Body& body, Parameters how = Parameters::Plain);
  /// `body` gets the name.
  static Code named(const std::string& name, const Code& value, const std::function<Code(const Code&)>& body);
  /// A variable of the type in scope of what `body` makes.
  Code let(const Type& type, const Code& value, const Body& body);

  Code literal(Scalar type);
  Code scalar(Scalar type, int fuel);
  Code arithmetic(Scalar type, int fuel);
  /// Anything but zero; -1 included.
  Code divisor(Scalar type, int fuel);
  Code truth(int fuel);
  /// An i32 that is any number, one among 0 to n - 1, or a literal of those.
  Code index(int fuel);
  Code index_inside(int n, int fuel);
  Code value(const Type& type, int fuel);
  Code choice(const Type& type, int fuel);
  Code component(const Type& type, int fuel);
  Code element_of(const Type& type, int fuel);
  /// The same, where a condition guards an index that may be any number.
  Code element_if_inside(const Type& type, int fuel);
  Code tuple(const Type& type, int fuel);

  // ---- random_arrays.cpp
  Code array(const Type& type, int fuel);
  Code generate(const Type& type, int fuel);
  Code map(const Code& source, const Type& element, int n, const Type& result, int fuel);
  /// A layout pattern with arguments that are the same in both languages; in Python it has the pattern's
  /// name.
  static Code layout(const Code& source, const std::string& pattern, const std::string& arguments = {});
  /// Gather or scatter by an expression in `i`.
  static Code reordered(const Code& source, const std::string& pattern, const std::string& index);
  Code padded(const Code& source, int left, int right);
  Code zip(int n, const Type& first, const Type& second, int fuel);
  /// One pattern around smaller expressions; nothing where the pattern drawn cannot make this type.
  std::optional<Code> pattern(const Type& type, int fuel);
  std::optional<Code> layout_pattern(const Type& type, int fuel);
  /// Windows, and what is made of each.
  std::optional<Code> neighbourhoods(const Type& type, int fuel);
  /// Patterns by which elements change places, or meet, as the data say.
  Code updated(const Type& type, int fuel);
  Code ranged_map(const Type& type, int fuel);
  Code scattered(const Type& type, int fuel);
  Code filtered(const Type& type, int fuel);
  Code keyed(const Type& type, int fuel);

  // ---- random_loops.cpp
  /// The function of a reduction or scan, which is applied so many times.
  Code step(const Type& state, const Type& element, int times, int fuel);
  /// An operator that Hoist knows to be associative, or is told so, with a state to start from; nothing for
  /// states that have none here.
  std::optional<std::pair<Code, Code>> known_operator(const Type& state, bool has_neutral_start);
  /// Some array combined into a `state`.
  Code reduction(const Type& state, int fuel);
  Code reduction(const Type& state, const Type& source, int fuel);
  Code reduced(const Code& from, const Code& operation, const Code& start, int n);
  Code scan(const Code& source, const Type& element, int n, const Type& state, int fuel);
  std::optional<Code> scan_of_part(const Type& type, int fuel);
  /// A function of one or two stages again and again. The length of what is iterated on has a name of its
  /// own, so the stages keep any length.
  Code iterated(const Type& type, int fuel);
  Code iterated_stage(const Code& source, const Type& type);
  /// An iteration of any state by any function of it, with the number of the step or without, counted by a
  /// size or a number, ended by the data or not.
  Code iterated_state(const Type& state, int fuel);
  /// The condition under which an iteration over the state goes on.
  Code goes_on(const Type& state);
  /// The first component of a state with more parts.
  Code iterated_part(const Type& type, int fuel);

  std::string name_;
  Scalar integer_ = Scalar::I32;
  int length_ = 1;
  std::vector<Variable> scope_;
  double runs_ = 1;
  int size_ = 0;
};

}  // namespace hoist::testing_support
