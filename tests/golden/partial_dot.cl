kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void partialDot(const global float* restrict x, const global float* restrict y, global float* restrict out,
                const int N) {
  local float tile[64] __attribute__((aligned(16)));
  local float odd[32] __attribute__((aligned(16)));
  const int wg = get_group_id(0);
  const int l = get_local_id(0);
  float acc = 0.0f;
#pragma unroll 2
  for (int i = 0; i < 2; ++i) {
    acc += x[128 * wg + 2 * l + i] * y[128 * wg + 2 * l + i];
  }
  tile[l] = acc;
  local float* from = tile;
  local float* to = odd;
  for (int it = 0; it < 6; ++it) {
    const int size = 64 >> it;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int l_1 = get_local_id(0);
    if (l_1 < size / 2) {
      float acc_1 = 0.0f;
#pragma unroll 2
      for (int i_1 = 0; i_1 < 2; ++i_1) {
        acc_1 += from[2 * l_1 + i_1];
      }
      to[l_1] = acc_1;
    }
    local float* swapped = from;
    from = to;
    to = swapped;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int l_2 = get_local_id(0);
  if (l_2 < 1) {
    out[wg] = from[0];
  }
}
