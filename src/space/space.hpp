#pragma once
// What may be tuned: parameters, constraints between them, and the points that satisfy all. A space is never listed to be
// counted: each parameter's values are made from those chosen before it (the divisors of what it must divide), and parts that
// depend on the same choices are counted once.
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arith/expr.hpp"
#include "base/error.hpp"
#include "space/formula.hpp"

namespace hoist::space {

/// A natural number to be chosen.
struct Parameter {
  std::string name;
  std::int64_t least = 1, most = 1024;
  bool is_power_of_two = false;
};

/// What a choice must satisfy; over parameters alone, sizes being constants.
struct Constraint {
  arith::Predicate predicate;
  std::string message;  ///< "split: ?t must divide 1024"
};

/// The values of all parameters, in their order.
using Point = std::vector<std::int64_t>;

/// Different numbers below `all`, each as likely as any other; all of them where `wanted` is not less. The same everywhere.
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
  /// Points that differ in one parameter, which has the next smaller or larger value that leaves a point.
  std::vector<Point> neighbours(const Point& point) const;
  /// Of a space without points: the constraint that left nothing.
  std::string emptied_by() const;

 private:
  using Prefix = std::vector<std::int64_t>;  // by order_, those chosen so far

  void order();
  void find_probes();
  std::vector<std::int64_t> values(const Prefix& prefix, std::size_t* refused_by = nullptr) const;
  void find_divisions();
  const std::vector<std::int64_t>* divisors_for(const std::vector<std::int64_t>& slots, std::size_t place) const;
  /// By parameter; those not chosen yet are 0.
  std::vector<std::int64_t> slots(const Prefix& prefix) const;
  std::uint64_t count_behind(const Prefix& prefix) const;
  std::uint64_t count_values(const Prefix& prefix) const;
  bool visit(Prefix& prefix, const std::function<bool(const Point&)>& fn) const;
  Point point_of(const Prefix& prefix) const;

  std::vector<Parameter> parameters_;
  std::vector<arith::Expr> variables_;
  std::vector<Constraint> constraints_;
  std::vector<Comparison> comparisons_;  ///< the constraints, to be evaluated
  std::vector<std::size_t> order_;                      ///< in which parameters are chosen
  std::vector<std::vector<std::size_t>> checked_at_;    ///< by place in the order: constraints that are decided there
  std::vector<std::vector<std::size_t>> left_to_check_;  ///< the same without those that dividing values satisfy
  std::vector<std::vector<Formula>> divisions_;          ///< by place: what the parameter there must divide
  std::vector<std::vector<Formula>> probes_;        ///< by place: all that later constraints ask of earlier choices
  mutable std::vector<std::map<std::vector<std::int64_t>, std::uint64_t>> counts_;  ///< by place and the probes' values
};

}  // namespace hoist::space
