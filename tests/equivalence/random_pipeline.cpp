#include "equivalence/random_pipeline.hpp"

#include <random>
#include <stdexcept>

#include "driver/inputs.hpp"
#include "equivalence/pipeline_generator.hpp"

namespace hoist::testing_support {

PipelineGenerator::PipelineGenerator(std::uint64_t seed)
    : RandomChoices(seed), name_(fmt::format("p{}", seed)) {}

RandomPipeline PipelineGenerator::program() {
  integer_ = pick({Scalar::I32, Scalar::I32, Scalar::I32, Scalar::I64, Scalar::U32, Scalar::U8, Scalar::I8,
                   Scalar::I16, Scalar::U16, Scalar::U64});
  const bool has_long_rows = chance(0.15);
  const Type result = has_long_rows ? result_of_long_rows() : result_of_stages();
  const Type array = result.is_tuple() ? result.parts[0] : result;
  std::vector<Type> parameters{array, some_array(), scalar_type(integer_)};
  if (!has_long_rows && chance(0.3))
    parameters.push_back(array_of(length_, array_of(small_extent(), scalar_type(integer_))));
  Code declared;
  for (const Type& type : parameters) {
    const std::string name = fresh("a");
    append(declared, {fmt::format("{}: {}", name, text_of(type)), name});
    scope_.push_back({name, type});
  }
  const Code body = has_long_rows ? of_long_rows(result) : body_of(result);
  return {fmt::format("def {}({}): {} =\n  {}\n", name_, declared.hoist, text_of(result), body.hoist),
          fmt::format("def {}({}):\n    return {}\n", name_, declared.numpy, body.numpy)};
}

Type PipelineGenerator::result_of_stages() {
  length_ = pick({2, 3, 5, 8, 16, 33, 100, 300, 700});
  Type element = some_element();
  if (chance(0.2)) element = array_of(small_extent(), element);
  if (length_ <= 33 && chance(0.3)) element = some_vector(pick({16, 33, 100}));
  if (length_ <= 8 && chance(0.15)) element = array_of(small_extent(), element);
  const Type array = array_of(length_, element);
  return chance(0.1) ? tuple_of({array, some_scalar()}) : array;
}

Code PipelineGenerator::body_of(const Type& result) {
  return result.is_tuple() ? tuple(result, 6) : stages(result, below(4));
}

Code PipelineGenerator::stages(const Type& result, int left) {
  if (left == 0 && result.is_array() && result.element().is_scalar() && chance(0.2)) {
    return after_iteration(result);
  }
  if (left == 0) return array(result, 6);
  const Type bound = chance(0.6) ? result : some_array();
  return let(bound, array(bound, 4), [&] { return stages(result, left - 1); });
}

/// Kernels that read each other's arrays after an iteration of the host: some share memory.
Code PipelineGenerator::after_iteration(const Type& result) {
  Code rounds = iterated(result, 3);
  for (int stage = 0; stage < 3; ++stage) {
    const auto sum = known_operator(result.element(), true);
    if (!sum) return rounds;
    rounds = layout(form("({} |> scan({}, {}))", "scanned({1}, {2}, {0})", {rounds, sum->first, sum->second}),
                    "reverse");
  }
  return rounds;
}

// ---- Rows that are too long for a work-item's registers, and fit its own memory: who computes one, and
// where it is kept, is decided for each.

Type PipelineGenerator::result_of_long_rows() {
  length_ = chance(0.1) ? 17'000 : pick({600, 1030, 1100, 1300, 2100});
  return array_of(2 + below(2), array_of(length_, scalar_type(some_integer())));
}

Code PipelineGenerator::of_long_rows(const Type& result) {
  const Type row = result.element();
  if (length_ < 17'000 && chance(0.5)) return mapped_by_hand(result);
  Code rows = both(scope_.front().name);
  if (chance(0.3)) rows = array(result, 3);
  const auto of_rows = [&](const Code& source) {
    const Code body = repeated(result.extent, [&] {
      return lambda({row}, [&] { return of_row(both(scope_.back().name), row, 1 + below(2)); });
    });
    return form("({} |> map{})", "mapped({1}, {0})", {source, body});
  };
  rows = of_rows(rows);
  if (chance(0.3)) rows = layout(rows, "reverse");
  if (chance(0.2)) rows = of_rows(rows);
  return rows;
}

Code PipelineGenerator::mapped_by_hand(const Type& result) {
  const Type row = result.element();
  const bool by_groups = chance(0.3);
  const std::string outer = by_groups ? "mapWrg(0, " : "mapGlb(1, ",
                    inner = by_groups ? "mapLcl(0, " : "mapGlb(0, ";
  const Code rows = repeated(result.extent, [&] {
    return lambda({row}, [&] {
      const Code name = both(scope_.back().name);
      // Every work-item of the row computes it.
      const Code own =
          repeated(row.extent, [&] { return chance(0.8) ? in_order(name, row) : of_row(name, row, 1); });
      return let(row, own, [&] {
        const Code pairs = form("zip({}, {})", "({}, {})", {both(scope_.back().name), name});
        const Type pair = tuple_of({row.element(), row.element()});
        const auto combined = [&] {
          const Code own_element = both(scope_[scope_.size() - 2].name);
          return form("({} + {})", "({} + {})", {own_element, value(row.element(), 3)});
        };
        const Code each = repeated(row.extent, [&] { return lambda({pair}, combined, Parameters::Apart); });
        return form("({} |> " + inner + "{}))", "mapped({1}, {0})", {pairs, each});
      });
    });
  });
  return form("({} |> " + outer + "{}))", "mapped({1}, {0})", {both(scope_.front().name), rows});
}

Code PipelineGenerator::of_row(const Code& row, const Type& type, int left) {
  if (left == 0) return row;
  const int n = type.extent;
  const Scalar element = type.element().scalar;
  switch (below(7)) {
    case 0: {
      const int before = 1 + below(3);
      const std::string sizes = fmt::format("{}, 0, {{1}}", before);
      const Code longer = form("({0} |> padValue(" + sizes + "))", "pad_value(" + sizes + ", {0})",
                               {of_row(row, type, left - 1), of_whole_row(row, type, element)});
      return layout(longer, "take", std::to_string(n));
    }
    case 1:
      return form(
          "({2} |> update({0}, {1}))", "update({0}, {1}, {2})",
          {both(std::to_string(below(n))), of_whole_row(row, type, element), of_row(row, type, left - 1)});
    case 2: {
      const Code number = of_whole_row(row, type, element);
      return let(type.element(), number, [&] { return map(row, type.element(), n, type.element(), 3); });
    }
    case 3: {
      const Code first = in_order(row, type), second = of_row(row, type, left - 1);
      const Code pairs = form("zip({}, {})", "({}, {})", {first, second});
      return map(pairs, tuple_of({type.element(), type.element()}), n, type.element(), 3);
    }
    case 4:
      return form("(if {0} then {1} else {2})", "({1} if {0} else {2})",
                  {truth(2), of_row(row, type, left - 1), in_order(row, type)});
    case 5: {
      const int times = below(4);
      return repeated(times, [&] {
        const Code body = lambda(
            {type}, [&] { return of_row(both(scope_.back().name), type, left - 1); }, Parameters::Typed);
        return form("({0} |> iterate({1}, {2}))", "iterated({1}, {2}, {0})",
                    {row, both(std::to_string(times)), body});
      });
    }
    default:
      return in_order(of_row(row, type, left - 1), type);
  }
}

Code PipelineGenerator::of_whole_row(const Code& row, const Type& type, Scalar wanted) {
  const int n = type.extent;
  Code made;
  switch (below(4)) {
    case 0: {
      const Code place = chance(0.6) ? both(std::to_string(below(n))) : index_inside(n, 2);
      made = form("{}[{}]", "element({}, {})", {in_order(row, type), place});
      break;
    }
    case 1:
      made = reduced(in_order(row, type), step(type.element(), type.element(), n, 4), literal(wanted), n);
      break;
    default:
      // What guards a pattern keeps it from being computed before.
      made = form("(if {0} then {1} else {2})", "({1} if {0} else {2})",
                  {truth(2), form("{}[{}]", "element({}, {})", {in_order(row, type), index_inside(n, 2)}),
                   literal(wanted)});
  }
  return made;
}

Code PipelineGenerator::in_order(const Code& row, const Type& type) {
  const Type& element = type.element();
  if (chance(0.2)) return reordered(row, "scatter", permuted_index(type.extent));
  if (auto sum = chance(0.4) ? known_operator(element, true) : std::nullopt) {
    return form("({} |> scan({}, {}))", "scanned({1}, {2}, {0})", {row, sum->first, sum->second});
  }
  if (chance(0.7)) return scan(row, element, type.extent, element, 4);
  const Type state = tuple_of({element, some_scalar()});
  return form("({} |> map(s => s.0))", "{}[0]", {scan(row, element, type.extent, state, 4)});
}

RandomPipeline random_pipeline(std::uint64_t seed) { return PipelineGenerator(seed).program(); }

namespace {

std::int64_t extreme_integer(Scalar type, std::mt19937_64& random) {
  const std::uint64_t bits = random();
  const auto near = static_cast<std::int64_t>(random() % 17);
  switch (random() % 4) {
    case 0:
      return smallest(type) + near % 3;
    case 1:
      return largest(type) - near % 3;
    case 2:
      return near - 8;
    default:
      return static_cast<std::int64_t>(bits);
  }
}

}  // namespace

std::vector<Data> extreme_inputs(const ir::Program& program, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Data> inputs;
  for (const ir::ParameterDeclaration& parameter : program.parameters) {
    auto leaves = driver::empty_leaves(parameter.type);
    if (!leaves) throw std::runtime_error(leaves.error().render());
    for (Tensor& leaf : *leaves) {
      leaf.bytes.resize(static_cast<std::size_t>(leaf.elements()) * size_of(leaf.scalar));
      for (std::size_t i = 0; i < static_cast<std::size_t>(leaf.elements()); ++i) {
        store_scalar(leaf.bytes.data(), i,
                     ScalarValue::of_integer(leaf.scalar, extreme_integer(leaf.scalar, random)));
      }
    }
    inputs.push_back(std::move(*leaves));
  }
  return inputs;
}

}  // namespace hoist::testing_support
