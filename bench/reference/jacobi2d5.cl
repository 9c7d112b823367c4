// Five points in two dimensions, borders repeated: a work-item makes two rows of four elements. Both middle rows serve
// each other; the neighbours to the left and right come from the vectors, only the outermost by scalar loads. W: a
// multiple of 4; any H.
INLINE float4 row(const float4 above, const float4 here, const float4 below, const float left, const float right) {
  return 0.2f * (here + above + below + F4(left, here.x, here.y, here.z) + F4(here.y, here.z, here.w, right));
}

KERNEL(128, 4)
jacobi(GLOBAL const float* RESTRICT u, GLOBAL float* RESTRICT out) {
  const int x = GLOBAL_X, y = 2 * GLOBAL_Y;
  if (x >= W / 4 || y >= H) return;
  GLOBAL const float4* RESTRICT vectors = (GLOBAL const float4*)u + x;
  GLOBAL float4* RESTRICT out_vectors = (GLOBAL float4*)out + x;
  const int second = y + 1 < H ? y + 1 : H - 1;
  const float4 above = vectors[(y > 0 ? y - 1 : 0) * (W / 4)];
  const float4 upper = vectors[y * (W / 4)];
  const float4 lower = vectors[second * (W / 4)];
  const float4 below = vectors[(y + 2 < H ? y + 2 : H - 1) * (W / 4)];
  const int left = x > 0 ? 4 * x - 1 : 0;
  const int right = x + 1 < W / 4 ? 4 * x + 4 : W - 1;
  out_vectors[y * (W / 4)] = row(above, upper, lower, u[y * W + left], u[y * W + right]);
  if (y + 1 < H) out_vectors[second * (W / 4)] = row(upper, lower, below, u[second * W + left], u[second * W + right]);
}
