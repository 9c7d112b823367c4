// Targets are printed and read in one place.
#include "target/json.hpp"

#include <gmock/gmock.h>

#include "target/kinds.hpp"

namespace hoist::target {
namespace {

using Json = nlohmann::ordered_json;

/// Every field has a value that no other target of these tests has.
Target unusual() {
  Target told;
  told.id = "opencl:3";
  told.name = "a device";
  told.vendor = "a vendor";
  told.platform = "a platform";
  told.version = "OpenCL 9";
  told.driver = "1.2.3";
  told.language = Language::OpenCL;
  told.type = Type::Accelerator;
  told.compute_units = 7;
  told.global_memory = std::size_t{1} << 40;
  told.largest_buffer = std::size_t{1} << 39;
  told.local_memory = 12345;
  told.cache_line = 32;
  told.caches = {1 << 15, 1 << 20, 1 << 25};
  told.local_memory_is_dedicated = true;
  told.max_group_size = 640;
  told.max_group_sizes = {640, 320, 160};
  told.preferred_group_multiple = 16;
  told.sub_group_sizes = {8, 16};
  told.largest_image = {100, 200};
  told.most_pixels = 15000;
  told.preferred_f32_vector = 2;
  told.instruction_set = "sse4.2";
  told.has_f64 = true;
  told.clock_mhz = 1234;
  return completed(told);
}

TEST(TargetJson, ReadsWhatItPrints) {
  const Target target = unusual();
  EXPECT_EQ(from_json(to_json(target), Target()), target);
  EXPECT_EQ(from_json(Json::parse(to_json(target).dump()), Target()), target);
  for (const Kind& kind : kinds()) {
    const Target usual = usual_device(kind.language, kind.usual_type);
    EXPECT_EQ(from_json(to_json(usual), Target()), usual);
  }
}

TEST(TargetJson, NamesLanguageAndType) {
  const Json json = to_json(unusual());
  EXPECT_EQ(json["language"], "opencl");
  EXPECT_EQ(json["type"], "accelerator");
  EXPECT_FALSE(json.contains("machine")) << "it follows";
}

TEST(TargetJson, KeepsTheUsualWhereNothingIsSaid) {
  const Target usual = usual_device(Language::Cuda, Type::Gpu);
  EXPECT_EQ(from_json(Json::object(), usual), usual);
  EXPECT_EQ(from_json(Json::parse("no json", nullptr, false), usual), usual);
  const Target changed = from_json(Json{{"cache_line", 64}, {"warps", {32}}}, usual);
  EXPECT_EQ(changed.cache_line, 64U);
  EXPECT_EQ(changed.machine.line_bytes, 64) << "what follows from it is made anew";
  EXPECT_EQ(changed.max_group_size, usual.max_group_size);
}

}  // namespace
}  // namespace hoist::target
