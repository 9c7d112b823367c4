// The matrix Q in the manner of Parboil: first the magnitudes of the samples, packed into vectors with their places; then
// a work-item holds a voxel and both of its sums in registers and walks over the samples, one 128-bit read each. Sine and
// cosine share the reduction of their angle.
KERNEL(GROUP, 1)
magnitudes(GLOBAL const float* RESTRICT phi_real, GLOBAL const float* RESTRICT phi_imaginary,
           GLOBAL const float* RESTRICT kx, GLOBAL const float* RESTRICT ky, GLOBAL const float* RESTRICT kz,
           GLOBAL const float* RESTRICT x, GLOBAL const float* RESTRICT y, GLOBAL const float* RESTRICT z,
           GLOBAL float4* RESTRICT samples, GLOBAL float* RESTRICT out_real, GLOBAL float* RESTRICT out_imaginary) {
  const int k = GLOBAL_X;
  if (k >= K) return;
  const float magnitude = phi_real[k] * phi_real[k] + phi_imaginary[k] * phi_imaginary[k];
  samples[k] = F4(kx[k], ky[k], kz[k], magnitude);
}

KERNEL(GROUP, 1)
matrix_q(GLOBAL const float* RESTRICT phi_real, GLOBAL const float* RESTRICT phi_imaginary,
         GLOBAL const float* RESTRICT kx, GLOBAL const float* RESTRICT ky, GLOBAL const float* RESTRICT kz,
         GLOBAL const float* RESTRICT x, GLOBAL const float* RESTRICT y, GLOBAL const float* RESTRICT z,
         GLOBAL const float4* RESTRICT samples, GLOBAL float* RESTRICT out_real,
         GLOBAL float* RESTRICT out_imaginary) {
  const int i = GLOBAL_X;
  if (i >= N) return;
  const float vx = x[i], vy = y[i], vz = z[i];
  float real = 0.0f, imaginary = 0.0f;
#pragma unroll 4
  for (int k = 0; k < K; ++k) {
    const float4 sample = samples[k];
    const float angle = 6.2831853f * (sample.x * vx + sample.y * vy + sample.z * vz);
    float sine, cosine;
    SINCOS(angle, sine, cosine);
    real += sample.w * cosine;
    imaginary += sample.w * sine;
  }
  out_real[i] = real;
  out_imaginary[i] = imaginary;
}
