// The prices of N European call options by a binomial tree of S steps (Cox, Ross and Rubinstein 1979). What
// an option is follows from one number between 0 and 1: a price of 5 to 30, a strike of 1 to 100, a quarter
// of a year to ten years. After the description of BinomialOption in AMD's SDK. chances, values of N numbers;
// a row of the tree of S+1 numbers for each option, which only its iteration has.
#include "program.h"

enum { MOST_STEPS = 1023 };

static const float rate = 0.02f;
static const float volatility = 0.30f;

static float between(float low, float high, float chance) { return (1.0f - chance) * low + chance * high; }

static float option_value(int steps, float chance) {
  const float price = between(5.0f, 30.0f, chance);
  const float strike = between(1.0f, 100.0f, chance);
  const float years = between(0.25f, 10.0f, chance);
  const float step = years / (float)steps;
  const float move = volatility * sqrtf(step);
  const float growth = expf(rate * step);
  const float up = expf(move);
  const float down = 1.0f / up;
  const float up_chance = (growth - down) / (up - down);
  const float up_weight = up_chance / growth;  // discounted by a step
  const float down_weight = (1.0f - up_chance) / growth;
  float row[MOST_STEPS + 1];
  for (int j = 0; j <= steps; ++j) row[j] = fmaxf(price * expf(move * (float)(2 * j - steps)) - strike, 0.0f);
  for (int length = steps; length > 0; --length) {
    for (int j = 0; j < length; ++j) row[j] = up_weight * row[j + 1] + down_weight * row[j];
  }
  return row[0];
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int n = program_size("N", 1024, 1);
  const int steps = program_size("S", 254, 1);
  program_ready();
  if (steps > MOST_STEPS) program_fail("S is at most 1023", "");
  float* chances = program_memory(n, sizeof(float));
  float* values = program_memory(n, sizeof(float));
  program_fill_f32(chances, n, 1, 0.0f, 1.0f);
  program_input("chances", F32, chances, 1, n);
  program_start();
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < n; ++i) values[i] = option_value(steps, chances[i]);
  program_stop();
  program_result("values", F32, values, 1, n);
  return 0;
}
