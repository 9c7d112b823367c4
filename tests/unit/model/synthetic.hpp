#pragma once
// Tables whose answer is known: kernels of made-up programs on a made-up device.
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "model/dataset.hpp"

namespace hoist::model::synthetic {

inline Schema schema() {
  return {3,
          {{"size", "elements", "input", ""},
           {"work_items", "", "launch", "size"},
           {"group", "", "launch", ""},
           {"lines", "lines/warp", "memory", ""},
           {"loads", "/item", "memory", ""},
           {"unroll", "", "control", ""},
           {"noise", "", "control", ""},
           {"version", "", "control", ""},  // the same everywhere
           {"roofline", "s", "analytic", ""}}};
}

/// What a kernel takes: memory traffic by lines, less hidden where groups are small, and work that unrolling
/// cheapens.
inline double seconds_of(double size, double work_items, double group, double lines, double loads,
                         double unroll, double weight) {
  const double traffic = size * loads * (1 + 0.4 * lines) / 1e12;
  const double hiding = 1 + 64 / (group + 8) + 3e4 / (work_items + 1e3);
  const double work = size * weight * (1 + 2 / unroll) / 2e12;
  return 2e-6 + traffic * hiding + work;
}

/// `rows` candidates of one program at one size; some fail.
inline void add_task(Dataset& dataset, const std::string& program, double size, double weight, int rows,
                     Random& random, const std::string& device = "gpu") {
  const std::uint32_t task = dataset.task({program, fmt::format("N={}", size), device});
  for (int i = 0; i < rows; ++i) {
    const auto power = [&](int least, int most) {
      return std::exp2(least + static_cast<int>(random.below(static_cast<std::size_t>(most - least + 1))));
    };
    const double per_item = power(0, 6), work_items = size / per_item, group = power(3, 10),
                 lines = power(0, 5);
    const double loads = 1 + static_cast<double>(random.below(9)), unroll = power(0, 4);
    const double exact = seconds_of(size, work_items, group, lines, loads, unroll, weight);
    Measurement measurement;
    measurement.task = task;
    measurement.derivation = dataset.derivation(fmt::format("tile({})@[] \"then\", vectorize", per_item));
    measurement.candidate = fmt::format("{}/{}", measurement.derivation, i);
    const bool failed = random.below(20) == 0;
    measurement.outcome = failed ? "wrong result" : "ok";
    measurement.seconds =
        failed ? std::numeric_limits<double>::quiet_NaN() : exact * (1 + 0.01 * random.normal());
    const double analytic = size * loads * (1 + 0.4 * lines) / 1e12;
    dataset.add(measurement, std::vector<double>{size, work_items, group, lines, loads, unroll, random.unit(),
                                                 7, analytic});
  }
}

/// `programs` programs at two sizes, so many rows for each.
inline Dataset make(int programs, int rows, std::uint64_t seed = 1) {
  Dataset dataset;
  dataset.schema = schema();
  dataset.provenance = {{"device", "made up, \"fast\""}, {"date", "2026-11-22"}};
  Random random(seed);
  for (int program = 0; program < programs; ++program) {
    for (const double size : {0x1p20, 0x1p24})
      add_task(dataset, fmt::format("p{}", program), size, 1 + 2 * program, rows, random);
  }
  return dataset;
}

}  // namespace hoist::model::synthetic
