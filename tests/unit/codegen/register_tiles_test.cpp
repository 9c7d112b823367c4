// Reductions of neighbouring elements that the host keeps in registers together.
#include "unit/codegen/support.hpp"

namespace hoist::codegen {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A kernel over `rows` x `columns` elements of c, whose reduction over `depth` elements has this step. It
/// begins with the sum 1.
std::string product(int rows, int columns, int depth,
                    const std::string& step = "a[DEPTH*i + k] * b[COLUMNS*k + j]",
                    const std::string& result = "c[COLUMNS*i + j] = sum;", const std::string& type = "f32") {
  const auto number = [](int value) { return std::to_string(value); };
  std::string text =
      one_kernel("input a: global TYPE[ASIZE]; input b: global TYPE[BSIZE]; output c: global TYPE[CSIZE];",
                 "read a: global TYPE[ASIZE], read b: global TYPE[BSIZE], write c: global TYPE[CSIZE]",
                 "global [COLUMNS, ROWS, 1] local [1, 1, 1]",
                 "for i in global(1) [0, ROWS) step 1 { for j in global(0) [0, COLUMNS) step 1 {"
                 "var sum: TYPE = ONE; for k in sequential [0, DEPTH) step 1 { sum = sum + " +
                     step + "; } " + result + " } }");
  const std::pair<std::string, std::string> replacements[] = {{"ASIZE", number(rows * depth)},
                                                              {"BSIZE", number(depth * columns)},
                                                              {"CSIZE", number(rows * columns)},
                                                              {"ROWS", number(rows)},
                                                              {"COLUMNS", number(columns)},
                                                              {"DEPTH", number(depth)},
                                                              {"ONE", type == "f32" ? "1.0" : "1.0f64"},
                                                              {"TYPE", type}};
  for (const auto& [name, value] : replacements) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
      text.replace(at, name.size(), value);
  }
  return text;
}

template <class Element>
void expect_right(const std::string& text, int rows, int columns, int depth) {
  const loop::Plan plan = parsed(text);
  const auto numbers = [](int count) {
    std::vector<Element> elements;
    for (int at = 0; at < count; ++at) elements.push_back(static_cast<Element>(at * 7 % 19 - 9));
    return bytes_of(elements);
  };
  loop::Memory expected{{"a", numbers(rows * depth)}, {"b", numbers(depth * columns)}};
  loop::Memory memory = expected;
  ASSERT_TRUE(loop::interpret(plan, {}, {}, expected));
  Execution("host", plan, {}, {}).run(memory);
  EXPECT_EQ(elements_of<Element>(memory["c"]), elements_of<Element>(expected["c"])) << text;
}

TEST(RegisterTiles, HaveRowsAndVectors) {
  const std::string text = host_text(product(12, 64, 50));
  EXPECT_EQ(occurrences(text, "float8 sum"), 12U) << "six rows of two vectors: " << text;
  EXPECT_EQ(occurrences(text, "for (long k"), 1U);
  EXPECT_EQ(occurrences(text, "store_vector<8>(c"), 12U);
}

TEST(RegisterTiles, FollowTheRegisters) {
  Options options;
  options.vector_bytes = 64;
  const std::string text = text_of(host(parsed(product(12, 64, 50)), options));
  EXPECT_EQ(occurrences(text, "float16 sum"), 24U) << "six rows of four vectors: " << text;
}

TEST(RegisterTiles, ComputeWhatLoopsDo) {
  for (const auto& [rows, columns] :
       {std::pair{12, 64}, {13, 16}, {2, 4}, {7, 35}, {11, 13}, {5, 83}, {40, 9}}) {
    expect_right<float>(product(rows, columns, 53), rows, columns, 53);
    expect_right<double>(
        product(rows, columns, 51, "a[DEPTH*i + k] * b[COLUMNS*k + j]", "c[COLUMNS*i + j] = sum;", "f64"),
        rows, columns, 51);
  }
}

TEST(RegisterTiles, NeedVectorsOfFour) {
  EXPECT_THAT(host_text(product(12, 3, 50)), Not(HasSubstr("store_vector")));
}

TEST(RegisterTiles, NeedLoadsThatRowsShare) {
  const std::string text = host_text(product(12, 64, 64, "a[64*i + k] + a[64*i + j]"));
  EXPECT_THAT(text, Not(HasSubstr("store_vector")));
}

/// Neighbouring rows of windows load the same rows of an image.
TEST(RegisterTiles, HaveWindowsThatOverlap) {
  const std::string step = "exp(b[64*(i + k) + j] - b[64*(i + k + 1) + j])";
  EXPECT_THAT(host_text(product(12, 64, 62, step)), HasSubstr("store_vector"));
}

TEST(RegisterTiles, NeedColumnsThatLieSideBySide) {
  const std::string text = host_text(product(12, 64, 50, "a[50*i + k] * b[50*j + k]"));
  EXPECT_THAT(text, Not(HasSubstr("store_vector")));
}

/// A product with a transposed matrix, whose sums may be in any order.
std::string sums_of_rows(int rows, int columns, int depth) {
  std::string text = product(rows, columns, depth, "a[DEPTH*i + k] * b[DEPTH*j + k]");
  const std::string head = "step 1 { sum";
  return text.replace(text.find(head), head.size(), "step 1 reorderable { sum");
}

TEST(RegisterTiles, HaveLanesOfSumsAlongMemory) {
  const std::string text = host_text(sums_of_rows(12, 64, 50));
  EXPECT_EQ(occurrences(text, "float8 sum"), 12U) << "six rows of two columns: " << text;
  EXPECT_THAT(text, HasSubstr("< 6; ++"));
  EXPECT_THAT(text, HasSubstr("= 48; "));
  EXPECT_THAT(host_text(sums_of_rows(12, 64, 20)), Not(HasSubstr("float8"))) << "there are few vectors";
}

TEST(RegisterTiles, ComputeWhatSumsDo) {
  for (const auto& [rows, columns] : {std::pair{12, 64}, {13, 1}, {2, 4}, {7, 35}})
    expect_right<float>(sums_of_rows(rows, columns, 53), rows, columns, 53);
}

/// Rows of a triangle have loops that begin or end one after the other.
TEST(RegisterTiles, ComputeTriangles) {
  for (const char* const range : {"[0, i + 1)", "[i + 1, 62)", "[i, i + 51)"}) {
    for (const auto& [rows, columns] : {std::pair{12, 64}, {7, 35}}) {
      std::string text = product(rows, columns, 62);
      const std::string whole = "[0, 62)";
      text.replace(text.find(whole), whole.size(), range);
      EXPECT_THAT(host_text(text), HasSubstr("store_vector"));
      expect_right<float>(text, rows, columns, 62);
    }
  }
}

TEST(RegisterTiles, NeedTheSameControlFlow) {
  const std::string text =
      host_text(product(12, 64, 50, "a[50*i + k] * b[64*k + j]", "if (sum < 3.0) { c[64*i + j] = sum; }"));
  EXPECT_THAT(text, Not(HasSubstr("store_vector")));
}

/// As a stencil has them, which pads its array above and below.
TEST(RegisterTiles, HaveConditionsThatAreTheSameForAllColumns) {
  const std::string step = "select(test(i + k < 57), a[DEPTH*i + k] * b[COLUMNS*k + j], b[COLUMNS*k + j])";
  EXPECT_THAT(host_text(product(12, 64, 50, step)), HasSubstr("store_vector"));
  expect_right<float>(product(12, 64, 50, step), 12, 64, 50);
}

}  // namespace
}  // namespace hoist::codegen
