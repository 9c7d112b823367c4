#include "equivalence/random_nest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>

namespace hoist::testing_support {

namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  int between(int least, int most) { return least + below(most - least + 1); }
  bool chance(double p) { return below(1000) < static_cast<int>(1000 * p); }

 private:
  std::mt19937_64 engine_;
};

/// An array that a nest reads: the dimensions that it has; then, perhaps, the one that is reduced.
struct Input {
  std::string name;
  std::vector<int> dims;
  bool is_reduced = false;
  std::string now;  ///< the view of it where the text has got to
};

class Contraction {
 public:
  explicit Contraction(std::uint64_t seed) : random_(seed) {}

  RandomNest make() {
    result_.rank = rank_ = random_.between(1, 3);
    constexpr int lengths[] = {4, 8, 8, 4, 6, 8};
    for (int d = 0; d < rank_; ++d)
      result_.sizes.emplace_back(fmt::format("N{}", d), lengths[random_.below(6)]);
    has_reduction_ = random_.chance(0.75);
    if (has_reduction_) result_.sizes.emplace_back("K", lengths[random_.below(6)]);
    const int count = random_.between(1, 3);
    for (int i = 0; i < count; ++i) add_input(i);
    for (int d = 0; d < rank_; ++d) {  // every dimension has an input
      bool has = false;
      for (const Input& input : inputs_) {
        for (const int own : input.dims) has = has || own == d;
      }
      if (!has) inputs_.push_back({fmt::format("v{}", d), {d}, false, {}});
    }
    std::string parameters;
    for (Input& input : inputs_) {
      input.now = input.name;
      std::string type;
      for (const int d : input.dims) type += fmt::format("[N{}]", d);
      if (input.is_reduced) type += "[K]";
      parameters += fmt::format("{}{}: {}i32", parameters.empty() ? "" : ", ", input.name, type);
    }
    result_.text = fmt::format("def p({}) =\n  {}\n", parameters, written(0));
    return result_;
  }

 private:
  void add_input(int number) {
    Input input{fmt::format("x{}", number), {}, has_reduction_ && (number == 0 || random_.chance(0.6)), {}};
    for (int d = 0; d < rank_; ++d) {
      if (random_.chance(0.6)) input.dims.push_back(d);
    }
    if (input.dims.empty() && !input.is_reduced) input.dims.push_back(random_.below(rank_));
    inputs_.push_back(input);
  }

  std::string written(int dimension) {
    if (dimension == rank_) return body();
    std::vector<std::string> arrays, names;
    for (Input& input : inputs_) {
      for (const int d : input.dims) {
        if (d != dimension) continue;
        arrays.push_back(input.now);
        input.now = fmt::format("{}_{}", input.name, dimension);
        names.push_back(input.now);
      }
    }
    if (arrays.size() == 1)
      return fmt::format("{} |> map({} => {})", arrays[0], names[0], written(dimension + 1));
    return fmt::format("zip({}) |> map(({}) => {})", fmt::join(arrays, ", "), fmt::join(names, ", "),
                       written(dimension + 1));
  }

  std::string body() {
    std::vector<std::string> rows, terms;
    for (const Input& input : inputs_) (input.is_reduced ? rows : terms).push_back(input.now);
    if (!rows.empty()) {
      std::vector<std::string> names;
      for (std::size_t i = 0; i < rows.size(); ++i) names.push_back(fmt::format("e{}", i));
      const std::string init = random_.chance(0.3) && !terms.empty() ? terms[0] : "0";
      terms.push_back(rows.size() == 1 ? fmt::format("({} |> reduce(+, {}))", rows[0], init)
                                       : fmt::format("(zip({}) |> map(({}) => {}) |> reduce(+, {}))",
                                                     fmt::join(rows, ", "), fmt::join(names, ", "),
                                                     fmt::join(names, " * "), init));
    }
    return fmt::format("3 + {}", fmt::join(terms, random_.chance(0.5) ? " + " : " * "));
  }

  Random random_;
  int rank_ = 1;
  bool has_reduction_ = false;
  std::vector<Input> inputs_;
  RandomNest result_;
};

class StencilText {
 public:
  explicit StencilText(std::uint64_t seed) : random_(seed) {}

  RandomNest make() {
    result_.rank = rank_ = random_.between(1, 3);
    constexpr int lengths[] = {4, 8, 6, 8};
    for (int d = 0; d < rank_; ++d)
      result_.sizes.emplace_back(fmt::format("N{}", d), lengths[random_.below(4)]);
    const bool is_plain_too = random_.chance(0.4), has_second = random_.chance(0.25);
    std::vector<std::string> arrays{windows("u")}, names{"n"};
    std::string parameters = "u: " + type();
    std::string sum = reads("n");
    if (has_second) {
      parameters += ", v: " + type();
      arrays.push_back(windows("v"));
      names.emplace_back("m");
      sum += " + " + reads("m");
    }
    if (is_plain_too) {
      parameters += ", q: " + type();
      arrays.emplace_back("q");
      names.emplace_back("r");
      sum += " - 5 * r";
    }
    if (random_.chance(0.2)) sum = fmt::format("({}, 7 * {})", sum, reads("n"));
    result_.text = fmt::format("def p({}) =\n  {}\n", parameters, nest(arrays, names, sum, 0));
    return result_;
  }

 private:
  std::string type() const {
    std::string text;
    for (int d = 0; d < rank_; ++d) text += fmt::format("[N{}]", d);
    return text + "i32";
  }

  static std::string nest(const std::vector<std::string>& arrays, const std::vector<std::string>& names,
                          const std::string& body, int depth, int rank) {
    if (depth == rank) return body;
    if (arrays.size() == 1)
      return fmt::format("{} |> map({} => {})", arrays[0], names[0],
                         nest(names, names, body, depth + 1, rank));
    return fmt::format("zip({}) |> map(({}) => {})", fmt::join(arrays, ", "), fmt::join(names, ", "),
                       nest(names, names, body, depth + 1, rank));
  }
  std::string nest(const std::vector<std::string>& arrays, const std::vector<std::string>& names,
                   const std::string& body, int depth) const {
    return nest(arrays, names, body, depth, rank_);
  }

  /// Neighbourhoods of an array, as many as it has elements; all windows of the program are as large.
  std::string windows(const std::string& array) {
    while (window_.size() < static_cast<std::size_t>(rank_)) {
      window_.push_back(random_.between(1, 3));
      before_.push_back(random_.below(window_.back()));
    }
    constexpr const char* rules[] = {"clamp", "mirror", "wrap"};
    const int rule = random_.below(4);
    std::string text = array;
    for (int d = rank_; d-- > 0;) {
      const auto at = static_cast<std::size_t>(d);
      const int after = window_[at] - 1 - before_[at];
      text = rule < 3 ? inside(text, d,
                               fmt::format("pad({}, {}, {})", before_[at], after, rules[random_.below(3)]))
                      : padded_by_value(text, d, before_[at], after);
    }
    return slid(text, 0);
  }

  static std::string inside(const std::string& array, int depth, std::string step) {
    for (int i = 0; i < depth; ++i) step = fmt::format("map({})", step);
    return fmt::format("{} |> {}", array, step);
  }
  /// The dimension brought inside, since the value is a scalar.
  std::string padded_by_value(std::string array, int dimension, int before, int after) const {
    for (int d = dimension; d + 1 < rank_; ++d) array = inside(array, d, "transpose");
    array = inside(array, rank_ - 1, fmt::format("pad({}, {}, 11)", before, after));
    for (int d = rank_ - 1; d-- > dimension;) array = inside(array, d, "transpose");
    return array;
  }

  std::string slid(const std::string& array, int from) const {
    const int width = window_[static_cast<std::size_t>(from)];
    if (from + 1 == rank_) return fmt::format("{} |> slide({}, 1)", array, width);
    const std::string name = fmt::format("s{}", from);
    std::string text =
        fmt::format("{} |> map({} => {}) |> slide({}, 1)", array, name, slid(name, from + 1), width);
    // The window's own dimension goes behind those of the positions.
    return text + (rank_ - from == 2 ? " |> map(transpose)" : " |> map(transpose >> map(transpose))");
  }

  std::string reads(const std::string& name) {
    std::vector<std::string> terms;
    const int count = random_.between(1, 6);
    for (int i = 0; i < count; ++i) {
      std::string place;
      for (const int width : window_) place += fmt::format("[{}]", random_.below(width));
      terms.push_back(fmt::format("{} * {}{}", random_.between(1, 9), name, place));
    }
    if (random_.chance(0.3)) terms.push_back(rows_of_one_kind(name));
    return fmt::format("({})", fmt::join(terms, " + "));
  }
  /// The same function of several places of the outermost dimension.
  std::string rows_of_one_kind(const std::string& name) {
    std::vector<std::string> rows;
    for (int k = 0; k < window_[0]; ++k) {
      std::string last = fmt::format("{}[{}]", name, k), first = last;
      for (std::size_t d = 1; d < window_.size(); ++d) {
        first += "[0]";
        last += fmt::format("[{}]", window_[d] - 1);
      }
      rows.push_back(fmt::format("{} * ({} * {})", k + 2, first, last));
    }
    return fmt::format("({})", fmt::join(rows, " - "));
  }

  Random random_;
  int rank_ = 1;
  std::vector<int> window_, before_;
  RandomNest result_;
};

/// Maps over the N of arrays, in them over the M.
class TransposedText {
 public:
  explicit TransposedText(std::uint64_t seed) : random_(seed) {}

  RandomNest make() {
    constexpr int lengths[] = {4, 8, 12, 16, 7, 15, 72, 96, 130, 150, 192, 200};
    is_square_ = random_.chance(0.3);
    RandomNest result;
    result.rank = 2;
    result.sizes = {{"N", lengths[random_.below(12)]}, {"M", lengths[random_.below(7)]}};
    n_ = result.sizes[0].second;
    m_ = is_square_ ? n_ : result.sizes[1].second;
    if (is_square_) result.sizes.pop_back();
    for (int count = random_.between(1, 3), input = 0; input < count; ++input)
      add_input(fmt::format("x{}", input));
    if (has_k_) result.sizes.emplace_back("K", random_.between(2, 6));
    result.text = fmt::format("def p({}) =\n  {} |> map({} => {} |> map({} => {}))\n",
                              fmt::join(parameters_, ", "), joined("zip", arrays_), joined("", outer_),
                              joined("zip", inner_), joined("", elements_), fmt::join(terms_, " + "));
    // Windows have lengths that only numbers show to be those of other arrays.
    for (const auto& [name, length] : result.sizes) {
      const std::string size = "[" + name + "]";
      for (std::size_t at; has_windows_ && (at = result.text.find(size)) != std::string::npos;)
        result.text.replace(at, size.size(), fmt::format("[{}]", length));
    }
    if (has_windows_) result.sizes.clear();
    return result;
  }

 private:
  static std::string joined(const std::string& what, const std::vector<std::string>& names) {
    return names.size() == 1 ? names.front() : fmt::format("{}({})", what, fmt::join(names, ", "));
  }
  std::string m() const { return is_square_ ? "N" : "M"; }

  /// A parameter of these dimensions.
  void add_parameter(const std::string& name, const std::string& dimensions) {
    std::string type;
    for (const char each : dimensions) type += fmt::format("[{}]", each == 'M' ? m() : std::string(1, each));
    parameters_.push_back(fmt::format("{}: {}i32", name, type));
  }
  /// An array of N of M of something, and what is computed from that.
  void add_view(const std::string& view, const std::string& term) {
    const std::string number = std::to_string(arrays_.size());
    arrays_.push_back(view);
    outer_.push_back("r" + number);
    inner_.push_back("r" + number);
    elements_.push_back("e" + number);
    std::string text = term;
    for (std::size_t at; (at = text.find('$')) != std::string::npos;) text.replace(at, 1, "e" + number);
    terms_.push_back(fmt::format("{} * {}", random_.between(1, 9), text));
  }

  void add_input(const std::string& name) {
    const int kind = n_ % 2 == 0 && random_.chance(0.08) ? 9 : random_.below(9);
    const std::string turned = random_.chance(0.2)   ? " |> reverse"
                               : random_.chance(0.2) ? " |> map(reverse)"
                                                     : "";
    if (kind < 3) {
      add_parameter(name, "MN");
      add_view(fmt::format("transpose({}){}", name, turned), "$");
      if (is_square_ && random_.chance(0.5)) add_view(name, "$");
    } else if (kind == 3) {
      add_parameter(name, "NM");
      add_view(name + turned, "$");
    } else if (kind == 4) {
      add_parameter(name, "MN");
      constexpr const char* rules[] = {"clamp", "mirror", "wrap"};
      const int width = random_.between(2, 3);
      add_view(fmt::format("transpose({}) |> pad2({}, 0, {}) |> slide2({}, 1)", name, width - 1,
                           rules[random_.below(3)], width),
               fmt::format("($[0][{}] - $[{}][0])", random_.below(width), width - 1));
    } else if (kind < 8) {
      // To N, M, K, whose elements are reduced or picked.
      constexpr std::pair<const char*, const char*> orders[] = {
          {"MNK", "transpose({})"},
          {"NKM", "{} |> map(transpose)"},
          {"MKN", "transpose({} |> map(transpose))"},
          {"KMN", "{} |> map(transpose) |> transpose |> map(transpose)"},
          {"KNM", "transpose({}) |> map(transpose)"}};
      const auto& [dimensions, view] = orders[random_.below(5)];
      has_k_ = true;
      add_parameter(name, dimensions);
      add_view(fmt::format("({}){}", fmt::format(fmt::runtime(view), name), turned),
               random_.chance(0.6) ? "($ |> reduce(+, 0))" : "$[1]");
    } else if (kind == 9) {
      // Overlapping rows, so that columns go on in the next one.
      has_windows_ = true;
      parameters_.push_back(fmt::format("{}: [{}]i32", name, n_ / 2 * (m_ + 1)));
      add_view(fmt::format("transpose({} |> slide({}, {}))", name, n_, n_ / 2), "$");
    } else {
      has_k_ = true;
      add_parameter(name, "KN");
      add_parameter(name + "_m", random_.chance(0.5) ? "KM" : "MK");
      const bool is_by_rows = parameters_.back().find("[K]") > parameters_.back().find(m());
      const std::string other = is_by_rows ? name + "_m" : fmt::format("transpose({}_m)", name);
      add_view(fmt::format("(transpose({}) |> map(c => {} |> map(d => zip(c, d))))", name, other),
               "($ |> map((p, q) => p * q) |> reduce(+, 0))");
    }
  }

  Random random_;
  std::int64_t n_ = 0, m_ = 0;
  bool is_square_ = false, has_k_ = false, has_windows_ = false;
  std::vector<std::string> parameters_, arrays_, outer_, inner_, elements_, terms_;
};

/// Reductions under no map or one, that many work-items may do together.
class ReductionText {
 public:
  explicit ReductionText(std::uint64_t seed) : random_(seed) {}

  RandomNest make() {
    RandomNest result;
    result.rank = random_.below(2);
    constexpr int lengths[] = {8, 16, 24, 32, 48};
    result.sizes = {{"K", lengths[random_.below(5)]}};
    const bool is_float = random_.chance(0.5), has_rows = result.rank == 1;
    const std::string scalar = is_float ? "f32" : "i32";
    if (has_rows) result.sizes.emplace_back("N", random_.between(2, 6));
    const std::string reduced = reduction(has_rows ? "row" : "x", scalar);
    const std::string second = is_product_ ? fmt::format(", y: [K]{}", scalar) : "";
    result.text =
        has_rows ? fmt::format("def p(x: [N][K]{}{}) =\n  x |> map(row => {})\n", scalar, second, reduced)
                 : fmt::format("def p(x: [K]{}{}) =\n  {}\n", scalar, second, reduced);
    return result;
  }

 private:
  std::string reduction(const std::string& array, const std::string& scalar) {
    const bool is_float = scalar == "f32";
    is_product_ = random_.chance(0.6);
    if (is_product_) {
      const std::string zero = is_float ? "0.0" : "0";
      return fmt::format("zip({}, y) |> map((a, b) => a * b) |> reduce(+, {})", array, zero);
    }
    const std::vector<std::pair<std::string, std::string>> operators = {
        {"+", "0"}, {"max", "-2147483648"}, {"min", "2147483647"}, {"*", "1"}};
    const auto& [name, neutral] = is_float ? std::pair<std::string, std::string>{"+", "0.0"}
                                           : operators[static_cast<std::size_t>(random_.below(4))];
    const std::string mapped = random_.chance(0.5) ? fmt::format("{} |> map(a => a * a)", array) : array;
    return fmt::format("{} |> reduce({}, {})", mapped, name, neutral);
  }

  Random random_;
  bool is_product_ = false;
};

/// A nest of one or two maps whose elements reduce rows that are put together: of windows, as a convolution
/// does, or of matrices.
class RowsText {
 public:
  explicit RowsText(std::uint64_t seed) : random_(seed) {}

  RandomNest make() {
    RandomNest result;
    result.rank = random_.between(1, 2);
    constexpr int lengths[] = {4, 8, 6, 8};
    for (int d = 0; d < result.rank; ++d)
      result.sizes.emplace_back(fmt::format("N{}", d), lengths[random_.below(4)]);
    const int rows = random_.between(1, 4), columns = random_.between(1, 4);
    const std::string of_rows = fmt::format("[{}][{}]i32", rows, columns);
    std::string data, type;
    if (result.rank == 1) {
      type = "[N0]" + of_rows;
      data = "x";
    } else {
      type = fmt::format("[N0 + {}][N1 + {}]i32", rows - 1, columns - 1);
      data = fmt::format("x |> map(slide({}, 1)) |> slide({}, 1) |> map(transpose)", columns, rows);
    }
    const std::string body = reduction();
    result.text = fmt::format("def p(x: {}, k: {}) =\n  {} |> {}\n", type, of_rows, data,
                              result.rank == 1 ? fmt::format("map(n => {})", body)
                                               : fmt::format("map(line => line |> map(n => {}))", body));
    return result;
  }

 private:
  std::string reduction() {
    const std::pair<const char*, const char*> operators[] = {
        {"+", "0"}, {"max", "-2147483648"}, {"min", "2147483647"}, {"+", "5"}};
    const auto& [name, start] = operators[random_.below(4)];
    const std::string combined = fmt::format("reduce({}, {})", name, start);
    if (random_.chance(0.3)) return fmt::format("2 + (join(n) |> {})", combined);
    return fmt::format("zip(join(n), join(k)) |> map((a, b) => a * b) |> {}", combined);
  }

  Random random_;
};

/// A nest of one or two maps over rows that are gone through several times, as a softmax does.
class PassesText {
 public:
  explicit PassesText(std::uint64_t seed) : random_(seed) {}

  RandomNest make() {
    RandomNest result;
    result.rank = random_.between(1, 2);
    constexpr int lengths[] = {8, 16, 24, 12, 32, 7};
    result.sizes = {{"R", random_.between(1, 5)}, {"C", lengths[random_.below(6)]}};
    if (result.rank == 2) result.sizes.emplace_back("B", random_.between(1, 3));
    arrays_ = {"row", "g"};
    std::string body;
    const int passes = random_.between(1, 4);
    for (int pass = 0; pass < passes; ++pass) {
      if (pass == 0 || random_.chance(0.6)) {
        const std::string name = fmt::format("s{}", scalars_.size());
        body += fmt::format("    let {} = {}\n", name, reduction());
        scalars_.push_back(name);
      } else {
        const std::string name = fmt::format("e{}", arrays_.size());
        body += fmt::format("    let {} = {}\n", name, mapped());
        arrays_.push_back(name);
      }
    }
    const std::string last = random_.chance(0.75) ? mapped() : reduction();
    const std::string row = fmt::format("row =>\n{}    in {}", body, last);
    result.text = result.rank == 1
                      ? fmt::format("def p(x: [R][C]i32, g: [C]i32) =\n  x |> map({})\n", row)
                      : fmt::format("def p(x: [B][R][C]i32, g: [C]i32) =\n  x |> map(map({}))\n", row);
    return result;
  }

 private:
  const std::string& array() {
    return arrays_[static_cast<std::size_t>(random_.below(static_cast<int>(arrays_.size())))];
  }

  /// One of the scalars that there are, or a number.
  std::string scalar() {
    const int which = random_.below(static_cast<int>(scalars_.size()) + 1);
    return which == 0 ? "3" : scalars_[static_cast<std::size_t>(which - 1)];
  }

  std::string mapped() {
    const std::string first = array();
    if (random_.chance(0.5)) return fmt::format("{} |> map(v => v - {})", first, scalar());
    if (random_.chance(0.2))
      return fmt::format("zip({}, zip({}, g)) |> map((a, b) => a + min(b.0, b.1))", first, array());
    return fmt::format("zip({}, {}) |> map((a, b) => max(a, {}) - b)", first, array(), scalar());
  }

  std::string reduction() {
    const std::pair<const char*, const char*> operators[] = {
        {"+", "0"}, {"max", "-2147483648"}, {"min", "2147483647"}, {"+", "5"}, {"min", "7"}};
    const auto& [name, start] = operators[random_.below(5)];
    const std::string of = random_.chance(0.5) ? array() : mapped();
    const std::string reduced = fmt::format("{} |> reduce({}, {})", of, name, start);
    return random_.chance(0.3) ? fmt::format("min(1000, {})", reduced) : reduced;
  }

  Random random_;
  std::vector<std::string> arrays_, scalars_;
};

}  // namespace

RandomNest random_passes(std::uint64_t seed) { return PassesText(seed).make(); }
RandomNest random_rows(std::uint64_t seed) { return RowsText(seed).make(); }
RandomNest random_transposed(std::uint64_t seed) { return TransposedText(seed).make(); }
RandomNest random_contraction(std::uint64_t seed) { return Contraction(seed).make(); }
RandomNest random_stencil(std::uint64_t seed) { return StencilText(seed).make(); }
RandomNest random_reduction(std::uint64_t seed) { return ReductionText(seed).make(); }

}  // namespace hoist::testing_support
