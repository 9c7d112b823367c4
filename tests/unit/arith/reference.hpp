#pragma once
// Expression trees that nothing simplifies, random ones and their meaning: what the simplifier is held
// against.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "arith/expr.hpp"

namespace hoist::arith::reference {

struct Tree;
using TreePtr = std::shared_ptr<const Tree>;

/// A Variable's value is its place in the world; a Conditional has {left, right, then, else}.
struct Tree {
  Kind kind = Kind::Constant;
  std::int64_t value = 0;
  Relation relation = Relation::Less;
  std::vector<TreePtr> operands;
};

/// One value for each variable, within its range; none where the range is empty.
using Values = std::vector<std::optional<std::int64_t>>;

/// Variables with ranges over each other, and all their values that are tried.
class World {
 public:
  World();
  std::size_t variable_count() const { return variables_.size(); }
  Expr variable(std::size_t at) const { return variables_[at].expr; }
  const std::string& name(std::size_t at) const { return variables_[at].name; }
  Values random_values(std::mt19937_64& random) const;
  Bindings bindings(const Values& values) const;

 private:
  struct Entry {
    std::string name;
    Expr expr;
    std::int64_t lowest, highest;  ///< tried where the variable has no range of its own
  };
  std::vector<Entry> variables_;
};

TreePtr random_tree(const World& world, std::mt19937_64& random, int depth);
/// The same tree with constants near the ends of the 64-bit range in place of some.
TreePtr with_huge_constants(const TreePtr& tree, std::mt19937_64& random);
/// C's meaning; empty where it has none, or where a variable has none.
std::optional<std::int64_t> evaluate(const Tree& tree, const Values& values);
/// The canonical expression, made bottom-up by the public functions.
Expr build(const Tree& tree, const World& world);
/// Fully parenthesised.
std::string to_string(const Tree& tree, const World& world);

/// 100,000 and more where HOIST_SLOW is set, else `ordinary`.
int repetitions(int ordinary, int slow);

}  // namespace hoist::arith::reference
