// Runs in tasks on devices: the host, OpenCL where there is one, and a CUDA driver that runs kernels on the
// processor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/random.hpp"
#include "driver/inputs.hpp"
#include "driver/verify.hpp"
#include "execute/stream_order.hpp"
#include "execute/streamed_executable.hpp"
#include "interpret/compare.hpp"
#include "runtime/devices.hpp"
#include "support/executed.hpp"
#include "unit/runtime/support.hpp"

namespace hoist::execute {
namespace {

using runtime::testing::ScopedVariable;
using testing::HasSubstr;

struct Case {
  const char* text;
  driver::NamedSizes sizes;
  const char* fed = "";  ///< the input that takes the result in steps, where several could
};

const std::vector<Case> cases = {
    {"def p(u: [H][W]f32): [H][W]f32 = u |> pad2(1, 1, clamp) |> slide2(3, 1)"
     " |> map2(n => n[0][1] + 0.5 * n[2][1] - n[1][0])",
     {{"H", 67}, {"W", 31}}},
    {"def p(a: f32, x: [N]f32, y: [N]f32): [N]f32 = zip(x, y) |> map((e, f) => a * e + f)", {{"N", 1000}}},
    {"def p(A: [M][K]i32, B: [K][N]i32): [M][N]i32 = A |> map(a => B |> transpose |> "
     "map(b => zip(a, b) |> map((x, y) => x * y) |> reduce(+, 0)))",
     {{"M", 40}, {"K", 16}, {"N", 24}}},
    {"def p(A: [M][N]f32, x: [N]f32): [M]f32 = A |> map(row => zip(row, x) |> map((a, b) => a * b) |> "
     "reduce(+, 0.0))",
     {{"M", 100}, {"N", 33}}},
    {"def p(x: [N]i64): ([N]i64, [N]i64) = (map(e => e + e, x), map(e => e * e, reverse(x)))", {{"N", 777}}},
    {"def p(A: [H][W]f32, B: [W][H]f32): [W][H]f32 = zip(transpose(A), B) |> map((a, b) => zip(a, b) |> "
     "map((x, y) => x + x * y))",
     {{"H", 37}, {"W", 322}}},
};
/// Whose tasks upload columns.
const Case& transposed = cases.back();

/// Programs that run on their own results; others read all that each wrote, or have a phase that is not cut.
const std::vector<Case> stepped_cases = {
    cases[0],
    {cases[1].text, cases[1].sizes, "y"},
    {"def p(a: [N]f32, m: [N][N]f32): [N]f32 = m |> map(row => zip(row, a) |> map((x, y) => x * y) |> "
     "reduce(+, 0.0) |> (s => s / 64.0))",
     {{"N", 48}}},
    {"def p(v: ([N]i32, [N]i32)): ([N]i32, [N]i32) = (map(e => e + 1, v.1), map(e => 3 * e, reverse(v.0)))",
     {{"N", 100}}},
    {"def p(x: [N]i32): [N]i32 = x |> scan(+, 1) |> map(e => e % 1000)", {{"N", 64}}},
    {"def p(A: [N][N]i32, B: [N]i32): [N][N]i32 = zip(transpose(A), B) |> map((a, b) => a |> map(x => x + "
     "b))",
     {{"N", 260}}},
};

/// Programs with steps that are not cut.
const std::vector<Case> uncut_cases = {
    {"def p(x: [N]f32): [N]f32 = x |> iterate(3, map(e => e * e)) |> scan(+, 0.0)", {{"N", 100}}},
    {"def p(x: [N]i32): i32 = x |> reduce(+, 0)", {{"N", 5000}}},
};

class Streamed : public testing::Test {
 protected:
  static driver::Compiled compiled(const Case& each, const runtime::Device& device) {
    const auto sized = driver::with_sizes(testing_support::program_of(each.text), each.sizes);
    return driver::compile(sized.value(), driver::options_for(device.info())).value();
  }

  static Transfers transfers(const std::vector<Data>& inputs, Data& outputs) {
    Transfers result;
    for (const Data& data : inputs) {
      for (const Tensor& tensor : data) result.inputs.emplace_back(tensor.bytes);
    }
    for (Tensor& tensor : outputs) {
      tensor.bytes.assign(static_cast<std::size_t>(tensor.elements()) * size_of(tensor.scalar),
                          std::byte{0x7F});
      result.outputs.emplace_back(tensor.bytes);
    }
    return result;
  }

  static float float_at(std::span<const std::byte> bytes, std::size_t at) {
    float result = 0;
    std::memcpy(&result, bytes.data() + 4 * at, 4);
    return result;
  }

  static void expect_right(runtime::Device& device, const Case& each, StreamOptions options) {
    const driver::Compiled whole = compiled(each, device);
    const ir::Program program = testing_support::program_of(each.text);
    if (options.steps > 1) options.fed = driver::fed_input(program, each.fed).value();
    auto executable = StreamedExecutable::prepare(device, whole, options);
    ASSERT_TRUE(executable) << executable.error().render();
    // The executable keeps pinned what a run was given, so it must not be freed before.
    std::vector<std::vector<Data>> all_inputs;
    std::vector<Data> results;
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      all_inputs.push_back(
          driver::random_inputs(program, driver::bindings_of(program, each.sizes), seed, {}).value());
      results.push_back(driver::empty_leaves(whole.low.result()).value());
    }
    for (std::size_t run = 0; run < results.size(); ++run) {
      const std::vector<Data>& inputs = all_inputs[run];
      Data& got = results[run];
      const auto times = executable->run(transfers(inputs, got));
      ASSERT_TRUE(times) << times.error().render();
      EXPECT_EQ(times->nodes.size(), unrolled(executable->plan()).nodes.size());
      EXPECT_EQ(times->upload_bytes, executable->plan().upload_bytes);
      EXPECT_EQ(times->download_bytes, executable->plan().download_bytes);
      EXPECT_GE(times->wall, 0);
      EXPECT_LE(times->busy, times->uploads + times->kernels + times->downloads + 1e-9);
      const auto verified = driver::verify(program, each.sizes, inputs, got, {options.steps, options.fed});
      ASSERT_TRUE(verified) << verified.error().render();
      EXPECT_TRUE(verified->comparison.agrees()) << interpret::to_string(verified->comparison);
    }
  }

  static void expect_all_right(runtime::Device& device) {
    const std::int64_t most =
        std::min<std::int64_t>(2, static_cast<std::int64_t>(device.info().compute_units));
    for (const Case& each : cases) {
      SCOPED_TRACE(each.text);
      for (const StreamOptions& options :
           {StreamOptions{1, 1, 0}, StreamOptions{1, 4, 0}, StreamOptions{most, 5, 0}})
        expect_right(device, each, options);
    }
    expect_right(device, cases[0], {most, 8, 10000});
    expect_right(device, cases[1], {1, 10, 2000});
    expect_right(device, transposed, {most, 8, 80'000});
    for (const Case& each : uncut_cases) {
      SCOPED_TRACE(each.text);
      expect_right(device, each, {1, 1, 0});
    }
    for (const Case& each : stepped_cases) {
      SCOPED_TRACE(each.text);
      // Eight and more steps have a loop of those in the middle.
      for (const std::size_t steps : {2, 5, 8, 11}) expect_right(device, each, {most, 4, 0, steps});
    }
    expect_right(device, stepped_cases[0], {most, 8, 10000, 3});
    expect_right(device, stepped_cases[1], {1, 10, 2000, 12});
    expect_right(device, stepped_cases.back(), {1, 16, 300'000, 3});
  }

  ir::Arena arena_;
};

TEST_F(Streamed, OnTheHost) { expect_all_right(*runtime::open_device("host").value()); }

TEST_F(Streamed, ThroughOpenCl) {
  const auto device = runtime::open_device("opencl");
  if (!device) GTEST_SKIP() << "there is no OpenCL device";
  expect_all_right(**device);
}

TEST_F(Streamed, ThroughCuda) {
  const ScopedVariable driver{"HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA};
  const ScopedVariable nvrtc{"HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA};
  expect_all_right(*runtime::open_device("cuda:0").value());
}

TEST_F(Streamed, InAnyOrderThatADriverMayChoose) {
  const ScopedVariable driver{"HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA};
  const ScopedVariable nvrtc{"HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA};
  for (const char* seed : {"1", "2", "3", "4"}) {
    const ScopedVariable order{"FAKE_CUDA_SEED", seed};
    const auto device = runtime::open_device("cuda:0").value();
    expect_right(*device, cases[0], {2, 8, 10000});
    expect_right(*device, cases[2], {1, 5, 0});
    expect_right(*device, stepped_cases[0], {2, 8, 0, 9});
    expect_right(*device, stepped_cases[0], {2, 8, 10000, 9});
    expect_right(*device, transposed, {2, 5, 0});
    expect_right(*device, transposed, {2, 8, 80'000});
    expect_right(*device, stepped_cases.back(), {2, 4, 0, 9});
  }
}

// Parts of what one run was given are the next one's, with other parts beside them that were not.
TEST_F(Streamed, ArraysMayLieWhereOthersOfEarlierRunsLay) {
  const ScopedVariable driver{"HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA};
  const ScopedVariable nvrtc{"HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA};
  const ScopedVariable order{"FAKE_CUDA_SEED", "1"};
  const auto device = runtime::open_device("cuda:0").value();
  const Case& each = stepped_cases[0];
  const ir::Program program = testing_support::program_of(each.text);
  StreamOptions options{2, 8, 10000, 9};
  auto executable = StreamedExecutable::prepare(*device, compiled(each, *device), options).value();
  const auto inputs = driver::random_inputs(program, driver::bindings_of(program, each.sizes), 1, {}).value();
  const std::vector<std::byte>& image = inputs.front().front().bytes;
  const std::size_t bytes = image.size(), half = bytes / 8 * 4;
  std::vector<std::byte> memory(4 * bytes);
  const auto run = [&](std::size_t input, std::size_t output) {
    std::ranges::copy(image, memory.begin() + static_cast<std::ptrdiff_t>(input));
    const std::span<std::byte> from(memory.data() + input, bytes), to(memory.data() + output, bytes);
    std::ranges::fill(to, std::byte{0x7F});
    ASSERT_TRUE(executable.run({{from}, {to}}));
    Data got = driver::empty_leaves(compiled(each, *device).low.result()).value();
    got.front().bytes.assign(to.begin(), to.end());
    const auto verified = driver::verify(program, each.sizes, inputs, got, {options.steps, options.fed});
    ASSERT_TRUE(verified) << verified.error().render();
    EXPECT_TRUE(verified->comparison.agrees()) << interpret::to_string(verified->comparison);
  };
  run(0, bytes);
  run(2 * bytes, half);
  run(half, 2 * bytes + half);
  run(0, bytes);
  EXPECT_THAT(executable.notes(), testing::Not(testing::Contains(HasSubstr("pins no"))));
}

TEST_F(Streamed, InputsMayOverlap) {
  const ScopedVariable driver{"HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA};
  const ScopedVariable nvrtc{"HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA};
  const auto device = runtime::open_device("cuda:0").value();
  auto executable = StreamedExecutable::prepare(*device, compiled(cases[1], *device), {1, 5, 0}).value();
  const std::vector<std::byte> number(4), both(6000);
  std::vector<std::byte> out(4000);
  const std::span<const std::byte> all(both);
  ASSERT_TRUE(executable.run({{number, all.first(4000), all.subspan(2000)}, {out}}));
  EXPECT_TRUE(executable.notes().empty()) << executable.notes().front();
  const auto again = device->pin({const_cast<std::byte*>(both.data()), both.size()}).value();
  EXPECT_FALSE(again->is_pinned()) << "all of it is pinned already";
}

TEST_F(Streamed, ATaskThatFailsSaysWhatIsWhole) {
  const ScopedVariable driver{"HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA};
  const ScopedVariable nvrtc{"HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA};
  const auto device = runtime::open_device("cuda:0").value();
  auto executable = StreamedExecutable::prepare(*device, compiled(cases[1], *device), {1, 5, 0}).value();
  std::vector<std::byte> number(4), x(4000), y(4000), out(4000);
  const ScopedVariable third{"FAKE_CUDA_FAIL_LAUNCH", "3"};
  const auto ran = executable.run({{number, x, y}, {out}});
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().kind, ErrorKind::Device);
  EXPECT_THAT(ran.error().render(), HasSubstr("inputs are as they were; out is not whole ("));
  EXPECT_THAT(ran.error().render(), HasSubstr("of 5 parts arrived)"));
}

TEST_F(Streamed, AStepThatFailsSaysWhichAndWhatIsWhole) {
  const ScopedVariable driver{"HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA};
  const ScopedVariable nvrtc{"HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA};
  for (const std::size_t memory : {0, 2000}) {
    for (const std::size_t step : {1, 3, 9, 20}) {
      const auto device = runtime::open_device("cuda:0").value();
      const StreamOptions options{1, 10, memory, 20, 2};
      auto executable = StreamedExecutable::prepare(*device, compiled(cases[1], *device), options).value();
      const std::vector<std::byte> number(4), x(4000), y(4000);
      std::vector<std::byte> out(4000);
      const std::string launch = std::to_string((step - 1) * 10 + 5);
      const ScopedVariable fifth{"FAKE_CUDA_FAIL_LAUNCH", launch};
      const auto ran = executable.run({{number, x, y}, {out}});
      ASSERT_FALSE(ran);
      EXPECT_EQ(ran.error().kind, ErrorKind::Device);
      const std::string text = ran.error().render();
      EXPECT_THAT(text, HasSubstr("are known to have ended; inputs are as they were"));
      // A run gives no more than some steps at once.
      const std::size_t ended = std::stoul(text.substr(text.find("of 20 steps ") + 12));
      EXPECT_LT(ended, step);
      EXPECT_LE(step, ended + 9);
      EXPECT_THAT(text, HasSubstr("out is not whole ("));
      EXPECT_THAT(text, HasSubstr("of 10 parts arrived)"));
      if (step < 20) {
        EXPECT_THAT(text, HasSubstr("(0 of 10"));
      }
      EXPECT_EQ(x, std::vector<std::byte>(4000));
    }
  }
}

TEST_F(Streamed, ATraceTellsTheSteps) {
  const auto device = runtime::open_device("host").value();
  auto executable =
      StreamedExecutable::prepare(*device, compiled(cases[1], *device), {1, 4, 0, 12, 2}).value();
  std::vector<std::byte> number(4), x(4000), y(4000), out(4000);
  const auto times = executable.run({{number, x, y}, {out}});
  ASSERT_TRUE(times);
  std::vector<std::size_t> launches(12);
  for (const TraceRecord& record : executable.trace(*times).records) {
    if (record.kind == TraceRecord::Kind::Launch) ++launches.at(*record.step);
    if (record.kind == TraceRecord::Kind::Upload) {
      EXPECT_EQ(*record.step, 0U);
    }
    if (record.kind == TraceRecord::Kind::Download) {
      EXPECT_EQ(*record.step, 11U);
    }
  }
  EXPECT_EQ(launches, std::vector<std::size_t>(12, 4));
}

TEST_F(Streamed, AStepWaitsForTheTasksWhoseElementsItReads) {
  lower::Options lowering;
  const auto device = runtime::open_device("host").value();
  const StreamedPlan plan = streamed_plan(compiled(cases[0], *device).plan, {8, 8, 0, 3, 0}).value().plan;
  // By step and task: the launch, and the tasks of the step before that it is behind.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> launches;
  for (std::size_t at = 0; at < plan.nodes.size(); ++at) {
    const StreamedPlan::Node& node = plan.nodes[at];
    if (std::holds_alternative<StreamedPlan::Launch>(node.work)) launches[{node.step, node.task}] = at;
  }
  ASSERT_EQ(launches.size(), 24U);
  for (std::size_t task = 0; task < 8; ++task) {
    std::vector<std::size_t> expected, named = plan.nodes[launches.at({1, task})].after;
    // Its neighbours: it reads their border. Its own task is before it on its queue.
    for (const std::size_t other : {task - 1, task + 1}) {
      if (other < 8) expected.push_back(launches.at({0, other}));
    }
    EXPECT_EQ(named, expected) << task;
  }
}

TEST_F(Streamed, ResultsThatDoNotFitPassThroughTheHost) {
  const auto device = runtime::open_device("host").value();
  const auto plan_of = [&](const StreamOptions& options) {
    auto made = StreamedExecutable::prepare(*device, compiled(cases[1], *device), options);
    EXPECT_TRUE(made);
    return std::pair(made->plan(), made->notes());
  };
  const auto [stays, none] = plan_of({1, 10, 0, 100, 2});
  EXPECT_TRUE(stays.results_stay());
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(stays.upload_bytes, 8000U);
  EXPECT_EQ(stays.download_bytes, 4000U);
  EXPECT_EQ(stays.all_steps(), 100U);
  EXPECT_LT(stays.nodes.size(), 200U) << "steps in the middle are listed once";
  const auto [moves, notes] = plan_of({1, 10, 2000, 100, 2});
  EXPECT_FALSE(moves.results_stay());
  EXPECT_EQ(moves.upload_bytes, 800'000U);
  EXPECT_EQ(moves.download_bytes, 400'000U);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes.front(), HasSubstr("results pass through the host's memory between steps"));
}

/// Arrays that know where they are valid, in place of the host's memory.
TEST_F(Streamed, MovesOfAnArrayWhatIsNotThere) {
  const auto device = runtime::open_device("host").value();
  for (const std::size_t memory : {0, 2000}) {
    auto executable =
        StreamedExecutable::prepare(*device, compiled(cases[1], *device), {1, 10, memory}).value();
    std::vector<float> numbers(1000), twice(1000);
    for (std::size_t at = 0; at < 1000; ++at) numbers[at] = static_cast<float>(at);
    const float two = 2;
    const auto number = std::as_bytes(std::span(&two, 1));
    TrackedArray x(*device, Scalar::F32, 1000), out(*device, Scalar::F32, 1000);
    const auto to = x.write(x.all()).value();
    std::memcpy(to.data(), numbers.data(), to.size());
    const auto first = executable.run({{number, {}, {}}, {{}}}, {{nullptr, &x, &x}, {&out}});
    ASSERT_TRUE(first) << first.error().render();
    const auto values = out.read({400, 800}).value();
    ASSERT_EQ(values.size(), 400U);
    for (std::size_t at = 0; at < 100; ++at)
      EXPECT_EQ(float_at(values, at), 3 * static_cast<float>(at + 100));
    // One element more, and the rest as before.
    const float hundred = 100;
    std::memcpy(x.write({0, 4}).value().data(), &hundred, 4);
    const auto second = executable.run({{number, {}, {}}, {{}}}, {{nullptr, &x, &x}, {&out}});
    ASSERT_TRUE(second);
    EXPECT_EQ(float_at(out.read(out.all()).value(), 0), 300);
    // A result stays on the device as an input, unless tasks have windows.
    TrackedArray again(*device, Scalar::F32, 1000);
    const auto third = executable.run({{number, {}, {}}, {{}}}, {{nullptr, &x, &out}, {&again}});
    ASSERT_TRUE(third);
    if (memory == 0) {
      EXPECT_EQ(third->upload_bytes + third->download_bytes, 0U);
    }
    EXPECT_EQ(float_at(again.read({4, 8}).value(), 0), 5);
    // From an array to the host's memory, and what nobody has written.
    const auto to_host = executable.run(
        {{number, {}, std::as_bytes(std::span(numbers))}, {std::as_writable_bytes(std::span(twice))}},
        {{nullptr, &again, nullptr}, {nullptr}});
    ASSERT_TRUE(to_host);
    EXPECT_EQ(twice[1], 11);
    TrackedArray empty(*device, Scalar::F32, 1000);
    const auto refused = executable.run({{number, {}, {}}, {{}}}, {{nullptr, &x, &empty}, {&again}});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().render(), HasSubstr("a buffer holds nothing in its elements [0, 1000)"));
  }
}

TEST_F(Streamed, ColumnsAreUploadedAsTasksNeedThem) {
  const auto device = runtime::open_device("host").value();
  const driver::Compiled whole = compiled(transposed, *device);
  const auto columns_of = [](const StreamedPlan& plan) {
    std::vector<runtime::Rows> result;
    for (const StreamedPlan::Node& node : plan.nodes) {
      const auto* upload = std::get_if<StreamedPlan::Upload>(&node.work);
      if (upload && upload->input == 0) result.push_back(upload->to.rows);
    }
    return result;
  };
  const StreamedPlan plan = streamed_plan(whole.plan, {1, 4}).value().plan;
  const std::size_t row = 4UL * 322;
  EXPECT_EQ(columns_of(plan),
            (std::vector<runtime::Rows>{
                {0, 320, 37, row}, {320, 320, 37, row}, {640, 320, 37, row}, {960, 328, 37, row}}))
      << "whole work-groups of eight columns";
  EXPECT_EQ(plan.shared_bytes + plan.redundant_bytes, 0U);
  EXPECT_EQ(columns_of(streamed_plan(whole.plan, {1, 8}).value().plan).front().count, 1U)
      << "rows of 160 bytes are not worth it";
  const auto windows = streamed_plan(whole.plan, {1, 8, 80'000}).value();
  EXPECT_LE(windows.plan.memory_bytes, 80'000U);
  EXPECT_EQ(columns_of(windows.plan).size(), 8U) << "however narrow, where not all fits";
  EXPECT_EQ(columns_of(windows.plan).at(3), (runtime::Rows{4 * (120 - 64), 4 * 40, 37, 4 * 130}));
}

TEST_F(Streamed, MovesColumnsOfAnArrayThatAreNotThere) {
  const auto device = runtime::open_device("host").value();
  const Case turned{"def p(A: [H][W]f32): [W][H]f32 = transpose(A) |> map(map(x => x + x))",
                    {{"H", 40}, {"W", 320}}};
  const Case back{turned.text, {{"H", 320}, {"W", 40}}};
  const auto made = [&](const Case& each, const StreamOptions& options) {
    return StreamedExecutable::prepare(*device, compiled(each, *device), options).value();
  };
  auto turn = made(turned, {1, 4}), narrow = made(turned, {1, 8, 80'000});
  StreamOptions any{1, 4};
  any.least_row_bytes = 0;
  auto turn_back = made(back, any);
  constexpr std::int64_t bytes = 40 * 320 * 4;
  TrackedArray x(*device, Scalar::F32, 12800), y(*device, Scalar::F32, 12800), z(*device, Scalar::F32, 12800);
  const auto memory = x.write(x.all()).value();
  for (std::size_t at = 0; at < 12800; ++at) {
    const auto value = static_cast<float>(at);
    std::memcpy(memory.data() + 4 * at, &value, 4);
  }
  const auto run = [&](StreamedExecutable& executable, TrackedArray& from, TrackedArray& to) {
    const auto times = executable.run({{{}}, {{}}}, {{&from}, {&to}});
    EXPECT_TRUE(times) << times.error().render();
    return times ? times->upload_bytes : 0;
  };
  const auto value_of = [](TrackedArray& array, std::int64_t at) {
    return float_at(array.read({4 * at, 4 * at + 4}).value(), 0);
  };
  EXPECT_EQ(run(turn, x, y), static_cast<std::size_t>(bytes));
  EXPECT_EQ(value_of(y, 3 * 40 + 2), 2.0F * (2 * 320 + 3));
  EXPECT_EQ(run(turn, x, y), 0U) << "it is there";
  EXPECT_EQ(run(turn_back, y, z), 0U) << "a result is";
  EXPECT_EQ(value_of(z, 2 * 320 + 3), 4.0F * (2 * 320 + 3));
  // A row is written by the host: the rest stays there.
  const float hundred = 100;
  std::memcpy(x.write({4 * 320, 4 * 321}).value().data(), &hundred, 4);
  run(turn, x, y);
  EXPECT_EQ(value_of(y, 1), 200);
  EXPECT_EQ(value_of(y, 3 * 40 + 2), 2.0F * (2 * 320 + 3));
  // To windows of columns what the device alone has goes by way of the host.
  EXPECT_EQ(run(narrow, z, y), static_cast<std::size_t>(bytes));
  EXPECT_EQ(value_of(y, 3 * 40 + 2), 8.0F * (2 * 320 + 3));
}

// The caller may free an array after the run, and get other memory at its address.
TEST_F(Streamed, ArraysMayBePinnedOnlyWhileARunLasts) {
  const ScopedVariable driver{"HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA};
  const ScopedVariable nvrtc{"HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA};
  const auto device = runtime::open_device("cuda:0").value();
  const std::vector<std::byte> number(4), x(4000);
  std::vector<std::byte> out(4000);
  for (const bool unpins : {false, true}) {
    StreamOptions options{1, 4, 0};
    options.unpins = unpins;
    auto executable = StreamedExecutable::prepare(*device, compiled(cases[1], *device), options).value();
    ASSERT_TRUE(executable.run({{number, x, x}, {out}}));
    EXPECT_EQ(device->pin(out).value()->is_pinned(), unpins) << "memory that is pinned is not pinned again";
  }
}

TEST_F(Streamed, AnArrayThatARunWasToWriteHoldsNothingWhereItFailed) {
  const ScopedVariable driver{"HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA};
  const ScopedVariable nvrtc{"HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA};
  const auto device = runtime::open_device("cuda:0").value();
  auto executable = StreamedExecutable::prepare(*device, compiled(cases[1], *device), {1, 5, 0}).value();
  TrackedArray x(*device, Scalar::F32, 1000), out(*device, Scalar::F32, 1000);
  std::memset(x.write(x.all()).value().data(), 0, 4000);
  std::memset(out.write(out.all()).value().data(), 0, 4000);
  const std::vector<std::byte> number(4);
  const ScopedVariable third{"FAKE_CUDA_FAIL_LAUNCH", "3"};
  const auto ran = executable.run({{number, {}, {}}, {{}}}, {{nullptr, &x, &x}, {&out}});
  ASSERT_FALSE(ran);
  EXPECT_THAT(ran.error().render(), HasSubstr("out is not whole"));
  EXPECT_FALSE(out.read({0, 4})) << "nothing that a failed run may have left is read";
  EXPECT_TRUE(x.read({0, 4})) << "inputs are as they were";
}

TEST_F(Streamed, DataLargerThanTheLimitPassThroughIt) {
  const auto device = runtime::open_device("host").value();
  const Case large{cases[1].text, {{"N", 1 << 16}}};
  const StreamOptions options{1, 64, 50'000};
  auto executable = StreamedExecutable::prepare(*device, compiled(large, *device), options);
  ASSERT_TRUE(executable) << executable.error().render();
  EXPECT_LE(executable->plan().memory_bytes, 50'000U);
  expect_right(*device, large, options);
}

TEST_F(Streamed, TasksAreAddedWhereMemoryIsShort) {
  const auto device = runtime::open_device("host").value();
  const Case large{cases[1].text, {{"N", 1 << 16}}};
  const auto plan_of = [&](std::size_t memory, bool adds_tasks) {
    StreamOptions options{1, 4, memory};
    options.adds_tasks = adds_tasks;
    return streamed_plan(compiled(large, *device).plan, options);
  };
  EXPECT_FALSE(plan_of(50'000, false));
  const auto added = plan_of(50'000, true);
  ASSERT_TRUE(added) << added.error().render();
  EXPECT_GT(added->plan.tasks, 4);
  EXPECT_GE(added->plan.tasks_in_flight, 3U) << "one in each stage";
  EXPECT_LE(added->plan.memory_bytes, 50'000U);
  EXPECT_THAT(added->plan.notes.back(),
              HasSubstr("tasks in place of 4, so that more fit the device's memory"));
  EXPECT_EQ(plan_of(0, true)->plan.tasks, 4) << "no more than are needed";
  EXPECT_THAT(plan_of(0, true)->plan.notes, testing::IsEmpty());
  EXPECT_EQ(plan_of(1 << 20, true)->plan.tasks, 4);
  StreamOptions options{1, 4, 50'000};
  options.adds_tasks = true;
  expect_right(*device, large, options);
  // Windows are smaller buffers than whole arrays.
  options = {1, 4};
  options.largest_buffer = 1 << 17;
  EXPECT_THAT(streamed_plan(compiled(large, *device).plan, options).value().plan.is_windowed,
              testing::Contains(true));
  options.largest_buffer = 1000;
  const auto refused = streamed_plan(compiled(large, *device).plan, options);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().render(), HasSubstr("more than the 1000 bytes that the device allows"));
  options.adds_tasks = true;
  EXPECT_GT(streamed_plan(compiled(large, *device).plan, options).value().plan.tasks, 64);
  const auto none = plan_of(100, true);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().render(), HasSubstr("more than the limit of 100 bytes"));
}

TEST_F(Streamed, RefusesWhatCannotBe) {
  const auto device = runtime::open_device("host").value();
  const auto refused = [&](const Case& each, const StreamOptions& options) {
    const auto made = StreamedExecutable::prepare(*device, compiled(each, *device), options);
    return made ? std::string("it is not refused") : made.error().render();
  };
  EXPECT_THAT(refused(cases[0], {1, 1000, 0}), HasSubstr("give at most 67 tasks"));
  EXPECT_THAT(refused(cases[0], {3, 2, 0}), HasSubstr("3 partitions have no use for 2 tasks"));
  EXPECT_THAT(refused(cases[0], {100000, 100000, 0}), HasSubstr("cannot be cut"));
  EXPECT_THAT(refused(cases[1], {100, 200, 0}), HasSubstr("partitions"));
  EXPECT_THAT(refused(cases[0], {1, 4, 100}), HasSubstr("more than the limit of"));
  EXPECT_THAT(refused(uncut_cases[0], {1, 4, 0}), HasSubstr("cannot be cut into 4 tasks"));
}

TEST_F(Streamed, RefusesResultsInTheMemoryOfInputs) {
  const auto device = runtime::open_device("host").value();
  auto executable = StreamedExecutable::prepare(*device, compiled(cases[1], *device), {1, 4, 0}).value();
  std::vector<std::byte> number(4), x(4000), y(4000);
  const auto same = executable.run({{number, x, y}, {x}});
  ASSERT_FALSE(same);
  EXPECT_THAT(same.error().render(), HasSubstr("an output lies in the memory of an input"));
}

TEST_F(Streamed, AFaultOfTheProgramIsItsError) {
  const auto device = runtime::open_device("host").value();
  const Case gather{"def p(i: [N]i32, x: [N]f32): [N]f32 = i |> map(k => x[k])", {{"N", 64}}};
  auto executable = StreamedExecutable::prepare(*device, compiled(gather, *device), {1, 4, 0});
  ASSERT_TRUE(executable) << executable.error().render();
  std::vector<std::byte> i(256), x(256), out(256);
  EXPECT_TRUE(executable->run({{i, x}, {out}}));
  const std::int32_t outside = 1000;
  std::memcpy(i.data() + 128, &outside, 4);
  const auto ran = executable->run({{i, x}, {out}});
  ASSERT_FALSE(ran);
  EXPECT_THAT(ran.error().render(), HasSubstr("an index was outside its array"));
  std::memset(i.data() + 128, 0, 4);
  EXPECT_TRUE(executable->run({{i, x}, {out}})) << "a later run is none the worse";
}

TEST(StreamOrder, RowsConflictWhereTheyShareBytes) {
  Random random(1);
  const auto some_rows = [&](std::size_t pitch) -> runtime::Rows {
    const std::size_t bytes = 1 + random.below(pitch);
    const std::size_t count = 1 + random.below(4);
    if (count == 1) return {random.below(60), 1 + random.below(30)};
    return {random.below(60), bytes, count, pitch};
  };
  const auto bytes_of = [](const runtime::Rows& rows) {
    std::set<std::size_t> result;
    for (std::size_t row = 0; row < rows.count; ++row) {
      for (std::size_t at = 0; at < rows.bytes; ++at) result.insert(rows.offset + row * rows.pitch + at);
    }
    return result;
  };
  std::size_t apart = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t pitch = 1 + random.below(12);
    const runtime::Rows one = some_rows(pitch),
                        other = some_rows(random.below(4) == 0 ? 1 + random.below(12) : pitch);
    const auto ones = bytes_of(one), others = bytes_of(other);
    const bool share = std::ranges::any_of(ones, [&](std::size_t each) { return others.contains(each); });
    const auto node = [](const runtime::Rows& rows) {
      return StreamedPlan::Node{
          StreamedPlan::Step{}, 0, 0, 0, {}, {{{0, 0, rows}, StreamedPlan::Access::Write}}};
    };
    const bool is_exact = one.count == 1 || other.count == 1 || one.pitch == other.pitch;
    const bool conflict = is_conflict(node(one), node(other));
    ASSERT_TRUE(is_exact ? conflict == share : conflict || !share)
        << one.offset << " " << one.bytes << " " << one.count << " " << one.pitch << ", " << other.offset
        << " " << other.bytes << " " << other.count << " " << other.pitch;
    EXPECT_EQ(conflict, is_conflict(node(other), node(one)));
    apart += share ? 0 : 1;
  }
  EXPECT_GT(apart, 5000U);
}

TEST(StreamOrder, EachDependenceIsNeeded) {
  ir::Arena arena;
  lower::Options lowering;
  const auto device = runtime::open_device("host").value();
  for (const Case& each : cases) {
    const auto sized = driver::with_sizes(testing_support::program_of(each.text), each.sizes);
    const auto whole = driver::compile(sized.value(), driver::options_for(device->info())).value();
    for (const StreamOptions& options :
         {StreamOptions{1, 6, 0}, StreamOptions{2, 6, 0}, StreamOptions{2, 6, 9000}}) {
      const auto streamed = streamed_plan(whole.plan, options);
      if (!streamed) continue;
      EXPECT_FALSE(missing_dependence(streamed->plan));
      for (std::size_t node = 0; node < streamed->plan.nodes.size(); ++node) {
        for (std::size_t at = 0; at < streamed->plan.nodes[node].after.size(); ++at) {
          StreamedPlan planted = streamed->plan;
          auto& after = planted.nodes[node].after;
          after.erase(after.begin() + static_cast<std::ptrdiff_t>(at));
          const auto missing = missing_dependence(planted);
          ASSERT_TRUE(missing) << each.text;
          EXPECT_THAT(missing->text, HasSubstr("does not wait for"));
        }
      }
    }
  }
}

}  // namespace
}  // namespace hoist::execute
