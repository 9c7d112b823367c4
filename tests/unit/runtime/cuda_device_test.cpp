// The CUDA runtime over a fake driver, which runs kernels on the processor and fails when it is told to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/cuda/compiler.hpp"
#include "runtime/cuda/cuda_device.hpp"
#include "runtime/devices.hpp"
#include "support.hpp"

namespace hoist::runtime {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace testing;

constexpr const char* kernels = R"(
extern "C" __global__ void plus_one(const float* __restrict__ x, float* __restrict__ y, const int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = x[i] + 1;
}
extern "C" __global__ void __launch_bounds__(8) reversed(float* __restrict__ x, const double scale) {
  __shared__ float t[8];
  t[threadIdx.x] = x[8 * blockIdx.x + threadIdx.x];
  __syncthreads();
  x[8 * blockIdx.x + threadIdx.x] = scale * t[7 - threadIdx.x];
}
extern "C" __global__ void bad(float* __restrict__ x) { x[0] = 0; }
)";

class FakeCuda : public ::testing::Test {
 protected:
  std::unique_ptr<Device> open(const std::string& id = "cuda:0") {
    auto device = open_device(id);
    if (!device) throw std::runtime_error(device.error().render());
    return std::move(*device);
  }
  static std::string refusal(const std::string& id = "cuda:0") {
    const auto device = open_device(id);
    return device ? "opened" : text_of(device.error());
  }
  static std::vector<std::string> ids() {
    std::vector<std::string> result;
    for (const target::Target& each : cuda::list_devices(nullptr)) result.push_back(each.id);
    return result;
  }

  ScopedVariable driver_{"HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA};
  ScopedVariable nvrtc_{"HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA};
};

void expect_runs(Device& device) {
  const auto program = device.build(kernels);
  ASSERT_TRUE(succeeded(program));
  const auto kernel = (*program)->kernel("plus_one");
  ASSERT_TRUE(succeeded(kernel));
  const auto x = upload(device, std::vector<float>{1, 2, 3});
  const auto y = upload(device, std::vector<float>{0, 0, 0});
  const Argument arguments[] = {x.get(), y.get(), ScalarValue::of_integer(Scalar::I32, 3)};
  const auto seconds = device.launch(**kernel, arguments, {{8, 1, 1}, {4, 1, 1}});
  ASSERT_TRUE(succeeded(seconds));
  EXPECT_FLOAT_EQ(static_cast<float>(*seconds), 1.5e-3F);
  EXPECT_THAT(download<float>(device, *y), ElementsAre(2, 3, 4));
}

TEST_F(FakeCuda, ImagesAreTexturesOverTheBuffersOwnMemory) {
  const auto owner = open();
  Device& device = *owner;
  const auto program = device.build(R"(
extern "C" __global__ void copy(const cudaTextureObject_t x, float* __restrict__ y) {
  y[threadIdx.x] = tex1Dfetch<float>(x, threadIdx.x);
}
extern "C" __global__ void last(const cudaTextureObject_t x, int* __restrict__ y) {
  y[threadIdx.x] = tex1Dfetch<int4>(x, threadIdx.x).w;
}
extern "C" __global__ void negate(float* __restrict__ x) { x[threadIdx.x] = -x[threadIdx.x]; }
)");
  ASSERT_TRUE(succeeded(program));
  const auto copy = (*program)->kernel("copy"), last = (*program)->kernel("last"),
             negate = (*program)->kernel("negate");
  ASSERT_TRUE(succeeded(copy) && succeeded(last) && succeeded(negate));
  const auto x = upload(device, std::vector<float>{1, 2, 3, 4, 5, 6}),
             y = upload(device, std::vector<float>(6));
  const Argument image[] = {ImageArgument{x.get(), Scalar::F32, 1, 3, 2}, y.get()}, plain[] = {x.get()};
  const Range six{{6, 1, 1}, {6, 1, 1}};
  ASSERT_TRUE(succeeded(device.launch(**copy, image, six)));
  EXPECT_THAT(download<float>(device, *y), ElementsAre(1, 2, 3, 4, 5, 6));
  ASSERT_TRUE(succeeded(device.launch(**negate, plain, six)));
  ASSERT_TRUE(succeeded(device.launch(**copy, image, six)));
  EXPECT_THAT(download<float>(device, *y), ElementsAre(-1, -2, -3, -4, -5, -6));

  const auto integers = upload(device, std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}),
             fourth = upload(device, std::vector<int>(2));
  const Argument vectors[] = {ImageArgument{integers.get(), Scalar::I32, 4, 2, 1}, fourth.get()};
  ASSERT_TRUE(succeeded(device.launch(**last, vectors, {{2, 1, 1}, {2, 1, 1}})));
  EXPECT_THAT(download<int>(device, *fourth), ElementsAre(4, 8));

  const Argument larger[] = {ImageArgument{x.get(), Scalar::F32, 1, 7, 1}, y.get()};
  const auto refused = device.launch(**copy, larger, six);
  ASSERT_FALSE(refused);
  EXPECT_THAT(text_of(refused.error()), HasSubstr("an image is larger than its buffer"));
}

TEST_F(FakeCuda, OlderDriversTellTexturesAsAnAttribute) {
  const ScopedVariable untold("FAKE_CUDA_TEXELS", "0");
  EXPECT_EQ(open()->info().most_pixels, std::size_t{1} << 20);
}

TEST_F(FakeCuda, IsListedWithItsLimits) {
  const ScopedVariable two("FAKE_CUDA_DEVICES", "2");
  const auto devices = list_devices();
  ASSERT_GE(devices.size(), 3u);
  EXPECT_EQ(devices[0].id, "cuda:0");
  EXPECT_EQ(devices[1].id, "cuda:1");
  EXPECT_EQ(devices[0].language, target::Language::Cuda);
  EXPECT_EQ(devices[0].version, "compute capability 9.0");
  EXPECT_EQ(devices[0].driver, "CUDA 13.0");
  EXPECT_EQ(devices[0].local_memory, 232448u);
  EXPECT_EQ(devices[0].most_pixels, std::size_t{1} << 28);
  EXPECT_TRUE(devices[0].has_images());
  EXPECT_THAT(devices[0].max_group_sizes, ElementsAre(1024, 1024, 64));
  EXPECT_EQ(default_device(), "cuda:0");
  EXPECT_EQ(open("cuda")->info().id, "cuda:0");
  EXPECT_EQ(open("cuda:1")->info().id, "cuda:1");
  EXPECT_THAT(refusal("cuda:2"), AllOf(HasSubstr("there is no device cuda:2"), HasSubstr("cuda:1  Fake")));
  EXPECT_THAT(refusal("cuda:x"), HasSubstr("there is no device cuda:x"));
}

TEST_F(FakeCuda, RunsKernels) {
  const auto device = open();
  expect_runs(*device);
  const auto program = device->build(kernels);
  ASSERT_TRUE(succeeded(program));
  const auto kernel = (*program)->kernel("reversed");
  ASSERT_TRUE(succeeded(kernel));
  std::vector<float> numbers(16);
  for (std::size_t at = 0; at < 16; ++at) numbers[at] = static_cast<float>(at);
  const auto x = upload(*device, numbers);
  const Argument arguments[] = {x.get(), ScalarValue::of_real(Scalar::F64, 2)};
  ASSERT_TRUE(succeeded(device->launch(**kernel, arguments, {{16, 1, 1}, {8, 1, 1}})));
  EXPECT_THAT(download<float>(*device, *x),
              ElementsAre(14, 12, 10, 8, 6, 4, 2, 0, 30, 28, 26, 24, 22, 20, 18, 16));
  const auto copy = upload(*device, std::vector<float>(16));
  ASSERT_TRUE(succeeded(device->copy(*x, *copy, 8)));
  EXPECT_EQ(download<float>(*device, *copy)[1], 12);
  ASSERT_TRUE(succeeded(device->fill(*copy, 0)));
  EXPECT_EQ(download<float>(*device, *copy)[1], 0);
}

// Through pinned memory, in parts by several threads; sizes around those of its blocks.
TEST_F(FakeCuda, TransfersLargeArrays) {
  const auto device = open();
  for (const std::size_t bytes :
       {std::size_t{8} << 20, (std::size_t{8} << 20) + 4, (std::size_t{29} << 20) - 4}) {
    std::vector<std::uint32_t> numbers(bytes / 4);
    for (std::size_t at = 0; at < numbers.size(); ++at)
      numbers[at] = static_cast<std::uint32_t>(at * 2654435761U);
    const auto x = upload(*device, numbers);
    EXPECT_TRUE(download<std::uint32_t>(*device, *x) == numbers) << bytes;
  }
}

TEST_F(FakeCuda, TellsWhatAKernelTakes) {
  const auto device = open();
  const auto program = device->build(kernels);
  const auto kernel = (*program)->kernel("plus_one", 100000);
  ASSERT_TRUE(succeeded(kernel));
  const auto facts = (*kernel)->facts(256);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->registers, 40u);
  EXPECT_EQ(facts->private_memory, 8u);
  EXPECT_EQ(facts->local_memory, 100016u);
  EXPECT_EQ(facts->max_group_size, 1024u);
  EXPECT_EQ(facts->groups_per_unit, 8u);
}

TEST_F(FakeCuda, SaysWhatIsMissing) {
  {
    const ScopedVariable none("HOIST_CUDA_LIBRARY", "/nowhere/libcuda.so.1");
    EXPECT_THAT(refusal(),
                AllOf(HasSubstr("NVIDIA's driver library cannot be opened"), HasSubstr("/nowhere")));
    EXPECT_THAT(ids(), IsEmpty());
  }
  {
    const ScopedVariable none("FAKE_CUDA_DEVICES", "0");
    EXPECT_THAT(refusal(), HasSubstr("driver finds no device"));
    EXPECT_THAT(ids(), IsEmpty());
  }
  {
    const ScopedVariable none("HOIST_NVRTC_LIBRARY", "/nowhere/libnvrtc.so");
    EXPECT_THAT(refusal(), HasSubstr("(NVRTC) cannot be opened"));
    std::vector<std::string> notes;
    EXPECT_THAT(cuda::list_devices(&notes), IsEmpty());
    EXPECT_THAT(notes, ElementsAre(HasSubstr("NVRTC")));
  }
}

TEST_F(FakeCuda, CompilesForTheDeviceOrElseToPtx) {
  const auto nvrtc = cuda::load_nvrtc();
  ASSERT_TRUE(succeeded(nvrtc));
  const auto cubin = cuda::compile(*nvrtc, kernels, 9, 0);
  ASSERT_TRUE(succeeded(cubin));
  EXPECT_EQ(cubin->architecture, "sm_90");
  EXPECT_FALSE(cubin->is_ptx);
  const auto newer = cuda::compile(*nvrtc, kernels, 10, 3);
  ASSERT_TRUE(succeeded(newer));
  EXPECT_EQ(newer->architecture, "compute_90");
  EXPECT_TRUE(newer->is_ptx);
  EXPECT_TRUE(newer->code.starts_with("ptx"));
  const auto older = cuda::compile(*nvrtc, kernels, 6, 1);
  ASSERT_FALSE(older);
  EXPECT_EQ(older.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(older.error()), HasSubstr("compute capability 6.1"));
  const ScopedVariable old("FAKE_CUDA_ARCHITECTURES", "75,80");
  expect_runs(*open());  // from PTX
}

TEST_F(FakeCuda, ShowsASourceThatDoesNotCompile) {
  const auto program = open()->build("extern \"C\" __global__ void k(float* x) { x[0] = undeclared; }");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, ErrorKind::Bug);
  EXPECT_THAT(text_of(program.error()), AllOf(HasSubstr("   1 | extern"), HasSubstr("undeclared")));
}

// The C library has an `error`, too, which ends the process.
TEST_F(FakeCuda, AKernelMayHaveTheNameOfAFunction) {
  const auto device = open();
  const auto program =
      device->build("extern \"C\" __global__ void error(float* __restrict__ x) { x[threadIdx.x] = 3; }\n");
  ASSERT_TRUE(succeeded(program));
  const auto kernel = (*program)->kernel("error");
  ASSERT_TRUE(succeeded(kernel));
  const auto x = upload(*device, std::vector<float>(4));
  const Argument arguments[] = {x.get()};
  ASSERT_TRUE(succeeded(device->launch(**kernel, arguments, {{4, 1, 1}, {4, 1, 1}})));
  EXPECT_THAT(download<float>(*device, *x), ElementsAre(3, 3, 3, 3));
}

TEST_F(FakeCuda, NamesBytesAskedAndFree) {
  const ScopedVariable little("FAKE_CUDA_MEMORY", "1048576");
  const auto device = open();
  const auto first = device->allocate(786432);
  ASSERT_TRUE(succeeded(first));
  const auto second = device->allocate(524288);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(second.error()), AllOf(HasSubstr("a buffer of 512 KiB"), HasSubstr("1 MiB of memory"),
                                             HasSubstr("256 KiB are free")));
}

TEST_F(FakeCuda, RefusesLaunchesWithTheLimits) {
  const auto device = open();
  const auto program = device->build(kernels);
  const auto x = upload(*device, std::vector<float>{1});
  const Argument arguments[] = {x.get()};
  const auto launch = [&](const Range& range, std::size_t dynamic = 0) {
    const auto kernel = (*program)->kernel("bad", dynamic);
    if (!kernel) return text_of(kernel.error());
    const auto seconds = device->launch(**kernel, arguments, range);
    return seconds ? "ran" : text_of(seconds.error());
  };
  EXPECT_THAT(launch({{2048, 1, 1}, {2048, 1, 1}}), HasSubstr("allows at most 1024"));
  EXPECT_THAT(launch({{1, 65536, 1}, {1, 1, 1}}), HasSubstr("65536 groups in dimension 1"));
  EXPECT_THAT(launch({{1, 1, 1}, {1, 1, 1}}, 300000),
              AllOf(HasSubstr("of local memory a work-group"), HasSubstr("227 KiB")));
  const ScopedVariable refused("FAKE_CUDA_LAUNCH_STATUS", "701");
  EXPECT_THAT(launch({{64, 1, 1}, {64, 1, 1}}),
              AllOf(HasSubstr("running kernel bad"), HasSubstr("40 registers"),
                    HasSubstr("choose smaller local sizes")));
  EXPECT_EQ(device->info().id, "cuda:0");
  expect_runs(*device);  // the context is as good as before
}

TEST_F(FakeCuda, RecoversFromAKernelThatFails) {
  const auto device = open();
  const auto program = device->build(kernels);
  const auto kernel = (*program)->kernel("bad");
  ASSERT_TRUE(succeeded(kernel));
  auto x = upload(*device, std::vector<float>{1});
  const Argument arguments[] = {x.get()};
  {
    const ScopedVariable illegal_access("FAKE_CUDA_LAUNCH_STATUS", "700");
    const auto seconds = device->launch(**kernel, arguments, {{1, 1, 1}, {1, 1, 1}});
    ASSERT_FALSE(seconds);
    EXPECT_EQ(seconds.error().kind, ErrorKind::Device);
    EXPECT_THAT(text_of(seconds.error()),
                AllOf(HasSubstr("running kernel bad"), HasSubstr("the device was reset")));
  }
  std::vector<float> lost(1);
  const auto read = device->read(*x, std::as_writable_bytes(std::span(lost)));
  ASSERT_FALSE(read);
  EXPECT_THAT(text_of(read.error()),
              AllOf(HasSubstr("a buffer"), HasSubstr("is lost"), HasSubstr("kernel bad")));
  const auto again = device->launch(**kernel, arguments, {{1, 1, 1}, {1, 1, 1}});
  ASSERT_FALSE(again);
  EXPECT_THAT(text_of(again.error()), HasSubstr("is lost"));
  EXPECT_FALSE((*program)->kernel("plus_one"));
  expect_runs(*device);
}

TEST_F(FakeCuda, RefusesWhatIsNotItsOwn) {
  const auto device = open();
  const auto other = open("cuda:0");
  const auto x = upload(*other, std::vector<float>{1});
  std::vector<float> back(1);
  EXPECT_TRUE(
      succeeded(device->read(*x, std::as_writable_bytes(std::span(back)))));  // one context serves both
  const auto host = open_device("host");
  ASSERT_TRUE(succeeded(host));
  const auto foreign = upload(**host, std::vector<float>{1});
  const auto read = device->read(*foreign, std::as_writable_bytes(std::span(back)));
  ASSERT_FALSE(read);
  EXPECT_THAT(text_of(read.error()), HasSubstr("of another device"));
  EXPECT_FALSE((*device->build(kernels))->kernel("absent"));
}

TEST_F(FakeCuda, LoadsWhatABuilderMade) {
  for (const char* architectures : {"75,80,90", "75,80"}) {
    const ScopedVariable known("FAKE_CUDA_ARCHITECTURES", architectures);
    const auto described = describe_device("cuda:0");
    ASSERT_TRUE(succeeded(described));
    EXPECT_EQ(described->id, "cuda:0");
    const auto builder = open_builder(*described);
    ASSERT_TRUE(succeeded(builder));
    const auto built = (*builder)->build(kernels);
    ASSERT_TRUE(succeeded(built));
    const auto device = open();
    const auto program = device->load(built->binary);
    ASSERT_TRUE(succeeded(program)) << architectures;
    EXPECT_TRUE(succeeded((*program)->kernel("plus_one")));
  }
}

TEST_F(FakeCuda, BuildersNeedNoDriver) {
  const auto described = describe_device("cuda:0");
  ASSERT_TRUE(succeeded(described));
  const ScopedVariable gone("FAKE_CUDA_DEVICES", "0");
  ASSERT_FALSE(describe_device("cuda:0"));
  const auto builder = open_builder(*described);
  ASSERT_TRUE(succeeded(builder));
  EXPECT_TRUE(succeeded((*builder)->build(kernels)));
  target::Target unknown = *described;
  unknown.version = "compute capability nine";
  const auto refused = open_builder(unknown);
  ASSERT_FALSE(refused);
  EXPECT_THAT(text_of(refused.error()), HasSubstr("'compute capability nine' is no version"));
}

TEST_F(FakeCuda, RefusesWhatIsNoCode) {
  const auto device = open();
  for (const char* binary : {"", "sm_90", "words\nmore words", "sm_90\n/nowhere.so"}) {
    const auto program = device->load(binary);
    ASSERT_FALSE(program) << binary;
    EXPECT_EQ(program.error().kind, ErrorKind::Device);
  }
}

TEST_F(FakeCuda, TellsOfItsClocksWhereThereIsNvml) {
  const ScopedVariable two("FAKE_CUDA_DEVICES", "2");
  {
    const ScopedVariable none("HOIST_NVML_LIBRARY", "libNoSuchNvml.so.1");
    EXPECT_FALSE(open()->vitals());
  }
  const ScopedVariable nvml("HOIST_NVML_LIBRARY", HOIST_FAKE_CUDA);
  const auto device = open();
  const auto vitals = device->vitals();
  ASSERT_TRUE(vitals);
  EXPECT_EQ(vitals->clock_mhz, 1755);
  EXPECT_EQ(vitals->memory_clock_mhz, 2619);
  EXPECT_EQ(vitals->celsius, 41);
  EXPECT_EQ(vitals->watts, 0) << "it does not tell";
  EXPECT_FALSE(open("cuda:1")->vitals()) << "NVML does not know it";
}

}  // namespace
}  // namespace hoist::runtime
