// What terms assume of their sizes, and the parameters left open in them.
#include <algorithm>

#include "support.hpp"

namespace hoist::ir {
namespace {

class Assumptions : public InArena {
 protected:
  Term x = fresh(array({N}), "x");

  static std::vector<std::string> messages(Term term) {
    std::vector<std::string> result;
    for (const SizeAssumption& assumption : size_assumptions(term)) result.push_back(assumption.message);
    return result;
  }
  static std::vector<std::string> predicates(Term term) {
    std::vector<std::string> result;
    for (const SizeAssumption& assumption : size_assumptions(term)) {
      result.push_back(arith::to_string(assumption.predicate));
    }
    return result;
  }
  static std::vector<std::string> parameters(Term term) {
    std::vector<std::string> result;
    for (arith::Expr parameter : open_parameters(term)) result.push_back(arith::to_string(parameter));
    return result;
  }
  using Texts = std::vector<std::string>;
};

TEST_F(Assumptions, AreWhatCouldNotBeProven) {
  EXPECT_EQ(messages(split(4, x)), Texts{"split: 4 must divide N"});
  EXPECT_EQ(predicates(split(4, x)), Texts{"N % 4 == 0"});
  EXPECT_EQ(messages(split(4, fresh(array({8 * N}), "x"))), Texts{});
  EXPECT_EQ(messages(call(Op::Slide, {3, 1}, {x})), Texts{"slide: 3 must be at most N"});
  EXPECT_EQ(predicates(call(Op::Slide, {3, 1}, {x})), Texts{"3 <= N"});
  EXPECT_EQ(messages(call(Op::Take, {M}, {x})), Texts{"take: M must be at most N"});
  EXPECT_EQ(messages(call(Op::AsVector, {4}, {x})), Texts{"asVector: 4 must divide N"});
  EXPECT_EQ(messages(call(Op::Take, {N - 2}, {x})), Texts{"take: N - 2 must be at least 0"});
  EXPECT_EQ(messages(split(N - 2, x)),
            (Texts{"split: N - 2 must be at least 1", "split: N - 2 must divide N"}));
}

TEST_F(Assumptions, AreListedOnceFromEverywhere) {
  const Term chunks = split(4, x);
  const Term both = tuple({map(identity(array({4})), chunks), join(chunks), split(4, map(increment(), x))});
  EXPECT_EQ(messages(both), Texts{"split: 4 must divide N"});
  const Term inside = function(array({N}), [](Term row) { return split(4, row); });
  EXPECT_EQ(messages(map(inside, fresh(array({M, N}), "rows"))), Texts{"split: 4 must divide N"});
}

TEST_F(Assumptions, GoWithTheSizes) {
  const Term f = function(array({N}), [](Term v) { return split(4, v); });
  EXPECT_EQ(messages(substitute_sizes(f, {{N.get(), 16}})), Texts{});
  EXPECT_EQ(messages(substitute_sizes(f, {{N.get(), 2 * M}})), Texts{"split: 4 must divide 2*M"});
  EXPECT_EQ(error_of([&] { substitute_sizes(f, {{N.get(), 18}}); }), "split: 4 does not divide 18");
}

TEST_F(Assumptions, StayWhenOtherChildrenArePut) {
  const Term chunks = split(4, x), other = fresh(array({N}), "y");
  EXPECT_EQ(messages(with_children(chunks, {other})), Texts{"split: 4 must divide N"});
  EXPECT_EQ(messages(substitute_free(chunks, {{x, other}})), Texts{"split: 4 must divide N"});
}

TEST_F(Assumptions, OfIterateHoldInEveryStep) {
  const arith::Expr k = arith::size("k");
  const auto windows = [](Term v) {
    const Term first = function(array({3}), [](Term w) { return call(Op::At, {}, {integer(0), w}); });
    return map(first, call(Op::Slide, {3, 1}, {v}));
  };
  const auto iterated = [&](arith::Expr times, arith::Expr n) {
    return call(Op::Iterate, {times}, {function(array({k}), windows), fresh(array({n}), "x")});
  };
  EXPECT_EQ(messages(iterated(3, N + 6)), Texts{}) << "each step takes 2 away";
  EXPECT_EQ(predicates(iterated(3, N)), (Texts{"0 <= N - 6", "3 <= N", "3 <= N - 2", "3 <= N - 4"}));
  EXPECT_EQ(messages(iterated(2, N + 1)),
            (Texts{"iterate: N - 3 must be at least 0",
                   "slide: 3 must be at most k, where k is N + 1 in step 1 of iterate",
                   "slide: 3 must be at most k, where k is N - 1 in step 2 of iterate"}));
  // A number of steps that is not known: the first and the last.
  EXPECT_EQ(predicates(iterated(M, N)).size(), 3U);
  EXPECT_EQ(messages(iterated(0, N)), Texts{});
}

TEST_F(Assumptions, OfIterateHoldWhereThereIsAStep) {
  const arith::Expr k = arith::size("k");
  const Term step = function(array({k}), [](Term v) {
    return call(Op::Drop, {2}, {call(Op::Pad, {0, 2, 0}, {v})});
  });
  const Term shorter = function(array({k}), [](Term v) {
    return call(Op::Pad, {0, 2, 0}, {call(Op::Drop, {2}, {v})});
  });
  for (const Term function : {step, shorter}) {
    const Term iterated = call(Op::Iterate, {N - 1}, {function, x});
    for (const SizeAssumption& each : size_assumptions(iterated)) {
      EXPECT_TRUE(arith::evaluate(each.predicate, {{N.get(), 1}}).value_or(false)) << each.message;
    }
  }
}

TEST_F(Assumptions, OfIterateThatKeepsItsLengthAreStatedOnce) {
  const Term step = function(array({arith::size("k")}), [](Term v) { return join(split(4, v)); });
  EXPECT_EQ(predicates(call(Op::Iterate, {100}, {step, x})), Texts{"N % 4 == 0"});
}

TEST_F(Assumptions, OfIterateOnOtherSizesAreStatedAsTheyAre) {
  const Term rows = fresh(array({M}), "rows");
  const Term step = function(array({arith::size("k")}), [&](Term v) {
    const Term s = call(Op::Reduce, {}, {addition(), real(0), join(split(4, rows))});
    return map(function(f32_type(), [&](Term e) { return add(e, s); }), v);
  });
  EXPECT_EQ(messages(call(Op::Iterate, {3}, {step, x})), Texts{"split: 4 must divide M"});
}

TEST_F(Assumptions, OfNestedIteratesAreOfBothLengths) {
  const Term inner = function(array({arith::size("j")}), [](Term w) { return join(split(4, w)); });
  const Term outer = function(array({arith::size("k")}), [&](Term v) {
    const Term half = call(Op::Take, {arith::exact_quotient(arith::size("k"), 2)}, {join(split(2, v))});
    return call(Op::Iterate, {5}, {inner, half});
  });
  const std::vector<std::string> all = predicates(call(Op::Iterate, {2}, {outer, fresh(array({64}), "x")}));
  EXPECT_EQ(all, Texts{}) << "64, then 32 and 16 are multiples of 4";
  const Term start = fresh(array({16 * N}), "x");
  EXPECT_EQ(predicates(call(Op::Iterate, {2}, {outer, start})), Texts{});
  EXPECT_EQ(predicates(call(Op::Iterate, {3}, {outer, start})), Texts{"2*(N % 2) == 0"});
}

TEST_F(Assumptions, MentionNoBoundLength) {
  const Term step = function(array({arith::size("k")}), [](Term v) {
    return map(function(array({2}), [](Term p) { return call(Op::At, {}, {integer(0), p}); }), split(2, v));
  });
  for (const SizeAssumption& assumption : size_assumptions(call(Op::Iterate, {4}, {step, x}))) {
    for (arith::Expr side : {assumption.predicate.left, assumption.predicate.right}) {
      for (arith::Expr variable : arith::variables(side)) EXPECT_EQ(variable, N);
    }
  }
}

// ---- Parameters.

TEST_F(Assumptions, ParametersAreFoundInSizesTypesAndValues) {
  const arith::Expr s = arith::parameter("s"), t = arith::parameter("t");
  EXPECT_EQ(parameters(split(4, x)), Texts{});
  EXPECT_EQ(parameters(split(t, x)), Texts{"?t"});
  EXPECT_EQ(parameters(tuple({split(t, x), split(s, x), split(t, x)})), (Texts{"?t", "?s"}));
  EXPECT_EQ(parameters(size_value(t + 1)), Texts{"?t"});
  EXPECT_EQ(parameters(fresh(array({t, N}), "x")), Texts{"?t"});
  EXPECT_EQ(parameters(function(array({s}), [](Term) { return real(0); })), Texts{"?s"});
  EXPECT_EQ(parameters(call(Op::Broadcast, {t}, {real(0)})), Texts{"?t"});
  EXPECT_EQ(parameters(call(Op::MapGlobal, {0}, {increment(), x})), Texts{});
}

TEST_F(Assumptions, ParametersGoWhenTheyAreChosen) {
  const arith::Expr t = arith::parameter("t");
  const Term mapped = call(Op::MapGroup, {0}, {identity(array({t})), split(t, x)});
  EXPECT_EQ(messages(mapped), Texts{"split: ?t must divide N"});
  const Term chosen = substitute_sizes(mapped, {{t.get(), 64}});
  EXPECT_EQ(parameters(chosen), Texts{});
  EXPECT_EQ(messages(chosen), Texts{"split: 64 must divide N"});
  const Term vectors = call(Op::AsVector, {t}, {x});
  EXPECT_EQ(type_of(substitute_sizes(vectors, {{t.get(), 4}})), "[exactdiv(N, 4)]f32x4");
  EXPECT_EQ(error_of([&] {
              substitute_sizes(vectors, {{t.get(), 5}});
            }),
            "asVector: the width is 5; it must be 2, 3, 4, 8 or 16");
}

TEST_F(Assumptions, SizeValuesBecomeLiterals) {
  EXPECT_EQ(substitute_sizes(size_value(N + 1), {{N.get(), 4}}), integer(5));
  EXPECT_EQ(substitute_sizes(size_value(N + 1), {{N.get(), M}}), size_value(M + 1));
}

TEST_F(Assumptions, FreeVariablesKeepTheirIdentity) {
  const Term eight = substitute_sizes(x, {{N.get(), 8}});
  EXPECT_EQ(type_of(eight), "[8]f32");
  EXPECT_EQ(eight.as<Free>()->id, x.as<Free>()->id);
}

}  // namespace
}  // namespace hoist::ir
