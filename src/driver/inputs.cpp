// Makes inputs for programs that nobody gave any: random ones, the same on every machine for the same seed,
// so that whoever reports a fault names a number instead of sending arrays.
//
// An input's type is flattened into leaves, its arrays without tuples: `bodies: [N](f32, f32)` has the
// leaves bodies.0 and bodies.1, each [N]f32 (`named_leaves`). Each leaf is drawn from a seed of its own,
// made of the user's seed, the input's position (`input_seed`) and the leaf's number, so that a leaf that is
// drawn alone has the elements that it has among the others.
//
// Read `random_inputs`, `random_input` and `random_leaf`, which go from a program to a leaf. A range, where
// one is given, is checked against the element type (`random_range`). `smaller_inputs` cuts inputs down for
// the same program with smaller sizes: a verification that takes too long at the full sizes is done there.
#include "driver/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/need.hpp"
#include "interpret/random.hpp"

namespace hoist::driver {

namespace {

/// The distance between the seeds of leaves. It is odd and far from small numbers, so that seeds 1 and 2 of a
/// user never meet.
constexpr std::uint64_t seed_distance = 0x9e3779b97f4a7c15U;

void collect_leaves(ir::Type type, const std::string& path, std::vector<arith::Expr>& sizes,
                    std::vector<NamedLeaf>& result) {
  if (ir::is_array(type)) {
    sizes.push_back(type->size);
    collect_leaves(ir::element_of(type), path, sizes, result);
    sizes.pop_back();
  } else if (ir::is_tuple(type)) {
    for (std::size_t i = 0; i < type->elements.size(); ++i) {
      collect_leaves(type->elements[i], path + "." + std::to_string(i), sizes, result);
    }
  } else {
    result.push_back({path, sizes.empty() ? type : ir::array_type(sizes, type)});
  }
}

struct Limits {
  double smallest, largest;
};
Limits limits_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::I8:
    case Scalar::I16:
    case Scalar::I32:
    case Scalar::U8:
    case Scalar::U16:
    case Scalar::U32:
      return {static_cast<double>(smallest(scalar)), static_cast<double>(largest(scalar))};
    case Scalar::U64:
      // Ranges are drawn from signed integers.
      return {0, 9223372036854774784.0};
    case Scalar::I64:
      // These are the largest doubles inside, so that the conversion in random_range is defined.
      return {-9223372036854774784.0, 9223372036854774784.0};
    default:
      return {std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()};
  }
}

/// The range as the generator takes it. Throws Failure where it has no values of the type.
interpret::RandomRange random_range(Scalar scalar, const InputRange& range) {
  if (scalar == Scalar::Bool) throw_user("a bool takes both its values, so no range can be given");
  if (!(range.low < range.high)) {
    throw_user(fmt::format("the range from {} to {} is empty", range.low, range.high),
               "the first number must be less than the second");
  }
  if (is_float(scalar)) return {range.low, range.high, 0, 0};
  const double smallest = std::ceil(range.low);
  const double largest = std::ceil(range.high) - 1;
  const Limits limits = limits_of(scalar);
  if (smallest < limits.smallest || largest > limits.largest || smallest > largest) {
    throw_user(fmt::format("{} has no values from {} up to, but not including, {}", name_of(scalar),
                           range.low, range.high));
  }
  return {-1, 1, static_cast<std::int64_t>(smallest), static_cast<std::int64_t>(largest)};
}

ir::Type with_scalar(ir::Type leaf, Scalar scalar) {
  if (ir::is_array(leaf)) return ir::array_type(leaf->size, with_scalar(ir::element_of(leaf), scalar));
  return ir::is_vector(leaf) ? ir::vector_type(scalar, leaf->size) : ir::scalar_type(scalar);
}

Scalar scalar_of(ir::Type leaf) {
  while (ir::is_array(leaf)) leaf = ir::element_of(leaf);
  return leaf->scalar;
}

Tensor narrowed(const Tensor& wide, Scalar scalar) {
  Tensor result{scalar, wide.shape, {}};
  const auto count = static_cast<std::size_t>(wide.elements());
  result.bytes.resize(count * size_of(scalar));
  for (std::size_t i = 0; i < count; ++i) {
    store_scalar(result.bytes.data(), i, convert(load_scalar(wide.bytes.data(), wide.scalar, i), scalar));
  }
  return result;
}

/// Finds where a larger array has the element with this index of a smaller one; a dimension that is longer in
/// the smaller array begins again at its end.
std::size_t place_in(const Tensor& larger, const std::vector<std::int64_t>& index) {
  std::int64_t place = 0;
  for (std::size_t d = 0; d < index.size(); ++d) place = place * larger.shape[d] + index[d] % larger.shape[d];
  return static_cast<std::size_t>(place);
}

/// Fills `smaller`, whose shape is known, from what comes first in `larger`.
void take_corner(const Tensor& larger, std::int64_t index_limit, Tensor& smaller) {
  const auto count = static_cast<std::size_t>(smaller.elements());
  const std::size_t bytes = size_of(smaller.scalar);
  const bool may_be_index = is_integer(smaller.scalar) && !is_narrow(smaller.scalar);
  smaller.bytes.resize(count * bytes);
  if (larger.elements() == 0) return;
  std::vector<std::int64_t> index(smaller.shape.size(), 0);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = place_in(larger, index);
    std::copy_n(larger.bytes.data() + from * bytes, bytes, smaller.bytes.data() + i * bytes);
    if (may_be_index) {
      const std::int64_t value = load_scalar(smaller.bytes.data(), smaller.scalar, i).integer;
      store_scalar(smaller.bytes.data(), i, ScalarValue::of_integer(smaller.scalar, value % index_limit));
    }
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < smaller.shape[d]) break;
      index[d] = 0;
    }
  }
}

}  // namespace

std::vector<NamedLeaf> named_leaves(ir::Type type) {
  std::vector<NamedLeaf> result;
  std::vector<arith::Expr> sizes;
  collect_leaves(type, "", sizes, result);
  return result;
}

arith::Bindings bindings_of(const ir::Program& program, const NamedSizes& values) {
  arith::Bindings bindings;
  for (const auto& variables : {program.sizes, ir::open_parameters(program.function)}) {
    for (arith::Expr variable : variables) {
      for (const auto& [name, value] : values) {
        if (variable->name == name) bindings[variable.get()] = value;
      }
    }
  }
  return bindings;
}

namespace {

void add_to_diagonal(Tensor& matrix, double amount) {
  if (matrix.shape.size() != 2) throw_user("only a matrix of floats has a diagonal");
  const auto size = static_cast<std::int64_t>(size_of(matrix.scalar));
  for (std::int64_t i = 0; i < std::min(matrix.shape[0], matrix.shape[1]); ++i) {
    std::byte* element = matrix.bytes.data() + (i * matrix.shape[1] + i) * size;
    if (matrix.scalar == Scalar::F32) {
      float value = 0;
      std::memcpy(&value, element, sizeof value);
      value += static_cast<float>(amount);
      std::memcpy(element, &value, sizeof value);
    } else {
      double value = 0;
      std::memcpy(&value, element, sizeof value);
      value += amount;
      std::memcpy(element, &value, sizeof value);
    }
  }
}

}  // namespace

Result<Tensor> random_leaf(ir::Type leaf_type, std::size_t leaf, const arith::Bindings& sizes,
                           std::uint64_t seed, const std::optional<InputRange>& range) {
  return catch_failure([&]() -> Tensor {
    const Scalar scalar = scalar_of(leaf_type);
    const std::uint64_t leaf_seed = seed + leaf * seed_distance;
    // Random narrow integers take all their values whatever the range says, so a range of them is drawn from
    // wider ones.
    const bool widen = range && is_narrow(scalar);
    Data data =
        need(interpret::random_data(widen ? with_scalar(leaf_type, Scalar::I32) : leaf_type, sizes, leaf_seed,
                                    range ? random_range(scalar, *range) : interpret::RandomRange{}));
    if (range && range->diagonal != 0 && !is_float(scalar))
      throw_user("only a matrix of floats has a diagonal");
    if (widen) return narrowed(data.front(), scalar);
    if (range && range->diagonal != 0) add_to_diagonal(data.front(), range->diagonal);
    return std::move(data.front());
  });
}

Result<Data> random_input(ir::Type type, const arith::Bindings& sizes, std::uint64_t seed,
                          const std::optional<InputRange>& range) {
  Data data;
  for (const NamedLeaf& leaf : named_leaves(type)) {
    auto tensor = random_leaf(leaf.type, data.size(), sizes, seed, range);
    if (!tensor) return tl::unexpected(tensor.error());
    data.push_back(std::move(*tensor));
  }
  return data;
}

std::uint64_t input_seed(std::uint64_t seed, std::size_t position) {
  // A whole number of leaf distances would let an input's second leaf repeat the next input's first.
  return seed + position * (seed_distance ^ 0x5555555555555555U);
}

Result<std::vector<Data>> random_inputs(const ir::Program& program, const arith::Bindings& sizes,
                                        std::uint64_t seed, const std::map<std::string, InputRange>& ranges) {
  std::vector<Data> inputs;
  for (const ir::ParameterDeclaration& parameter : program.parameters) {
    const auto range = ranges.find(parameter.name);
    auto data = random_input(parameter.type, sizes, input_seed(seed, inputs.size()),
                             range == ranges.end() ? std::nullopt : std::optional(range->second));
    if (!data) {
      Error error = data.error();
      for (Diagnostic& diagnostic : error.diagnostics) {
        diagnostic.message = "the input " + parameter.name + ": " + diagnostic.message;
      }
      return tl::unexpected(std::move(error));
    }
    inputs.push_back(std::move(*data));
  }
  return inputs;
}

Result<std::vector<Data>> smaller_inputs(const std::vector<Data>& inputs, const ir::Program& sized,
                                         std::int64_t index_limit) {
  std::vector<Data> result;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto leaves = empty_leaves(sized.parameters.at(i).type);
    if (!leaves) return tl::unexpected(leaves.error());
    for (std::size_t leaf = 0; leaf < leaves->size(); ++leaf)
      take_corner(inputs[i].at(leaf), index_limit, leaves->at(leaf));
    result.push_back(std::move(*leaves));
  }
  return result;
}

}  // namespace hoist::driver
