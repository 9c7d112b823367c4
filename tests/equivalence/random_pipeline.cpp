#include "equivalence/random_pipeline.hpp"

#include <fmt/args.h>

#include <algorithm>
#include <optional>
#include <random>
#include <stdexcept>

#include "equivalence/random_choices.hpp"
#include "driver/inputs.hpp"

namespace hoist::testing_support {

namespace {

/// A scalar, a tuple or an array.
struct Type {
  Scalar scalar = Scalar::I32;
  int extent = 0;           ///< of an array, else 0
  std::vector<Type> parts;  ///< of a tuple; of an array its element

  bool is_array() const { return extent > 0; }
  bool is_tuple() const { return extent == 0 && !parts.empty(); }
  bool is_scalar() const { return extent == 0 && parts.empty(); }
  const Type& element() const { return parts.front(); }
  bool operator==(const Type&) const = default;
};

Type scalar_type(Scalar scalar) { return {scalar, 0, {}}; }
Type tuple_of(std::vector<Type> parts) { return {Scalar::I32, 0, std::move(parts)}; }
Type array_of(int extent, Type element) { return {Scalar::I32, extent, {std::move(element)}}; }
const Type bool_type = scalar_type(Scalar::Bool);
const Type index_type = scalar_type(Scalar::I32);

int scalars_in(const Type& type) {
  int count = type.is_scalar() ? 1 : 0;
  for (const Type& part : type.parts) count += scalars_in(part);
  return type.is_array() ? count * type.extent : count;
}

bool has_arrays(const Type& type) {
  return type.is_array() || std::any_of(type.parts.begin(), type.parts.end(), has_arrays);
}

std::string text_of(const Type& type) {
  if (type.is_array()) return fmt::format("[{}]{}", type.extent, text_of(type.element()));
  if (type.is_scalar()) return std::string(name_of(type.scalar));
  std::string text;
  for (const Type& part : type.parts) text += (text.empty() ? "(" : ", ") + text_of(part);
  return text + ")";
}

/// One expression in both languages.
struct Code {
  std::string hoist, numpy;
};

/// Puts codes into a form of each language. They are made in their order, which arguments of a function need
/// not be.
Code form(std::string_view hoist, std::string_view numpy, std::initializer_list<Code> codes) {
  fmt::dynamic_format_arg_store<fmt::format_context> for_hoist, for_numpy;
  for (const Code& each : codes) {
    for_hoist.push_back(each.hoist);
    for_numpy.push_back(each.numpy);
  }
  return {fmt::vformat(hoist, for_hoist), fmt::vformat(numpy, for_numpy)};
}
Code both(const std::string& text) { return {text, text}; }
/// A number of a type: 5u8 and u8(5).
Code number(Scalar type, const std::string& digits) {
  const std::string name(name_of(type));
  return {digits[0] == '-' ? "(" + digits + name + ")" : digits + name, fmt::format("{}({})", name, digits)};
}
Code number(Scalar type, int value) { return number(type, std::to_string(value)); }

/// Makes expressions of a wanted type out of the variables in scope. `fuel` bounds how deep they nest,
/// `runs_` how often what is made is computed, `size_` the whole text.
class Generator : RandomChoices {
 public:
  explicit Generator(std::uint64_t seed) : RandomChoices(seed), name_(fmt::format("p{}", seed)) {}

  RandomPipeline program() {
    integer_ = pick({Scalar::I32, Scalar::I32, Scalar::I32, Scalar::I64, Scalar::U32, Scalar::U8});
    length_ = pick({2, 3, 5, 8, 16, 33, 100, 300, 700});
    Type element = some_element();
    if (chance(0.2)) element = array_of(small_extent(), element);
    if (length_ <= 33 && chance(0.3)) element = some_vector(pick({16, 33, 100}));
    const Type array = array_of(length_, element);
    const Type result = chance(0.1) ? tuple_of({array, some_scalar()}) : array;
    std::vector<Type> parameters{array, some_array(), scalar_type(integer_)};
    if (chance(0.3)) parameters.push_back(array_of(length_, array_of(small_extent(), scalar_type(integer_))));
    Code declared;
    for (const Type& type : parameters) {
      const std::string name = fresh("a");
      append(declared, {fmt::format("{}: {}", name, text_of(type)), name});
      scope_.push_back({name, type});
    }
    const Code body = result.is_tuple() ? tuple(result, 6) : stages(result, below(4));
    return {fmt::format("def {}({}): {} =\n  {}\n", name_, declared.hoist, text_of(result), body.hoist),
            fmt::format("def {}({}):\n    return {}\n", name_, declared.numpy, body.numpy)};
  }

 private:
  struct Variable {
    std::string name;
    Type type;
  };

  static void append(Code& list, const Code& item) {
    if (!list.hoist.empty()) list.hoist += ", ";
    if (!list.numpy.empty()) list.numpy += ", ";
    list.hoist += item.hoist;
    list.numpy += item.numpy;
  }

  // ---- Types.
  int small_extent() { return pick({1, 2, 3, 4, 5, 7, 8}); }
  int some_extent() { return chance(0.4) ? length_ : pick({1, 2, 3, 4, 6, 8, 13, 16, 40}); }
  Scalar some_integer() {
    return chance(0.7) ? integer_ : pick({Scalar::I32, Scalar::I64, Scalar::U32, Scalar::U8});
  }
  Type some_scalar() { return chance(0.08) ? bool_type : scalar_type(some_integer()); }
  Type some_element() { return chance(0.75) ? some_scalar() : tuple_of({some_scalar(), some_scalar()}); }

  Type some_array() { return some_array(some_extent()); }
  Type some_array(int extent) { return array_of(extent, some_element()); }
  Type some_vector(int extent) { return array_of(extent, some_scalar()); }

  // ---- Scope.
  bool is_exhausted(int fuel) const { return fuel <= 0 || size_ > 80 || runs_ > 20'000; }
  /// What runs `times` as often as what is around it.
  template <class Body>
  auto repeated(double times, Body&& body) {
    const double outer = runs_;
    runs_ *= times;
    auto made = body();
    runs_ = outer;
    return made;
  }
  std::optional<Code> variable(const Type& type) {
    std::vector<Code> found;
    for (const Variable& each : scope_) {
      if (each.type == type) found.push_back(both(each.name));
      if (!each.type.is_tuple()) continue;
      for (std::size_t part = 0; part < each.type.parts.size(); ++part) {
        if (each.type.parts[part] == type) {
          found.push_back({fmt::format("{}.{}", each.name, part), fmt::format("{}[{}]", each.name, part)});
        }
      }
    }
    if (found.empty()) return std::nullopt;
    // The innermost more often, so that stages use what the stage before them made.
    if (chance(0.5)) return found.back();
    return found[static_cast<std::size_t>(below(static_cast<int>(found.size())))];
  }
  /// A function of values of these types. Tuples are taken apart now and then; in Python by a function
  /// inside.
  template <class Body>
  Code lambda(const std::vector<Type>& parameters, Body&& body) {
    const std::size_t outer = scope_.size();
    Code patterns;
    std::string inner, arguments;
    for (const Type& type : parameters) {
      const std::string name = fresh("x");
      Code components;
      if (type.is_tuple() && chance(0.5)) {
        for (const Type& part : type.parts) {
          const std::string component = fresh("c");
          scope_.push_back({component, part});
          append(components, both(component));
        }
        append(patterns, {"(" + components.hoist + ")", name});
        arguments += (arguments.empty() ? "*" : ", *") + name;
      } else {
        scope_.push_back({name, type});
        components = both(name);
        append(patterns, components);
        arguments += (arguments.empty() ? "" : ", ") + name;
      }
      inner += (inner.empty() ? "" : ", ") + components.numpy;
    }
    Code made = body();
    scope_.resize(outer);
    if (parameters.size() > 1) patterns.hoist = "(" + patterns.hoist + ")";
    if (inner != patterns.numpy)
      made.numpy = fmt::format("(lambda {}: {})({})", inner, made.numpy, arguments);
    return form("({} => {})", "(lambda {}: {})", {patterns, made});
  }
  /// `body` gets the name.
  template <class Body>
  static Code named(const std::string& name, const Code& value, Body&& body) {
    const Code rest = body(both(name));
    return {fmt::format("(let {} = {} in {})", name, value.hoist, rest.hoist),
            fmt::format("(lambda {}: {})({})", name, rest.numpy, value.numpy)};
  }
  /// A variable of the type in scope of what `body` makes.
  template <class Body>
  Code let(const Type& type, const Code& value, Body&& body) {
    return named(fresh("v"), value, [&](const Code& name) {
      scope_.push_back({name.hoist, type});
      Code rest = body();
      scope_.pop_back();
      return rest;
    });
  }

  // ---- Scalars.
  Code literal(Scalar type) {
    if (type == Scalar::Bool) return chance(0.5) ? Code{"true", "true"} : Code{"false", "false"};
    if (chance(0.15)) {
      const bool is_least = hoist::is_signed(type) && chance(0.5);
      return number(type, std::to_string(is_least ? smallest(type) : largest(type)));
    }
    const int value = below(9);
    return number(type, hoist::is_signed(type) && chance(0.3) ? -value : value);
  }
  Code scalar(Scalar type, int fuel) {
    ++size_;
    const Type whole = scalar_type(type);
    if (is_exhausted(fuel) || chance(0.15)) {
      if (chance(0.8)) {
        if (auto found = variable(whole)) return *found;
      }
      return literal(type);
    }
    switch (below(14)) {
      case 0:
        return choice(whole, fuel);
      case 1:
        return reduction(whole, some_array(), fuel);
      case 2:
        return component(whole, fuel);
      case 3:
        return element_of(whole, fuel);
      default:
        return type == Scalar::Bool ? truth(fuel) : arithmetic(type, fuel);
    }
  }
  Code arithmetic(Scalar type, int fuel) {
    const Code first = scalar(type, fuel - 1);
    switch (below(11)) {
      case 0:
        return form("({} + {})", "({} + {})", {first, scalar(type, fuel - 1)});
      case 1:
        return form("({} - {})", "({} - {})", {first, scalar(type, fuel - 1)});
      case 2:
        return form("({} * {})", "({} * {})", {first, scalar(type, fuel - 1)});
      case 3: {
        const std::string function = pick({"min", "max", "bit_and", "bit_or", "bit_xor"});
        return form(function + "({}, {})", function + "_({}, {})", {first, scalar(type, fuel - 1)});
      }
      case 4:
        return form("({} / {})", "divide({}, {})", {first, divisor(type, fuel)});
      case 5:
        return form("({} % {})", "remainder({}, {})", {first, divisor(type, fuel)});
      case 6:
        return form("abs({})", "absolute({})", {first});
      case 7:
        return hoist::is_signed(type) ? form("(-{})", "negative({})", {first}) : first;
      case 8: {
        const std::string function = pick({"shl", "shr"});
        const int bits = 8 * static_cast<int>(size_of(type));
        return form(function + "({}, {})", function + "_({}, {})", {first, number(type, below(bits))});
      }
      case 9: {
        const std::string to(name_of(type));
        return form(to + "({})", "convert(" + to + ", {})", {scalar(some_integer(), fuel - 1)});
      }
      default: {
        // Overflow that an optimizer might think away.
        const Code factor = number(type, 2 + below(3));
        return form("(({0} * {1}) / {1})", "divide({0} * {1}, {1})", {first, factor});
      }
    }
  }
  /// Anything but zero; -1 included.
  Code divisor(Scalar type, int fuel) {
    if (chance(0.4)) return form("max({}, {})", "max_({}, {})", {scalar(type, fuel - 2), number(type, 1)});
    if (hoist::is_signed(type) && chance(0.3)) return number(type, pick({-1, -1, -2, -5}));
    return number(type, pick({2, 3, 5, 7, 10, 16}));
  }
  Code truth(int fuel) {
    switch (below(7)) {
      case 0: {
        const Code first = scalar(Scalar::Bool, fuel - 1);
        return form("({} && {})", "logical_and({}, {})", {first, scalar(Scalar::Bool, fuel - 1)});
      }
      case 1: {
        const Code first = scalar(Scalar::Bool, fuel - 1);
        return form("({} || {})", "logical_or({}, {})", {first, scalar(Scalar::Bool, fuel - 1)});
      }
      case 2:
        return form("(!{})", "logical_not({})", {scalar(Scalar::Bool, fuel - 1)});
      case 3: {
        // What is true of whole numbers only.
        const Code value = scalar(integer_, fuel - 1);
        const bool is_sum = chance(0.5);
        return named(fresh("v"), value, [&](const Code& e) {
          if (is_sum) return form("({0} + {1} > {0})", "({0} + {1} > {0})", {e, number(integer_, 1)});
          return form("(abs({}) >= {})", "(absolute({}) >= {})", {e, number(integer_, 0)});
        });
      }
      default: {
        const Scalar of = some_integer();
        const std::string compared = "({} " + pick({"<", "<=", ">", ">=", "==", "!="}) + " {})";
        const Code first = scalar(of, fuel - 1);
        return form(compared, compared, {first, scalar(of, fuel - 1)});
      }
    }
  }

  // ---- Values of any type.
  Code value(const Type& type, int fuel) {
    if (type.is_scalar()) return scalar(type.scalar, fuel);
    return type.is_tuple() ? tuple(type, fuel) : array(type, fuel);
  }
  Code choice(const Type& type, int fuel) {
    return form("(if {0} then {1} else {2})", "({1} if {0} else {2})",
                {scalar(Scalar::Bool, fuel - 2), value(type, fuel - 1), value(type, fuel - 1)});
  }
  Code component(const Type& type, int fuel) {
    if (chance(0.5)) return form("{}.0", "{}[0]", {tuple(tuple_of({type, some_scalar()}), fuel - 1)});
    return form("{}.1", "{}[1]", {tuple(tuple_of({some_scalar(), type}), fuel - 1)});
  }
  Code element_of(const Type& type, int fuel) {
    const int n = scalars_in(type) > 20 ? small_extent() : some_extent();
    const Code whole = array(array_of(n, type), fuel - 1);
    if (chance(0.6)) return form("{}[{}]", "element({}, {})", {whole, both(std::to_string(below(n)))});
    const std::string inside = fmt::format("max(0, min({}, {{}}))", n - 1);
    return form("{}[" + inside + "]", "element({}, " + inside + ")", {whole, scalar(Scalar::I32, fuel - 2)});
  }
  Code tuple(const Type& type, int fuel) {
    ++size_;
    if (is_exhausted(fuel) || chance(0.2)) {
      if (auto found = variable(type)) return *found;
    }
    if (!is_exhausted(fuel)) {
      if (chance(0.1)) return choice(type, fuel);
      if (chance(0.15)) {
        return reduction(type, some_array(), fuel);
      }
      if (chance(0.08)) return element_of(type, fuel);
    }
    Code parts;
    for (const Type& part : type.parts) append(parts, value(part, fuel - 1));
    return form("({})", "({})", {parts});
  }
  /// The function of a reduction or scan, which is applied so many times.
  Code step(const Type& state, const Type& element, int times, int fuel) {
    return repeated(times, [&] { return lambda({state, element}, [&] { return value(state, fuel - 2); }); });
  }
  /// `source` combined into a `state`.
  Code reduction(const Type& state, const Type& source, int fuel) {
    const Code from = array(source, fuel - 1);
    if (state == source.element() && state.is_scalar() && !(state == bool_type) && chance(0.5)) {
      const auto [hoist, numpy] =
          pick<Code>({{"+", "add"}, {"*", "multiply"}, {"max", "max_"}, {"min", "min_"}});
      return form("({} |> reduce({}, {}))", "reduced({1}, {2}, {0})",
                  {from, {hoist, numpy}, literal(state.scalar)});
    }
    return form("({} |> reduce({}, {}))", "reduced({1}, {2}, {0})",
                {from, step(state, source.element(), source.extent, fuel), value(state, 1)});
  }
  Code scan(const Code& source, const Type& element, int n, const Type& state, int fuel) {
    return form("({} |> scan({}, {}))", "scanned({1}, {2}, {0})",
                {source, step(state, element, n, fuel), value(state, 1)});
  }

  // ---- Arrays.
  /// A chain of lets, each a stage over the one before.
  Code stages(const Type& result, int left) {
    if (left == 0) return array(result, 6);
    const Type bound = chance(0.6) ? result : some_array();
    return let(bound, array(bound, 4), [&] { return stages(result, left - 1); });
  }
  Code array(const Type& type, int fuel) {
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
  Code generate(const Type& type, int fuel) {
    const Code body = repeated(
        type.extent, [&] { return lambda({index_type}, [&] { return value(type.element(), fuel); }); });
    return form("generate({}, {})", "generated({}, {})", {both(std::to_string(type.extent)), body});
  }
  Code map(const Code& source, const Type& element, int n, const Type& result, int fuel) {
    if (!has_arrays(result)) fuel = std::max(fuel, 3);
    const Code body = repeated(n, [&] { return lambda({element}, [&] { return value(result, fuel); }); });
    return form("({} |> map{})", "mapped({1}, {0})", {source, body});
  }
  /// A layout pattern with arguments that are the same in both languages; in Python it has the pattern's
  /// name.
  static Code layout(const Code& source, const std::string& pattern, const std::string& arguments = {}) {
    if (arguments.empty()) return form("({} |> " + pattern + ")", pattern + "({})", {source});
    return form("({0} |> " + pattern + "({1}))", pattern + "({1}, {0})", {source, both(arguments)});
  }
  /// Gather or scatter by an expression in `i`.
  static Code reordered(const Code& source, const std::string& pattern, const std::string& index) {
    return form("({0} |> " + pattern + "(i => {1}))", pattern + "(lambda i: {1}, {0})",
                {source, both(index)});
  }
  Code padded(const Code& source, int left, int right) {
    const std::string boundary = pick({"clamp", "mirror", "wrap"});
    return layout(source, "pad", fmt::format("{}, {}, {}", left, right, boundary));
  }
  Code zip(int n, const Type& first, const Type& second, int fuel) {
    return form("zip({}, {})", "({}, {})",
                {array(array_of(n, first), fuel), array(array_of(n, second), fuel)});
  }

  /// One pattern around smaller expressions; nothing where the pattern drawn cannot make this type.
  std::optional<Code> pattern(const Type& type, int fuel) {
    const int n = type.extent;
    const std::string permutation = permuted_index(n);
    const Type& element = type.element();
    switch (below(28)) {
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
      case 8: {
        // A scan that carries more than what is wanted of it.
        const Type from = some_element(), state = tuple_of({element, some_scalar()});
        const Code source = array(array_of(n, from), fuel);
        return form("({} |> map(s => s.0))", "{}[0]", {scan(source, from, n, state, fuel)});
      }
      case 9: {
        if (!element.is_array()) return std::nullopt;
        return layout(array(array_of(n * element.extent, element.element()), fuel), "split",
                      std::to_string(element.extent));
      }
      case 10: {
        const int inner = 1 + below(n);
        if (n % inner != 0) return std::nullopt;
        return layout(array(array_of(n / inner, array_of(inner, element)), fuel), "join");
      }
      case 11: {
        if (!element.is_array()) return std::nullopt;
        return layout(array(array_of(element.extent, array_of(n, element.element())), fuel), "transpose");
      }
      case 12: {
        if (!element.is_array()) return std::nullopt;
        const int step = 1 + below(3);
        const Type source = array_of((n - 1) * step + element.extent, element.element());
        return layout(array(source, fuel), "slide", fmt::format("{}, {}", element.extent, step));
      }
      case 13: {
        if (n < 2) return std::nullopt;
        const int left = below(std::min(n, 4)), right = below(std::min(n - left, 4));
        const Code source = array(array_of(n - left - right, element), fuel);
        if (chance(0.7)) return padded(source, left, right);
        const std::string sizes = fmt::format("{}, {}, {{1}}", left, right);
        return form("({0} |> padValue(" + sizes + "))", "pad_value(" + sizes + ", {0})",
                    {source, value(element, 1)});
      }
      case 14:
        return neighbourhoods(type, fuel);
      case 15: {
        const std::string index =
            chance(0.4) ? fmt::format("(i * {} + {}) % {}", below(4), below(4), n) : permutation;
        return reordered(array(type, fuel), "gather", index);
      }
      case 16:
        return reordered(array(type, fuel), "scatter", permutation);
      case 17:
        return layout(array(type, fuel), "reverse");
      case 18: {
        const int more = below(4);
        const Code longer = array(array_of(n + more, element), fuel);
        return chance(0.5) ? layout(longer, "take", std::to_string(n))
                           : layout(longer, "drop", std::to_string(more));
      }
      case 19: {
        if (n < 2) return std::nullopt;
        const int first = 1 + below(n - 1);
        return form("concat({}, {})", "concat({}, {})",
                    {array(array_of(first, element), fuel), array(array_of(n - first, element), fuel)});
      }
      case 20: {
        // Rows combined: a sequential pattern inside a parallel one.
        const Type row = some_vector(some_extent());
        if (n * row.extent > 4000) return std::nullopt;
        const Code source = array(array_of(n, row), fuel);
        const Code body =
            repeated(n, [&] { return lambda({row}, [&] { return reduction(element, row, 3); }); });
        return form("({} |> map{})", "mapped({1}, {0})", {source, body});
      }
      case 21:
      case 22:
        return iterated(type, fuel);
      case 23: {
        const Type bound = chance(0.5) ? type : some_array();
        return let(bound, array(bound, fuel), [&] { return array(type, fuel); });
      }
      case 24:
        return choice(type, fuel);
      case 25: {
        if (element.is_tuple()) return zip(n, element.parts[0], element.parts[1], fuel);
        // One component of what is computed as pairs.
        return form("(unzip({}).0)", "{}[0]", {array(array_of(n, tuple_of({element, some_scalar()})), fuel)});
      }
      case 26: {
        if (scalars_in(type) > 300) return std::nullopt;
        return element_of(type, fuel);
      }
      default: {
        return reduction(type, some_array(small_extent()), fuel);
      }
    }
  }
  /// Windows, and what is made of each.
  std::optional<Code> neighbourhoods(const Type& type, int fuel) {
    const int width = pick({2, 3, 5}), left = below(width);
    const Type from = chance(0.6) ? type.element() : some_scalar();
    if (has_arrays(from)) return std::nullopt;
    const Code source = padded(array(array_of(type.extent, from), fuel), left, width - 1 - left);
    const Code windows = layout(source, "slide", fmt::format("{}, 1", width));
    return map(windows, array_of(width, from), type.extent, type.element(), 2);
  }
  /// A function of one or two stages again and again. The length of what is iterated on has a name of its
  /// own, so the stages keep any length.
  Code iterated(const Type& type, int fuel) {
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
  Code iterated_stage(const Code& source, const Type& type) {
    const Type& element = type.element();
    switch (has_arrays(element) ? 2 + below(3) : below(5)) {
      case 0: {
        const int left = below(3);
        const Code windows = layout(padded(source, left, 2 - left), "slide", "3, 1");
        return map(windows, array_of(3, element), type.extent, element, 2);
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

  std::string name_;
  Scalar integer_ = Scalar::I32;
  int length_ = 1;
  std::vector<Variable> scope_;
  double runs_ = 1;
  int size_ = 0;
};

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

RandomPipeline random_pipeline(std::uint64_t seed) { return Generator(seed).program(); }

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
