#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "runtime/devices.hpp"
#include "runtime/host/process.hpp"
#include "support.hpp"

namespace hoist::runtime {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace testing;

std::vector<std::string> ids(const std::vector<target::Target>& devices) {
  std::vector<std::string> ids;
  for (const target::Target& device : devices) ids.push_back(device.id);
  return ids;
}

TEST(Devices, ListsHostLastAndAlways) {
  const auto devices = list_devices();
  ASSERT_FALSE(devices.empty());
  EXPECT_EQ(devices.back().id, "host");
  EXPECT_EQ(devices.back().language, target::Language::Host);
  EXPECT_EQ(devices.back().type, target::Type::Cpu);
  EXPECT_TRUE(devices.back().has_f64);
}

TEST(Devices, HaveDistinctIdsAndUsableLimits) {
  const auto devices = list_devices();
  std::set<std::string> seen;
  for (const target::Target& device : devices) {
    EXPECT_TRUE(seen.insert(device.id).second) << device.id;
    EXPECT_FALSE(device.name.empty());
    EXPECT_GE(device.compute_units, 1u);
    EXPECT_GE(device.max_group_size, 1u);
    EXPECT_GE(device.local_memory, 1024u);
    EXPECT_GE(device.global_memory, device.largest_buffer);
    EXPECT_GT(device.largest_buffer, 0u);
    EXPECT_GE(device.preferred_group_multiple, 1u);
    for (const std::size_t size : device.max_group_sizes) EXPECT_GE(size, 1u);
    EXPECT_EQ(device.language, device.id == "host"             ? target::Language::Host
                               : device.id.starts_with("cuda") ? target::Language::Cuda
                                                               : target::Language::OpenCL);
  }
  EXPECT_EQ(ids(devices), ids(list_devices()));
}

TEST(Devices, EachOneListedOpens) {
  for (const target::Target& listed : list_devices()) {
    const auto device = open_device(listed.id);
    ASSERT_TRUE(succeeded(device)) << listed.id;
    EXPECT_EQ((*device)->info().id, listed.id);
    EXPECT_EQ((*device)->info().name, listed.name);
  }
}

TEST(Devices, AnAbsentOneIsReportedWithThosePresent) {
  for (const char* id : {"opencl:99", "opencl:", "opencl:0x", "cuda:x", "", "Host"}) {
    const auto device = open_device(id);
    ASSERT_FALSE(device) << id;
    EXPECT_EQ(device.error().kind, ErrorKind::Device);
    const std::string text = text_of(device.error());
    EXPECT_THAT(text, HasSubstr(fmt::format("there is no device {}", id)));
    for (const target::Target& present : list_devices())
      EXPECT_THAT(text, AllOf(HasSubstr(present.id), HasSubstr(present.name)));
  }
}

TEST(Devices, WithoutALoaderThereIsHost) {
  const ScopedVariable library("HOIST_OPENCL_LIBRARY", "libNoSuchOpenCL.so.1");
  const ScopedVariable driver("HOIST_CUDA_LIBRARY", "libNoSuchCuda.so.1");
  std::vector<std::string> notes;
  EXPECT_THAT(ids(list_devices(&notes)), ElementsAre("host"));
  EXPECT_THAT(notes, ElementsAre(AllOf(HasSubstr("OpenCL's loader cannot be opened"),
                                       HasSubstr("libNoSuchOpenCL.so.1"), HasSubstr("install"))));
  EXPECT_EQ(default_device(), "host");
  const auto device = open_device("opencl");
  ASSERT_FALSE(device);
  EXPECT_THAT(text_of(device.error()), HasSubstr("libNoSuchOpenCL.so.1"));
  EXPECT_TRUE(succeeded(open_device("host")));
}

TEST(Devices, ALibraryThatIsNoLoaderIsReported) {
  const ScopedVariable library("HOIST_OPENCL_LIBRARY", "libm.so.6");
  const ScopedVariable driver("HOIST_CUDA_LIBRARY", "libNoSuchCuda.so.1");
  std::vector<std::string> notes;
  EXPECT_THAT(ids(list_devices(&notes)), ElementsAre("host"));
  EXPECT_THAT(notes, ElementsAre(AllOf(HasSubstr("libm.so.6"),
                                       HasSubstr("is not OpenCL's loader, or older than OpenCL 1.2"))));
}

// A loader that answers as the environment variable HOIST_TEST_PLATFORMS asks, one letter a platform:
// (b)roken, (e)mpty, (c)pu, (g)pu, (o)ff: one CPU that is not available. What the tests do not reach aborts;
// the assembler's names keep those from clashing with the header's declarations.
constexpr const char* stub_loader = R"(
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <cstdlib>
#include <cstring>
static const char* letters() { const char* text = std::getenv("HOIST_TEST_PLATFORMS"); return text ? text : ""; }
static int copy(const void* from, size_t bytes, size_t room, void* to, size_t* needed) {
  if (needed) *needed = bytes;
  if (to && room < bytes) return CL_INVALID_VALUE;
  if (to) std::memcpy(to, from, bytes);
  return CL_SUCCESS;
}
static char storage[16];
extern "C" {
cl_int clGetPlatformIDs(cl_uint, cl_platform_id* platforms, cl_uint* count) {
  const char* text = letters();
  const size_t length = std::strlen(text);
  if (length == 0) return -1001;
  if (count) *count = length;
  for (size_t i = 0; platforms && i < length; ++i) {
    storage[i] = text[i];
    platforms[i] = reinterpret_cast<cl_platform_id>(&storage[i]);
  }
  return CL_SUCCESS;
}
cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info, size_t room, void* to, size_t* needed) {
  const char name[] = {'P', *reinterpret_cast<char*>(platform), 0};
  return copy(name, sizeof name, room, to, needed);
}
cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type, cl_uint, cl_device_id* devices, cl_uint* count) {
  const char letter = *reinterpret_cast<char*>(platform);
  if (letter == 'b') return CL_OUT_OF_RESOURCES;
  if (letter == 'e') return CL_DEVICE_NOT_FOUND;
  if (count) *count = 1;
  if (devices) devices[0] = reinterpret_cast<cl_device_id>(platform);
  return CL_SUCCESS;
}
cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void* to, size_t* needed) {
  const char letter = *reinterpret_cast<char*>(device);
  switch (what) {
    case CL_DEVICE_AVAILABLE: { cl_bool yes = letter != 'o'; return copy(&yes, sizeof yes, room, to, needed); }
    case CL_DEVICE_COMPILER_AVAILABLE: { cl_bool yes = 1; return copy(&yes, sizeof yes, room, to, needed); }
    case CL_DEVICE_NAME: case CL_DEVICE_VENDOR: case CL_DEVICE_VERSION: case CL_DRIVER_VERSION: {
      const char name[] = {'D', letter, 0};
      return copy(name, sizeof name, room, to, needed);
    }
    case CL_DEVICE_TYPE: {
      cl_device_type type = letter == 'g' ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU;
      return copy(&type, sizeof type, room, to, needed);
    }
    case CL_DEVICE_GLOBAL_MEM_SIZE: case CL_DEVICE_MAX_MEM_ALLOC_SIZE: case CL_DEVICE_LOCAL_MEM_SIZE: {
      cl_ulong bytes = 65536;
      return copy(&bytes, sizeof bytes, room, to, needed);
    }
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: { size_t size = 64; return copy(&size, sizeof size, room, to, needed); }
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
      size_t sizes[3] = {64, 32, 16};
      return copy(sizes, sizeof sizes, room, to, needed);
    }
    case CL_DEVICE_EXTENSIONS: {
      // n: NVIDIA's; s: sub-groups of sizes that a kernel chooses from; q: sub-groups without an exchange of registers.
      const char* text = letter == 'n'   ? "cl_khr_icd cl_nv_device_attribute_query"
                         : letter == 's' ? "cl_khr_subgroups cl_khr_subgroup_shuffle cl_intel_required_subgroup_size"
                         : letter == 'q' ? "cl_khr_subgroups cl_khr_subgroup_shuffle_relative"
                                         : "";
      return copy(text, std::strlen(text) + 1, room, to, needed);
    }
    case 0x4108: {
      size_t sizes[3] = {8, 16, 32};
      return letter == 's' ? copy(sizes, sizeof sizes, room, to, needed) : CL_INVALID_VALUE;
    }
    case 0x4003: {
      cl_uint width = 32;
      return letter == 'n' ? copy(&width, sizeof width, room, to, needed) : CL_INVALID_VALUE;
    }
    case 0x4043: case 0x1067: case CL_DEVICE_DOUBLE_FP_CONFIG: return CL_INVALID_VALUE;
    default: { cl_uint value = 3; return copy(&value, sizeof value, room, to, needed); }
  }
}
cl_context clCreateContext(const cl_context_properties*, cl_uint, const cl_device_id*,
                           void (*)(const char*, const void*, size_t, void*), void*, cl_int* status) {
  *status = CL_DEVICE_NOT_AVAILABLE;
  return nullptr;
}
#define ABSENT(name) void stub_##name() __asm__(#name); void stub_##name() { std::abort(); }
ABSENT(clCreateImage) ABSENT(clEnqueueCopyBufferToImage) ABSENT(clReleaseContext) ABSENT(clCreateCommandQueue) ABSENT(clReleaseCommandQueue) ABSENT(clCreateBuffer)
ABSENT(clReleaseMemObject) ABSENT(clCreateProgramWithSource) ABSENT(clBuildProgram) ABSENT(clGetProgramBuildInfo)
ABSENT(clReleaseProgram) ABSENT(clCreateKernel) ABSENT(clReleaseKernel) ABSENT(clGetKernelInfo)
ABSENT(clGetKernelWorkGroupInfo) ABSENT(clSetKernelArg) ABSENT(clEnqueueReadBuffer) ABSENT(clEnqueueWriteBuffer)
ABSENT(clEnqueueFillBuffer) ABSENT(clEnqueueCopyBuffer) ABSENT(clEnqueueNDRangeKernel) ABSENT(clWaitForEvents)
ABSENT(clGetEventProfilingInfo) ABSENT(clRetainEvent) ABSENT(clReleaseEvent) ABSENT(clFinish) ABSENT(clCreateProgramWithBinary)
ABSENT(clGetProgramInfo) ABSENT(clCreateSubDevices) ABSENT(clFlush) ABSENT(clGetEventInfo)
ABSENT(clEnqueueMarkerWithWaitList) ABSENT(clEnqueueMapBuffer) ABSENT(clEnqueueUnmapMemObject)
ABSENT(clEnqueueReadBufferRect) ABSENT(clEnqueueWriteBufferRect) ABSENT(clEnqueueCopyBufferRect)
}
)";

class StubLoader : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory = new TemporaryDirectory;
    std::ofstream(directory->file("stub.cpp")) << stub_loader;
    const auto compiler = host::find_program("c++");
    if (!compiler) return;
    const auto outcome = host::run_process(
        {*compiler, "-shared", "-fPIC", "-w", "-o", directory->file("stub.so"), directory->file("stub.cpp")});
    if (!outcome || !outcome->succeeded())
      throw std::runtime_error(outcome ? outcome->output : "not started");
  }
  static void TearDownTestSuite() { delete directory; }
  void SetUp() override {
    if (!std::filesystem::exists(directory->file("stub.so"))) GTEST_SKIP() << "there is no C++ compiler";
    library.emplace("HOIST_OPENCL_LIBRARY", directory->file("stub.so"));
    driver.emplace("HOIST_CUDA_LIBRARY", "libNoSuchCuda.so.1");
  }
  static TemporaryDirectory* directory;
  std::optional<ScopedVariable> library, driver;
};
TemporaryDirectory* StubLoader::directory = nullptr;

TEST_F(StubLoader, ALoaderWithoutDriversIsExplained) {
  const ScopedVariable platforms("HOIST_TEST_PLATFORMS", "");
  std::vector<std::string> notes;
  EXPECT_THAT(ids(list_devices(&notes)), ElementsAre("host"));
  EXPECT_THAT(notes, ElementsAre(AllOf(HasSubstr("found no driver"), HasSubstr("/etc/OpenCL/vendors"))));
}

TEST_F(StubLoader, ABrokenPlatformHidesNoOther) {
  const ScopedVariable platforms("HOIST_TEST_PLATFORMS", "becg");
  std::vector<std::string> notes;
  const auto devices = list_devices(&notes);
  ASSERT_THAT(ids(devices), ElementsAre("opencl:0", "opencl:1", "host"));
  EXPECT_EQ(devices[0].name, "Dc");
  EXPECT_EQ(devices[0].platform, "Pc");
  EXPECT_EQ(devices[1].name, "Dg");
  EXPECT_THAT(notes, ElementsAre(AllOf(HasSubstr("Pb"), HasSubstr("CL_OUT_OF_RESOURCES")),
                                 AllOf(HasSubstr("Pe"), HasSubstr("no device"))));
}

TEST_F(StubLoader, ADeviceThatCannotBeUsedKeepsItsNumber) {
  const ScopedVariable platforms("HOIST_TEST_PLATFORMS", "cog");
  std::vector<std::string> notes;
  EXPECT_THAT(ids(list_devices(&notes)), ElementsAre("opencl:0", "opencl:2", "host"));
  EXPECT_THAT(notes, ElementsAre(AllOf(HasSubstr("opencl:1"), HasSubstr("not available"))));
}

TEST_F(StubLoader, ReadsLimitsAndToleratesUnknownQueries) {
  const ScopedVariable platforms("HOIST_TEST_PLATFORMS", "g");
  const target::Target info = list_devices().front();
  EXPECT_EQ(info.type, target::Type::Gpu);
  EXPECT_EQ(info.max_group_sizes, (std::array<std::size_t, 3>{64, 32, 16}));
  EXPECT_EQ(info.preferred_group_multiple, 1u);
  EXPECT_FALSE(info.has_f64);
}

TEST_F(StubLoader, SubGroupsWhereTheyExchangeRegisters) {
  const std::pair<const char*, std::vector<std::size_t>> expectations[] = {
      {"g", {}}, {"n", {32}}, {"s", {8, 16, 32}}, {"q", {}}};
  for (const auto& [letter, sizes] : expectations) {
    const ScopedVariable platforms("HOIST_TEST_PLATFORMS", letter);
    EXPECT_EQ(list_devices().front().sub_group_sizes, sizes) << letter;
  }
}

TEST_F(StubLoader, TheDefaultIsTheFirstGpuElseTheFirstDevice) {
  const std::pair<const char*, const char*> expectations[] = {
      {"", "host"}, {"b", "host"}, {"cc", "opencl:0"}, {"cgg", "opencl:1"}, {"og", "opencl:1"}};
  for (const auto& [letters, expected] : expectations) {
    const ScopedVariable platforms("HOIST_TEST_PLATFORMS", letters);
    EXPECT_EQ(default_device(), expected) << letters;
  }
}

TEST_F(StubLoader, ADeviceThatDoesNotOpenSaysWhy) {
  const ScopedVariable platforms("HOIST_TEST_PLATFORMS", "c");
  const auto device = open_device("opencl");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(device.error()), AllOf(HasSubstr("opening device opencl:0 (Dc) failed"),
                                             HasSubstr("CL_DEVICE_NOT_AVAILABLE, -2")));
}

}  // namespace
}  // namespace hoist::runtime
