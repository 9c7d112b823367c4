// Every rule of the checker: something that keeps it and something that breaks it.
#include "loop/traverse.hpp"
#include "programs.hpp"

namespace hoist::loop {
namespace {

/// A plan around a kernel's body: A, K and R are read, C is written, one size, two scalars, groups of 8.
std::string around(const std::string& body) {
  return one_kernel(
      "size N; input A: global f32[N]; input K: global i32[N]; input a: f32; input n: i32;"
      "output C: global f32[N]; temporary T: global f32[N];\n",
      "read A: global f32[N], read K: global i32[N], write C: global f32[N], scalar a: f32, scalar n: i32, "
      "size N",
      "global [N, 1, 1] local [8, 1, 1]", body);
}

std::vector<std::string> violations(const Result<void>& result) {
  std::vector<std::string> messages;
  if (result) return messages;
  EXPECT_EQ(result.error().kind, ErrorKind::Bug);
  for (const Diagnostic& each : result.error().diagnostics) messages.push_back(each.message);
  return messages;
}
std::vector<std::string> violations(const std::string& text) { return violations(check(parsed(text))); }

class Check : public testing::Test {
 protected:
  void accepts(const std::string& body) { EXPECT_THAT(violations(around(body)), testing::IsEmpty()) << body; }
  void rejects(const std::string& body, const std::string& message) {
    EXPECT_THAT(violations(around(body)), testing::ElementsAre(testing::HasSubstr(message))) << body;
  }
  void rejects_plan(const std::string& text, const std::string& message) {
    EXPECT_THAT(violations(text), testing::ElementsAre(testing::HasSubstr(message))) << text;
  }

 private:
  arith::Arena arena_;
};

TEST_F(Check, NamesAreUnique) {
  accepts("let x: f32 = a; let y: f32 = x;");
  rejects("let x: f32 = a; let x: f32 = 1.0;", "the name 'x' is declared twice");
  rejects("let C: f32 = a;", "the name 'C' is declared twice");
  rejects("let N: f32 = a;", "the name 'N' is declared twice");
  rejects("for i in sequential [0, 2) step 1 {} for i in sequential [0, 2) step 1 {}",
          "the name 'i' is declared twice");
  rejects("allocate A: private f32[4];", "the name 'A' is declared twice");
}

TEST_F(Check, NamesAreIdentifiers) {
  Plan plan = parsed(around(""));
  plan.kernels[0].body.push_back(
      {Let{std::make_shared<const Variable>(Variable{"1st", {Scalar::F32, 1}, false}),
           literal(ScalarValue::of_real(Scalar::F32, 1)),
           {}}});
  EXPECT_THAT(violations(check(plan)),
              testing::ElementsAre(testing::HasSubstr("'1st' is not an identifier")));
}

TEST_F(Check, NamesAreInScope) {
  accepts("if (a < 1.0) { let x: f32 = a; C[0] = x; }");
  rejects("if (a < 1.0) { let x: f32 = a; } C[0] = x;", "'x' is not in scope");
  rejects("if (a < 1.0) { var x: f32; } x = a;", "'x' is not in scope");
  rejects("for i in sequential [0, 2) step 1 {} C[i + 1] = a;", "'i' in i + 1 is not in scope");
  rejects("if (a < 1.0) { allocate t: private f32[1]; } t[0] = a;", "buffer 't' is not in scope");
  rejects("if (a < 1.0) { let k: i32 index [0, N) = 1; } C[k] = a;", "'k' in k is not in scope");
  accepts("let k: i32 index [0, N) = 1; C[k] = a;");
  accepts("C[n] = a;");
}

TEST_F(Check, UsesComeAfterDeclarations) {
  Plan plan = parsed(around("let x: f32 = a; C[0] = x;"));
  std::swap(plan.kernels[0].body[0], plan.kernels[0].body[1]);
  EXPECT_THAT(violations(check(plan)), testing::ElementsAre(testing::HasSubstr("'x' is not in scope")));
}

TEST_F(Check, AtomicUpdates) {
  accepts("atomic(add) C[0] = a;");
  accepts("allocate t: local i32[8]; atomic(bit_or) t[n] = n;");
  rejects("allocate t: private f32[8]; atomic(add) t[n] = a;", "an atomic update of 't', which is private");
  rejects("atomic(sub) C[0] = a;", "'C' cannot be updated atomically by sub of f32");
  rejects("atomic(bit_or) C[0] = a;", "'C' cannot be updated atomically by bit_or of f32");
  rejects("atomic(add) C[0 +: 4] = f32x4(a);", "'C' cannot be updated atomically by add of f32x4");
  rejects("allocate t: local u8[8]; atomic(add) t[0] = 1u8;",
          "'t' cannot be updated atomically by add of u8");
}

TEST_F(Check, SizesAreParameters) {
  rejects_plan(one_kernel("size N; output C: global f32[N];", "write C: global f32[N]",
                          "global [N, 1, 1] local [1, 1, 1]", "C[N - 1] = 1.0;"),
               "'N' in N - 1 is not in scope");
}

TEST_F(Check, TypesAgree) {
  accepts("var x: f32x4; x = f32x4(a);");
  rejects("let x: i32 = a;", "what 'x' is set to has type f32, not i32");
  rejects("var x: f32x4; x = a;", "what 'x' is set to has type f32, not f32x4");
  rejects("C[0] = 1;", "an access to 'C' has type i32, not f32");
  rejects("if (n) {}", "a condition has type i32, not bool");
  rejects("if (boolx2{true}) {}", "a condition has type boolx2, not bool");
}

TEST_F(Check, ValuesAreWellFormed) {
  const auto with = [&](ValueType type, decltype(Value::node) node) {
    Plan plan = parsed(around(""));
    const auto variable = std::make_shared<const Variable>(Variable{"x", type, false});
    plan.kernels[0].body.push_back({Let{variable, std::make_shared<const Value>(Value{type, node}), {}}});
    return violations(check(plan));
  };
  const ValuePtr one = literal(ScalarValue::of_real(Scalar::F32, 1));
  const ValuePtr yes = literal(ScalarValue::of_bool(true));
  using testing::ElementsAre;
  using testing::HasSubstr;
  EXPECT_THAT(with({Scalar::F32, 1}, Operation{ScalarOp::Add, {one, one}}), testing::IsEmpty());
  EXPECT_THAT(with({Scalar::F32, 4}, Operation{ScalarOp::Add, {one, one}}),
              ElementsAre(HasSubstr("f32, not f32x4")));
  EXPECT_THAT(with({Scalar::F32, 1}, Operation{ScalarOp::Add, {one}}), ElementsAre(HasSubstr("add")));
  EXPECT_THAT(with({Scalar::F32, 1}, Operation{ScalarOp::Add, {one, yes}}), ElementsAre(HasSubstr("add")));
  EXPECT_THAT(with({Scalar::F32, 1}, Component{one, 1}), ElementsAre(HasSubstr("component 1")));
  EXPECT_THAT(with({Scalar::F32, 4}, MakeVector{{one, one}}), ElementsAre(HasSubstr("from 2 components")));
  EXPECT_THAT(with({Scalar::I32, 1}, Literal{ScalarValue::of_real(Scalar::F32, 1)}),
              ElementsAre(HasSubstr("a literal has type f32, not i32")));
  EXPECT_THAT(with({Scalar::F32, 1}, IndexValue{arith::Expr(1)}),
              ElementsAre(HasSubstr("an index is used as a value of type f32")));
  EXPECT_THAT(with({Scalar::I32, 1}, loop::Test{{arith::Relation::Less, 1, 2}}),
              ElementsAre(HasSubstr("a test has type i32, not bool")));
  EXPECT_THAT(with({Scalar::F64, 2}, Cast{one}),
              ElementsAre(HasSubstr("a conversion has type f64, not f64x2")));
}

TEST_F(Check, MissingPartsAreReported) {
  Plan plan = parsed(around("C[0] = a;"));
  std::get<Store>(plan.kernels[0].body[0].node).value = nullptr;
  EXPECT_THAT(violations(check(plan)), testing::ElementsAre(testing::HasSubstr("a value is missing")));
  plan = parsed(around("C[0] = a;"));
  std::get<Store>(plan.kernels[0].body[0].node).index = {};
  EXPECT_THAT(violations(check(plan)),
              testing::ElementsAre(testing::HasSubstr("an index expression is missing")));
}

TEST_F(Check, PrivateVectorsAreAccessedWholeOrByComponent) {
  const std::string declared = "allocate v: private f32x4[16];";
  accepts(declared + "v[4 +: 4] = f32x4(a); C[0] = v[5];");
  accepts(declared + "for i in sequential [0, 4) step 1 { v[4*i +: 4] = f32x4(a); }");
  rejects(declared + "v[2 +: 4] = f32x4(a);", "neither a whole vector nor one component");
  rejects(declared + "v[4 +: 2] = f32x2(a);", "neither a whole vector nor one component");
  rejects(declared + "let x: f32x4 = v[n +: 4];", "neither a whole vector nor one component");
  accepts("allocate v: private f32[16]; v[2 +: 4] = f32x4(a);");
  rejects("allocate v: private f32x4[15];", "does not hold whole vectors");
  rejects("allocate v: local f32x4[16];", "buffer 'v' of vectors is not private");
}

TEST_F(Check, BuffersHaveSizesThatTheHostKnows) {
  accepts("allocate t: local f32[N];");
  rejects("for i in sequential [0, 4) step 1 { allocate t: private f32[i + 1]; }",
          "the size of buffer 't' depends on 'i'");
  rejects("allocate t: global f32[4];", "a kernel allocates global memory 't'");
}

TEST_F(Check, ImagesAreOfNumbersOf32Bits) {
  const auto input = [](const std::string& buffer) {
    return "plan p {\nsize N;\n input A: " + buffer + ";\n output C: global f32[N];\n" +
           "kernel k(read A: " + buffer + ", write C: global f32[N], size N)\n" +
           "launch global [N, 1, 1] local [1, 1, 1] index i32 {\n" +
           "for i in global(0) [0, N) step 1 { C[i] = as_f32(A[i]); } }\nsteps { launch k; }\n}\n";
  };
  EXPECT_THAT(violations(input("global f32[4*N] image(4, N)")), testing::IsEmpty());
  rejects_plan(input("global f32[4*N] image(3, N)"), "image 'A' has pixels of 3 scalars, not 1 or 4");
  EXPECT_THAT(violations(input("global i32[4*N] image(4, N)")), testing::IsEmpty());
  EXPECT_THAT(violations(input("global f32[42] image(1, 7, 3)")), testing::IsEmpty());
  rejects_plan(input("global f32[42] image(1, 7, 4)"), "image 'A' is not 4 blocks of whole rows");
  rejects_plan(input("global f32[42] image(1, 7, 0)"), "image 'A' is not 0 blocks of whole rows");
  rejects_plan(input("global u8[N] image(1, N)"), "image 'A' is not of f32 or i32 in global memory");
}

TEST_F(Check, BarriersAreReachedByAllOrNone) {
  accepts("barrier(local);");
  accepts("for g in group(0) [0, N / 8) step 1 { barrier(local); }");
  accepts("for l in local(0) [0, 8) step 1 : exactly_once { barrier(local); }");
  accepts("for w in global(0) [0, N) step 1 : exactly_once { barrier(local); }");
  accepts("for i in sequential [0, N) step 1 { barrier(local); }");
  accepts("for g in group(0) [0, N / 8) step 1 { for i in sequential [0, g) step 1 { barrier(local); } }");
  accepts("if (a < 1.0) { barrier(local); }");
  accepts("if (test(n < N)) { barrier(local); }");

  rejects("for l in local(0) [0, 8) step 1 { barrier(local); }", "a barrier in a parallel loop");
  rejects("for l in local(0) [0, 4) step 1 : at_most_once { barrier(local); }",
          "a barrier in a parallel loop");
  rejects("for w in global(0) [0, N) step 1 { barrier(local); }", "a barrier in a parallel loop");
  const auto in_local = [](const std::string& inner) {
    return "for l in local(0) [0, 8) step 1 : exactly_once { " + inner + " }";
  };
  accepts(in_local("for i in sequential [0, 4) step 1 { barrier(local); }"));
  rejects(in_local("if (test(l < 4)) { barrier(local); }"), "a barrier under a condition");
  rejects(in_local("if (test(l < 4)) {} else { barrier(local); }"), "a barrier under a condition");
  rejects(in_local("for i in sequential [0, l) step 1 { barrier(local); }"), "number of iterations");
  rejects(in_local("if (index_i32(l) < 4) { if (a < 1.0) { barrier(local); } }"),
          "a barrier under a condition");
}

TEST_F(Check, ShufflesAreExecutedByWholeWarps) {
  const auto in_rows = [](const std::string& inner, const std::string& form = " : exactly_once") {
    return one_kernel("output C: global f32[64];", "write C: global f32[64]",
                      "global [64, 4, 1] local [64, 4, 1]",
                      "for r in local(1) [0, 3) step 1 : at_most_once { for l in local(0) [0, 64) step 1" +
                          form + " { " + "let x: f32 = 1.0; " + inner + " } }");
  };
  const auto rejects_in_rows = [&](const std::string& inner, const std::string& message) {
    rejects_plan(in_rows(inner), message);
  };
  const std::string shuffle = "let y: f32 = shuffle(x, 1);";
  EXPECT_THAT(violations(in_rows(shuffle)), testing::IsEmpty()) << "a row is two warps";
  EXPECT_THAT(violations(in_rows("if (test(r < 2)) { " + shuffle + " }")), testing::IsEmpty());
  rejects_in_rows("if (test(l < 32)) { " + shuffle + " }", "a shuffle under a condition that is not uniform");
  rejects_plan(in_rows(shuffle, " : at_most_once"), "a shuffle in a parallel loop that is not exactly_once");
  rejects_in_rows("for i in sequential [0, l) step 1 { " + shuffle + " }",
                  "a shuffle in a loop with a number of iterations");
  rejects_in_rows("let y: f32 = 2.0 * shuffle(x, 1);", "a shuffle must be the whole value");
  rejects_in_rows("C[l] = shuffle(x, 1);", "a shuffle must be the whole value");
  // Rows of eight work-items share a warp.
  rejects("for r in local(1) [0, 8) step 1 { let y: f32 = shuffle(a, 1); }", "a shuffle in a parallel loop");
}

TEST_F(Check, UniformValuesAreFollowed) {
  const auto in_local = [](const std::string& inner) {
    return "for l in local(0) [0, 8) step 1 : exactly_once { " + inner + " }";
  };
  // Loads: only from memory that nothing writes, at a uniform index.
  accepts("if (A[0] < 1.0) { barrier(local); }");
  accepts("for g in group(0) [0, 8) step 1 { if (A[g] < 1.0) { barrier(local); } }");
  rejects(in_local("if (A[l] < 1.0) { barrier(local); }"), "a barrier under a condition");
  rejects("if (C[0] < 1.0) { barrier(local); }", "a barrier under a condition");
  rejects("allocate t: local f32[1]; if (t[0] < 1.0) { barrier(local); }", "a barrier under a condition");
  // Variables, also ones that are set after their use, in the next iteration's sight.
  accepts("var x: f32 = a; x = 2.0; if (x < 1.0) { barrier(local); }");
  rejects(in_local("let x: i32 = index_i32(l); if (x < 4) { barrier(local); }"),
          "a barrier under a condition");
  rejects(in_local("let k: i32 index [0, 8) = index_i32(l);"
                   "for i in sequential [0, k) step 1 { barrier(local); }"),
          "number of iterations");
  accepts("let k: i32 index [0, N) = K[0]; for i in sequential [0, k) step 1 { barrier(local); }");
  rejects(in_local("var x: f32 = a; if (test(l < 4)) { x = 2.0; } if (x < 1.0) { barrier(local); }"),
          "a barrier under a condition");
  rejects(
      "var x: i32 = 0; for i in sequential [0, 4) step 1 {"
      "  if (x < 1) { barrier(local); } for l in local(0) [0, 8) step 1 : exactly_once { x = index_i32(l); } "
      "}",
      "a barrier under a condition");
}

TEST_F(Check, GroupsKeepToTheirPartsOfWhatIsWrittenAndRead) {
  const auto in_groups = [](const std::string& first, const std::string& second) {
    return "for g in group(0) [0, N / 8) step 1 { " + first + " } for h in group(0) [0, N / 8) step 1 { " +
           second + " }";
  };
  accepts(in_groups("C[g] = 1.0;", "let x: f32 = C[h];"));
  accepts("for g in global(0) [0, N) step 1 { C[g] = 1.0; let x: f32 = C[g]; }");
  accepts("for g in group(0) [0, 1) step 1 { C[0] = 1.0; let x: f32 = C[1]; }");
  const char* message =
      "work-groups may access elements of 'C' that other work-groups of the same launch write";
  rejects(in_groups("C[g] = 1.0;", "let x: f32 = C[0];"), message);
  rejects(in_groups("C[0] = 1.0;", "let x: f32 = C[h];"), message);
  rejects("C[0] = 1.0; let x: f32 = C[0];", message);
  rejects(
      "for g in global(0) [0, 1) step 1 { C[0] = 1.0; } for h in group(0) [0, N / 8) step 1 { let x: f32 = "
      "C[h]; }",
      message);
}

TEST_F(Check, StoresGoToWritableMemory) {
  accepts("C[0] = a; allocate t: local f32[1]; t[0] = a;");
  rejects("A[0] = a;", "a store to 'A'");
  const std::string pointers = "alias p: global f32[N] = A; alias q: global f32[N] = C;";
  accepts(pointers + "q[0] = p[0];");
  rejects(pointers + "p[0] = a;", "a store to 'p'");
  rejects(pointers + "swap(p, q); q[0] = a;", "a store to 'q'");
  rejects(pointers + "for i in sequential [0, 2) step 1 { q[0] = a; swap(p, q); }", "a store to 'q'");
  rejects("alias p: global f32[N] = A; alias q: global f32[N] = p; q[0] = a;", "a store to 'q'");
}

TEST_F(Check, StreamedStoresGoToGlobalMemory) {
  accepts("stream C[0] = a;");
  rejects("allocate t: local f32[1]; stream t[0] = a;",
          "a streamed store to 't', which is not in global memory");
}

TEST_F(Check, AssignmentsGoToMutableVariables) {
  accepts("var x: f32; x = a;");
  rejects("let x: f32 = a; x = a;", "'x' is not mutable");
  Plan plan = parsed(around("let x: f32 = a;"));
  std::get<Let>(plan.kernels[0].body[0].node).value = nullptr;
  EXPECT_THAT(violations(check(plan)),
              testing::ElementsAre(testing::HasSubstr("has no value and is not mutable")));
}

TEST_F(Check, IndicesAreImmutableIntegers) {
  accepts("let k: i64 index [_, _) = as_i64(n);");
  rejects("var k: i32 index [0, N) = n;", "not an immutable integer");
  rejects("let k: f32 index [0, N) = a;", "not an immutable integer");
  Plan plan = parsed(around("let k: i32 index [0, N) = n;"));
  std::get<Let>(plan.kernels[0].body[0].node).index = arith::data("other", 0, 8);
  EXPECT_THAT(violations(check(plan)), testing::ElementsAre(testing::HasSubstr("of the same name")));
}

TEST_F(Check, UnrolledLoopsHaveConstantBounds) {
  accepts("for i in sequential [0, 4) step 2 unroll {}");
  rejects("for i in sequential [0, N) step 1 unroll {}", "bounds that are not constant");
  rejects("for i in sequential [0, 4) step N unroll {}", "bounds that are not constant");
}

TEST_F(Check, LoopsAreWellFormed) {
  accepts("for l in local(2) [0, 8) step 1 {}");
  rejects("for l in local(3) [0, 8) step 1 {}", "there is no dimension 3");
  rejects("for l in local(0) [1, 8) step 1 {}", "from 0 in steps of 1");
  rejects("for l in local(0) [0, 8) step 2 {}", "from 0 in steps of 1");
  rejects("for i in sequential [0, 8) step 0 {}", "step is not positive");
  rejects("for i in sequential [0, 8) step (-1) {}", "step is not positive");
  Plan plan = parsed(around("for i in sequential [0, N) step 1 {}"));
  std::get<For>(plan.kernels[0].body[0].node).variable = arith::size("M");
  EXPECT_THAT(violations(check(plan)), testing::ElementsAre(testing::HasSubstr("no index variable")));
}

TEST_F(Check, ParallelLoopsOfOneDimensionDoNotNest) {
  accepts("for g in group(0) [0, 8) step 1 { for l in local(0) [0, 8) step 1 {} }");
  accepts("for l in local(0) [0, 8) step 1 { for m in local(1) [0, 8) step 1 {} }");
  rejects("for l in local(0) [0, 8) step 1 { for m in local(0) [0, 8) step 1 {} }",
          "a local loop inside a local loop of the same dimension");
  rejects("for g in group(1) [0, 8) step 1 { for h in group(1) [0, 8) step 1 {} }", "inside a group loop");
  rejects("for w in global(0) [0, 8) step 1 { for l in local(0) [0, 8) step 1 {} }", "inside a global loop");
  rejects("for g in group(0) [0, 8) step 1 { for w in global(0) [0, 8) step 1 {} }", "inside a group loop");
}

TEST_F(Check, PointersMatchWhatTheyName) {
  const std::string pointers =
      "allocate t: local f32[4]; alias p: local f32[4] = t; alias q: local f32[4] = t;";
  accepts(pointers + "swap(p, q);");
  rejects(pointers + "swap(p, t);", "'t' is no pointer");
  rejects(pointers + "alias r: global f32[4] = t;", "'r' and 't' differ in type or address space");
  rejects(pointers + "alias r: global f32[N] = A; swap(r, p);", "'r' and 'p' differ");
}

TEST_F(Check, ParametersAreWellFormed) {
  const Plan plan = parsed(one_kernel("output C: global f32[1];", "write C: local f32[1]",
                                      "global [1, 1, 1] local [1, 1, 1]", ""));
  EXPECT_THAT(violations(check(plan.kernels[0])),
              testing::ElementsAre("kernel k: parameter 'C' is not global memory"));
  rejects_plan(
      "plan p { kernel k() launch global [1, 1, 1] local [1, 1, 1] index u8 {} steps { launch k; } }",
      "the index type is u8");
}

TEST_F(Check, AllViolationsAreListedWithTheirPlace) {
  const Result<void> result = check(parsed(around("A[0] = a;\nlet x: i32 = a;\nC[0] = 1;")));
  ASSERT_FALSE(result.has_value());
  ASSERT_EQ(result.error().diagnostics.size(), 3U);
  EXPECT_EQ(result.error().diagnostics[0].note, "in: A[0] = a;");
  EXPECT_EQ(result.error().diagnostics[1].note, "in: let x: i32 = a;");
  EXPECT_EQ(result.error().diagnostics[2].note, "in: C[0] = 1;");
}

// ---- Plans

/// A plan with one kernel T -> C, and more declarations and steps.
std::string plan_of(const std::string& declarations, const std::string& steps) {
  return "plan p { size N; input A: global f32[N]; output C: global f32[N]; temporary T: global f32[N];" +
         declarations +
         "kernel k(read T: global f32[N], write C: global f32[N], size N) launch global [N, 1, 1] local [1, "
         "1, 1] "
         "index i32 { C[0] = T[0]; } steps { " +
         steps + " } }";
}

TEST_F(Check, PlansBindTheirKernels) {
  EXPECT_THAT(violations(plan_of("", "launch k;")), testing::IsEmpty());
  rejects_plan(one_kernel("", "write C: global f32[1]", "global [1, 1, 1] local [1, 1, 1]", ""),
               "no buffer 'C'");
  rejects_plan(one_kernel("output C: global f32[2];", "write C: global f32[1]",
                          "global [1, 1, 1] local [1, 1, 1]", ""),
               "disagree on buffer 'C'");
  rejects_plan(
      one_kernel("input C: global f32[1];", "write C: global f32[1]", "global [1, 1, 1] local [1, 1, 1]", ""),
      "kernel k writes the input 'C'");
  rejects_plan(one_kernel("", "scalar x: f32", "global [1, 1, 1] local [1, 1, 1]", ""), "no scalar 'x'");
  rejects_plan(one_kernel("input x: i32;", "scalar x: f32", "global [1, 1, 1] local [1, 1, 1]", ""),
               "no scalar 'x' of type f32");
  rejects_plan(one_kernel("", "size N", "global [1, 1, 1] local [1, 1, 1]", ""),
               "'N' in N is no size of the plan");
  rejects_plan(one_kernel("size N; size N;", "", "global [1, 1, 1] local [1, 1, 1]", ""),
               "declares the name 'N' twice");
}

TEST_F(Check, KernelsOfAPlanHaveDifferentNames) {
  Plan plan = parsed(plan_of("", "launch k;"));
  plan.kernels.push_back(plan.kernels[0]);
  EXPECT_THAT(violations(check(plan)), testing::ElementsAre("two kernels are called 'k'"));
}

TEST_F(Check, StepsUseThePlansBuffers) {
  EXPECT_THAT(violations(plan_of("", "copy A to T; repeat (N) exchange T, C { launch k; } copy T to C;")),
              testing::IsEmpty());
  rejects_plan(plan_of("", "copy T to A;"), "'A' is copied to but is an input");
  rejects_plan(plan_of("", "repeat (2) exchange A, T { launch k; }"), "'A' is exchanged but is an input");
  rejects_plan(plan_of("temporary S: global f32[N + 1];", "copy T to S;"), "differ in type or size");
  Plan plan = parsed(plan_of("", "launch k;"));
  std::get<LaunchStep>(plan.steps[0].node).kernel = 1;
  EXPECT_THAT(violations(check(plan)), testing::ElementsAre("there is no kernel 1 to launch"));
  plan = parsed(plan_of("", "repeat (2) exchange T, C { launch k; }"));
  std::get<RepeatStep>(plan.steps[0].node).exchanged[0].second = nullptr;
  EXPECT_THAT(violations(check(plan)), testing::ElementsAre("a repetition exchanges a buffer with nothing"));
}

}  // namespace
}  // namespace hoist::loop
