#pragma once
// What may be tuned: parameters, constraints between them, and the points that satisfy all. A space is never
// listed to be counted: each parameter's values are made from those chosen before it (the divisors of what it
// must divide), and parts that depend on the same choices are counted once.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "arith/expr.hpp"
#include "base/error.hpp"
#include "space/formula.hpp"
#include "space/frontier.hpp"

namespace hoist::space {

/// The values of all parameters, in their order.
using Point = std::vector<std::int64_t>;

/// Different numbers below `all`, each as likely as any other; all of them where `wanted` is not less. The
/// same everywhere.
std::vector<std::uint64_t> sample_ranks(std::uint64_t all, std::size_t wanted, std::uint64_t seed);

/// Lives no longer than the arena of its constraints' expressions.
class Space {
 public:
  /// User error when a constraint mentions what is no parameter.
  static Result<Space> make(std::vector<Parameter> parameters, std::vector<Constraint> constraints);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  /// How many points there are; 2^64 - 1 stands for all that is more.
  std::uint64_t count() const;
  /// The point of a rank below count(). Ranks are the same in every run.
  Point at(std::uint64_t rank) const;
  /// The rank of a point; nothing where it is none of the space.
  std::optional<std::uint64_t> rank(const Point& point) const;
  /// Calls fn for every point by rank, until it gives false.
  void for_each(const std::function<bool(const Point&)>& fn) const;
  /// Different ranks, each as likely as any other; all of them where `wanted` is not less than count().
  std::vector<std::uint64_t> sample(std::size_t wanted, std::uint64_t seed) const;
  /// Points in which one parameter has the next smaller or larger value that any point has. The others keep
  /// theirs; where they cannot, they have values near to them.
  std::vector<Point> neighbours(const Point& point) const;
  /// The constraint that left nothing, in a space without points.
  std::string emptied_by() const;

 private:
  using Slots = Frontier::Slots;
  using State = std::vector<std::int64_t>;
  struct HashOfState {
    std::size_t operator()(const State& state) const;
  };
  /// How many points there are behind states.
  struct Counts {
    std::unordered_map<State, std::uint64_t, HashOfState> by_state;
    std::size_t found = 0;  ///< how often one came again
    State state;            ///< the one that is looked at: its memory is used again
  };

  void order();
  void find_divisors();
  void find_dividend(const Requirement& requirement, std::size_t place);
  /// Puts each value that the parameter at a place may have, by what was chosen before, into its slot.
  template <class Fn>
  void for_each_value(Slots& slots, std::size_t place, const Fn& fn) const;
  template <class Fn>
  void for_each_within(const Domain& domain, std::int64_t multiple, const Fn& fn) const;
  std::int64_t multiple(const Slots& slots, std::size_t place) const;
  bool is_allowed(const Slots& slots, std::size_t place) const;
  std::uint64_t count_behind(Slots& slots, std::size_t place) const;
  std::uint64_t count_values(Slots& slots, std::size_t place) const;
  bool visit(Slots& slots, std::size_t place, const std::function<bool(const Point&)>& fn) const;
  std::optional<Point> nearest(const Point& point, std::size_t fixed, std::int64_t value) const;
  bool complete(const Point& wanted, std::size_t fixed, Slots& slots, std::size_t place,
                std::size_t& attempts) const;
  bool holds(const Point& point) const;

  std::vector<Parameter> parameters_;
  std::vector<arith::Expr> variables_;
  std::vector<Constraint> constraints_;
  std::vector<Comparison> comparisons_;                   ///< the constraints, to be evaluated
  Requirements requirements_;                             ///< the same in the form that counting takes
  std::vector<std::size_t> order_;                        ///< in which parameters are chosen
  std::vector<Frontier> frontiers_;                       ///< by place: before its parameter is chosen
  std::vector<std::vector<std::size_t>> decided_at_;      ///< by place: the requirements that it decides
  std::vector<std::vector<std::size_t>> constraints_at_;  ///< the same of the constraints
  std::vector<std::vector<Monomial>> divisors_;  ///< by place: what its parameter must divide above the line
  std::vector<std::vector<Formula>> dividends_;  ///< the same of general requirements
  mutable std::vector<Counts> counts_;           ///< by place
};

}  // namespace hoist::space
