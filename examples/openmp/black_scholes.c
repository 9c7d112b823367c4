// The prices of N European options, calls and puts, by the formula of Black and Scholes; the cumulative
// normal distribution is Abramowitz and Stegun's 26.2.17. After the description of BlackScholes in AMD's and
// NVIDIA's SDKs. Arrays prices, strikes, years (in), calls, puts (out) of N numbers.
#include "program.h"

struct option {
  float price, strike, years;
};

struct market {
  float rate, volatility;
};

static float normal_distribution(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float tail =
      0.39894228f * expf(-0.5f * d * d) *
      (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0.0f ? 1.0f - tail : tail;
}

static void price(struct option option, struct market market, float* call, float* put) {
  const float root = market.volatility * sqrtf(option.years);
  const float growth = market.rate + 0.5f * market.volatility * market.volatility;
  const float d1 = (logf(option.price / option.strike) + growth * option.years) / root;
  const float c1 = normal_distribution(d1);
  const float c2 = normal_distribution(d1 - root);
  const float discounted = option.strike * expf(-market.rate * option.years);
  *call = option.price * c1 - discounted * c2;
  *put = discounted * (1.0f - c2) - option.price * (1.0f - c1);
}

static void price_all(int n, struct market market, const float* prices, const float* strikes,
                      const float* years, float* calls, float* puts) {
#pragma omp parallel for firstprivate(market)
  for (int i = 0; i < n; ++i) {
    const struct option option = {prices[i], strikes[i], years[i]};
    price(option, market, &calls[i], &puts[i]);
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int n = program_size("N", 1 << 18, 1);
  program_ready();
  const struct market market = {0.02f, 0.30f};
  float* prices = program_memory(n, sizeof(float));
  float* strikes = program_memory(n, sizeof(float));
  float* years = program_memory(n, sizeof(float));
  float* calls = program_memory(n, sizeof(float));
  float* puts = program_memory(n, sizeof(float));
  program_fill_f32(prices, n, 1, 5.0f, 30.0f);
  program_fill_f32(strikes, n, 2, 1.0f, 100.0f);
  program_fill_f32(years, n, 3, 0.25f, 10.0f);
  program_input("prices", F32, prices, 1, n);
  program_input("strikes", F32, strikes, 1, n);
  program_input("years", F32, years, 1, n);
  program_input("rate", F32, &market.rate, 0);
  program_input("volatility", F32, &market.volatility, 0);
  program_start();
  price_all(n, market, prices, strikes, years, calls, puts);
  program_stop();
  program_result("calls", F32, calls, 1, n);
  program_result("puts", F32, puts, 1, n);
  return 0;
}
