#pragma once
// Which sizes the shapes of given arrays tell.
#include <string>
#include <vector>

#include "base/error.hpp"
#include "ir/term.hpp"
#include "driver/compile.hpp"

namespace hoist::cli {

/// The shape of an array in a file beside that which an input's type asks.
struct ShapeFact {
  std::string input;  ///< "x", "bodies.1"
  std::string path;
  ir::Type type;
  std::vector<arith::Expr> wanted;
  std::vector<std::int64_t> found;  ///< as many as `wanted`
};

/// Solves the equations between sizes and shapes, one variable after the other.
class SizeInference {
 public:
  explicit SizeInference(const ir::Program& program) : program_(program) {}

  void give(const std::string& name, std::int64_t value);
  void add_shape(ShapeFact fact) { facts_.push_back(std::move(fact)); }
  /// Every size variable's value, and the tuning parameters given, in the program's order. Throws Failure:
  /// shapes that contradict each other or a given size (names both), a size that nothing tells.
  driver::NamedSizes solve() const;

 private:
  struct Known {
    std::int64_t value;
    std::string origin;  ///< "N=4 on the command line", "x.npy has 4 elements in dimension 0 of x: [N]f32"
  };
  const ir::Program& program_;
  driver::NamedSizes given_;
  std::vector<ShapeFact> facts_;
};

}  // namespace hoist::cli
