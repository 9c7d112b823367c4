// Seven points in three dimensions, borders repeated: a work-item walks down PLANES planes with four elements, keeping
// the planes above, here and below in registers. W: a multiple of 4; any D and H.
KERNEL(32, 8)
jacobi(GLOBAL const float* RESTRICT u, GLOBAL float* RESTRICT out) {
  const int x = GLOBAL_X, y = GLOBAL_Y, first = PLANES * GROUP_Z;
  if (x >= W / 4 || y >= H) return;
  GLOBAL const float4* RESTRICT vectors = (GLOBAL const float4*)u;
  GLOBAL float4* RESTRICT out_vectors = (GLOBAL float4*)out;
  const int centre = y * (W / 4) + x;
  const int north = (y > 0 ? y - 1 : 0) * (W / 4) + x;
  const int south = (y + 1 < H ? y + 1 : H - 1) * (W / 4) + x;
  const int left = y * W + (x > 0 ? 4 * x - 1 : 0);
  const int right = y * W + (x + 1 < W / 4 ? 4 * x + 4 : W - 1);
  float4 above = vectors[(first > 0 ? first - 1 : 0) * (H * W / 4) + centre];
  float4 here = vectors[first * (H * W / 4) + centre];
#pragma unroll 4
  for (int z = first; z < first + PLANES; ++z) {
    if (D % PLANES != 0 && z >= D) return;
    const float4 below = vectors[(z + 1 < D ? z + 1 : D - 1) * (H * W / 4) + centre];
    const float4 faces = above + below + vectors[z * (H * W / 4) + north] + vectors[z * (H * W / 4) + south] +
                         F4(u[z * (H * W) + left], here.x, here.y, here.z) +
                         F4(here.y, here.z, here.w, u[z * (H * W) + right]);
    out_vectors[z * (H * W / 4) + centre] = (1.0f / 36.0f) * faces - (1.0f / 6.0f) * here;
    above = here;
    here = below;
  }
}
