#pragma once
// Which sizes the shapes of given arrays tell.
//
// Each extent of an input's type is an expression of sizes, each shape that is given has a number for it:
// f(x: [N]f32, y: [2 * N]f32) with an x of 4 elements says N = 4. An equation with one variable left open is
// solved for it; its value is put into the others, until nothing new follows. Then all must hold.
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "driver/compile.hpp"
#include "ir/term.hpp"

namespace hoist::driver {

/// The shape of an array that is given for an input, beside that which the input's type asks.
struct ShapeFact {
  std::string input;   ///< "x", "bodies.1"
  std::string holder;  ///< what has the shape, as messages call it: "x.npy", "the array given for it"
  std::string given;   ///< the same with its shape: "x.npy of shape (4,)"
  ir::Type type;
  std::vector<arith::Expr> wanted;
  std::vector<std::int64_t> found;           ///< as many as `wanted`
  std::optional<Span> place = std::nullopt;  ///< of the input in the program's text, for messages
};

class SizeInference {
 public:
  /// How a size or tuning parameter is given by the one who reads the message: "give it as N=1024", of a name
  /// and a value that would do.
  using Advice = std::function<std::string(const std::string& name, std::int64_t example)>;

  SizeInference(const ir::Program& program, Advice advice) : program_(program), advice_(std::move(advice)) {}

  void give(const std::string& name, std::int64_t value);
  /// Tuning parameters that nothing tells are none of the result, in place of an error.
  void leave_parameters_open() { leaves_parameters_open_ = true; }
  void add_shape(ShapeFact fact) { facts_.push_back(std::move(fact)); }
  /// Every size variable's value, and the tuning parameters given, in the program's order. User errors:
  /// shapes that contradict each other or a given size (names both), a size that nothing tells.
  Result<NamedSizes> solve() const;

 private:
  struct Known {
    std::int64_t value;
    std::string origin;  ///< "N=4 is given", "x: [N]f32 is given as x.npy of shape (4,)"
  };
  using KnownSizes = std::map<std::string, Known>;

  /// The variables whose values may be known: sizes, then tuning parameters.
  std::vector<arith::Expr> variables() const;
  arith::Substitution values_of(const KnownSizes& known) const;
  /// Adds what one equation after the other tells.
  void infer(KnownSizes& known) const;
  [[noreturn]] void throw_contradiction(const KnownSizes& known, const ShapeFact& fact,
                                        std::size_t dimension) const;
  Diagnostic missing(arith::Expr variable) const;

  const ir::Program& program_;
  Advice advice_;
  NamedSizes given_;
  bool leaves_parameters_open_ = false;
  std::vector<ShapeFact> facts_;
};

}  // namespace hoist::driver
