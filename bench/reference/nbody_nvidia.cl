// All pairs in the manner of the NVIDIA SDK: a group of 256 work-items moves 256 bodies; all bodies pass through local
// memory, 256 at a time, packed there so that one 128-bit read brings a body.
KERNEL(256, 1)
nbody(GLOBAL const float* RESTRICT px, GLOBAL const float* RESTRICT py, GLOBAL const float* RESTRICT pz,
      GLOBAL const float* RESTRICT mass, GLOBAL const float* RESTRICT vx, GLOBAL const float* RESTRICT vy,
      GLOBAL const float* RESTRICT vz, const float dt, const float softening, GLOBAL float* RESTRICT out_px,
      GLOBAL float* RESTRICT out_py, GLOBAL float* RESTRICT out_pz, GLOBAL float* RESTRICT out_mass,
      GLOBAL float* RESTRICT out_vx, GLOBAL float* RESTRICT out_vy, GLOBAL float* RESTRICT out_vz) {
  LOCAL float4 held[256];
  const int l = LOCAL_X;
  const int i = GLOBAL_X;
  const float x = px[i], y = py[i], z = pz[i];
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int tile = 0; tile < N; tile += 256) {
    held[l] = F4(px[tile + l], py[tile + l], pz[tile + l], mass[tile + l]);
    BARRIER();
#pragma unroll 32
    for (int j = 0; j < 256; ++j) {
      const float4 other = held[j];
      const float dx = other.x - x;
      const float dy = other.y - y;
      const float dz = other.z - z;
      const float inverse = RSQRT(dx * dx + dy * dy + dz * dz + softening);
      const float scale = other.w * inverse * inverse * inverse;
      ax += dx * scale;
      ay += dy * scale;
      az += dz * scale;
    }
    BARRIER();
  }
  const float nx = vx[i] + ax * dt;
  const float ny = vy[i] + ay * dt;
  const float nz = vz[i] + az * dt;
  out_px[i] = x + nx * dt;
  out_py[i] = y + ny * dt;
  out_pz[i] = z + nz * dt;
  out_mass[i] = mass[i];
  out_vx[i] = nx;
  out_vy[i] = ny;
  out_vz[i] = nz;
}
