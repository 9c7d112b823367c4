// Runs that are started and not waited for, on the driver whose streams run in any order that events allow
// (tests/unit/runtime/fake_streams.hpp): what is in no order shows as a wrong number.
#include <dlfcn.h>

#include <algorithm>
#include <optional>
#include <random>

#include "support/scoped_variable.hpp"
#include "unit/api/support.hpp"

namespace hoist::api {
namespace {

using hoist::runtime::testing::ScopedVariable;

constexpr std::int64_t elements = 600;
using Numbers = std::vector<float>;

/// One kernel; several with memory of the program's own between them, which runs share; several results.
constexpr const char* axpy =
    "def axpy(a: f32, x: [N]f32, y: [N]f32): [N]f32 = zip(x, y) |> map((e, f) => a * e + f)\n";
constexpr const char* centred =
    "def centred(x: [N]f32): [N]f32 = let s = x |> reduce(+, 0.0) in x |> map(e => e - s)\n";
constexpr const char* both =
    "def both(x: [N]f32, y: [N]f32): ([N]f32, [N]f32) = (zip(x, y) |> map(+), x |> map(e => e + 1.0))\n";

float sum(const Numbers& numbers) {
  float result = 0;
  for (const float each : numbers) result += each;
  return result;
}

class StartedRuns : public ::testing::Test {
 protected:
  StartedRuns() : driver_(dlopen(HOIST_FAKE_CUDA, RTLD_NOW)) {}
  ~StartedRuns() override { dlclose(driver_); }

  template <class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    auto* const function = reinterpret_cast<int (*)(Arguments...)>(dlsym(driver_, name));
    ASSERT_EQ(function(arguments...), 0) << name;
  }
  std::uintptr_t stream() const {
    std::uintptr_t made = 0;
    call("cuStreamCreate", &made, 1U);
    return made;
  }
  std::uintptr_t memory(std::size_t bytes) const {
    unsigned long long made = 0;
    call("cuMemAlloc_v2", &made, bytes);
    return made;
  }
  static Numbers numbers(std::mt19937& chance) {
    Numbers result(elements);
    // Small whole numbers, which sums keep whatever their order.
    for (float& each : result) each = static_cast<float>(chance() % 7) - 3;
    return result;
  }
  static Device open() { return Device::open("cuda:0").value(); }

  ScopedVariable cuda_{"HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA}, nvrtc_{"HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA};
  void* driver_;
};

TEST_F(StartedRuns, RunInTasksWhereArraysAreLargerThanTheDevice) {
  const ScopedVariable memory("FAKE_CUDA_MEMORY", "65536");
  const Device device = open();
  constexpr std::size_t n = 40'000;
  const Numbers x(n, 1), y(n, 3);
  Numbers result(n);
  Compiled compiled = compile(program_of(axpy), device, {{"N", n}}).value();
  ASSERT_TRUE(compiled.streams());
  ASSERT_FALSE(compiled.notes().empty());
  EXPECT_THAT(compiled.notes().front(), testing::HasSubstr("runs in tasks, since its arrays need"));
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(compiled.run({2.0F, x, y}, {result}));
    EXPECT_EQ(result, Numbers(n, 5));
  }
  EXPECT_FALSE(compile(program_of(axpy), device, {{"N", 1000}}).value().streams());
}

TEST_F(StartedRuns, AreNotWaitedFor) {
  const Device device = open();
  Compiled compiled = compile(program_of(axpy), device, {{"N", elements}}).value();
  const Numbers ones(elements, 1);
  const Buffer x = Buffer::from<float>(device, ones).value();
  const Buffer y = Buffer::allocate(device, Scalar::F32, elements).value();
  const ScopedVariable order("FAKE_CUDA_SEED", "1");
  ASSERT_TRUE(compiled.start({2.0F, x, x}, {y}));
  const auto* const there = reinterpret_cast<const float*>(y.address().value());
  EXPECT_NE(*there, 3) << "the kernel runs when somebody waits";
  EXPECT_TRUE(x.is_in_use().value());
  ASSERT_TRUE(y.wait());
  EXPECT_EQ(*there, 3);
  EXPECT_FALSE(y.is_in_use().value());
}

TEST_F(StartedRuns, AreInOrderOnAnyStreams) {
  const Device device = open();
  std::vector<std::uintptr_t> streams{device.stream(), 1};
  while (streams.size() < 4) streams.push_back(stream());
  Compiled one = compile(program_of(axpy), device, {{"N", elements}}).value();
  std::optional<Compiled> several = compile(program_of(centred), device, {{"N", elements}}).value();
  Compiled pair = compile(program_of(both), device, {{"N", elements}}).value();
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const ScopedVariable order("FAKE_CUDA_SEED", std::to_string(seed));
    std::mt19937 chance(static_cast<unsigned int>(seed));
    const auto any = [&](const auto& of) -> decltype(auto) { return of[chance() % of.size()]; };
    struct Array {
      Buffer buffer;
      Numbers numbers;
    };
    std::vector<Array> arrays;
    const auto fresh = [&] {
      Numbers made = numbers(chance);
      Buffer buffer = Buffer::from<float>(device, made).value();
      arrays.push_back({buffer, std::move(made)});
    };
    for (int i = 0; i < 5; ++i) fresh();
    for (int step = 0; step < 40; ++step) {
      std::shuffle(arrays.begin(), arrays.end(), chance);
      Array &x = arrays[0], &y = arrays[1], &out = arrays[2], &other = arrays[3];
      const StartOrder where{any(streams), {}};
      switch (chance() % 9) {
        case 0:
        case 1:
          ASSERT_TRUE(one.start({2.0F, x.buffer, y.buffer}, {out.buffer}, where));
          for (std::size_t i = 0; i < elements; ++i) out.numbers[i] = 2 * x.numbers[i] + y.numbers[i];
          break;
        case 2:
        case 3:
          ASSERT_TRUE(several->start({x.buffer}, {out.buffer}, where));
          for (std::size_t i = 0; i < elements; ++i) out.numbers[i] = x.numbers[i] - sum(x.numbers);
          break;
        case 4:
          ASSERT_TRUE(pair.start({x.buffer, y.buffer}, {out.buffer, other.buffer}, where));
          for (std::size_t i = 0; i < elements; ++i) {
            out.numbers[i] = x.numbers[i] + y.numbers[i];
            other.numbers[i] = x.numbers[i] + 1;
          }
          break;
        case 5: {  // waits: it has an array of the host's
          Numbers result(elements);
          for (std::size_t i = 0; i < elements; ++i) out.numbers[i] = x.numbers[i] - sum(x.numbers);
          ASSERT_TRUE(several->run({x.buffer}, {result}));
          ASSERT_EQ(result, out.numbers);
          ASSERT_TRUE(several->run({x.buffer}, {out.buffer}));
          break;
        }
        case 6:  // goes while runs use it, and another one takes its place
          arrays.pop_back();
          fresh();
          break;
        case 7:  // a program goes while its runs use its memory
          if (seed % 10 != 0) break;
          several.reset();
          several = compile(program_of(centred), device, {{"N", elements}}).value();
          break;
        default: {
          x.numbers = numbers(chance);
          ASSERT_TRUE(x.buffer.upload<float>(x.numbers));
        }
      }
      // Numbers stay small, so that sums are exact.
      for (Array& each : arrays) {
        const bool is_large = std::ranges::any_of(each.numbers, [](float e) { return std::abs(e) > 2000; });
        if (!is_large) continue;
        Numbers got(elements);
        ASSERT_TRUE(each.buffer.download<float>(got));
        ASSERT_EQ(got, each.numbers);
        each.numbers = numbers(chance);
        ASSERT_TRUE(each.buffer.upload<float>(each.numbers));
      }
    }
    for (const Array& each : arrays) {
      Numbers got(elements);
      ASSERT_TRUE(each.buffer.download<float>(got));
      ASSERT_EQ(got, each.numbers);
    }
  }
}

TEST_F(StartedRuns, AreInTheOrderOfTheStreamsThatUseTheirMemory) {
  const Device device = open();
  Compiled one = compile(program_of(axpy), device, {{"N", elements}}).value();
  Compiled several = compile(program_of(centred), device, {{"N", elements}}).value();
  const std::uintptr_t producer = stream(), runner = stream(), reader = stream();
  const std::size_t bytes = elements * sizeof(float);
  const std::uintptr_t x = memory(bytes), y = memory(bytes);
  // It stays until the reader has read: who frees memory waits.
  const Buffer unread = Buffer::allocate(device, Scalar::F32, elements).value();
  // Commands on pinned memory wait until the stream comes to them.
  struct Pinned {
    Numbers before, after, result;
  } host{Numbers(elements), Numbers(elements, 9), Numbers(elements)};
  for (Numbers* each : {&host.before, &host.after, &host.result})
    call("cuMemHostRegister_v2", static_cast<void*>(each->data()), bytes, 1U);
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const ScopedVariable order("FAKE_CUDA_SEED", std::to_string(seed));
    std::mt19937 chance(static_cast<unsigned int>(seed));
    std::ranges::copy(numbers(chance), host.before.begin());
    const float shift = sum(host.before);
    call("cuMemcpyHtoDAsync_v2", static_cast<unsigned long long>(x),
         static_cast<const void*>(host.before.data()), bytes, producer);
    {
      const Buffer in = Buffer::at(device, x, Scalar::F32, elements).value();
      const Buffer out = Buffer::at(device, y, Scalar::F32, elements).value();
      ASSERT_TRUE(several.start({in}, {out}, {runner, {producer, reader}}));
      ASSERT_TRUE(one.start({1.0F, in, in}, {unread}, {runner, {producer}}));
    }
    call("cuMemcpyHtoDAsync_v2", static_cast<unsigned long long>(x),
         static_cast<const void*>(host.after.data()), bytes, producer);
    call("cuMemcpyDtoHAsync_v2", static_cast<void*>(host.result.data()), static_cast<unsigned long long>(y),
         bytes, reader);
    call("cuStreamSynchronize", reader);
    Numbers expected;
    for (const float each : host.before) expected.push_back(each - shift);
    ASSERT_EQ(host.result, expected);
    call("cuStreamSynchronize", producer);
  }
  for (Numbers* each : {&host.before, &host.after, &host.result})
    call("cuMemHostUnregister", static_cast<void*>(each->data()));
}

TEST_F(StartedRuns, AreAheadOfAStreamThatABufferPrecedes) {
  const Device device = open();
  Compiled several = compile(program_of(centred), device, {{"N", elements}}).value();
  const std::uintptr_t reader = stream();
  const Numbers ones(elements, 1);
  const Buffer x = Buffer::from<float>(device, ones).value();
  Buffer y = Buffer::allocate(device, Scalar::F32, elements).value();
  Numbers result(elements);
  for (int seed = 0; seed < 20; ++seed) {
    const ScopedVariable order("FAKE_CUDA_SEED", std::to_string(seed));
    ASSERT_TRUE(y.upload<float>(Numbers(elements, 7)));
    ASSERT_TRUE(several.start({x}, {y}));
    ASSERT_TRUE(y.precede(reader));
    call("cuMemcpyDtoHAsync_v2", static_cast<void*>(result.data()),
         static_cast<unsigned long long>(y.address().value()), elements * sizeof(float), reader);
    call("cuStreamSynchronize", reader);
    EXPECT_EQ(result, Numbers(elements, 1 - static_cast<float>(elements)));
  }
}

TEST_F(StartedRuns, FailWhereSomebodyWaits) {
  const Device device = open();
  Compiled one = compile(program_of(axpy), device, {{"N", elements}}).value();
  const Buffer x = Buffer::from<float>(device, Numbers(elements, 1)).value();
  const Buffer y = Buffer::allocate(device, Scalar::F32, elements).value();
  const std::uint64_t before = device.resets();
  {
    const ScopedVariable order("FAKE_CUDA_SEED", "1");
    const ScopedVariable failure("FAKE_CUDA_FAIL_LAUNCH", "1");
    ASSERT_TRUE(one.start({2.0F, x, x}, {y}));
    Numbers result(elements);
    expect_error(y.download<float>(result), ErrorKind::Device,
                 "the program axpy, which was started before, has failed");
    expect_error(y.wait(), ErrorKind::Device, "the program axpy, which was started before, has failed");
  }
  EXPECT_EQ(device.resets(), before + 1);
  expect_error(one.start({2.0F, x, x}, {y}), ErrorKind::Device, "lost");
  Compiled again = compile(program_of(axpy), device, {{"N", elements}}).value();
  const Numbers ones(elements, 1);
  const Buffer fresh = Buffer::from<float>(device, ones).value();
  const Buffer out = Buffer::allocate(device, Scalar::F32, elements).value();
  ASSERT_TRUE(again.start({2.0F, fresh, fresh}, {out}));
  EXPECT_EQ(out.read<float>(3, 1).value()[0], 3);
  // Who comes next to the driver is told of a failure, too.
  const ScopedVariable order("FAKE_CUDA_SEED", "1");
  const ScopedVariable failure("FAKE_CUDA_FAIL_LAUNCH", "1");
  ASSERT_TRUE(again.start({2.0F, fresh, fresh}, {out}));
  Numbers result(elements);
  expect_error(fresh.download<float>(result), ErrorKind::Device, "axpy");
}

TEST_F(StartedRuns, WaitWhereTheHostHasSomethingToDo) {
  const Device device = open();
  const ScopedVariable order("FAKE_CUDA_SEED", "1");
  const Buffer x = Buffer::from<float>(device, Numbers(elements, 1)).value();
  const Buffer y = Buffer::allocate(device, Scalar::F32, elements).value();
  const auto is_complete = [&](const Result<void>& started) {
    EXPECT_TRUE(started) << started.error().text();
    return !y.is_in_use().value();
  };
  Numbers plain(elements, 1);
  Compiled one = compile(program_of(axpy), device, {{"N", elements}}).value();
  EXPECT_TRUE(is_complete(one.start({2.0F, plain, x}, {y})));
  EXPECT_TRUE(is_complete(one.start({2.0F, x, x}, {plain})));
  EXPECT_EQ(plain, Numbers(elements, 3));
  Compiled picks = compile(program_of("def f(x: [N]f32, i: [N]i32): [N]f32 = i |> map(e => x[e])\n"), device,
                           {{"N", elements}})
                       .value();
  const Buffer indices =
      Buffer::from<std::int32_t>(device, std::vector<std::int32_t>(elements, elements)).value();
  expect_error(picks.start({x, indices}, {y}), ErrorKind::User, "outside its array");
  Compiled streamed = compile(program_of(axpy), device, {{"N", elements}}, Streams{1, 2, 0}).value();
  EXPECT_TRUE(is_complete(streamed.start({2.0F, x, x}, {y})));
  // Devices without streams run it, and refuse a stream.
  const Device processor = host();
  Compiled there = compile(program_of(axpy), processor, {{"N", elements}}).value();
  const Buffer a = Buffer::from<float>(processor, Numbers(elements, 1)).value();
  const Buffer b = Buffer::allocate(processor, Scalar::F32, elements).value();
  ASSERT_TRUE(there.start({2.0F, a, a}, {b}));
  EXPECT_EQ(b.read<float>(0, 1).value()[0], 3);
  expect_error(there.start({2.0F, a, a}, {b}, {1, {}}), ErrorKind::User, "has no streams");
  expect_error(b.precede(1), ErrorKind::User, "has no streams");
  EXPECT_EQ(processor.stream(), 0U);
}

}  // namespace
}  // namespace hoist::api
