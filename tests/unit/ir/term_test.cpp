// Equality by pointer, and the laws of taking terms apart and putting them together again.
#include <unordered_map>

#include "ir/inspect.hpp"
#include "random_term.hpp"

namespace hoist::ir {
namespace {

using Terms = InArena;

// ---- Interning.

TEST_F(Terms, EqualTypesAreOne) {
  EXPECT_EQ(array({N, 4}), array_type(N, array_type(4, f32_type())));
  EXPECT_EQ(tuple_type({f32_type(), array({N})}), tuple_type({f32_type(), array({N})}));
  EXPECT_EQ(array({N + M}), array({M + N})) << "sizes are canonical";
  EXPECT_NE(array({N}), array({M}));
  EXPECT_NE(array({N, M}), array({M, N}));
  EXPECT_NE(vector(4), array({4}));
  EXPECT_NE(tuple_type({f32_type(), i32_type()}), tuple_type({i32_type(), f32_type()}));
  EXPECT_NE(function_type({f32_type()}, i32_type()), function_type({}, tuple_type({f32_type(), i32_type()})));
}

TEST_F(Terms, TypesReadAsTheLanguageWritesThem) {
  EXPECT_EQ(to_string(array({M, K})), "[M][K]f32");
  EXPECT_EQ(to_string(tuple_type({f32_type(), array({N}, i32_type())})), "(f32, [N]i32)");
  EXPECT_EQ(to_string(vector(4)), "f32x4");
  EXPECT_EQ(to_string(vector_type(Scalar::U8, arith::parameter("w"))), "u8x?w");
  EXPECT_EQ(to_string(vector_type(Scalar::F64, N * 2)), "f64x(2*N)");
  EXPECT_EQ(to_string(function_type({f32_type(), i32_type()}, f32_type())), "(f32, i32) -> f32");
  EXPECT_EQ(to_string(function_type({}, bool_type())), "() -> bool");
}

TEST_F(Terms, HoldNoFunctionsInData) {
  const Type f = function_type({f32_type()}, f32_type());
  EXPECT_EQ(error_of([&] { array_type(N, f); }), "an array cannot hold functions");
  EXPECT_EQ(error_of([&] { tuple_type({f32_type(), f}); }), "a tuple cannot hold functions");
  EXPECT_THROW(leaves(f), Bug);
}

TEST_F(Terms, LeavesAreTheFlattenedForm) {
  const Type type = array_type(N, tuple_type({f32_type(), array_type(M, vector(4, Scalar::I32))}));
  const std::vector<Leaf> all = leaves(type);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].scalar, Scalar::F32);
  EXPECT_EQ(all[0].shape, std::vector<arith::Expr>{N});
  EXPECT_EQ(all[1].scalar, Scalar::I32);
  EXPECT_EQ(all[1].shape, (std::vector<arith::Expr>{N, M, 4}));
}

TEST_F(Terms, TypesAreEqualUpToProvenSizes) {
  const Type rounded = array({N - N % 4}), quotient = array({N / 4 * 4});
  EXPECT_NE(rounded, quotient);
  EXPECT_TRUE(is_equal(rounded, quotient));
  EXPECT_TRUE(is_equal(tuple_type({rounded, f32_type()}), tuple_type({quotient, f32_type()})));
  EXPECT_FALSE(is_equal(array({N}), quotient));
  EXPECT_FALSE(is_equal(array({N}), array({N}, i32_type())));
  EXPECT_FALSE(is_equal(array({N}), array({N, 1})));
}

TEST_F(Terms, EqualTermsAreOne) {
  EXPECT_EQ(add(real(1), real(2)), add(real(1), real(2)));
  EXPECT_NE(real(0.0), real(-0.0));
  EXPECT_NE(real(1), real(1, Scalar::F64));
  EXPECT_EQ(size_value(N + 1), size_value(1 + N));
  EXPECT_NE(integer(1), integer(2));
  EXPECT_EQ(bound(1, f32_type()), bound(1, f32_type()));
  EXPECT_NE(bound(1, f32_type()), bound(1, i32_type()));
}

TEST_F(Terms, VariablesAreTheirIdentity) {
  const Term x = fresh(f32_type(), "x"), other = fresh(f32_type(), "x");
  EXPECT_NE(x, other);
  EXPECT_NE(add(x, x), add(x, other));
}

TEST_F(Terms, NamesOfParametersAreHints) {
  const Term by_x =
      lambda(std::vector<Type>{f32_type()}, [](const auto& p) { return add(p[0], real(1)); }, {"x"});
  const Term by_y =
      lambda(std::vector<Type>{f32_type()}, [](const auto& p) { return add(p[0], real(1)); }, {"y"});
  EXPECT_EQ(by_x, by_y);
  EXPECT_EQ(by_x, increment());
}

TEST_F(Terms, ClaimsArePartOfAnOperator) {
  const auto claimed = [](OperatorClaims claims) {
    return lambda(
        std::vector<Type>{f32_type(), f32_type()}, [](const auto& p) { return add(p[0], p[1]); }, {}, claims);
  };
  EXPECT_EQ(claimed({}), addition());
  EXPECT_NE(claimed({true, false}), addition());
  EXPECT_NE(claimed({true, false}), claimed({false, true}));
  EXPECT_EQ(claimed({true, true}), claimed({true, true}));
}

TEST_F(Terms, KnowWhatIsOpenInThem) {
  const Term x = fresh(f32_type(), "x");
  EXPECT_TRUE(x->has_free);
  EXPECT_EQ(x->loose, 0U);
  EXPECT_FALSE(increment()->has_free);
  EXPECT_EQ(increment()->loose, 0U);
  EXPECT_EQ(bound(3, f32_type())->loose, 4U);
  const Term inner = raw_lambda({f32_type()}, add(bound(0, f32_type()), bound(2, f32_type())));
  EXPECT_EQ(inner->loose, 2U);
  EXPECT_EQ(add(x, bound(0, f32_type()))->loose, 1U);
  EXPECT_TRUE(add(x, bound(0, f32_type()))->has_free);
}

// ---- Taking apart and putting together.

TEST_F(Terms, ChildrenComeInOrder) {
  const Term x = fresh(array({N}), "x"), f = increment();
  EXPECT_EQ(children(map(f, x)), (std::vector<Term>{f, x}));
  EXPECT_EQ(children(f), std::vector<Term>{f.as<Lambda>()->body});
  EXPECT_EQ(children(integer(1)), std::vector<Term>{});
  const Term choice = if_then_else(truth(true), real(1), real(2));
  EXPECT_EQ(children(choice), (std::vector<Term>{truth(true), real(1), real(2)}));
  EXPECT_EQ(children(let(real(1), f)), (std::vector<Term>{real(1), f}));
  EXPECT_EQ(children(get(1, fresh(tuple_type({f32_type(), f32_type()}), "t"))).size(), 1U);
}

TEST_F(Terms, WithChildrenChecksTypesAgain) {
  const Term x = fresh(array({N}), "x"), y = fresh(array({M}), "y"), i = fresh(array({N}, i32_type()), "i");
  const Term mapped = map(increment(), x);
  EXPECT_EQ(with_children(mapped, {increment(), y}).type(), array({M}));
  EXPECT_EQ(error_of([&] {
              with_children(mapped, {increment(), i});
            }),
            "map: its function is given i32, but takes f32");
  EXPECT_EQ(error_of([&] { with_children(split(4, fresh(array({8}), "x")), {fresh(array({10}), "x")}); }),
            "split: 4 does not divide 10");
  EXPECT_EQ(error_of([&] {
              with_children(add(real(1), real(2)), {real(1), integer(2)});
            }),
            "+: the left operand is f32, the right i32");
  EXPECT_THROW(with_children(mapped, {x}), Bug);
  const Term pair = fresh(tuple_type({f32_type(), i32_type()}), "pair");
  EXPECT_EQ(with_children(get(0, pair), {tuple({real(1), integer(2)})}), real(1));
}

TEST_F(Terms, ParametersAreCountedFromTheLast) {
  const Term f = function(f32_type(), i32_type(), [](Term a, Term) { return a; });
  EXPECT_EQ(f.as<Lambda>()->body, bound(1, f32_type()));
  EXPECT_EQ(apply(f, {real(7), integer(8)}), real(7));
}

TEST_F(Terms, BindersAreNotCaptured) {
  // (x => y => x + y)(#0), where #0 is bound outside both.
  const Term outer = raw_lambda(
      {f32_type()},
      map(raw_lambda({f32_type()}, add(bound(1, f32_type()), bound(0, f32_type()))), fresh(array({N}), "a")));
  const Term applied = apply(outer, {bound(0, f32_type())});
  const Term inner = applied.as<Call>()->arguments[0];
  EXPECT_EQ(inner.as<Lambda>()->body, add(bound(1, f32_type()), bound(0, f32_type())));
}

TEST_F(Terms, OccurrencesCountEveryPlace) {
  const Term x = bound(0, f32_type());
  EXPECT_EQ(occurrences(add(x, multiply(x, x)), 0), 3U);
  EXPECT_EQ(occurrences(add(x, x), 1), 0U);
  EXPECT_EQ(occurrences(raw_lambda({f32_type()}, add(bound(0, f32_type()), bound(1, f32_type()))), 0), 1U);
  // 2 ** 40 occurrences in 40 nodes.
  Term shared = x;
  for (int i = 0; i < 40; ++i) shared = add(shared, shared);
  EXPECT_EQ(occurrences(shared, 0), std::size_t{1} << 40U);
}

TEST_F(Terms, SharedSubtermsAreRebuiltOnce) {
  // A tree of 2 ** 60 leaves: every walk must see that its parts are one.
  const Term x = fresh(f32_type(), "x");
  Term shared = add(x, cast(Scalar::F32, size_value(N)));
  for (int i = 0; i < 60; ++i) shared = add(shared, shared);
  const Term f = lambda(std::vector<Term>{x}, shared);
  EXPECT_EQ(apply(f, {x}), shared);
  EXPECT_EQ(substitute_free(substitute_free(shared, {{x, real(1)}}), {}), apply(f, {real(1)}));
  EXPECT_NE(substitute_sizes(shared, {{N.get(), M}}), shared);
  EXPECT_TRUE(size_assumptions(shared).empty());
  EXPECT_TRUE(open_parameters(shared).empty());
  EXPECT_EQ(shift(f.as<Lambda>()->body, 1)->loose, 2U);
}

/// Makes every node anew, by the public constructors: what they give must be the node itself.
class Remake {
 public:
  Term run(Term term) {
    const auto known = done_.find(term);
    if (known != done_.end()) return known->second;
    const Term result = remake(term);
    EXPECT_EQ(result, term) << to_string(term);
    done_.emplace(term, result);
    return result;
  }

 private:
  std::vector<Term> all(const std::vector<Term>& terms) {
    std::vector<Term> result;
    for (Term term : terms) result.push_back(run(term));
    return result;
  }
  Term remake(Term term) {
    if (const auto* n = term.as<Literal>()) return literal(n->value);
    if (const auto* n = term.as<Bound>()) return bound(n->index, term.type());
    if (const auto* n = term.as<SizeValue>()) return size_value(n->size);
    if (const auto* n = term.as<Lambda>())
      return raw_lambda(n->parameters, run(n->body), n->names, n->claims);
    if (const auto* n = term.as<Call>()) return call(n->op, n->sizes, all(n->arguments));
    if (const auto* n = term.as<ScalarCall>()) return scalar_call(n->op, all(n->arguments));
    if (const auto* n = term.as<Cast>()) return cast(n->to, run(n->operand));
    if (const auto* n = term.as<Tuple>()) return tuple(all(n->components));
    if (const auto* n = term.as<Get>()) return get(n->index, run(n->tuple));
    if (const auto* n = term.as<Let>()) return let(run(n->value), run(n->body));
    if (const auto* n = term.as<If>()) {
      return if_then_else(run(n->condition), run(n->then_term), run(n->else_term));
    }
    return term;
  }

  std::unordered_map<Term, Term> done_;
};

/// The laws on random terms over variables of several types.
class Laws : public testing::TestWithParam<std::uint64_t> {
 protected:
  Arena arena_;
  arith::Expr N = arith::size("N"), M = arith::size("M");
  RandomTerms random_{GetParam()};
  Term x = fresh(random_.type(), "x"), y = fresh(random_.type(), "y"), z = fresh(f32_type(), "z");
  std::vector<Term> variables_{x, y, z, fresh(array({N}), "a"), fresh(array({M, N}), "b")};
  Term t = random_.term(random_.type(), variables_, 8);
  /// In place of x and y, over other variables.
  Term value_of_x = random_.term(x.type(), {z, fresh(array({M}), "c")}, 4);
  Term value_of_y = random_.term(y.type(), {z}, 4);
};

TEST_P(Laws, EveryNodeIsWhatItsConstructorMakes) { Remake().run(lambda({x, y}, t)); }

TEST_P(Laws, OpeningUndoesClosing) {
  const Term f = lambda({x, y}, t);
  EXPECT_EQ(apply(f, {x, y}), t);
  const Term a = fresh(x.type(), "a"), b = fresh(y.type(), "b");
  EXPECT_EQ(lambda({a, b}, apply(f, {a, b})), f);
}

TEST_P(Laws, ApplicationIsSubstitution) {
  EXPECT_EQ(apply(lambda({x, y}, t), {value_of_x, value_of_y}),
            substitute_free(t, {{x, value_of_x}, {y, value_of_y}}));
}

TEST_P(Laws, SubstitutionOfWhatDoesNotOccurIsTheIdentity) {
  EXPECT_EQ(substitute_free(t, {{fresh(f32_type(), "x"), real(1)}}), t);
  EXPECT_EQ(substitute_free(t, {{x, x}}), t);
  EXPECT_EQ(substitute_sizes(t, {{arith::size("P").get(), 3}}), t);
  EXPECT_EQ(substitute_sizes(t, {}), t);
}

TEST_P(Laws, ShiftsAddUp) {
  const Term body = lambda({x, y}, t).as<Lambda>()->body;
  EXPECT_EQ(shift(body, 0), body);
  EXPECT_EQ(shift(shift(body, 2), 3), shift(body, 5));
  EXPECT_EQ(shift(shift(body, 4), -4), body);
  EXPECT_EQ(shift(shift(body, 2, 1), -2, 1), body);
  EXPECT_EQ(shift(body, 7, body->loose), body);
  EXPECT_EQ(shift(t, 3), t) << "t has no loose index";
}

TEST_P(Laws, OccurrencesAreThoseOfTheVariable) {
  // Replacing every occurrence by a variable and closing over it keeps their number.
  const Term f = lambda({x, y}, t);
  const Term body = f.as<Lambda>()->body;
  EXPECT_EQ(occurrences(body, 2), 0U);
  EXPECT_EQ(occurrences(shift(body, 5), 5), occurrences(body, 0));
  EXPECT_EQ(occurrences(shift(body, 5), 6), occurrences(body, 1));
  EXPECT_EQ(occurrences(lambda({y, x}, t).as<Lambda>()->body, 0), occurrences(body, 1));
  EXPECT_EQ(substitute_free(t, {{x, fresh(x.type(), "other")}}) == t, occurrences(body, 1) == 0);
}

void collect_ops(Term term, std::uint64_t& ops) {
  if (const auto* call = term.as<Call>()) ops |= op_bit(call->op);
  for (const Term child : children(term)) collect_ops(child, ops);
}

TEST_P(Laws, PrimitivesAreThoseOfTheCallsInside) {
  for (const Term each : {t, lambda({x, y}, t), substitute_free(t, {{x, value_of_x}})}) {
    std::uint64_t ops = 0;
    collect_ops(each, ops);
    EXPECT_EQ(each->ops, ops);
    EXPECT_EQ(has_call(each, Op::Map), any_call(each, [](const Call& call) { return call.op == Op::Map; }));
    EXPECT_EQ(any_op(each, is_loop), any_call(each, [](const Call& call) { return is_loop(call.op); }));
  }
}

TEST_P(Laws, ChildrenPutBackAreTheTerm) {
  EXPECT_EQ(with_children(t, children(t)), t);
  const Term f = lambda({x, y}, t);
  EXPECT_EQ(with_children(f, children(f)), f);
}

TEST_P(Laws, SubstitutionsOfSizesCompose) {
  const Term f = lambda({x, y}, t);
  const Term at_once = substitute_sizes(f, {{N.get(), 12}, {M.get(), 4}});
  const Term in_steps = substitute_sizes(substitute_sizes(f, {{N.get(), 3 * M}}), {{M.get(), 4}});
  EXPECT_EQ(at_once, in_steps);
  EXPECT_EQ(to_string(at_once.type()).find_first_of("NM"), std::string::npos);
  // Exchanging two sizes twice.
  const arith::Substitution exchange{{N.get(), M}, {M.get(), N}};
  EXPECT_EQ(substitute_sizes(substitute_sizes(f, exchange), exchange), f);
}

TEST_P(Laws, SubstitutionOfSizesGoesIntoTypes) {
  const Term f = lambda({x, y}, t);
  const arith::Substitution sizes{{N.get(), 8}};
  EXPECT_EQ(substitute_sizes(f, sizes).type(), substitute(f.type(), sizes));
  Remake().run(substitute_sizes(f, sizes));
}

TEST_P(Laws, SubstitutionOfSizesAndApplicationCommute) {
  const arith::Substitution sizes{{N.get(), 8}, {M.get(), 2 * N}};
  const Term f = lambda({x, y}, t);
  EXPECT_EQ(substitute_sizes(apply(f, {value_of_x, value_of_y}), sizes),
            apply(substitute_sizes(f, sizes),
                  {substitute_sizes(value_of_x, sizes), substitute_sizes(value_of_y, sizes)}));
}

INSTANTIATE_TEST_SUITE_P(Seeds, Laws, testing::Range<std::uint64_t>(1, 201));

}  // namespace
}  // namespace hoist::ir
