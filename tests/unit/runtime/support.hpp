#pragma once
// What the runtime's tests share.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "runtime/devices.hpp"
#include "support/scoped_variable.hpp"

namespace hoist::runtime::testing {

/// An empty directory of the test's own, removed with all that it holds.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "hoist-test.XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary directory");
    path_ = pattern;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::string path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  /// Writes a file that may be executed, and returns its path.
  std::string script(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
    std::filesystem::permissions(file(name), std::filesystem::perms::owner_all);
    return file(name);
  }
  std::size_t count(const std::string& extension) const {
    std::size_t found = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_))
      found += entry.path().extension() == extension;
    return found;
  }

 private:
  std::string path_;
};

template <class T>
::testing::AssertionResult succeeded(const Result<T>& result) {
  if (result) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << result.error().render();
}

/// All of an error's texts, one a line.
inline std::string text_of(const Error& error) {
  std::string text;
  for (const Diagnostic& diagnostic : error.diagnostics)
    text += diagnostic.message + "\n" + diagnostic.note + "\n" + diagnostic.help + "\n";
  return text;
}

template <class Element>
std::unique_ptr<Buffer> upload(Device& device, const std::vector<Element>& elements) {
  auto buffer = device.allocate(elements.size() * sizeof(Element));
  if (!buffer) throw std::runtime_error(buffer.error().render());
  if (auto written = device.write(**buffer, std::as_bytes(std::span(elements))); !written)
    throw std::runtime_error(written.error().render());
  return std::move(*buffer);
}

template <class Element>
std::vector<Element> download(Device& device, const Buffer& buffer) {
  std::vector<Element> elements(buffer.bytes() / sizeof(Element));
  if (auto read = device.read(buffer, std::as_writable_bytes(std::span(elements))); !read)
    throw std::runtime_error(read.error().render());
  return elements;
}

/// The first OpenCL device, or null; a test without one skips itself.
inline std::unique_ptr<Device> open_opencl() {
  auto device = open_device("opencl");
  return device ? std::move(*device) : nullptr;
}
#define OPENCL_OR_SKIP(device)                                                                               \
  const std::unique_ptr<::hoist::runtime::Device> device##_owner = ::hoist::runtime::testing::open_opencl(); \
  if (!device##_owner) GTEST_SKIP() << "there is no OpenCL device";                                          \
  ::hoist::runtime::Device& device = *device##_owner

/// A kernel for each language that does the same: sum[i] = left[i] + scale * right[i] for i < count.
inline const char* scaled_sum_source(target::Language language) {
  if (language == target::Language::OpenCL)
    return R"(
__kernel void scaled_sum(__global const float* left, __global const float* right, __global float* sum, float scale,
                         int count) {
  for (int i = get_global_id(0); i < count; i += get_global_size(0)) sum[i] = left[i] + scale * right[i];
})";
  if (language == target::Language::Cuda)
    return R"(
extern "C" __global__ void scaled_sum(const float* left, const float* right, float* sum, float scale, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    sum[i] = left[i] + scale * right[i];
})";
  return R"(
#include <cstddef>
extern "C" void scaled_sum(void* const* arguments, const std::size_t*) {
  const float* left = static_cast<const float*>(arguments[0]);
  const float* right = static_cast<const float*>(arguments[1]);
  float* sum = static_cast<float*>(arguments[2]);
  const float scale = *static_cast<const float*>(arguments[3]);
  const int count = *static_cast<const int*>(arguments[4]);
#pragma omp parallel for
  for (int i = 0; i < count; ++i) sum[i] = left[i] + scale * right[i];
})";
}

}  // namespace hoist::runtime::testing
