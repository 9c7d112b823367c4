// A^T B in the manner of CLBlast with its parameters for NVIDIA GPUs: groups of 16 x 16 work-items make tiles of 64 x 64.
// Tiles of 16 steps of K of both matrices are copied to local memory, a vector of each a work-item; a work-item adds up
// 4 x 4 elements in registers, a row being one vector.
KERNEL(16, 16)
matmul(GLOBAL const float4* RESTRICT A, GLOBAL const float4* RESTRICT B, GLOBAL float4* RESTRICT C) {
  LOCAL float4 a[16][16], b[16][16];
  const int x = LOCAL_X, y = LOCAL_Y;
  const int column = GLOBAL_X, rows = GROUP_Y * 16;
  float4 sums[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) sums[i] = SPLAT(0.0f);
  for (int tile = 0; tile < K; tile += 16) {
    a[y][x] = A[(tile + y) * (M / 4) + rows + x];
    b[y][x] = B[(tile + y) * (N / 4) + column];
    BARRIER();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float4 ak = a[k][y];
      const float4 bk = b[k][x];
      sums[0] = sums[0] + ak.x * bk;
      sums[1] = sums[1] + ak.y * bk;
      sums[2] = sums[2] + ak.z * bk;
      sums[3] = sums[3] + ak.w * bk;
    }
    BARRIER();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) C[(4 * (rows + y) + i) * (N / 4) + column] = sums[i];
}
