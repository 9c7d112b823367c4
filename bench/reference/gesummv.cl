// alpha A x + beta B x in the manner of CLBlast: as gemv.cl, a group of 128 work-items for a row of both matrices, with
// pairs of sums.
KERNEL(128, 1)
gesummv(const float alpha, GLOBAL const float* RESTRICT A, const float beta, GLOBAL const float* RESTRICT B,
        GLOBAL const float* RESTRICT x, GLOBAL float* RESTRICT out) {
  LOCAL float sums_a[128], sums_b[128];
  const int l = LOCAL_X;
  const int row = GROUP_X;
  GLOBAL const float* RESTRICT line_a = A + row * N;
  GLOBAL const float* RESTRICT line_b = B + row * N;
  float a = 0.0f, b = 0.0f;
#pragma unroll 8
  for (int i = 0; i < N; i += 128) {
    const float xi = x[i + l];
    a += line_a[i + l] * xi;
    b += line_b[i + l] * xi;
  }
  sums_a[l] = a;
  sums_b[l] = b;
  BARRIER();
  for (int stride = 64; stride > 0; stride /= 2) {
    if (l < stride) {
      sums_a[l] += sums_a[l + stride];
      sums_b[l] += sums_b[l + stride];
    }
    BARRIER();
  }
  if (l == 0) out[row] = alpha * sums_a[0] + beta * sums_b[0];
}
