#pragma once
// Elements of a program's result, evaluated one by one with the elements of its inputs as symbols: what comes
// out is the expression of inputs' elements that an element of the result is. Nothing is computed that is not
// asked for, so that large arrays cost nothing.
//
//   u |> pad(1, 1, clamp) |> slide(3, 1) |> map(w => 0.5 * w[0] + 0.5 * w[2])      at 7
//   add(mul(0.5, u[6]), mul(0.5, u[8]))
#include <memory>
#include <string>
#include <vector>

#include "ir/term.hpp"
#include "rewrite/symbolic_graph.hpp"

namespace hoist::rewrite {

/// Why an element has no expression; thrown.
struct NoExpression {
  enum class Kind : std::uint8_t {
    DependsOnData,  ///< an element is read at an index that depends on data
    Sequential,     ///< a pattern combines all elements, or takes steps whose number is not known
    UnknownSize,    ///< a size is left open
    TooLarge,       ///< evaluating it takes too long
  };
  Kind kind;
  std::string reason;  ///< a sentence without its full stop
};

class SymbolicElements {
 public:
  explicit SymbolicElements(ir::Program program);
  ~SymbolicElements();
  SymbolicElements(const SymbolicElements&) = delete;
  SymbolicElements& operator=(const SymbolicElements&) = delete;

  struct Read {
    std::vector<SymbolicNumber> numbers;  ///< one; of an element that is a tuple or a vector several
    /// Whether a value was asked for that stands for what is outside of an array. It may have no part in the
    /// numbers: rules fill up what is summed by zeros.
    bool touches_filler = false;
  };
  /// An element of the result, which is an array of as many dimensions as there are indices. Throws
  /// NoExpression.
  Read element(const std::vector<std::int64_t>& place);

  const SymbolicGraph& graph() const;

 private:
  class Evaluator;
  std::unique_ptr<Evaluator> evaluator_;
};

}  // namespace hoist::rewrite
