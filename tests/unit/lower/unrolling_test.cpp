// How far the device's compiler is asked to unroll.
#include "unit/lower/lowered.hpp"

namespace hoist::lower {
namespace {

using testing::HasSubstr;
using testing::Not;

class Unrolling : public Lowering {};

/// So many sums of a row, each by a loop of its own.
std::string sums(int count) {
  std::string sums = "(r |> reduceSeq(+, 0.0))";
  for (int i = 1; i < count; ++i)
    sums += " + (r |> map(e => e * " + std::to_string(i) + ".5) |> reduceSeq(+, 0.0))";
  return "def f(a: [32][1000]f32) = a |> mapGlb(0, r => " + sums + ")";
}

TEST_F(Unrolling, TheLoopsOfAKernelShareWhatProcessorsMayHave) {
  Options processor;
  processor.target.type = target::Type::Cpu;
  EXPECT_EQ(loops_of(sums(1), processor), loops_of(sums(1)));
  EXPECT_THAT(loops_of(sums(4), processor), HasSubstr("unroll_by"));
  // Too little for each is nothing.
  EXPECT_THAT(loops_of(sums(10)), HasSubstr("unroll_by"));
  EXPECT_THAT(loops_of(sums(10), processor), Not(HasSubstr("unroll_by")));
}

}  // namespace
}  // namespace hoist::lower
