// Whole kernels: what was printed, run on every device here, computes what the interpreter of loop IR does.
#include <cmath>
#include <limits>

#include "base/atomic_update.hpp"
#include "unit/codegen/support.hpp"

namespace hoist::codegen {
namespace {

/// Runs a plan in the interpreter, which must find no fault, and on every device, and compares f32 outputs.
struct Comparison {
  arith::Bindings sizes;
  std::map<std::string, ScalarValue> scalars;
  loop::Memory inputs;
  std::vector<std::string> texts;  // by device

  Comparison& bind(const std::string& size, std::int64_t value) {
    sizes[arith::size(size).get()] = value;
    return *this;
  }
  Comparison& scalar(const std::string& name, const ScalarValue& value) {
    scalars[name] = value;
    return *this;
  }
  template <class Element>
  Comparison& input(const std::string& name, const std::vector<Element>& elements) {
    inputs[name] = bytes_of(elements);
    return *this;
  }

  void holds(const std::string& text, bool is_checked = true) {
    const loop::Plan plan = parsed(text);
    if (is_checked) {
      const Result<void> checked = loop::check(plan);
      ASSERT_TRUE(checked) << checked.error().render();
    }
    loop::Memory expected = inputs;
    const auto report = loop::interpret(plan, sizes, scalars, expected);
    ASSERT_TRUE(report) << report.error().render();
    ASSERT_THAT(report->faults, testing::IsEmpty());
    for (const std::string& id : devices()) {
      SCOPED_TRACE(id);
      loop::Memory memory = inputs;
      Execution execution(id, plan, sizes, scalars);
      execution.run(memory);
      SCOPED_TRACE(execution.text());
      for (const loop::BufferPtr& output : plan.outputs)
        compare(*output, expected[output->name], memory[output->name]);
      texts.push_back(execution.text());
    }
  }

  static void compare(const loop::Buffer& buffer, const std::vector<std::byte>& expected,
                      const std::vector<std::byte>& actual) {
    ASSERT_EQ(expected.size(), actual.size());
    const Scalar type = buffer.type.scalar;
    for (std::size_t at = 0; at < expected.size() / size_of(type); ++at) {
      const ScalarValue want = load_scalar(expected.data(), type, at),
                        got = load_scalar(actual.data(), type, at);
      if (is_float(type)) {
        ASSERT_NEAR(want.real, got.real, 1e-5 * (1 + std::fabs(want.real)))
            << buffer.name << "[" << at << "]";
      } else {
        ASSERT_EQ(want.integer, got.integer) << buffer.name << "[" << at << "]";
      }
    }
  }
};

std::vector<float> floats(std::size_t count) {
  std::vector<float> elements(count);
  for (std::size_t at = 0; at < count; ++at) elements[at] = 0.25F * static_cast<float>(at * 7 % 19) - 1.5F;
  return elements;
}

TEST(Kernels, ScaleOverAGridStrideLoop) {
  const auto text = one_kernel("size N; input x: global f32[N]; input a: f32; output y: global f32[N];",
                               "read x: global f32[N], write y: global f32[N], scalar a: f32, size N",
                               "global [256, 1, 1] local [64, 1, 1]",
                               "for i in global(0) [0, N) step 1 { y[i] = a * x[i]; }");
  Comparison()
      .bind("N", 1000)
      .input("x", floats(1000))
      .scalar("a", ScalarValue::of_real(Scalar::F32, 2.5))
      .holds(text);
}

TEST(Kernels, TiledMatrixMultiplication) {
  const auto text = one_kernel(
      "size M; size N; size K; input A: global f32[M * K]; input B: global f32[K * N]; "
      "output C: global f32[M * N]; assume (M % 4 == 0) \"4\"; assume (N % 8 == 0) \"8\"; assume (K % 8 == "
      "0) \"8\";",
      "read A: global f32[M * K], read B: global f32[K * N], write C: global f32[M * N], size M, size N, "
      "size K",
      "global [N, M, 1] local [8, 4, 1]", R"(
      for gi in group(1) [0, exactdiv(M, 4)) step 1 : exactly_once {
        for gj in group(0) [0, exactdiv(N, 8)) step 1 : exactly_once {
          allocate tileA: local f32[32];
          allocate tileB: local f32[64];
          for li in local(1) [0, 4) step 1 : exactly_once {
            for lj in local(0) [0, 8) step 1 : exactly_once {
              var sum: f32 = 0.0;
              for kt in sequential [0, exactdiv(K, 8)) step 1 {
                tileA[8 * li + lj] = A[(4 * gi + li) * K + 8 * kt + lj];
                for r in sequential [0, 2) step 1 {
                  tileB[8 * (li + 4 * r) + lj] = B[(8 * kt + li + 4 * r) * N + 8 * gj + lj];
                }
                barrier(local);
                for k in sequential [0, 8) step 1 { sum = sum + tileA[8 * li + k] * tileB[8 * k + lj]; }
                barrier(local);
              }
              C[(4 * gi + li) * N + 8 * gj + lj] = sum;
            }
          }
        }
      })");
  Comparison()
      .bind("M", 12)
      .bind("N", 16)
      .bind("K", 24)
      .input("A", floats(12 * 24))
      .input("B", floats(24 * 16))
      .holds(text);
}

/// Every operation that combines with what is in memory, in local memory and then by several groups in global
/// memory.
TEST(Kernels, AtomicUpdates) {
  constexpr Scalar types[] = {Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64, Scalar::F32, Scalar::F64};
  constexpr ScalarOp operations[] = {ScalarOp::Add,     ScalarOp::Multiply, ScalarOp::Minimum,
                                     ScalarOp::Maximum, ScalarOp::BitAnd,   ScalarOp::BitOr,
                                     ScalarOp::BitXor};
  for (const Scalar type : types) {
    for (const ScalarOp op : operations) {
      // Unsigned numbers differ from signed ones only in their order.
      const bool has_order = op == ScalarOp::Minimum || op == ScalarOp::Maximum;
      if (!is_atomic_update(op, type) || (!is_float(type) && !is_signed(type) && !has_order)) continue;
      SCOPED_TRACE(fmt::format("{} of {}", info(op).name, name_of(type)));
      const std::string text = fmt::format(R"(plan p {{
  input x: global {0}[64]; output y: global {0}[2];
  kernel start(read x: global {0}[64], write y: global {0}[2]) launch global [2, 1, 1] local [1, 1, 1] index i32 {{
    for g in global(0) [0, 2) step 1 : exactly_once {{ y[g] = x[g + 7]; }}
  }}
  kernel k(read x: global {0}[64], write y: global {0}[2]) launch global [64, 1, 1] local [16, 1, 1] index i32 {{
    for g in group(0) [0, 4) step 1 : exactly_once {{
      allocate t: local {0}[2];
      for l in local(0) [0, 16) step 1 : exactly_once {{ if (test(l < 2)) {{ t[l] = x[16*g + l]; }} }}
      barrier(local);
      for m in local(0) [0, 16) step 1 : exactly_once {{ atomic({1}) t[m % 2] = x[16*g + m]; }}
      barrier(local);
      for n in local(0) [0, 16) step 1 : exactly_once {{ if (test(n < 2)) {{ atomic({1}) y[n] = t[n]; }} }}
    }}
  }}
  steps {{ launch start; launch k; }}
}}
)",
                                           name_of(type), info(op).name);
      Comparison comparison;
      std::vector<std::byte> x(64 * size_of(type));
      for (std::size_t at = 0; at < 64; ++at) {
        const auto number = static_cast<std::int64_t>(at * 37 % 101);
        const bool is_real = is_float(type);
        store_scalar(x.data(), at,
                     is_real ? ScalarValue::of_real(type, 0.75 + 0.005 * static_cast<double>(number))
                             : ScalarValue::of_integer(type, is_signed(type) ? number - 40 : number));
      }
      comparison.inputs["x"] = x;
      comparison.holds(text);
    }
  }
}

// A loop over groups of one work-item that could run in blocks, but for the memory that each group has.
TEST(Kernels, GroupsOfOneWithLocalMemory) {
  const auto text =
      one_kernel("input A: global f32[20]; output C: global f32[4];",
                 "read A: global f32[20], write C: global f32[4]", "global [4, 1, 1] local [1, 1, 1]", R"(
      for g in group(0) [0, 4) step 1 : exactly_once {
        allocate tile: local f32[1];
        var sum: f32 = 0.0;
        for k in sequential [0, 5) step 1 { sum = sum + A[4 * k + g]; }
        tile[0] = sum;
        C[g] = tile[0];
      })");
  Comparison().input("A", floats(20)).holds(text);
}

TEST(Kernels, StencilThroughLocalMemory) {
  const auto text = one_kernel("size N; input A: global f32[N]; output C: global f32[N];",
                               "read A: global f32[N], write C: global f32[N], size N",
                               "global [64, 1, 1] local [16, 1, 1]", R"(
      for g in group(0) [0, ceildiv(N, 16)) step 1 {
        allocate tile: local f32[18];
        for l in local(0) [0, 18) step 1 { tile[l] = A[max(min(16 * g + l - 1, N - 1), 0)]; }
        barrier(local);
        for m in local(0) [0, 16) step 1 : at_most_once {
          if (test(16 * g + m < N)) { C[16 * g + m] = tile[m] + tile[m + 1] + tile[m + 2]; }
        }
        barrier(local);
      })");
  Comparison().bind("N", 150).input("A", floats(150)).holds(text);
}

TEST(Kernels, TwoDimensionsWithLongIndices) {
  const auto text = one_kernel(
      "size M; size N; input A: global f32[M * N]; input K: global i32[N]; output C: global f32[M * N];",
      "read A: global f32[M * N], read K: global i32[N], write C: global f32[M * N], size M, size N",
      "global [32, 16, 1] local [8, 4, 1]", R"(
      for i in global(1) [0, M) step 1 : at_most_once {
        for j in global(0) [0, N) step 1 {
          let k: i32 index [0, N) = K[j];
          C[i * N + j] = A[i * N + k] + as_f32(index_i64(2 * k + min(j, 5)));
        }
      })",
      "i64");
  std::vector<std::int32_t> columns;
  for (int at = 0; at < 45; ++at) columns.push_back(at * 7 % 45);
  Comparison().bind("M", 13).bind("N", 45).input("A", floats(13 * 45)).input("K", columns).holds(text);
}

TEST(Kernels, VectorsInMemoryAndRegisters) {
  const auto text = one_kernel(
      "size N; input A: global f32[4 * N + 8]; output C: global f32[4 * N]; output D: global f32[4 * N];",
      "read A: global f32[4 * N + 8], write C: global f32[4 * N], write D: global f32[4 * N], size N",
      "global [64, 1, 1] local [16, 1, 1]", R"(
      for i in global(0) [0, N) step 1 {
        allocate row: private f32x4[8];
        allocate plain: private f32[8];
        row[0 +: 4] = A[4 * i +: 4];
        row[4 +: 4] = A[4 * i + 3 +: 4] * 2.0;
        row[5] = row[2] + 1.0;
        plain[0 +: 4] = row[0 +: 4];
        plain[4] = (row[4 +: 4]).s3;
        var total: f32 = plain[4];
        for j in sequential [0, 8) step 1 { total = total + row[j] * as_f32(index_i32(j)); }
        C[4 * i +: 4] = fma(row[0 +: 4], f32x4{0.5}, row[4 +: 4]);
        D[4 * i +: 4] = f32x4(total, row[1], plain[2], -0.5) + select(row[0 +: 4] < row[4 +: 4], f32x4{1.0}, f32x4{2.0});
      })");
  Comparison().bind("N", 33).input("A", floats(140)).holds(text);
}

TEST(Kernels, ExchangedPointersAcrossBarriers) {
  const auto text = one_kernel(
      "size N; input A: global f32[N]; output C: global f32[N]; assume (N % 16 == 0) \"16\";",
      "read A: global f32[N], write C: global f32[N], size N", "global [N, 1, 1] local [16, 1, 1]", R"(
      for g in group(0) [0, exactdiv(N, 16)) step 1 : exactly_once {
        allocate one: local f32[16];
        allocate other: local f32[16];
        alias from: local f32[16] = one;
        alias to: local f32[16] = other;
        for l in local(0) [0, 16) step 1 : exactly_once { from[l] = A[16 * g + l]; }
        barrier(local);
        for step in sequential [0, 5) step 1 {
          for m in local(0) [0, 16) step 1 : exactly_once {
            to[m] = 0.5 * (from[m] + from[(m + 1) % 16]);
          }
          barrier(local);
          swap(from, to);
        }
        for n in local(0) [0, 16) step 1 : exactly_once { C[16 * g + n] = from[n]; }
      })");
  Comparison().bind("N", 64).input("A", floats(64)).holds(text);
}

TEST(Kernels, PointersExchangedInsideWorkItems) {
  const auto text = one_kernel(
      "size N; input A: global f32[N]; output C: global f32[N]; assume (N % 16 == 0) \"16\";",
      "read A: global f32[N], write C: global f32[N], size N", "global [N, 1, 1] local [16, 1, 1]", R"(
      allocate one: local f32[16];
      allocate other: local f32[16];
      for g in group(0) [0, exactdiv(N, 16)) step 1 : exactly_once {
        for l in local(0) [0, 16) step 1 : exactly_once {
          alias from: local f32[16] = one;
          alias to: local f32[16] = other;
          allocate a: private f32[3];
          allocate b: private f32[3];
          alias p: private f32[3] = a;
          alias q: private f32[3] = b;
          p[0] = 1.0; p[1] = 2.0; p[2] = 3.0;
          q[0] = 4.0; q[1] = 5.0; q[2] = as_f32(index_i32(l));
          from[l] = A[16 * g + l];
          barrier(local);
          for step in sequential [0, 3) step 1 {
            to[l] = from[(l + 3) % 16] + p[step] + q[2];
            swap(p, q);
            barrier(local);
            swap(from, to);
          }
          C[16 * g + l] = from[l] + p[1];
        }
      })");
  Comparison().bind("N", 48).input("A", floats(48)).holds(text);
}

TEST(Kernels, PrivateStateAcrossLoopsOverWorkItems) {
  const auto text = one_kernel(
      "size N; input A: global f32[N]; output C: global f32[N]; assume (N % 32 == 0) \"32\";",
      "read A: global f32[N], write C: global f32[N], size N", "global [16, 1, 1] local [8, 1, 1]", R"(
      for g in group(0) [0, exactdiv(N, 32)) step 1 {
        allocate sums: private f32[4];
        allocate tile: local f32[32];
        for z in sequential [0, 4) step 1 { sums[z] = 0.0; }
        for round in sequential [0, 3) step 1 {
          for l in local(0) [0, 32) step 1 { tile[l] = A[32 * g + l] * as_f32(index_i32(round + 1)); }
          barrier(local);
          for m in local(0) [0, 32) step 1 { sums[m / 8] = sums[m / 8] + tile[31 - m]; }
          barrier(local);
        }
        for n in local(0) [0, 32) step 1 { C[32 * g + n] = sums[n / 8]; }
        barrier(local);
      })");
  Comparison().bind("N", 160).input("A", floats(160)).holds(text);
}

TEST(Kernels, BarriersUnderConditionsOfTheWholeGroup) {
  const auto text = one_kernel(
      "size N; input A: global f32[N]; input F: global bool[8]; output C: global f32[N]; assume (N % 16 == "
      "0) \"16\";",
      "read A: global f32[N], read F: global bool[8], write C: global f32[N], size N",
      "global [N, 1, 1] local [16, 1, 1]", R"(
      for g in group(0) [0, exactdiv(N, 16)) step 1 : exactly_once {
        allocate tile: local f32[16];
        let turns: bool = F[g % 8];
        for l in local(0) [0, 16) step 1 : exactly_once {
          var kept: f32 = A[16 * g + l];
          tile[l] = kept;
          barrier(local);
          if (turns && test(g < 5)) {
            kept = kept + tile[15 - l];
            barrier(local);
            tile[l] = kept * 2.0;
          } else {
            tile[l] = kept - 1.0;
          }
          barrier(local);
          C[16 * g + l] = tile[(l + 1) % 16] + kept;
        }
      })");
  Comparison()
      .bind("N", 128)
      .input("A", floats(128))
      .input("F", std::vector<std::uint8_t>{1, 0, 0, 1, 1, 0, 1, 1})
      .holds(text);
}

TEST(Kernels, TreeReductionWithShifts) {
  const auto text = one_kernel(
      "size N; input A: global f32[N]; output C: global f32[exactdiv(N, 32)]; assume (N % 32 == 0) \"32\";",
      "read A: global f32[N], write C: global f32[exactdiv(N, 32)], size N",
      "global [N, 1, 1] local [32, 1, 1]", R"(
      for g in group(0) [0, exactdiv(N, 32)) step 1 : exactly_once {
        allocate tile: local f32[32];
        for l in local(0) [0, 32) step 1 : exactly_once { tile[l] = A[32 * g + l]; }
        barrier(local);
        for s in sequential [0, 5) step 1 {
          for m in local(0) [0, exactdiv(16, 2 ** s)) step 1 : at_most_once {
            tile[m] = tile[m] + tile[m + exactdiv(16, 2 ** s)];
          }
          barrier(local);
        }
        for n in local(0) [0, 1) step 1 : at_most_once { C[g] = tile[0]; }
      })");
  Comparison().bind("N", 96).input("A", floats(96)).holds(text);
}

TEST(Kernels, StateOfAGroupOverItsIterations) {
  const auto text = one_kernel("size N; input A: global f32[N]; output C: global f32[4];",
                               "read A: global f32[N], write C: global f32[4], size N",
                               "global [32, 1, 1] local [8, 1, 1]", R"(
      allocate sum: local f32[1];
      var count: f32 = 0.0;
      for l in local(0) [0, 1) step 1 : at_most_once { sum[0] = 0.0; }
      barrier(local);
      for g in group(0) [0, N) step 1 {
        for m in local(0) [0, 1) step 1 : at_most_once { sum[0] = sum[0] + A[g]; }
        count = count + 1.0;
        barrier(local);
      }
      for q in group(0) [0, 4) step 1 : exactly_once {
        for n in local(0) [0, 1) step 1 : at_most_once { C[q] = sum[0] + count; }
      })");
  Comparison().bind("N", 30).input("A", floats(30)).holds(text);
}

TEST(Kernels, BoolsAndBytes) {
  const auto text = one_kernel(
      "size N; input A: global f32[N]; input B: global u8[N]; input f: bool; output C: global bool[N]; "
      "output D: global u8[N];",
      "read A: global f32[N], read B: global u8[N], scalar f: bool, write C: global bool[N], write D: global "
      "u8[N], size N",
      "global [64, 1, 1] local [16, 1, 1]", R"(
      for i in global(0) [0, N) step 1 {
        let sign: bool = A[i] < 0.0;
        var any: bool = sign || f;
        any = any && B[i] != 3u8;
        C[i] = any;
        D[i] = B[i] * 7u8 + select(C[i], 200u8, as_u8(sign)) - as_u8(A[i]);
      })");
  std::vector<std::uint8_t> bytes;
  for (int at = 0; at < 50; ++at) bytes.push_back(static_cast<std::uint8_t>(at * 37));
  for (bool flag : {false, true}) {
    Comparison()
        .bind("N", 50)
        .input("A", floats(50))
        .input("B", bytes)
        .scalar("f", ScalarValue::of_bool(flag))
        .holds(text);
  }
}

/// The host computes exponentials by itself: up to infinity, down to the numbers that are not normal, and 0.
TEST(Kernels, ExponentialsOnTheHost) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> x{0.0F,   -0.0F,  88.7F,   88.8F,   1000.0F,  infinity,
                       -87.3F, -95.5F, -103.9F, -105.0F, -infinity};
  for (int at = -1000; at < 880; ++at) x.push_back(0.1003F * static_cast<float>(at));
  x.push_back(std::nanf(""));
  const std::string count = std::to_string(x.size());
  const loop::Plan plan =
      parsed(one_kernel("input x: global f32[" + count + "]; output y: global f32[" + count + "];",
                        "read x: global f32[" + count + "], write y: global f32[" + count + "]",
                        "global [" + count + ", 1, 1] local [1, 1, 1]",
                        "for i in global(0) [0, " + count + ") step 1 { y[i] = exp(x[i]); }"));
  loop::Memory memory{{"x", bytes_of(x)}};
  Execution("host", plan, {}, {}).run(memory);
  const auto y = elements_of<float>(memory["y"]);
  for (std::size_t at = 0; at + 1 < x.size(); ++at) {
    const double exact = std::exp(static_cast<double>(x[at]));
    const auto nearest = static_cast<float>(exact);
    if (std::isinf(nearest)) {
      EXPECT_EQ(y[at], nearest) << x[at];
      continue;
    }
    const double unit = std::nextafterf(nearest, infinity) - nearest;
    EXPECT_NEAR(y[at], exact, 1.01 * unit) << x[at];
  }
  EXPECT_TRUE(std::isnan(y.back()));
}

TEST(Kernels, PlansOfSeveralSteps) {
  const std::string text = R"(plan p {
    size N;
    input A: global f32[N]; input a: f64;
    output C: global f32[N]; temporary T: global f32[N];
    kernel first(read A: global f32[N], write T: global f32[N], scalar a: f64, size N)
        launch global [64, 1, 1] local [16, 1, 1] index i32 {
      for i in global(0) [0, N) step 1 { T[i] = A[i] + as_f32(a / 2f64); }
    }
    kernel next(read T: global f32[N], write C: global f32[N], size N)
        launch global [64, 1, 1] local [16, 1, 1] index i32 {
      for j in global(0) [0, N) step 1 { C[j] = T[(j + 1) % N] * 0.5; }
    }
    steps { launch first; repeat (3) exchange T, C { launch next; } copy T to C; }
  })";
  Comparison()
      .bind("N", 50)
      .input("A", floats(50))
      .scalar("a", ScalarValue::of_real(Scalar::F64, 0.75))
      .holds(text);
}

TEST(Kernels, NamesThatTheTargetKeepsForItself) {
  const auto text = one_kernel(
      "size kernel_; size N; input float4: global f32[N]; input min: f32; output range: global f32[N];",
      "read float4: global f32[N], write range: global f32[N], scalar min: f32, size N",
      "global [64, 1, 1] local [16, 1, 1]", R"(
      for int in global(0) [0, N) step 1 {
        let arguments: f32 = float4[int];
        var local_0: f32 = max(arguments, min);
        range[int] = local_0;
      })");
  Comparison()
      .bind("N", 50)
      .bind("kernel_", 1)
      .input("float4", floats(50))
      .scalar("min", ScalarValue::of_real(Scalar::F32, 0.25))
      .holds(text);
}

}  // namespace
}  // namespace hoist::codegen
