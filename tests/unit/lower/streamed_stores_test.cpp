// Which stores go past the caches.
#include "target/kinds.hpp"
#include "unit/lower/lowered.hpp"

namespace hoist::lower {
namespace {

using testing::HasSubstr;
using testing::Not;

class StreamedStores : public Lowering {
 protected:
  /// For a processor with so small a cache that the tests' arrays are large.
  static Options on_host(std::size_t cache_bytes = 1024) {
    Options options;
    options.target = target::usual_device(target::Language::Host, target::Type::Cpu);
    options.target.caches = {0, 0, cache_bytes};
    return options;
  }
};

const char* const stencil =
    "def p(x: [21][37]f32): [21][37]f32 = x |> pad2(1, 1, clamp) |> slide2(3, 1) |> mapGlb(1, mapGlb(0,\n"
    "  n => n[1][1] + n[0][1] - n[1][2]))";

TEST_F(StreamedStores, AreThoseOfLargeResults) {
  EXPECT_THAT(loops_of(stencil, on_host()), HasSubstr("stream out["));
  EXPECT_THAT(loops_of(stencil, on_host(21 * 37 * 4)), Not(HasSubstr("stream")));
  expect_right(stencil, on_host());
}

TEST_F(StreamedStores, AreForTheHost) {
  Options options = on_host();
  options.target.language = target::Language::OpenCL;
  EXPECT_THAT(loops_of(stencil, options), Not(HasSubstr("stream")));
}

TEST_F(StreamedStores, CanBeLeftOut) {
  Options options = on_host();
  ASSERT_TRUE(disable_pass(options, "streamed-stores"));
  EXPECT_THAT(loops_of(stencil, options), Not(HasSubstr("stream")));
}

TEST_F(StreamedStores, AreNotWhereAKernelHasLoopsOfItsOwn) {
  EXPECT_THAT(loops_of("def p(x: [600][16]f32): [600]f32 = x |> mapGlb(0, reduceSeq(+, 0.0))", on_host()),
              Not(HasSubstr("stream")));
}

TEST_F(StreamedStores, KeepTheirTextAndMeaning) {
  const std::string text = loops_of(stencil, on_host());
  const auto again = loop::parse_plan(text);
  ASSERT_TRUE(again) << again.error().render();
  EXPECT_EQ(loop::to_string(*again), text);
}

}  // namespace
}  // namespace hoist::lower
