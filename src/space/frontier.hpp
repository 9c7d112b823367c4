#pragma once
// What choices leave to those after them. Two partial choices of equal states have the same continuations, so
// that one of them is counted; one without any is found before all parameters are chosen.
#include <vector>

#include "space/formula.hpp"
#include "space/requirement.hpp"

namespace hoist::space {

/// The frontier at one place in the order of choices: between the parameters that are chosen before it and
/// the others.
class Frontier {
 public:
  using Slots = std::vector<std::int64_t>;  ///< values by parameter; of those not chosen yet anything

  /// The frontier of the requirements that the chosen parameters (by number) take part in but do not decide.
  Frontier(const Requirements& requirements, const std::vector<Constraint>& constraints,
           const std::vector<arith::Expr>& variables, const std::vector<bool>& is_chosen);

  /// Writes the state; false where nothing can follow.
  bool state(const Slots& slots, std::vector<std::int64_t>& state) const;

 private:
  /// Terms whose open factors are the same.
  struct Group {
    std::vector<Monomial> chosen;  ///< their other factors
    double least = 1, most = 1;    ///< of the open ones
  };
  struct Sum {
    std::vector<Monomial> decided;
    std::vector<Group> groups;
    std::int64_t least, most;
    bool has_one_factor;                  ///< open, of all terms, that is an integer: its bounds say all
    std::vector<std::size_t> parameters;  ///< that are chosen
  };
  struct Division {
    Monomial chosen;
    bool may_multiply, may_divide;        ///< what is open
    std::vector<std::size_t> parameters;  ///< that are chosen
  };

  void add_sum(const Requirement& requirement, const std::vector<Domain>& domains,
               const std::vector<bool>& is_chosen);
  static bool state_of(const Division& division, const Slots& slots, std::vector<std::int64_t>& state);
  static bool state_of(const Sum& sum, const Slots& slots, std::vector<std::int64_t>& state);

  std::vector<Division> divisions_;
  std::vector<Sum> sums_;
  std::vector<Formula> formulas_;  ///< all that general constraints ask of what is chosen
};

/// The logarithm of about how many states there are, by how many values each parameter has: what makes one
/// order of choices better than another.
double frontier_size(const Requirements& requirements, const std::vector<bool>& is_chosen,
                     const std::vector<double>& values);

/// Whether a requirement all of whose parameters are chosen is met. Not for general ones.
bool is_met(const Requirement& requirement, const Frontier::Slots& slots);

}  // namespace hoist::space
