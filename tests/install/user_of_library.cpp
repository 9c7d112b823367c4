// A library that uses Hoist, linked with one version of it; USER is the name of its function, which runs a
// program and gives the path of the library that it was run by.
#include <dlfcn.h>

#include <hoist/hoist.hpp>
#include <vector>

extern "C" [[gnu::visibility("default")]] const char* USER(float* result) {
  const auto twice = hoist::Program::parse("def twice(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)").value();
  const hoist::Device device = hoist::Device::open("host").value();
  const std::vector<float> x(4, 3.0f);
  std::vector<float> y(4);
  compile(twice, device, {{"N", 4}}).value().run({x}, {y}).value();
  *result = y[3];
  Dl_info library{};
  return dladdr(reinterpret_cast<void*>(&hoist::version), &library) != 0 ? library.dli_fname : "";
}
