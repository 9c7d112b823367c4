#pragma once
// The sizes of a program as numbers. Most are known before it runs; those that mention the size of an
// iterate's function change with each iteration.
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "arith/expr.hpp"
#include "ir/term.hpp"

namespace hoist::interpret {

using SizeSlot = std::uint32_t;

/// What a size is for: the extent of an array must not be negative.
enum class SizeUse : std::uint8_t { Extent, Number };

class SizeTable {
 public:
  SizeTable() = default;
  explicit SizeTable(arith::Bindings bindings) : bindings_(std::move(bindings)) {}

  /// The slot of an expression. User errors: an unbound size, an open tuning parameter, an expression without
  /// a value, a negative extent; where the expression changes, when it gets its values.
  SizeSlot slot(arith::Expr size, SizeUse use);
  std::int64_t operator[](SizeSlot slot) const { return values_[slot]; }

  /// Declares that `variable` gets its values while the program runs, one iteration after the other.
  void declare(arith::Expr variable);
  bool is_declared(arith::Expr variable) const { return iterated_.contains(variable.get()); }
  /// Its current value, if it has one.
  std::optional<std::int64_t> current(arith::Expr variable) const;
  /// Gives it a value, or with nullopt takes it away; everything that mentions it follows.
  void bind(arith::Expr variable, std::optional<std::int64_t> value);

  /// A User error unless the assumption holds. Those that mention a variable without a value yet are checked
  /// whenever it changes.
  void require(const ir::SizeAssumption& assumption);

  /// "M = 4, N = 10": the variables of the expressions with their values.
  std::string describe(const std::vector<arith::Expr>& expressions) const;

 private:
  struct Entry {
    arith::Expr size;
    SizeUse use;
    bool changes;
  };
  struct Iterated {
    std::vector<SizeSlot> dependents;
    std::vector<std::size_t> assumptions;
  };
  /// Whether every variable that changes has a value now.
  bool is_settled(const std::vector<arith::Expr>& variables) const;
  /// Whether it has a value: numbers that kernels learn at their launch have theirs.
  bool is_bound(arith::Expr variable) const;
  std::int64_t value_of(arith::Expr size, SizeUse use) const;
  void check(const ir::SizeAssumption& assumption) const;
  void check_bound(const std::vector<arith::Expr>& variables) const;

  arith::Bindings bindings_;
  std::vector<Entry> entries_;
  std::vector<std::int64_t> values_;
  std::unordered_map<const arith::Node*, SizeSlot> slots_[2];  ///< by SizeUse
  std::unordered_map<const arith::Node*, Iterated> iterated_;
  std::vector<ir::SizeAssumption> changing_assumptions_;
};

}  // namespace hoist::interpret
