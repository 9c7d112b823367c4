#pragma once
// The constraints of a space in three forms, of which counting knows what a partial choice leaves open.
#include <cstdint>
#include <limits>
#include <vector>

#include "space/monomial.hpp"
#include "space/parameter.hpp"

namespace hoist::space {

struct Requirement {
  enum class Form : std::uint8_t {
    Integer,  ///< the only term is an integer: something divides something
    Bounded,  ///< the sum of the terms, all positive, is within bounds
    General   ///< what neither says: the constraint as it was given
  };
  static constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();

  Form form = Form::General;
  std::vector<Monomial> terms;
  std::int64_t least = 0, most = unbounded;  ///< of a sum; least 0 is no bound
  std::size_t constraint = 0;                ///< of General: which
  std::vector<std::size_t> parameters;       ///< that it is about
};

/// What a parameter may be at all.
struct Domain {
  std::int64_t least = 1, most = 1024;
  std::int64_t multiple = 0;  ///< that it must divide; 0: none is known
  bool is_power_of_two = false;
};

/// The least or the most that it may be.
double extreme(const Monomial& term, bool is_least, const std::vector<Domain>& domains);

struct Requirements {
  std::vector<Requirement> list;
  std::vector<Domain> domains;  ///< by parameter
};

/// The same points as the constraints leave: divisions that follow from others are left out, and parameters
/// bounded by what all others allow them.
Requirements requirements_of(const std::vector<Parameter>& parameters,
                             const std::vector<Constraint>& constraints,
                             const std::vector<arith::Expr>& variables);

}  // namespace hoist::space
