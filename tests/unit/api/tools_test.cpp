#include <filesystem>
#include <fstream>

#include "unit/api/support.hpp"

namespace hoist::api {
namespace {

const std::string twice =
    "// Each element, doubled.\ndef twice(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)\n";

TEST(Tools, TellsAboutPrograms) {
  const Program program = program_of(twice);
  EXPECT_EQ(program.documentation(), "Each element, doubled.");
  EXPECT_EQ(program.entry(), "");
  EXPECT_EQ(program.source_name(), "program");
  EXPECT_EQ(program_of("def f(x: [N]f32): [N]f32 = x\n").documentation(), "");
  const std::vector<std::string> names = names_of_patterns();
  for (const char* each : {"map", "slide2", "sqrt", "reduceByKey", "mapGlb2"})
    EXPECT_NE(std::find(names.begin(), names.end(), each), names.end()) << each;
}

TEST(Tools, ErrorsAboutInputsTellThePlace) {
  const Program program = program_of(twice);
  const Error error = input_error(program, 0, "what is wrong", "why", "what to do");
  EXPECT_EQ(error.text(),
            "program:2:11: error: what is wrong\n"
            " 2 | def twice(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)\n"
            "   |           ^^^^^^^^^\n  note: why\n  help: what to do");
  Compiled compiled = compile(program, host(), {{"N", 4}}).value();
  const std::vector<double> x(4);
  std::vector<float> y(4);
  const auto ran = compiled.run({x}, {y});
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().location()->column, 11);
  std::vector<double> z(4);
  const auto other = compiled.run({y}, {z});
  ASSERT_FALSE(other);
  EXPECT_FALSE(other.error().location());
  const std::vector<float> empty;
  const auto inferred = infer_sizes(program, {Input(empty, {0})});
  ASSERT_FALSE(inferred);
  EXPECT_EQ(inferred.error().location()->line, 2);
}

TEST(Tools, FindsTheInputThatStepsFeed) {
  EXPECT_EQ(fed_input(program_of(twice)).value(), 0U);
  const Program mix = program_of("def mix(a: f32, u: [N]f32, v: [N]f32): [N]f32 = zip(u, v) |> map(+)\n");
  EXPECT_EQ(fed_input(mix, "v").value(), 2U);
  expect_error(fed_input(mix), ErrorKind::User, "several inputs");
  expect_error(fed_input(mix, "w"), ErrorKind::User, "no input called w");
}

TEST(Tools, PrintsKernelsInEveryLanguage) {
  const Program program = program_of(twice);
  EXPECT_NE(source_of(program, "cuda").value().find("__global__"), std::string::npos);
  EXPECT_NE(source_of(program, "opencl", {{"N", 64}}).value().find("kernel"), std::string::npos);
  expect_error(source_of(program, "metal"), ErrorKind::User, "no language 'metal'");
  expect_error(source_of(program, "host", {{"M", 64}}), ErrorKind::User, "no size or tuning parameter M");
}

TEST(Tools, Exports) {
  const Program program = program_of(twice);
  const auto files = export_files(program, "host", {{"N", 64}}, "mine").value();
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0].name, "mine.h");
  expect_error(export_files(program, "host", {}), ErrorKind::User, "no value is given for N");
  expect_error(export_files(program, "tpu", {{"N", 64}}), ErrorKind::User, "no device to export for");
}

TEST(Tools, TunesAndReports) {
  const std::string store = ::testing::TempDir() + "/hoist-tools-store.sqlite";
  std::filesystem::remove(store);
  const Program program = program_of("def sums(x: [M][N]f32): [M]f32 = x |> map(reduce(+, 0.0))\n");
  const std::vector<float> x(64 * 64, 1);
  TuneOptions options{.seconds = 60, .evaluations = 1, .store = store};
  std::size_t told = 0;
  options.progress = [&](const TuneProgress&) { ++told; };
  const TuneResult result = tune(program, "host", {Input(x, {64, 64})}, {}, options).value();
  ASSERT_FALSE(result.best.empty());
  EXPECT_GT(result.best.front().median, 0);
  EXPECT_GT(result.baseline, 0);
  EXPECT_GT(told, 0U);
  EXPECT_NE(report(program, {{"M", 64}}, "host", store).value().find("<html"), std::string::npos);
  expect_error(report(program, {{"M", 65}}, "host", store), ErrorKind::User, "nothing was measured of sums");
  std::filesystem::remove(store);
}

TEST(Tools, TunesOpenParameters) {
  const std::string store = ::testing::TempDir() + "/hoist-tools-open.sqlite";
  std::filesystem::remove(store);
  const Program program =
      program_of("def f(x: [N]f32): [N]f32 = x |> split(?t) |> mapGlb(mapSeq(e => e + 1.0)) |> join\n");
  const std::vector<float> x(64, 1);
  const auto result = tune(program, "host", {x}, {}, {.seconds = 60, .evaluations = 2, .store = store});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_FALSE(result->best.empty());
  const std::vector<double> wrong(64, 1);
  expect_error(tune(program, "host", {wrong}, {}, {.store = store}), ErrorKind::User, "the input x is");
  expect_error(tune(program, "host", {x}, {}, {.store = store, .worker = "/nowhere"}), ErrorKind::Device,
               "/nowhere");
  std::filesystem::remove(store);
}

TEST(Tools, UsesMemoryOfTheHostWhereItIs) {
  const Program program = program_of("def f(x: [N]f32, s: [N]f32): [N]f32 = zip(x, s) |> map(+)\n");
  for (const Device& device : every_device()) {
    Compiled compiled = compile(program, device, {{"N", 1000}}).value();
    // Aligned to elements alone, and with others' elements around.
    std::vector<float> memory(3003, 7);
    const std::span<float> x = std::span(memory).subspan(1, 1000), y = std::span(memory).subspan(1001, 1000);
    for (std::size_t i = 0; i < 1000; ++i) x[i] = static_cast<float>(i);
    ASSERT_TRUE(compiled.run({x, x}, {y}));
    for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(y[i], 2 * static_cast<float>(i)) << device.facts().id;
    EXPECT_EQ(memory.front(), 7);
    EXPECT_EQ(memory[2001], 7);
    // An output in the memory of an input is as if it were not.
    ASSERT_TRUE(compiled.run({x, y}, {x}));
    for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(x[i], 3 * static_cast<float>(i)) << device.facts().id;
    const std::span<float> shifted = std::span(memory).subspan(501, 1000);
    const std::vector<float> before(x.begin(), x.end()), other(y.begin(), y.end());
    ASSERT_TRUE(compiled.run({x, y}, {shifted}));
    for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(shifted[i], before[i] + other[i]) << device.facts().id;
  }
}

TEST(Tools, BuffersAtAddresses) {
  const Device device = host();
  alignas(64) std::array<float, 8> memory{1, 2, 3, 4, 5, 6, 7, 8};
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  const Buffer own = Buffer::at(device, address + 4, Scalar::F32, 4).value();
  EXPECT_EQ(own.address().value(), address + 4);
  const Buffer copy = Buffer::copy_of(device, address, Scalar::F32, 4).value();
  memory[1] = 20;
  std::vector<float> read(4);
  ASSERT_TRUE(own.download(read));
  EXPECT_EQ(read, (std::vector<float>{20, 3, 4, 5}));
  ASSERT_TRUE(copy.download(read));
  EXPECT_EQ(read, (std::vector<float>{1, 2, 3, 4}));
  expect_error(Buffer::at(device, address + 1, Scalar::F32, 4), ErrorKind::User, "no multiple of 4");
  expect_error(device.follow(1), ErrorKind::User, "no streams");
}

}  // namespace
}  // namespace hoist::api
