kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void transposeGather(const global float* restrict A, global float* restrict out, const int H, const int W) {
  const int wg = get_group_id(0);
  for (int l = get_local_id(0); l < H; l += 64) {
    out[H * wg + l] = A[W * l + wg];
  }
}
