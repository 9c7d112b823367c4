// Random kernels: what was printed computes what the interpreter of loop IR does.
#include "unit/loop/random_plan.hpp"

#include <cmath>

#include "unit/codegen/support.hpp"

namespace hoist::codegen {
namespace {

constexpr std::uint32_t first_seed = 1;
constexpr std::uint32_t seeds = 60;
constexpr std::size_t kernels_in_a_text = 30;
constexpr std::int64_t size = 37;  // at most 64, and no multiple of the work-items

bool is_same(float want, float got) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  return want == got || std::fabs(want - got) <= 1e-5F * std::fabs(want);
}

struct Sample {
  std::uint32_t seed;
  loop::Plan plan;
  std::vector<float> expected;
};

class RandomKernels : public testing::Test {
 protected:
  RandomKernels() {
    sizes_[arith::size("N").get()] = size;
    memory_["A"] = bytes_of(loop::RandomPlan::input(64));
    memory_["K"] = bytes_of(loop::RandomPlan::integers(64));
  }

  /// Plans that run without a fault: the others have no meaning to compare with.
  std::vector<Sample> samples() {
    std::vector<Sample> result;
    for (std::uint32_t seed = first_seed; seed < first_seed + seeds; ++seed) {
      Sample sample{seed, loop::RandomPlan(seed).make(), {}};
      loop::Memory memory = memory_;
      const auto report = loop::interpret(sample.plan, sizes_, scalars_, memory);
      if (!report || !report->faults.empty()) continue;
      sample.expected = elements_of<float>(memory["C"]);
      sample.plan.kernels[0].name = fmt::format("k{}", seed);
      result.push_back(std::move(sample));
    }
    return result;
  }

  arith::Bindings sizes_;
  std::map<std::string, ScalarValue> scalars_{{"a", ScalarValue::of_real(Scalar::F32, 1.25)}};
  loop::Memory memory_;
};

TEST_F(RandomKernels, ComputeWhatTheInterpreterDoes) {
  const std::vector<Sample> all = samples();
  EXPECT_GT(all.size(), seeds / 4);
  std::printf("%zu of %u random plans have no fault\n", all.size(), seeds);
  for (std::size_t begin = 0; begin < all.size(); begin += kernels_in_a_text) {
    const std::size_t end = std::min(all.size(), begin + kernels_in_a_text);
    loop::Plan plan = all[begin].plan;
    plan.kernels.clear();
    for (std::size_t at = begin; at < end; ++at) plan.kernels.push_back(all[at].plan.kernels[0]);
    for (const std::string& id : devices()) {
      if (id != "host" && begin > 0) continue;  // OpenCL's compilers take a second for each kernel
      Execution execution(id, plan, sizes_, scalars_);
      for (std::size_t at = begin; at < end; ++at) {
        loop::Memory memory = memory_;
        execution.run(memory, {{loop::LaunchStep{at - begin}}});
        const auto got = elements_of<float>(memory["C"]);
        for (std::size_t element = 0; element < got.size(); ++element) {
          ASSERT_TRUE(is_same(all[at].expected[element], got[element]))
              << id << ", seed " << all[at].seed << ": C[" << element << "] is " << got[element] << ", not "
              << all[at].expected[element] << "\n"
              << loop::to_string(all[at].plan)
              << text_of(id == "host" ? host(all[at].plan) : opencl(all[at].plan));
        }
      }
    }
  }
}

}  // namespace
}  // namespace hoist::codegen
