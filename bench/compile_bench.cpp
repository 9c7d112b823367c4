// How fast the compiler is: the low-level matrix product, tiled and register-blocked, from term to OpenCL
// source with different tile sizes; and parsing and checking every program that ships. Prints JSON rows.
#include <chrono>
#include <cstdio>
#include <string>

#include "base/stopwatch.hpp"
#include "codegen/codegen.hpp"
#include "driver/compile.hpp"
#include "driver/suite.hpp"
#include "lang/lang.hpp"
#include "lower/lower.hpp"

namespace {

using Clock = std::chrono::steady_clock;
[[noreturn]] void stop(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
  using namespace hoist;
  int kernels_wanted = count > 1 ? std::stoi(arguments[1]) : 2000;
  const std::string root = HOIST_SOURCE_DIR;

  ir::Arena arena;
  auto source = driver::read_source(root + "/bench/matmul_blocked.hoist");
  if (!source) stop(source.error().render());
  auto program = lang::parse_program(*source);
  if (!program) stop(program.error().render(&*source));

  // Tile sizes that divide one another, as a search would try them.
  struct Tiles {
    std::int64_t tile, depth, rows, columns;
  };
  std::vector<Tiles> candidates;
  for (std::int64_t tile : {32, 64, 128}) {
    for (std::int64_t depth : {4, 8, 16, 32}) {
      for (std::int64_t rows : {2, 4, 8}) {
        for (std::int64_t columns : {2, 4, 8}) {
          if ((tile / rows) * (tile / columns) <= 1024) candidates.push_back({tile, depth, rows, columns});
        }
      }
    }
  }
  std::size_t made = 0, bytes = 0;
  auto start = Clock::now();
  while (made < static_cast<std::size_t>(kernels_wanted)) {
    const Tiles& tiles = candidates[made % candidates.size()];
    // The problem's size differs from round to round, so that nothing is found from the round before.
    std::int64_t size = 1024 + 128 * static_cast<std::int64_t>(made / candidates.size());
    ir::Arena of_this_candidate;
    auto sized = driver::with_sizes(*program, {{"M", size},
                                               {"N", size},
                                               {"K", size},
                                               {"tile", tiles.tile},
                                               {"depth", tiles.depth},
                                               {"rows", tiles.rows},
                                               {"columns", tiles.columns}});
    if (!sized) stop(sized.error().render());
    auto plan = lower::lower(*sized);
    if (!plan) stop(plan.error().render());
    auto text = codegen::opencl(*plan);
    if (!text) stop(text.error().render());
    bytes += text->size();
    ++made;
  }
  double elapsed = seconds_since(start);
  std::printf(
      "{\"benchmark\": \"compile_matmul_blocked\", \"kernels\": %zu, \"seconds\": %.3f, "
      "\"kernels_per_second\": %.0f, "
      "\"source_bytes_each\": %zu, \"wanted\": 1000}\n",
      made, elapsed, static_cast<double>(made) / elapsed, bytes / made);

  double slowest = 0;
  std::string slowest_name;
  for (const char* folder : {"/kernels", "/kernels/low-level"}) {
    auto suite = driver::load_suite(root + folder);
    if (!suite) stop(suite.error().render());
    for (const driver::SuiteProgram& each : *suite) {
      auto text = driver::read_source(each.path);
      if (!text) stop(text.error().render());
      double best = 1e9;
      for (int round = 0; round < 5; ++round) {
        ir::Arena own;
        auto begin = Clock::now();
        auto parsed = lang::parse_program(*text);
        if (!parsed) stop(parsed.error().render(&*text));
        best = std::min(best, seconds_since(begin));
      }
      if (best > slowest) {
        slowest = best;
        slowest_name = each.name;
      }
    }
  }
  std::printf(
      "{\"benchmark\": \"parse_and_check\", \"slowest\": \"%s\", \"milliseconds\": %.3f, \"wanted\": 5}\n",
      slowest_name.c_str(), slowest * 1e3);
  return 0;
}
