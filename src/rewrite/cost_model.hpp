#pragma once
// What the default mapping knows of terms when it decides what to store: on which functions' parameters they
// depend, how many values they take, and what an element of them costs to compute.
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/term.hpp"
#include "rewrite/demand.hpp"

namespace hoist::rewrite {

constexpr double load_cost = 8;  ///< of an element that a cache holds, in simple scalar operations

class CostModel {
 public:
  using Binders = std::unordered_set<ir::Term>;

  /// What is known of a variable that a function, a let or this pass binds.
  struct Variable {
    Binders depends_on;        ///< variables of functions, itself included
    std::vector<double> cost;  ///< of an element, for each component where elements are tuples
    double extent = 1;  ///< how many values a function's parameter takes for each of those that it depends on
    bool is_state = false;  ///< an accumulator or the like: what depends on it cannot be computed before
    Demand demand = {};
    double items = 0;  ///< work-items that use it
  };

  const Binders& dependences(ir::Term term);
  /// How many different values a term takes.
  double distinct(ir::Term term);
  bool depends_on_state(ir::Term term);
  /// What computing one element of the term costs where nothing of it is stored.
  double cost(ir::Term term);
  /// The same where what the term's variables stand for is stored.
  double own_cost(ir::Term term);
  std::vector<double> costs_of_components(ir::Term term);
  /// How many elements a reduction or scan goes through; of a range, half of those that there are.
  static double combined(const ir::Call& fold);
  /// How often iterateWhile may step; a number that only the data say is taken for what sizes that are not
  /// given are.
  static double most_steps(const ir::Call& call);

  std::unordered_map<ir::Term, Variable>
      variables;  ///< those that are bound around the terms that are asked of

 private:
  double computed_cost(ir::Term term);
  double cost_of_body(ir::Term lambda, const std::vector<Variable>& parameters);
  double cost_of_call(const ir::Call& call);

  std::unordered_map<ir::Term, Binders> dependences_;
  std::unordered_map<ir::Term, double> costs_, own_costs_;
  bool variables_are_stored_ = false;  ///< as own_cost sees them
};

}  // namespace hoist::rewrite
