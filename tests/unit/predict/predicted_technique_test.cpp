// From a program and a device to how its input is loaded, by models that learned from invented stencils.
#include "predict/predicted_technique.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "driver/compile.hpp"
#include "predict/models.hpp"
#include "support/executed.hpp"

namespace hoist::predict {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing_support::program_of;

target::Target gpu() {
  target::Target device;
  device.name = "NVIDIA H200";
  device.vendor = "NVIDIA";
  device.language = target::Language::Cuda;
  device.type = target::Type::Gpu;
  device.local_memory = 232448;
  device.largest_image = {131072, 65536};
  return completed(std::move(device));
}

/// Planes of many elements are fastest from local memory, small ones from images.
TechniqueModel invented(const std::string& device_class) {
  TechniqueTable table{device_class, {}, {}};
  for (int radius = 1; radius <= 5; ++radius) {
    const double side = 2 * radius + 1;
    for (const double size : {side * side, 4.0 * radius + 1}) {
      StencilRecord record{fmt::format("{}_{}", size, radius), "plane", {}, {}};
      record.traits = {size, 2, size / side / side, UniqueDimension::Z, 1, 1};
      auto& hybrid = record.searches[static_cast<std::size_t>(Heuristic::Hybrid)];
      const double seconds[] = {4, 5, size > 12 ? 1.0 : 3.0, 2};
      for (std::size_t i = 0; i < hybrid.size(); ++i) hybrid[i].seconds = seconds[i];
      table.stencils.push_back(record);
    }
  }
  auto model = TechniqueModel::learn(table, {});
  if (!model) throw Failure(model.error());
  return *std::move(model);
}

class PredictedTechnique : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove(place_);
    store_.emplace(store::Store::open(place_).value());
  }
  void keep(const TechniqueModel& model) {
    ASSERT_TRUE(store_->add_model({.name = technique_model,
                                   .device_class = model.device_class(),
                                   .schema = technique_model,
                                   .content = model.to_json().dump()}));
  }
  Result<TechniqueChoice> told(const std::string& text, const target::Target& device = gpu()) {
    const ir::Program sized = driver::with_sizes(program_of(text), {{"H", 64}, {"W", 64}}).value();
    return predicted_technique(sized, device, &*store_);
  }

  ir::Arena arena_;
  const std::string place_ = testing::TempDir() + "/techniques.sqlite";
  std::optional<store::Store> store_;
};

std::string window(int radius) {
  return fmt::format(
      "def window(u: [H + {0}][W + {0}]f32): [H][W]f32 =\n"
      "  u |> slide2({1}, 1) |> map2(n => n |> join |> map(e => 0.5 * e) |> reduce(+, 0.0))\n",
      2 * radius, 2 * radius + 1);
}
constexpr const char* star =
    "def star(u: [H + 2][W + 2]f32): [H][W]f32 =\n"
    "  u |> slide2(3, 1) |> map2(n => 0.2 * (n[1][1] + n[0][1] + n[2][1] + n[1][0] + n[1][2]))\n";

TEST_F(PredictedTechnique, FollowsFromWhatAProgramReads) {
  keep(invented("nvidia-h200-cuda"));
  const auto large = told(window(3));
  ASSERT_TRUE(large) << large.error().render();
  EXPECT_EQ(large->technique, Technique::Local);
  EXPECT_THAT(
      large->explanation,
      StartsWith("local memory: 49 points of 49 in the box around them, in two dimensions, x and y; such "
                 "stencils are "));
  EXPECT_EQ(large->origin, "from the store");
  EXPECT_EQ(large->device_class, "nvidia-h200-cuda");
  const auto small = told(star);
  ASSERT_TRUE(small) << small.error().render();
  EXPECT_EQ(small->technique, Technique::Image);
  EXPECT_THAT(small->explanation, StartsWith("images: 5 points of 9 in the box around them"));
}

TEST_F(PredictedTechnique, IsOneThatTheDeviceHas) {
  keep(invented("nvidia-h200-cuda"));
  target::Target device = gpu();
  device.largest_image = {0, 0};
  const auto small = told(star, device);
  ASSERT_TRUE(small);
  EXPECT_EQ(small->technique, Technique::Local);
  EXPECT_THAT(small->explanation, HasSubstr("images would be faster, but the device has none"));
  device.local_memory = 0;
  EXPECT_EQ(told(star, device)->technique, Technique::Global);
}

TEST_F(PredictedTechnique, StepsAsideWithAReason) {
  target::Target processor = gpu();
  processor.name = "A processor";
  processor.type = target::Type::Cpu;
  const auto no_model = told(star, processor);
  ASSERT_FALSE(no_model);
  EXPECT_EQ(no_model.error().kind, ErrorKind::Unsupported);
  EXPECT_THAT(no_model.error().render(),
              HasSubstr("no model of loading techniques for devices like A processor"));
  keep(invented("nvidia-h200-cuda"));
  EXPECT_FALSE(told(star, processor)) << "a model of GPUs is none of processors";
  const auto sums = told("def sums(u: [H][W]f32): [H]f32 = u |> map(reduce(+, 0.0))\n");
  ASSERT_FALSE(sums);
  EXPECT_EQ(sums.error().kind, ErrorKind::User);
  EXPECT_THAT(sums.error().render(), HasSubstr("the program is no stencil: "));
}

TEST_F(PredictedTechnique, ComesFromTheModelThatShipsWhereTheStoreHasNone) {
  keep(invented("cpu-host"));
  const auto shipped = told(star);
  ASSERT_TRUE(shipped) << shipped.error().render();
  EXPECT_EQ(shipped->origin, "shipped with Hoist");
}

TEST(TechniqueOfCoordinates, IsWhatTheySay) {
  const auto told = [](std::int64_t local, std::int64_t image, std::int64_t width) {
    std::vector<variants::Coordinate> coordinates(3);
    coordinates[0].name = "LOCAL";
    coordinates[0].value = local;
    coordinates[1].name = "VX";
    coordinates[1].value = width;
    coordinates[2].name = "IMAGE";
    coordinates[2].value = image;
    return technique_of(coordinates);
  };
  EXPECT_EQ(told(0, 0, 1), Technique::Global);
  EXPECT_EQ(told(0, 0, 4), Technique::Vector);
  EXPECT_EQ(told(1, 0, 1), Technique::Local);
  EXPECT_EQ(told(0, 1, 1), Technique::Image);
  EXPECT_EQ(technique_of(std::vector<variants::Coordinate>()), std::nullopt);
}

}  // namespace
}  // namespace hoist::predict
