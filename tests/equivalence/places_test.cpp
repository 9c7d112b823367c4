// Programs on several memories as native code: parts of random sizes of the host, and of OpenCL's device,
// in rows and in grids, give the bits of one device. What loop interpreters show is that the numbers are the
// same ones in the same order (streams_test.cpp); here it is that compilers make the same of them in each
// part. Sums that places hand on are added up part after part: of those it is shown that two runs are equal,
// and that they are near.
//
// HOIST_SLOW=1 runs many more; HOIST_SEED=n runs only the program of that seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "base/random.hpp"
#include "driver/inputs.hpp"
#include "equivalence/random_formula.hpp"
#include "execute/executable.hpp"
#include "execute/placed_executable.hpp"
#include "interpret/compare.hpp"
#include "runtime/devices.hpp"
#include "support/executed.hpp"
#include "support/slow.hpp"

namespace hoist::execute {
namespace {

using testing_support::is_slow;
using testing_support::RandomNest;

struct Tally {
  int cut = 0, refused = 0, handed_on = 0, grids = 0;
};

std::vector<std::span<const std::byte>> leaves_of(const std::vector<Data>& inputs) {
  std::vector<std::span<const std::byte>> result;
  for (const Data& data : inputs) {
    for (const Tensor& tensor : data) result.emplace_back(tensor.bytes);
  }
  return result;
}

/// Runs over poisoned memory.
Data placed_run(PlacedExecutable& executable, const std::vector<Data>& inputs, Data shape) {
  const auto leaves = leaves_of(inputs);
  for (Tensor& tensor : shape) std::fill(tensor.bytes.begin(), tensor.bytes.end(), std::byte{});
  if (auto poisoned = executable.poison(); !poisoned) throw std::runtime_error(poisoned.error().render());
  const auto times = executable.run(
      [&](std::size_t input, const runtime::Rows& rows) -> Result<RowsAt<const std::byte>> {
        return RowsAt<const std::byte>{leaves[input].data() + rows.offset, rows.pitch};
      },
      [&](std::size_t output, const runtime::Rows& rows) {
        return RowsAt<std::byte>{shape[output].bytes.data() + rows.offset, rows.pitch};
      });
  if (!times) throw std::runtime_error(times.error().render());
  return shape;
}

void expect_same_bits(const Data& expected, const Data& got, const std::string& what) {
  ASSERT_EQ(expected.size(), got.size());
  for (std::size_t leaf = 0; leaf < expected.size(); ++leaf) {
    if (expected[leaf].bytes == got[leaf].bytes) continue;
    const std::size_t width = size_of(expected[leaf].scalar);
    std::size_t first = 0, count = 0;
    for (std::size_t at = 0; at * width < expected[leaf].bytes.size(); ++at) {
      const auto element = [&](const Tensor& tensor) {
        return std::span(tensor.bytes).subspan(at * width, width);
      };
      if (std::ranges::equal(element(expected[leaf]), element(got[leaf]))) continue;
      if (count++ == 0) first = at;
    }
    FAIL() << count << " of " << expected[leaf].bytes.size() / width << " elements differ in output " << leaf
           << ", the first at " << first << what;
  }
}

void expect_same_on(runtime::Device& device, const RandomNest& nest, bool is_grid, std::uint64_t seed,
                    Tally& tally) {
  Random random(seed);
  ir::Arena arena;
  const ir::Program sized = driver::with_sizes(testing_support::program_of(nest.text), nest.sizes).value();
  const auto inputs = driver::random_inputs(sized, {}, seed).value();
  std::string what = fmt::format("\nseed {}: {}", seed, nest.text);
  for (const auto& [name, size] : nest.sizes) what += fmt::format("{}={} ", name, size);
  const auto compiled = driver::compile(sized, driver::options_for(device.info()));
  ASSERT_TRUE(compiled) << compiled.error().render() << what;
  const std::size_t partitions = is_grid && device.info().language == target::Language::OpenCL ? 2 : 1;
  PlaceOptions options;
  what += "weights";
  std::size_t places = 2 + random.below(6);
  if (is_grid) {
    options.grid = {1 + random.below(3), 2 + random.below(2)};
    places = options.grid->rows * options.grid->columns;
    what += fmt::format(" of a grid of {} by {}:", options.grid->rows, options.grid->columns);
  }
  for (std::size_t place = places; place > 0; --place) {
    options.weights.push_back(1.0 + static_cast<double>(random.below(3)));
    what += fmt::format(" {}", options.weights.back());
  }
  auto partitioning = device.partitions(partitions).value();
  LocalPlaces local;
  for (std::size_t place = 0; place < options.weights.size(); ++place)
    local.places.push_back({&device, partitioning.partitions[place % partitions].get()});
  auto placed = PlacedExecutable::prepare(*compiled, options, std::move(local));
  if (!placed) {
    EXPECT_NE(placed.error().kind, ErrorKind::Bug) << placed.error().render() << what;
    tally.refused += is_grid ? 0 : 1;
    return;
  }
  ++(is_grid ? tally.grids : tally.cut);
  auto alone = Executable::prepare(device, *compiled);
  ASSERT_TRUE(alone) << alone.error().render() << what;
  const Data expected = alone->run_on(inputs).value();
  const Data got = placed_run(*placed, inputs, expected);
  if (placed->plan().handed_on.empty()) return expect_same_bits(expected, got, what);
  ++tally.handed_on;
  expect_same_bits(got, placed_run(*placed, inputs, expected), what + "\ntwo runs\n");
  const auto compared = interpret::compare(expected, got, interpret::error_bound(sized, {}));
  ASSERT_TRUE(compared) << compared.error().render() << what;
  EXPECT_TRUE(compared->agrees()) << interpret::to_string(*compared) << what;
}

void expect_all_same_on(const std::string& name) {
  auto device = runtime::open_device(name);
  if (!device) GTEST_SKIP() << device.error().render();
  // OpenCL's compiler takes several times as long as the host's.
  std::uint64_t from = 1, to = (is_slow() ? 960 : 24) / (name == "host" ? 1 : 4);
  if (const char* only = std::getenv("HOIST_SEED")) from = to = std::strtoull(only, nullptr, 10);
  Tally tally;
  for (std::uint64_t seed = from; seed <= to; ++seed) {
    for (const bool is_grid : {false, true})
      expect_same_on(**device, testing_support::random_formula(seed), is_grid, seed, tally);
    if (testing::Test::HasFatalFailure()) return;
  }
  std::printf("cut %d, refused %d, handed on %d, in grids %d\n", tally.cut, tally.refused, tally.handed_on,
              tally.grids);
  EXPECT_GE(10 * tally.cut, 8 * static_cast<int>(to - from + 1));
  if (from != to) {
    EXPECT_GT(tally.grids, 0);
  }
}

TEST(Places, FormulasOnTheHost) { expect_all_same_on("host"); }
TEST(Places, FormulasOnOpenCl) { expect_all_same_on("opencl"); }

}  // namespace
}  // namespace hoist::execute
