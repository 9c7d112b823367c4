#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "unit/api/support.hpp"

namespace hoist::api {
namespace {

std::vector<float> counted(std::size_t elements, float from = 0) {
  std::vector<float> result(elements);
  std::iota(result.begin(), result.end(), from);
  return result;
}

const std::string axpy =
    "def axpy(a: f32, x: [N]f32, y: [N]f32): [N]f32 = zip(x, y) |> map((e, f) => a * e + f)\n";

TEST(Compiled, RunsOnEveryDevice) {
  const Program program = program_of(axpy);
  const std::vector<float> x = counted(1000), y = counted(1000, 7);
  for (const Device& device : every_device()) {
    Compiled compiled = compile(program, device, {{"N", 1000}}).value();
    std::vector<float> result(1000);
    const RunTimes times = compiled.run({2.0F, x, y}, {result}).value();
    for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(result[i], 2 * x[i] + y[i]) << device.facts().id;
    EXPECT_EQ(times.each_launch.size(), 1U);
    EXPECT_NE(compiled.source().find("axpy"), std::string::npos);
    EXPECT_EQ(compiled.kernels().at(0).name, "axpy");
    EXPECT_EQ(compiled.work().bytes, 3 * 4000 + 4);
    EXPECT_EQ(compiled.work().flops, 2000);
    // Again with other inputs, over the same memory.
    ASSERT_TRUE(compiled.run({3.0F, y, x}, {result}));
    EXPECT_EQ(result[10], 3 * y[10] + x[10]);
  }
}

TEST(Compiled, RunsInTasks) {
  const Program program = program_of(axpy);
  const std::vector<float> x = counted(1000), y = counted(1000, 7);
  for (const Device& device : every_device()) {
    for (const Streams& streams :
         {Streams{1, 1, 0}, Streams{1, 4, 0}, Streams{1, 10, 4096}, Streams{1, 4, 0, true}}) {
      Compiled compiled = compile(program, device, {{"N", 1000}}, streams).value();
      std::vector<float> result(1000);
      const RunTimes times = compiled.run({2.0F, x, y}, {result}).value();
      for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(result[i], 2 * x[i] + y[i]) << device.facts().id;
      EXPECT_GT(times.all, 0);
      EXPECT_EQ(times.uploads > 0, streams.times);
      EXPECT_TRUE(times.each_launch.empty());
    }
    std::vector<float> result(1000);
    Compiled compiled = compile(program, device, {{"N", 1000}}, Streams{1, 4, 0}).value();
    const auto in_place = compiled.run({2.0F, result, y}, {result});
    ASSERT_FALSE(in_place);
    EXPECT_NE(in_place.error().text().find("an output lies in the memory of an input"), std::string::npos);
    const auto many = compile(program, device, {{"N", 1000}}, Streams{1, 2000, 0});
    ASSERT_FALSE(many);
    EXPECT_NE(many.error().text().find("cannot be cut into 2000 tasks"), std::string::npos);
  }
}

TEST(Compiled, MovesOfBuffersInTasksWhatIsNotThere) {
  const Program program = program_of(axpy);
  for (const Device& device : every_device()) {
    SCOPED_TRACE(device.facts().id);
    Compiled compiled = compile(program, device, {{"N", 1000}}, Streams{1, 4, 0}).value();
    Buffer x = Buffer::from(device, counted(1000)).value();
    Buffer now = Buffer::from(device, counted(1000, 7)).value();
    Buffer next = Buffer::allocate(device, Scalar::F32, 1000).value();
    const RunTimes first = compiled.run({2.0F, x, now}, {next}).value();
    EXPECT_EQ(first.uploaded, 8000U) << "x and y, while tasks compute";
    EXPECT_EQ(first.downloaded, 0U);
    for (int step = 0; step < 3; ++step) {
      std::swap(now, next);
      const RunTimes later = compiled.run({2.0F, x, now}, {next}).value();
      EXPECT_EQ(later.uploaded + later.downloaded, 0U);
    }
    const auto some = next.read<float>(500, 3).value();
    EXPECT_EQ((std::vector<float>(some.begin(), some.end())),
              (std::vector<float>{500 * 9 + 7, 501 * 9 + 7, 502 * 9 + 7}));
    // The host writes three elements of x: these alone are uploaded.
    const auto changed = x.write<float>(10, 3).value();
    std::fill(changed.begin(), changed.end(), 0.0F);
    EXPECT_EQ(compiled.run({2.0F, x, next}, {now}).value().uploaded, 12U);
    std::vector<float> result(4);
    ASSERT_TRUE(now.download<float>(result, 9));
    EXPECT_EQ(result, (std::vector<float>{9 * 11 + 7, 10 * 9 + 7, 11 * 9 + 7, 12 * 9 + 7}));
    // From buffers to the host, and the same buffers for the program that does not stream.
    std::vector<float> all(1000);
    EXPECT_EQ(compiled.run({1.0F, x, x}, {all}).value().downloaded, 4000U);
    EXPECT_EQ(all[20], 40);
    Compiled at_once = compile(program, device, {{"N", 1000}}).value();
    ASSERT_TRUE(at_once.run({1.0F, x, now}, {next}));
    EXPECT_EQ(next.read<float>(9, 1).value()[0], 9 * 12 + 7);
  }
}

TEST(Compiled, BuffersThatDoNotFitWithTheRestStayOnTheHost) {
  const Device device = host();
  Compiled compiled = compile(program_of(axpy), device, {{"N", 1000}}, Streams{1, 10, 4096}).value();
  const Buffer x = Buffer::from(device, counted(1000)).value(),
               y = Buffer::from(device, counted(1000, 7)).value();
  const Buffer result = Buffer::allocate(device, Scalar::F32, 1000).value();
  const RunTimes times = compiled.run({2.0F, x, y}, {result}).value();
  EXPECT_EQ(times.uploaded, 8000U);
  EXPECT_EQ(times.downloaded, 4000U);
  EXPECT_EQ(result.read<float>(999, 1).value()[0], 3 * 999 + 7);
}

TEST(Compiled, RefusesBuffersThatHoldNothing) {
  const Device device = host();
  const std::vector<float> x = counted(1000);
  const Buffer empty = Buffer::allocate(device, Scalar::F32, 1000).value();
  std::vector<float> y(1000);
  for (Compiled compiled : {compile(program_of(axpy), device, {{"N", 1000}}).value(),
                            compile(program_of(axpy), device, {{"N", 1000}}, Streams{1, 4, 0}).value()}) {
    expect_error(compiled.run({2.0F, x, empty}, {y}), ErrorKind::User,
                 "holds nothing in its elements [0, 1000), which is given for the input y");
    expect_error(compiled.run({2.0F, x, x}, {empty, empty}), ErrorKind::User, "1 output, but 2 were given");
  }
  expect_error(empty.read<float>(), ErrorKind::User, "holds nothing in its elements [0, 1000)");
}

constexpr std::size_t many = 1 << 20;

TEST(Compiled, LeavesNothingInBuffersWhereARunFails) {
  const Program program = program_of("def f(x: [N]f32, i: [N]i32): [N]f32 = i |> map(e => x[e])\n");
  using Indices = std::vector<std::int32_t>;
  for (const Device& device : every_device()) {
    for (Compiled compiled : {compile(program, device, {{"N", 4}}).value(),
                              compile(program, device, {{"N", 4}}, Streams{1, 2, 0}).value()}) {
      const Buffer x = Buffer::from(device, counted(4)).value();
      const Buffer result = Buffer::from(device, counted(4)).value();
      expect_error(compiled.run({x, Indices{0, 1, 2, 4}}, {result}), ErrorKind::User, "outside its array");
      expect_error(result.read<float>(), ErrorKind::User, "holds nothing in its elements [0, 4)");
      EXPECT_EQ(x.read<float>(3, 1).value()[0], 3);
      ASSERT_TRUE(compiled.run({x, Indices{3, 2, 1, 0}}, {result}));
      EXPECT_EQ(result.read<float>(0, 1).value()[0], 3);
    }
  }
}

TEST(Compiled, RefusesCallsWhileAnotherThreadUsesTheDevice) {
  const Device device = host();
  Compiled compiled = compile(program_of(axpy), device, {{"N", many}}, Streams{1, 4, 0}).value();
  const std::vector<float> x = counted(many);
  std::vector<float> y(many);
  std::atomic<bool> is_over = false;
  std::atomic<int> refused = 0;
  std::thread other([&] {
    while (!is_over) {
      const auto buffer = Buffer::allocate(device, Scalar::F32, 4);
      if (buffer) continue;
      EXPECT_NE(buffer.error().text().find("another thread uses the device host"), std::string::npos);
      ++refused;
    }
  });
  // Calls of this thread may be the ones that are refused, some thousand times in a row.
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (refused == 0 && std::chrono::steady_clock::now() < limit) {
    const auto ran = compiled.run({2.0F, x, x}, {y});
    if (!ran) {
      EXPECT_NE(ran.error().text().find("another thread uses the device host"), std::string::npos);
    }
  }
  is_over = true;
  other.join();
  EXPECT_GT(refused, 0);
  EXPECT_TRUE(compiled.run({2.0F, x, x}, {y})) << "later calls are none the worse";
}

TEST(Compiled, FindsArraysThatChangeInFlight) {
  setenv("HOIST_CHECK_ARRAYS", "1", 1);
  const Device device = host();
  for (const bool is_in_tasks : {false, true}) {
    Compiled compiled = is_in_tasks
                            ? compile(program_of(axpy), device, {{"N", many}}, Streams{1, 4, 0}).value()
                            : compile(program_of(axpy), device, {{"N", many}}).value();
    std::vector<float> x = counted(many);
    const std::vector<float> y = counted(many);
    std::vector<float> result(many);
    EXPECT_TRUE(compiled.run({2.0F, x, y}, {result}));
    std::atomic<bool> is_over = false;
    std::thread other([&] {
      for (float number = 0; !is_over; ++number) std::atomic_ref(x[many / 2]).store(number);
    });
    std::string text;
    for (int runs = 0; text.empty() && runs < 1000; ++runs) {
      if (const auto ran = compiled.run({2.0F, x, y}, {result}); !ran) text = ran.error().text();
    }
    is_over = true;
    other.join();
    EXPECT_NE(text.find("the input x has changed while the program ran"), std::string::npos) << text;
  }
  // Memory of a buffer that is written to after its time.
  Compiled compiled = compile(program_of(axpy), device, {{"N", 1000}}).value();
  Buffer x = Buffer::from(device, counted(1000)).value();
  const auto memory = x.write<float>(5, 2).value();
  std::fill(memory.begin(), memory.end(), 1.0F);
  std::vector<float> result(1000);
  ASSERT_TRUE(compiled.run({2.0F, x, x}, {result}));
  memory[1] = 2;
  expect_error(compiled.run({2.0F, x, x}, {result}), ErrorKind::User,
               "the host's memory of a buffer has changed in its elements [0, 1000), without write()");
  unsetenv("HOIST_CHECK_ARRAYS");
}

TEST(Compiled, TakesEveryScalarType) {
  const Program program = program_of(
      "def f(a: [N]f32, b: [N]f64, c: [N]i32, d: [N]u32, e: [N]i64, g: [N]u8, h: [N]bool) =\n"
      "  (map(x => x + 1.0, a), map(x => x + 1.0, b), map(x => x + 1, c), map(x => x + 1, d),\n"
      "   map(x => x + 1, e), map(x => x + 1, g), map(x => !x, h))\n");
  const std::vector<float> a{1, 2};
  const std::vector<double> b{1, 2};
  const std::vector<std::int32_t> c{-1, 2};
  const std::vector<std::uint32_t> d{1, 4294967295U};
  const std::vector<std::int64_t> e{1, std::int64_t{1} << 40};
  const std::vector<std::uint8_t> g{1, 255};
  const bool h[]{true, false};
  for (const Device& device : every_device()) {
    Compiled compiled = compile(program, device, {{"N", 2}}).value();
    std::vector<float> a1(2);
    std::vector<double> b1(2);
    std::vector<std::int32_t> c1(2);
    std::vector<std::uint32_t> d1(2);
    std::vector<std::int64_t> e1(2);
    std::vector<std::uint8_t> g1(2);
    bool h1[2];
    const auto times = compiled.run({a, b, c, d, e, g, std::span<const bool>(h)},
                                    {a1, b1, c1, d1, e1, g1, std::span<bool>(h1)});
    ASSERT_TRUE(times) << times.error().text();
    EXPECT_EQ(a1, (std::vector<float>{2, 3}));
    EXPECT_EQ(b1, (std::vector<double>{2, 3}));
    EXPECT_EQ(c1, (std::vector<std::int32_t>{0, 3}));
    EXPECT_EQ(d1, (std::vector<std::uint32_t>{2, 0}));
    EXPECT_EQ(e1, (std::vector<std::int64_t>{2, (std::int64_t{1} << 40) + 1}));
    EXPECT_EQ(g1, (std::vector<std::uint8_t>{2, 0}));
    EXPECT_FALSE(h1[0]);
    EXPECT_TRUE(h1[1]);
  }
}

TEST(Compiled, RunsOnBuffersWithoutTransfers) {
  const Program program = program_of("def step(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)\n");
  for (const Device& device : every_device()) {
    Compiled compiled = compile(program, device, {{"N", 64}}).value();
    const std::vector<float> start = counted(64);
    Buffer now = Buffer::from<float>(device, start).value();
    Buffer next = Buffer::allocate(device, Scalar::F32, 64).value();
    for (int step = 0; step < 5; ++step) {
      ASSERT_TRUE(compiled.run({now}, {next}));
      std::swap(now, next);
    }
    std::vector<float> result(64);
    ASSERT_TRUE(now.download(result));
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(result[i], 32 * start[i]);
    // Mixed: from a buffer to the host.
    ASSERT_TRUE(compiled.run({now}, {result}));
    EXPECT_EQ(result[3], 64 * start[3]);
  }
}

TEST(Compiled, OutlivesTheThreadThatCompiledIt) {
  const Program program = program_of("def f(x: [64]f32): [64]f32 = x |> iterate(3, map(e => 2.0 * e))\n");
  for (const Device& device : every_device()) {
    std::optional<Compiled> compiled;
    std::thread([&] { compiled = compile(program, device).value(); }).join();
    std::vector<float> result(64);
    ASSERT_TRUE(compiled->run({counted(64)}, {result}));
    EXPECT_EQ(result[5], 40);
  }
}

TEST(Compiled, SaysWhatIsWrongWithSizes) {
  const Program program =
      program_of("def f(x: [N]f32): [N]f32 = x |> split(4) |> map(map(e => e + 1.0)) |> join\n");
  const Device device = host();
  expect_error(compile(program, device), ErrorKind::User, "no value is given for N");
  expect_error(compile(program, device, {{"N", 10}}), ErrorKind::User, "N = 10");
  expect_error(compile(program, device, {{"N", 0}}), ErrorKind::User, "sizes are at least 1");
  expect_error(compile(program, device, {{"N", 8}, {"M", 8}}), ErrorKind::User,
               "no size or tuning parameter M");
}

TEST(Compiled, SaysWhatIsWrongWithArguments) {
  Compiled compiled = compile(program_of(axpy), host(), {{"N", 4}}).value();
  const std::vector<float> x = counted(4);
  std::vector<float> y(4);
  std::vector<float> short_one(3);
  std::vector<double> other(4);
  expect_error(compiled.run({x, x}, {y}), ErrorKind::User, "3 inputs, but 2 were given");
  expect_error(compiled.run({2.0F, x, x}, {}), ErrorKind::User, "1 output, but 0 were given");
  expect_error(compiled.run({2.0, x, x}, {y}), ErrorKind::User, "the input a is f32, but elements of f64");
  expect_error(compiled.run({2.0F, x, short_one}, {y}), ErrorKind::User,
               "the input y is [4]f32, which has 4 elements");
  expect_error(compiled.run({2.0F, x, x}, {short_one}), ErrorKind::User, "but 3 were given");
  expect_error(compiled.run({2.0F, x, x}, {other}), ErrorKind::User, "the output result is [4]f32");
  expect_error(compiled.run({2.0F, x, Input(x, {2, 2})}, {y}), ErrorKind::User, "but [2][2]f32 was given");
  EXPECT_TRUE(compiled.run({2.0F, x, Input(x, {4})}, {Output(y, {4})}));
}

TEST(Compiled, RefusesBuffersThatOverlapOrAreElsewhere) {
  const Device device = host();
  Compiled compiled = compile(program_of(axpy), device, {{"N", 4}}).value();
  const Buffer x = Buffer::from(device, counted(4)).value(),
               foreign = Buffer::from(host(), counted(4)).value();
  const Buffer number = Buffer::from(device, counted(1)).value();
  std::vector<float> y(4);
  expect_error(compiled.run({2.0F, x, x}, {x}), ErrorKind::User, "for an output and for another argument");
  expect_error(compiled.run({2.0F, x, foreign}, {y}), ErrorKind::User, "y is not on the device");
  expect_error(compiled.run({number, x, x}, {y}), ErrorKind::User, "a is a number");
  EXPECT_TRUE(compiled.run({2.0F, x, x}, {y}));
}

TEST(Compiled, TellsOfAnIndexOutside) {
  const Program program = program_of("def f(x: [N]f32, i: [N]i32): [N]f32 = i |> map(e => x[e])\n");
  const std::vector<float> x = counted(4);
  std::vector<float> y(4);
  for (const Device& device : every_device()) {
    Compiled compiled = compile(program, device, {{"N", 4}}).value();
    expect_error(compiled.run({x, std::vector<std::int32_t>{0, 1, 2, 4}}, {y}), ErrorKind::User,
                 "outside its array");
    ASSERT_TRUE(compiled.run({x, std::vector<std::int32_t>{3, 2, 1, 0}}, {y}));
    EXPECT_EQ(y, (std::vector<float>{3, 2, 1, 0}));
  }
}

// The caller's application goes on, and is told.
TEST(Compiled, TellsOfAnIntegerDividedByZero) {
  const std::string head = "def f(x: [N]i32, d: [N]i32): [N]i32 = ";
  using Integers = std::vector<std::int32_t>;
  const Integers x{7, -7, INT32_MIN, 8}, good{2, 2, -1, 3}, bad{2, 0, -1, 3};
  const std::pair<std::string, Integers> cases[] = {
      {"zip(x, d) |> map((a, b) => a / b)\n", {3, -3, INT32_MIN, 2}},
      {"zip(x, d) |> map((a, b) => a % b)\n", {1, -1, 0, 2}},
      {"zip(x |> asVector(4), d |> asVector(4)) |> map((a, b) => a / b) |> asScalar\n",
       {3, -3, INT32_MIN, 2}},
      {"zip(x, d) |> map((a, b) => if b == 0 then 9 else a / b)\n", {3, -3, INT32_MIN, 2}}};
  for (const auto& [body, expected] : cases) {
    const Program program = program_of(head + body);
    const bool is_guarded = body.find("if") != std::string::npos;
    for (const Device& device : every_device()) {
      SCOPED_TRACE(body + device.facts().id);
      Integers y(4);
      Compiled compiled = compile(program, device, {{"N", 4}}).value();
      if (is_guarded) {
        ASSERT_TRUE(compiled.run({x, bad}, {y}));
        EXPECT_EQ(y, (Integers{3, 9, INT32_MIN, 2}));
      } else {
        expect_error(compiled.run({x, bad}, {y}), ErrorKind::User, "an operation on integers had no value");
      }
      ASSERT_TRUE(compiled.run({x, good}, {y}));
      EXPECT_EQ(y, expected);
    }
  }
}

TEST(Buffer, HoldsItsTypeAndLength) {
  const Device device = host();
  Buffer buffer = Buffer::allocate(device, Scalar::I32, 3).value();
  EXPECT_EQ(buffer.type(), Scalar::I32);
  EXPECT_EQ(buffer.elements(), 3U);
  expect_error(buffer.upload(std::vector<float>(3)), ErrorKind::User, "3 elements of i32, but 3 of f32");
  expect_error(buffer.upload(std::vector<std::int32_t>(4)), ErrorKind::User, "but 4 of i32");
  expect_error(buffer.read<float>(0, 1), ErrorKind::User, "3 elements of i32, but 1 of f32");
  expect_error(buffer.write<std::int32_t>(2, 2), ErrorKind::User, "2 from element 2 on");
  expect_error(buffer.read<std::int32_t>(4, 0), ErrorKind::User, "0 from element 4 on");
  ASSERT_TRUE(buffer.upload<std::int32_t>(std::vector<std::int32_t>{5, 6}, 1));
  expect_error(buffer.read<std::int32_t>(), ErrorKind::User, "nothing in its elements [0, 1)");
  EXPECT_EQ(buffer.read<std::int32_t>(1, 2).value()[1], 6);
  expect_error(Buffer::allocate(device, Scalar::F32, std::size_t{1} << 50), ErrorKind::Device, "");
}

TEST(Device, IsListedAndOpened) {
  EXPECT_EQ(devices().back().id, "host");
  EXPECT_TRUE(Device::open());
  expect_error(Device::open("opencl:99"), ErrorKind::Device, "opencl:99");
}

TEST(Evaluate, IsTheReference) {
  const Program program =
      program_of("def f(x: [N]f32): (f32, [N]f32) = (reduce(+, 0.0, x), scan(+, 0.0, x))\n");
  const std::vector<float> x = counted(5);
  std::vector<float> total(1), sums(5);
  ASSERT_TRUE(evaluate(program, {{"N", 5}}, {x}, {total, sums}));
  EXPECT_EQ(total[0], 10);
  EXPECT_EQ(sums, (std::vector<float>{0, 1, 3, 6, 10}));
  const Buffer buffer = Buffer::allocate(host(), Scalar::F32, 5).value();
  expect_error(evaluate(program, {{"N", 5}}, {buffer}, {total, sums}), ErrorKind::User, "takes no buffers");
}

}  // namespace
}  // namespace hoist::api
