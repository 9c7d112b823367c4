// The flow of a fluid in a box, T steps of the lattice-Boltzmann method with 19 velocities (D3Q19): what
// flows into a cell from its neighbours (or back from an obstacle) relaxes towards equilibrium. Cells whose
// flag is 1 are obstacles, as the box's walls are; those whose flag is 2 have a given velocity. After the
// description of lbm in Parboil 2.5 and SPEC CPU2006. Arrays f and next of Z x Y x X cells with 19 numbers
// each, flags of a whole number for each cell. The largest speed is found under `critical`, by one thread for
// its cells at a time.
#include "program.h"

enum { VELOCITIES = 19, FLUID = 0, OBSTACLE = 1, DRIVEN = 2 };

// The velocities (z, y, x), each followed by its opposite but for the first, and their weights.
static const int ez[VELOCITIES] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1};
static const int ey[VELOCITIES] = {0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1};
static const int ex[VELOCITIES] = {0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1, 0, 0, 0, 0};
static const int opposite[VELOCITIES] = {0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15, 18, 17};

static float weight(int q) { return q == 0 ? 1.0f / 3.0f : q < 7 ? 1.0f / 18.0f : 1.0f / 36.0f; }

static const float relaxation = 1.95f;

static void step(int Z, int Y, int X, float f[Z][Y][X][VELOCITIES], int flags[Z][Y][X],
                 float next[Z][Y][X][VELOCITIES]) {
#pragma omp parallel for collapse(2)
  for (int z = 0; z < Z; ++z) {
    for (int y = 0; y < Y; ++y) {
      for (int x = 0; x < X; ++x) {
        if (flags[z][y][x] == OBSTACLE) {
          for (int q = 0; q < VELOCITIES; ++q) next[z][y][x][q] = f[z][y][x][q];
          continue;
        }
        float own[VELOCITIES];
        float density = 0.0f, uz = 0.0f, uy = 0.0f, ux = 0.0f;
        for (int q = 0; q < VELOCITIES; ++q) {
          const int from_z = z - ez[q], from_y = y - ey[q], from_x = x - ex[q];
          const int returns = flags[from_z][from_y][from_x] == OBSTACLE;
          own[q] = returns ? f[z][y][x][opposite[q]] : f[from_z][from_y][from_x][q];
          density += own[q];
          uz += (float)ez[q] * own[q];
          uy += (float)ey[q] * own[q];
          ux += (float)ex[q] * own[q];
        }
        const int driven = flags[z][y][x] == DRIVEN;
        uz = driven ? 0.0f : uz / density;
        uy = driven ? 0.002f : uy / density;
        ux = driven ? 0.005f : ux / density;
        const float still = 1.0f - 1.5f * (uz * uz + uy * uy + ux * ux);
        for (int q = 0; q < VELOCITIES; ++q) {
          const float along = (float)ez[q] * uz + (float)ey[q] * uy + (float)ex[q] * ux;
          const float equilibrium = weight(q) * density * (still + 3.0f * along + 4.5f * along * along);
          next[z][y][x][q] = own[q] + relaxation * (equilibrium - own[q]);
        }
      }
    }
  }
}

// The largest speed of the fluid.
static float largest_speed(int Z, int Y, int X, float f[Z][Y][X][VELOCITIES], int flags[Z][Y][X]) {
  float largest = 0.0f;
#pragma omp parallel
  {
    float own = 0.0f;
#pragma omp for nowait
    for (int z = 0; z < Z; ++z) {
      for (int y = 0; y < Y; ++y) {
        for (int x = 0; x < X; ++x) {
          float density = 0.0f, uz = 0.0f, uy = 0.0f, ux = 0.0f;
          for (int q = 0; q < VELOCITIES; ++q) {
            density += f[z][y][x][q];
            uz += (float)ez[q] * f[z][y][x][q];
            uy += (float)ey[q] * f[z][y][x][q];
            ux += (float)ex[q] * f[z][y][x][q];
          }
          const float speed = sqrtf(uz * uz + uy * uy + ux * ux) / density;
          if (flags[z][y][x] != OBSTACLE && speed > own) own = speed;
        }
      }
    }
#pragma omp critical
    if (own > largest) largest = own;
  }
  return largest;
}

// Tells of the numbers of one velocity in all cells, as `name`.q: an input, or a result.
static void tell(int is_result, const char* name, int Z, int Y, int X, float f[Z][Y][X][VELOCITIES]) {
  const size_t cells = (size_t)Z * Y * X;
  float* part = program_memory(cells, sizeof(float));
  for (int q = 0; q < VELOCITIES; ++q) {
    char component[32];
    snprintf(component, sizeof component, "%s.%d", name, q);
    for (size_t i = 0; i < cells; ++i) part[i] = (&f[0][0][0][0])[i * VELOCITIES + q];
    (is_result ? program_result : program_input)(component, F32, part, 3, Z, Y, X);
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int steps = program_size("T", 4, 0);
  const int Z = program_size("Z", 24, 3);
  const int Y = program_size("Y", 24, 3);
  const int X = program_size("X", 24, 3);
  program_ready();
  const size_t cells = (size_t)Z * Y * X;
  float(*f)[Y][X][VELOCITIES] = program_memory(cells * VELOCITIES, sizeof(float));
  float(*next)[Y][X][VELOCITIES] = program_memory(cells * VELOCITIES, sizeof(float));
  int(*flags)[Y][X] = program_memory(cells, sizeof(int));
  uint64_t seed = 1;
  for (int z = 0; z < Z; ++z) {
    for (int y = 0; y < Y; ++y) {
      for (int x = 0; x < X; ++x) {
        const int wall = z == 0 || z == Z - 1 || y == 0 || y == Y - 1 || x == 0 || x == X - 1;
        const int pillar = program_random(&seed) < 0.05;
        flags[z][y][x] = wall || pillar ? OBSTACLE : z == Z - 2 ? DRIVEN : FLUID;
        for (int q = 0; q < VELOCITIES; ++q)
          f[z][y][x][q] = weight(q) * (float)(0.95 + 0.1 * program_random(&seed));
      }
    }
  }
  tell(0, "f", Z, Y, X, f);
  program_input("flags", I32, flags, 3, Z, Y, X);
  program_start();
  for (int t = 0; t < steps; ++t) {
    step(Z, Y, X, f, flags, next);
    float(*swapped)[Y][X][VELOCITIES] = f;
    f = next;
    next = swapped;
  }
  const float largest = largest_speed(Z, Y, X, f, flags);
  program_stop();
  tell(1, "f_after", Z, Y, X, f);
  program_result("largest_speed", F32, &largest, 0);
  return 0;
}
