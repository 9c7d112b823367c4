// What OpenCL C and CUDA C spell differently. In front of every reference kernel, behind the #defines of its
// sizes; no header of a host is needed, so that NVRTC takes it too. Functions are at least as exact as
// OpenCL's full profile asks.
#ifdef __OPENCL_VERSION__
#define KERNEL(X, Y) kernel __attribute__((reqd_work_group_size(X, Y, 1))) void
#define INLINE static inline
#define GLOBAL global
#define LOCAL local
#define LOCAL_POINTER local
#define RESTRICT restrict
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define GROUP_X ((int)get_group_id(0))
#define GROUP_Y ((int)get_group_id(1))
#define GROUP_Z ((int)get_group_id(2))
#define GROUPS_X ((int)get_num_groups(0))
#define LOCAL_X ((int)get_local_id(0))
#define LOCAL_Y ((int)get_local_id(1))
#define GLOBAL_X ((int)get_global_id(0))
#define GLOBAL_Y ((int)get_global_id(1))
#define F4(a, b, c, d) ((float4)(a, b, c, d))
#define SPLAT(a) ((float4)(a))
#define RSQRT(a) rsqrt(a)
#define SQRT(a) sqrt(a)
#define RECIPROCAL(a) (1.0f / (a))
#define ABS(a) fabs(a)
#define SINCOS(angle, s, c) (s) = sincos(angle, &(c))
INLINE float4 rsqrt4(float4 a) { return rsqrt(a); }
#else
#define KERNEL(X, Y) extern "C" __global__ __launch_bounds__((X) * (Y)) void
#define INLINE [[maybe_unused]] static __device__ __forceinline__
#define GLOBAL
#define LOCAL __shared__
#define LOCAL_POINTER
#define RESTRICT __restrict__
#define BARRIER() __syncthreads()
#define GROUP_X ((int)blockIdx.x)
#define GROUP_Y ((int)blockIdx.y)
#define GROUP_Z ((int)blockIdx.z)
#define GROUPS_X ((int)gridDim.x)
#define LOCAL_X ((int)threadIdx.x)
#define LOCAL_Y ((int)threadIdx.y)
#define GLOBAL_X ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define GLOBAL_Y ((int)(blockIdx.y * blockDim.y + threadIdx.y))
#define F4(a, b, c, d) make_float4(a, b, c, d)
#define SPLAT(a) make_float4(a, a, a, a)
#define RSQRT(a) rsqrtf(a)
#define SQRT(a) sqrtf(a)
#define RECIPROCAL(a) __fdividef(1.0f, a)
#define ABS(a) fabsf(a)
#define SINCOS(angle, s, c) sincosf(angle, &(s), &(c))
INLINE float4 operator+(float4 a, float4 b) { return F4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
INLINE float4 operator-(float4 a, float4 b) { return F4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
INLINE float4 operator*(float4 a, float4 b) { return F4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }
INLINE float4 operator-(float a, float4 b) { return F4(a - b.x, a - b.y, a - b.z, a - b.w); }
INLINE float4 operator+(float4 a, float b) { return F4(a.x + b, a.y + b, a.z + b, a.w + b); }
INLINE float4 operator*(float a, float4 b) { return F4(a * b.x, a * b.y, a * b.z, a * b.w); }
INLINE float4 rsqrt4(float4 a) { return F4(rsqrtf(a.x), rsqrtf(a.y), rsqrtf(a.z), rsqrtf(a.w)); }
#endif
