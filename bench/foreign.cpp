#include "foreign.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iostream>
#include <random>

#include "base/named_values.hpp"

namespace hoist::bench {

using nlohmann::json;

namespace {

constexpr std::uint64_t seed = 20261121;

/// A line of the table, and what the row says of it.
std::string measure(const LibraryCase& each, json& row) {
  try {
    const runtime::Measurement measured = each.time();
    const double giga_flops = each.flops / measured.median * 1e-9;
    const double giga_bytes = each.bytes / measured.median * 1e-9;
    row.update({{"repetitions", measured.times.size()},
                {"median_seconds", measured.median},
                {"spread", measured.spread},
                {"gflop_per_second", giga_flops},
                {"gb_per_second", giga_bytes},
                {"verified", true},
                {"outcome", "ok"}});
    return fmt::format("| {} | {} | {:.4f} | {:.1f}% | {:.2f} | {:.0f} | ok |\n", each.benchmark,
                       assignments(each.sizes), measured.median * 1e3, measured.spread * 100,
                       giga_flops * 1e-3, giga_bytes);
  } catch (const Failed& failed) {
    row["outcome"] = failed.what;
    return fmt::format("| {} | {} | | | | | {} |\n", each.benchmark, assignments(each.sizes), failed.what);
  }
}

}  // namespace

void* open_first(const std::vector<std::string>& names) {
  std::string tried;
  for (const std::string& name : names) {
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
    tried += (tried.empty() ? "" : ", ") + name;
  }
  throw Skip{"none of these could be opened: " + tried};
}

std::vector<float> random_floats(std::size_t count) {
  static std::mt19937 random(seed);
  std::uniform_real_distribution<float> between(-1, 1);
  std::vector<float> values(count);
  for (float& each : values) each = between(random);
  return values;
}

void check_elements(const std::vector<float>& result, std::size_t terms,
                    const std::function<double(std::size_t index)>& truth) {
  std::mt19937_64 random(seed);
  const double bound = 8 * 0x1p-24 * static_cast<double>(terms);
  double largest = 0;
  for (int i = 0; i < 64; ++i) {
    const std::size_t index = random() % result.size();
    const double error = std::fabs(truth(index) - result[index]);
    largest = std::isnan(error) ? INFINITY : std::max(largest, error / bound);
  }
  if (largest > 1) throw Failed{fmt::format("wrong: {} of the bound", largest)};
}

void check_product(const std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& c,
                   std::size_t columns, std::size_t inner) {
  check_elements(c, inner, [&](std::size_t index) {
    const std::size_t row = index / columns, column = index % columns;
    double sum = 0;
    for (std::size_t k = 0; k < inner; ++k)
      sum += static_cast<double>(a[row * inner + k]) * b[k * columns + column];
    return sum;
  });
}

runtime::Measurement times_of(const std::function<double()>& once, std::size_t repetitions) {
  constexpr std::size_t warm_ups = 3;
  return *runtime::measure([&]() -> Result<double> { return once(); }, repetitions, warm_ups);
}

std::vector<std::size_t> lengths_of(const std::string& text) {
  std::vector<std::size_t> lengths;
  const char* next = text.data();
  const char* const end = next + text.size();
  while (true) {
    const auto [after, error] = std::from_chars(next, end, lengths.emplace_back());
    if (error != std::errc() || (after != end && *after != 'x'))
      throw CLI::ValidationError(text, "is no LENGTHxLENGTH...");
    constexpr std::size_t most = 1 << 30;  // libraries count in int
    if (lengths.back() == 0 || lengths.back() > most)
      throw CLI::ValidationError(text, "has a length that is not from 1 to 2^30");
    if (after == end) return lengths;
    next = after + 1;
  }
}

int report_library(const std::function<std::vector<LibraryCase>(json& common)>& cases, const Output& output) {
  constexpr int skipped = 77;
  try {
    json common{{"commit", output.commit}};
    std::vector<json> rows;
    std::string table =
        "| benchmark | sizes | median ms | spread | TFLOP/s | GB/s | outcome |\n"
        "|---|---|---:|---:|---:|---:|---|\n";
    bool all_right = true;
    for (const LibraryCase& each : cases(common)) {
      json& row = rows.emplace_back(common);
      row["benchmark"] = each.benchmark;
      for (const auto& [name, size] : each.sizes) row["sizes"][name] = size;
      table += measure(each, row);
      all_right = all_right && row["outcome"] == "ok";
      output.write_rows(rows);
    }
    output.write_table(table);
    return all_right ? 0 : 3;
  } catch (const Skip& skip) {
    std::cout << "skipped: " << skip.reason << "\n";
    return skipped;
  } catch (const Failed& failed) {
    std::cerr << "error: " << failed.what << "\n";
    return 2;
  }
}

}  // namespace hoist::bench
