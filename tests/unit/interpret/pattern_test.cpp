// The patterns that compute: map, reduce, scan, iterate, generate, and the scalar language inside them.
#include "programs.hpp"

namespace hoist::interpret {
namespace {

class Patterns : public InterpretTest {
 protected:
  const arith::Expr N = arith::size("N");
  const arith::Expr M = arith::size("M");
};

TEST_F(Patterns, MapAppliesToEachElement) {
  EXPECT_EQ(run({i32_array({N})},
                [&](const auto& p) { return map([](Term x) { return x * x + number(1); }, p[0]); },
                {{i32({4}, {1, 2, 3, -4})}}, {{"N", 4}}),
            i32({4}, {2, 5, 10, 17}));
}

TEST_F(Patterns, LowLevelMapsMeanMap) {
  const std::vector<std::pair<Op, std::vector<arith::Expr>>> maps = {{Op::MapGlobal, {0}},
                                                                     {Op::MapGroup, {1}},
                                                                     {Op::MapLocal, {2}},
                                                                     {Op::MapSeq, {}},
                                                                     {Op::MapSeqUnroll, {}}};
  for (const auto& [op, sizes] : maps) {
    EXPECT_EQ(run({i32_array({N})},
                  [&, op = op, sizes = sizes](const auto& p) {
                    return map([](Term x) { return x + x; }, p[0], op, sizes);
                  },
                  {{i32({3}, {1, 2, 3})}}, {{"N", 3}}),
              i32({3}, {2, 4, 6}))
        << ir::primitive(op).name;
  }
}

TEST_F(Patterns, MapNests) {
  EXPECT_EQ(run({i32_array({N, M}), i32_type()},
                [&](const auto& p) {
                  return map([&](Term row) { return map([&](Term x) { return x * p[1]; }, row); }, p[0]);
                },
                {{counting({2, 3})}, {i32({}, {10})}}, {{"N", 2}, {"M", 3}}),
            i32({2, 3}, {0, 10, 20, 30, 40, 50}));
}

TEST_F(Patterns, MapMayGiveTuplesOfArrays) {
  const auto result =
      try_run({i32_array({N, M})},
              [&](const auto& p) {
                return map(
                    [&](Term row) {
                      return ir::tuple({reduce([](Term a, Term b) { return a + b; }, number(0), row),
                                        map([](Term x) { return x * number(2); }, row)});
                    },
                    p[0]);
              },
              {{counting({2, 3})}}, {{"N", 2}, {"M", 3}});
  ASSERT_TRUE(result) << result.error().render();
  EXPECT_EQ(*result, (Data{i32({2}, {3, 12}), i32({2, 3}, {0, 2, 4, 6, 8, 10})}));
}

TEST_F(Patterns, MapOfAnEmptyArrayIsEmpty) {
  EXPECT_EQ(run({i32_array({N})},
                [&](const auto& p) {
                  return map([](Term x) { return number(1) / x; }, layout(Op::Drop, {N}, p[0]));
                },
                {{i32({2}, {0, 0})}}, {{"N", 2}}),
            i32({0}, {}));
}

TEST_F(Patterns, ReduceIsALeftFold) {
  for (Op op : {Op::Reduce, Op::ReduceSeq, Op::ReduceSeqUnroll}) {
    // ((100 - 1) - 2) - 3
    EXPECT_EQ(run({i32_array({N})},
                  [&](const auto& p) {
                    return fold(
                        op, [](Term a, Term x) { return a - x; }, number(100), p[0]);
                  },
                  {{i32({3}, {1, 2, 3})}}, {{"N", 3}}),
              i32({}, {94}))
        << ir::primitive(op).name;
  }
}

TEST_F(Patterns, ReductionsByAGroupAreReductions) {
  EXPECT_EQ(run({i32_array({N})},
                [&](const auto& p) {
                  const Term i32 = number(0);
                  const Term sum =
                      ir::lambda({i32.type(), i32.type()}, [](const auto& two) { return two[0] + two[1]; });
                  return ir::call(Op::ReduceLocal, {1}, {sum, number(100), p[0]});
                },
                {{i32({3}, {1, 2, 3})}}, {{"N", 3}}),
            i32({}, {106}));
}

TEST_F(Patterns, ReduceRoundsEachStepToSinglePrecision) {
  // 2^24 + 1 + 1 in single precision stays 2^24, added from the left.
  EXPECT_EQ(run({f32_array({N})},
                [&](const auto& p) { return reduce([](Term a, Term x) { return a + x; }, real(0), p[0]); },
                {{f32({3}, {16777216.0F, 1.0F, 1.0F})}}, {{"N", 3}}),
            f32({}, {16777216.0F}));
}

TEST_F(Patterns, ReduceCarriesTuplesWhoseComponentsChangePlaces) {
  // (a, b), x => (b, a + x)
  const auto result = try_run({i32_array({N})},
                              [&](const auto& p) {
                                const Term initial = ir::tuple({number(1), number(2)});
                                return reduce(
                                    [](Term a, Term x) {
                                      return ir::tuple({ir::get(1, a), ir::get(0, a) + x});
                                    },
                                    initial, p[0]);
                              },
                              {{i32({3}, {10, 20, 30})}}, {{"N", 3}});
  ASSERT_TRUE(result) << result.error().render();
  // (1, 2) -> (2, 11) -> (11, 22) -> (22, 41)
  EXPECT_EQ(*result, (Data{i32({}, {22}), i32({}, {41})}));
}

TEST_F(Patterns, ReduceCarriesArrays) {
  // Adds the rows of a matrix.
  EXPECT_EQ(
      run({i32_array({N, M})},
          [&](const auto& p) {
            return reduce(
                [](Term a, Term row) {
                  return map([](Term pair) { return ir::get(0, pair) + ir::get(1, pair); }, zip({a, row}));
                },
                generate(M, [](Term) { return number(0); }), p[0]);
          },
          {{counting({3, 2})}}, {{"N", 3}, {"M", 2}}),
      i32({2}, {6, 9}));
}

TEST_F(Patterns, ReduceCarriesViewsOfItsAccumulator) {
  // Each step turns the accumulator around and does nothing else.
  const auto reversed = [&](Term x) {
    const Term index = function(i32_type(), [&](Term i) { return ir::size_value(M) - number(1) - i; });
    return ir::call(Op::Gather, {}, {index, x});
  };
  EXPECT_EQ(run({i32_array({N}), i32_array({M})},
                [&](const auto& p) { return reduce([&](Term a, Term) { return reversed(a); }, p[1], p[0]); },
                {{counting({3})}, {i32({2}, {7, 8})}}, {{"N", 3}, {"M", 2}}),
            i32({2}, {8, 7}));
  // A transposed view of itself.
  EXPECT_EQ(run({i32_array({N}), i32_array({M, M})},
                [&](const auto& p) {
                  return reduce([&](Term a, Term) { return layout(Op::Transpose, {}, a); }, p[1], p[0]);
                },
                {{counting({3})}, {i32({2, 2}, {1, 2, 3, 4})}}, {{"N", 3}, {"M", 2}}),
            i32({2, 2}, {1, 3, 2, 4}));
}

TEST_F(Patterns, ReductionsInsideMapsStartAnew) {
  EXPECT_EQ(run({i32_array({N, M})},
                [&](const auto& p) {
                  return map(
                      [](Term row) { return reduce([](Term a, Term x) { return a + x; }, number(5), row); },
                      p[0]);
                },
                {{counting({3, 2})}}, {{"N", 3}, {"M", 2}}),
            i32({3}, {6, 10, 14}));
}

TEST_F(Patterns, ScanIncludesItsOwnElement) {
  for (Op op : {Op::Scan, Op::ScanSeq}) {
    EXPECT_EQ(run({i32_array({N})},
                  [&](const auto& p) {
                    return fold(
                        op, [](Term a, Term x) { return a * number(2) + x; }, number(1), p[0]);
                  },
                  {{i32({3}, {1, 2, 3})}}, {{"N", 3}}),
              i32({3}, {3, 8, 19}))
        << ir::primitive(op).name;
  }
}

TEST_F(Patterns, ScanCarriesArrays) {
  EXPECT_EQ(
      run({i32_array({N, M})},
          [&](const auto& p) {
            return fold(
                Op::Scan,
                [](Term a, Term row) {
                  return map([](Term pair) { return ir::get(0, pair) + ir::get(1, pair); }, zip({a, row}));
                },
                generate(M, [](Term) { return number(100); }), p[0]);
          },
          {{counting({3, 2})}}, {{"N", 3}, {"M", 2}}),
      i32({3, 2}, {100, 101, 102, 104, 106, 109}));
}

TEST_F(Patterns, GenerateCountsFromZero) {
  EXPECT_EQ(run({}, [&](const auto&) { return generate(N, [](Term i) { return i * i; }); }, {}, {{"N", 4}}),
            i32({4}, {0, 1, 4, 9}));
}

TEST_F(Patterns, IfTakesOneBranchOnly) {
  // The other branch would divide by zero.
  EXPECT_EQ(run({i32_array({N})},
                [&](const auto& p) {
                  return map(
                      [](Term x) {
                        const Term is_zero = ir::scalar_call(ScalarOp::Equal, {x, number(0)});
                        return ir::if_then_else(is_zero, number(-1), number(12) / x);
                      },
                      p[0]);
                },
                {{i32({3}, {0, 3, 4})}}, {{"N", 3}}),
            i32({3}, {-1, 4, 3}));
}

TEST_F(Patterns, IfChoosesArrays) {
  for (int condition : {0, 1}) {
    EXPECT_EQ(run({i32_array({N}), i32_type()},
                  [&](const auto& p) {
                    return ir::if_then_else(ir::scalar_call(ScalarOp::NotEqual, {p[1], number(0)}), p[0],
                                            map([](Term x) { return x + number(1); }, p[0]));
                  },
                  {{counting({2})}, {i32({}, {condition})}}, {{"N", 2}}),
              condition ? i32({2}, {0, 1}) : i32({2}, {1, 2}));
  }
}

TEST_F(Patterns, LetBindsOnce) {
  Counts counts;
  const auto square_sum = program({i32_type()}, [&](const auto& p) {
    return ir::let(p[0] * p[0], function(i32_type(), [](Term s) { return s + s; }));
  });
  const auto result = evaluate(square_sum, {{i32({}, {3})}}, {}, {}, &counts);
  ASSERT_TRUE(result) << result.error().render();
  EXPECT_EQ(result->at(0), i32({}, {18}));
  EXPECT_EQ(counts.operations, 2U);
  EXPECT_EQ(counts.flops, 0U);
}

TEST_F(Patterns, LetShadowsAndReachesOutwards) {
  // let s = x * 2 in map(e => let t = s + e in t * x)
  EXPECT_EQ(run({i32_array({N}), i32_type()},
                [&](const auto& p) {
                  const Unary body = [&](Term s) {
                    return map(
                        [&](Term e) {
                          return ir::let(s + e, function(i32_type(), [&](Term t) { return t * p[1]; }));
                        },
                        p[0]);
                  };
                  return ir::let(p[1] * number(2), function(i32_type(), body));
                },
                {{counting({3})}, {i32({}, {5})}}, {{"N", 3}}),
            i32({3}, {50, 55, 60}));
}

TEST_F(Patterns, SharedTermsAreComputedOnce) {
  // Doubling 40 times by sharing alone: 2^40 operations if it were a tree.
  Counts counts;
  const auto doubling = program({i32_type()}, [&](const auto& p) {
    Term x = p[0];
    for (int i = 0; i < 40; ++i) x = x + x;
    return x;
  });
  const auto result = evaluate(doubling, {{i32({}, {1})}}, {}, {}, &counts);
  ASSERT_TRUE(result) << result.error().render();
  EXPECT_EQ(result->at(0), i32({}, {0}));
  EXPECT_EQ(counts.operations, 40U);
}

TEST_F(Patterns, SharedTermsUnderDifferentBindersAreNotConfused) {
  // map(x => x + 1) inside and outside: both functions have the same body term.
  EXPECT_EQ(run({i32_array({N, M})},
                [&](const auto& p) {
                  const Unary next = [](Term x) { return x + number(1); };
                  return map(
                      [&](Term row) {
                        return reduce([&](Term a, Term x) { return a * number(10) + x; }, number(0),
                                      map(next, map(next, row)));
                      },
                      p[0]);
                },
                {{counting({2, 2})}}, {{"N", 2}, {"M", 2}}),
            i32({2}, {23, 45}));
}

TEST_F(Patterns, SizesAreValues) {
  EXPECT_EQ(
      run({i32_array({N})},
          [&](const auto& p) { return map([&](Term x) { return x + ir::size_value(N * N - 1); }, p[0]); },
          {{counting({3})}}, {{"N", 3}}),
      i32({3}, {8, 9, 10}));
}

TEST_F(Patterns, CastsConvert) {
  EXPECT_EQ(run({f32_array({N})},
                [&](const auto& p) { return map([](Term x) { return ir::cast(Scalar::I32, x); }, p[0]); },
                {{f32({3}, {1.9F, -1.9F, 3e9F})}}, {{"N", 3}}),
            i32({3}, {1, -1, 2147483647}));
}

// ---- iterate

/// iterate(times, f, x) where f is typed with a fresh size.
Term iterate(arith::Expr times, Type element, const Unary& body, Term x, const char* variable = "k") {
  const arith::Expr k = arith::size(variable);
  return ir::call(Op::Iterate, {times, k}, {function(ir::array_type(k, element), body), x});
}

TEST_F(Patterns, IterateRepeats) {
  EXPECT_EQ(run({i32_array({N})},
                [&](const auto& p) {
                  return iterate(
                      3, i32_type(), [](Term v) { return map([](Term x) { return x * number(2); }, v); },
                      p[0]);
                },
                {{counting({3})}}, {{"N", 3}}),
            i32({3}, {0, 8, 16}));
}

TEST_F(Patterns, IterateZeroTimesIsTheIdentity) {
  EXPECT_EQ(run({i32_array({N})},
                [&](const auto& p) {
                  return iterate(
                      0, i32_type(), [](Term v) { return map([](Term x) { return x + x; }, v); }, p[0]);
                },
                {{i32({2}, {5, 6})}}, {{"N", 2}}),
            i32({2}, {5, 6}));
}

TEST_F(Patterns, IterateChangesLengths) {
  // Sums pairs until one element is left.
  EXPECT_EQ(
      run({i32_array({16})},
          [&](const auto& p) {
            return iterate(
                4, i32_type(),
                [](Term v) {
                  return map(
                      [](Term pair) { return reduce([](Term a, Term x) { return a + x; }, number(0), pair); },
                      layout(Op::Split, {2}, v));
                },
                p[0]);
          },
          {{counting({16})}}),
      i32({1}, {120}));
}

TEST_F(Patterns, IterateKnowsItsCurrentLength) {
  // Adds the current length to each element, then drops half of them: 8 + 4 + 2.
  EXPECT_EQ(run({i32_array({8})},
                [&](const auto& p) {
                  const arith::Expr k = arith::size("k");
                  return iterate(
                      3, i32_type(),
                      [&](Term v) {
                        const Term halves = layout(Op::Split, {2}, v);
                        return map([&](Term pair) { return at(0, pair) + ir::size_value(k); }, halves);
                      },
                      p[0]);
                },
                {{counting({8})}}),
            i32({1}, {14}));
}

TEST_F(Patterns, IterateInsideMapAndIterate) {
  const Unary halve = [](Term v) {
    return map([](Term pair) { return reduce([](Term a, Term x) { return a + x; }, number(0), pair); },
               layout(Op::Split, {2}, v));
  };
  EXPECT_EQ(run({i32_array({N, 4})},
                [&](const auto& p) {
                  return map([&](Term row) { return iterate(2, i32_type(), halve, row); }, p[0]);
                },
                {{counting({3, 4})}}, {{"N", 3}}),
            i32({3, 1}, {6, 22, 38}));
  // The same size variable inside its own iteration.
  EXPECT_EQ(run({i32_array({4})},
                [&](const auto& p) {
                  return iterate(
                      2, i32_type(),
                      [&](Term v) {
                        return iterate(
                            3, i32_type(),
                            [](Term w) { return map([](Term x) { return x + number(1); }, w); }, v, "j");
                      },
                      p[0]);
                },
                {{counting({4})}}),
            i32({4}, {6, 7, 8, 9}));
}

}  // namespace
}  // namespace hoist::interpret
