// Which model of streams serves a device, and how long its choice for a program takes.
#include "predict/predicted_streams.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <malloc.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/stopwatch.hpp"
#include "driver/suite.hpp"
#include "lang/lang.hpp"
#include "predict/models.hpp"
#include "predict/shipped_models.hpp"
#include "support/sanitized.hpp"
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

StreamModel invented(const std::string& device_class, std::size_t programs = 3, std::size_t sizes = 1) {
  StreamTable table = simulated::table(simulated::gpu(), programs, sizes, 1);
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

loop::Plan plan_of(const driver::SuiteProgram& each, const std::string& sizes, const target::Target& target) {
  const auto source = driver::read_source(each.path);
  if (!source) throw Failure(source.error());
  const auto program = lang::parse_program(*source);
  if (!program) throw Failure(program.error());
  const auto sized = driver::with_sizes(*program, each.sizes.at(sizes));
  if (!sized) throw Failure(sized.error());
  const auto compiled = driver::compile(*sized, driver::options_for(target));
  if (!compiled) throw Failure(compiled.error());
  return compiled->plan;
}

/// Libraries of devices' drivers that this process has opened.
std::size_t open_drivers() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);)
    count += line.find("OpenCL") != std::string::npos || line.find("pocl") != std::string::npos ||
                     line.find("cuda") != std::string::npos
                 ? 1
                 : 0;
  return count;
}

/// Reading the model from the store and the plan's features are part of it: all that a first call waits for
/// beside the compiler. It is done for each program that ships, at the sizes of benchmarks.
TEST_F(PredictedStreams, AChoiceForAProgramTakesMillisecondsAndNoDevice) {
  const target::Target h200 = device("NVIDIA H200", target::Type::Gpu);
  keep("nvidia-h200-cuda", invented("nvidia-h200-cuda", 10, 3).to_json().dump());
  const std::size_t drivers = open_drivers();
  double longest = 0;
  std::size_t most_kept = 0;
  std::string slowest;
  const auto suite = driver::load_suite(std::filesystem::path(HOIST_SOURCE_DIR) / "kernels").value();
  for (const driver::SuiteProgram& each : suite) {
    ir::Arena arena;
    const loop::Plan plan = plan_of(each, "bench", h200);
    // Of the thread, the least of several times: other work on the machine is not the model's.
    double least = 1;
    for (int i = 0; i < 5; ++i) {
      const std::size_t before = mallinfo2().uordblks;
      const double start = processor_seconds_of_thread();
      const auto chosen = chosen_streams(plan, h200, 132, &*store_);
      least = std::min(least, processor_seconds_of_thread() - start);
      ASSERT_TRUE(chosen) << each.name << ": " << chosen.error().render();
      const std::size_t after = mallinfo2().uordblks;
      if (i > 0 && after > before) most_kept = std::max(most_kept, after - before);
    }
    if (least > longest) slowest = each.name;
    longest = std::max(longest, least);
  }
  EXPECT_LE(longest, is_sanitized ? 5e-2 : 5e-3) << slowest;
  EXPECT_EQ(open_drivers(), drivers) << "a choice reads numbers and computes";
  EXPECT_LE(most_kept, 1U << 20) << "bytes of the host";
  RecordProperty("choice_microseconds", static_cast<int>(1e6 * longest));
  RecordProperty("bytes_kept", static_cast<int>(most_kept));
}

TEST_F(PredictedStreams, AChoiceForEachNumberOfPartitionsIsThatOfADeviceThatHasThem) {
  const target::Target h200 = device("NVIDIA H200", target::Type::Gpu);
  keep("nvidia-h200-cuda", invented("nvidia-h200-cuda", 10, 3).to_json().dump());
  const auto suite = driver::load_suite(std::filesystem::path(HOIST_SOURCE_DIR) / "kernels").value();
  for (const driver::SuiteProgram& each : suite) {
    if (each.name != "jacobi2d5" && each.name != "matmul_nn" && each.name != "nbody") continue;
    ir::Arena arena;
    const loop::Plan plan = plan_of(each, "bench", h200);
    const auto all = chosen_by_partitions(plan, h200, 16, &*store_).value();
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all.front().first, 1U);
    for (std::size_t most = 1; most <= 16; ++most) {
      const StreamChoice wanted = chosen_streams(plan, h200, most, &*store_)->choice;
      StreamChoice found;
      for (const auto& [least, choice] : all) {
        if (least <= most) found = choice;
      }
      EXPECT_EQ(found.partitions, wanted.partitions) << each.name << " with " << most;
      EXPECT_EQ(found.tasks, wanted.tasks) << each.name << " with " << most;
    }
  }
}

}  // namespace
}  // namespace hoist::predict
