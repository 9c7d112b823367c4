// Which model of streams serves a device.
#include "predict/predicted_streams.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "predict/models.hpp"
#include "predict/shipped_models.hpp"
#include "unit/predict/simulated_streams.hpp"

namespace hoist::predict {
namespace {

using ::testing::HasSubstr;

target::Target device(const char* name, target::Type type) {
  target::Target device;
  device.name = name;
  device.language = type == target::Type::Gpu ? target::Language::Cuda : target::Language::Host;
  device.type = type;
  return completed(std::move(device));
}

StreamModel invented(const std::string& device_class) {
  StreamTable table = simulated::table(simulated::gpu(), 3, 1, 1);
  table.device_class = device_class;
  auto model = StreamModel::learn(table, {});
  if (!model) throw Failure(model.error());
  return *std::move(model);
}

class PredictedStreams : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove(place_);
    store_.emplace(store::Store::open(place_).value());
  }
  void keep(const std::string& device_class, const std::string& content) {
    ASSERT_TRUE(store_->add_model(
        {.name = stream_model, .device_class = device_class, .schema = stream_model, .content = content}));
  }

  const std::string place_ = testing::TempDir() + "/streams.sqlite";
  std::optional<store::Store> store_;
};

TEST_F(PredictedStreams, AreByTheStoresModelOfTheDevice) {
  const target::Target h200 = device("NVIDIA H200", target::Type::Gpu);
  keep("nvidia-h200-cuda", invented("nvidia-h200-cuda").to_json().dump());
  const auto found = stream_model_for(h200, &*store_);
  ASSERT_TRUE(found) << found.error().render();
  EXPECT_EQ(found->model.device_class(), "nvidia-h200-cuda");
  EXPECT_EQ(found->origin, "from the store");
}

TEST_F(PredictedStreams, AModelOfOtherDevicesIsNotTaken) {
  keep("nvidia-h200-cuda", invented("cpu-host").to_json().dump());
  keep("cpu-host", "nonsense");
  for (const auto type : {target::Type::Gpu, target::Type::Cpu}) {
    const auto found = stream_model_for(device("NVIDIA H200", type), &*store_);
    // What ships serves, where there is such a model.
    if (found) {
      EXPECT_EQ(found->origin, "shipped with Hoist");
    } else {
      EXPECT_EQ(found.error().kind, ErrorKind::Unsupported);
      EXPECT_THAT(found.error().render(), HasSubstr("hoist train --streams"));
    }
  }
}

TEST(ShippedStreams, AreOfTheirFilesDevicesAndChooseNoMoreThanThereCanBe) {
  const std::string folder = std::string(stream_model) + "/";
  for (const ShippedModel& each : shipped_models()) {
    if (!each.name.starts_with(folder)) continue;
    SCOPED_TRACE(each.name);
    const auto model = StreamModel::parse(each.bytes, std::string(each.name));
    ASSERT_TRUE(model) << model.error().render();
    EXPECT_EQ(folder + model->device_class(), each.name);
    EXPECT_FALSE(model->provenance().empty());
    for (const StreamRecord& record : simulated::table(simulated::gpu(), 5, 2, 3).records) {
      const StreamChoice choice = model->choose({record.features, 2, 16});
      EXPECT_LE(choice.partitions, 2);
      EXPECT_LE(choice.tasks, 16);
      EXPECT_FALSE(choice.why.empty());
    }
  }
}

}  // namespace
}  // namespace hoist::predict
