// The table of kinds of device, and the ids that it reads.
#include "target/kinds.hpp"

#include <gmock/gmock.h>

namespace hoist::target {
namespace {

using testing::ElementsAre;

TEST(Kinds, HaveNamesOfTheirOwnThatAreReadBack) {
  EXPECT_THAT(names_of_kinds(), ElementsAre("opencl", "cuda", "host"));
  for (const Kind& kind : kinds()) {
    EXPECT_EQ(kind_of(kind.language).name, kind.name);
    EXPECT_EQ(language_named(kind.name), kind.language);
  }
  EXPECT_EQ(language_named("tpu"), std::nullopt);
  EXPECT_EQ(language_named(""), std::nullopt);
}

TEST(Kinds, OfCpusAloneAreMappedAsCpus) {
  EXPECT_EQ(kind_of(Language::OpenCL).mapping, Processor::Gpu);
  EXPECT_EQ(kind_of(Language::Cuda).mapping, Processor::Gpu);
  EXPECT_EQ(kind_of(Language::Host).mapping, Processor::Cpu);
}

TEST(DeviceIds, AreReadAndPrinted) {
  EXPECT_EQ(device_id("cuda"), DeviceId{Language::Cuda});
  EXPECT_EQ(device_id("opencl:12"), (DeviceId{Language::OpenCL, 12}));
  EXPECT_EQ(device_id("host"), DeviceId{Language::Host});
  for (const std::string& id : example_ids()) {
    ASSERT_TRUE(device_id(id)) << id;
    EXPECT_EQ(to_string(*device_id(id)), id);
  }
  EXPECT_THAT(example_ids(), ElementsAre("opencl", "opencl:0", "cuda", "cuda:0", "host"));
}

TEST(DeviceIds, AreOfAKindThatThereIs) {
  for (const char* text : {"", ":", ":0", "tpu", "tpu:0", "Cuda", "cudafoo", "cuda:", "cuda:x", "cuda:1x",
                           "cuda:-1", "cuda: 1", "cuda:0:0", "cuda:99999999999999999999999", "host:0"})
    EXPECT_EQ(device_id(text), std::nullopt) << text;
}

TEST(DeviceIds, MeanTheDeviceOrAnyOfTheKind) {
  Target second;
  second.id = "cuda:1";
  second.language = Language::Cuda;
  EXPECT_TRUE(device_id("cuda")->means(second));
  EXPECT_TRUE(device_id("cuda:1")->means(second));
  EXPECT_FALSE(device_id("cuda:0")->means(second));
  EXPECT_FALSE(device_id("opencl")->means(second));
  EXPECT_FALSE(device_id("host")->means(second));
}

TEST(Profiles, AreReadByName) {
  for (const Profile& each : profiles()) EXPECT_EQ(profile_named(each.name), &each);
  EXPECT_EQ(profile_named("tpu"), nullptr);
}

TEST(AnyDevice, PromisesWhatAllOfTheKindHave) {
  EXPECT_FALSE(any_device(Language::OpenCL).has_warps());
  EXPECT_TRUE(any_device(Language::Cuda).has_warps());
  EXPECT_FALSE(any_device(Language::Host).has_warps());
  for (const Kind& kind : kinds()) {
    EXPECT_EQ(any_device(kind.language).language, kind.language);
    EXPECT_FALSE(any_device(kind.language).has_images());
  }
}

TEST(UsualDevice, IsAsMostOfItsType) {
  const Target gpu = usual_device(Language::OpenCL, Type::Gpu);
  EXPECT_TRUE(gpu.has_warps());
  EXPECT_TRUE(gpu.has_images());
  EXPECT_EQ(gpu.profile.name, "gpu");
  EXPECT_EQ(gpu.machine, usual_machine(Processor::Gpu));
  EXPECT_TRUE(usual_device(Language::Cuda, Type::Gpu).has_images());
  EXPECT_FALSE(usual_device(Language::Host, Type::Cpu).has_images());
  const Target cpu = usual_device(Language::OpenCL, Type::Cpu);
  EXPECT_FALSE(cpu.has_warps());
  EXPECT_FALSE(cpu.has_images());
  EXPECT_EQ(cpu.profile.name, "cpu");
  EXPECT_EQ(cpu.machine, usual_machine(Processor::Cpu));
}

TEST(UsualDevice, OfAProfileIsWhatTheManualSays) {
  for (const char* name : {"gpu", "gpu-without-local-memory"}) {
    const Target gpu = usual_device(*profile_named(name));
    EXPECT_EQ(gpu.profile.name, name);
    EXPECT_EQ(gpu.least_group_size, 32U);
    EXPECT_EQ(gpu.max_group_size, 1024U);
    EXPECT_EQ(gpu.local_memory, 48U * 1024);
    EXPECT_EQ(own_profile(gpu.type, gpu.local_memory_is_dedicated), gpu.profile);
  }
  const Target cpu = usual_device(*profile_named("cpu"));
  EXPECT_EQ(cpu.language, Language::Host);
  EXPECT_EQ(cpu.profile.name, "cpu");
  EXPECT_EQ(cpu.least_group_size, 1U);
}

}  // namespace
}  // namespace hoist::target
