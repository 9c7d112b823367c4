kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void mmNvidia(const global float* restrict A, const global float* restrict B, global float* restrict out,
              const int K, const int M, const int N) {
  local float tile[1024] __attribute__((aligned(16)));
  local float tile_1[1024] __attribute__((aligned(16)));
  const int wg = get_group_id(1);
  const int wg_1 = get_group_id(0);
  float4 reg_0;
  float4 reg_3;
  float4 reg_4;
  float4 reg_5;
  const float4 v = (float4)(0.0f);
  const int l = get_local_id(1);
  const int l_1 = get_local_id(0);
  reg_0 = v;
  reg_3 = v;
  reg_4 = v;
  reg_5 = v;
  for (int k = 0; k < K / 16; ++k) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const int l_2 = get_local_id(1);
    const int l_3 = get_local_id(0);
    ((local float4*)tile)[16 * l_2 + l_3] = vload4(0, A + 16 * M * k + M * l_2 + 64 * wg + 4 * l_3);
    const int l_4 = get_local_id(1);
    const int l_5 = get_local_id(0);
    ((local float4*)tile_1)[16 * l_4 + l_5] = vload4(0, B + 16 * N * k + N * l_4 + 64 * wg_1 + 4 * l_5);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int l_6 = get_local_id(1);
    const int l_7 = get_local_id(0);
#pragma unroll 16
    for (int k_1 = 0; k_1 < 16; ++k_1) {
      float4 reg_1_0;
      const float4 v_1 = ((local float4*)tile)[16 * k_1 + l_6];
      reg_1_0 = v_1;
      float4 reg_2_0;
      const float4 v_2 = ((local float4*)tile_1)[16 * k_1 + l_7];
      reg_2_0 = v_2;
      reg_0 += reg_1_0.s0 * reg_2_0;
      reg_3 += reg_1_0.s1 * reg_2_0;
      reg_4 += reg_1_0.s2 * reg_2_0;
      reg_5 += reg_1_0.s3 * reg_2_0;
    }
  }
  const int l_8 = get_local_id(1);
  const int l_9 = get_local_id(0);
  ((global float4*)out)[16 * N * wg + N * l_8 + 16 * wg_1 + l_9] = reg_0;
  vstore4(reg_3, 0, out + 64 * N * wg + 4 * N * l_8 + 64 * wg_1 + 4 * l_9 + N);
  vstore4(reg_4, 0, out + 64 * N * wg + 4 * N * l_8 + 64 * wg_1 + 4 * l_9 + 2 * N);
  vstore4(reg_5, 0, out + 64 * N * wg + 4 * N * l_8 + 64 * wg_1 + 4 * l_9 + 3 * N);
}
