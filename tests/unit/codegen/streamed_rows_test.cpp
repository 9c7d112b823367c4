// Rows that are stored past the caches: how they are printed, and that they are right, whatever the vectors'
// size, the compiler, and where rows and arrays begin.
#include <fmt/format.h>

#include "runtime/host/compiler.hpp"
#include "runtime/host/instruction_set.hpp"
#include "unit/codegen/support.hpp"

namespace hoist::codegen {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The scalars of arrays that vectors of any size divide.
int scalars_of(int rows, int columns, int first) { return ((rows + 1) * columns + first + 1 + 15) / 16 * 16; }

/// A body over `rows` rows of `columns` scalars, the first of which is at `first`. Each is the sum of a
/// scalar, of the next and of the one a row below.
std::string rows_of(const std::string& type, int rows, int columns, int first, const std::string& store) {
  const int scalars = scalars_of(rows, columns, first);
  const auto buffer = [&](const std::string& kind, const std::string& name) {
    return fmt::format("{} {}: global {}[{}]", kind, name, type, scalars);
  };
  return one_kernel(
      buffer("input", "x") + "; " + buffer("output", "y") + ";",
      buffer("read", "x") + ", " + buffer("write", "y"),
      fmt::format("global [{}, {}, 1] local [1, 1, 1]", columns, rows),
      fmt::format(
          "for g in global(1) [0, {0}) step 1 : exactly_once {{"
          "for i in global(0) [0, {1}) step 1 : exactly_once {{"
          "{3} y[{1}*g + i + {2}] = x[{1}*g + i + {2}] + x[{1}*g + i + {2} + 1] + x[{1}*(g + 1) + i + "
          "{2}]; }} }}",
          rows, columns, first, store));
}

TEST(StreamedRows, AreVectorsBetweenScalars) {
  const std::string text = host_text(rows_of("f32", 300, 8001, 1, "stream"));
  EXPECT_EQ(occurrences(text, "stream_vector<8>(y + "), 1U) << text;
  EXPECT_EQ(occurrences(text, "y["), 2U) << "before and behind: " << text;
  EXPECT_THAT(text, HasSubstr("#pragma omp for nowait"));
  EXPECT_EQ(occurrences(text, "  finish_streams();\n"), 1U) << text;
}

TEST(StreamedRows, ThatBeginAtVectorsHaveNoScalarsBefore) {
  const std::string text = host_text(rows_of("f32", 3, 1024, 0, "stream"));
  EXPECT_EQ(occurrences(text, "stream_vector<8>(y + "), 1U) << text;
  EXPECT_THAT(text, Not(HasSubstr("y[")));
}

TEST(StreamedRows, OfOneLoopAreSharedAmongThreads) {
  const std::string text = host_text(rows_of("f64", 1, 400002, 0, "stream"));
  EXPECT_THAT(text, HasSubstr("stream_vector<4>(y + "));
  EXPECT_THAT(text, HasSubstr("#pragma omp parallel\n"));
}

TEST(StreamedRows, AreThoseOfStreamedStoresOnly) {
  EXPECT_THAT(host_text(rows_of("f32", 3, 1001, 1, "")), Not(HasSubstr("stream")));
}

TEST(StreamedRows, ThatAreShortStayLoops) {
  EXPECT_THAT(host_text(rows_of("f32", 3, 60, 0, "stream")), Not(HasSubstr("stream_vector")));
}

TEST(StreamedRows, ThatBeginAlikeAreComputedTogether) {
  Options options;
  options.vector_bytes = 64;
  const std::string text = text_of(host(parsed(rows_of("f32", 20, 2048, 3, "stream")), options));
  // Eight rows at a time, of which nine are read; four are left, and one loop of their own does them.
  EXPECT_EQ(occurrences(text, "stream_vector<16>(y + "), 12U) << text;
  EXPECT_EQ(occurrences(text, "float16 row"), 2U * 8 + 1 + 2U * 4 + 1) << text;
  EXPECT_THAT(text, HasSubstr("shuffled<float16, 1, 2,"));
}

TEST(StreamedRows, OfPlanesAreComputedTogetherWhereTheyAreShort) {
  Options options;
  options.vector_bytes = 64;
  const std::string text = text_of(
      host(parsed(one_kernel(
               "input x: global f32[73728]; output y: global f32[65536];",
               "read x: global f32[73728], write y: global f32[65536]", "global [512, 16, 8] local [1, 1, 1]",
               "for d in global(2) [0, 8) step 1 : exactly_once {"
               "for g in global(1) [0, 16) step 1 : exactly_once {"
               "for i in global(0) [0, 512) step 1 : exactly_once {"
               "stream y[8192*d + 512*g + i] = x[8192*d + 512*g + i] + x[8192*d + 512*g + i + 8192]; } } }")),
           options));
  EXPECT_EQ(occurrences(text, "stream_vector<16>(y + "), 4U) << text;
  EXPECT_EQ(occurrences(text, "const float16 row"), 5U) << "of four planes and the next: " << text;
}

/// Values that every type has exactly.
template <class Element>
void expect_right(const std::string& type, runtime::host::Compiler& compiler, std::int64_t vector_bytes) {
  constexpr int shapes[][3] = {{1, 4099, 1},  {5, 1003, 0},  {7, 517, 3},
                               {13, 640, 16}, {19, 2064, 3}, {5, 4128, 0}};
  for (const auto& [rows, columns, first] : shapes) {
    Options options;
    options.vector_bytes = vector_bytes;
    const std::string text = text_of(host(parsed(rows_of(type, rows, columns, first, "stream")), options));
    ASSERT_THAT(text, HasSubstr("stream_vector<"));
    runtime::BuildFacts facts;
    auto library = compiler.build(text, facts);
    ASSERT_TRUE(library) << library.error().render() << text;
    const auto kernel = reinterpret_cast<void (*)(void* const*, const std::size_t*)>(library->symbol("k"));
    const auto count = static_cast<std::size_t>(scalars_of(rows, columns, first));
    // Arrays that begin at any scalar, and what is around them stays.
    for (const std::size_t offset : {0U, 1U, 3U}) {
      std::vector<Element> x(count + offset), y(count + offset, Element{77});
      for (std::size_t at = 0; at < x.size(); ++at) x[at] = static_cast<Element>(at % 1000);
      void* arguments[] = {x.data() + offset, y.data() + offset};
      const std::size_t range[6] = {1, 1, 1, 1, 1, 1};
      kernel(arguments, range);
      const std::size_t begin = offset + static_cast<std::size_t>(first);
      const std::size_t end = begin + static_cast<std::size_t>(rows * columns);
      const auto below = static_cast<std::size_t>(columns);
      for (std::size_t at = 0; at < y.size(); ++at) {
        const bool is_written = at >= begin && at < end;
        const Element expected =
            is_written ? static_cast<Element>(x[at] + x[at + 1] + x[at + below]) : Element{77};
        ASSERT_EQ(y[at], expected) << type << " at " << at << " of " << rows << " x " << columns << " from "
                                   << first << ", " << offset << " scalars off, " << text;
      }
    }
  }
}

TEST(StreamedRows, AreRightOnEveryInstructionSet) {
  const runtime::host::Processor processor = runtime::host::this_processor();
  for (const char* name : {"sse4.2", "avx2", "avx512"}) {
    const auto set = runtime::host::instruction_set_of(processor, name);
    if (!set) continue;  // the processor lacks it
    auto compiler = runtime::host::Compiler::find(processor.name + processor.features, *set);
    ASSERT_TRUE(compiler) << compiler.error().render();
    const std::int64_t bytes = (*set)->f32_vector * std::int64_t{sizeof(float)};
    expect_right<float>("f32", *compiler, bytes);
    expect_right<double>("f64", *compiler, bytes);
    expect_right<std::int32_t>("i32", *compiler, bytes);
  }
}

}  // namespace
}  // namespace hoist::codegen
