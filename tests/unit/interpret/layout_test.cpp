// The patterns that say which element is where, and the low-level ones that regroup.
#include "programs.hpp"

namespace hoist::interpret {
namespace {

class Layout : public InterpretTest {
 protected:
  const arith::Expr N = arith::size("N");
  const arith::Expr M = arith::size("M");
  const arith::Expr K = arith::size("K");
};

TEST_F(Layout, ZipAndUnzip) {
  const auto result = try_run({i32_array({N}), f32_array({N, 2})},
                              [&](const auto& p) {
                                return ir::call(Op::Unzip, {}, {zip({p[0], p[1]})});
                              },
                              {{i32({2}, {1, 2})}, {f32({2, 2}, {1, 2, 3, 4})}}, {{"N", 2}});
  ASSERT_TRUE(result) << result.error().render();
  EXPECT_EQ(*result, (Data{i32({2}, {1, 2}), f32({2, 2}, {1, 2, 3, 4})}));
}

TEST_F(Layout, ZipOfThreeInAMap) {
  EXPECT_EQ(run({i32_array({N})},
                [&](const auto& p) {
                  return map(
                      [](Term t) {
                        return ir::get(0, t) * number(100) + ir::get(1, t) * number(10) + ir::get(2, t);
                      },
                      zip({p[0], p[0], p[0]}));
                },
                {{i32({2}, {1, 2})}}, {{"N", 2}}),
            i32({2}, {111, 222}));
}

TEST_F(Layout, ArraysOfNestedTuples) {
  // [2](i32, ([2]i32, f32)), turned around within.
  const Type nested =
      ir::array_type(N, ir::tuple_type({i32_type(), ir::tuple_type({i32_array({2}), f32_type()})}));
  const Data input = {i32({2}, {1, 2}), i32({2, 2}, {3, 4, 5, 6}), f32({2}, {7, 8})};
  const auto result =
      try_run({nested},
              [&](const auto& p) {
                return map(
                    [](Term t) {
                      const Term inner = ir::get(1, t);
                      return ir::tuple({ir::get(1, inner), at(1, ir::get(0, inner)) + ir::get(0, t)});
                    },
                    p[0]);
              },
              {input}, {{"N", 2}});
  ASSERT_TRUE(result) << result.error().render();
  EXPECT_EQ(*result, (Data{f32({2}, {7, 8}), i32({2}, {5, 8})}));
}

TEST_F(Layout, LayoutsMoveAllLeavesOfTuples) {
  const auto result = try_run({i32_array({6}), f32_array({6})},
                              [&](const auto& p) {
                                return layout(Op::Transpose, {}, layout(Op::Split, {3}, zip({p[0], p[1]})));
                              },
                              {{counting({6})}, {f32({6}, {0, 10, 20, 30, 40, 50})}});
  ASSERT_TRUE(result) << result.error().render();
  EXPECT_EQ(*result, (Data{i32({3, 2}, {0, 3, 1, 4, 2, 5}), f32({3, 2}, {0, 30, 10, 40, 20, 50})}));
}

TEST_F(Layout, SplitAndJoin) {
  const Tensor x = counting({6});
  EXPECT_EQ(run({i32_array({6})}, [&](const auto& p) { return layout(Op::Split, {2}, p[0]); }, {{x}}),
            counting({3, 2}));
  EXPECT_EQ(run({i32_array({3, 2})}, [&](const auto& p) { return layout(Op::Join, {}, p[0]); },
                {{counting({3, 2})}}),
            x);
}

TEST_F(Layout, JoinOfViewsThatNoStrideReaches) {
  EXPECT_EQ(run({i32_array({2, 3})},
                [&](const auto& p) { return layout(Op::Join, {}, layout(Op::Transpose, {}, p[0])); },
                {{counting({2, 3})}}),
            i32({6}, {0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(run({i32_array({4})},
                [&](const auto& p) {
                  return layout(Op::Join, {}, layout(Op::Slide, {3, 1}, p[0]));
                },
                {{counting({4})}}),
            i32({6}, {0, 1, 2, 1, 2, 3}));
}

TEST_F(Layout, JoinOfOneRowOrOneColumn) {
  EXPECT_EQ(run({i32_array({1, 3})}, [&](const auto& p) { return layout(Op::Join, {}, p[0]); },
                {{counting({1, 3})}}),
            counting({3}));
  // Columns of one element: the elements lie 2 apart.
  EXPECT_EQ(run({i32_array({3, 2})},
                [&](const auto& p) {
                  return layout(Op::Join, {}, map([](Term row) { return layout(Op::Take, {1}, row); }, p[0]));
                },
                {{counting({3, 2})}}),
            i32({3}, {0, 2, 4}));
}

TEST_F(Layout, TransposeKeepsInnerDimensions) {
  EXPECT_EQ(run({i32_array({2, 3, 2})}, [&](const auto& p) { return layout(Op::Transpose, {}, p[0]); },
                {{counting({2, 3, 2})}}),
            i32({3, 2, 2}, {0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11}));
}

TEST_F(Layout, SlideWithSteps) {
  const auto windows = [&](std::int64_t size, std::int64_t step) {
    return run({i32_array({7})},
               [&](const auto& p) {
                 return layout(Op::Slide, {size, step}, p[0]);
               },
               {{counting({7})}});
  };
  EXPECT_EQ(windows(3, 1), i32({5, 3}, {0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5, 4, 5, 6}));
  EXPECT_EQ(windows(3, 2), i32({3, 3}, {0, 1, 2, 2, 3, 4, 4, 5, 6}));
  // The last elements need not be in any window.
  EXPECT_EQ(windows(2, 3), i32({2, 2}, {0, 1, 3, 4}));
  EXPECT_EQ(windows(7, 5), counting({1, 7}));
  EXPECT_EQ(windows(1, 1), counting({7, 1}));
}

TEST_F(Layout, SlideOfRowsAndOfColumns) {
  // 2x2 windows of a 3x3 array: slide2.
  EXPECT_EQ(run({i32_array({3, 3})},
                [&](const auto& p) {
                  return map(
                      [](Term rows) {
                        return map([](Term columns) { return layout(Op::Transpose, {}, columns); },
                                   layout(Op::Slide, {2, 1}, layout(Op::Transpose, {}, rows)));
                      },
                      layout(Op::Slide, {2, 1}, p[0]));
                },
                {{counting({3, 3})}}),
            i32({2, 2, 2, 2}, {0, 1, 3, 4, 1, 2, 4, 5, 3, 4, 6, 7, 4, 5, 7, 8}));
}

TEST_F(Layout, MapSeqSlideIsMapOverSlide) {
  EXPECT_EQ(run({i32_array({7})},
                [&](const auto& p) {
                  return ir::call(
                      Op::MapSeqSlide, {3, 2},
                      {function(i32_array({3}),
                                [](Term window) { return at(0, window) * number(100) + at(2, window); }),
                       p[0]});
                },
                {{counting({7})}}),
            i32({3}, {2, 204, 406}));
}

TEST_F(Layout, MapsOfViewsAreViews) {
  // Each of two results, one of an outer array (the same for all elements); also nested, and of one element.
  for (std::int64_t rows : {1, 3}) {
    const auto result = try_run(
        {i32_array({N, 4}), i32_array({4})},
        [&](const auto& p) {
          return map(
              [&](Term row) {
                const Term tiles = layout(Op::Transpose, {}, layout(Op::Split, {2}, row));
                return ir::tuple({map([](Term tile) { return layout(Op::Drop, {1}, tile); }, tiles), p[1]});
              },
              p[0]);
        },
        {{counting({rows, 4})}, {i32({4}, {9, 8, 7, 6})}}, {{"N", rows}});
    ASSERT_TRUE(result) << result.error().render();
    Integers lasts, repeated;
    for (std::int32_t row = 0; row < rows; ++row) {
      lasts.insert(lasts.end(), {4 * row + 2, 4 * row + 3});
      repeated.insert(repeated.end(), {9, 8, 7, 6});
    }
    EXPECT_EQ(*result, (Data{i32({rows, 2, 1}, lasts), i32({rows, 4}, repeated)}));
  }
}

TEST_F(Layout, MapsOfViewsOfNothing) {
  EXPECT_EQ(run({i32_array({2, 4})},
                [&](const auto& p) {
                  return map([](Term row) { return layout(Op::Split, {2}, row); },
                             layout(Op::Drop, {2}, p[0]));
                },
                {{counting({2, 4})}}),
            i32({0, 2, 2}, {}));
}

TEST_F(Layout, MapsThatLookUpRowsAreNoViews) {
  // The rows that an array of indices names: not evenly spaced.
  EXPECT_EQ(run({i32_array({4}), i32_array({3, 2})},
                [&](const auto& p) { return map([&](Term i) { return at(i, p[1]); }, p[0]); },
                {{i32({4}, {2, 0, 0, 1})}, {counting({3, 2})}}),
            i32({4, 2}, {4, 5, 0, 1, 0, 1, 2, 3}));
}

struct PadCase {
  ir::Boundary boundary;
  std::int64_t left, right;
  Integers expected;
};

TEST_F(Layout, PadWithEveryBoundaryAlsoWiderThanTheArray) {
  using ir::Boundary;
  const std::vector<PadCase> cases = {
      {Boundary::Clamp, 1, 2, {0, 0, 1, 2, 2, 2}},
      {Boundary::Clamp, 5, 0, {0, 0, 0, 0, 0, 0, 1, 2}},
      {Boundary::Mirror, 1, 2, {0, 0, 1, 2, 2, 1}},
      {Boundary::Mirror, 7, 8, {0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1}},
      {Boundary::Reflect, 1, 2, {1, 0, 1, 2, 1, 0}},
      {Boundary::Reflect, 5, 6, {1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1, 0}},
      {Boundary::Wrap, 1, 2, {2, 0, 1, 2, 0, 1}},
      {Boundary::Wrap, 7, 5, {2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1}},
      {Boundary::Wrap, 0, 0, {0, 1, 2}},
  };
  for (const PadCase& c : cases) {
    EXPECT_EQ(run({i32_array({N})}, [&](const auto& p) { return pad(c.left, c.right, c.boundary, p[0]); },
                  {{counting({3})}}, {{"N", 3}}),
              i32({static_cast<std::int64_t>(c.expected.size())}, c.expected))
        << static_cast<int>(c.boundary) << ' ' << c.left << ' ' << c.right;
  }
}

TEST_F(Layout, PadOfOneElement) {
  for (auto boundary :
       {ir::Boundary::Clamp, ir::Boundary::Mirror, ir::Boundary::Wrap, ir::Boundary::Reflect}) {
    EXPECT_EQ(
        run({i32_array({1})}, [&](const auto& p) { return pad(3, 2, boundary, p[0]); }, {{i32({1}, {9})}}),
        i32({6}, {9, 9, 9, 9, 9, 9}));
  }
}

TEST_F(Layout, PadOfRowsThenColumns) {
  EXPECT_EQ(run({i32_array({2, 2})},
                [&](const auto& p) {
                  const auto mirror = ir::Boundary::Mirror;
                  return pad(1, 0, mirror, map([&](Term row) { return pad(0, 1, mirror, row); }, p[0]));
                },
                {{counting({2, 2})}}),
            i32({3, 3}, {0, 1, 1, 0, 1, 1, 2, 3, 3}));
}

TEST_F(Layout, PadWithAValue) {
  EXPECT_EQ(run({i32_array({N})},
                [&](const auto& p) {
                  return ir::call(Op::PadValue, {2, 1}, {number(-7), p[0]});
                },
                {{counting({2})}}, {{"N", 2}}),
            i32({5}, {-7, -7, 0, 1, -7}));
  // The value of an array of rows is a row.
  EXPECT_EQ(run({i32_array({1, 2})},
                [&](const auto& p) {
                  const Term row = generate(2, [](Term i) { return i + number(5); });
                  return ir::call(Op::PadValue, {1, 1}, {row, p[0]});
                },
                {{counting({1, 2})}}),
            i32({3, 2}, {5, 6, 0, 1, 5, 6}));
}

TEST_F(Layout, PadOfTuples) {
  const auto result = try_run({i32_array({2}), f32_array({2})},
                              [&](const auto& p) {
                                return pad(1, 1, ir::Boundary::Wrap, zip({p[0], p[1]}));
                              },
                              {{counting({2})}, {f32({2}, {5, 6})}});
  ASSERT_TRUE(result) << result.error().render();
  EXPECT_EQ(*result, (Data{i32({4}, {1, 0, 1, 0}), f32({4}, {6, 5, 6, 5})}));
}

TEST_F(Layout, GatherReadsAndScatterWrites) {
  // A rotation: gather's is the inverse of scatter's.
  const auto rotate = [&](Op op) {
    return run({i32_array({N})},
               [&](const auto& p) {
                 const Term index = function(i32_type(), [&](Term i) {
                   return ir::scalar_call(ScalarOp::Remainder, {i + number(1), ir::size_value(N)});
                 });
                 return ir::call(op, {}, {index, p[0]});
               },
               {{i32({4}, {10, 20, 30, 40})}}, {{"N", 4}});
  };
  EXPECT_EQ(rotate(Op::Gather), i32({4}, {20, 30, 40, 10}));
  EXPECT_EQ(rotate(Op::Scatter), i32({4}, {40, 10, 20, 30}));
}

TEST_F(Layout, GatherMovesRowsAndMayRepeat) {
  EXPECT_EQ(run({i32_array({3, 2})},
                [&](const auto& p) {
                  const Term index = function(i32_type(), [](Term) { return number(2); });
                  return ir::call(Op::Gather, {}, {index, p[0]});
                },
                {{counting({3, 2})}}),
            i32({3, 2}, {4, 5, 4, 5, 4, 5}));
}

TEST_F(Layout, AtTakesElementsAndRows) {
  EXPECT_EQ(run({i32_array({3, 2})}, [&](const auto& p) { return at(1, p[0]); }, {{counting({3, 2})}}),
            i32({2}, {2, 3}));
  EXPECT_EQ(run({i32_array({3, 2}), i32_type()}, [&](const auto& p) { return at(p[1], at(p[1], p[0])); },
                {{counting({3, 2})}, {i32({}, {1})}}),
            i32({}, {3}));
  // Any integer type may be an index.
  for (Scalar scalar : {Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U8, Scalar::I8, Scalar::I16,
                        Scalar::U16, Scalar::U64}) {
    EXPECT_EQ(run({i32_array({3})},
                  [&](const auto& p) { return at(ir::literal(ScalarValue::of_integer(scalar, 2)), p[0]); },
                  {{counting({3})}}),
              i32({}, {2}));
  }
}

TEST_F(Layout, TakeDropConcat) {
  const auto of_five = [&](const Unary& body) {
    return run({i32_array({5})}, [&](const auto& p) { return body(p[0]); }, {{counting({5})}});
  };
  EXPECT_EQ(of_five([](Term x) { return layout(Op::Take, {2}, x); }), i32({2}, {0, 1}));
  EXPECT_EQ(of_five([](Term x) { return layout(Op::Drop, {2}, x); }), i32({3}, {2, 3, 4}));
  EXPECT_EQ(of_five([](Term x) { return layout(Op::Take, {5}, x); }), counting({5}));
  EXPECT_EQ(of_five([](Term x) { return layout(Op::Drop, {0}, x); }), counting({5}));
  EXPECT_EQ(of_five([](Term x) {
              return ir::call(Op::Concat, {}, {layout(Op::Drop, {4}, x), layout(Op::Take, {2}, x)});
            }),
            i32({3}, {4, 0, 1}));
}

TEST_F(Layout, RotateCountsOnFromTheOtherEnd) {
  const auto rotated = [&](std::int64_t by, std::int64_t length) {
    return run({i32_array({length})}, [&](const auto& p) { return layout(Op::Rotate, {by}, p[0]); },
               {{counting({length})}});
  };
  EXPECT_EQ(rotated(2, 5), i32({5}, {2, 3, 4, 0, 1}));
  EXPECT_EQ(rotated(-1, 5), i32({5}, {4, 0, 1, 2, 3}));
  EXPECT_EQ(rotated(13, 5), i32({5}, {3, 4, 0, 1, 2}));
  EXPECT_EQ(rotated(-12, 5), i32({5}, {3, 4, 0, 1, 2}));
  EXPECT_EQ(rotated(0, 5), counting({5}));
  EXPECT_EQ(rotated(-7, 1), counting({1}));
  EXPECT_EQ(rotated(3, 0), counting({0}));
}

TEST_F(Layout, RotateOfColumnsAndOfTuples) {
  EXPECT_EQ(run({i32_array({3, 2})},
                [&](const auto& p) {
                  return layout(Op::Transpose, {}, layout(Op::Rotate, {1}, layout(Op::Transpose, {}, p[0])));
                },
                {{counting({3, 2})}}),
            i32({3, 2}, {1, 0, 3, 2, 5, 4}));
  const auto pairs = try_run({i32_array({3}), i32_array({3})},
                             [&](const auto& p) {
                               return ir::call(Op::Unzip, {}, {layout(Op::Rotate, {-1}, zip({p[0], p[1]}))});
                             },
                             {{counting({3})}, {i32({3}, {7, 8, 9})}});
  ASSERT_TRUE(pairs) << pairs.error().render();
  EXPECT_EQ(*pairs, (Data{i32({3}, {2, 0, 1}), i32({3}, {9, 7, 8})}));
}

TEST_F(Layout, ConcatOfTuplesAndRows) {
  const auto result = try_run({i32_array({1, 2}), i32_array({2, 2})},
                              [&](const auto& p) {
                                return ir::call(Op::Concat, {}, {p[1], p[0]});
                              },
                              {{i32({1, 2}, {8, 9})}, {counting({2, 2})}});
  ASSERT_TRUE(result) << result.error().render();
  EXPECT_EQ(*result, (Data{i32({3, 2}, {0, 1, 2, 3, 8, 9})}));
}

TEST_F(Layout, AddressSpacesAreIdentities) {
  for (Op op : {Op::ToGlobal, Op::ToLocal, Op::ToPrivate, Op::ToImage}) {
    EXPECT_EQ(
        run({i32_array({2, 3})}, [&](const auto& p) { return layout(op, {}, p[0]); }, {{counting({2, 3})}}),
        counting({2, 3}));
  }
}

// ---- vectors

TEST_F(Layout, AsVectorAndAsScalarRegroup) {
  const auto vectors =
      try_run({f32_array({4})}, [&](const auto& p) { return layout(Op::AsVector, {2}, p[0]); },
              {{f32({4}, {1, 2, 3, 4})}});
  ASSERT_TRUE(vectors) << vectors.error().render();
  EXPECT_EQ(*vectors, (Data{f32({2, 2}, {1, 2, 3, 4})}));
  EXPECT_EQ(run({f32_array({4})},
                [&](const auto& p) { return layout(Op::AsScalar, {}, layout(Op::AsVector, {2}, p[0])); },
                {{f32({4}, {1, 2, 3, 4})}}),
            f32({4}, {1, 2, 3, 4}));
}

TEST_F(Layout, OperationsOnVectorsAreComponentwiseAndRepeatScalars) {
  EXPECT_EQ(run({f32_array({4}), f32_type()},
                [&](const auto& p) {
                  const Unary body = [&](Term v) { return (v + v) * p[1]; };
                  return layout(Op::AsScalar, {}, map(body, layout(Op::AsVector, {4}, p[0])));
                },
                {{f32({4}, {1, 2, 3, 4})}, {f32({}, {10})}}),
            f32({4}, {20, 40, 60, 80}));
}

TEST_F(Layout, VectorsOfColumns) {
  // A vector may be a strided view of memory.
  EXPECT_EQ(run({f32_array({2, 2})},
                [&](const auto& p) {
                  return map(
                      [](Term column) {
                        return layout(Op::AsScalar, {},
                                      map([](Term v) { return v * v; }, layout(Op::AsVector, {2}, column)));
                      },
                      layout(Op::Transpose, {}, p[0]));
                },
                {{f32({2, 2}, {1, 2, 3, 4})}}),
            f32({2, 2}, {1, 9, 4, 16}));
}

TEST_F(Layout, BroadcastAndDot) {
  EXPECT_EQ(
      run({f32_type()}, [&](const auto& p) { return layout(Op::Broadcast, {4}, p[0]); }, {{f32({}, {3})}}),
      f32({4}, {3, 3, 3, 3}));
  EXPECT_EQ(run({f32_array({8})},
                [&](const auto& p) {
                  return map(
                      [](Term v) {
                        return ir::call(Op::Dot, {}, {v, layout(Op::Broadcast, {4}, real(2))});
                      },
                      layout(Op::AsVector, {4}, p[0]));
                },
                {{f32({8}, {1, 2, 3, 4, 5, 6, 7, 8})}}),
            f32({2}, {20, 52}));
}

TEST_F(Layout, DotRoundsFromLeftToRight) {
  // 2^24 + 1 + 1 - 2^24 in single precision.
  Counts counts;
  const auto dot = program({f32_array({4}), f32_array({4})}, [&](const auto& p) {
    return map(
        [](Term t) {
          return ir::call(Op::Dot, {}, {ir::get(0, t), ir::get(1, t)});
        },
        zip({layout(Op::AsVector, {4}, p[0]), layout(Op::AsVector, {4}, p[1])}));
  });
  const auto result =
      evaluate(dot, {{f32({4}, {16777216, 1, 1, -16777216})}, {f32({4}, {1, 1, 1, 1})}}, {}, {}, &counts);
  ASSERT_TRUE(result) << result.error().render();
  EXPECT_EQ(result->at(0), f32({1}, {0}));
  EXPECT_EQ(counts.flops, 7U);
}

}  // namespace
}  // namespace hoist::interpret
