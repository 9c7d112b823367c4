// A^T B in the manner of CLBlast with its parameters for AMD GPUs: no local memory; a work-item makes 8 x 4 elements, the
// columns as one vector, from eight elements of A and one vector of B a step of K. In a group's tile of 64 x 64 a warp
// covers two of the eight rows of work-items, so that it reads little more than it needs.
KERNEL(16, 8)
matmul(GLOBAL const float4* RESTRICT A, GLOBAL const float4* RESTRICT B, GLOBAL float4* RESTRICT C) {
  const int column = GLOBAL_X, row = GLOBAL_Y;
  if (column >= N / 4 || row >= M / 8) return;
  float4 sums[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) sums[i] = SPLAT(0.0f);
#pragma unroll 8
  for (int k = 0; k < K; ++k) {
    const float4 upper = A[k * (M / 4) + 2 * row];
    const float4 lower = A[k * (M / 4) + 2 * row + 1];
    const float4 b = B[k * (N / 4) + column];
    sums[0] = sums[0] + upper.x * b;
    sums[1] = sums[1] + upper.y * b;
    sums[2] = sums[2] + upper.z * b;
    sums[3] = sums[3] + upper.w * b;
    sums[4] = sums[4] + lower.x * b;
    sums[5] = sums[5] + lower.y * b;
    sums[6] = sums[6] + lower.z * b;
    sums[7] = sums[7] + lower.w * b;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) C[(8 * row + i) * (N / 4) + column] = sums[i];
}
