// The type of every primitive's calls, and what is said about wrong ones.
#include "support.hpp"

namespace hoist::ir {
namespace {

class Typing : public InArena {
 protected:
  Term x = fresh(array({N}), "x"), y = fresh(array({N}), "y"), matrix = fresh(array({M, K}), "matrix");
  Term ten = fresh(array({10}), "ten"), scalar = fresh(f32_type(), "scalar");
  Term pairs = fresh(array({N}, tuple_type({f32_type(), i32_type()})), "pairs");
  Term vectors = fresh(array({N}, vector(4)), "vectors");
};

TEST_F(Typing, MapsOfEveryKind) {
  const Term f = function(f32_type(), [](Term e) { return cast(Scalar::I32, e); });
  for (const Primitive& row : all_primitives()) {
    if (!is_map(row.op)) continue;
    const std::string name(row.name);
    std::vector<arith::Expr> sizes;
    if (is_parallel_map(row.op) || row.op == Op::Prefetch) sizes.push_back(2);
    EXPECT_EQ(type_of(call(row.op, sizes, {f, x})), "[N]i32");
    EXPECT_EQ(type_of(call(row.op, sizes, {identity(array({K})), matrix})), "[M][K]f32");
    EXPECT_EQ(error_of([&] {
                call(row.op, sizes, {f, scalar});
              }),
              name + ": the argument x must be an array, but it is f32");
    EXPECT_EQ(error_of([&] {
                call(row.op, sizes, {f, matrix});
              }),
              name + ": its function is given [K]f32, but takes f32");
    EXPECT_EQ(error_of([&] {
                call(row.op, sizes, {addition(), x});
              }),
              name + ": its function must take 1 argument, but the given function takes 2");
    EXPECT_EQ(error_of([&] {
                call(row.op, sizes, {x, x});
              }),
              name + ": the argument f must be a function, but it is [N]f32");
    EXPECT_EQ(error_of([&] {
                call(row.op, sizes, {f, f});
              }),
              name + ": the argument x must be data, but it is a function");
  }
}

TEST_F(Typing, DimensionsAreZeroOneOrTwo) {
  EXPECT_EQ(error_of([&] {
              call(Op::ReduceLocal, {3}, {addition(), real(0), x});
            }),
            "reduceLcl: a dimension is 0, 1 or 2");
  for (Op op : {Op::MapGlobal, Op::MapGroup, Op::MapLocal}) {
    for (std::int64_t dimension : {-1, 3}) {
      EXPECT_EQ(error_of([&] {
                  call(op, {dimension}, {increment(), x});
                }),
                std::string(primitive(op).name) + ": a dimension is 0, 1 or 2");
    }
    EXPECT_EQ(error_of([&] {
                call(op, {N}, {increment(), x});
              }),
              std::string(primitive(op).name) + ": a dimension is 0, 1 or 2");
  }
}

TEST_F(Typing, ReductionsAndScans) {
  const Term f =
      function(i32_type(), f32_type(), [](Term sum, Term e) { return add(sum, cast(Scalar::I32, e)); });
  for (Op op : {Op::Reduce, Op::ReduceSeq, Op::ReduceSeqUnroll, Op::Scan, Op::ScanSeq}) {
    const std::string name(primitive(op).name);
    EXPECT_EQ(type_of(call(op, {}, {f, integer(0), x})), is_scan(op) ? "[N]i32" : "i32");
    EXPECT_EQ(error_of([&] {
                call(op, {}, {f, real(0), x});
              }),
              name + ": its function is given f32, but takes i32");
    const Term narrow = function(i32_type(), f32_type(), [](Term, Term e) { return e; });
    EXPECT_EQ(error_of([&] {
                call(op, {}, {narrow, integer(0), x});
              }),
              name + ": the operator gives f32, but the accumulator is i32");
    EXPECT_EQ(error_of([&] {
                call(op, {}, {increment(), real(0), x});
              }),
              name + ": its function must take 2 arguments, but the given function takes 1");
    EXPECT_EQ(error_of([&] {
                call(op, {}, {addition(), real(0), real(1)});
              }),
              name + ": the argument x must be an array, but it is f32");
  }
}

TEST_F(Typing, Generate) {
  EXPECT_EQ(type_of(call(Op::Generate, {N * 2}, {identity(i32_type())})), "[2*N]i32");
  EXPECT_EQ(error_of([&] { call(Op::Generate, {N}, {increment()}); }),
            "generate: its function is given i32, but takes f32");
}

TEST_F(Typing, Zip) {
  EXPECT_EQ(type_of(call(Op::Zip, {}, {x, pairs, y})), "[N](f32, (f32, i32), f32)");
  EXPECT_EQ(error_of([&] {
              call(Op::Zip, {}, {matrix, x});
            }),
            "zip: the first array has M elements, the second N; they must be equal");
  EXPECT_EQ(error_of([&] {
              call(Op::Zip, {}, {x, y, matrix});
            }),
            "zip: the first array has N elements, the third M; they must be equal");
  EXPECT_EQ(error_of([&] {
              call(Op::Zip, {}, {x, scalar});
            }),
            "zip: the second argument must be an array, but it is f32");
  EXPECT_EQ(error_of([&] { call(Op::Zip, {}, {x}); }), "zip takes two arrays or more");
}

TEST_F(Typing, Unzip) {
  EXPECT_EQ(type_of(call(Op::Unzip, {}, {pairs})), "([N]f32, [N]i32)");
  EXPECT_EQ(error_of([&] { call(Op::Unzip, {}, {x}); }),
            "unzip: the argument must be an array of tuples, but it is [N]f32");
}

TEST_F(Typing, SplitJoinTranspose) {
  EXPECT_EQ(type_of(split(5, ten)), "[2][5]f32");
  EXPECT_EQ(type_of(split(M, fresh(array({M * N}), "x"))), "[N][M]f32");
  EXPECT_EQ(error_of([&] { split(4, ten); }), "split: 4 does not divide 10");
  EXPECT_EQ(error_of([&] { split(4, scalar); }), "split: the argument x must be an array, but it is f32");
  EXPECT_EQ(type_of(join(matrix)), "[K*M]f32");
  EXPECT_EQ(error_of([&] { join(x); }), "join: the argument x must be an array of arrays, but it is [N]f32");
  EXPECT_EQ(type_of(call(Op::Transpose, {}, {matrix})), "[K][M]f32");
  EXPECT_EQ(error_of([&] { call(Op::Transpose, {}, {x}); }),
            "transpose: the argument x must be an array of arrays, but it is [N]f32");
}

TEST_F(Typing, JoinOfSplitHasTheOldLength) {
  EXPECT_EQ(join(split(4, x)).type(), x.type());
  EXPECT_EQ(join(split(arith::parameter("t"), x)).type(), x.type());
}

TEST_F(Typing, Slide) {
  EXPECT_EQ(type_of(call(Op::Slide, {3, 1}, {ten})), "[8][3]f32");
  EXPECT_EQ(type_of(call(Op::Slide, {4, 3}, {ten})), "[3][4]f32");
  EXPECT_EQ(type_of(call(Op::Slide, {3, 1}, {fresh(array({N + 2}), "x")})), "[N][3]f32");
  EXPECT_EQ(error_of([&] {
              call(Op::Slide, {11, 1}, {ten});
            }),
            "slide: 11 is more than the 10 elements there are");
}

TEST_F(Typing, Pad) {
  const std::int64_t clamp = static_cast<std::int64_t>(Boundary::Clamp);
  EXPECT_EQ(type_of(call(Op::Pad, {1, 2, clamp}, {x})), "[N + 3]f32");
  EXPECT_EQ(type_of(call(Op::Pad, {1, 2, clamp}, {matrix})), "[M + 3][K]f32");
  EXPECT_EQ(type_of(call(Op::PadValue, {M, 0}, {scalar, x})), "[M + N]f32");
  EXPECT_EQ(error_of([&] {
              call(Op::PadValue, {1, 1}, {integer(0), x});
            }),
            "padValue: i32 and f32 must be one type (a)");
}

TEST_F(Typing, GatherScatter) {
  for (Op op : {Op::Gather, Op::Scatter}) {
    const std::string name(primitive(op).name);
    EXPECT_EQ(type_of(call(op, {}, {identity(i32_type()), matrix})), "[M][K]f32");
    EXPECT_EQ(error_of([&] {
                call(op, {}, {increment(), x});
              }),
              name + ": its function is given i32, but takes f32");
    const Term real_index = function(i32_type(), [](Term i) { return cast(Scalar::F32, i); });
    EXPECT_EQ(error_of([&] {
                call(op, {}, {real_index, x});
              }),
              name + ": its function must give i32, but gives f32");
  }
}

TEST_F(Typing, At) {
  EXPECT_EQ(type_of(call(Op::At, {}, {integer(3), matrix})), "[K]f32");
  EXPECT_EQ(type_of(call(Op::At, {}, {integer(3, Scalar::U8), matrix})), "[K]f32");
  EXPECT_EQ(error_of([&] {
              call(Op::At, {}, {real(3), x});
            }),
            "at: the index must be an integer, but it is f32");
  EXPECT_EQ(help_of([&] { call(Op::At, {}, {real(3), x}); }), "convert it: i32(...)");
  EXPECT_EQ(error_of([&] {
              call(Op::At, {}, {integer(10), ten});
            }),
            "at: the index 10 is outside an array of 10 elements");
  EXPECT_EQ(error_of([&] {
              call(Op::At, {}, {integer(-1), x});
            }),
            "at: the index -1 is outside an array of N elements");
}

TEST_F(Typing, TakeDropConcat) {
  EXPECT_EQ(type_of(call(Op::Take, {3}, {ten})), "[3]f32");
  EXPECT_EQ(type_of(call(Op::Drop, {3}, {ten})), "[7]f32");
  for (Op op : {Op::Take, Op::Drop}) {
    EXPECT_EQ(error_of([&] { call(op, {11}, {ten}); }),
              std::string(primitive(op).name) + ": 11 is more than the 10 elements there are");
  }
  EXPECT_EQ(type_of(call(Op::Concat, {}, {x, ten})), "[N + 10]f32");
  EXPECT_EQ(error_of([&] {
              call(Op::Concat, {}, {x, pairs});
            }),
            "concat: f32 and (f32, i32) must be one type (a)");
}

TEST_F(Typing, MapSeqSlide) {
  const Term sum = function(array({3}), [](Term w) {
    return call(Op::ReduceSeqUnroll, {}, {addition(), real(0), w});
  });
  EXPECT_EQ(type_of(call(Op::MapSeqSlide, {3, 1}, {sum, ten})), "[8]f32");
  EXPECT_EQ(error_of([&] {
              call(Op::MapSeqSlide, {4, 1}, {sum, ten});
            }),
            "mapSeqSlide: its function is given [4]f32, but takes [3]f32");
}

TEST_F(Typing, AddressSpacesKeepTypes) {
  for (Op op : {Op::ToGlobal, Op::ToLocal, Op::ToPrivate}) {
    for (Term each : {x, scalar, pairs, tuple({x, scalar})})
      EXPECT_EQ(call(op, {}, {each}).type(), each.type());
    EXPECT_EQ(error_of([&] { call(op, {}, {increment()}); }),
              std::string(primitive(op).name) + ": the argument x must be data, but it is a function");
  }
}

TEST_F(Typing, ImagesAreOfTwoDimensions) {
  EXPECT_EQ(call(Op::ToImage, {}, {matrix}).type(), matrix.type());
  EXPECT_NE(error_of([&] { call(Op::ToImage, {}, {x}); }), "");
}

TEST_F(Typing, Vectors) {
  EXPECT_EQ(type_of(call(Op::AsVector, {2}, {ten})), "[5]f32x2");
  EXPECT_EQ(error_of([&] { call(Op::AsVector, {4}, {ten}); }), "asVector: 4 does not divide 10");
  EXPECT_EQ(error_of([&] { call(Op::AsVector, {4}, {matrix}); }),
            "asVector: the argument x must be an array of scalars, but it is [M][K]f32");
  EXPECT_EQ(type_of(call(Op::AsScalar, {}, {vectors})), "[4*N]f32");
  EXPECT_EQ(error_of([&] { call(Op::AsScalar, {}, {x}); }),
            "asScalar: the argument x must be an array of vectors, but it is [N]f32");
  EXPECT_EQ(type_of(call(Op::Broadcast, {4}, {scalar})), "f32x4");
  EXPECT_EQ(type_of(call(Op::Broadcast, {arith::parameter("w")}, {scalar})), "f32x?w");
  EXPECT_EQ(error_of([&] { call(Op::Broadcast, {4}, {x}); }),
            "broadcast: the argument x must be a scalar, but it is [N]f32");
  const Term v = fresh(vector(4), "v"), w = fresh(vector(8), "w");
  EXPECT_EQ(type_of(call(Op::Dot, {}, {v, v})), "f32");
  EXPECT_EQ(error_of([&] { call(Op::Dot, {}, {v, w}); }), "dot: the widths 4 and 8 must be equal");
  EXPECT_EQ(error_of([&] {
              call(Op::Dot, {}, {v, scalar});
            }),
            "dot: the argument y must be a vector (such as f32x4), but it is f32");
  EXPECT_EQ(error_of([&] {
              call(Op::Dot, {}, {v, fresh(vector(4, Scalar::I32), "i")});
            }),
            "dot: f32 and i32 must be one type (s)");
}

TEST_F(Typing, WidthsAreThoseOfOpenCL) {
  const Term many = fresh(array({3 * 5 * 16}), "many");
  for (std::int64_t width : {2, 3, 4, 8, 16}) {
    EXPECT_EQ(type_of(call(Op::Broadcast, {width}, {scalar})), "f32x" + std::to_string(width));
    EXPECT_EQ(call(Op::AsVector, {width}, {many}).type()->size.constant(), 240 / width);
  }
  for (std::int64_t width : {0, 1, 5, 6, 32}) {
    const std::string wrong = std::to_string(width) + "; it must be 2, 3, 4, 8 or 16";
    EXPECT_EQ(error_of([&] { call(Op::Broadcast, {width}, {scalar}); }), "broadcast: the width is " + wrong);
    EXPECT_EQ(error_of([&] { call(Op::AsVector, {width}, {many}); }), "asVector: the width is " + wrong);
  }
}

TEST_F(Typing, ChunksHaveAnElement) {
  EXPECT_EQ(error_of([&] { split(0, ten); }), "split: s must be at least 1, but it is 0");
  EXPECT_EQ(error_of([&] { call(Op::Slide, {0, 1}, {ten}); }), "slide: w must be at least 1, but it is 0");
  EXPECT_EQ(error_of([&] { call(Op::Slide, {3, 0}, {ten}); }), "slide: s must be at least 1, but it is 0");
  const Term empty = function(array({0}), [](Term) { return real(0); });
  EXPECT_EQ(error_of([&] {
              call(Op::MapSeqSlide, {0, 1}, {empty, ten});
            }),
            "mapSeqSlide: w must be at least 1, but it is 0");
}

TEST_F(Typing, LengthsAreNotNegative) {
  const std::int64_t clamp = static_cast<std::int64_t>(Boundary::Clamp);
  EXPECT_EQ(error_of([&] { call(Op::Take, {-1}, {ten}); }), "take: k must be at least 0, but it is -1");
  EXPECT_EQ(error_of([&] { call(Op::Drop, {-1}, {ten}); }), "drop: k must be at least 0, but it is -1");
  EXPECT_EQ(error_of([&] {
              call(Op::Pad, {-1, 0, clamp}, {ten});
            }),
            "pad: l must be at least 0, but it is -1");
  EXPECT_EQ(error_of([&] {
              call(Op::PadValue, {0, -1}, {scalar, ten});
            }),
            "padValue: r must be at least 0, but it is -1");
  EXPECT_EQ(error_of([&] { call(Op::Generate, {-1}, {identity(i32_type())}); }),
            "generate: n must be at least 0, but it is -1");
  EXPECT_EQ(type_of(call(Op::Take, {0}, {ten})), "[0]f32");
  EXPECT_EQ(type_of(call(Op::Rotate, {-11}, {ten})), "[10]f32");
  EXPECT_EQ(type_of(call(Op::Pad, {0, 0, clamp}, {ten})), "[10]f32");
  EXPECT_EQ(type_of(call(Op::Generate, {0}, {identity(i32_type())})), "[0]i32");
}

TEST_F(Typing, FunctionsGiveData) {
  EXPECT_EQ(error_of([&] { function(f32_type(), [](Term) { return increment(); }); }),
            "a function must give data, not a function");
  EXPECT_EQ(error_of([&] { map(function(f32_type(), [&](Term) { return x; }), increment()); }),
            "map: the argument x must be data, but it is a function");
}

TEST_F(Typing, EqualUpToSizesThatAreProvenEqual) {
  // N / 4 * 4 and N are different expressions until 4 is known to divide N.
  const Term rounded = fresh(array({N - N % 4}), "rounded"), quotient = fresh(array({N / 4 * 4}), "quotient");
  EXPECT_EQ(type_of(call(Op::Zip, {}, {rounded, quotient})), type_of(call(Op::Zip, {}, {rounded, rounded})));
  const Term first = function(quotient.type(), [](Term row) { return call(Op::At, {}, {integer(0), row}); });
  EXPECT_EQ(type_of(map(first, fresh(array_type(M, rounded.type()), "rows"))), "[M]f32");
}

TEST_F(Typing, WrongNumbersOfArgumentsAreBugs) {
  EXPECT_THROW(call(Op::Map, {}, {x}), Bug);
  EXPECT_THROW(call(Op::Split, {}, {x}), Bug);
  EXPECT_THROW(call(Op::Split, {2, 2}, {x}), Bug);
}

// ---- Terms that are no calls of primitives.

TEST_F(Typing, ScalarOperations) {
  const Term v = fresh(vector(4), "v"), w = fresh(vector(8), "w"), i = integer(1);
  EXPECT_EQ(type_of(add(scalar, real(1))), "f32");
  EXPECT_EQ(type_of(add(v, scalar)), "f32x4");
  EXPECT_EQ(type_of(scalar_call(ScalarOp::Less, {v, scalar})), "boolx4");
  EXPECT_EQ(type_of(scalar_call(ScalarOp::Select, {truth(true), v, scalar})), "f32x4");
  EXPECT_EQ(type_of(scalar_call(ScalarOp::FusedMultiplyAdd, {scalar, v, scalar})), "f32x4");
  EXPECT_EQ(error_of([&] { add(v, w); }),
            "+: the vectors have 4 and 8 components; they must be equally wide");
  EXPECT_EQ(error_of([&] { add(i, scalar); }), "+: the left operand is i32, the right f32");
  EXPECT_EQ(help_of([&] { add(i, scalar); }), "convert one: i32(...)");
  EXPECT_EQ(error_of([&] { add(x, scalar); }), "+ works on scalars and vectors, but is given [N]f32");
  EXPECT_EQ(help_of([&] { add(x, scalar); }), "apply it to every element with map");
  EXPECT_EQ(error_of([&] { scalar_call(ScalarOp::Sqrt, {i}); }),
            "sqrt works on f32 or f64, but is given i32");
  EXPECT_EQ(error_of([&] {
              scalar_call(ScalarOp::BitAnd, {scalar, scalar});
            }),
            "bit_and works on integers, but is given f32");
  EXPECT_EQ(error_of([&] { scalar_call(ScalarOp::Not, {i}); }), "! works on bool, but is given i32");
  EXPECT_EQ(error_of([&] { add(truth(true), truth(true)); }), "+ works on numbers, but is given bool");
  EXPECT_EQ(error_of([&] {
              scalar_call(ScalarOp::Select, {i, i, i});
            }),
            "select: the condition must be bool, but it is i32");
  EXPECT_EQ(error_of([&] { scalar_call(ScalarOp::Add, {i}); }), "+ takes 2 operands, but is given 1");
}

/// Every operation on every scalar type: it is accepted exactly where its domain says so.
TEST_F(Typing, ScalarOperationsHaveTheDomainsOfTheirTable) {
  using Domain = ScalarOpInfo::Domain;
  for (const ScalarOpInfo& row : all_scalar_ops()) {
    for (Scalar type : all_scalars) {
      const bool is_wanted = row.domain == Domain::Any ||
                             (row.domain == Domain::Numeric && type != Scalar::Bool) ||
                             (row.domain == Domain::Float && is_float(type)) ||
                             (row.domain == Domain::Integer && is_integer(type)) ||
                             (row.domain == Domain::Boolean && type == Scalar::Bool);
      std::vector<Term> operands(static_cast<std::size_t>(row.arity), fresh(scalar_type(type), "x"));
      if (row.op == ScalarOp::Select) operands[0] = truth(true);
      Term made;
      const std::string error = error_of([&] { made = scalar_call(row.op, operands); });
      EXPECT_EQ(error.empty(), is_wanted) << row.name << " of " << name_of(type) << ": " << error;
      const Type result = scalar_type(row.gives_bool ? Scalar::Bool : type);
      EXPECT_TRUE(!made || made.type() == result) << row.name;
    }
  }
}

TEST_F(Typing, Casts) {
  EXPECT_EQ(type_of(cast(Scalar::F64, integer(1))), "f64");
  EXPECT_EQ(type_of(cast(Scalar::I32, fresh(vector(4), "v"))), "i32x4");
  EXPECT_EQ(error_of([&] { cast(Scalar::I32, x); }),
            "i32(...) converts scalars and vectors, but is given [N]f32");
}

TEST_F(Typing, Tuples) {
  EXPECT_EQ(type_of(tuple({scalar, x})), "(f32, [N]f32)");
  EXPECT_EQ(get(1, tuple({scalar, x})), x) << "a component of a tuple that is written out";
  EXPECT_EQ(type_of(get(1, fresh(tuple_type({f32_type(), i32_type()}), "t"))), "i32");
  EXPECT_EQ(error_of([&] {
              get(2, fresh(tuple_type({f32_type(), i32_type()}), "t"));
            }),
            ".2: the tuple (f32, i32) has only 2 components");
  EXPECT_EQ(error_of([&] { get(0, x); }), ".0 takes a component of a tuple, but this is [N]f32");
  EXPECT_EQ(error_of([&] { tuple({scalar, increment()}); }), "a tuple cannot hold functions");
  EXPECT_EQ(error_of([&] { tuple({scalar}); }), "a tuple has two components or more");
}

TEST_F(Typing, Let) {
  EXPECT_EQ(type_of(let(scalar, function(f32_type(), [&](Term) { return x; }))), "[N]f32");
  EXPECT_EQ(error_of([&] { let(integer(1), increment()); }), "let: the value is i32, but its use takes f32");
  EXPECT_THROW(let(scalar, x), Bug);
  EXPECT_THROW(let(scalar, addition()), Bug);
}

TEST_F(Typing, LetAndIfUpToSizesThatAreProvenEqual) {
  const Term rounded = fresh(array({N - N % 4}), "rounded"), quotient = fresh(array({N / 4 * 4}), "quotient");
  EXPECT_EQ(let(rounded, identity(quotient.type())).type(), quotient.type());
  EXPECT_EQ(apply(identity(quotient.type()), {rounded}), rounded);
  EXPECT_EQ(if_then_else(truth(true), rounded, quotient).type(), rounded.type());
}

TEST_F(Typing, If) {
  EXPECT_EQ(type_of(if_then_else(truth(true), x, y)), "[N]f32");
  EXPECT_EQ(error_of([&] { if_then_else(integer(1), x, y); }),
            "if: the condition must be bool, but it is i32");
  EXPECT_EQ(error_of([&] { if_then_else(truth(true), x, matrix); }),
            "if: one branch is [N]f32, the other [M][K]f32; they must be one type");
  EXPECT_EQ(error_of([&] { if_then_else(truth(true), increment(), increment()); }),
            "if: the branches must be data, not functions");
}

TEST_F(Typing, ApplicationChecksTypes) {
  EXPECT_EQ(apply(increment(), {scalar}), add(scalar, real(1)));
  EXPECT_EQ(error_of([&] { apply(increment(), {x}); }), "a function that takes f32 is applied to [N]f32");
  EXPECT_THROW(apply(increment(), {x, x}), Bug);
  EXPECT_THROW(apply(x, {x}), Bug);
}

}  // namespace
}  // namespace hoist::ir
