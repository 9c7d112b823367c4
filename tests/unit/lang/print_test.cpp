// Text of terms: readable, and read back as the same term.
#include "ir/print.hpp"

#include <random>

#include "support.hpp"

namespace hoist::lang {
namespace {

using ir::Op;
using ir::Term;
using ir::Type;

/// Well-typed terms of a wanted type, over the free variables in scope.
class RandomTerms {
 public:
  explicit RandomTerms(std::uint64_t seed) : random_(seed) {}

  ir::Program program() {
    ir::Program program;
    program.name = "random";
    const std::size_t count = 1 + below(4);
    const char* names[] = {"x", "y", "x", "map"};  // clashes are the printer's to resolve
    for (std::size_t index = 0; index < count; ++index) {
      // A program's sizes are those of its parameters' types.
      const Type sized = ir::array_type({arith::size("N"), arith::size("M")}, type(1));
      program.parameters.push_back({names[index], index == 0 ? sized : type(3)});
      scope_.push_back(ir::fresh(program.parameters.back().type, names[index]));
    }
    const std::vector<Term> parameters = scope_;
    program.function = ir::lambda(parameters, term(type(3), 6));
    return program;
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool one_in(std::size_t count) { return below(count) == 0; }

  arith::Expr size() {
    const arith::Expr sizes[] = {
        arith::size("N"),      arith::size("M"),       4, 8, 2 * arith::size("N"), arith::size("N") + 1,
        arith::parameter("t"), arith::launched("g", 8)};
    return sizes[below(std::size(sizes))];
  }
  Scalar scalar() { return all_scalars[below(std::size(all_scalars))]; }
  Type type(int depth) {
    switch (depth == 0 ? below(3) : below(7)) {
      case 0:
      case 1:
        return ir::scalar_type(scalar());
      case 2:
        return ir::vector_type(scalar(), 4);
      case 3: {
        std::vector<Type> components;
        for (std::size_t count = 2 + below(2); count > 0; --count) components.push_back(type(depth - 1));
        return ir::tuple_type(components);
      }
      default:
        return ir::array_type(size(), type(depth - 1));
    }
  }

  /// A lambda to `result`.
  Term function(const std::vector<Type>& parameters, Type result, int depth) {
    const char* names[] = {"x", "e", "a_b", "acc", "", "sum", "N", "not a name", "if"};
    std::vector<Term> variables;
    for (Type parameter : parameters) {
      variables.push_back(ir::fresh(parameter, names[below(std::size(names))]));
      scope_.push_back(variables.back());
    }
    const Term body = term(result, depth);
    scope_.resize(scope_.size() - parameters.size());
    return ir::lambda(variables, body,
                      one_in(12) ? ir::OperatorClaims{one_in(2), one_in(2)} : ir::OperatorClaims{});
  }

  Term term(Type wanted, int depth) {
    std::vector<Term> fitting;
    for (Term variable : scope_) {
      if (variable.type() == wanted) fitting.push_back(variable);
    }
    if (!fitting.empty() && (depth <= 0 || one_in(3))) return fitting[below(fitting.size())];
    if (depth > 0 && one_in(4)) return of_any_type(wanted, depth);
    switch (wanted->kind) {
      case ir::TypeKind::Scalar:
        return of_scalar(wanted, depth);
      case ir::TypeKind::Vector:
        return of_vector(wanted, depth);
      case ir::TypeKind::Tuple:
        return of_tuple(wanted, depth);
      default:
        return of_array(wanted, depth);
    }
  }

  /// let, if, a component, an element, a reduction, a value kept somewhere.
  Term of_any_type(Type wanted, int depth) {
    switch (below(8)) {
      case 0: {
        const Type value = type(2);
        // Claims are about functions that patterns call.
        const auto body = *function({value}, wanted, depth - 1).as<ir::Lambda>();
        return ir::let(term(value, depth - 1), ir::raw_lambda(body.parameters, body.body, body.names));
      }
      case 1:
        return ir::if_then_else(term(ir::scalar_type(Scalar::Bool), depth - 1), term(wanted, depth - 1),
                                term(wanted, depth - 1));
      case 2: {
        const Type other = type(1);
        const bool is_first = one_in(2);
        const Type tuple =
            ir::tuple_type(is_first ? std::vector<Type>{wanted, other} : std::vector<Type>{other, wanted});
        return ir::get(is_first ? 0 : 1, term(tuple, depth - 1));
      }
      case 3: {
        const auto constant = static_cast<std::int64_t>(below(5));
        const Term index =
            one_in(2) ? ir::literal(ScalarValue::of_integer(Scalar::I32, constant)) : ir::size_value(size());
        return ir::call(Op::At, {}, {index, term(ir::array_type(size() + 5, wanted), depth - 1)});
      }
      case 4: {
        const Op ops[] = {Op::ToGlobal, Op::ToLocal, Op::ToPrivate};
        return ir::call(ops[below(3)], {}, {term(wanted, depth - 1)});
      }
      case 5:
        if (!ir::is_array(wanted)) {
          return ir::call(Op::Iterate, {3}, {function({wanted}, wanted, depth - 1), term(wanted, depth - 1)});
        }
        [[fallthrough]];
      default: {
        const Type element = type(2);
        const Op ops[] = {Op::Reduce, Op::ReduceSeq, Op::ReduceSeqUnroll};
        return ir::call(ops[below(3)], {},
                        {function({wanted, element}, wanted, depth - 1), term(wanted, depth - 1),
                         term(ir::array_type(size(), element), depth - 1)});
      }
    }
  }

  ScalarValue value(Scalar type) {
    const double reals[] = {0,
                            -0.0,
                            1,
                            -1.5,
                            0.1,
                            3.4e38,
                            1e-45,
                            16777217,
                            1.0 / 3,
                            std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()};
    const std::int64_t integers[] = {0,
                                     1,
                                     -1,
                                     7,
                                     255,
                                     2147483647,
                                     -2147483648LL,
                                     std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::int64_t>::max()};
    return is_float(type) ? ScalarValue::of_real(type, reals[below(std::size(reals))])
                          : ScalarValue::of_integer(type, integers[below(std::size(integers))]);
  }

  Term of_scalar(Type wanted, int depth) {
    if (depth <= 0 || one_in(6)) {
      if (wanted->scalar == Scalar::I32 && one_in(2)) return ir::size_value(size());
      return ir::literal(value(wanted->scalar));
    }
    if (one_in(8) && wanted->scalar != Scalar::Bool) {
      const Type vector = ir::vector_type(wanted->scalar, 4);
      return ir::call(Op::Dot, {}, {term(vector, depth - 1), term(vector, depth - 1)});
    }
    if (one_in(6)) return ir::cast(wanted->scalar, term(ir::scalar_type(scalar()), depth - 1));
    return operation(wanted, depth);
  }

  Term of_vector(Type wanted, int depth) {
    if (depth <= 0 || one_in(4)) {
      return ir::call(Op::Broadcast, {wanted->size}, {term(ir::scalar_type(wanted->scalar), depth - 1)});
    }
    return operation(wanted, depth);
  }

  /// A scalar operation that gives `wanted`.
  Term operation(Type wanted, int depth) {
    while (true) {
      const ScalarOpInfo& row = all_scalar_ops()[below(all_scalar_ops().size())];
      using Domain = ScalarOpInfo::Domain;
      if (row.gives_bool != (wanted->scalar == Scalar::Bool) && row.op != ScalarOp::Select) continue;
      Scalar operand = wanted->scalar;
      if (row.gives_bool && row.domain != Domain::Boolean) operand = scalar();
      const bool fits = (row.domain == Domain::Numeric && operand != Scalar::Bool) ||
                        (row.domain == Domain::Float && is_float(operand)) ||
                        (row.domain == Domain::Integer && is_integer(operand)) ||
                        (row.domain == Domain::Boolean && operand == Scalar::Bool) ||
                        row.domain == Domain::Any;
      if (!fits) continue;
      const auto typed = [&](Scalar s, bool is_wide) {
        return is_wide && ir::is_vector(wanted) ? ir::vector_type(s, wanted->size) : ir::scalar_type(s);
      };
      std::vector<Term> operands;
      for (int index = 0; index < row.arity; ++index) {
        const Scalar s = row.op == ScalarOp::Select && index == 0 ? Scalar::Bool : operand;
        // The last operand is as wide as the result; narrower ones beside it are repeated.
        operands.push_back(term(typed(s, index + 1 == row.arity || one_in(2)), depth - 1));
      }
      return ir::scalar_call(row.op, operands);
    }
  }

  Term of_tuple(Type wanted, int depth) {
    std::vector<Term> components;
    for (Type component : wanted->elements) components.push_back(term(component, depth - 1));
    return ir::tuple(components);
  }

  Term of_array(Type wanted, int depth) {
    const arith::Expr n = wanted->size;
    const Type element = ir::element_of(wanted);
    const auto array = [&](arith::Expr length) { return term(ir::array_type(length, element), depth - 1); };
    if (depth <= 0)
      return ir::call(Op::Generate, {n}, {function({ir::scalar_type(Scalar::I32)}, element, 0)});
    const bool is_short = arith::less(3, n) == arith::Truth::No;  // no room to take a part off
    switch (is_short ? below(4) : below(16)) {
      case 0:
      case 1: {
        const Op ops[] = {Op::Map, Op::MapSeq, Op::MapSeqUnroll};
        const Type from = type(2);
        return ir::call(ops[below(3)], {},
                        {function({from}, element, depth - 1), term(ir::array_type(n, from), depth - 1)});
      }
      case 2: {
        const Op ops[] = {Op::MapGlobal, Op::MapGroup, Op::MapLocal};
        const Type from = type(1);
        return ir::call(ops[below(3)], {static_cast<std::int64_t>(below(3))},
                        {function({from}, element, depth - 1), term(ir::array_type(n, from), depth - 1)});
      }
      case 3: {
        const Type from = type(1);
        return ir::call(one_in(2) ? Op::Scan : Op::ScanSeq, {},
                        {function({element, from}, element, depth - 1), term(element, depth - 1),
                         term(ir::array_type(n, from), depth - 1)});
      }
      case 4:
        return ir::call(Op::Take, {n}, {array(n + 3)});
      case 5:
        if (one_in(2)) return ir::call(Op::Rotate, {static_cast<std::int64_t>(below(7)) - 3}, {array(n)});
        return ir::call(Op::Drop, {2}, {array(n + 2)});
      case 6:
        if (ir::is_array(element)) {
          return ir::call(
              Op::Transpose, {},
              {term(ir::array_type(element->size, ir::array_type(n, ir::element_of(element))), depth - 1)});
        }
        return ir::call(Op::Join, {}, {term(ir::array_type(n, ir::array_type(1, element)), depth - 1)});
      case 7:
        if (ir::is_array(element)) {
          return ir::call(Op::Split, {element->size},
                          {term(ir::array_type(n * element->size, ir::element_of(element)), depth - 1)});
        }
        return ir::call(Op::Pad, {1, 2, static_cast<std::int64_t>(below(3))}, {array(n - 3)});
      case 8:
        if (ir::is_array(element)) {
          return ir::call(Op::Slide, {element->size, 1},
                          {term(ir::array_type(n + element->size - 1, ir::element_of(element)), depth - 1)});
        }
        return ir::call(Op::PadValue, {1, 2}, {term(element, depth - 1), array(n - 3)});
      case 9:
        return ir::call(
            one_in(2) ? Op::Gather : Op::Scatter, {},
            {function({ir::scalar_type(Scalar::I32)}, ir::scalar_type(Scalar::I32), depth - 1), array(n)});
      case 10:
        if (ir::is_tuple(element)) {
          std::vector<Term> arrays;
          for (Type component : element->elements)
            arrays.push_back(term(ir::array_type(n, component), depth - 1));
          return ir::call(Op::Zip, {}, arrays);
        }
        return ir::get(1, ir::call(Op::Unzip, {},
                                   {term(ir::array_type(n, ir::tuple_type({type(1), element})), depth - 1)}));
      case 11:
        return ir::call(Op::Concat, {}, {array(n - 1), array(1)});
      case 12:
        if (ir::is_vector(element)) {
          return ir::call(
              Op::AsVector, {element->size},
              {term(ir::array_type(n * element->size, ir::scalar_type(element->scalar)), depth - 1)});
        }
        return ir::call(Op::MapSeqSlide, {3, 1},
                        {function({ir::array_type(3, element)}, element, depth - 1), array(n + 2)});
      case 13: {
        const arith::Expr k = arith::size("length" + std::to_string(lengths_++));
        return ir::call(
            Op::Iterate, {2, k},
            {function({ir::array_type(k, element)}, ir::array_type(k, element), depth - 1), array(n)});
      }
      default:
        return ir::call(Op::Generate, {n}, {function({ir::scalar_type(Scalar::I32)}, element, depth - 1)});
    }
  }

  std::mt19937_64 random_;
  std::vector<Term> scope_;
  int lengths_ = 0;
};

TEST(Print, RandomTermsReadBack) {
  constexpr std::uint64_t first_seed = 20'000;
  std::size_t printed = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + 400; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const ir::Arena arena;
    const ir::Program program = RandomTerms(seed).program();
    expect_round_trip(program);
    if (testing::Test::HasFailure()) return;
    printed += ir::to_string(program).size();
  }
  EXPECT_GT(printed, 50'000U);
}

TEST(Print, LaysOutPipelines) {
  const ir::Arena arena;
  EXPECT_EQ(ir::to_string(program_of("def f(x: [N]f32): f32 = x |> map(e => e * e) |> reduce(+, 0)")),
            "def f(x: [N]f32): f32 = x |> map(e => e * e) |> reduce(+, 0.0)\n");
  EXPECT_EQ(
      ir::to_string(
          program_of("def blur(image: [H][W]f32): [H][W]f32 = image |> pad2(1, 1, clamp) |> slide2(3, 1) |> "
                     "map2(n => let centre = n[1][1] in centre * 0.5 + (n[0][1] + n[1][0] + n[1][2] + "
                     "n[2][1]) * 0.125)")),
      "def blur(image: [H][W]f32): [H][W]f32 =\n"
      "  image\n"
      "    |> map(pad(1, 1, clamp))\n"
      "    |> pad(1, 1, clamp)\n"
      "    |> map(slide(3, 1))\n"
      "    |> slide(3, 1)\n"
      "    |> map(transpose)\n"
      "    |> map(map(n =>\n"
      "      let centre = n[1][1] in centre * 0.5 + (n[0][1] + n[1][0] + n[1][2] + n[2][1]) * 0.125))\n");
}

TEST(Print, NamesNeverClash) {
  const ir::Arena arena;
  const std::string text =
      "def f(x: [N][N]f32, map1: f32): [N][N]f32 = x |> map(x => x |> map(x => x + map1))";
  EXPECT_EQ(ir::to_string(program_of(text)),
            "def f(x: [N][N]f32, map1: f32): [N][N]f32 = x |> map(map(x1 => x1 + map1))\n");
  const Term variable = ir::fresh(ir::scalar_type(Scalar::F32), "reduce");
  ir::Program program;
  program.name = "g";
  program.parameters = {{"reduce", variable.type()}};
  program.function = ir::lambda({variable}, variable);
  EXPECT_EQ(ir::to_string(program), "def g(reduce1: f32): f32 = reduce1\n");
}

TEST(Print, OpenTermsShowTheirVariables) {
  const ir::Arena arena;
  const Term x = ir::fresh(ir::scalar_type(Scalar::F32), "left");
  const Term y = ir::bound(1, ir::scalar_type(Scalar::F32));
  EXPECT_EQ(ir::to_string(ir::scalar_call(ScalarOp::Add, {x, y})), "left + #1");
  EXPECT_EQ(ir::to_string(ir::lambda({x}, ir::scalar_call(ScalarOp::Multiply, {x, x}))),
            "left => left * left");
}

TEST(Print, KeepsTheGroupingOfOperators) {
  const ir::Arena arena;
  const auto body = [](const std::string& expression) {
    const ir::Program program = program_of("def f(a: f32, b: f32, c: f32) = " + expression);
    expect_round_trip(program);
    const std::string text = ir::to_string(program);
    return text.substr(text.find(" = ") + 3, text.size() - text.find(" = ") - 4);
  };
  for (const char* text :
       {"a - (b - c)", "a - b - c", "a / (b * c)", "(a + b) * c", "-(a + b)", "-(-a)", "neg(1.0)", "a - -1.0",
        "(a < b) == (b < c)", "a < b || b < c && c < a", "(a < b || b < c) && c < a", "!(a < b)",
        "if a < b then a else b", "(if a < b then a else b) + c", "(let d = a + b in d * d) + c",
        "fma(a, b, c)", "a % b"}) {
    EXPECT_EQ(body(text), text);
  }
}

}  // namespace
}  // namespace hoist::lang
