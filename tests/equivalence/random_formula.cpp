#include "equivalence/random_formula.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "equivalence/random_choices.hpp"

namespace hoist::testing_support {
namespace {

class Formula : RandomChoices {
 public:
  explicit Formula(std::uint64_t seed) : RandomChoices(seed), scalar_(chance(0.7) ? "f32" : "f64") {}

  RandomNest make() {
    RandomNest result;
    const int rows = 7 + below(60), columns = 17 + below(1400);
    switch (below(8)) {
      case 0:
        result.text = fmt::format("def p(x: [N]{0}, y: [N]{0}) = zip(x, y) |> map((a, b) => {1})\n", scalar_,
                                  bound({"a", "b"}));
        break;
      case 1:
        result.text =
            fmt::format("def p(x: [N]{0}, y: [N]{0}, s: {0}) =\n  zip(x, y) |> map((a, b) => {1}) |> unzip\n",
                        scalar_, bound({"a", "b", "s"}, true));
        break;
      case 2:
        result.text =
            fmt::format("def p(x: [N]{}) = x |> pad(1, 1, {}) |> slide(3, 1) |> map(n => {})\n", scalar_,
                        pick({"clamp", "mirror", "wrap"}), bound({"n[0]", "n[1]", "n[2]"}));
        break;
      case 3:
        result.rank = 2;
        result.text =
            fmt::format("def p(x: [M][N]{0}, y: [N]{0}) = x |> map(r => zip(r, y) |> map((a, b) => {1}))\n",
                        scalar_, bound({"a", "b"}));
        break;
      case 4:
        result.rank = 2;
        result.text =
            fmt::format("def p(x: [M][N]{}) = x |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(n => {})\n",
                        scalar_, bound({"n[0][1]", "n[1][0]", "n[1][1]", "n[1][2]", "n[2][1]"}));
        break;
      case 5:
        result.rank = 2;
        result.text = fmt::format(
            "def p(x: [M][N]{0}, y: [N]{0}) = x |> map(r => zip(r, y) |> map((a, b) => {1}) |> reduce(+, "
            "0.0))\n",
            scalar_, bound({"a", "b"}));
        break;
      case 6:
        result.rank = 2;
        result.text = fmt::format(
            "def p(x: [M][N]{0}, y: [M]{0}) = transpose(x) |> map(r => zip(r, y) |> map((a, b) => {1}) |> "
            "reduce(+, "
            "0.0))\n",
            scalar_, bound({"a", "b"}));
        break;
      default:
        result.text =
            fmt::format("def p(x: [N]{0}, y: [N]{0}) = zip(x, y) |> map((a, b) => {1}) |> reduce(+, 0.0)\n",
                        scalar_, bound({"a", "b"}));
        break;
    }
    if (result.rank == 2) result.sizes = {{"M", rows}, {"N", columns}};
    if (result.rank == 1) result.sizes = {{"N", columns}};
    return result;
  }

 private:
  using Names = std::vector<std::string>;

  std::string any(const Names& names) {
    return names[static_cast<std::size_t>(below(static_cast<int>(names.size())))];
  }

  /// A formula with a name or two for what is taken several times.
  std::string bound(Names names, bool is_pair = false) {
    std::string text;
    for (int count = below(3); count > 0; --count) {
      const std::string name = fresh("t");
      const std::string value =
          chance(0.6) ? fmt::format("{} * {}", any(names), operand(names)) : formula(names, 2);
      text += fmt::format("let {} = {} in ", name, value);
      names.push_back(name);
    }
    text += is_pair ? fmt::format("({}, {})", formula(names, 2), formula(names, 2)) : formula(names, 3);
    return "(" + text + ")";
  }

  std::string operand(const Names& names) {
    return chance(0.8) ? any(names) : fmt::format("{}.{}", below(3), 1 + below(9));
  }

  std::string formula(const Names& names, int depth) {
    if (depth == 0) return chance(0.4) ? fmt::format("{} * {}", any(names), operand(names)) : any(names);
    const std::string a = formula(names, depth - 1), b = formula(names, depth - 1);
    switch (below(10)) {
      case 0:
      case 1:
        return fmt::format("(({}) + ({}))", a, b);
      case 2:
        return fmt::format("(({}) - ({}))", a, b);
      case 3:
        return fmt::format("(({}) * ({}))", a, b);
      case 4:
        return fmt::format("(({}) / (abs({}) + 0.75))", a, b);
      case 5:
        return fmt::format("(if {} > {} then {} else {})", any(names), operand(names), a, b);
      case 6:
        return fmt::format("{}({})", pick({"sin", "cos", "tanh", "atan", "abs"}), a);
      case 7:
        return fmt::format("{}(abs({}) + 0.375)", pick({"log", "sqrt", "log2", "rsqrt"}), a);
      case 8:
        return fmt::format("exp(min({}, 4.0))", a);
      default:
        return chance(0.5) ? fmt::format("pow(abs({}) + 0.125, 1.75)", a) : fmt::format("max({}, {})", a, b);
    }
  }

  std::string scalar_;
};

}  // namespace

RandomNest random_formula(std::uint64_t seed) { return Formula(seed).make(); }

}  // namespace hoist::testing_support
