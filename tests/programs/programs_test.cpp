// Every program that ships, those that were once computed wrong (found/), those of language/ and those that
// use single constructs in all ways (constructs/), on every executor: the reference interpreter, the loop
// interpreter (which also finds races, divergent barriers and bad accesses), the host's compiler, OpenCL and
// CUDA must agree, at sizes that divide and at primes.
#include <gtest/gtest.h>

#include <map>

#include "arith/arena.hpp"
#include "codegen/codegen.hpp"
#include "driver/inputs.hpp"
#include "driver/suite.hpp"
#include "driver/verify.hpp"
#include "execute/executable.hpp"
#include "interpret/interpret.hpp"
#include "ir/print.hpp"
#include "lang/lang.hpp"
#include "loop/check.hpp"
#include "loop/print.hpp"
#include "runtime/cuda/compiler.hpp"
#include "runtime/devices.hpp"
#include "support/executed.hpp"
#include "target/kinds.hpp"

namespace hoist {
namespace {

constexpr std::uint64_t seed = 20261121;

struct Case {
  driver::SuiteProgram program;
  std::string set;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const char* folder :
       {"/kernels", "/kernels/low-level", "/kernels/polybench", "/kernels/imaging", "/examples/streams",
        "/tests/programs/found", "/tests/programs/language", "/tests/programs/constructs"}) {
    auto suite = driver::load_suite(std::string(HOIST_SOURCE_DIR) + folder);
    if (!suite) throw std::runtime_error(suite.error().render());
    for (const driver::SuiteProgram& program : *suite) {
      for (const auto& [set, values] : program.sizes) {
        if (set != "bench") cases.push_back({program, set});
      }
    }
  }
  return cases;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const std::string folder = info.param.program.path.parent_path().filename().string();
  const std::string prefix = folder == "kernels" ? "" : folder == "low-level" ? "low_" : folder + "_";
  return prefix + info.param.program.name + "_" + info.param.set;
}

class Programs : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const Case& param = GetParam();
    auto source = driver::read_source(param.program.path);
    ASSERT_TRUE(source) << source.error().render();
    auto parsed = lang::parse_program(*source);
    ASSERT_TRUE(parsed) << parsed.error().render(&*source);
    program = *parsed;
    sizes = param.program.sizes.at(param.set);
    auto ranges = param.program.ranges(sizes);
    ASSERT_TRUE(ranges) << ranges.error().render();
    auto made = driver::random_inputs(program, driver::bindings_of(program, sizes), seed, *ranges);
    ASSERT_TRUE(made) << made.error().render();
    inputs = *made;
  }

  void expect_right(const Data& got) {
    auto verification = driver::verify(program, sizes, inputs, got);
    ASSERT_TRUE(verification) << verification.error().render();
    EXPECT_TRUE(verification->comparison.agrees())
        << interpret::to_string(verification->comparison) << " (seed " << seed << ")";
  }

  void run_by_loops(const lower::Options& options) {
    auto sized = driver::with_sizes(program, sizes);
    ASSERT_TRUE(sized) << sized.error().render();
    auto compiled = driver::compile(*sized, options);
    ASSERT_TRUE(compiled) << compiled.error().render();
    auto checked = loop::check(compiled->plan);
    ASSERT_TRUE(checked) << checked.error().render() << loop::to_string(compiled->plan);
    auto executed = testing_support::execute(compiled->plan, compiled->low.result(), inputs);
    ASSERT_TRUE(executed) << executed.error().render() << loop::to_string(compiled->plan);
    for (const std::string& fault : executed->report.faults) {
      ADD_FAILURE() << fault << "\n" << loop::to_string(compiled->plan);
    }
    expect_right(executed->outputs);
  }

  void run_on(const std::string& id) {
    auto device = runtime::open_device(id);
    if (!device) GTEST_SKIP() << device.error().render();
    auto got = execute::run_once(**device, program, sizes, inputs);
    ASSERT_TRUE(got) << got.error().render();
    expect_right(*got);
  }

  ir::Arena arena;
  ir::Program program;
  driver::NamedSizes sizes;
  std::vector<Data> inputs;
};

TEST_P(Programs, PrintsAndParsesToTheSameTerm) {
  Source text{"printed", ir::to_string(program)};
  auto again = lang::parse_program(text);
  ASSERT_TRUE(again) << again.error().render(&text);
  EXPECT_EQ(again->function, program.function) << text.text;
}

TEST_P(Programs, LoopInterpreter) {
  lower::Options options;
  options.trace = [](std::string_view, const loop::Plan& plan) {
    // Parameters are listed last, so the whole kernel is checked then; here only that each pass leaves
    // readable text.
    for (const loop::Kernel& kernel : plan.kernels) (void)loop::to_string(kernel);
  };
  run_by_loops(options);
}

/// Targets with warps get other loops where a program says so.
TEST_P(Programs, LoopInterpreterWithWarps) {
  if (ir::to_string(program).find("reduceLcl") != std::string::npos)
    run_by_loops(driver::options_for(target::any_device(target::Language::Cuda)));
}

TEST_P(Programs, Host) { run_on("host"); }

TEST_P(Programs, OpenCL) { run_on("opencl"); }

TEST_P(Programs, Cuda) { run_on("cuda"); }

/// The same text that a device would get, by NVIDIA's compiler alone: this needs no device.
TEST_P(Programs, CompilesForCuda) {
  const auto nvrtc = runtime::cuda::load_nvrtc();
  if (!nvrtc) GTEST_SKIP() << nvrtc.error().render();
  auto sized = driver::with_sizes(program, sizes);
  ASSERT_TRUE(sized) << sized.error().render();
  const target::Target with_images = with_usual_images(target::any_device(target::Language::Cuda));
  auto compiled = driver::compile(*sized, driver::options_for(with_images));
  ASSERT_TRUE(compiled) << compiled.error().render();
  const auto image = runtime::cuda::compile(*nvrtc, compiled->source, 9, 0);
  ASSERT_TRUE(image) << image.error().render();
  EXPECT_EQ(image->architecture, "sm_90");
}

/// What each optional pass does must not matter for the result.
class ProgramsWithout : public Programs {};

TEST_P(ProgramsWithout, EachPass) {
  for (const std::string& pass : lower::optional_passes()) {
    SCOPED_TRACE(pass);
    lower::Options options;
    ASSERT_TRUE(lower::disable_pass(options, pass));
    run_by_loops(options);
  }
}

/// Every program at its smallest set of sizes.
std::vector<Case> smallest_cases() {
  std::map<std::string, Case> smallest;
  auto product = [](const Case& each) {
    std::int64_t result = 1;
    for (const auto& [name, value] : each.program.sizes.at(each.set)) result *= value;
    return result;
  };
  for (const Case& each : all_cases()) {
    auto [known, is_new] = smallest.emplace(each.program.path.string(), each);
    if (!is_new && product(each) < product(known->second)) known->second = each;
  }
  std::vector<Case> cases;
  for (auto& [path, each] : smallest) cases.push_back(std::move(each));
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Kernels, ProgramsWithout, testing::ValuesIn(smallest_cases()), name_of);

INSTANTIATE_TEST_SUITE_P(Kernels, Programs, testing::ValuesIn(all_cases()), name_of);

}  // namespace
}  // namespace hoist
