// How printed code reads.
#include "unit/codegen/support.hpp"

namespace hoist::codegen {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* array_declarations =
    "size N; input x: global f32[N]; input k: global i32[N]; output y: global f32[N];";
constexpr const char* array_parameters =
    "read x: global f32[N], read k: global i32[N], write y: global f32[N], size N";

/// The text of a body's kernel over x, k, y and N, with groups of 64.
std::string opencl_of(const std::string& body, const std::string& index_type = "i32") {
  return opencl_text(one_kernel(array_declarations, array_parameters, "global [N, 1, 1] local [64, 1, 1]",
                                body, index_type));
}
std::string host_of(const std::string& body, const std::string& index_type = "i32") {
  return host_text(one_kernel(array_declarations, array_parameters, "global [N, 1, 1] local [64, 1, 1]", body,
                              index_type));
}
/// What is stored to y[i] when the value is this.
std::string stored(const std::string& value, const std::string& index_type = "i32") {
  const std::string text =
      opencl_of("for i in global(0) [0, N) step 1 : exactly_once { y[i] = " + value + "; }", index_type);
  const std::size_t begin = text.find("y[i] = ") + 7;
  return text.substr(begin, text.find(";\n", begin) - begin);
}

TEST(OpenClText, IsWhatOneWouldWrite) {
  const std::string text = opencl_text(one_kernel(
      "size N; input x: global f32[N]; input a: f32; output y: global f32[N];",
      "read x: global f32[N], write y: global f32[N], scalar a: f32, size N",
      "global [N, 1, 1] local [64, 1, 1]",
      "// y = a x + y\nfor i in global(0) [0, N) step 1 : at_most_once { y[i] = y[i] + a * x[i]; }"));
  EXPECT_EQ(text, R"(kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void k(const global float* restrict x, global float* restrict y, const float a, const int N) {
  // y = a x + y
  const int i = get_global_id(0);
  if (i < N) {
    y[i] += a * x[i];
  }
}
)");
}

TEST(OpenClText, LeavesOutWhatIsNotAsked) {
  const std::string body = "// why\nfor i in global(0) [0, N) step 1 { y[i] = x[i]; }";
  const loop::Plan plan =
      parsed(one_kernel(array_declarations, array_parameters, "global [N, 1, 1] local [N, 1, 1]", body));
  const std::string text = text_of(opencl(plan, {.comments = false}));
  EXPECT_THAT(text, Not(HasSubstr("why")));
  EXPECT_THAT(text, Not(HasSubstr("reqd_work_group_size")));
  EXPECT_THAT(text, Not(HasSubstr("fp64")));
  EXPECT_THAT(text, HasSubstr("i += get_global_size(0)"));
}

TEST(OpenClText, ShufflesAreThoseOfSubGroups) {
  const std::string text = opencl_of(
      "for l in local(0) [0, 64) step 1 : exactly_once { let a: f32 = x[l]; let b: f32 = shuffle(a, 16);"
      " let c: u8 = shuffle(as_u8(k[l]), 1); let v: f32x4 = x[4*l +: 4]; let w: f32x4 = shuffle(v, 2);"
      " y[l] = b + w.s0 + as_f32(c); }");
  EXPECT_THAT(text,
              StartsWith("#ifdef cl_khr_subgroups\n#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"));
  EXPECT_THAT(text, HasSubstr("#define SUB_GROUPS __attribute__((intel_reqd_sub_group_size(32)))\n"));
  EXPECT_THAT(text, HasSubstr("kernel SUB_GROUPS __attribute__((reqd_work_group_size(64, 1, 1)))\n"));
  EXPECT_THAT(text, HasSubstr("const float b = exchanged_float(a, 16);\n"));
  EXPECT_THAT(text, HasSubstr("const uchar c = exchanged_uchar((uchar)k[l], 1);\n"));
  EXPECT_THAT(text, HasSubstr("const float4 w = (float4)(exchanged_float(v.s0, 2), "));
  EXPECT_THAT(text, HasSubstr("float exchanged_float(float a, uint mask) { return as_float("));
}

TEST(OpenClText, SubGroupsAreMentionedWhereTheyAreUsed) {
  EXPECT_THAT(opencl_of("for i in global(0) [0, N) step 1 { y[i] = x[i]; }"),
              Not(AnyOf(HasSubstr("SUB_GROUPS"), HasSubstr("subgroup"))));
}

TEST(ImageText, ImagesAreReadByPixels) {
  const std::string input = "x: global f32[35] image(1, 7)", pixels = "z: global f32[140] image(4, 7)";
  const std::string plan = one_kernel(
      "input " + input + "; input " + pixels + "; output y: global f32[35];",
      "read " + input + ", read " + pixels + ", write y: global f32[35]", "global [7, 5, 1] local [1, 1, 1]",
      "for i in global(1) [0, 5) step 1 : exactly_once { for j in global(0) [0, 7) step 1 : exactly_once {"
      "let v: f32x4 = z[28*i + 4*j +: 4]; y[7*i + j] = x[7*i + j] + v.s0 + z[28*i + 4*j + 2]; } }");
  const std::string text = opencl_text(plan);
  EXPECT_THAT(text,
              HasSubstr("void k(read_only image2d_t x, read_only image2d_t z, global float* restrict y) {"));
  EXPECT_THAT(text, HasSubstr("const float4 v = read_imagef(z, (int2)(j, i));"));
  EXPECT_THAT(text, HasSubstr("= read_imagef(x, (int2)(j, i)).s0 + v.s0 + read_imagef(z, (int2)(j, i)).s2;"));
  const std::string cuda = cuda_text(plan);
  EXPECT_THAT(
      cuda, HasSubstr("const cudaTextureObject_t x, const cudaTextureObject_t z, float* __restrict__ y) {"));
  EXPECT_THAT(cuda, HasSubstr("const float4 v = texel<float4, ::float4>(z, 7 * i + j);"));
  EXPECT_THAT(cuda, HasSubstr("= tex1Dfetch<float>(x, 7 * i + j) + v.s[0] + "
                              "texel<float4, ::float4>(z, 7 * i + j).s[2];"));
}

// Planes of five rows, two of four beside the others: only a plane's number is divided.
TEST(ImageText, BlocksOfPlanesAreCountedInPlanes) {
  const std::string input = "x: global f32[140] image(1, 7, 2)";
  const std::string text = opencl_text(one_kernel(
      "input " + input + "; output y: global f32[140];", "read " + input + ", write y: global f32[140]",
      "global [7, 5, 4] local [1, 1, 1]",
      "for p in global(2) [0, 4) step 1 : exactly_once { for i in global(1) [0, 5) step 1 : exactly_once {"
      "for j in global(0) [0, 7) step 1 : exactly_once { y[35*p + 7*i + j] = x[35*p + 7*i + j]; } } }"));
  EXPECT_THAT(text, HasSubstr("= read_imagef(x, (int2)(7 * (p / 2) + j, 5 * (p % 2) + i)).s0;"));
}

TEST(OpenClText, LoopsHaveTheStrideOfTheLaunch) {
  const std::string text =
      opencl_text(one_kernel(array_declarations, array_parameters, "global [256, N, 1] local [64, 1, 1]",
                             "for g in group(0) [0, N) step 1 { for l in local(0) [0, 100) step 1 { for i in "
                             "global(1) [0, N) step 1 {"
                             " for h in group(1) [0, 2) step 1 : exactly_once { for s in sequential [0, N) "
                             "step 4 { y[s] = x[i]; } } } } }"));
  EXPECT_THAT(text, HasSubstr("for (int g = get_group_id(0); g < N; g += 4) {"));
  EXPECT_THAT(text, HasSubstr("for (int l = get_local_id(0); l < 100; l += 64) {"));
  EXPECT_THAT(text, HasSubstr("for (int i = get_global_id(1); i < N; i += get_global_size(1)) {"));
  EXPECT_THAT(text, HasSubstr("const int h = get_group_id(1);"));
  EXPECT_THAT(text, HasSubstr("for (int s = 0; s < N; s += 4) {"));
}

TEST(OpenClText, BarriersAndLocalMemory) {
  const std::string text = opencl_of(
      "for g in group(0) [0, N) step 1 { allocate t: local f32[64]; allocate v: local f32[8]; "
      "for l in local(0) [0, 64) step 1 : exactly_once { t[l] = x[l]; } barrier(local); barrier(global); "
      "barrier(local, global); for m in local(0) [0, 16) step 1 : at_most_once { y[4 * m +: 4] = t[4 * m +: "
      "4]; } }");
  EXPECT_THAT(text, HasSubstr(") {\n  local float t[64] __attribute__((aligned(16)));\n  local float v[8]"));
  EXPECT_THAT(text, HasSubstr("barrier(CLK_LOCAL_MEM_FENCE);"));
  EXPECT_THAT(text, HasSubstr("barrier(CLK_GLOBAL_MEM_FENCE);"));
  EXPECT_THAT(text, HasSubstr("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"));
  EXPECT_THAT(text, HasSubstr("((global float4*)y)[m] = ((local float4*)t)[m];"));
}

TEST(OpenClText, OnlyPointersThatWriteAreNotConst) {
  const std::string text = opencl_of(
      "allocate a: local f32[64]; allocate b: local f32[64]; alias p: local f32[64] = a; alias q: local "
      "f32[64] = b; "
      "alias r: global f32[64] = x; for l in local(0) [0, 64) step 1 : exactly_once { q[l] = p[l]; y[l] = "
      "r[l]; } "
      "barrier(local); swap(p, q);");
  EXPECT_THAT(text,
              HasSubstr("  local float* p = a;\n  local float* q = b;\n  const global float* r = x;\n"));
  EXPECT_THAT(text, HasSubstr("  local float* swapped = p;\n  p = q;\n  q = swapped;\n"));
}

TEST(OpenClText, HasParenthesesOnlyWhereTheyMatter) {
  EXPECT_EQ(stored("x[i] - (x[i] - 1.0) * (2.0 + x[i]) / 4.0"),
            "x[i] - (x[i] - 1.0f) * (2.0f + x[i]) / 4.0f");
  EXPECT_EQ(stored("x[i] - (1.0 - x[i] - 2.0)"), "x[i] - (1.0f - x[i] - 2.0f)");
  EXPECT_EQ(stored("neg(x[i] + 1.0) * neg(neg(x[i]))"), "-(x[i] + 1.0f) * -(-x[i])");
  EXPECT_EQ(
      stored("select(x[i] < 1.0 && (x[i] > 2.0 || not(x[i] == 3.0)), 1.0, select(x[i] < 0.0, 2.0, 3.0))"),
      "x[i] < 1.0f && (x[i] > 2.0f || !(x[i] == 3.0f)) ? 1.0f : x[i] < 0.0f ? 2.0f : 3.0f");
  EXPECT_EQ(stored("as_f32((k[i] & 3) + (k[i] << 2) | k[i] ^ 1)"),
            "(float)((int)((uint)(k[i] & 3) + ((uint)k[i] << 2)) | (k[i] ^ 1))");
  EXPECT_EQ(stored("as_f32(k[i] + 1) * as_f32(index_i32(i + 1))"),
            "(float)(int)((uint)k[i] + 1) * (float)(i + 1)");
}

TEST(OpenClText, SignedIntegersAreComputedUnsignedWhereTheyMayWrap) {
  EXPECT_EQ(stored("as_f32((k[i] * 3 - 4) * k[i])"), "(float)(int)(((uint)k[i] * 3 - 4) * (uint)k[i])");
  EXPECT_EQ(stored("as_f32(neg(k[i]))"), "(float)(int)-(uint)k[i]");
  EXPECT_EQ(stored("as_f32(as_i32(as_u8(k[i])) * 2 + 1)"), "(float)((int)(uchar)k[i] * 2 + 1)");
  EXPECT_EQ(stored("as_f32(as_i64(k[i]) * 5i64)"), "(float)((long)k[i] * 5L)");
}

TEST(OpenClText, GuardsInsideEachOtherAreOne) {
  EXPECT_EQ(stored("select(test(1 <= i), select(test(i < N - 1), x[i], 0.0), 0.0)"),
            "i >= 1 && i < N - 1 ? x[i] : 0.0f");
  EXPECT_EQ(stored("select(test(1 <= i), select(test(i < N - 1), x[i], 1.0), 0.0)"),
            "i >= 1 ? (i < N - 1 ? x[i] : 1.0f) : 0.0f");
}

TEST(OpenClText, LiteralsReadBack) {
  EXPECT_EQ(stored("x[i] + 0.1"), "x[i] + 0.1f");
  EXPECT_EQ(stored("x[i] + 100000000000000000000.0"), "x[i] + 1e+20f");
  EXPECT_EQ(stored("x[i] * -3.0"), "x[i] * -3.0f");
  EXPECT_EQ(stored("max(x[i], -inf_f32)"), "fmax(x[i], -INFINITY)");
  EXPECT_EQ(stored("as_f32(as_f64(x[i]) * 0.1f64)"), "(float)((double)x[i] * 0.1)");
  EXPECT_EQ(stored("as_f32(as_i64(k[i]) * 5000000000i64)"), "(float)(long)((ulong)(long)k[i] * 5000000000L)");
  EXPECT_EQ(stored("as_f32(as_u32(k[i]) / 3u32)"), "(float)((uint)k[i] / 3u)");
  EXPECT_EQ(stored("as_f32(as_u8(k[i]) + 3u8)"), "(float)(uchar)((uchar)k[i] + 3)");
  EXPECT_EQ(stored("as_f32(max(as_u8(k[i]), 3u8))"), "(float)max((uchar)k[i], (uchar)3)");
}

TEST(OpenClText, DivisionIsGuardedOnlyWhereItMayTrap) {
  EXPECT_EQ(stored("as_f32(k[i] / 3)"), "(float)(k[i] / 3)");
  EXPECT_EQ(stored("as_f32(k[i] / k[i + 1])"), "(float)quotient_int(k[i], k[i + 1])");
  EXPECT_EQ(stored("as_f32(k[i] % -1)"), "(float)remainder_int(k[i], -1)");
}

TEST(OpenClText, DoublesAskForTheirExtension) {
  const std::string text = opencl_of("for i in global(0) [0, N) step 1 { y[i] = as_f32(as_f64(x[i])); }");
  EXPECT_TRUE(text.starts_with("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n\nkernel"));
}

TEST(OpenClText, IndicesAreSimpleArithmetic) {
  const auto index = [](const std::string& text, const std::string& type = "i32") {
    const std::string value = stored("x[" + text + "]", type);
    return value.substr(2, value.size() - 3);
  };
  EXPECT_EQ(index("4 * (i / 8) + i % 4"), "4 * (i / 8) + i % 4");
  EXPECT_EQ(index("N - 1 - i"), "N - i - 1");
  EXPECT_EQ(index("min(i + 1, N - 1)"), "min(i + 1, N - 1)");
  EXPECT_EQ(index("max(i - 1, 0)", "i64"), "max(i - 1, 0L)");
  EXPECT_EQ(index("ceildiv(N + i, 4)"), "(N + i + 3) / 4");
  EXPECT_EQ(index("64 / 2 ** i"), "64 >> i");
  EXPECT_EQ(index("i % 2 ** N"), "i & ((1 << N) - 1)");
  EXPECT_EQ(index("i * 2 ** N"), "i << N");
  EXPECT_EQ(index("3 ** i"), "power_int(3, i)");
  EXPECT_EQ(index("i < 3 ? N - 3 : i"), "i < 3 ? N - 3 : i");
  EXPECT_EQ(index("5000000000 + i", "i64"), "i + 5000000000L");
}

TEST(OpenClText, DataInIndicesIsConverted) {
  const std::string body =
      "for i in global(0) [0, N) step 1 : exactly_once { let j: i32 index [0, N) = k[i]; y[i] = x[j] + x[2 * "
      "j]; }";
  EXPECT_THAT(opencl_of(body), HasSubstr("y[i] = x[j] + x[2 * j];"));
  EXPECT_THAT(opencl_of(body, "i64"), HasSubstr("y[i] = x[j] + x[2 * (long)j];"));
}

TEST(OpenClText, ChainsOfConditions) {
  const std::string text = opencl_of(
      "for i in global(0) [0, N) step 1 : exactly_once { if (x[i] < 0.0) { y[i] = 0.0; } else { if (x[i] < "
      "1.0) {"
      " y[i] = 1.0; } else { y[i] = 2.0; } } }");
  EXPECT_THAT(
      text,
      HasSubstr("  if (x[i] < 0.0f) {\n    y[i] = 0.0f;\n  } else if (x[i] < 1.0f) {\n    y[i] = 1.0f;\n"
                "  } else {\n    y[i] = 2.0f;\n  }\n"));
}

TEST(OpenClText, VectorsAreReadWhereTheyAreAligned) {
  EXPECT_THAT(opencl_of("for i in global(0) [0, N / 8) step 1 { y[8 * i + 4 +: 4] = x[8 * i +: 4]; }"),
              HasSubstr("((global float4*)y)[2 * i + 1] = ((const global float4*)x)[2 * i];"));
  EXPECT_THAT(opencl_of("for i in global(0) [0, N - 4) step 1 { y[i +: 4] = x[i + 1 +: 4] * 2.0; }"),
              HasSubstr("vstore4(vload4(0, x + i + 1) * 2.0f, 0, y + i);"));
}

TEST(OpenClText, AsynchronousCopiesAreAskedForWhereADeviceHasThem) {
  const std::string text = opencl_of(asynchronous_copies);
  EXPECT_THAT(text, HasSubstr("#if defined(__NV_CL_C_VERSION) && defined(HOIST_CP_ASYNC)"));
  EXPECT_THAT(text, HasSubstr("#define COPY_ASYNC(bytes, to, from) *(to) = *(from)"));
  EXPECT_THAT(text, HasSubstr("COPY_ASYNC(4, t + l, x + l);"));
  EXPECT_THAT(text, HasSubstr("COPY_ASYNC(16, (local float4*)t + l, (const global float4*)x + l);"));
  EXPECT_THAT(text,
              HasSubstr("COPY_ASYNC(16, (local float4*)t + 2 * l + 1, (const global float4*)x + 2 * l + 1);"))
      << "more than one copy takes is copied by halves";
  EXPECT_THAT(text,
              HasSubstr("COPY_ASYNC(8, (local float2*)t + 2 * l, (const global float2*)x + 2 * l + 1);"))
      << "where four are not aligned two may be";
  EXPECT_THAT(text, HasSubstr("COPY_ASYNC_IF(g + l < N, 4, t + l, x + l);"));
  EXPECT_THAT(text, HasSubstr("COPY_ASYNC_COMMIT();"));
  EXPECT_THAT(text, HasSubstr("COPY_ASYNC_WAIT(1);"));
}

TEST(OpenClText, RefusesWhatTheLanguageLacks) {
  const auto refused = [](const std::string& body, const std::string& kernel = "k") {
    loop::Plan plan =
        parsed(one_kernel(array_declarations, array_parameters, "global [N, 1, 1] local [64, 1, 1]", body));
    plan.kernels.at(0).name = kernel;
    const auto text = opencl(plan);
    if (text) return std::string("printed");
    EXPECT_EQ(text.error().kind, ErrorKind::Unsupported);
    return text.error().diagnostics[0].message;
  };
  EXPECT_EQ(refused("allocate t: local f32[N];"),
            "the size of the buffer t is not known when its kernel is compiled");
  EXPECT_EQ(refused("allocate t: private f32x5[10];"), "vectors of 5 components");
  EXPECT_EQ(refused("", "float4"), "a kernel cannot have the name float4");
  EXPECT_EQ(refused("", "two words"), "a kernel cannot have the name two words");
  EXPECT_EQ(refused(""), "printed");
}

// ---- C++ for the host

TEST(HostText, IsWhatOneWouldWrite) {
  EXPECT_EQ(host_text(one_kernel("size N; input x: global f32[N]; input a: f32; output y: global f32[N];",
                                 "read x: global f32[N], write y: global f32[N], scalar a: f32, size N",
                                 "global [N, 1, 1] local [64, 1, 1]",
                                 "for i in global(0) [0, N) step 1 : at_most_once { y[i] = a * x[i]; }")),
            R"(// C++17; needs -fopenmp for more than one thread.
#include <cstddef>

extern "C" void k(void* const* arguments, const size_t*) {
  const float* const __restrict x = static_cast<const float*>(arguments[0]);
  float* const __restrict y = static_cast<float*>(arguments[1]);
  const float a = *static_cast<const float*>(arguments[2]);
  const long N = *static_cast<const int*>(arguments[3]);
#pragma omp parallel for simd
  for (long i = 0; i < N; ++i) {
    y[i] = a * x[i];
  }
}
)");
}

TEST(HostText, LoopsOverGroupsAreSharedAndBarriersVanish) {
  const std::string text = host_of(
      "for g in group(0) [0, exactdiv(N, 64)) step 1 : exactly_once { allocate t: local f32[64];"
      " for l in local(0) [0, 64) step 1 : exactly_once { t[l] = x[64 * g + l]; } barrier(local);"
      " for m in local(0) [0, 64) step 1 : exactly_once { y[64 * g + m] = t[63 - m]; } }");
  EXPECT_THAT(text, HasSubstr(R"(#pragma omp parallel for
  for (long g = 0; g < N / 64; ++g) {
    alignas(64) float t[64];
#pragma omp simd
    for (long l = 0; l < 64; ++l) {
      t[l] = x[64 * g + l];
    }
#pragma omp simd
    for (long m = 0; m < 64; ++m) {
      y[64 * g + m] = t[63 - m];
    }
  }
)"));
}

TEST(HostText, NestsAreCollapsed) {
  const std::string inner = "for j in global(0) [0, N) step 1 { y[j] = x[N * i + j]; }";
  EXPECT_THAT(
      host_of("for h in global(2) [0, N) step 1 { for i in global(1) [0, N) step 1 { " + inner + " } }"),
      HasSubstr(
          "#pragma omp parallel for collapse(2)\n  for (long h = 0; h < N; ++h) {\n"
          "    for (long i = 0; i < N; ++i) {\n#pragma omp simd\n      for (long j = 0; j < N; ++j) {\n"));
  EXPECT_THAT(
      host_of("for h in global(2) [0, N) step 1 { for i in global(1) [0, h) step 1 { " + inner + " } }"),
      HasSubstr("#pragma omp parallel for\n  for (long h = 0; h < N; ++h) {\n"));
}

TEST(HostText, SequentialLoopsOfNeighboursRunInTurns) {
  const std::string text = host_of(
      "for i in global(0) [0, N) step 1 { var s: f32 = 0.0; for j in sequential [0, 90) step 1 { s = s + x[i "
      "+ j]; }"
      " y[i] = s; }");
  EXPECT_THAT(text, HasSubstr(R"(    for (long j = 0; j < 90; ++j) {
#pragma omp simd
      for (long i_item = 0; i_item < i_count; ++i_item) {
        const long i = i_start + i_item;
        float s = s_items[i_item];
        s += x[i + j];
        s_items[i_item] = s;
      }
    }
)"));
  // Rows that are far apart are no vectors.
  EXPECT_THAT(
      host_of("for i in global(0) [0, N) step 1 { var s: f32 = 0.0; for j in sequential [0, 9) step 1 {"
              " s = s + x[9 * i + j]; } y[i] = s; }"),
      HasSubstr("  for (long i = 0; i < N; ++i) {\n    float s = 0.0f;\n"));
}

TEST(HostText, FunctionsThatGlibcHasForVectorsAreDeclared) {
  const std::string text = host_of("for i in global(0) [0, N) step 1 { y[i] = log(x[i]); }");
  EXPECT_THAT(text, HasSubstr("#pragma omp declare simd notinbranch\nfloat log(float) noexcept"));
  // What g++ calls for vectors of any width, and for scalars, is computed by the widest vectors.
  for (const char* symbol :
       {"MATH_WIDEST_float \"__ZN4math3logEf\"", "\"_ZGVdN8v__ZN4math3logEf\"", "\"_ZGVbN4v__ZN4math3logEf\"",
        "\"_ZN4math3logEf\"", "\"_ZGVbN2v__ZN4math3logEd\""})
    EXPECT_THAT(text, HasSubstr(symbol));
  EXPECT_THAT(text, Not(HasSubstr("sinf")));
  EXPECT_THAT(host_of("for i in global(0) [0, N) step 1 { y[i] = sqrt(x[i]); }"),
              Not(HasSubstr("declare simd")));
}

TEST(HostText, ProductsThatConditionsChooseAreRounded) {
  EXPECT_THAT(host_of("for i in global(0) [0, N) step 1 { y[i] = x[i] + select(test(i < N - 1), x[i] * x[i + "
                      "1], 0.0); }"),
              AllOf(HasSubstr("x[i] * x[i + 1] : 0.0f"), Not(HasSubstr("multiply_add"))));
}

TEST(HostText, SumsThatTakeProductsAreOneOperation) {
  const auto stored = [](const std::string& value) {
    return host_of("for i in global(0) [0, N) step 1 { y[i] = " + value + "; }");
  };
  EXPECT_THAT(stored("x[i] + x[i] * x[i + 1]"), HasSubstr("y[i] = multiply_add(x[i], x[i + 1], x[i]);"));
  EXPECT_THAT(stored("x[i] * x[i + 1] - x[i]"), HasSubstr("y[i] = multiply_add(x[i], x[i + 1], -x[i]);"));
  EXPECT_THAT(stored("x[i] - x[i] * x[i + 1]"), HasSubstr("y[i] = multiply_add(-x[i], x[i + 1], x[i]);"));
  EXPECT_THAT(stored("x[i] * x[i] + x[i] * x[i + 1]"),
              HasSubstr("y[i] = multiply_add(x[i], x[i], x[i] * x[i + 1]);"));
  EXPECT_THAT(stored("y[i] + x[i] * x[i + 1]"), HasSubstr("y[i] = multiply_add(x[i], x[i + 1], y[i]);"));
  EXPECT_THAT(stored("x[i] + 1.0 * x[i + 1]"), HasSubstr("y[i] = x[i] + 1.0f * x[i + 1];"));
  EXPECT_THAT(stored("x[i] * x[i + 1]"), Not(HasSubstr("multiply_add")));
}

TEST(HostText, SquaresArePrintedAsProducts) {
  EXPECT_THAT(host_of("for i in global(0) [0, N) step 1 { y[i] = pow(x[i], 2.0); }"),
              HasSubstr("y[i] = square_of(x[i]);"));
  EXPECT_THAT(host_of("for i in global(0) [0, N) step 1 { y[i] = pow(x[i], 3.0); }"),
              HasSubstr("y[i] = math::pow(x[i], 3.0f);"));
}

TEST(HostText, MathematicalFunctionsNeedNoHeader) {
  const std::string text = host_of("for i in global(0) [0, N) step 1 { y[i] = fma(x[i], sqrt(x[i]), 2.0); }");
  EXPECT_THAT(text, HasSubstr("math::fma(x[i], math::sqrt(x[i]), 2.0f)"));
  EXPECT_THAT(text, HasSubstr("static inline float fma(float a, float b, float c) { return "
                              "__builtin_fmaf(a, b, c); }\n"));
  EXPECT_THAT(text, Not(HasSubstr("<cmath>")));
  EXPECT_THAT(text, Not(HasSubstr("__builtin_exp")));
}

TEST(HostText, ExponentialsAreWrittenOut) {
  EXPECT_THAT(host_of("for i in global(0) [0, N) step 1 { y[i] = exp(x[i]); }"),
              HasSubstr("y[i] = exponential<float, uint>(x[i]);"));
}

TEST(HostText, WhatIsTheSameForAllIsNotKeptForEach) {
  const std::string text = host_of(
      "for i in global(0) [0, N) step 1 { let first: f32 = x[0]; var s: f32 = 0.0; for j in sequential [0, "
      "90) step 1 {"
      " let w: f32 = x[j]; let v: f32 = x[i + j]; s = s + (v - w) * v * first; } y[i] = s; }");
  EXPECT_THAT(text, HasSubstr("const float first = x[0];\n"));
  EXPECT_THAT(text, HasSubstr("        const float w = x[j];\n        const float v = x[i + j];\n"));
  EXPECT_THAT(text, Not(HasSubstr("v_items")));
}

TEST(HostText, WorkItemsKeepWhatLivesAcrossBarriers) {
  const std::string text = host_of(
      "for g in group(0) [0, exactdiv(N, 64)) step 1 : exactly_once { allocate t: local f32[64];"
      " for l in local(0) [0, 64) step 1 : exactly_once { let own: f32 = x[64 * g + l]; t[l] = own; "
      "barrier(local);"
      " y[64 * g + l] = own + t[63 - l]; } }");
  EXPECT_THAT(text, HasSubstr(R"(  const long groups_0 = range[0] / 64;
#pragma omp parallel for
  for (long group_0 = 0; group_0 < groups_0; ++group_0) {
    alignas(64) float t[64];
    alignas(64) float own_items[64];
    const long g = group_0;
#pragma omp simd
    for (long l = 0; l < 64; ++l) {
      const long item = l;
      float own;
      own = x[64 * g + l];
      t[l] = own;
      own_items[item] = own;
    }
#pragma omp simd
    for (long l = 0; l < 64; ++l) {
      const long item = l;
      float own = own_items[item];
      y[64 * g + l] = own + t[63 - l];
    }
  }
)"));
}

TEST(HostText, LargeAndUnknownLocalMemoryIsNotOnTheStack) {
  EXPECT_THAT(
      host_of(
          "allocate t: local f32[100000]; for l in local(0) [0, N) step 1 { t[l] = x[l]; } barrier(local);"
          " for m in local(0) [0, N) step 1 { y[m] = t[m]; }"),
      HasSubstr("alignas(64) static thread_local float t[100000];"));
  EXPECT_THAT(
      host_of("allocate t: local f32[N]; for l in local(0) [0, N) step 1 { t[l] = x[l]; } barrier(local);"
              " for m in local(0) [0, N) step 1 { y[m] = t[m]; }"),
      HasSubstr("  std::vector<float> t_memory(N);\n  float* const t = t_memory.data();\n"));
}

TEST(HostText, RefusesNamesOfTheLibrary) {
  loop::Plan plan =
      parsed(one_kernel(array_declarations, array_parameters, "global [N, 1, 1] local [64, 1, 1]", ""));
  plan.kernels.at(0).name = "exp";
  const auto text = host(plan);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, ErrorKind::Unsupported);
  EXPECT_THAT(text.error().render(), HasSubstr("a kernel cannot have the name exp"));
}

}  // namespace
}  // namespace hoist::codegen
