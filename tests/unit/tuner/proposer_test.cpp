// What is proposed, by variants that are made here: a proposer knows no more of them than the interface.
#include "tuner/proposer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/sha256.hpp"
#include "driver/compile.hpp"
#include "ir/print.hpp"
#include "predict/models.hpp"
#include "support/devices.hpp"
#include "support/executed.hpp"
#include "variants/alternatives.hpp"

namespace hoist::tuner {
namespace {

using search::Configuration;
using search::FailureKind;
using search::Outcome;

/// So many variants of one program, numbered; every third does not fit.
class Numbered : public variants::Variants {
 public:
  explicit Numbered(std::uint64_t count) : count_(count) {}

  static bool fits(std::int64_t number) { return number % 3 != 0; }

  std::uint64_t count() const override { return count_; }
  variants::CandidateId at(std::uint64_t rank) const override { return {0, rank}; }
  bool contains(const variants::CandidateId& id) const override {
    return id.alternative == 0 && id.derivation == 0 && id.point < count_;
  }
  variants::CandidateId draw(Random& random) const override { return {0, random.below(count_)}; }
  std::vector<variants::CandidateId> sample(std::size_t wanted, std::uint64_t) const override {
    std::vector<variants::CandidateId> ids;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(wanted, count_); ++i) ids.push_back({0, i});
    return ids;
  }
  std::vector<variants::Coordinate> coordinates(const variants::CandidateId& id) const override {
    return {{"number", "", 0, static_cast<std::int64_t>(id.point)}};
  }
  std::optional<variants::CandidateId> find(const std::vector<std::int64_t>& values) const override {
    if (values.size() != 1 || values[0] < 0 || values[0] >= static_cast<std::int64_t>(count_))
      return std::nullopt;
    return variants::CandidateId{0, static_cast<std::uint64_t>(values[0])};
  }
  std::vector<std::int64_t> values(const variants::CandidateId&, std::size_t) const override {
    std::vector<std::int64_t> all;
    for (std::uint64_t i = 0; i < count_; ++i) all.push_back(static_cast<std::int64_t>(i));
    return all;
  }
  std::vector<variants::CandidateId> neighbours(const variants::CandidateId& id) const override {
    return id.point + 1 < count_ ? std::vector<variants::CandidateId>{{0, id.point + 1}}
                                 : std::vector<variants::CandidateId>{};
  }
  std::vector<double> numbers(const std::vector<std::int64_t>& values) const override {
    return {static_cast<double>(values[0])};
  }
  rewrite::Trace steps(const variants::CandidateId&) const override { return {}; }
  ir::Program derived(const variants::CandidateId& id) const override { return term(id); }
  std::vector<variants::DerivationSummary> derivation_summaries() const override { return {}; }
  bool is_default() const override { return false; }
  std::string emptied_by() const override { return ""; }
  driver::NamedSizes named_values(const variants::CandidateId& id) const override {
    return {{"number", static_cast<std::int64_t>(id.point)}};
  }
  ir::Program term(const variants::CandidateId& id) const override {
    return testing_support::program_of("def p(x: [64]i32): [64]i32 = x |> mapGlb(0, e => e + " +
                                       std::to_string(id.point) + ")");
  }
  variants::Candidate make(const variants::CandidateId& id, const lower::Options&) const override {
    variants::Candidate candidate;
    candidate.id = id;
    candidate.values = named_values(id);
    candidate.low = term(id);
    candidate.features = {static_cast<double>(id.point)};
    if (!fits(static_cast<std::int64_t>(id.point))) {
      candidate.discarded = "a multiple of three";
      candidate.reason = "threes";
    }
    return candidate;
  }
  std::vector<variants::CandidateFacts> look_at_all(const std::vector<variants::CandidateId>& ids,
                                                    const lower::Options& lowering,
                                                    std::size_t) const override {
    std::vector<variants::CandidateFacts> facts;
    for (const variants::CandidateId& each : ids) facts.push_back(make(each, lowering));
    return facts;
  }
  const variants::Stages& stages() const override { return stages_; }
  std::size_t derivations() const override { return 1; }

 private:
  std::uint64_t count_;
  rewrite::Trace trace_;
  variants::Stages stages_;
};

std::unique_ptr<Proposer> proposer_of(std::uint64_t count, const std::string& strategy = "random") {
  return std::make_unique<Proposer>(std::make_unique<const Numbered>(count),
                                    ProposerOptions{.strategy = strategy, .seed = 7});
}

class Proposing : public ::testing::Test {
 protected:
  ir::Arena arena;
};

TEST_F(Proposing, EachVariantThatFitsIsProposedOnceAndThenNothing) {
  for (const std::string strategy : {"random", "genetic", "model", "local", "annealing", "bandit"}) {
    SCOPED_TRACE(strategy);
    const auto proposer = proposer_of(20, strategy);
    proposer->start({});
    std::set<std::int64_t> proposed;
    while (const auto batch = proposer->propose(4)) {
      EXPECT_LE(batch->size(), 4U);
      for (const Proposal& each : *batch) {
        const std::int64_t number = each.configuration.at(0);
        EXPECT_TRUE(Numbered::fits(number));
        EXPECT_TRUE(proposed.insert(number).second) << number << " again";
        EXPECT_EQ(each.record.name, "0-" + std::to_string(number));
        EXPECT_EQ(each.record.hash, sha256(each.record.term));
        EXPECT_EQ(each.features, std::vector<double>{static_cast<double>(number)});
        proposer->report(each.configuration, Outcome::of_time(1e-3 * static_cast<double>(number), 0.1));
      }
    }
    EXPECT_EQ(proposed.size(), 13U);
    const nlohmann::json funnel = proposer->funnel();
    EXPECT_EQ(funnel["points"], 20);
    EXPECT_EQ(funnel["looked_at"], 20);
    EXPECT_EQ(funnel["discarded"]["threes"], 7);
  }
}

TEST_F(Proposing, ValuesThatFollowFromOthersAreTold) {
  /// Its values tell more than its coordinates, and which derivation it is follows from them.
  class Doubled : public Numbered {
   public:
    using Numbered::Numbered;
    driver::NamedSizes named_values(const variants::CandidateId& id) const override {
      const auto number = static_cast<std::int64_t>(id.point);
      return {{"number", number}, {"double", 2 * number}};
    }
    std::size_t derivations() const override { return 2; }
  };
  Proposer proposer(std::make_unique<const Doubled>(8), {.strategy = "random"});
  proposer.start({});
  EXPECT_EQ(proposer.funnel()["dependent_values"], (nlohmann::json{"double", "derivation"}));
  const auto plain = proposer_of(8);
  plain->start({});
  EXPECT_FALSE(plain->funnel().contains("dependent_values"));
}

TEST_F(Proposing, ASpecificationIsSearchedInThePlaceOfAStrategy) {
  const auto parsed = search::specification::parse(Source{"s", "number=1:N:*2; number=best.number + 3;"});
  ASSERT_TRUE(parsed);
  ProposerOptions options;
  options.specification = &*parsed;
  options.context.sizes = {{"N", 16}};
  Proposer proposer(std::make_unique<const Numbered>(20), std::move(options));
  proposer.start({});
  std::vector<std::int64_t> proposed;
  const auto measure = [&](const std::vector<Proposal>& batch) {
    for (const Proposal& each : batch) {
      proposed.push_back(each.configuration.at(0));
      proposer.report(each.configuration, Outcome::of_time(1 / static_cast<double>(proposed.back()), 0.5));
    }
  };
  const auto first = proposer.propose(100);
  ASSERT_TRUE(first);
  EXPECT_FALSE(proposer.propose(1)) << "it waits";
  EXPECT_EQ(proposer.phase(), "step 1 (number), 0 of 5 configurations");
  measure(*first);
  const auto second = proposer.propose(100);
  ASSERT_TRUE(second);
  measure(*second);
  EXPECT_FALSE(proposer.propose(1)) << "it is over";
  EXPECT_EQ(proposed, (std::vector<std::int64_t>{1, 2, 4, 8, 16, 19}));
  const auto record = proposer.specified();
  ASSERT_TRUE(record);
  EXPECT_EQ(record->best, "0-19");
  EXPECT_EQ(record->tally.asked, 6U);
  EXPECT_EQ(to_json(*record)["best"]["values"]["number"], 19);
  EXPECT_EQ(proposer.funnel()["specification"]["ran"], 6);
}

/// What a model of speed has measured first of a stencil of five points, and how that loads its input.
std::pair<std::string, std::optional<predict::Technique>> first_of_a_stencil(
    const std::optional<predict::TechniqueChoice>& technique, double leads_within) {
  const auto sized = driver::with_sizes(
      testing_support::program_of(
          "def p(u: [H + 2][W + 2]f32): [H][W]f32 =\n"
          "  u |> slide2(3, 1) |> map2(n => n[0][1] + n[1][0] + n[1][2] + n[2][1] - 4.0 * n[1][1])"),
      {{"H", 1024}, {"W", 1024}});
  const target::Target device = testing_support::h200(target::Language::Cuda);
  const auto model = predict::model_for(device, nullptr).value();
  variants::ExplorationOptions exploring;
  exploring.target = device;
  exploring.looks_at_features = true;
  exploring.space = variants::SpaceKind::Both;
  ProposerOptions options{.lowering = driver::options_for(device)};
  options.model = &model->model;
  options.technique = technique;
  options.technique_leads_within = leads_within;
  options.ranked = 400;
  Proposer proposer(variants::explore(sized.value(), exploring).value(), std::move(options));
  proposer.start({});
  const Proposal first = proposer.propose(1).value().front();
  std::vector<variants::Coordinate> coordinates;
  for (const auto& [name, value] : first.record.parameters) coordinates.push_back({name, "", 0, value});
  return {first.record.name, predict::technique_of(coordinates)};
}

TEST_F(Proposing, WhatLoadsAsPredictedLeadsAsFarAsItsTimeIsBelieved) {
  const auto usual = first_of_a_stencil(std::nullopt, 0);
  ASSERT_NE(usual.second, predict::Technique::Global);
  predict::TechniqueChoice global;
  global.technique = predict::Technique::Global;
  EXPECT_EQ(first_of_a_stencil(global, std::numeric_limits<double>::infinity()).second,
            predict::Technique::Global);
  EXPECT_EQ(first_of_a_stencil(global, 0).first, usual.first);
}

TEST_F(Proposing, WhatDoesNotFitIsLearnedAsAFailure) {
  const auto proposer = proposer_of(9);
  proposer->start({});
  while (proposer->propose(2)) {
  }
  std::size_t failures = 0;
  for (const search::Trial& each : proposer->trials()) {
    EXPECT_FALSE(Numbered::fits(each.configuration.at(0)));
    failures += !each.outcome.seconds && each.outcome.failure == FailureKind::DoesNotFit;
  }
  EXPECT_EQ(failures, 3U);
}

TEST_F(Proposing, WhatIsReportedFromElsewhereIsNotProposed) {
  const auto proposer = proposer_of(8);
  proposer->start({});
  for (const std::int64_t known : {1, 2, 4}) proposer->report({known}, Outcome::of_time(1e-3, 0));
  std::set<std::int64_t> proposed;
  while (const auto batch = proposer->propose(3)) {
    for (const Proposal& each : *batch) proposed.insert(each.configuration.at(0));
  }
  EXPECT_EQ(proposed, (std::set<std::int64_t>{5, 7}));
}

TEST_F(Proposing, ARecordedNameIsFoundWhereItStillMeansTheSame) {
  const auto proposer = proposer_of(8);
  const std::string term = ir::to_string(Numbered(8).term({0, 5}));
  const auto found = proposer->find("0-5", sha256(term));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->configuration, Configuration{5});
  EXPECT_EQ(found->record.term, term);
  EXPECT_FALSE(proposer->find("0-5", sha256("another term")));
  EXPECT_FALSE(proposer->find("0-8", sha256(term))) << "there are eight";
  EXPECT_FALSE(proposer->find("1-5", sha256(term)));
  EXPECT_FALSE(proposer->find("mine", sha256(term)));
}

TEST_F(Proposing, ADerivationOfAnotherDeviceIsFoundByItsStepsAndParameters) {
  const auto proposer = proposer_of(8);
  EXPECT_EQ(proposer->find_derived({}, {{"number", 5}}), Configuration{5});
  EXPECT_FALSE(proposer->find_derived({}, {{"number", 8}})) << "there are eight";
  EXPECT_FALSE(proposer->find_derived({}, {{"width", 5}})) << "it has another parameter";
  EXPECT_FALSE(proposer->find_derived({{"tile(2,[?a,?b])", "root"}}, {{"number", 5}}));
}

TEST_F(Proposing, TheDefaultSearchBeginsWithWhatIsKnownElsewhere) {
  const std::vector<search::Expected> elsewhere = {{{19}, 0.0, 0.3}, {{2}, 0.5, 0.3}, {{11}, 1.0, 0.3}};
  const auto first_of = [&](const std::string& strategy) {
    const auto proposer = proposer_of(200, strategy);
    proposer->start({}, elsewhere);
    EXPECT_FALSE(proposer->improvement_left()) << "nothing is expected of most";
    return proposer->propose(1)->at(0).configuration;
  };
  EXPECT_EQ(first_of("model"), Configuration{19});
  EXPECT_NE(first_of("random"), Configuration{19}) << "a search that was named is as it is named";
  // What proves wrong is not believed: the order here is the opposite of that elsewhere.
  const auto proposer = proposer_of(200, "model");
  proposer->start({}, elsewhere);
  std::int64_t best = 200;
  for (int i = 0; i < 40; ++i) {
    const auto proposed = proposer->propose(1);
    ASSERT_TRUE(proposed);
    for (const Proposal& each : *proposed) {
      const std::int64_t number = each.configuration.at(0);
      best = std::min(best, number);
      proposer->report(each.configuration, Outcome::of_time(1e-3 * static_cast<double>(number), 0.1));
    }
  }
  EXPECT_LE(best, 4);
}

TEST_F(Proposing, AnUnknownStrategyIsTheUsersError) {
  const auto proposer = proposer_of(8, "rnadom");
  try {
    proposer->start({});
    FAIL() << "there is no such strategy";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().kind, ErrorKind::User);
    EXPECT_THAT(failure.error().render(), ::testing::HasSubstr("rnadom"));
  }
}

}  // namespace
}  // namespace hoist::tuner
