// Convolution with separable weights in the manner of the NVIDIA SDK: groups of 16 x 8 work-items copy a tile and its
// halo to local memory and make eight elements a work-item: 8 rows by 128 columns along the rows, 64 rows by 16 columns
// along the columns. The image is [64 P][128 Q], the radius 8, the weights are held in registers.
#define ROWS (64 * P)
#define COLUMNS (128 * Q)

KERNEL(16, 8)
along_rows(GLOBAL const float* RESTRICT image, GLOBAL const float* RESTRICT row_weights,
           GLOBAL const float* RESTRICT column_weights, GLOBAL float* RESTRICT between, GLOBAL float* RESTRICT out) {
  LOCAL float held[8][144];
  const int x = LOCAL_X, y = LOCAL_Y;
  const int row = GROUP_Y * 8 + y;
  const int first = GROUP_X * 128;
#pragma unroll
  for (int i = 0; i < 9; ++i) {
    const int column = first - 8 + i * 16 + x;
    held[y][i * 16 + x] = column >= 0 && column < COLUMNS ? image[row * COLUMNS + column] : 0.0f;
  }
  float weights[17];
#pragma unroll
  for (int k = 0; k < 17; ++k) weights[k] = row_weights[k];
  BARRIER();
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 17; ++k) sum += weights[k] * held[y][i * 16 + x + k];
    between[row * COLUMNS + first + i * 16 + x] = sum;
  }
}

// A work-item's eight elements lie one below the other: it reads each of the 24 elements they need once. Rows of 18
// keep the two halves of a warp, 8 rows apart, in different banks.
KERNEL(16, 8)
along_columns(GLOBAL const float* RESTRICT image, GLOBAL const float* RESTRICT row_weights,
              GLOBAL const float* RESTRICT column_weights, GLOBAL const float* RESTRICT between,
              GLOBAL float* RESTRICT out) {
  LOCAL float held[80][18];
  const int x = LOCAL_X, y = LOCAL_Y;
  const int column = GROUP_X * 16 + x;
  const int first = GROUP_Y * 64;
#pragma unroll
  for (int i = 0; i < 10; ++i) {
    const int row = first - 8 + i * 8 + y;
    held[i * 8 + y][x] = row >= 0 && row < ROWS ? between[row * COLUMNS + column] : 0.0f;
  }
  float weights[17];
#pragma unroll
  for (int k = 0; k < 17; ++k) weights[k] = column_weights[k];
  BARRIER();
  float sums[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) sums[i] = 0.0f;
#pragma unroll
  for (int r = 0; r < 24; ++r) {
    const float value = held[y * 8 + r][x];
#pragma unroll
    for (int i = 0; i < 8; ++i)
      if (r >= i && r - i < 17) sums[i] += weights[r - i] * value;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) out[(first + y * 8 + i) * COLUMNS + column] = sums[i];
}
