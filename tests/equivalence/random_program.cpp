#include "equivalence/random_program.hpp"

#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "equivalence/random_choices.hpp"

namespace hoist::testing_support {

namespace {

using Shape = std::vector<int>;  ///< extents, outermost first; none is a scalar

/// Makes expressions of a wanted type out of the variables in scope.
class Generator : RandomChoices {
 public:
  using RandomChoices::RandomChoices;

  std::string high_level() {
    Shape result;
    for (int rank = below(4); rank > 0; --rank) result.push_back(extent());
    if (result.size() == 3) {
      for (int& each : result) each = std::min(each, 5);
    }
    std::string parameters = declare_parameters(result);
    bool is_pair = chance(0.15);
    std::string body =
        is_pair ? fmt::format("({}, {})", array(result, 4), array(some_shape(), 3)) : array(result, 6);
    return fmt::format("def p({}) =\n  {}\n", parameters, body);
  }

  std::string low_level() {
    // [groups][length]: a group takes a row, or a work-item does.
    int groups = 1 + below(4);
    std::string parameters;
    if (chance(0.25)) {
      Shape shape{groups, extent()};
      parameters = declare_parameters(shape);
      std::string row = fresh("row");
      Shape inner{shape[1]};
      std::string source = array(shape, 2);
      scope_.push_back({row, inner});
      std::string body = chance(0.5) ? array(inner, 3) : sequential_stages(row, inner);
      scope_.pop_back();
      return fmt::format("def p({}) =\n  {} |> mapGlb(0, {} => {})\n", parameters, source, row, body);
    }
    if (chance(0.35)) return low_level_planes(groups);
    if (chance(0.15)) return launched_groups(groups);
    Shape shape{groups, extent()};
    parameters = declare_parameters(shape);
    std::string source = array(shape, 2), row = fresh("row");
    scope_.push_back({row, {shape[1]}});
    std::string body = local_stages(row, shape[1]);
    scope_.pop_back();
    return fmt::format("def p({}) =\n  {} |> mapWrg(0, {} => {})\n", parameters, source, row, body);
  }

 private:
  struct Variable {
    std::string name;
    Shape shape;
  };

  // ---- Choices.
  int extent() {
    static constexpr int extents[] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 13};
    return extents[below(10)];
  }
  Shape some_shape() {
    Shape shape;
    for (int rank = 1 + below(2); rank > 0; --rank) shape.push_back(extent());
    return shape;
  }

  static std::string type_of(const Shape& shape) {
    std::string text;
    for (int each : shape) text += fmt::format("[{}]", each);
    return text + "i32";
  }
  std::string declare_parameters(const Shape& likely) {
    std::string text;
    for (int i = 0; i < 3; ++i) {
      Shape shape = i == 0 ? likely : i == 1 ? some_shape() : Shape{};
      std::string name = fresh("a");
      text += (i ? ", " : "") + name + ": " + type_of(shape);
      scope_.push_back({name, shape});
    }
    return text;
  }
  static Shape rest_of(const Shape& shape) { return {shape.begin() + 1, shape.end()}; }
  static Shape with_outer(int outer, Shape shape) {
    shape.insert(shape.begin(), outer);
    return shape;
  }
  static int count(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>());
  }

  std::string variable_of(const Shape& shape) {
    std::vector<std::string> found;
    for (const Variable& each : scope_) {
      if (each.shape == shape) found.push_back(each.name);
    }
    return found.empty() ? "" : found[static_cast<std::size_t>(below(static_cast<int>(found.size())))];
  }

  /// A lambda over values of these shapes.
  std::string lambda(const std::vector<Shape>& parameters, const std::function<std::string()>& body) {
    std::string names;
    for (const Shape& shape : parameters) {
      std::string name = fresh("x");
      names += (names.empty() ? "" : ", ") + name;
      scope_.push_back({name, shape});
    }
    std::string text = body();
    scope_.resize(scope_.size() - parameters.size());
    return parameters.size() == 1 ? fmt::format("({} => {})", names, text)
                                  : fmt::format("(({}) => {})", names, text);
  }

  /// An operator that folds scalars; values stay small enough to never overflow.
  std::string fold() {
    return pick({"+", "max", "min", "((acc, x) => (acc + x * 3) % 1009)",
                 "((acc, x) => (acc * 2 - x) % 1009)", "((acc, x) => acc + x % 7)",
                 "((acc, x) => max(acc, -x))", "((acc, x) => x)"});
  }
  std::string permutation(int n) { return fmt::format("(i => {})", permuted_index(n)); }

  /// How far an array of n elements is rotated: either way, more than once around too.
  std::string rotation(int n) { return std::to_string(below(4 * n + 1) - 2 * n); }

  // ---- Expressions.
  std::string scalar(int fuel) {
    std::string variable = variable_of({});
    if (fuel <= 0 || chance(0.2))
      return variable.empty() || chance(0.2) ? fmt::format("{}", below(9)) : variable;
    switch (below(9)) {
      case 0:
      case 1:
        return fmt::format("({} {} {})", scalar(fuel - 1), pick({"+", "-"}), scalar(fuel - 1));
      case 2:
        return fmt::format("{}({}, {})", pick({"min", "max"}), scalar(fuel - 1), scalar(fuel - 1));
      case 3:
        return fmt::format("({} % {})", scalar(fuel - 1), 2 + below(50));
      case 4:
        return fmt::format("(if {} {} {} then {} else {})", scalar(fuel - 2), pick({"<", "==", ">="}),
                           scalar(fuel - 2), scalar(fuel - 2), scalar(fuel - 2));
      case 5: {
        Shape shape{extent()};
        return fmt::format("({} |> reduce({}, {}))", array(shape, fuel - 2), fold(), scalar(0));
      }
      case 6: {
        int n = extent();
        return fmt::format("({})[{}]", array({n}, fuel - 2), element_index(n));
      }
      case 7: {
        std::string value = scalar(fuel - 1), name = fresh("s");
        scope_.push_back({name, {}});
        std::string body = scalar(fuel - 1);
        scope_.pop_back();
        return fmt::format("(let {} = {} in {})", name, value, body);
      }
      default:
        return fmt::format("(({} % 31) * {})", scalar(fuel - 1), below(7));
    }
  }

  std::string element_index(int n) {
    std::string variable = variable_of({});
    if (variable.empty() || chance(0.6)) return fmt::format("{}", below(n));
    return fmt::format("max(0, min({}, {}))", n - 1, variable);
  }

  std::string array(const Shape& shape, int fuel) {
    if (shape.empty()) return scalar(fuel);
    std::string variable = variable_of(shape);
    if (!variable.empty() && (fuel <= 0 || chance(0.25))) return variable;
    Shape rest = rest_of(shape);
    int n = shape[0];
    if (fuel <= 0 || count(shape) > 400) {
      scope_.push_back({fresh("i"), {}});
      std::string index = scope_.back().name, body = array(rest, 0);
      scope_.pop_back();
      return fmt::format("generate({}, {} => {})", n, index,
                         rest.empty() && chance(0.7) ? index + " % 5" : body);
    }
    for (;;) {
      std::string text = pattern(shape, rest, n, fuel - 1);
      if (!text.empty()) return text;
    }
  }

  /// One pattern around smaller expressions; empty where the pattern drawn cannot make this shape.
  std::string pattern(const Shape& shape, const Shape& rest, int n, int fuel) {
    switch (below(23)) {
      case 0:
      case 1: {
        Shape element = chance(0.5) ? rest : Shape{};
        return fmt::format("({} |> map{})", array(with_outer(n, element), fuel),
                           lambda({element}, [&] { return array(rest, fuel); }));
      }
      case 2: {
        Shape first = chance(0.6) ? rest : Shape{}, second = chance(0.5) ? Shape{} : rest;
        return fmt::format("(zip({}, {}) |> map{})", array(with_outer(n, first), fuel),
                           array(with_outer(n, second), fuel),
                           lambda({first, second}, [&] { return array(rest, fuel); }));
      }
      case 3: {
        std::string index = fresh("i");
        scope_.push_back({index, {}});
        std::string body = array(rest, fuel);
        scope_.pop_back();
        return fmt::format("generate({}, {} => {})", n, index, body);
      }
      case 4:
        if (!rest.empty()) return "";
        return fmt::format("({} |> scan({}, {}))", array(shape, fuel), fold(), scalar(1));
      case 5: {
        if (shape.size() < 2) return "";
        Shape flat = rest;
        flat[0] *= n;
        return fmt::format("({} |> split({}))", array(flat, fuel), rest[0]);
      }
      case 6: {
        int inner = 1 + below(n);
        if (shape.size() > 2 || n % inner != 0) return "";
        return fmt::format("({} |> join)", array(with_outer(n / inner, with_outer(inner, rest)), fuel));
      }
      case 7: {
        if (shape.size() < 2) return "";
        Shape turned = shape;
        std::swap(turned[0], turned[1]);
        return fmt::format("({} |> transpose)", array(turned, fuel));
      }
      case 8: {
        if (shape.size() < 2) return "";
        int step = 1 + below(3);
        Shape source = rest;
        source[0] = (n - 1) * step + rest[0];
        return fmt::format("({} |> slide({}, {}))", array(source, fuel), rest[0], step);
      }
      case 9: {
        if (n < 2) return "";
        int left = below(n), right = below(n - left);
        std::string mode =
            rest.empty() && chance(0.4) ? fmt::format("{}", below(9)) : pick({"clamp", "mirror", "wrap"});
        return fmt::format("({} |> pad({}, {}, {}))", array(with_outer(n - left - right, rest), fuel), left,
                           right, mode);
      }
      case 10:
        return fmt::format("({} |> gather((i => (i * {} + {}) % {})))", array(shape, fuel), below(4),
                           below(4), n);
      case 11:
        return fmt::format("({} |> scatter({}))", array(shape, fuel), permutation(n));
      case 12:
        return fmt::format("({} |> take({}))", array(with_outer(n + below(3), rest), fuel), n);
      case 13: {
        int dropped = below(4);
        return fmt::format("({} |> drop({}))", array(with_outer(n + dropped, rest), fuel), dropped);
      }
      case 14: {
        if (n < 2) return "";
        int first = 1 + below(n - 1);
        return fmt::format("concat({}, {})", array(with_outer(first, rest), fuel),
                           array(with_outer(n - first, rest), fuel));
      }
      case 15: {
        if (!rest.empty()) return "";
        return fmt::format("({} |> map(reduce({}, {})))", array({n, extent()}, fuel), fold(), scalar(0));
      }
      case 16: {
        // The length of what is iterated on has a name of its own, so the body must keep any length.
        std::string body = lambda({rest}, [&] { return array(rest, fuel - 2); });
        return fmt::format("({} |> iterate({}, v => v |> map{} |> gather({})))", array(shape, fuel - 1),
                           1 + below(3), body, permutation(n));
      }
      case 17: {
        Shape bound = chance(0.5) ? shape : some_shape();
        std::string value = array(bound, fuel), name = fresh("v");
        scope_.push_back({name, bound});
        std::string body = array(shape, fuel);
        scope_.pop_back();
        return fmt::format("(let {} = {} in {})", name, value, body);
      }
      case 18:
        return fmt::format("(if {} < {} then {} else {})", scalar(1), scalar(1), array(shape, fuel),
                           array(shape, fuel));
      case 19: {
        int outer = extent();
        if (count(shape) * outer > 400) return "";
        return fmt::format("({})[{}]", array(with_outer(outer, shape), fuel), element_index(outer));
      }
      case 20: {
        std::string pairs = fmt::format("zip({}, {})", array(shape, fuel), array(with_outer(n, {}), fuel));
        return fmt::format("(unzip({}).0)", pairs);
      }
      case 21:
        return fmt::format("({} |> rotate({}))", array(shape, fuel), rotation(n));
      default: {
        if (rest.size() > 1 || count(shape) > 100) return "";
        std::string step = lambda({shape, shape}, [&] { return array(shape, fuel - 2); });
        return fmt::format("({} |> reduce({}, {}))", array(with_outer(extent(), shape), fuel - 1), step,
                           array(shape, 0));
      }
    }
  }

  // ---- Low level.
  /// A chain of sequential maps over a variable.
  std::string sequential_stages(const std::string& start, const Shape& shape) {
    std::string text = start;
    int stages = 1 + below(3);
    for (int s = 0; s < stages; ++s) {
      text += fmt::format(" |> {}{}", pick({"mapSeq", "map", "mapSeqUnroll"}),
                          lambda({{}}, [&] { return scalar(2); }));
      if (s + 1 < stages && chance(0.6)) text += pick({" |> toPrivate", " |> toGlobal"});
      if (chance(0.4)) text += fmt::format(" |> gather({})", permutation(shape[0]));
    }
    return text;
  }

  /// A layout pattern that reads the elements of an array of `n` in another order or number; `n` becomes the
  /// new length.
  std::string rearranged(int& n) {
    switch (below(8)) {
      case 0:
        return fmt::format(" |> gather({})", permutation(n));
      case 1: {
        int left = below(3), right = below(3);
        std::string text =
            fmt::format(" |> pad({}, {}, {})", left, right, pick({"clamp", "mirror", "wrap", "5"}));
        n += left + right;
        return text;
      }
      case 2: {
        int window = 1 + below(std::min(n, 3));
        n = n - window + 1;
        return fmt::format(" |> slide({}, 1) |> map(reduce({}, 0))", window, pick({"+", "max"}));
      }
      case 3: {
        int inner = 1 + below(n);
        if (n % inner != 0) return "";
        return fmt::format(" |> split({}) |> transpose |> join", inner);
      }
      case 4: {
        if (n < 2) return "";
        int dropped = 1 + below(n - 1);
        n -= dropped;
        return fmt::format(" |> {}({})", dropped % 2 ? "drop" : "take", dropped % 2 ? dropped : n);
      }
      case 5: {
        int inner = 1 + below(n);
        if (n % inner != 0) return "";
        n /= inner;
        return fmt::format(" |> split({}) |> map(reduce({}, 0))", inner, pick({"+", "max"}));
      }
      case 6:
        return fmt::format(" |> rotate({})", rotation(n));
      default:
        return "";
    }
  }

  /// Stages of a group over a row: each stage's results are kept in some memory and read in another order by
  /// the next.
  std::string local_stages(const std::string& start, int n) {
    std::string text = start;
    int stages = 1 + below(4);
    for (int s = 0; s < stages; ++s) {
      text += rearranged(n);
      text += fmt::format("\n    |> mapLcl(0, {})", lambda({{}}, [&] { return scalar(2); }));
      if (s + 1 == stages) break;
      text += pick({" |> toLocal", " |> toLocal", "", " |> toGlobal"});
      if (chance(0.2)) {
        // The next stages read this one's result twice.
        std::string name = fresh("t");
        int left = n, right = n;
        std::string first = rearranged(left), second = rearranged(right);
        int both = std::min(left, right);
        text = fmt::format(
            "(let {0} = {1} in zip({0}{2} |> take({4}), {0}{3} |> take({4})) |> map((l, r) => (l - 2 * r) "
            "% 997))",
            name, text, first, second, both);
        n = both;
      }
      if (chance(0.2)) {
        text += fmt::format("\n    |> iterate({}, v => v |> gather({}) |> mapLcl(0, {}) |> toLocal)",
                            1 + below(4), permutation(n), lambda({{}}, [&] { return scalar(1); }));
      }
      if (chance(0.15)) {
        // Kept by the work-items themselves, consumed in the same order.
        text += fmt::format("\n    |> mapLcl(0, {}) |> toPrivate", lambda({{}}, [&] { return scalar(1); }));
        text += fmt::format("\n    |> mapLcl(0, {}) |> toLocal", lambda({{}}, [&] { return scalar(1); }));
      }
    }
    if (chance(0.3)) {
      // A sequence of tiles through the same local memory.
      int tiles = 1 + below(3);
      text = fmt::format(
          "generate({}, tile => {} |> map(e => e + tile))\n    |> mapSeq(tile => tile |> mapLcl(0, id) "
          "|> toLocal |> gather({}) |> mapLcl(0, {}))",
          tiles, start, permutation(row_length(start)), lambda({{}}, [&] { return scalar(1); }));
    }
    return text;
  }
  /// Groups that learn how long they are when they are launched, in one dimension or the inner one of two.
  std::string launched_groups(int groups) {
    const int length = extent(), rows = chance(0.5) ? 1 : 1 + below(4);
    const std::string size = fmt::format("?t@{}", length), row = fresh("row");
    const auto in_order = [&] {
      std::string text;
      for (int step = below(3); step > 0; --step)
        text += pick({" |> reverse", " |> rotate(1)", " |> rotate(-2)", " |> map(e => e - 3)"});
      return text;
    };
    const auto computed = [&] {
      std::string text =
          fmt::format("{} |> mapLcl(0, {})", in_order(), lambda({{}}, [&] { return scalar(2); }));
      if (chance(0.3))
        text += fmt::format("{} |> mapLcl(0, {})", in_order(), lambda({{}}, [&] { return scalar(1); }));
      return text;
    };
    const std::string parameters = declare_parameters({groups * rows * length});
    const std::string source = array({groups * rows * length}, 1);
    const std::string parts = source + in_order() + fmt::format(" |> split({})", size);
    if (rows == 1)
      return fmt::format("def p({}) =\n  {} |> mapWrg(0, {} => {}{}) |> join{}\n", parameters, parts, row,
                         row, computed(), in_order());
    return fmt::format(
        "def p({}) =\n  {} |> split({}) |> mapWrg(0, mapLcl(1, {} => {}{})) |> join |> join{}\n", parameters,
        parts, rows, row, row, computed(), in_order());
  }

  int row_length(const std::string& name) const {
    for (const Variable& each : scope_) {
      if (each.name == name) return each.shape[0];
    }
    throw std::logic_error("no variable " + name);
  }

  /// Groups of two dimensions over planes.
  std::string low_level_planes(int groups) {
    int h = 1 + below(5), w = 1 + below(6);
    std::string parameters = declare_parameters({groups, h, w});
    std::string source = array({groups, h, w}, 2), plane = fresh("plane");
    std::string text = plane;
    scope_.push_back({plane, {h, w}});
    int stages = 1 + below(3);
    for (int s = 0; s < stages; ++s) {
      switch (below(4)) {
        case 0:
          text += " |> transpose";
          std::swap(h, w);
          break;
        case 1:
          text += fmt::format(" |> gather({})", permutation(h));
          break;
        case 2:
          text += fmt::format(" |> map(gather({}))", permutation(w));
          break;
        default:
          break;
      }
      if (chance(0.25)) {
        // The outer work-items' rows go through stages of their own.
        text += fmt::format(
            "\n    |> mapLcl(1, r => r |> mapLcl(0, {}) |> toLocal |> gather({}) |> mapLcl(0, {}))",
            lambda({{}}, [&] { return scalar(1); }), permutation(w), lambda({{}}, [&] { return scalar(1); }));
      } else {
        text += fmt::format("\n    |> mapLcl(1, mapLcl(0, {}))", lambda({{}}, [&] { return scalar(2); }));
      }
      if (s + 1 < stages) text += " |> toLocal";
    }
    scope_.pop_back();
    return fmt::format("def p({}) =\n  {} |> mapWrg(0, {} => {})\n", parameters, source, plane, text);
  }

  std::vector<Variable> scope_;
};

}  // namespace

std::string random_high_level_program(std::uint64_t seed) { return Generator(seed).high_level(); }

std::string random_low_level_program(std::uint64_t seed) {
  return Generator(seed ^ 0x9e3779b97f4a7c15U).low_level();
}

}  // namespace hoist::testing_support
