// Walking blocks, replacing in them and renaming what they declare.
#include "loop/traverse.hpp"

#include <set>

#include "programs.hpp"
#include "random_plan.hpp"

namespace hoist::loop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Traverse : public testing::Test {
 protected:
  /// The body of a kernel that reads A and K and writes C.
  static Block body(const std::string& text) {
    return parsed(
               one_kernel("size N; input A: global f32[N]; input K: global i32[N]; output C: global f32[N];",
                          "read A: global f32[N], read K: global i32[N], write C: global f32[N], size N",
                          "global [N, 1, 1] local [1, 1, 1]", text))
        .kernels.at(0)
        .body;
  }
  static const For& loop_at(const Block& block, std::size_t at) { return std::get<For>(block.at(at).node); }

 private:
  arith::Arena arena_;
};

TEST_F(Traverse, WalksParentsFirst) {
  const Block block = body(
      "for i in sequential [0, N) step 1 { if (A[i] < 1.0) { C[i] = A[i] + 2.0; } else { var x: f32; x = "
      "3.0; } }");
  std::vector<std::size_t> kinds;
  for_each_statement(block, [&](const Statement& each) { kinds.push_back(each.node.index()); });
  EXPECT_THAT(kinds, ElementsAre(0, 1, 4, 2, 3)) << "For, If, Store, Let, Assign";
  std::vector<std::string> values;
  for_each_value(block, [&](const ValuePtr& each) { values.push_back(to_string(each)); });
  EXPECT_THAT(values, ElementsAre("A[i] < 1.0", "A[i]", "1.0", "A[i] + 2.0", "A[i]", "2.0", "3.0"));
  std::vector<std::string> of_statement;
  for_each_value(block[0], [&](const ValuePtr& each) { of_statement.push_back(to_string(each)); });
  EXPECT_EQ(of_statement, values);
  std::vector<std::string> indices;
  for_each_index(block, [&](arith::Expr each) { indices.push_back(arith::to_string(each)); });
  EXPECT_THAT(indices, ElementsAre("0", "N", "1", "i", "i", "i"));
}

TEST_F(Traverse, MapsValuesFromTheInside) {
  Block block = body("if (A[0] < 1.0) { C[0] = max(A[1], 2.0 + A[2]); }");
  block = map_values(std::move(block), [](const ValuePtr& value) {
    const auto* constant = std::get_if<Literal>(&value->node);
    if (!constant) return value;
    return literal(ScalarValue::of_real(Scalar::F32, 10 * constant->value.real));
  });
  EXPECT_EQ(to_string(block), "if (A[0] < 10.0) {\n  C[0] = max(A[1], 20.0 + A[2]);\n}\n");
}

TEST_F(Traverse, SharesWhatDoesNotChange) {
  const Block block = body("C[0] = max(A[1], f32x4(A[2], A[3], 1.0, 2.0).s1 + as_f32(K[0]));");
  const Block mapped = map_values(block, [](const ValuePtr& value) { return value; });
  EXPECT_EQ(std::get<Store>(mapped[0].node).value, std::get<Store>(block[0].node).value);
  const Block substituted = substitute(block, {{arith::size("M").get(), 4}});
  EXPECT_EQ(std::get<Store>(substituted[0].node).value, std::get<Store>(block[0].node).value);
}

TEST_F(Traverse, SubstitutesInAllIndexExpressions) {
  const Block block = body(
      "for i in sequential [0, 8) step 1 {"
      "  for j in sequential [0, N) step 1 {"
      "    if (test(i + j < N)) { C[i + j] = A[2*i + j] + as_f32(index_i32(i)); } } }");
  const For& outer = loop_at(block, 0);
  const Block inner = substitute(outer.body, {{outer.variable.get(), 3}});
  EXPECT_EQ(to_string(inner),
            "for j in sequential [0, N) step 1 {\n"
            "  if (test(j + 3 < N)) {\n"
            "    C[j + 3] = A[j + 6] + as_f32(index_i32(3));\n"
            "  }\n"
            "}\n");
  EXPECT_EQ(loop_at(inner, 0).variable, loop_at(outer.body, 0).variable) << "its range is the same";
}

TEST_F(Traverse, SubstitutionRenewsVariablesWhoseRangeChanges) {
  const Block block = body(
      "for i in sequential [0, 8) step 1 {"
      "  for j in sequential [4*i, 4*i + 4) step 1 { C[j] = A[j]; }"
      "  let k: i32 index [0, i + 1) = K[i]; C[k] = 1.0; }");
  const For& outer = loop_at(block, 0);
  const Block inner = substitute(outer.body, {{outer.variable.get(), 2}});
  const For& loop = loop_at(inner, 0);
  EXPECT_NE(loop.variable, loop_at(outer.body, 0).variable);
  EXPECT_EQ(to_string(inner),
            "for j in sequential [8, 12) step 1 {\n"
            "  C[j] = A[j];\n"
            "}\n"
            "let k: i32 index [0, 3) = K[2];\n"
            "C[k] = 1.0;\n");
  EXPECT_TRUE(arith::is_less_equal(8, std::get<Store>(loop.body.at(0).node).index))
      << "the range is known again";
}

TEST_F(Traverse, ClonesHaveNamesOfTheirOwn) {
  const std::string text =
      "allocate t: private f32[4];"
      "alias p: private f32[4] = t; alias q: private f32[4] = t; swap(p, q);"
      "for i in sequential [0, 4) step 1 { let x: f32 = A[i]; p[i] = x; var y: f32; y = x + p[i]; C[i] = y; }"
      "let k: i32 index [0, N) = K[1]; C[k] = t[2];";
  const Block block = body(text);
  NameSource names;
  names.reserve(block);
  const Block clone = clone_with_fresh_names(block, names);
  EXPECT_EQ(to_string(clone),
            "allocate t_1: private f32[4];\n"
            "alias p_1: private f32[4] = t_1;\n"
            "alias q_1: private f32[4] = t_1;\n"
            "swap(p_1, q_1);\n"
            "for i_1 in sequential [0, 4) step 1 {\n"
            "  let x_1: f32 = A[i_1];\n"
            "  p_1[i_1] = x_1;\n"
            "  var y_1: f32;\n"
            "  y_1 = x_1 + p_1[i_1];\n"
            "  C[i_1] = y_1;\n"
            "}\n"
            "let k_1: i32 index [0, N) = K[1];\n"
            "C[k_1] = t_1[2];\n");
  const Block again = clone_with_fresh_names(clone, names);
  EXPECT_THAT(to_string(again), HasSubstr("for i_2 in")) << "numbers do not pile up";
}

TEST_F(Traverse, ClonesOfAnIterationUnrollALoop) {
  Plan plan = parsed(
      one_kernel("input A: global f32[8]; output C: global f32[8];",
                 "read A: global f32[8], write C: global f32[8]", "global [1, 1, 1] local [1, 1, 1]",
                 "for i in sequential [0, 4) step 1 unroll {"
                 "  for j in sequential [2*i, 2*i + 2) step 1 { let x: f32 = A[j]; C[7 - j] = x; } }"));
  Kernel& kernel = plan.kernels[0];
  const For loop = loop_at(kernel.body, 0);
  NameSource names(plan);
  Block unrolled;
  for (int i = 0; i < 4; ++i) {
    for (Statement& each : clone_with_fresh_names(loop.body, names, {{loop.variable.get(), i}})) {
      unrolled.push_back(std::move(each));
    }
  }
  kernel.body = std::move(unrolled);
  Trial trial;
  trial.input("A", std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}).execute(plan);
  EXPECT_THAT(trial.report.faults, testing::IsEmpty());
  EXPECT_THAT(trial.output<float>("C"), ElementsAre(7, 6, 5, 4, 3, 2, 1, 0));
}

TEST_F(Traverse, NamesAreFreshOnce) {
  NameSource names;
  names.reserve("x");
  names.reserve("x_2");
  EXPECT_EQ(names.fresh("y"), "y");
  EXPECT_EQ(names.fresh("y"), "y_1");
  EXPECT_EQ(names.fresh("x"), "x_1");
  EXPECT_EQ(names.fresh("x"), "x_3");
  EXPECT_EQ(names.fresh("x_3"), "x_4");
  EXPECT_EQ(names.fresh("_7"), "_7");
  EXPECT_EQ(names.fresh("_7"), "_7_1") << "a name that is only a number's mark is kept whole";
}

TEST_F(Traverse, NamesOfPlansAreKnown) {
  NameSource names(
      parsed("plan p { size N; input A: global f32[N]; input s: f32; output C: global f32[N];"
             "temporary T: global f32[N]; kernel k(write C: global f32[N], size N, scalar s: f32)"
             "launch global [N, 1, 1] local [1, 1, 1] index i32 { let v: f32 = s; } steps { } }"));
  for (const char* used : {"N", "A", "s", "C", "T", "v"}) EXPECT_NE(names.fresh(used), used);
}

TEST_F(Traverse, RandomPlansKeepTheirMeaningWhenCloned) {
  for (std::uint32_t seed = 1000; seed < 1100; ++seed) {
    SCOPED_TRACE(seed);
    const arith::Arena arena;
    const Plan plan = RandomPlan(seed).make();
    Plan cloned = plan;
    NameSource names(plan);
    cloned.kernels[0].body = clone_with_fresh_names(plan.kernels[0].body, names);
    std::set<std::string> declared, declared_again;
    for_each_statement(plan.kernels[0].body, [&](const Statement& each) {
      if (const auto* let = std::get_if<Let>(&each.node)) declared.insert(let->variable->name);
    });
    for_each_statement(cloned.kernels[0].body, [&](const Statement& each) {
      if (const auto* let = std::get_if<Let>(&each.node)) declared_again.insert(let->variable->name);
    });
    for (const std::string& name : declared_again) EXPECT_FALSE(declared.contains(name)) << name;

    Trial first, second;
    for (Trial* trial : {&first, &second}) {
      trial->bind("N", 33).scalar("a", ScalarValue::of_real(Scalar::F32, -1.5));
      trial->input("A", RandomPlan::input(64)).input("K", RandomPlan::integers(64));
    }
    first.execute(plan);
    second.execute(cloned);
    EXPECT_EQ(first.memory["C"], second.memory["C"]);
    EXPECT_EQ(first.report.faults.size(), second.report.faults.size());
    EXPECT_EQ(first.report.counts.operations, second.report.counts.operations);
  }
}

}  // namespace
}  // namespace hoist::loop
