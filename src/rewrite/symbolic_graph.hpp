#pragma once
// Expressions of inputs' elements as nodes of a graph in which equal ones are one (hash-consing). Operations
// on known numbers are done, and those that do nothing left out.
#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "base/scalar.hpp"

namespace hoist::rewrite {

/// A node of the graph.
using SymbolicNumber = std::uint32_t;

struct SymbolicNode {
  /// An element of an input, or a scalar that is an input.
  struct Element {
    std::uint32_t input = 0;            ///< which parameter of the program
    std::uint32_t leaf = 0;             ///< which of its arrays (`ir::leaves`)
    std::vector<std::int64_t> indices;  ///< outermost first; vectors' components count as elements
    auto operator<=>(const Element&) const = default;
  };
  struct Operation {
    ScalarOp op;
    std::vector<SymbolicNumber> operands;
  };
  struct Conversion {
    SymbolicNumber operand;
  };
  /// What stands for an element beyond an array's end: another element of it.
  struct Outside {
    SymbolicNumber operand;
  };
  std::variant<ScalarValue, Element, Operation, Conversion, Outside> content;
  Scalar type;
};

class SymbolicGraph {
 public:
  SymbolicNumber constant(const ScalarValue& value);
  SymbolicNumber element(SymbolicNode::Element element, Scalar type);
  /// A fused multiply-add becomes its two operations.
  SymbolicNumber operation(ScalarOp op, const std::vector<SymbolicNumber>& operands);
  SymbolicNumber conversion(Scalar to, SymbolicNumber operand);
  /// Known numbers stay as they are.
  SymbolicNumber outside(SymbolicNumber operand);

  const SymbolicNode& node(SymbolicNumber number) const { return nodes_[number]; }
  /// The value of a number that depends on no input.
  std::optional<ScalarValue> known(SymbolicNumber number) const;
  /// The nodes that these are made of, themselves too; each once.
  std::vector<SymbolicNumber> reachable(const std::vector<SymbolicNumber>& from) const;

 private:
  /// What tells nodes apart: their kind, and what they are made of.
  using Key = std::vector<std::int64_t>;
  SymbolicNumber made(Key key, SymbolicNode node);
  bool is_known(SymbolicNumber number, double value) const;

  std::deque<SymbolicNode> nodes_;
  std::map<Key, SymbolicNumber> numbers_;
};

}  // namespace hoist::rewrite
