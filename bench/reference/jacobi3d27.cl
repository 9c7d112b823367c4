// 27 points in three dimensions with the weights 1 2 1 in each, borders repeated: a work-item walks down PLANES planes
// with four elements. Each plane is weighted in its own two dimensions once; the weighted planes above, here and below
// stay in registers. W: a multiple of 4; any D and H.
INLINE float4 line(GLOBAL const float* RESTRICT u, const int start, const int x) {
  const float4 v = ((GLOBAL const float4*)(u + start))[x];
  const float left = u[start + (x > 0 ? 4 * x - 1 : 0)];
  const float right = u[start + (x + 1 < W / 4 ? 4 * x + 4 : W - 1)];
  return F4(left, v.x, v.y, v.z) + 2.0f * v + F4(v.y, v.z, v.w, right);
}

INLINE float4 plane(GLOBAL const float* RESTRICT u, const int z, const int y, const int x) {
  const int start = z * (H * W);
  return line(u, start + (y > 0 ? y - 1 : 0) * W, x) + 2.0f * line(u, start + y * W, x) +
         line(u, start + (y + 1 < H ? y + 1 : H - 1) * W, x);
}

KERNEL(32, 8)
jacobi(GLOBAL const float* RESTRICT u, GLOBAL float* RESTRICT out) {
  const int x = GLOBAL_X, y = GLOBAL_Y, first = PLANES * GROUP_Z;
  if (x >= W / 4 || y >= H) return;
  float4 above = plane(u, first > 0 ? first - 1 : 0, y, x);
  float4 here = plane(u, first, y, x);
#pragma unroll 4
  for (int z = first; z < first + PLANES; ++z) {
    if (D % PLANES != 0 && z >= D) return;
    const float4 below = plane(u, z + 1 < D ? z + 1 : D - 1, y, x);
    ((GLOBAL float4*)out)[(z * H + y) * (W / 4) + x] = (1.0f / 64.0f) * (above + 2.0f * here + below);
    above = here;
    here = below;
  }
}
