// Programs on several devices of this process: results are those of one device.
#include <numeric>

#include "unit/api/support.hpp"

namespace hoist::api {
namespace {

// On whole numbers, so that results are the same to the bit however they are added up.
const std::string stencil =
    "def smooth(u: [H][W]i32): [H][W]i32 =\n"
    "  u |> pad2(1, 1, wrap) |> slide2(3, 1) |> map2(n => (n[0][1] + n[1][0] + 2 * n[1][1] + n[1][2] + "
    "n[2][1]) % 1009)\n";

std::vector<std::int32_t> numbers(std::size_t count) {
  std::vector<std::int32_t> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<std::int32_t>(i * i % 97);
  return result;
}

/// So many places of a device, each a device of its own, which none of them needs to be divided for.
std::vector<Device> places_of(const std::string& id, std::size_t count) {
  std::vector<Device> devices;
  while (devices.size() < count) devices.push_back(Device::open(id).value());
  return devices;
}

/// What one device gives after so many steps.
std::vector<std::int32_t> stepped(const Program& program, const Device& device, const Sizes& sizes,
                                  std::vector<std::int32_t> u, std::size_t steps) {
  Compiled one = compile(program, device, sizes).value();
  for (std::size_t step = 0; step < steps; ++step) {
    std::vector<std::int32_t> next(u.size());
    one.run({u}, {next}).value();
    u = next;
  }
  return u;
}

TEST(Places, StepsGiveWhatOneDeviceGives) {
  const Program program = program_of(stencil);
  const Sizes sizes{{"H", 23}, {"W", 7}};
  const std::vector<std::int32_t> u = numbers(23 * 7);
  for (const Device& device : every_device()) {
    for (const std::size_t steps : {1U, 2U, 5U}) {
      const std::vector<std::int32_t> expected = stepped(program, device, sizes, u, steps);
      for (const std::vector<double>& shares :
           {std::vector<double>{1}, std::vector<double>{1, 1}, std::vector<double>{3, 1, 2}}) {
        Compiled many = compile(program,
                                Places{.devices = places_of(device.facts().id, shares.size()),
                                       .shares = shares,
                                       .steps = steps},
                                sizes)
                            .value();
        std::vector<std::int32_t> result(u.size());
        const RunTimes times = many.run({u}, {result}).value();
        EXPECT_EQ(result, expected) << device.facts().id << ", " << shares.size() << " parts, " << steps;
        EXPECT_EQ(times.parts.size(), shares.size());
        EXPECT_EQ(times.received > 0, shares.size() > 1 && steps > 1);
        EXPECT_EQ(many.output_parts().front().rows, 23);
        // A second run finds nothing of the first.
        std::vector<std::int32_t> again(u.size());
        many.run({u}, {again}).value();
        EXPECT_EQ(again, expected);
      }
    }
  }
}

TEST(Places, AGridGivesWhatOneDeviceGives) {
  const Program program = program_of(stencil);
  const Sizes sizes{{"H", 23}, {"W", 19}};
  const std::vector<std::int32_t> u = numbers(23 * 19);
  for (const Device& device : every_device()) {
    for (const std::size_t steps : {1U, 4U}) {
      const std::vector<std::int32_t> expected = stepped(program, device, sizes, u, steps);
      Compiled many = compile(program,
                              Places{.devices = places_of(device.facts().id, 4),
                                     .shares = {2, 1, 1, 1},
                                     .steps = steps,
                                     .grid = {2, 2}},
                              sizes)
                          .value();
      std::vector<std::int32_t> result(u.size());
      many.run({u}, {result}).value();
      EXPECT_EQ(result, expected) << device.facts().id << ", " << steps;
    }
  }
}

TEST(Places, ReductionsProductsAndNumbersAreThoseOfOneDevice) {
  const Program sum = program_of(
      "def total(a: i32, x: [N]i32, y: [N]i32): i32 = zip(x, y) |> map((e, f) => a * e * f) |> reduce(+, "
      "0)\n");
  const Program product = program_of(
      "def product(A: [M][K]i32, B: [K][N]i32): [M][N]i32 = A |> map(r => B |> transpose |> map(c => zip(r, "
      "c)"
      " |> map((a, b) => a * b) |> reduce(+, 0)))\n");
  const std::vector<std::int32_t> x = numbers(1001), A = numbers(13 * 6), B = numbers(6 * 5);
  const Device device = host();
  const Places places{.devices = places_of("host", 3)};
  std::vector<std::int32_t> one(1), many(1), one_product(13 * 5), many_product(13 * 5);
  compile(sum, device, {{"N", 1001}}).value().run({2, x, x}, {one}).value();
  compile(sum, places, {{"N", 1001}}).value().run({2, x, x}, {many}).value();
  EXPECT_EQ(one, many);
  const Sizes sizes{{"M", 13}, {"K", 6}, {"N", 5}};
  compile(product, device, sizes).value().run({A, B}, {one_product}).value();
  compile(product, places, sizes).value().run({A, B}, {many_product}).value();
  EXPECT_EQ(one_product, many_product);
}

TEST(Places, SayWhatIsWrong) {
  const Program program = program_of(stencil);
  const Sizes sizes{{"H", 4}, {"W", 8}};
  const Device device = host();
  expect_error(compile(program, Places{}, sizes), ErrorKind::User, "there is no device among the places");
  expect_error(compile(program, Places{.devices = {device, device}, .shares = {1}}, sizes), ErrorKind::User,
               "there are 1 shares for 2 devices");
  expect_error(compile(program, Places{.devices = {device, device}, .shares = {1, -2}}, sizes),
               ErrorKind::User, "-2 is no share");
  expect_error(compile(program, Places{.devices = places_of("host", 2), .grid = {2, 2}}, sizes),
               ErrorKind::User, "a grid of 2 by 2 has not 2 parts");
  expect_error(compile(program, Places{.devices = places_of("host", 2), .grid = {2, 0}}, sizes),
               ErrorKind::User, "a grid of 2 by 0 has no parts");
  expect_error(compile(program, Places{.devices = {device}, .steps = 0}, sizes), ErrorKind::User,
               "the number of steps must be at least 1");
  expect_error(compile(program, Places{.devices = {device, device}, .steps = 2, .feed = "v"}, sizes),
               ErrorKind::User, "the program has no input called v to feed");
  expect_error(compile(program_of("def twice(x: [N]i32): [N]i32 = x |> map(e => 2 * e)\n"),
                       Places{.devices = places_of("host", 5)}, {{"N", 4}}),
               ErrorKind::User, "twice cannot be cut into 5 parts");
  expect_error(
      compile(program, Places{.devices = std::vector<Device>(1000, device)}, {{"H", 2000}, {"W", 8}}),
      ErrorKind::User, "1000 partitions of device host");
  expect_error(compile(program_of("def f(x: [N]i32): [N]i32 = x |> scan(+, 0)\n"),
                       Places{.devices = {device, device}}, {{"N", 100}}),
               ErrorKind::User, "f cannot be cut into 2 parts");
  for (const Device& other : every_device()) {
    if (other.facts().id == "host") continue;
    expect_error(compile(program, Places{.devices = {device, other}}, sizes), ErrorKind::User,
                 "run kernels in different languages");
  }
  Compiled many = compile(program, Places{.devices = {device, device}}, sizes).value();
  std::vector<std::int32_t> u = numbers(32), v(32), small(31);
  expect_error(many.run({u}, {small}), ErrorKind::User, "which has 32 elements, but 31 were given");
  expect_error(many.run({u}, {u}), ErrorKind::User, "the output result is in the memory of another array");
  const Buffer buffer = Buffer::from(device, std::span<const std::int32_t>(u)).value();
  expect_error(many.run({buffer}, {v}), ErrorKind::User, "a buffer is on one device");
}

TEST(Places, AFaultOfAnyPartIsTold) {
  const Program pick = program_of("def pick(x: [N]f32, at: [M]i32): [M]f32 = at |> map(i => x[i])\n");
  const Device device = host();
  Compiled many = compile(pick, Places{.devices = {device, device}}, {{"N", 10}, {"M", 40}}).value();
  std::vector<float> x(10, 1.0F), result(40);
  std::vector<std::int32_t> at(40, 9);
  many.run({x, at}, {result}).value();
  EXPECT_EQ(result, std::vector<float>(40, 1.0F));
  at.back() = 10;
  expect_error(many.run({x, at}, {result}), ErrorKind::User, "an index was outside its array");
  at.back() = 0;
  many.run({x, at}, {result}).value();
  EXPECT_EQ(result, std::vector<float>(40, 1.0F));
}

}  // namespace
}  // namespace hoist::api
