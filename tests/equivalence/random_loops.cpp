#include "equivalence/pipeline_generator.hpp"

namespace hoist::testing_support {

Code PipelineGenerator::step(const Type& state, const Type& element, int times, int fuel) {
  return repeated(times, [&] { return lambda({state, element}, [&] { return value(state, fuel - 2); }); });
}

std::optional<std::pair<Code, Code>> PipelineGenerator::known_operator(const Type& state,
                                                                       bool has_neutral_start) {
  if (state == bool_type || state.is_array()) return std::nullopt;
  if (state.is_scalar()) {
    const Code operation = pick<Code>({{"+", "add"},
                                       {"*", "multiply"},
                                       {"max", "max_"},
                                       {"min", "min_"},
                                       {"bit_or", "bit_or_"},
                                       {"bit_xor", "bit_xor_"},
                                       {"associative((a, b) => b)", "(lambda a, b: b)"},
                                       {"associative((a, b) => a)", "(lambda a, b: a)"}});
    return std::pair{operation, literal(state.scalar)};
  }
  const bool has_numbers = state.parts.size() == 2 && state.parts[0].is_scalar() &&
                           state.parts[1].is_scalar() && !(state.parts[0] == bool_type) &&
                           !(state.parts[1] == bool_type);
  if (!has_numbers) return std::nullopt;
  const Scalar first = state.parts[0].scalar, second = state.parts[1].scalar;
  const Code start = has_neutral_start && chance(0.5)
                         ? form("({}, {})", "({}, {})", {number(first, 0), number(second, 0)})
                         : form("({}, {})", "({}, {})", {literal(first), literal(second)});
  const std::string neutral = fmt::format("(0{}, 0{})", name_of(first), name_of(second));
  const Code sums{
      "associative(commutative(neutral((p, q) => (p.0 + q.0, bit_xor(p.1, q.1)), " + neutral + ")))",
      "(lambda p, q: (p[0] + q[0], bit_xor_(p[1], q[1])))"};
  const Code parts{"((p, q) => (p.0 + q.0, bit_or(p.1, q.1)))",
                   "(lambda p, q: (p[0] + q[0], bit_or_(p[1], q[1])))"};
  const Code last{"associative((p, q) => if q.1 > p.1 then q else (p.0, p.1))",
                  "(lambda p, q: q if q[1] > p[1] else p)"};
  return std::pair{pick<Code>({sums, parts, last}), start};
}

Code PipelineGenerator::reduction(const Type& state, int fuel) {
  return reduction(state, some_array(has_arrays(state) ? small_extent() : some_extent()), fuel);
}

Code PipelineGenerator::reduction(const Type& state, const Type& source, int fuel) {
  const Code from = array(source, fuel - 1);
  if (state == source.element() && chance(0.5)) {
    if (auto known = known_operator(state, true))
      return reduced(from, known->first, known->second, source.extent);
  }
  const Code operation = step(state, source.element(), source.extent, fuel);
  return reduced(from, operation, value(state, 1), source.extent);
}

Code PipelineGenerator::reduced(const Code& from, const Code& operation, const Code& start, int n) {
  if (!chance(0.25)) {
    return form("({} |> reduce({}, {}))", "reduced({1}, {2}, {0})", {from, operation, start});
  }
  const auto bound = [&] { return chance(0.5) ? number(Scalar::I32, below(n + 3) - 1) : index(2); };
  switch (below(3)) {
    case 0:
      return form("({0} |> reduceUpTo({1}, {2}, {3}))", "reduced_range({1}, {2}, 0, {3}, {0})",
                  {from, operation, start, bound()});
    case 1:
      return form("({0} |> reduceFrom({1}, {2}, {3}))", "reduced_range({1}, {2}, {3}, length({0}), {0})",
                  {from, operation, start, bound()});
    default:
      return form("({0} |> reduceRange({1}, {2}, {3}, {4}))", "reduced_range({1}, {2}, {3}, {4}, {0})",
                  {from, operation, start, bound(), bound()});
  }
}

Code PipelineGenerator::scan(const Code& source, const Type& element, int n, const Type& state, int fuel) {
  if (state == element && chance(0.3)) {
    if (auto known = known_operator(state, true)) {
      return form("({} |> scan({}, {}))", "scanned({1}, {2}, {0})", {source, known->first, known->second});
    }
  }
  return form("({} |> scan({}, {}))", "scanned({1}, {2}, {0})",
              {source, step(state, element, n, fuel), value(state, 1)});
}

std::optional<Code> PipelineGenerator::scan_of_part(const Type& type, int fuel) {
  const int n = type.extent;
  const Type from = some_element();
  const Type state = tuple_of({type.element(), chance(0.8) ? some_scalar() : some_vector(small_extent())});
  if (scalars_in(state) * n > 4000) return std::nullopt;
  const Code source = array(array_of(n, from), fuel);
  return form("({} |> map(s => s.0))", "{}[0]", {scan(source, from, n, state, fuel)});
}

// ---- Iterations.

Code PipelineGenerator::iterated(const Type& type, int fuel) {
  const int times = below(6);
  const Code start = array(type, fuel - 1);
  const std::string name = fresh("v");
  const Code body = repeated(times, [&] {
    Code made = both(name);
    for (int stage = 1 + below(2); stage > 0; --stage) made = iterated_stage(made, type);
    return made;
  });
  return form("({0} |> iterate({1}, {2} => {3}))", "iterated({1}, lambda {2}: {3}, {0})",
              {start, both(std::to_string(times)), both(name), body});
}

Code PipelineGenerator::iterated_stage(const Code& source, const Type& type) {
  const Type& element = type.element();
  switch (has_arrays(element) ? 2 + below(3) : below(5)) {
    case 0: {
      const int left = below(3);
      const std::string boundary = pick({"clamp", "mirror", "wrap"});
      const Code wide = layout(source, "pad", fmt::format("{}, {}, {}", left, 2 - left, boundary));
      return map(layout(wide, "slide", "3, 1"), array_of(3, element), type.extent, element, 2);
    }
    case 1:
      return scan(source, element, type.extent, element, 4);
    case 2:
      return layout(source, "reverse");
    case 3:
      return reordered(source, "gather", permuted_index(type.extent));
    default:
      return map(source, element, type.extent, element, 2);
  }
}

Code PipelineGenerator::iterated_state(const Type& state, int fuel) {
  const int most = below(5);
  const bool has_end = chance(0.35), has_number = chance(0.5);
  const Code start = value(state, fuel - 1);
  const Code count = chance(0.6) ? both(std::to_string(most))
                                 : form("min(i32({1}), {0})", "min_(convert(i32, {1}), {0})",
                                        {number(Scalar::I32, most), scalar(Scalar::I64, 2)});
  const Parameters how = has_number && state.is_tuple() ? Parameters::Apart : Parameters::Typed;
  const std::vector<Type> parameters =
      has_number ? std::vector<Type>{index_type, state} : std::vector<Type>{state};
  const int depth = has_arrays(state) ? 3 : 2;
  const Code function = repeated(std::max(most, 1), [&] {
    return lambda(
        parameters, [&] { return value(state, depth); }, how);
  });
  const std::string numbered = has_number ? "numbered" : "iterated";
  if (!has_end) {
    return form("({0} |> iterate({1}, {2}))", numbered + "({1}, {2}, {0})", {start, count, function});
  }
  const Code condition = repeated(std::max(most, 1), [&] {
    return lambda(
        {state}, [&] { return goes_on(state); }, Parameters::Typed);
  });
  return form("({0} |> iterateWhile({1}, {2}, {3}))", numbered + "_while({1}, {2}, {3}, {0})",
              {start, condition, count, function});
}

/// A condition of a state: anything, or what an iteration over one of its arrays ends with.
Code PipelineGenerator::goes_on(const Type& state) {
  std::vector<Type> arrays;
  for (const Type& part : state.is_tuple() ? state.parts : std::vector<Type>{state}) {
    if (part.is_array() && part.element().is_scalar() && part.element().scalar != Scalar::Bool)
      arrays.push_back(part);
  }
  if (arrays.empty() || chance(0.5)) return truth(2);
  const Type& type = arrays.front();
  const Code last = chance(0.5) ? iterated(type, 1) : iterated_part(type, 1);
  return form("(({})[{}] <= {})", "({}[{}] <= {})",
              {last, both(std::to_string(below(type.extent))), number(type.element().scalar, below(8))});
}

Code PipelineGenerator::iterated_part(const Type& type, int fuel) {
  const Type other = chance(0.4) ? type : chance(0.5) ? some_scalar() : some_array();
  std::vector<Type> parts{type, other};
  if (chance(0.3)) parts.push_back(some_scalar());
  return form("{}.0", "{}[0]", {iterated_state(tuple_of(std::move(parts)), fuel)});
}

}  // namespace hoist::testing_support
