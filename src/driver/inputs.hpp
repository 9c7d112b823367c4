#pragma once
// Inputs for a program: random ones that are the same everywhere, and sizes as bindings.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/tensor.hpp"
#include "driver/compile.hpp"
#include "ir/term.hpp"

namespace hoist::driver {

/// What random elements are taken from: low <= element < high, for integers too.
struct InputRange {
  double low = -1;
  double high = 1;
  double diagonal =
      0;  ///< added to the diagonal of a matrix of floats: what is solved with it is well-conditioned
};

/// One leaf of a type: the component that the name "x.1.0" means of an input x.
struct NamedLeaf {
  std::string path;  ///< "" for the leaf of a type without tuples, else ".1.0"
  ir::Type type;     ///< array of scalars or vectors, a scalar or a vector
};
/// In the order of ir::leaves.
std::vector<NamedLeaf> named_leaves(ir::Type type);

/// The values of the program's sizes and tuning parameters that `values` names; others of its names are left
/// out.
arith::Bindings bindings_of(const ir::Program& program, const NamedSizes& values);

/// The leaf number `leaf` of an input: random_input is these together. Without a range floats are from -1 to
/// 1, integers from -8 to 15 (unsigned ones from 0), u8 and bool take all their values. User errors: a size
/// without a value, an empty range, a range of bools, one that the type does not hold.
Result<Tensor> random_leaf(ir::Type leaf_type, std::size_t leaf, const arith::Bindings& sizes,
                           std::uint64_t seed, const std::optional<InputRange>& range = {});
Result<Data> random_input(ir::Type type, const arith::Bindings& sizes, std::uint64_t seed,
                          const std::optional<InputRange>& range = {});
/// One Data per parameter, each from a seed of its own (input_seed); `ranges` by the names of parameters.
Result<std::vector<Data>> random_inputs(const ir::Program& program, const arith::Bindings& sizes,
                                        std::uint64_t seed,
                                        const std::map<std::string, InputRange>& ranges = {});
/// For a program whose sizes are smaller than those that the inputs are for: of every array the elements that
/// come first in each dimension. Integers may be indices, and are reduced modulo `index_limit`.
Result<std::vector<Data>> smaller_inputs(const std::vector<Data>& inputs, const ir::Program& sized,
                                         std::int64_t index_limit);
/// The seed that random_inputs takes for the parameter at `position`.
std::uint64_t input_seed(std::uint64_t seed, std::size_t position);

}  // namespace hoist::driver
