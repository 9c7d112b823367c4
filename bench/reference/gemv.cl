// alpha A x + beta y in the manner of CLBlast: a group of 128 work-items takes a row; work-item l adds up the products at
// l, l + 128, ..., and seven halving steps in local memory add the sums.
KERNEL(128, 1)
gemv(const float alpha, GLOBAL const float* RESTRICT A, GLOBAL const float* RESTRICT x, const float beta,
     GLOBAL const float* RESTRICT y, GLOBAL float* RESTRICT out) {
  LOCAL float sums[128];
  const int l = LOCAL_X;
  const int row = GROUP_X;
  GLOBAL const float* RESTRICT line = A + row * N;
  float sum = 0.0f;
#pragma unroll 8
  for (int i = 0; i < N; i += 128) sum += line[i + l] * x[i + l];
  sums[l] = sum;
  BARRIER();
  for (int stride = 64; stride > 0; stride /= 2) {
    if (l < stride) sums[l] += sums[l + stride];
    BARRIER();
  }
  if (l == 0) out[row] = alpha * sums[0] + beta * y[row];
}
