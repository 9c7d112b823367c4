// Lennard-Jones forces in the manner of SHOC: a work-item holds an atom's position and force in registers and walks over
// its neighbours, whose numbers lie N apart so that reads are coalesced. There is no branch around the force, so
// that the reads of several neighbours can run ahead.
KERNEL(GROUP, 1)
md(GLOBAL const float* RESTRICT px, GLOBAL const float* RESTRICT py, GLOBAL const float* RESTRICT pz,
   GLOBAL const int* RESTRICT neighbours, const float cutoff, const float lj1, const float lj2,
   GLOBAL float* RESTRICT out_x, GLOBAL float* RESTRICT out_y, GLOBAL float* RESTRICT out_z) {
  const int i = GLOBAL_X;
  if (i >= N) return;
  const float x = px[i], y = py[i], z = pz[i];
  float fx = 0.0f, fy = 0.0f, fz = 0.0f;
#pragma unroll 4
  for (int j = 0; j < J; ++j) {
    const int n = neighbours[j * N + i];
    const float dx = x - px[n];
    const float dy = y - py[n];
    const float dz = z - pz[n];
    const float r2 = dx * dx + dy * dy + dz * dz;
    const float inverse2 = RECIPROCAL(r2);
    const float inverse6 = inverse2 * inverse2 * inverse2;
    const float force = r2 < cutoff && r2 > 0.0f ? inverse2 * inverse6 * (lj1 * inverse6 - lj2) : 0.0f;
    fx += dx * force;
    fy += dy * force;
    fz += dz * force;
  }
  out_x[i] = fx;
  out_y[i] = fy;
  out_z[i] = fz;
}
