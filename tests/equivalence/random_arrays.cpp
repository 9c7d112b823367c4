#include "equivalence/pipeline_generator.hpp"

namespace hoist::testing_support {

Code PipelineGenerator::array(const Type& type, int fuel) {
  ++size_;
  const bool is_done = is_exhausted(fuel) || scalars_in(type) > 4000;
  if (is_done || chance(0.15)) {
    if (auto found = variable(type)) return *found;
  }
  if (is_done) return generate(type, 1);
  for (;;) {
    if (auto made = pattern(type, fuel - 1)) return *made;
  }
}

Code PipelineGenerator::generate(const Type& type, int fuel) {
  const Code body = repeated(
      type.extent, [&] { return lambda({index_type}, [&] { return value(type.element(), fuel); }); });
  return form("generate({}, {})", "generated({}, {})", {both(std::to_string(type.extent)), body});
}

Code PipelineGenerator::map(const Code& source, const Type& element, int n, const Type& result, int fuel) {
  if (!has_arrays(result)) fuel = std::max(fuel, 3);
  const Code body = repeated(n, [&] { return lambda({element}, [&] { return value(result, fuel); }); });
  return form("({} |> map{})", "mapped({1}, {0})", {source, body});
}

Code PipelineGenerator::layout(const Code& source, const std::string& pattern, const std::string& arguments) {
  if (arguments.empty()) return form("({0} |> " + pattern + ")", pattern + "({0})", {source});
  return form("({0} |> " + pattern + "({1}))", pattern + "({1}, {0})", {source, both(arguments)});
}

Code PipelineGenerator::reordered(const Code& source, const std::string& pattern, const std::string& index) {
  return form("({0} |> " + pattern + "(i => {1}))", pattern + "(lambda i: {1}, {0})", {source, both(index)});
}

Code PipelineGenerator::padded(const Code& source, int left, int right) {
  if (chance(0.1)) {
    const std::string sizes = fmt::format("{}, {}, ", left, right);
    const Code rule = pick<Code>({{"max(0, min(n - 1, 2 * i))", "max_(0, min_(n - 1, 2 * i))"},
                                  {"(i + n * 4) / 2 % n", "(i + n * 4) // 2 % n"}});
    return form("({0} |> pad(" + sizes + "(i, n) => {1}))", "pad(" + sizes + "lambda i, n: {1}, {0})",
                {source, rule});
  }
  const std::string boundary = pick({"clamp", "mirror", "reflect", "wrap"});
  return layout(source, "pad", fmt::format("{}, {}, {}", left, right, boundary));
}

Code PipelineGenerator::zip(int n, const Type& first, const Type& second, int fuel) {
  return form("zip({}, {})", "({}, {})", {array(array_of(n, first), fuel), array(array_of(n, second), fuel)});
}

std::optional<Code> PipelineGenerator::pattern(const Type& type, int fuel) {
  const int n = type.extent;
  const Type& element = type.element();
  switch (below(38)) {
    case 0:
    case 1:
    case 2: {
      const Type from = chance(0.4) ? element : chance(0.3) ? some_vector(small_extent()) : some_element();
      return map(array(array_of(n, from), fuel), from, n, element, fuel - 1);
    }
    case 3:
    case 4: {
      const Type first = chance(0.5) ? element : some_scalar(), second = some_scalar();
      const Code pairs = zip(n, first, second, fuel);
      return map(pairs, tuple_of({first, second}), n, element, fuel - 1);
    }
    case 5:
      return generate(type, fuel);
    case 6:
    case 7: {
      const Type from = some_element();
      return scan(array(array_of(n, from), fuel), from, n, element, fuel);
    }
    case 8:
      return scan_of_part(type, fuel);
    case 9:
    case 10:
    case 11:
    case 12:
    case 13:
    case 14:
    case 15:
    case 16:
    case 17:
      return layout_pattern(type, fuel);
    case 18:
      return neighbourhoods(type, fuel);
    case 19: {
      // Rows combined: a sequential pattern inside a parallel one.
      const Type row = some_vector(some_extent());
      if (n * row.extent > 4000) return std::nullopt;
      const Code source = array(array_of(n, row), fuel);
      const Code body =
          repeated(n, [&] { return lambda({row}, [&] { return reduction(element, row, 3); }); });
      return form("({} |> map{})", "mapped({1}, {0})", {source, body});
    }
    case 20:
    case 21:
      return iterated(type, fuel);
    case 22:
      return iterated_state(type, fuel);
    case 23:
      return iterated_part(type, fuel);
    case 24: {
      const Type bound = chance(0.5) ? type : some_array();
      return let(bound, array(bound, fuel), [&] { return array(type, fuel); });
    }
    case 25:
      return choice(type, fuel);
    case 26: {
      if (element.parts.size() == 2 && element.is_tuple())
        return zip(n, element.parts[0], element.parts[1], fuel);
      // One component of what is computed as pairs.
      return form("(unzip({}).0)", "{}[0]", {array(array_of(n, tuple_of({element, some_scalar()})), fuel)});
    }
    case 27: {
      if (scalars_in(type) > 300) return std::nullopt;
      return element_of(type, fuel);
    }
    case 28:
      return reduction(type, fuel);
    case 29: {
      // One array of a reduction that carries more.
      const Type state = tuple_of({type, chance(0.5) ? some_scalar() : some_array(small_extent())});
      return form("{}.0", "{}[0]", {reduction(state, fuel)});
    }
    case 30:
    case 31:
      return updated(type, fuel);
    case 32:
      return ranged_map(type, fuel);
    case 33:
      return scattered(type, fuel);
    case 34:
      return filtered(type, fuel);
    case 35:
    case 36:
      return keyed(type, fuel);
    default: {
      if (n > 4 || scalars_in(element) > 40) return std::nullopt;
      Code elements;
      for (int i = 0; i < n; ++i) append(elements, value(element, 2));
      return form("[{}]", "stacked([{}])", {elements});
    }
  }
}

std::optional<Code> PipelineGenerator::layout_pattern(const Type& type, int fuel) {
  const int n = type.extent;
  const std::string permutation = permuted_index(n);
  const Type& element = type.element();
  switch (below(12)) {
    case 0: {
      if (!element.is_array()) return std::nullopt;
      return layout(array(array_of(n * element.extent, element.element()), fuel), "split",
                    std::to_string(element.extent));
    }
    case 1: {
      const int inner = 1 + below(n);
      if (n % inner != 0) return std::nullopt;
      return layout(array(array_of(n / inner, array_of(inner, element)), fuel), "join");
    }
    case 2: {
      if (!element.is_array()) return std::nullopt;
      return layout(array(array_of(element.extent, array_of(n, element.element())), fuel), "transpose");
    }
    case 3: {
      if (!element.is_array()) return std::nullopt;
      const int step = 1 + below(3);
      const Type source = array_of((n - 1) * step + element.extent, element.element());
      return layout(array(source, fuel), "slide", fmt::format("{}, {}", element.extent, step));
    }
    case 4: {
      if (n < 2) return std::nullopt;
      const int left = below(std::min(n, 4)), right = below(std::min(n - left, 4));
      const Code source = array(array_of(n - left - right, element), fuel);
      if (chance(0.7)) return padded(source, left, right);
      const std::string sizes = fmt::format("{}, {}, {{1}}", left, right);
      return form("({0} |> padValue(" + sizes + "))", "pad_value(" + sizes + ", {0})",
                  {source, value(element, 1)});
    }
    case 5: {
      const std::string index =
          chance(0.4) ? fmt::format("(i * {} + {}) % {}", below(4), below(4), n) : permutation;
      return reordered(array(type, fuel), "gather", index);
    }
    case 6:
      return reordered(array(type, fuel), "scatter", permutation);
    case 7:
      return layout(array(type, fuel), "reverse");
    case 8: {
      const Code source = array(type, fuel);
      if (chance(0.7)) {
        const Code by = both(std::to_string(below(2 * n + 3) - n - 1));
        return form("({1} |> rotate({0}))", "rotate({0}, {1})", {by, source});
      }
      // A name is a number; what is made of literals alone would be read as a size.
      const std::string name = fresh("r");
      return form("(let " + name + " = {0} in {1} |> rotate(" + name + "))", "rotate({0}, {1})",
                  {index(2), source});
    }
    case 9: {
      const int more = below(4);
      const Code longer = array(array_of(n + more, element), fuel);
      return chance(0.5) ? layout(longer, "take", std::to_string(n))
                         : layout(longer, "drop", std::to_string(more));
    }
    default: {
      if (n < 2) return std::nullopt;
      const int first = 1 + below(n - 1);
      return form("concat({}, {})", "concat({}, {})",
                  {array(array_of(first, element), fuel), array(array_of(n - first, element), fuel)});
    }
  }
}

std::optional<Code> PipelineGenerator::neighbourhoods(const Type& type, int fuel) {
  const int width = pick({2, 3, 5}), left = below(width);
  const Type from = chance(0.6) ? type.element() : some_scalar();
  if (has_arrays(from)) return std::nullopt;
  const Code source = padded(array(array_of(type.extent, from), fuel), left, width - 1 - left);
  const Code windows = layout(source, "slide", fmt::format("{}, 1", width));
  return map(windows, array_of(width, from), type.extent, type.element(), 2);
}

// ---- Elements that change places, or meet.

Code PipelineGenerator::updated(const Type& type, int fuel) {
  const Code source = array(type, fuel);
  return form("({2} |> update({0}, {1}))", "update({0}, {1}, {2})",
              {index_inside(type.extent, 2), value(type.element(), 2), source});
}

Code PipelineGenerator::ranged_map(const Type& type, int fuel) {
  const Type from = chance(0.5) ? type.element() : some_element();
  const Code source = array(array_of(type.extent, from), fuel);
  const auto function = [&] {
    return repeated(type.extent, [&] { return lambda({from}, [&] { return value(type.element(), 2); }); });
  };
  const Code inside = function(), outside = function();
  return form("({4} |> mapRange({0}, {1}, {2}, {3}))", "ranged_map({0}, {1}, {2}, {3}, {4})",
              {inside, outside, index(2), index(2), source});
}

Code PipelineGenerator::scattered(const Type& type, int fuel) {
  const int m = some_extent();
  const Code source = array(type, fuel), values = array(array_of(m, type.element()), 2),
             targets = array(array_of(m, index_type), 2);
  const std::string inside = chance(0.7) ? fmt::format(" % {}", type.extent) : "";
  const Code near = {
      targets.hoist + " |> map(t => t" + inside + ")",
      inside.empty() ? targets.numpy : fmt::format("remainder({}, i32({}))", targets.numpy, type.extent)};
  return form("({2} |> scatterTo({0}, {1}))", "scatter_to({0}, {1}, {2})", {near, values, source});
}

Code PipelineGenerator::filtered(const Type& type, int fuel) {
  const Code source = array(type, fuel);
  const Code chosen =
      repeated(type.extent, [&] { return lambda({type.element()}, [&] { return truth(2); }); });
  if (chance(0.5)) return form("({1} |> partition({0})).1", "partition({0}, {1})[1]", {chosen, source});
  return form("({2} |> filter({0}, {1})).1", "filtered({0}, {1}, {2})[1]",
              {chosen, value(type.element(), 1), source});
}

Code PipelineGenerator::keyed(const Type& type, int fuel) {
  const int n = type.extent, m = some_extent();
  const Type& state = type.element();
  const Code start = array(type, fuel - 1);
  const Type from = chance(0.4) ? state : some_element();
  const Code source = array(array_of(m, from), fuel - 1);
  const Type key_source = some_element();
  const int keys_below = pick({n, n, 3 * n});
  const Code keys = map(array(array_of(m, key_source), fuel - 1), key_source, m, index_type, 3);
  const Code near = {fmt::format("({} |> map(k => k % {}))", keys.hoist, keys_below),
                     fmt::format("remainder({}, i32({}))", keys.numpy, keys_below)};
  Code operation;
  if (auto known = from == state && chance(0.6) ? known_operator(state, false) : std::nullopt) {
    operation = known->first;
  } else {
    operation = step(state, from, m, 3);
  }
  return form("({3} |> reduceByKey({0}, {1}, {2}))", "reduced_by_key({0}, {1}, {2}, {3})",
              {operation, start, near, source});
}

}  // namespace hoist::testing_support
