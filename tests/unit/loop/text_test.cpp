// The text of loop IR: print(parse(text)) == text, and errors point at their place.
#include <random>

#include "programs.hpp"
#include "random_plan.hpp"

namespace hoist::loop {
namespace {

const char* const everything = R"(plan everything {
  size N;
  size M;
  input A: global f32[M*N];
  input K: global i32[N];
  input I: global f32[4*M*N] image(4, N, 2);
  input alpha: f32;
  input count: i32;
  output C: global f32[N];
  temporary T: global f32[N];
  temporary R: global i32[1];
  temporary F: global bool[1];
  assume (N % 64 == 0) "split(64): 64 must divide \"N\"";
  assume (M + 3 <= N) "a \\ and\na line";
  kernel first(
      read A: global f32[M*N],
      read K: global i32[N],
      read I: global f32[4*M*N] image(4, N, 2),
      write T: global f32[N],
      scalar alpha: f32,
      scalar count: i32,
      size N,
      size M)
    launch global [N, 1, 1] local [64, 1, 1] index i32 {
    // what it does
    //
    for g in group(0) [0, N / 64) step 1 : exactly_once {
      allocate tile: local f32[64];
      for l in local(0) [0, 64) step 1 : exactly_once {
        let k: i32 index [0, N) = K[64*g + l];
        let m: i32 index [_, _) = k * 2 % 3;
        var sum: f32x4;
        sum = A[4*l +: 4] + f32x4{0.5} * f32x4(alpha);
        let other: f32x4 = shuffle(sum, 16);
        atomic(max) tile[l] = alpha;
        tile[l] = select(test(k + l < N), as_f32(index_i32(k + 1)), sum.s3 - (alpha - 1.0));
        allocate registers: private f32x4[16];
        registers[4 +: 4] = fma(sum, sum, f32x4(1.0, alpha, -2.5, sum.s0));
        if (alpha < 0.0 && not(k > m) || true) {
          tile[l] = registers[4 +: 4].s2 / registers[5];
        } else {
          if (not(alpha != 2.0)) {
            // nothing
          }
        }
      }
      barrier(local);
      alias p: local f32[64] = tile;
      alias q: local f32[64] = tile;
      swap(p, q);
      barrier(local, global);
      for l2 in local(0) [0, min(M, 64)) step 1 : at_most_once {
        for i in sequential [0, 4) step 1 reorderable independent unroll {
          for j in sequential [i, ceildiv(N, 2)) step (count + 1) {
            T[j] = p[(i + l2 < 3 ? l2 : 0)] + -1.5 + tile[l2] - 1e-07 + inf_f32;
          }
        }
        for w in sequential [0, 9) step 1 while (alpha < 2.0) {
          T[w] = alpha;
        }
        for r in sequential [0, 4) step 1 ranging [0, 2*M, 1) : at_most_once {
          T[r] = as_f32(7u8 + 3u8) + as_f32(-5i64) + as_f32(4u32 << 2u32 | 1u32) + as_f32(1.5f64 - 0.1f64);
        }
      }
    }
  }
  kernel second(
      read T: global f32[N],
      write C: global f32[N],
      size N)
    launch global [N, 1, 1] local [64, 1, 1] index i64 {
    for n in global(0) [0, N) step 1 {
      C[n] = T[n];
    }
  }
  steps {
    launch first;
    repeat (M + 1) exchange T, C {
      launch second;
      repeat (2) {
        launch second;
      }
    }
    repeat (_) times R number round: i32 exchange T, C exchange C, T while F {
      launch second;
    } do {
      launch first;
    }
    copy T to C;
  }
}
)";

TEST(Text, PrintsWhatItRead) {
  const arith::Arena arena;
  const std::string text = everything;
  EXPECT_EQ(to_string(parsed(text)), text);
}

TEST(Text, RemembersWhatIsTheSameMemory) {
  const arith::Arena arena;
  const Plan plan = parsed(everything);
  const auto& parameter = std::get<BufferParameter>(plan.kernels[1].parameters[0]);
  EXPECT_EQ(parameter.buffer, plan.temporaries[0]);
  EXPECT_FALSE(parameter.is_written);
  EXPECT_EQ(plan.assumptions[0].message, "split(64): 64 must divide \"N\"");
  EXPECT_EQ(plan.assumptions[1].message, "a \\ and\na line");
}

TEST(Text, KeepsInfixStructure) {
  const arith::Arena arena;
  const char* const values[] = {"x + y + z",       "x + (y + z)",
                                "x - y - z",       "x - (y - z)",
                                "x * (y + z)",     "(x + y) * z",
                                "x / y / z",       "x / (y / z)",
                                "neg(x) - -1.0",   "select(x < y, x, z)",
                                "max(x, y) * x",   "x * y + z * x",
                                "as_f32(x < y)",   "nan_f32 + x",
                                "-inf_f32 * x",    "x + 1e+20 * 1.5",
                                "x % y",           "pow(x, y)",
                                "f32x4(x).s1 + y", "(f32x2(x, y) + f32x2(z)).s1",
                                "f32x4{-1.5}.s0",  "A[i + 1]",
                                "A[2*i +: 4].s3",  "0.1",
                                "16777216.0",      "fma(x, y, z) + x",
                                "sqrt(x)",         "atan2(x, y) / 3.0",
                                "rsqrt(x)"};
  for (const std::string value : values) {
    const std::string text =
        "plan p {\n  input A: global f32[8];\n  input x: f32;\n  input y: f32;\n  input z: f32;\n"
        "  output C: global f32[1];\n"
        "  kernel k(\n      read A: global f32[8],\n      scalar x: f32,\n      scalar y: f32,\n"
        "      scalar z: f32,\n      write C: global f32[1])\n"
        "    launch global [1, 1, 1] local [1, 1, 1] index i32 {\n"
        "    for i in sequential [0, 3) step 1 {\n      C[0] = " +
        value + ";\n    }\n  }\n  steps {\n    launch k;\n  }\n}\n";
    EXPECT_EQ(to_string(parsed(text)), text);
  }
}

TEST(Text, EveryOperationReadsBack) {
  const arith::Arena arena;
  for (const ScalarOpInfo& row : all_scalar_ops()) {
    const Scalar type = row.domain == ScalarOpInfo::Domain::Boolean   ? Scalar::Bool
                        : row.domain == ScalarOpInfo::Domain::Integer ? Scalar::I32
                                                                      : Scalar::F32;
    std::vector<ValuePtr> operands(static_cast<std::size_t>(row.arity),
                                   literal(ScalarValue::of_integer(type, 1)));
    if (row.op == ScalarOp::Select) operands[0] = literal(ScalarValue::of_bool(true));
    const ValuePtr value = operation(row.op, operands);
    const std::string declaration =
        "v: " + std::string(name_of(value->type.scalar)) + " = " + to_string(value);
    const Plan plan =
        parsed(one_kernel("", "", "global [1, 1, 1] local [1, 1, 1]", "let " + declaration + ";\n"));
    EXPECT_THAT(to_string(plan), testing::HasSubstr(declaration));
  }
}

TEST(Text, LiteralsOfEveryTypeReadBack) {
  const arith::Arena arena;
  std::vector<ScalarValue> values;
  for (Scalar type : all_scalars) {
    for (const std::int64_t integer :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{-7}, INT64_MIN, INT64_MAX}) {
      values.push_back(ScalarValue::of_integer(type, integer));
    }
    if (!is_float(type)) continue;
    for (const double real : {0.1, -0.0, 1e-300, 3.4028234663852886e38, 1.0 / 3.0, 5e-324, 1e22}) {
      values.push_back(ScalarValue::of_real(type, real));
      values.push_back(ScalarValue::of_real(type, -real));
    }
    values.push_back(ScalarValue::of_real(type, std::numeric_limits<double>::infinity()));
    values.push_back(ScalarValue::of_real(type, -std::numeric_limits<double>::infinity()));
    values.push_back(ScalarValue::of_real(type, std::numeric_limits<double>::quiet_NaN()));
  }
  for (const ScalarValue& value : values) {
    for (const int width : {1, 4}) {
      const std::string text = to_string(literal(value, width));
      const std::string suffix = width == 1 ? "" : "x4";
      const Plan plan =
          parsed(one_kernel("", "", "global [1, 1, 1] local [1, 1, 1]",
                            "let v: " + std::string(name_of(value.type)) + suffix + " = " + text + ";\n"));
      ASSERT_EQ(plan.kernels.size(), 1U) << text;
      const auto& let = std::get<Let>(plan.kernels[0].body.at(0).node);
      EXPECT_EQ(let.value->type, (ValueType{value.type, width})) << text;
      EXPECT_TRUE(std::get<Literal>(let.value->node).value == value) << text;
    }
  }
}

TEST(Text, ErrorsPointAtTheirPlace) {
  struct Wrong {
    const char* body;
    const char* place;    ///< the text that the span covers
    const char* message;  ///< part of it
  };
  const Wrong wrong[] = {
      {"C[0] = x;", "x", "no variable 'x'"},
      {"D[0] = 1.0;", "D", "no buffer 'D'"},
      {"C[0] = D[1];", "D", "no buffer 'D'"},
      {"C[0] = frobnicate(1.0);", "frobnicate", "no function 'frobnicate'"},
      {"C[0] = 1.0 + 1;", "1.0 + 1", "add does not take (f32, i32)"},
      {"C[i] = 1.0;", "i", "'i' is not declared"},
      {"C[0] 1.0;", "1", "expected '='"},
      {"C[0] = 1.0", "}", "expected ';'"},
      {"while (true) {}", "while", "no statement begins with 'while'"},
      {"for i in parallel(0) [0, 1) step 1 {}", "parallel", "expected a kind of loop"},
      {"for i in group(0) [0, 1) step 1 : twice {}", "twice", "expected a form of loop"},
      {"let v: f33 = 1.0;", "f33", "expected a type"},
      {"let v: f32 = 1.0q8;", "1.0q8", "unknown type"},
      {"let v: i32 = 1.5i32;", "1.5i32", "not a number of type i32"},
      {"C[0 +: 4] = 1.0;", "[0 +: 4]", "4 scalars are named, 1 are stored"},
      {"let v: bool = test(1);", "1", "expected a comparison"},
      {"let v: f32 = f32x4{1.0}.s4;", "f32x4{1.0}.s4", "component 4"},
      {"allocate v: shared f32[4];", "shared", "expected an address space"},
      {"barrier(all);", "all", "expected local or global"},
  };
  const arith::Arena arena;
  for (const Wrong& each : wrong) {
    const std::string text = one_kernel("output C: global f32[1];\n", "write C: global f32[1]",
                                        "global [1, 1, 1] local [1, 1, 1]", each.body);
    const Result<Plan> plan = parse_plan(text);
    ASSERT_FALSE(plan.has_value()) << each.body;
    ASSERT_EQ(plan.error().diagnostics.size(), 1U);
    const Diagnostic& diagnostic = plan.error().diagnostics[0];
    EXPECT_EQ(plan.error().kind, ErrorKind::User);
    EXPECT_THAT(diagnostic.message, testing::HasSubstr(each.message)) << each.body;
    ASSERT_TRUE(diagnostic.span.has_value()) << each.body;
    EXPECT_EQ(text.substr(diagnostic.span->begin, diagnostic.span->end - diagnostic.span->begin), each.place)
        << each.body << ": " << diagnostic.message;
  }
}

TEST(Text, AnyTruncationIsAnErrorNotACrash) {
  const arith::Arena arena;
  const std::string text = everything;
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    EXPECT_FALSE(parse_plan(text.substr(0, length)).has_value()) << length;
  }
}

TEST(Text, AnyChangeIsReadOrRefusedNotACrash) {
  std::mt19937 random(7);
  const std::string characters = "()[]{};:,.=+-*/%<>!&|?_\"\\ \n09azN";
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    const arith::Arena arena;
    std::string text = everything;
    for (int change = 0; change < 1 + round % 3; ++change) {
      const std::size_t at = random() % text.size();
      const char character = characters[random() % characters.size()];
      if (random() % 3 == 0) {
        text.erase(at, 1 + random() % 4);
      } else if (random() % 2 == 0) {
        text.insert(at, 1, character);
      } else {
        text[at] = character;
      }
    }
    const Result<Plan> plan = parse_plan(text);
    if (!plan) {
      ++refused;
      continue;
    }
    const std::string printed = to_string(*plan);
    EXPECT_EQ(to_string(parsed(printed)), printed);
    (void)check(*plan);
  }
  EXPECT_GT(refused, 1000);
}

TEST(Text, TuningParametersAreSizes) {
  const arith::Arena arena;
  const std::string text =
      "plan p {\n  size N;\n  size ?t;\n  output C: global f32[?t*N];\n"
      "  kernel k(\n      write C: global f32[?t*N],\n      size N,\n      size ?t)\n"
      "    launch global [?t, 1, 1] local [1, 1, 1] index i32 {\n    C[N + ?t] = 1.0;\n  }\n"
      "  steps {\n    launch k;\n  }\n}\n";
  const std::string printed = to_string(parsed(text));
  EXPECT_EQ(to_string(parsed(printed)), printed);
  EXPECT_THAT(printed, testing::HasSubstr("size ?t;"));
  EXPECT_TRUE(check(parsed(printed)).has_value());
}

TEST(Text, RandomPlansReadBackAndMeanTheSame) {
  int sound = 0, faulty = 0;
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const arith::Arena arena;
    const Plan plan = RandomPlan(seed).make();
    const std::string text = to_string(plan);
    const Result<void> checked = check(plan);
    ASSERT_TRUE(checked.has_value()) << checked.error().render() << text;
    const Plan again = parsed(text);
    ASSERT_EQ(to_string(again), text);
    ASSERT_TRUE(check(again).has_value());

    Trial first, second;
    for (Trial* run : {&first, &second}) {
      run->bind("N", 40).scalar("a", ScalarValue::of_real(Scalar::F32, 0.75));
      run->input("A", RandomPlan::input(64)).input("K", RandomPlan::integers(64));
    }
    first.execute(plan);
    second.execute(again);
    EXPECT_EQ(first.report.faults, second.report.faults);
    EXPECT_EQ(first.memory["C"], second.memory["C"]);
    EXPECT_EQ(first.report.counts.operations, second.report.counts.operations);
    EXPECT_EQ(first.report.counts.loop_iterations, second.report.counts.loop_iterations);
    ++(first.report.faults.empty() ? sound : faulty);
  }
  EXPECT_GT(sound, 50);
  EXPECT_GT(faulty, 50);
}

}  // namespace
}  // namespace hoist::loop
