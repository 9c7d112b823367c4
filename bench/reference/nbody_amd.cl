// All pairs in the manner of the AMD SDK: no local memory; a work-item moves four bodies, a vector for each coordinate,
// and reads the others four at a time too: one 128-bit read for each coordinate, the same for all work-items.
typedef struct {
  float4 x, y, z;
} Three;

INLINE void attract(Three* a, const Three p, const float x, const float y, const float z, const float mass,
                    const float softening) {
  const float4 dx = x - p.x;
  const float4 dy = y - p.y;
  const float4 dz = z - p.z;
  const float4 inverse = rsqrt4(dx * dx + dy * dy + dz * dz + softening);
  const float4 scale = mass * inverse * inverse * inverse;
  a->x = a->x + dx * scale;
  a->y = a->y + dy * scale;
  a->z = a->z + dz * scale;
}

KERNEL(GROUP, 1)
nbody(GLOBAL const float4* RESTRICT px, GLOBAL const float4* RESTRICT py, GLOBAL const float4* RESTRICT pz,
      GLOBAL const float4* RESTRICT mass, GLOBAL const float4* RESTRICT vx, GLOBAL const float4* RESTRICT vy,
      GLOBAL const float4* RESTRICT vz, const float dt, const float softening, GLOBAL float4* RESTRICT out_px,
      GLOBAL float4* RESTRICT out_py, GLOBAL float4* RESTRICT out_pz, GLOBAL float4* RESTRICT out_mass,
      GLOBAL float4* RESTRICT out_vx, GLOBAL float4* RESTRICT out_vy, GLOBAL float4* RESTRICT out_vz) {
  const int i = GLOBAL_X;
  if (i >= N / 4) return;
  Three p, a;
  p.x = px[i];
  p.y = py[i];
  p.z = pz[i];
  a.x = a.y = a.z = SPLAT(0.0f);
#pragma unroll 4
  for (int j = 0; j < N / 4; ++j) {
    const float4 x = px[j], y = py[j], z = pz[j], m = mass[j];
    attract(&a, p, x.x, y.x, z.x, m.x, softening);
    attract(&a, p, x.y, y.y, z.y, m.y, softening);
    attract(&a, p, x.z, y.z, z.z, m.z, softening);
    attract(&a, p, x.w, y.w, z.w, m.w, softening);
  }
  const float4 nx = vx[i] + dt * a.x;
  const float4 ny = vy[i] + dt * a.y;
  const float4 nz = vz[i] + dt * a.z;
  out_px[i] = p.x + dt * nx;
  out_py[i] = p.y + dt * ny;
  out_pz[i] = p.z + dt * nz;
  out_mass[i] = mass[i];
  out_vx[i] = nx;
  out_vy[i] = ny;
  out_vz[i] = nz;
}
