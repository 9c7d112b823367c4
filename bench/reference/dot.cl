// The inner product in two kernels: GROUPS groups of 256 work-items add up vectors of four, strided so that reads are
// coalesced; one group adds up what they leave. N: a multiple of 4.
INLINE float in_group(const float sum, LOCAL_POINTER float* sums) {
  const int l = LOCAL_X;
  sums[l] = sum;
  BARRIER();
  for (int stride = 128; stride > 0; stride /= 2) {
    if (l < stride) sums[l] += sums[l + stride];
    BARRIER();
  }
  return sums[0];
}

KERNEL(256, 1)
partial(GLOBAL const float4* RESTRICT x, GLOBAL const float4* RESTRICT y, GLOBAL float* RESTRICT partial_sums,
        GLOBAL float* RESTRICT out) {
  LOCAL float sums[256];
  float4 sum = SPLAT(0.0f);
#pragma unroll 4
  for (int i = GLOBAL_X; i < N / 4; i += GROUPS * 256) sum = sum + x[i] * y[i];
  const float result = in_group(sum.x + sum.y + (sum.z + sum.w), sums);
  if (LOCAL_X == 0) partial_sums[GROUP_X] = result;
}

KERNEL(256, 1)
total(GLOBAL const float4* RESTRICT x, GLOBAL const float4* RESTRICT y, GLOBAL const float* RESTRICT partial_sums,
      GLOBAL float* RESTRICT out) {
  LOCAL float sums[256];
  float sum = 0.0f;
  for (int i = LOCAL_X; i < GROUPS; i += 256) sum += partial_sums[i];
  const float result = in_group(sum, sums);
  if (LOCAL_X == 0) out[0] = result;
}
