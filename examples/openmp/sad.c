// Sums of absolute differences for the estimation of motion in a video: how much each block of a frame
// differs from the blocks of a reference frame that lie up to R pixels away in both directions. Sums of
// blocks of 4 x 4 pixels are computed; those of larger ones, up to macroblocks of 16 x 16, are sums of them.
// After the description of sad in Parboil 2.5. frame and reference of 16 H rows and 16 W columns of numbers
// up to 255, pixels outside of the reference are the nearest inside; a result for each size of blocks, of
// (2R+1)^2 sums a block (names give width and height: sad8x4 is of blocks 8 wide and 4 high).
#include "program.h"

static int near(int index, int length) { return index < 0 ? 0 : index < length ? index : length - 1; }

// Sums of all blocks of 4 x 4 pixels.
static void small_blocks(int height, int width, int r, const uint16_t* frame, const uint16_t* reference,
                         uint16_t* sums) {
  const int positions = (2 * r + 1) * (2 * r + 1);
#pragma omp parallel for collapse(2)
  for (int by = 0; by < height / 4; ++by) {
    for (int bx = 0; bx < width / 4; ++bx) {
      uint16_t* own = &sums[((size_t)by * (width / 4) + bx) * positions];
      for (int dy = -r; dy <= r; ++dy) {
        for (int dx = -r; dx <= r; ++dx) {
          int sum = 0;
          for (int y = 4 * by; y < 4 * by + 4; ++y) {
            for (int x = 4 * bx; x < 4 * bx + 4; ++x) {
              const int other = reference[(size_t)near(y + dy, height) * width + near(x + dx, width)];
              sum += abs(frame[(size_t)y * width + x] - other);
            }
          }
          own[(dy + r) * (2 * r + 1) + dx + r] = (uint16_t)sum;
        }
      }
    }
  }
}

// Sums of blocks that are two blocks each: side by side, or one above the other. `rows` and `columns` count
// the results.
static void side_by_side(int rows, int columns, int positions, const uint16_t* parts, uint16_t* sums) {
#pragma omp parallel for
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      const size_t left = ((size_t)y * 2 * columns + 2 * x) * positions;
      for (int p = 0; p < positions; ++p)
        sums[((size_t)y * columns + x) * positions + p] =
            (uint16_t)(parts[left + p] + parts[left + positions + p]);
    }
  }
}

static void one_above_other(int rows, int columns, int positions, const uint16_t* parts, uint16_t* sums) {
  const size_t row = (size_t)columns * positions;
#pragma omp parallel for
  for (int y = 0; y < rows; ++y) {
    for (size_t i = 0; i < row; ++i)
      sums[y * row + i] = (uint16_t)(parts[2 * y * row + i] + parts[(2 * y + 1) * row + i]);
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int h = program_size("H", 4, 1);
  const int w = program_size("W", 4, 1);
  const int r = program_size("R", 8, 1);
  program_ready();
  const int height = 16 * h, width = 16 * w, side = 2 * r + 1, positions = side * side;
  const size_t pixels = (size_t)height * width;
  const size_t macroblocks = (size_t)h * w;
  uint16_t* frame = program_memory(pixels, sizeof(uint16_t));
  uint16_t* reference = program_memory(pixels, sizeof(uint16_t));
  uint16_t* sad4x4 = program_memory(16 * macroblocks * positions, sizeof(uint16_t));
  uint16_t* sad8x4 = program_memory(8 * macroblocks * positions, sizeof(uint16_t));
  uint16_t* sad4x8 = program_memory(8 * macroblocks * positions, sizeof(uint16_t));
  uint16_t* sad8x8 = program_memory(4 * macroblocks * positions, sizeof(uint16_t));
  uint16_t* sad16x8 = program_memory(2 * macroblocks * positions, sizeof(uint16_t));
  uint16_t* sad8x16 = program_memory(2 * macroblocks * positions, sizeof(uint16_t));
  uint16_t* sad16x16 = program_memory(macroblocks * positions, sizeof(uint16_t));
  uint64_t seed = 1;
  for (size_t i = 0; i < pixels; ++i) reference[i] = (uint16_t)(program_random(&seed) * 256);
  // The frame is the reference, moved by (1, 2) pixels, with noise.
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int moved = reference[(size_t)near(y + 1, height) * width + near(x + 2, width)];
      frame[(size_t)y * width + x] = (uint16_t)((15 * moved + (int)(program_random(&seed) * 256)) / 16);
    }
  }
  program_input("frame", U16, frame, 2, height, width);
  program_input("reference", U16, reference, 2, height, width);
  program_start();
  small_blocks(height, width, r, frame, reference, sad4x4);
  side_by_side(4 * h, 2 * w, positions, sad4x4, sad8x4);
  one_above_other(2 * h, 4 * w, positions, sad4x4, sad4x8);
  one_above_other(2 * h, 2 * w, positions, sad8x4, sad8x8);
  side_by_side(2 * h, w, positions, sad8x8, sad16x8);
  one_above_other(h, 2 * w, positions, sad8x8, sad8x16);
  one_above_other(h, w, positions, sad16x8, sad16x16);
  program_stop();
  program_result("sad4x4", U16, sad4x4, 4, 4 * h, 4 * w, side, side);
  program_result("sad8x4", U16, sad8x4, 4, 4 * h, 2 * w, side, side);
  program_result("sad4x8", U16, sad4x8, 4, 2 * h, 4 * w, side, side);
  program_result("sad8x8", U16, sad8x8, 4, 2 * h, 2 * w, side, side);
  program_result("sad16x8", U16, sad16x8, 4, 2 * h, w, side, side);
  program_result("sad8x16", U16, sad8x16, 4, h, 2 * w, side, side);
  program_result("sad16x16", U16, sad16x16, 4, h, w, side, side);
  return 0;
}
