// The prices of N European call options as means over P paths, whose ends are given by normally distributed
// numbers that all options share; beside each price half the width of its 95% confidence interval. After the
// description of MonteCarlo in NVIDIA's SDK. prices, strikes, years (in), means, widths (out) of N numbers,
// samples of P numbers. The dearest option is found under `critical`.
#include "program.h"

static const float rate = 0.06f;
static const float volatility = 0.10f;

struct estimate {
  float mean, width;
};

static struct estimate estimate(float price, float strike, float years, int paths, const float* samples) {
  const float drift = (rate - 0.5f * volatility * volatility) * years;
  const float spread = volatility * sqrtf(years);
  float sum = 0.0f, squares = 0.0f;
  for (int i = 0; i < paths; ++i) {
    const float payoff = fmaxf(price * expf(drift + spread * samples[i]) - strike, 0.0f);
    sum += payoff;
    squares += payoff * payoff;
  }
  const float discount = expf(-rate * years);
  const float mean = sum / (float)paths;
  const float variance = fmaxf((squares - sum * mean) / (float)(paths - 1), 0.0f);
  const struct estimate result = {discount * mean, discount * 1.96f * sqrtf(variance / (float)paths)};
  return result;
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int n = program_size("N", 256, 1);
  const int paths = program_size("P", 4096, 2);
  program_ready();
  float* prices = program_memory(n, sizeof(float));
  float* strikes = program_memory(n, sizeof(float));
  float* years = program_memory(n, sizeof(float));
  float* samples = program_memory(paths, sizeof(float));
  float* means = program_memory(n, sizeof(float));
  float* widths = program_memory(n, sizeof(float));
  program_fill_f32(prices, n, 1, 5.0f, 50.0f);
  program_fill_f32(strikes, n, 2, 10.0f, 25.0f);
  program_fill_f32(years, n, 3, 1.0f, 5.0f);
  uint64_t seed = 4;
  for (int i = 0; i < paths; ++i) {  // Box and Muller 1958
    const double radius = sqrt(-2.0 * log(1.0 - program_random(&seed)));
    samples[i] = (float)(radius * cos(6.28318530717958648 * program_random(&seed)));
  }
  program_input("prices", F32, prices, 1, n);
  program_input("strikes", F32, strikes, 1, n);
  program_input("years", F32, years, 1, n);
  program_input("samples", F32, samples, 1, paths);
  float highest = -1.0f;
  int dearest = -1;
  program_start();
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const struct estimate option = estimate(prices[i], strikes[i], years[i], paths, samples);
    means[i] = option.mean;
    widths[i] = option.width;
#pragma omp critical
    {
      if (option.mean > highest || (option.mean == highest && i < dearest)) {
        highest = option.mean;
        dearest = i;
      }
    }
  }
  program_stop();
  program_result("means", F32, means, 1, n);
  program_result("widths", F32, widths, 1, n);
  program_result("dearest", I32, &dearest, 0);
  return 0;
}
