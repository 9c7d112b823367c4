// Derivations done again, and numbers of candidates that stay what they are. HOIST_SLOW=1 does a thousand
// derivations again.
#include <gtest/gtest.h>

#include "exploration/shipped.hpp"
#include "ir/print.hpp"

namespace hoist {
namespace {

using testing_support::Case;

/// Programs of all kinds.
const std::vector<Case>& all_cases() {
  static const std::vector<Case> all = {
      {"matmul_nn", {{"M", 16}, {"N", 16}, {"K", 16}}},
      {"gemv_transposed", {{"M", 32}, {"N", 48}}},
      {"axpy", {{"N", 192}}},
      {"dot", {{"N", 192}}},
      {"nbody", {{"N", 32}}},
      {"kmeans", {{"N", 48}, {"K", 8}, {"F", 16}}},
      {"convolution2d", {{"H", 16}, {"W", 24}, {"R", 1}}},
      {"jacobi2d5", {{"H", 24}, {"W", 32}}},
      {"srad1", {{"H", 24}, {"W", 32}}},
      {"syrk", {{"N", 24}, {"K", 16}}},
  };
  return all;
}

variants::Exploration explored(const Case& each) {
  const std::size_t steps = testing_support::is_slow() ? 3 : 2;
  const testing_support::Shipped shipped = testing_support::shipped(each.program, each.sizes);
  auto space = variants::Exploration::of(shipped.sized, testing_support::small_groups(steps));
  if (!space) throw std::runtime_error(space.error().render());
  return *std::move(space);
}

TEST(Replay, GivesEveryDerivationsProgram) {
  const std::size_t wanted = testing_support::is_slow() ? 1000 : 100;
  std::size_t replayed = 0;
  for (const Case& each : all_cases()) {
    SCOPED_TRACE(each.program);
    const ir::Arena arena;
    const testing_support::Shipped shipped = testing_support::shipped(each.program, each.sizes);
    const variants::Exploration space = explored(each);
    const std::size_t most = wanted / 4;
    const std::size_t stride = std::max<std::size_t>(1, space.derivations() / most);
    for (std::size_t i = 0; i < space.derivations(); i += stride) {
      const variants::Derivation& derivation = space.derivation(i);
      const auto again = variants::replay(shipped.sized, derivation.trace);
      ASSERT_TRUE(again) << "derivation " << i << "\n" << again.error().render();
      ASSERT_EQ(again->function, derivation.program.function) << "derivation " << i << "\n"
                                                              << ir::to_string(*again);
      ++replayed;
    }
  }
  EXPECT_GE(replayed, wanted);
}

class Broken : public testing::Test {
 protected:
  ir::Arena arena;
  ir::Program program = testing_support::shipped("axpy", {{"N", 192}}).sized;
  rewrite::Trace trace = [this] {
    const auto space = variants::Exploration::of(program, testing_support::small_groups(1));
    for (std::size_t i = 0; i < space->derivations(); ++i) {
      if (space->derivation(i).trace.size() > 1) return space->derivation(i).trace;
    }
    throw std::runtime_error("axpy has no derivation of two steps");
  }();

  std::string refusal() const {
    const auto again = variants::replay(program, trace);
    return again ? "" : again.error().render();
  }
};

TEST_F(Broken, AStepThatDoesNotFitIsRefused) {
  trace[0].path = {0, 0, 0, 0, 0, 0, 0};
  EXPECT_NE(refusal().find("step 1 of the derivation"), std::string::npos) << refusal();
}

TEST_F(Broken, AStepThatIsUnknownIsRefused) {
  trace[1].rule = "make it fast";
  EXPECT_NE(refusal().find("make it fast"), std::string::npos) << refusal();
}

TEST_F(Broken, AStepThatGivesAnotherTermIsRefused) {
  trace[0].after = trace[0].before;
  EXPECT_NE(refusal().find("the same term"), std::string::npos) << refusal();
}

TEST_F(Broken, AStepThatIsLeftOutIsNoticed) {
  trace.erase(trace.begin());
  EXPECT_NE(refusal().find("step 1 of the derivation"), std::string::npos) << refusal();
}

/// What a run of an exploration says of some candidates, as text.
std::vector<std::string> facts(const Case& each) {
  const ir::Arena arena;
  const variants::Exploration space = explored(each);
  std::vector<std::string> result{std::to_string(space.count())};
  for (const variants::CandidateId& id : space.sample(20, 7)) {
    std::string text = to_string(id) + "\n" + ir::to_string(space.derivation(id.derivation).program) + "\n";
    for (const rewrite::Step& step : space.derivation(id.derivation).trace)
      text += step.rule + " at " + rewrite::to_string(step.path) + "\n";
    for (const auto& [name, value] : space.named_values(id)) text += name + "=" + std::to_string(value) + " ";
    result.push_back(std::move(text));
  }
  return result;
}

TEST(Numbers, OfCandidatesAreTheSameInEveryRun) {
  for (const Case& each : all_cases()) {
    // Each is derived twice.
    if (!testing_support::is_slow() && each.program != "kmeans" && each.program != "jacobi2d5") continue;
    SCOPED_TRACE(each.program);
    const std::vector<std::string> first = facts(each);
    // Other terms and names before it, so that addresses and numbers of nodes differ.
    const ir::Arena arena;
    testing_support::shipped("hotspot2d", {{"H", 24}, {"W", 32}});
    EXPECT_EQ(facts(each), first);
  }
}

}  // namespace
}  // namespace hoist
