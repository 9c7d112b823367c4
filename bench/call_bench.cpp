// What a call of a small program takes through the C++ interface: what bench/python_calls.py holds calls from
// Python against. Prints JSON: the median seconds of a call, of its kernels, and of what is neither.
//   call_bench host 1000 kernels/axpy.hoist N=16
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <hoist/hoist.hpp>
#include <string>
#include <vector>

namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Arrays of ones for a program whose numbers are all f32, and memory for its results.
struct Arguments {
  std::vector<std::vector<float>> arrays, results;
  std::vector<hoist::Input> inputs;
  std::vector<hoist::Output> outputs;

  explicit Arguments(const hoist::Compiled& compiled) {
    for (const hoist::ArrayFacts& each : compiled.inputs()) {
      arrays.emplace_back(each.elements, 1.0F);
      if (each.shape.empty()) {
        inputs.emplace_back(1.0F);
      } else {
        inputs.emplace_back(arrays.back(), each.shape);
      }
    }
    for (const hoist::ArrayFacts& each : compiled.outputs()) {
      results.emplace_back(each.elements);
      outputs.emplace_back(results.back(), each.shape);
    }
  }
};

void measure(const std::string& device_id, int calls, const std::string& file, const hoist::Sizes& sizes) {
  const hoist::Program program = hoist::Program::load(file).value();
  const hoist::Device device = hoist::Device::open(device_id).value();
  hoist::Compiled compiled = hoist::compile(program, device, sizes).value();
  const Arguments arguments(compiled);
  std::vector<double> all, kernels, rest;
  for (int i = -calls / 10; i < calls; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto times = compiled.run(arguments.inputs, arguments.outputs).value();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (i < 0) continue;  // warming up
    all.push_back(taken.count());
    kernels.push_back(times.kernels);
    rest.push_back(taken.count() - times.kernels);
  }
  std::printf("{\"call\": %.9g, \"kernels\": %.9g, \"rest\": %.9g}\n", median(all), median(kernels),
              median(rest));
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) {
    std::fputs("usage: call_bench DEVICE CALLS FILE [SIZE=VALUE ...]\n", stderr);
    return 2;
  }
  hoist::Sizes sizes;
  for (int i = 4; i < count; ++i) {
    const std::string word = words[i];
    const std::size_t at = word.find('=');
    sizes[word.substr(0, at)] = std::atoll(word.c_str() + at + 1);
  }
  try {
    measure(words[1], std::max(std::atoi(words[2]), 1), words[3], sizes);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
