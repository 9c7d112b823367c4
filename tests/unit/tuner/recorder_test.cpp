// What runs leave in the store for each other.
#include "tuner/recorder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "store/stored_target.hpp"
#include "target/kinds.hpp"

namespace hoist::tuner {
namespace {

class Recording : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/hoist-recorder-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    directory = name;
    store.emplace(store::Store::open((directory / "store.sqlite").string()).value());
  }
  void TearDown() override {
    store.reset();
    std::filesystem::remove_all(directory);
  }

  static store::Task task() {
    return {{"p", "def p(x: [N]f32): [N]f32 = x", "hash of p"},
            store::stored_device(target::any_device(target::Language::Host)),
            {{"N", 64}}};
  }
  Recorder begun(bool reads_others = true) {
    return Recorder(*store, task(), {.strategy = "random", .seed = 1}, {reads_others, "1.0", 5});
  }
  static store::Candidate candidate(const std::string& name) {
    return {.name = name, .hash = "hash of " + name, .term = "x"};
  }
  static measure::Outcome ok(double seconds) {
    measure::Outcome outcome;
    outcome.seconds = {seconds};
    outcome.kernels = {{"p", {{64, 1, 1}, {16, 1, 1}}, std::nullopt}};
    return outcome;
  }

  std::filesystem::path directory;
  std::optional<store::Store> store;
};

TEST_F(Recording, AnOutcomeIsStoredWithAllThatBelongsToIt) {
  Recorder recorder = begun();
  recorder.record(candidate("0-1"), store::Origin::Explored, ok(2e-3), std::nullopt);
  const auto stored = store->evaluations(recorder.task()).value();
  ASSERT_EQ(stored.size(), 1U);
  EXPECT_EQ(stored[0].candidate.name, "0-1");
  ASSERT_EQ(stored[0].candidate.launches.size(), 1U);
  EXPECT_EQ(stored[0].candidate.launches[0].local[0], 16);
  EXPECT_EQ(stored[0].evaluation.outcome, store::Outcome::Ok);
  EXPECT_EQ(stored[0].evaluation.times, std::vector<double>{2e-3});
  EXPECT_EQ(stored[0].evaluation.hoist, "1.0");
  EXPECT_EQ(stored[0].evaluation.seed, 5U);
}

TEST_F(Recording, ALostDeviceSaysNothingOfTheCandidate) {
  Recorder recorder = begun();
  measure::Outcome lost;
  lost.kind = measure::OutcomeKind::DeviceLost;
  recorder.record(candidate("0-1"), store::Origin::Explored, lost, std::nullopt);
  EXPECT_TRUE(store->evaluations(recorder.task())->empty());
}

TEST_F(Recording, EachHearsOnceWhatOthersExplored) {
  Recorder one = begun();
  Recorder other = begun();
  EXPECT_EQ(one.task(), other.task());
  EXPECT_NE(one.run(), other.run());
  one.record(candidate("0-1"), store::Origin::Explored, ok(1e-3), std::nullopt);
  one.record(candidate("default"), store::Origin::Baseline, ok(3e-3), std::nullopt);
  other.record(candidate("0-2"), store::Origin::Explored, ok(2e-3), std::nullopt);
  const auto news = other.news();
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(news[0].name, "0-1");
  EXPECT_EQ(news[0].median, 1e-3);
  EXPECT_TRUE(other.news().empty());
  one.record(candidate("0-3"), store::Origin::Explored, ok(1e-3), std::nullopt);
  EXPECT_EQ(other.news().size(), 1U);
  ASSERT_EQ(one.news().size(), 1U);
}

/// Whether the run is to measure it.
bool claims(Recorder& recorder, const std::string& name) {
  return recorder.claim({{name, "hash of " + name}}).at(0);
}

TEST_F(Recording, NoCandidateIsMeasuredByTwo) {
  Recorder one = begun();
  Recorder other = begun();
  EXPECT_TRUE(claims(one, "0-1"));
  EXPECT_FALSE(claims(other, "0-1")) << "it is under way";
  EXPECT_TRUE(claims(other, "0-2"));
  ASSERT_EQ(other.claims_of_others().size(), 1U);
  EXPECT_EQ(other.claims_of_others()[0].candidate.name, "0-1");
  one.record(candidate("0-1"), store::Origin::Explored, ok(1e-3), std::nullopt);
  EXPECT_FALSE(claims(other, "0-1")) << "it is measured";
  EXPECT_TRUE(claims(one, "0-3"));
  one.end("{}");
  EXPECT_TRUE(claims(other, "0-3")) << "the run that was about to has ended";
}

TEST_F(Recording, WhoWorksAloneReadsNothingAndClaimsNothing) {
  Recorder one = begun();
  one.record(candidate("0-1"), store::Origin::Explored, ok(1e-3), std::nullopt);
  Recorder alone = begun(false);
  EXPECT_TRUE(alone.news().empty());
  EXPECT_TRUE(claims(alone, "0-1"));
  alone.record(candidate("0-1"), store::Origin::Explored, ok(1e-3), std::nullopt);
  EXPECT_TRUE(alone.times_beside().empty());
}

TEST_F(Recording, TheFunnelIsToldAndTheRunEnds) {
  Recorder recorder = begun();
  recorder.tell(R"({"points": 12})");
  EXPECT_EQ(store->runs(recorder.task())->at(0).funnel, R"({"points": 12})");
  EXPECT_TRUE(store->runs(recorder.task())->at(0).ended.empty());
  recorder.end(R"({"points": 13})");
  EXPECT_EQ(store->runs(recorder.task())->at(0).funnel, R"({"points": 13})");
  EXPECT_FALSE(store->runs(recorder.task())->at(0).ended.empty());
}

}  // namespace
}  // namespace hoist::tuner
