#include "reference/table.hpp"

#include <algorithm>

namespace hoist::bench {

namespace {

using Sizes = std::map<std::string, std::int64_t>;
using Device = target::Target;

/// Enough groups of `x` x `y` work-items for `items_x` x `items_y` x `items_z` of them.
runtime::Range covering(std::int64_t items_x, std::int64_t x, std::int64_t items_y = 1, std::int64_t y = 1,
                        std::int64_t items_z = 1) {
  auto up = [](std::int64_t items, std::int64_t group) {
    return static_cast<std::size_t>((items + group - 1) / group * group);
  };
  runtime::Range range;
  range.global = {up(items_x, x), up(items_y, y), up(items_z, 1)};
  range.local = {static_cast<std::size_t>(x), static_cast<std::size_t>(y), 1};
  return range;
}

/// One work-item an element, in the groups that Hoist's launches have for as many.
ReferencePlan elementwise(std::vector<std::pair<std::string, std::int64_t>> kernels) {
  const std::int64_t items = kernels.back().second;
  const std::int64_t group = items >= 1 << 20 ? 512 : items <= 1 << 15 ? 64 : 128;
  ReferencePlan plan;
  plan.defines = {{"GROUP", group}};
  for (const auto& [kernel, count] : kernels) plan.launches.push_back({kernel, covering(count, group)});
  return plan;
}

ReferencePlan nbody_nvidia(const Sizes& sizes, const Device&) {
  return {{{"nbody", covering(sizes.at("N"), 256)}}, {}, 0};
}
ReferencePlan nbody_amd(const Sizes& sizes, const Device&) {
  return elementwise({{"nbody", sizes.at("N") / 4}});
}
ReferencePlan md(const Sizes& sizes, const Device&) { return elementwise({{"md", sizes.at("N")}}); }
ReferencePlan kmeans(const Sizes& sizes, const Device&) { return elementwise({{"kmeans", sizes.at("N")}}); }
ReferencePlan nn(const Sizes& sizes, const Device&) { return elementwise({{"nn", sizes.at("N")}}); }

ReferencePlan mriq(const Sizes& sizes, const Device&) {
  ReferencePlan plan = elementwise({{"magnitudes", sizes.at("K")}, {"matrix_q", sizes.at("N")}});
  plan.temporary_bytes = static_cast<std::size_t>(sizes.at("K")) * 16;
  return plan;
}

ReferencePlan convolution(const Sizes& sizes, const Device&) {
  const std::int64_t rows = 64 * sizes.at("P"), columns = 128 * sizes.at("Q");
  return {{{"along_rows", covering(columns / 8, 16, rows, 8)},
           {"along_columns", covering(columns, 16, rows / 8, 8)}},
          {},
          static_cast<std::size_t>(rows * columns) * 4};
}

ReferencePlan atax(const Sizes& sizes, const Device&) {
  return {{{"a_times_x", covering(sizes.at("M") * 128, 128)},
           {"transposed_times_ax", covering(sizes.at("N"), 128)}},
          {},
          static_cast<std::size_t>(sizes.at("M")) * 4};
}

ReferencePlan gemv(const Sizes& sizes, const Device&) {
  return {{{"gemv", covering(sizes.at("M") * 128, 128)}}, {}, 0};
}
ReferencePlan gesummv(const Sizes& sizes, const Device&) {
  return {{{"gesummv", covering(sizes.at("N") * 128, 128)}}, {}, 0};
}

ReferencePlan mm_amd(const Sizes& sizes, const Device&) {
  return {{{"matmul", covering(sizes.at("N") / 4, 16, sizes.at("M") / 8, 8)}}, {}, 0};
}
ReferencePlan mm_nvidia(const Sizes& sizes, const Device&) {
  return {{{"matmul", covering(sizes.at("N") / 4, 16, sizes.at("M") / 4, 16)}}, {}, 0};
}

ReferencePlan stencil2d(const Sizes& sizes, const Device&) {
  return {{{"jacobi", covering(sizes.at("W") / 4, 128, (sizes.at("H") + 1) / 2, 4)}}, {}, 0};
}
ReferencePlan stencil3d(const Sizes& sizes, const Device&) {
  constexpr std::int64_t planes = 16;
  return {
      {{"jacobi", covering(sizes.at("W") / 4, 32, sizes.at("H"), 8, (sizes.at("D") + planes - 1) / planes)}},
      {{"PLANES", planes}},
      0};
}

/// A few groups a compute unit, each with many elements to add up.
ReferencePlan reduction(const Sizes& sizes, const Device& device) {
  const auto units = static_cast<std::int64_t>(device.compute_units);
  const std::int64_t groups = std::clamp<std::int64_t>(sizes.at("N") / 4 / 256, 1, 16 * units);
  return {{{"partial", covering(groups * 256, 256)}, {"total", covering(256, 256)}},
          {{"GROUPS", groups}},
          static_cast<std::size_t>(groups) * 4};
}

}  // namespace

// The sizes small and large are those of Table 4.2 (16K = 16384, 8M = 8388608; md's 12K and 74K, k-means'
// 0.2M and 0.8M are the sizes of SHOC and Rodinia that they round); test is for the interpreter.
const std::vector<Reference>& references() {
  using Set = std::map<std::string, driver::NamedSizes>;
  auto square = [](driver::NamedSizes test) {
    return Set{{"test", std::move(test)},
               {"small", {{"M", 4096}, {"N", 4096}}},
               {"large", {{"M", 8192}, {"N", 8192}}}};
  };
  auto product = [](driver::NamedSizes test) {
    return Set{{"test", std::move(test)},
               {"small", {{"M", 1024}, {"N", 1024}, {"K", 1024}}},
               {"large", {{"M", 4096}, {"N", 4096}, {"K", 4096}}}};
  };
  const Set cube{{"test", {{"D", 32}, {"H", 13}, {"W", 20}}},
                 {"small", {{"D", 256}, {"H", 256}, {"W", 256}}},
                 {"large", {{"D", 512}, {"H", 512}, {"W", 512}}}};
  const Set vector{{"test", {{"N", 32768}}}, {"small", {{"N", 1 << 24}}}, {"large", {{"N", 1 << 26}}}};
  static const std::vector<Reference> all{
      {"nbody_nvidia",
       true,
       {{"test", {{"N", 512}}}, {"small", {{"N", 16384}}}, {"large", {{"N", 131072}}}},
       nbody_nvidia},
      {"nbody_amd",
       true,
       {{"test", {{"N", 256}}}, {"small", {{"N", 16384}}}, {"large", {{"N", 131072}}}},
       nbody_amd},
      {"md",
       true,
       {{"test", {{"N", 251}, {"J", 17}}},
        {"small", {{"N", 12288}, {"J", 128}}},
        {"large", {{"N", 73728}, {"J", 128}}}},
       md},
      {"kmeans",
       true,
       {{"test", {{"N", 251}, {"K", 7}, {"F", 11}}},
        {"small", {{"N", 204800}, {"K", 5}, {"F", 34}}},
        {"large", {{"N", 819200}, {"K", 5}, {"F", 34}}}},
       kmeans},
      {"nn", true, {{"test", {{"N", 1009}}}, {"small", {{"N", 1 << 23}}}, {"large", {{"N", 1 << 25}}}}, nn},
      {"mriq",
       true,
       {{"test", {{"N", 113}, {"K", 61}}},
        {"small", {{"N", 32768}, {"K", 2048}}},
        {"large", {{"N", 262144}, {"K", 2048}}}},
       mriq},
      {"convolution",
       true,
       {{"test", {{"P", 2}, {"Q", 2}}},
        {"small", {{"P", 64}, {"Q", 32}}},
        {"large", {{"P", 128}, {"Q", 64}}}},
       convolution},
      {"atax", true, square({{"M", 256}, {"N", 384}}), atax},
      {"gemv", true, square({{"M", 61}, {"N", 512}}), gemv},
      {"gesummv",
       true,
       {{"test", {{"N", 256}}}, {"small", {{"N", 4096}}}, {"large", {{"N", 8192}}}},
       gesummv},
      {"mm_amd", true, product({{"M", 48}, {"N", 68}, {"K", 37}}), mm_amd},
      {"mm_nvidia", true, product({{"M", 64}, {"N", 128}, {"K", 48}}), mm_nvidia},
      {"jacobi2d5",
       false,
       {{"test", {{"H", 46}, {"W", 60}}},
        {"small", {{"H", 4096}, {"W", 4096}}},
        {"large", {{"H", 8192}, {"W", 8192}}}},
       stencil2d},
      {"jacobi3d7", false, cube, stencil3d},
      {"jacobi3d27", false, cube, stencil3d},
      {"dot", false, vector, reduction},
      {"asum", false, vector, reduction},
  };
  return all;
}

}  // namespace hoist::bench
