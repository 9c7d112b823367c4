kernel __attribute__((reqd_work_group_size(32, 4, 1)))
void jacobi2d5(const global float* restrict u, global float* restrict out, const int H, const int W) {
  const int g = get_global_id(1);
  if (g < H) {
    const int g_1 = get_global_id(0);
    if (g_1 < W) {
      out[W * g + g_1] = 0.2f * (u[W * g + g_1] + u[W * max(g - 1, 0) + g_1] + u[W * min(g + 1, H - 1) + g_1] + u[W * g + max(g_1 - 1, 0)] + u[W * g + min(g_1 + 1, W - 1)]);
    }
  }
}
