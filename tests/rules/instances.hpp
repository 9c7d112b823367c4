#pragma once
// Random programs in which a given rule fires: an instance of its left side, of random types, with random
// functions, in a random place.
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "rewrite/rule.hpp"

namespace hoist::testing_support {

class Instances {
 public:
  explicit Instances(std::uint64_t seed) : random_(seed) {}

  /// A program with size variables. Throws Failure where the types drawn do not fit together.
  ir::Program program(const rewrite::Rule& rule);
  std::size_t below(std::size_t n) { return random_() % n; }

 private:
  bool chance(double probability) { return static_cast<double>(below(1000)) < probability * 1000; }
  ir::Type element();
  ir::Term parameter(ir::Type type);
  ir::Term value(ir::Type type, int fuel);
  ir::Term scalar_value(Scalar scalar, int fuel);
  ir::Term array_value(ir::Type type, int fuel);
  ir::Term literal(Scalar scalar);
  static ir::Term literal_index();
  ir::Term function(ir::Type type);
  ir::Term permutation(arith::Expr length);
  ir::Term inside(ir::Type parameter, const std::function<ir::Term()>& body);
  void fill(const rewrite::Rule& rule, rewrite::Bindings& bindings, const std::vector<ir::Type>& types);
  void fill_operator(const rewrite::Rule& rule, rewrite::Bindings& bindings,
                     const std::vector<ir::Type>& types);

  std::mt19937_64 random_;
  std::vector<ir::Term> parameters_;  ///< of the program
  std::vector<ir::Term> scope_;       ///< variables that values may use
  int sizes_ = 0;
};

}  // namespace hoist::testing_support
