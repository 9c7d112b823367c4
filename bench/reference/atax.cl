// A^T (A x) in the manner of CLBlast's matrix-vector kernels. The first is that of gemv.cl; in the second a group of 128
// work-items takes 128 columns, one each, and walks down the rows, 128 elements of A x at a time in local memory.
KERNEL(128, 1)
a_times_x(GLOBAL const float* RESTRICT A, GLOBAL const float* RESTRICT x, GLOBAL float* RESTRICT ax,
          GLOBAL float* RESTRICT out) {
  LOCAL float sums[128];
  const int l = LOCAL_X;
  GLOBAL const float* RESTRICT line = A + GROUP_X * N;
  float sum = 0.0f;
#pragma unroll 8
  for (int i = 0; i < N; i += 128) sum += line[i + l] * x[i + l];
  sums[l] = sum;
  BARRIER();
  for (int stride = 64; stride > 0; stride /= 2) {
    if (l < stride) sums[l] += sums[l + stride];
    BARRIER();
  }
  if (l == 0) ax[GROUP_X] = sums[0];
}

KERNEL(128, 1)
transposed_times_ax(GLOBAL const float* RESTRICT A, GLOBAL const float* RESTRICT x, GLOBAL const float* RESTRICT ax,
                    GLOBAL float* RESTRICT out) {
  LOCAL float held[128];
  const int l = LOCAL_X;
  const int column = GLOBAL_X;
  float sum = 0.0f;
  for (int tile = 0; tile < M; tile += 128) {
    held[l] = ax[tile + l];
    BARRIER();
#pragma unroll 32
    for (int i = 0; i < 128; ++i) sum += A[(tile + i) * N + column] * held[i];
    BARRIER();
  }
  out[column] = sum;
}
