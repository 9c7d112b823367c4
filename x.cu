namespace kernels {

using uchar = unsigned char;
using uint = unsigned int;
static_assert(char(-1) < 0, "char has a sign");

template <class T>
__device__ inline T smaller(T a, T b) {
  return b < a ? b : a;
}

template <class T>
__device__ inline T larger(T a, T b) {
  return a < b ? b : a;
}

// The overflow of signed integers is undefined, that of unsigned ones wraps.
template <class T>
__device__ inline T wrapping(T a) {
  return a;
}
__device__ inline unsigned int wrapping(signed char a) { return a; }
__device__ inline unsigned int wrapping(char a) { return a; }
__device__ inline unsigned int wrapping(short a) { return a; }
__device__ inline unsigned int wrapping(unsigned short a) { return a; }  // an int does not hold all products
__device__ inline unsigned int wrapping(int a) { return a; }
__device__ inline unsigned long wrapping(long a) { return a; }

// Of what it knows for an absolute value, ptxas takes for granted that it is not negative; the smallest integer's
// is.
template <class T>
__device__ inline T absolute(T a) {
  const auto bits = wrapping(a);
  return T(bits * (1 - 2 * (bits >> (8 * sizeof(bits) - 1))));
}

// The smallest integer divided by -1 wraps; a division by 0 gives 0.
template <class T>
__device__ inline T quotient(T a, T b) {
  if (b == 0) return 0;
  return T(-1) < T(0) && b == T(-1) ? T(-wrapping(a)) : T(a / b);
}

extern "C" __global__ void __launch_bounds__(1) p1755(
    short* __restrict__ tmp, uchar* __restrict__ tmp_1, const short a3) {
  short acc = a3;
  uchar acc_1 = (uchar)0;
#pragma unroll 2
  for (int i = 0; i < 2; ++i) {
    acc = acc;
    acc_1 = acc_1;
    tmp[i] = acc;
    tmp_1[i] = acc_1;
  }
}

extern "C" __global__ void __launch_bounds__(1) p1755_1(
    short* __restrict__ tmp_2, uchar* __restrict__ tmp_3, int* __restrict__ faults, const short a3) {
  short acc_2 = a3;
  bool acc_3 = true;
  for (int i_1 = 0; i_1 < 2; ++i_1) {
    short state = (short)(false ? a3 : a3);
    short state_1 = (short)(false ? a3 : a3);
    const long v = 2L & 63L;
    if (v < 0L || v >= 64L) {
      faults[0] = 2;
    }
    const int j = (int)(smaller<long>(-7L, 9223372036854775807L) >> v);
    bool running = absolute(larger<short>(state, state_1)) >= 0;
    for (int it = 0; it < smaller<int>(j, 1) && (running); ++it) {
      const short v_1 = (short)(a3 | 1);
      if (v_1 == 0) {
        faults[0] = 2;
      }
      state = quotient<short>(state_1, v_1);
      state_1 = (short)-a3;
      running = absolute(larger<short>(state, state_1)) >= 0;
    }
    acc_2 = acc_2;
    acc_3 = acc_3;
    tmp_2[i_1] = acc_2;
    tmp_3[i_1] = acc_3;
  }
}

extern "C" __global__ void __launch_bounds__(1) p1755_2(
    short* __restrict__ tmp_4, uchar* __restrict__ tmp_5, int* __restrict__ faults, const short a3) {
  short acc_4 = a3;
  uchar acc_5 = (uchar)6;
  for (int i_2 = 0; i_2 < 2; ++i_2) {
    short state_2 = (short)(false ? a3 : a3);
    short state_3 = (short)(false ? a3 : a3);
    const long v_2 = 2L & 63L;
    if (v_2 < 0L || v_2 >= 64L) {
      faults[0] = 2;
    }
    const int j_1 = (int)(smaller<long>(-7L, 9223372036854775807L) >> v_2);
    bool running_1 = absolute(larger<short>(state_2, state_3)) >= 0;
    for (int it_1 = 0; it_1 < smaller<int>(j_1, 1) && (running_1); ++it_1) {
      const short v_3 = (short)(a3 | 1);
      if (v_3 == 0) {
        faults[0] = 2;
      }
      state_2 = quotient<short>(state_3, v_3);
      state_3 = (short)-a3;
      running_1 = absolute(larger<short>(state_2, state_3)) >= 0;
    }
    acc_4 = (short)((uint)state_2 << (short)5);
    acc_5 = acc_5;
    tmp_4[i_2] = acc_4;
    tmp_5[i_2] = acc_5;
  }
}

extern "C" __global__ void __launch_bounds__(1) p1755_3(
    const short* __restrict__ now, const uchar* __restrict__ now_1, short* __restrict__ tmp_6,
    uchar* __restrict__ tmp_7) {
#pragma unroll 2
  for (int i_3 = 0; i_3 < 2; ++i_3) {
    const short v_4 = now[i_3];
    const uchar v_5 = now_1[i_3];
    tmp_6[i_3] = v_4;
    tmp_7[i_3] = v_5;
  }
}

extern "C" __global__ void __launch_bounds__(1) p1755_4(
    const short* tmp, const uchar* tmp_1, short* __restrict__ next, uchar* __restrict__ next_1,
    const short* tmp_6, const uchar* tmp_7, int* __restrict__ faults, const int step_1) {
#pragma unroll 2
  for (int i_4 = 0; i_4 < 2; ++i_4) {
    const short v_6 = tmp[i_4];
    const uchar v_7 = tmp_1[i_4];
    next[i_4] = v_6;
    next_1[i_4] = v_7;
  }
#pragma unroll 2
  for (int j_2 = 0; j_2 < 2; ++j_2) {
    const int v_8 = (int)((uint)step_1 + 4);
    int c;
    if (0 <= v_8 && v_8 < 16) {
      const int j_3 = v_8;
      if (j_3 < 0 || j_3 >= 16) {
        faults[0] = 1;
      }
      const int v_9 = 2 | 1;
      if (v_9 == 0) {
        faults[0] = 2;
      }
      c = step_1;
    } else {
      c = (int)((uint)5 - (uint)step_1);
    }
    const int key = c % 2;
    if (0 <= key && key < 2) {
      const int k = key;
      const bool v_10 = tmp_7[j_2] > next_1[k];
      const short v_11 = (short)(v_10 ? tmp_6[j_2] : next[k]);
      const uchar v_12 = (uchar)(v_10 ? tmp_7[j_2] : next_1[k]);
      next[k] = v_11;
      next_1[k] = v_12;
    }
  }
}

extern "C" __global__ void __launch_bounds__(64) p1755_5(
    short* __restrict__ tmp_8) {
  const int g = blockIdx.x * 64 + threadIdx.x;
  if (g < 100) {
    tmp_8[g] = (short)0;
  }
}

extern "C" __global__ void __launch_bounds__(64) p1755_6(
    const short* __restrict__ now_2, short* __restrict__ next_2) {
  const int g_1 = blockIdx.x * 64 + threadIdx.x;
  if (g_1 < 100) {
    next_2[g_1] = now_2[99 - g_1];
  }
}

extern "C" __global__ void __launch_bounds__(64) p1755_7(
    const short* __restrict__ now, const short* __restrict__ now_2, short* __restrict__ out) {
  const int g_2 = blockIdx.y * 2 + threadIdx.y;
  const int g_3 = blockIdx.x * 32 + threadIdx.x;
  if (g_3 < 100) {
    out[100 * g_2 + g_3] = (short)(g_3 == 26 ? now[g_2] : now_2[g_3]);
  }
}

}  // namespace kernels

// The plan of p1755
//   input a1: 200 of i16
//   input a2: 2 of i16
//   input a3: one i16
//   output out: 200 of i16
//   temporary tmp: 2 of i16, in memory 0
//   temporary tmp_1: 2 of u8, in memory 1
//   temporary tmp_2: 2 of i16, in memory 2
//   temporary tmp_3: 2 of bool, in memory 3
//   temporary tmp_4: 2 of i16, in memory 5
//   temporary tmp_5: 2 of u8, in memory 6
//   temporary now: 2 of i16, in memory 7
//   temporary now_1: 2 of u8, in memory 9
//   temporary next: 2 of i16, in memory 8
//   temporary next_1: 2 of u8, in memory 10
//   temporary tmp_6: 2 of i16, in memory 5
//   temporary tmp_7: 2 of u8, in memory 6
//   temporary tmp_8: 100 of i16, in memory 11
//   temporary now_2: 100 of i16, in memory 12
//   temporary next_2: 100 of i16, in memory 13
//   temporary faults: 1 of i32, in memory 4
//   launch p1755: 1 x 1 x 1 work-items in groups of 1 x 1 x 1
//   launch p1755_1: 1 x 1 x 1 work-items in groups of 1 x 1 x 1
//   launch p1755_2: 1 x 1 x 1 work-items in groups of 1 x 1 x 1
//   copy tmp_4 to now
//   copy tmp_5 to now_1
//   2 times:
//     step_1 is the number of the round
//     launch p1755_3: 1 x 1 x 1 work-items in groups of 1 x 1 x 1
//     launch p1755_4: 1 x 1 x 1 work-items in groups of 1 x 1 x 1
//     exchange now and next
//     exchange now_1 and next_1
//   launch p1755_5: 128 x 1 x 1 work-items in groups of 64 x 1 x 1
//   copy tmp_8 to now_2
//   5 times:
//     launch p1755_6: 128 x 1 x 1 work-items in groups of 64 x 1 x 1
//     exchange now_2 and next_2
//   launch p1755_7: 128 x 2 x 1 work-items in groups of 32 x 2 x 1
