// How much local memory a kernel takes.
#include "loop/local_memory.hpp"

#include "programs.hpp"

namespace hoist::loop {
namespace {

using testing::ElementsAre;

TEST(LocalMemory, IsTheSumOfItsLocalArraysEachAligned) {
  arith::Arena arena;
  const Plan plan = parsed(one_kernel("size N; input A: global f32[N]; output C: global f32[N];",
                                      "read A: global f32[N], write C: global f32[N], size N",
                                      "global [64, 1, 1] local [64, 1, 1]",
                                      "allocate a: local f32[100]; allocate b: local u8[7]; allocate c: "
                                      "local f64[N]; allocate d: private f32[3];"
                                      "for l in local(0) [0, 64) step 1 { C[l] = A[l]; }"));
  const Kernel& kernel = plan.kernels.at(0);
  std::vector<std::string> names;
  for (const Buffer* array : local_arrays(kernel)) names.push_back(array->name);
  EXPECT_THAT(names, ElementsAre("a", "b", "c"));
  EXPECT_EQ(bytes_of(*local_arrays(kernel)[0]), 400U);
  EXPECT_EQ(bytes_of(*local_arrays(kernel)[2]), std::nullopt) << "its length is a variable";
  EXPECT_EQ(local_bytes(kernel), 416U) << "what is known of it: c begins there";
}

}  // namespace
}  // namespace hoist::loop
