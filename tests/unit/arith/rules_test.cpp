// Every rule of the simplifier, one by one, on all small values of its variables and constants: the value is
// kept wherever there was one, and the rule fires somewhere.
#include <gtest/gtest.h>

#include "arith/arena.hpp"
#include "arith/parse.hpp"

namespace hoist::arith {
namespace {

/// x, y: any integers. z: a natural. m, n: sizes. i in [0,n), j in [0,m), l in [0,4), s in [0,12,4), t in
/// [-2,n), e in [0,n+2), h in [0, n/2), w in [0, ceildiv(n, 2)). C, D: constants, each from -4 to 6.
struct Rule {
  const char* name;
  const char* pattern;
  bool fires = true;  ///< false: a look-alike, for which the rule would be wrong
};

std::string name_of(const testing::TestParamInfo<Rule>& rule) { return rule.param.name; }

class Rules : public testing::TestWithParam<Rule> {};

struct Range {
  std::int64_t first, last, step;
};

/// The values that a variable takes where those of earlier ones are bound.
Range range_of(const Node& variable, const Bindings& bound) {
  if (variable.variable_kind == VariableKind::Size) return {1, 4, 1};
  if (variable.variable_kind == VariableKind::Data) return {variable.start ? 0 : -7, 7, 1};
  return {*evaluate(variable.start, bound), *evaluate(variable.stop, bound) - 1,
          *evaluate(variable.step, bound)};
}

/// Calls visit(bindings) for all values of these variables, the later ones ranging over the earlier.
template <class Visit>
void for_all_values(const std::vector<Expr>& all, std::size_t at, Bindings& bound, Visit&& visit) {
  if (at == all.size()) {
    visit(bound);
    return;
  }
  const Range range = range_of(*all[at].get(), bound);
  for (std::int64_t value = range.first; value <= range.last; value += range.step) {
    bound[all[at].get()] = value;
    for_all_values(all, at + 1, bound, visit);
  }
}

std::string with_constants(std::string pattern, std::int64_t c, std::int64_t d) {
  const auto replace = [&](char symbol, std::int64_t value) {
    for (std::size_t at = 0; (at = pattern.find(symbol, at)) != std::string::npos;) {
      pattern.replace(at, 1, std::to_string(value));
    }
  };
  replace('C', c);
  replace('D', d);
  return pattern;
}

TEST_P(Rules, KeepTheValueExhaustively) {
  const std::string pattern = GetParam().pattern;
  const Arena arena;
  Scope scope;
  scope.declare_size("m");
  scope.declare_size("n");
  for (const char* name : {"x", "y"}) scope.names[name] = data(name);
  scope.names["z"] = data("z", 0);
  for (const char* range : {"i in [0,n)", "j in [0,m)", "l in [0,4)", "s in [0,12,4)", "t in [-2,n)",
                            "e in [0,n+2)", "h in [0,n/2)", "w in [0,ceildiv(n,2))"}) {
    ASSERT_TRUE(scope.declare_index(range)) << range;
  }
  bool fires = false;
  int compared = 0;
  const bool has_c = pattern.find('C') != std::string::npos;
  const bool has_d = pattern.find('D') != std::string::npos;
  for (std::int64_t c = has_c ? -4 : 0; c <= (has_c ? 6 : 0); ++c) {
    for (std::int64_t d = has_d ? -4 : 0; d <= (has_d ? 6 : 0); ++d) {
      const std::string text = with_constants(pattern, c, d);
      Expr written;
      {
        const WithoutSimplification raw;
        written = parse(text, scope).value();
      }
      const Expr simplified = parse(text, scope).value();
      fires = fires || !(simplified == written);
      // Outer variables before those whose ranges mention them.
      std::vector<Expr> all;
      for (const char* name : {"m", "n", "x", "y", "z", "i", "j", "l", "s", "t", "e", "h", "w"}) {
        const Expr variable = scope.names[name];
        const bool is_bound_of_one = name[0] == 'm' || name[0] == 'n';
        if (is_bound_of_one || contains(written, variable)) all.push_back(variable);
      }
      Bindings bound;
      for_all_values(all, 0, bound, [&](const Bindings& values) {
        const auto expected = evaluate(written, values);
        if (!expected || testing::Test::HasFailure()) return;
        ++compared;
        std::string at;
        if (evaluate(simplified, values) != expected) {
          for (Expr variable : all)
            at += " " + variable->name + "=" + std::to_string(values.at(variable.get()));
        }
        EXPECT_EQ(evaluate(simplified, values), expected)
            << text << " became " << to_string(simplified) << " at" << at;
      });
      EXPECT_EQ(parse(to_string(simplified), scope).value(), simplified) << text;
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_EQ(fires, GetParam().fires);
  EXPECT_GT(compared, 0);
}

const Rule rules[] = {
    // sums and products
    {"like_terms", "C*x + D*x + y"},
    {"cancelling_terms", "(x + y) - x"},
    {"constants_of_sums", "(x + C) - (x + D)"},
    {"distribution", "(x + C)*(y + D) - x*y - C*y"},
    {"difference_of_squares", "(x + y)*(x - y) + y*y"},
    // quotients
    {"quotient_of_itself", "x / x"},
    {"quotient_by_one", "(x + C) / (y - y + 1)"},
    {"quotient_of_negated", "(C*x) / D"},
    {"quotient_by_negated", "x / (C*n)"},
    {"quotient_of_zero", "(x - x) / y"},
    {"quotient_cancels_constant", "(C*x) / (C*y)"},
    {"quotient_cancels_variable", "(x*y) / (y*n)"},
    {"quotient_cancels_in_sum", "(4*x + C*4) / 8"},
    {"quotient_of_multiple", "(C*x*n) / n"},
    {"quotient_of_sum_by_sum", "(x*n + C*x) / (n + C)"},
    {"quotient_of_quotient", "x / C / D"},
    {"quotient_of_quotient_by_sizes", "x / n / m"},
    {"quotient_of_remainder", "(x % (C*D)) / D"},
    {"quotient_of_remainder_by_sizes", "(x % (n*m)) / n"},
    {"quotient_by_facts", "(l + C) / 4"},
    {"quotient_below_divisor", "i / n"},
    {"quotient_below_sum", "e / (n + 2)"},
    {"quotient_within_divisor", "(l - 1) / 4"},
    {"quotient_splits_constant", "(C*z + l + D) / 4"},
    {"quotient_splits_size", "(j*n + i) / n"},
    {"quotient_splits_sum", "(j*n + 2*j + e) / (n + 2)"},
    {"quotient_splits_offset", "(z*n + i + n) / n"},
    {"quotient_borrows", "(C*n + D) / (n + 2)"},
    {"quotient_borrows_index", "((z + 1)*n - i - 1) / n"},
    {"quotient_keeps_negative", "(n*x + i) / n", false},
    {"quotient_keeps_unknown_sign", "x / n", false},
    {"quotient_keeps_divisor_one", "1 / n", false},
    {"quotient_divides_by_residue", "s / 4 * 4"},
    {"quotient_of_stride", "(s + l) / 4"},
    {"quotient_in_units", "(4*z + l) / 12"},
    {"quotient_in_the_largest_unit", "(60*z + 6*i + l) / 120"},
    {"quotient_in_units_with_a_constant", "(4*z + 12*i + C) / 24"},
    {"quotient_in_units_of_unknown_sign", "(4*x + l) / 12", false},
    {"quotient_in_units_that_overlap", "(4*z + l + 1) / 12", false},
    // remainders
    {"remainder_of_itself", "x % x"},
    {"remainder_by_one", "(x*y) % (y - y + 1)"},
    {"remainder_of_negated", "(C*x) % D"},
    {"remainder_by_negated", "x % (C*n)"},
    {"remainder_cancels", "(C*x) % (C*y)"},
    {"remainder_of_multiple", "(C*x*n) % n"},
    {"remainder_of_sum_by_sum", "(x*n + C*x) % (n + C)"},
    {"remainder_of_remainder", "(x % (C*D)) % D"},
    {"remainder_of_remainder_by_sizes", "(x % (n*m)) % n"},
    {"remainder_below_divisor", "i % n"},
    {"remainder_within_divisor", "(l - 2) % 4"},
    {"remainder_by_facts", "(l + C) % 4"},
    {"remainder_splits_constant", "(C*z + l + D) % 4"},
    {"remainder_splits_size", "(j*n + i) % n"},
    {"remainder_splits_sum", "(j*n + 2*j + e) % (n + 2)"},
    {"remainder_borrows", "(C*n + D) % (n + 2)"},
    {"remainder_of_residue", "(s + C) % 4"},
    {"remainder_in_units", "(4*z + l) % 12"},
    {"remainder_in_the_largest_unit", "(60*z + 6*i + l) % 120"},
    {"remainder_in_units_with_a_constant", "(4*z + 12*i + C) % 24"},
    {"remainder_in_units_of_unknown_sign", "(4*x + l) % 12", false},
    {"remainder_in_units_that_overlap", "(4*z + l + 1) % 12", false},
    {"division_in_units_and_back", "(4*z + l) / 12 * 12 + (4*z + l) % 12"},
    {"remainder_keeps_negative", "(n*x + i) % n", false},
    {"remainder_keeps_divisor_one", "1 % n", false},
    {"remainder_inside_unknown_sum", "(z + x % 4) % 2", false},
    {"remainder_inside_natural_sum", "(z % 4 + z) % 2"},
    {"remainder_inside_positive_sum", "((z - 3) % 3 + 3) % 3"},
    // quotient and remainder of one dividend
    {"rejoined", "(x / C) * C + x % C"},
    {"rejoined_by_size", "(x / n) * n + x % n"},
    {"rejoined_by_sum", "(x / (n + 2)) * (n + 2) + x % (n + 2)"},
    {"rejoined_scaled", "y * (x / n) * n + y * (x % n)"},
    {"rejoined_split", "((C*z + l) / 3) * 3 + (C*z + l) % 3"},
    {"remainder_from_quotient", "x - (x / C) * C"},
    {"remainder_from_quotient_by_size", "x - (x / n) * n"},
    {"remainder_from_quotient_by_sum", "x + y - ((x + y) / (n + 1)) * (n + 1)"},
    {"joined_digits", "x % 3 + 3 * ((x / 3) % C)"},
    {"joined_digits_by_sizes", "x % n + n * ((x / n) % m)"},
    // exact quotients
    {"exact_of_itself", "exactdiv(x, x)"},
    {"exact_of_multiple", "exactdiv(C*x, C)"},
    {"exact_times_divisor", "exactdiv(x, C) * C"},
    {"exact_times_part", "exactdiv(x, 4) * 2"},
    {"exact_times_size", "exactdiv(x, n) * n"},
    {"exact_times_sum", "exactdiv(x, n + 1) * (n + 1)"},
    {"exact_of_sum", "exactdiv(x + C*n, n)"},
    {"exact_of_constant_sum", "exactdiv(x + 6*y + C, 3)"},
    {"exact_of_exact", "exactdiv(exactdiv(x, C), D)"},
    {"exact_of_negated", "exactdiv(C*x, D)"},
    {"quotient_of_exact", "exactdiv(x, C) / D"},
    {"quotient_by_exact", "n / exactdiv(n, 2)"},
    {"quotient_over_scaled_exact", "(6*n) / (C*exactdiv(n, 2))"},
    // ceiling quotients
    {"ceiling_of_multiple", "ceildiv(C*z, C)"},
    {"ceiling_of_sum", "ceildiv(4*z + C, 4)"},
    {"ceiling_of_symbolic_sum", "ceildiv(z*n + i + 1, n)"},
    {"ceiling_of_difference", "ceildiv(z*n - i, n)"},
    {"ceiling_of_ceiling", "ceildiv(ceildiv(z, C), D)"},
    {"ceiling_cancels", "ceildiv(C*z, C*n)"},
    {"ceiling_cancels_size", "ceildiv(n*z, n*m)"},
    {"ceiling_keeps_unknown_sign", "ceildiv(x*z, x*y)", false},
    {"ceiling_by_facts", "ceildiv(l + C, 4)"},
    // powers
    {"power_of_constant_exponent", "x ** 2 - x*x"},
    {"power_of_sum", "2 ** (i + 2) / 2 ** i"},
    {"power_of_multiple", "C ** (2*i) - C ** i * C ** i"},
    {"power_of_one", "1 ** z"},
    {"powers_together", "2 ** i * 2 ** (C - i)"},
    {"powers_of_differences", "C ** (n - i) * C ** (i - D) * C ** 2"},
    {"power_residue", "2 ** (z + 2) % 4"},
    // minimum and maximum
    {"minimum_of_itself", "min(x + C, x + D)"},
    {"maximum_of_itself", "max(x + C, x + D)"},
    {"minimum_ordered", "min(i, n)"},
    {"maximum_ordered", "max(l, C)"},
    {"minimum_nested", "min(min(x, y), min(y, x + 1))"},
    {"maximum_nested", "max(max(x, C), max(D, x))"},
    {"clamp_within", "min(max(i, 0), n - 1)"},
    {"clamp_outside", "min(max(t, 0), n - 1)"},
    // conditionals
    {"conditional_decided", "(i < n ? x : y)"},
    {"conditional_refuted", "(n <= i ? x : y)"},
    {"conditional_same", "(x < y ? z : z)"},
    {"conditional_is_minimum", "(x < y ? x : y)"},
    {"conditional_is_maximum", "(x <= y ? y : x)"},
    {"conditional_is_clamp", "(x < C ? C : x)"},
    {"conditional_is_shifted_clamp", "(x < 1 ? 0 : x - 1)"},
    {"conditional_is_shifted_minimum", "(x <= C ? x + D : C + D)"},
    {"conditional_residue", "(s == 3 ? x : y)"},
    {"conditional_not_equal", "(x + 1 != x ? y : z)"},
    // bounds through divisions
    {"bound_of_quotient", "(2*h + 1 < n ? x : y)"},
    {"bound_of_ceiling", "(2*w < n ? x : y)"},
    {"bound_of_remainder", "(x % n < n ? x : y)"},
    {"bound_of_mixed_radix", "(i + n*j < n*m ? x : y)"},
};

INSTANTIATE_TEST_SUITE_P(Simplifier, Rules, testing::ValuesIn(rules), name_of);

}  // namespace
}  // namespace hoist::arith
