// Stars of three dimensions written by hand, whose planes stream through a group, beside what `hoist tune`
// finds (docs/stencils.md, "What bounds those far below the roof"): whether the space lacks this way.
//
//     nvcc -O3 -std=c++17 -arch=sm_90 bench/streamed_star.cu -o streamed_star && ./streamed_star
//
// One result of 256^3 floats from an input padded by the radius. Times are medians of 20 runs in
// microseconds, with what is in L2 overwritten before each (cold) and without (warm); every third row of
// every fifth plane is checked.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>
constexpr int N = 256;
__constant__ float cw[3][11];  ///< weights along z, y and x
__device__ __forceinline__ void copy4(float* to, const float* from) {
  unsigned s = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(s), "l"(from));
}
/// A ring of R + 1 + S planes in shared memory, filled by asynchronous copies S planes ahead; each thread has
/// the 2R + 1 elements along z of its column in registers. TX threads in x and TY in y, of NY rows side by
/// side each; a group walks along ZC planes.
template <int R, int TX, int TY, int NY, int ZC, int S>
__global__ void __launch_bounds__(TX* TY) kernel(const float* __restrict__ in, float* __restrict__ out) {
  constexpr int P = N + 2 * R, BX = TX, BY = TY * NY, SX = BX + 2 * R, SY = BY + 2 * R;
  constexpr int RING = R + 1 + S;
  extern __shared__ float ring[];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * TX + tx;
  const int x0 = blockIdx.x * BX, y0 = blockIdx.y * BY, z0 = blockIdx.z * ZC;
  const float* base = in + ((size_t)z0 * P + y0) * P + x0;
  auto load = [&](int p, int slot) {  // plane p of the chunk's ZC + 2R
    const float* plane = base + (size_t)p * P * P;
    float* to = ring + slot * (SX * SY);
#pragma unroll
    for (int i = 0; i < (SX * SY + TX * TY - 1) / (TX * TY); i++) {
      int e = i * TX * TY + t;
      if (e < SX * SY) {
        int r = e / SX, c = e - r * SX;
        copy4(to + e, plane + r * P + c);
      }
    }
  };
  float q[NY][2 * R + 1];
  const int own = (ty * NY + R) * SX + tx + R;
  // The first 2R planes: centres to registers; those of which neighbours are needed go to the ring later.
#pragma unroll
  for (int p = 0; p < R; p++)
#pragma unroll
    for (int n = 0; n < NY; n++) q[n][p + 1] = base[(size_t)p * P * P + (ty * NY + n + R) * P + tx + R];
#pragma unroll
  for (int p = R; p < 2 * R + S; p++) {
    load(p, p % RING);
    asm volatile("cp.async.commit_group;");
  }
  int slot_new = (2 * R) % RING, slot_mid = R % RING, slot_load = (2 * R + S) % RING;
  asm volatile("cp.async.wait_group %0;" ::"n"(S));
  __syncthreads();
#pragma unroll
  for (int p = R; p < 2 * R; p++)
#pragma unroll
    for (int n = 0; n < NY; n++) q[n][p + 1] = ring[(p % RING) * (SX * SY) + own + n * SX];
#pragma unroll 1
  for (int k = 0; k < ZC; k++) {
    asm volatile("cp.async.wait_group %0;" ::"n"(S - 1));
    __syncthreads();
    if (2 * R + S + k < ZC + 2 * R) load(2 * R + S + k, slot_load);
    asm volatile("cp.async.commit_group;");
    const float* fresh = ring + slot_new * (SX * SY) + own;
    const float* mid = ring + slot_mid * (SX * SY) + own;
#pragma unroll
    for (int n = 0; n < NY; n++) {
#pragma unroll
      for (int i = 0; i < 2 * R; i++) q[n][i] = q[n][i + 1];
      q[n][2 * R] = fresh[n * SX];
    }
    float col[NY + 2 * R];
#pragma unroll
    for (int j = 0; j < NY + 2 * R; j++)
      col[j] = (j >= R && j < R + NY) ? q[j - R < 0 ? 0 : (j - R >= NY ? 0 : j - R)][R] : mid[(j - R) * SX];
#pragma unroll
    for (int n = 0; n < NY; n++) {
      float s = 0;
#pragma unroll
      for (int i = 0; i <= 2 * R; i++) s = fmaf(cw[0][i], q[n][i], s);
#pragma unroll
      for (int i = 0; i <= 2 * R; i++)
        if (i != R) s = fmaf(cw[1][i], col[n + i], s);
#pragma unroll
      for (int i = 0; i <= 2 * R; i++)
        if (i != R) s = fmaf(cw[2][i], mid[n * SX + i - R], s);
      out[((size_t)(z0 + k) * N + y0 + ty * NY + n) * N + x0 + tx] = s;
    }
    slot_new = slot_new + 1 == RING ? 0 : slot_new + 1;
    slot_mid = slot_mid + 1 == RING ? 0 : slot_mid + 1;
    slot_load = slot_load + 1 == RING ? 0 : slot_load + 1;
  }
}
/// The same without shared memory: neighbours in the plane are read from L1.
template <int R, int TX, int TY, int NY, int ZC>
__global__ void __launch_bounds__(TX* TY) registers(const float* __restrict__ in, float* __restrict__ out) {
  constexpr int P = N + 2 * R;
  const int x = blockIdx.x * TX + threadIdx.x, y = (blockIdx.y * TY + threadIdx.y) * NY, z0 = blockIdx.z * ZC;
  const float* at = in + ((size_t)z0 * P + y + R) * P + x + R;
  float q[NY][2 * R + 1];
#pragma unroll
  for (int p = 0; p < 2 * R; p++)
#pragma unroll
    for (int n = 0; n < NY; n++) q[n][p + 1] = at[(size_t)p * P * P + n * P];
#pragma unroll 2
  for (int k = 0; k < ZC; k++) {
    const float* mid = at + (size_t)(k + R) * P * P;
#pragma unroll
    for (int n = 0; n < NY; n++) {
#pragma unroll
      for (int i = 0; i < 2 * R; i++) q[n][i] = q[n][i + 1];
      q[n][2 * R] = mid[(size_t)R * P * P + n * P];
    }
    float col[NY + 2 * R];
#pragma unroll
    for (int j = 0; j < NY + 2 * R; j++)
      col[j] = (j >= R && j < R + NY) ? q[j - R < 0 ? 0 : (j - R >= NY ? 0 : j - R)][R] : mid[(j - R) * P];
#pragma unroll
    for (int n = 0; n < NY; n++) {
      float s = 0;
#pragma unroll
      for (int i = 0; i <= 2 * R; i++) s = fmaf(cw[0][i], q[n][i], s);
#pragma unroll
      for (int i = 0; i <= 2 * R; i++)
        if (i != R) s = fmaf(cw[1][i], col[n + i], s);
#pragma unroll
      for (int i = 0; i <= 2 * R; i++)
        if (i != R) s = fmaf(cw[2][i], mid[n * P + i - R], s);
      out[((size_t)(z0 + k) * N + y + n) * N + x] = s;
    }
  }
}
#define CHECK(e)                                     \
  do {                                               \
    cudaError_t c = (e);                             \
    if (c != cudaSuccess) {                          \
      printf("%s: %s\n", #e, cudaGetErrorString(c)); \
      exit(1);                                       \
    }                                                \
  } while (0)
float hw[3][11];  ///< the same on the host
template <int R>
struct Bench {
  float *in, *out, *flush;
  std::vector<float> h, expect;
  static constexpr int P = N + 2 * R;
  Bench() {
    h.resize((size_t)P * P * P);
    unsigned s = 1;
    for (auto& v : h) {
      s = s * 1664525u + 1013904223u;
      v = (s >> 8) / 16777216.f - .5f;
    }
    CHECK(cudaMalloc(&in, h.size() * 4));
    CHECK(cudaMalloc(&out, (size_t)N * N * N * 4));
    CHECK(cudaMemcpy(in, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&flush, 256 << 20));
    for (int a = 0; a < 3; a++)
      for (int i = 0; i < 11; i++) hw[a][i] = 0.01f * (a * 11 + i + 1);
    CHECK(cudaMemcpyToSymbol(cw, hw, sizeof hw));
  }
  template <class F>
  void run(const char* name, F launch, bool is_star = true) {
    CHECK(cudaMemset(out, 0xff, (size_t)N * N * N * 4));
    launch();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<float> got((size_t)N * N * N);
    CHECK(cudaMemcpy(got.data(), out, got.size() * 4, cudaMemcpyDeviceToHost));
    double worst = 0;
    for (int z = 0; z < N; z += 5)
      for (int y = 0; y < N; y += 3)
        for (int x = 0; x < N; x++) {
          double e = 0;
          auto at = [&](int dz, int dy, int dx) {
            return (double)h[((size_t)(z + R + dz) * P + y + R + dy) * P + x + R + dx];
          };
          for (int i = -R; i <= R; i++) e += hw[0][i + R] * at(i, 0, 0);
          for (int i = -R; i <= R; i++)
            if (i) e += hw[1][i + R] * at(0, i, 0) + hw[2][i + R] * at(0, 0, i);
          worst = std::max(worst, std::fabs(e - got[((size_t)z * N + y) * N + x]));
        }
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    std::vector<float> t;
    for (int i = 0; i < 20; i++) {
      cudaMemsetAsync(flush, i, 256 << 20);
      cudaEventRecord(a);
      launch();
      cudaEventRecord(b);
      cudaEventSynchronize(b);
      float ms;
      cudaEventElapsedTime(&ms, a, b);
      t.push_back(ms * 1000);
    }
    std::sort(t.begin(), t.end());
    std::vector<float> u;
    for (int i = 0; i < 20; i++) {
      cudaEventRecord(a);
      launch();
      cudaEventRecord(b);
      cudaEventSynchronize(b);
      float ms;
      cudaEventElapsedTime(&ms, a, b);
      u.push_back(ms * 1000);
    }
    std::sort(u.begin(), u.end());
    printf("R=%d %-28s cold %.1f warm %.1f us%s\n", R, name, t[10], u[10],
           !is_star || worst < 1e-4 ? "" : " WRONG");
  }
  template <int TX, int TY, int NY, int ZC, int S>
  void ring() {
    char n[64];
    sprintf(n, "ring %dx%d rows %d z %d S %d", TX, TY, NY, ZC, S);
    int bytes = (R + 1 + S) * (TX + 2 * R) * (TY * NY + 2 * R) * 4;
    CHECK(cudaFuncSetAttribute(kernel<R, TX, TY, NY, ZC, S>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               bytes));
    run(n, [&] {
      kernel<R, TX, TY, NY, ZC, S><<<dim3(N / TX, N / (TY * NY), N / ZC), dim3(TX, TY), bytes>>>(in, out);
    });
  }
  template <int TX, int TY, int NY, int ZC>
  void regs() {
    char n[64];
    sprintf(n, "registers %dx%d rows %d z %d", TX, TY, NY, ZC);
    run(n, [&] {
      registers<R, TX, TY, NY, ZC><<<dim3(N / TX, N / (TY * NY), N / ZC), dim3(TX, TY)>>>(in, out);
    });
  }
  void all() {
    run(
        "copy", [&] { cudaMemcpyAsync(out, in, (size_t)N * N * N * 4, cudaMemcpyDeviceToDevice); }, false);
    ring<32, 8, 2, 32, 2>();
    ring<32, 8, 2, 64, 2>();
    ring<32, 8, 4, 32, 2>();
    ring<32, 8, 4, 64, 2>();
    ring<32, 8, 4, 64, 1>();
    ring<64, 4, 4, 32, 2>();
    ring<64, 4, 4, 64, 2>();
    ring<64, 4, 4, 64, 3>();
    ring<64, 8, 2, 64, 2>();
    ring<64, 8, 4, 64, 2>();
    ring<64, 4, 8, 64, 2>();
    ring<128, 2, 4, 32, 2>();
    ring<128, 2, 8, 32, 2>();
    ring<128, 2, 8, 64, 2>();
    ring<128, 4, 4, 64, 2>();
    ring<64, 4, 4, 128, 2>();
    ring<32, 4, 4, 32, 2>();
    ring<32, 4, 4, 64, 2>();
    ring<64, 8, 1, 64, 2>();
    regs<32, 4, 4, 32>();
    regs<32, 4, 4, 64>();
    regs<64, 4, 4, 32>();
    regs<64, 4, 2, 32>();
    regs<64, 2, 4, 32>();
    regs<128, 1, 4, 32>();
    regs<128, 2, 4, 32>();
    regs<64, 4, 1, 32>();
    regs<128, 2, 2, 64>();
    regs<32, 8, 2, 32>();
  }
};
int main() {
  {
    Bench<5> b;
    b.all();
  }
  {
    Bench<3> b;
    b.all();
  }
  {
    Bench<1> b;
    b.run(
        "copy", [&] { cudaMemcpyAsync(b.out, b.in, (size_t)N * N * N * 4, cudaMemcpyDeviceToDevice); },
        false);
    b.ring<64, 4, 4, 64, 2>();
    b.ring<64, 4, 4, 32, 2>();
    b.regs<64, 4, 4, 32>();
    b.regs<128, 2, 4, 32>();
  }
}
