// How printed CUDA C++ reads.
#include "unit/codegen/support.hpp"

namespace hoist::codegen {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* declarations =
    "size N; input x: global f32[N]; input k: global i32[N]; output y: global f32[N]; output m: global "
    "i32[N];";
constexpr const char* parameters =
    "read x: global f32[N], read k: global i32[N], write y: global f32[N], write m: global i32[N], size N";

std::string text_of_body(const std::string& body, const std::string& index_type = "i32",
                         const std::string& launch = "global [N, 1, 1] local [64, 1, 1]") {
  return cuda_text(one_kernel(declarations, parameters, launch, body, index_type));
}

TEST(CudaText, IsWhatOneWouldWrite) {
  const std::string text = cuda_text(one_kernel(
      "size N; input x: global f32[N]; input a: f32; output y: global f32[N];",
      "read x: global f32[N], write y: global f32[N], scalar a: f32, size N",
      "global [N, 1, 1] local [64, 1, 1]",
      "// y = a x + y\nfor i in global(0) [0, N) step 1 : at_most_once { y[i] = y[i] + a * x[i]; }"));
  EXPECT_EQ(text, R"(namespace kernels {

extern "C" __global__ void __launch_bounds__(64) k(
    const float* __restrict__ x, float* __restrict__ y, const float a, const int N) {
  // y = a x + y
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < N) {
    y[i] += a * x[i];
  }
}

}  // namespace kernels
)");
}

TEST(CudaText, LoopsHaveTheStrideOfTheLaunch) {
  const std::string body =
      "for g in group(0) [0, N) step 1 { for l in local(0) [0, 100) step 1 { for i in global(1) [0, N) step "
      "1 {"
      " for s in sequential [0, N) step 4 { y[s] = x[i]; } } } }";
  const std::string text = text_of_body(body, "i32", "global [256, N, 1] local [64, 1, 1]");
  EXPECT_THAT(text, HasSubstr("for (int g = blockIdx.x; g < N; g += 4) {"));
  EXPECT_THAT(text, HasSubstr("for (int l = threadIdx.x; l < 100; l += 64) {"));
  EXPECT_THAT(text,
              HasSubstr("for (int i = blockIdx.y * 1 + threadIdx.y; i < N; i += gridDim.y * blockDim.y) {"));
  const std::string wide = text_of_body(body, "i64", "global [256, N, 1] local [64, N, 1]");
  EXPECT_THAT(
      wide,
      HasSubstr("(long)blockIdx.y * blockDim.y + threadIdx.y; i < N; i += (long)gridDim.y * blockDim.y"));
  EXPECT_THAT(wide, Not(HasSubstr("__launch_bounds__")));
}

TEST(CudaText, VectorsAreReadWhereTheyAreAligned) {
  const std::string text = text_of_body(
      "for i in global(0) [0, 4) step 1 : exactly_once { y[4 * i +: 4] = x[4 * i +: 4] + x[4 * i + 1 +: 4]; "
      "}");
  EXPECT_THAT(text, HasSubstr("using float4 = Vector<float, 4>;"));
  EXPECT_THAT(text,
              HasSubstr("((float4*)y)[i] = ((const float4*)x)[i] + load_vector<float4>(x + 4 * i + 1);"));
  EXPECT_THAT(text, HasSubstr("operator+("));
  EXPECT_THAT(text, Not(HasSubstr("operator*(")));
}

TEST(CudaText, AsynchronousCopiesAreOf4To16Bytes) {
  const std::string text = text_of_body(asynchronous_copies);
  EXPECT_THAT(text, HasSubstr("copy_async<4>(t + l, x + l);"));
  EXPECT_THAT(text, HasSubstr("copy_async<16>(t + 4 * l, x + 4 * l);"));
  EXPECT_THAT(text, HasSubstr("copy_async<16>(t + 8 * l + 4, x + 8 * l + 4);"));
  EXPECT_THAT(text, HasSubstr("copy_async<8>(t + 4 * l, x + 4 * l + 2);"));
  EXPECT_THAT(text, HasSubstr("copy_async<4>(t + l, x + l, g + l < N);"));
}

TEST(CudaText, ASmallScalarUnderAConditionIsStoredAtOnce) {
  const std::string text = cuda_text(
      one_kernel("size N; input b: global u8[N]; output y: global u8[N];",
                 "read b: global u8[N], write y: global u8[N], size N", "global [N, 1, 1] local [64, 1, 1]",
                 "for g in group(0) [0, N) step 1 { allocate t: local u8[256]; for l in local(0) [0, 64) "
                 "step 1 : exactly_once { "
                 "async t[l] = select(test(l + g < N), b[l], 0u8); } commit; await(0); "
                 "for m in local(0) [0, 64) step 1 : exactly_once { y[m] = t[m]; } }"));
  EXPECT_THAT(text, HasSubstr("g + l < N ? b[l]"));
  EXPECT_THAT(text, Not(HasSubstr("copy_async<")));
}

TEST(CudaText, SignedIntegersWrap) {
  const std::string text = text_of_body(
      "for i in global(0) [0, N) step 1 : exactly_once { m[i] = m[i] * k[i] + 3; y[i] = sqrt(x[i]); }");
  EXPECT_THAT(text, HasSubstr("m[i] = (int)((uint)m[i] * (uint)k[i] + 3);"));
  EXPECT_THAT(text, HasSubstr("using uint = unsigned int;"));
  EXPECT_THAT(text, HasSubstr("y[i] = sqrtf(x[i]);"));
}

TEST(CudaText, ClampedPlacesThatAreComparedAreNoMaxima) {
  const std::string clamp =
      "for i in global(0) [0, N) step 1 { let j: i32 = max(min(k[i], 15), 0); let c: i32 = max(0, k[i]); ";
  const std::string text = text_of_body(clamp + "m[i] = select(j == 15, c, 3); }");
  EXPECT_THAT(text, HasSubstr("positive_part<int>(smaller<int>(k[i], 15))"));
  EXPECT_THAT(text, HasSubstr("positive_part<int>(k[i])"));
  EXPECT_THAT(text, HasSubstr("return T(a & ~(a >> (8 * sizeof(a) - 1)));"));
  EXPECT_THAT(text_of_body(clamp + "m[i] = select(j < 15, c, 3); }"), Not(HasSubstr("positive_part")));
}

TEST(CudaText, WhatIsReadPromisesNothingWhereAChoiceMayReadWhatTheKernelWrote) {
  const std::string text =
      text_of_body("for i in global(0) [0, N) step 1 { m[i] = 1; m[i] = select(k[i] > m[i], k[i], m[i]); }");
  EXPECT_THAT(text, HasSubstr("const int* k,"));
  EXPECT_THAT(text, HasSubstr("int* __restrict__ m,"));
}

std::string with_local(const std::string& scalars) {
  return "for g in group(0) [0, N) step 1 { allocate t: local f32[" + scalars +
         "]; allocate u: local f32[6]; for l in local(0) [0, 64) step 1 : exactly_once { t[l] = x[l]; u[0] = "
         "x[l]; } "
         "barrier(local, global); for q in local(0) [0, 64) step 1 : exactly_once { y[q] = t[63 - q]; } }";
}

TEST(CudaText, ShufflesAreTheLibrarys) {
  const std::string text = text_of_body(
      "for l in local(0) [0, 64) step 1 : exactly_once { let a: f32 = x[l]; let b: f32 = shuffle(a, 16);"
      " let c: u8 = shuffle(as_u8(k[l]), 1); let v: f32x4 = x[4*l +: 4]; let w: f32x4 = shuffle(v, 2);"
      " y[l] = b + w.s0 + as_f32(c); }");
  EXPECT_THAT(text, HasSubstr("const float b = __shfl_xor_sync(0xffffffffu, a, 16);\n"));
  EXPECT_THAT(text, HasSubstr("const uchar c = (uchar)__shfl_xor_sync(0xffffffffu, (uchar)k[l], 1);\n"));
  EXPECT_THAT(
      text, HasSubstr("by_component<float4>([](float a) { return __shfl_xor_sync(0xffffffffu, a, 2); }, v)"));
}

TEST(CudaText, LocalMemoryIsDeclaredWhereItFits) {
  const std::string body = with_local("12280");
  const std::string text = text_of_body(body);
  EXPECT_THAT(
      text,
      HasSubstr("  __shared__ __align__(16) float t[12280];\n  __shared__ __align__(16) float u[6];\n"));
  EXPECT_THAT(text, HasSubstr("  __syncthreads();\n"));
  const loop::Plan plan =
      parsed(one_kernel(declarations, parameters, "global [N, 1, 1] local [64, 1, 1]", body));
  EXPECT_EQ(cuda_dynamic_shared_memory(plan.kernels[0]), 0u);
}

TEST(CudaText, MoreLocalMemoryIsTheLaunchs) {
  const std::string body = with_local("12283");
  const std::string text = text_of_body(body);
  EXPECT_THAT(text, HasSubstr("  extern __shared__ __align__(16) uchar shared_memory[];\n"
                              "  float* const t = (float*)(shared_memory + 0);\n"
                              "  float* const u = (float*)(shared_memory + 49136);\n"));
  const loop::Plan plan =
      parsed(one_kernel(declarations, parameters, "global [N, 1, 1] local [64, 1, 1]", body));
  EXPECT_EQ(cuda_dynamic_shared_memory(plan.kernels[0]), 49160u);
}

}  // namespace
}  // namespace hoist::codegen
