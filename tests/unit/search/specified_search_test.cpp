// Searches by specifications: which configurations they ask for, in which order, and what they wait for.
#include "search/specified_search.hpp"

#include <gmock/gmock.h>

#include <map>

#include "search/recorded_names.hpp"
#include "search/run.hpp"
#include "search/shipped_specifications.hpp"
#include "unit/search/made_up_space.hpp"

namespace hoist::search {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

specification::Specification parsed(const std::string& text) {
  const Source source{"s.spec", text};
  auto result = specification::parse(source);
  EXPECT_TRUE(result) << result.error().render(&source);
  return *std::move(result);
}

std::string shipped(const std::string& name) {
  for (const ShippedSpecification& each : shipped_specifications()) {
    if (each.name == name) return std::string(each.text);
  }
  ADD_FAILURE() << name;
  return "";
}

using Settings = std::vector<std::pair<std::string, std::string>>;

std::unique_ptr<SpecifiedSearch> search_by(const NamedSpace& space, const std::string& text,
                                           std::vector<std::pair<std::string, std::int64_t>> sizes = {},
                                           Settings settings = {}, std::uint64_t seed = 1,
                                           const specification::Limits& limits = {}) {
  auto made =
      SpecifiedSearch::make(space, parsed(text), {std::move(sizes), std::move(settings)}, seed, limits);
  EXPECT_TRUE(made) << made.error().render();
  return std::move(*made);
}

/// All that a search asks for, in its order.
template <class OutcomeOf>
std::vector<Configuration> asked_by(Strategy& strategy, const OutcomeOf& outcome_of, std::size_t batch = 1) {
  std::vector<Configuration> all;
  Budget budget;
  budget.batch = batch;
  run(
      strategy,
      [&](std::span<const Configuration> asked) {
        std::vector<Trial> trials;
        for (const Configuration& each : asked) {
          all.push_back(each);
          trials.push_back({each, outcome_of(each)});
        }
        return trials;
      },
      budget);
  return all;
}

Outcome sum_of(const Configuration& configuration) {
  double sum = 0;
  for (const std::int64_t value : configuration) sum += static_cast<double>(value);
  return Outcome::of_time(sum, 1);
}
/// The larger the faster.
Outcome inverse_of(const Configuration& configuration) {
  return Outcome::of_time(1 / *sum_of(configuration).seconds, 1);
}

// ---- The heuristics of the paper, on 64 points: work-groups and cyclic merging of 1 or 2 in each dimension.
// Arrays of 4 x 4 x 4 points make the ranges go to 4, which the space does not have.

const std::vector<std::string> stencil_names = {"WX", "WY", "WZ", "BX", "BY",    "BZ",
                                                "CX", "CY", "CZ", "VX", "LOCAL", "IMAGE"};
const std::vector<std::pair<std::string, std::int64_t>> four = {{"NX", 4}, {"NY", 4}, {"NZ", 4}};

MadeUpSpace sixty_four_points() {
  std::vector<Configuration> all;
  for (std::int64_t i = 0; i < 64; ++i) {
    const auto bit = [i](int place) { return 1 + (i >> place & 1); };
    all.push_back({bit(5), bit(4), bit(3), 1, 1, 1, bit(2), bit(1), bit(0), 1, 0, 0});
  }
  return {stencil_names, all};
}

/// "WX CX  WY CY  WZ CZ" without blanks between W and C: "21 11 12".
std::string shape_of(const Configuration& c) {
  return fmt::format("{}{} {}{} {}{}", c[0], c[6], c[1], c[7], c[2], c[8]);
}

/// By dimension x likes 21, y 12 and z 11; but groups of 1 x 2 x 1 are faster than that promises.
Outcome stencil_outcome(const Configuration& c) {
  const auto place = [&](int w, int k) { return static_cast<std::size_t>(2 * (c[w] - 1) + c[k] - 1); };
  const std::vector<double> x = {4, 3, 1, 2}, y = {2, 1, 3, 4}, z = {1, 2, 3, 4};  // of 11, 12, 21, 22
  const bool is_flat = c[0] == 1 && c[1] == 2 && c[2] == 1;
  const double seconds = 10 + x[place(0, 6)] + y[place(1, 7)] + z[place(2, 8)] - (is_flat ? 7 : 0);
  return {seconds, 0, FailureKind::Run, 3, {}, 1};
}

struct Heuristic {
  std::vector<std::string> asked;
  SpecificationTally tally;
};
Heuristic tried(const std::string& name, Settings settings = {}) {
  const MadeUpSpace space = sixty_four_points();
  const auto strategy = search_by(space, shipped(name), four, std::move(settings));
  Heuristic result;
  for (const Configuration& each : asked_by(*strategy, stencil_outcome))
    result.asked.push_back(shape_of(each));
  result.tally = strategy->tally();
  return result;
}

TEST(Heuristics, ByDimension) {
  const Heuristic found = tried("dimensions");
  EXPECT_THAT(found.asked,
              ElementsAre("11 11 11", "12 11 11", "21 11 11", "22 11 11",  // x; 21 is the fastest
                          "21 12 11", "21 21 11", "21 22 11",              // y; 12
                          "21 12 12", "21 12 21", "21 12 22",              // z; 11 stays
                          "11 12 11", "12 12 11", "22 12 11"));            // x again, where y is 12 now
  EXPECT_EQ(found.tally.asked, 13U);
  EXPECT_EQ(found.tally.ran, 13U);
  EXPECT_EQ(found.tally.steps, 9U);
  EXPECT_EQ(shape_of(found.tally.best->configuration), "21 12 11");
  EXPECT_EQ(found.tally.build_seconds, 13);
  EXPECT_EQ(found.tally.run_seconds, 26);
  // 14 and 41 of each dimension, where the others are as they were.
  EXPECT_EQ(found.tally.outside, 8U);
}

TEST(Heuristics, ARoundThatAsksForNothingNewIsTheLast) {
  const Heuristic many = tried("dimensions", {{"n", "50"}}), two = tried("dimensions");
  EXPECT_EQ(many.asked, two.asked);
  EXPECT_EQ(many.tally.steps, 9U) << "three steps, a round with three new ones, a round without";
  EXPECT_EQ(tried("dimensions", {{"n", "0"}}).asked.size(), 10U);
  EXPECT_EQ(tried("dimensions", {{"n", "1"}}).asked, two.asked);
}

TEST(Heuristics, ByOptimisation) {
  const Heuristic found = tried("optimisations");
  EXPECT_THAT(found.asked,
              ElementsAre("11 11 11", "11 11 21", "11 21 11", "11 21 21",  // work-groups; 1 x 2 x 1
                          "21 11 11", "21 11 21", "21 21 11", "21 21 21",  //
                          "11 21 12", "11 22 11", "11 22 12",              // cyclic merging; 2 in x
                          "12 21 11", "12 21 12", "12 22 11", "12 22 12",  //
                          "12 12 11", "21 12 11"));  // work-groups again: 2 points in x, 2 in y, 1 in z
  EXPECT_EQ(shape_of(found.tally.best->configuration), "12 21 11");
}

TEST(Heuristics, Hybrid) {
  const Heuristic found = tried("hybrid");
  EXPECT_THAT(found.asked, ElementsAre("11 11 11", "12 11 11", "21 11 11", "22 11 11",  // x; 21
                                       "21 12 11", "21 21 11", "21 22 11",              // y; 12
                                       "21 12 12", "21 12 21", "21 12 22",              // z; 11 stays
                                       "11 12 21", "11 22 11",              // groups of 2; 1 x 2 x 1
                                       "12 22 11", "22 22 11",              // x; 12
                                       "12 12 11", "12 21 11",              // y; 21
                                       "12 21 12", "12 21 21", "12 21 22",  // z
                                       "12 11 21",                          // groups of 2
                                       "11 21 11", "22 21 11"));            // the second round: x
  EXPECT_EQ(shape_of(found.tally.best->configuration), "12 21 11");
}

TEST(Heuristics, RestrictedExpertAndVariable) {
  // Work-groups of 16 and more are none of the space: in x all of it that there is.
  const MadeUpSpace small = sixty_four_points();
  const auto strategy = search_by(small, shipped("expert"), four);
  EXPECT_THROW(strategy->propose(1), Failure) << "WX=4 is none of the space";
  // In a space as hoist tune has it: all powers of two.
  std::vector<Configuration> all;
  const std::vector<std::int64_t> powers = {1, 2, 4, 8, 16, 32, 64};
  for (const std::int64_t wx : powers)
    for (const std::int64_t wy : powers)
      for (const std::int64_t cx : powers)
        for (const std::int64_t cy : powers)
          for (std::int64_t technique = 0; technique < 7; ++technique) {  // four of vectors of 2 to 16
            const std::int64_t v = technique < 4 ? 2 << technique : 1;
            if (wx * cx * v <= 64 && wy * cy <= 64)
              all.push_back(
                  {wx, wy, 1, v, 1, 1, cx, cy, 1, v, technique == 5 ? 1 : 0, technique == 6 ? 1 : 0});
          }
  const MadeUpSpace space(stencil_names, all);
  const std::vector<std::pair<std::string, std::int64_t>> plane = {{"NX", 64}, {"NY", 64}, {"NZ", 1}};
  const auto restricted = search_by(space, shipped("hybrid-restricted"), plane, {{"TECHNIQUE", "vector"}});
  for (const Configuration& each : asked_by(*restricted, sum_of)) {
    EXPECT_GE(each[0], 16);
    EXPECT_LE(each[1], 32);
    EXPECT_GE(each[9], 2);
    EXPECT_EQ(each[9], each[3]);
    EXPECT_EQ(each[10] + each[11], 0);
  }
  EXPECT_GT(restricted->tally().asked, 10U);
  EXPECT_EQ(restricted->tally().outside, 0U);
  const auto expert = search_by(space, shipped("expert"), plane);
  std::map<std::string, int> techniques;
  for (const Configuration& each : asked_by(*expert, sum_of)) {
    EXPECT_GE(each[0], 32);
    EXPECT_LE(each[1] * each[7], 4);
    ++techniques[fmt::format("{}{}{}", each[9], each[10], each[11])];
  }
  // 32 and 64 work-items in x, the former with up to 2 points for each; six ways in y.
  EXPECT_EQ(techniques, (std::map<std::string, int>{{"100", 18}, {"110", 18}, {"101", 18}, {"200", 6}}));
  // Variable work-groups want a space with FIXED.
  const auto refused = SpecifiedSearch::make(space, parsed(shipped("hybrid-variable")), {plane, {}}, 1);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().render(), HasSubstr("the space has no parameter 'FIXED'"));
  std::vector<std::string> names = stencil_names;
  names.emplace_back("FIXED");
  std::vector<Configuration> both;
  for (Configuration each : all) {
    each.push_back(0);
    both.push_back(each);
    each.back() = 1;
    both.push_back(each);
  }
  const MadeUpSpace with_fixed(names, both);
  const auto variable = search_by(with_fixed, shipped("hybrid-variable"), plane);
  const std::vector<Configuration> asked = asked_by(*variable, sum_of);
  for (std::size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(asked[i].back(), i + 1 == asked.size() ? 1 : 0);
}

TEST(Heuristics, ExpertSearchOfThePaperHasSoManyConfigurations) {
  // 256 x 256 x 256 points, as far as the expert looks.
  std::vector<Configuration> all;
  const std::vector<std::int64_t> x = {32, 64, 128, 256}, c = {1, 2, 4, 8}, four_at_most = {1, 2, 4};
  for (const std::int64_t wx : x)
    for (const std::int64_t cx : c)
      for (const std::int64_t wy : four_at_most)
        for (const std::int64_t cy : four_at_most)
          for (const std::int64_t wz : four_at_most)
            for (const std::int64_t cz : four_at_most)
              for (std::int64_t technique = 0; technique < 5; ++technique) {
                const std::int64_t v = technique < 2 ? 2 << technique : 1;
                all.push_back(
                    {wx, wy, wz, v, 1, 1, cx, cy, cz, v, technique == 3 ? 1 : 0, technique == 4 ? 1 : 0});
              }
  const MadeUpSpace space(stencil_names, all);
  const auto expert = search_by(space, shipped("expert"), {{"NX", 256}, {"NY", 256}, {"NZ", 256}});
  EXPECT_EQ(asked_by(*expert, sum_of).size(), 1404U);
  EXPECT_EQ(expert->tally().outside, 0U);
}

// ---- Steps

TEST(SpecifiedSearches, AStepIsTheProductOfItsRangesAndGoesOnFromTheBest) {
  const MadeUpSpace space = products_up_to_eight();
  const auto strategy = search_by(space, "a=1:8:*2, b=1; b=1:8/a:*2;");
  EXPECT_THAT(asked_by(*strategy, inverse_of), ElementsAre(Configuration{1, 1}, Configuration{2, 1},
                                                           Configuration{4, 1}, Configuration{8, 1}));
  const auto other = search_by(space, "a=1:8:*2, b=1; b=1:8/a:*2;");
  EXPECT_THAT(asked_by(*other, sum_of),
              ElementsAre(Configuration{1, 1}, Configuration{2, 1}, Configuration{4, 1}, Configuration{8, 1},
                          Configuration{1, 2}, Configuration{1, 4}, Configuration{1, 8}));
}

TEST(SpecifiedSearches, AskForTheSameHoweverManyAtATime) {
  const MadeUpSpace space = sixty_four_points();
  for (const std::string name : {"dimensions", "optimisations", "hybrid", "rand"}) {
    const Settings settings = name == "rand" ? Settings{{"samples", "20"}} : Settings{};
    const auto one = search_by(space, shipped(name), four, settings);
    const auto many = search_by(space, shipped(name), four, settings);
    EXPECT_EQ(asked_by(*one, stencil_outcome), asked_by(*many, stencil_outcome, 7)) << name;
  }
}

TEST(SpecifiedSearches, ANewStepWaitsForTheOutcomesOfTheLast) {
  const MadeUpSpace space = products_up_to_eight();
  const auto strategy = search_by(space, "a=1:8:*2, b=1; b=2;");
  const std::vector<Configuration> first = strategy->propose(3);
  EXPECT_EQ(first.size(), 3U);
  const std::vector<Configuration> rest = strategy->propose(3);
  EXPECT_THAT(rest, ElementsAre(Configuration{8, 1}));
  EXPECT_THAT(strategy->propose(3), IsEmpty());
  EXPECT_EQ(strategy->phase(), "step 1 (a, b), 0 of 4 configurations");
  // In any order.
  for (const Configuration& each : {rest[0], first[2], first[0]}) {
    const Trial trial{each, sum_of(each)};
    strategy->report({&trial, 1});
    EXPECT_THAT(strategy->propose(3), IsEmpty());
  }
  const Trial last{first[1], Outcome::of_time(0.5, 1)};
  strategy->report({&last, 1});
  EXPECT_THAT(strategy->propose(3), ElementsAre(Configuration{2, 2}));
  EXPECT_EQ(strategy->phase(), "step 2 (b), 0 of 1 configurations");
}

TEST(SpecifiedSearches, WhatIsKnownIsNotAskedForAgainButCounts) {
  const MadeUpSpace space = sixty_four_points();
  const auto first = search_by(space, shipped("hybrid"), four);
  const std::vector<Configuration> asked = asked_by(*first, stencil_outcome);
  // Others, too: what is fastest of all does not lead the search astray.
  std::vector<Trial> known;
  for (std::uint64_t rank = 0; rank < 64; ++rank)
    known.push_back({space.space().at(rank), stencil_outcome(space.space().at(rank))});
  const auto again = search_by(space, shipped("hybrid"), four);
  again->report(known);
  EXPECT_THAT(asked_by(*again, stencil_outcome), IsEmpty());
  EXPECT_EQ(again->tally().asked, asked.size());
  EXPECT_EQ(again->tally().steps, first->tally().steps);
  EXPECT_EQ(again->tally().build_seconds, first->tally().build_seconds);
  EXPECT_EQ(again->tally().kernel_seconds, first->tally().kernel_seconds);
}

TEST(SpecifiedSearches, ConditionsSeeWhatTheStepGaveBefore) {
  const MadeUpSpace space = products_up_to_eight();
  const auto strategy = search_by(space, "a=4, b=2; a=1:8:*2, a != 2, b=1:8:*2, a*b == best.a*best.b;");
  EXPECT_THAT(asked_by(*strategy, sum_of),
              ElementsAre(Configuration{4, 2}, Configuration{1, 8}, Configuration{8, 1}));
  EXPECT_EQ(strategy->tally().outside, 0U) << "what a condition leaves out is none of the step";
}

TEST(SpecifiedSearches, SamplesFollowFromTheSeed) {
  const MadeUpSpace space = products_up_to_eight();
  const auto drawn = [&](const std::string& text, std::uint64_t seed) {
    const auto strategy = search_by(space, text, {}, {}, seed);
    return asked_by(*strategy, sum_of);
  };
  for (const std::string text :
       {"sample(4);", "a=sample(2, 1:8:*2), b=1:8/a:*2;", "sample(4), a=1:8:*2, b=1:8/a:*2;"}) {
    EXPECT_EQ(drawn(text, 1), drawn(text, 1)) << text;
    std::set<std::vector<Configuration>> different;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) different.insert(drawn(text, seed));
    EXPECT_GT(different.size(), 3U) << text;
  }
  EXPECT_EQ(drawn("sample(4);", 3).size(), 4U);
  EXPECT_EQ(drawn("sample(1000);", 3).size(), 10U);
  EXPECT_EQ(drawn("sample(4), a=1:8:*2, b=1:8/a:*2;", 3).size(), 4U);
  EXPECT_EQ(drawn("a=sample(9, 1:8:*2), b=1;", 3).size(), 4U);
  std::map<Configuration, int> counts;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) ++counts[drawn("sample(1);", seed)[0]];
  ASSERT_EQ(counts.size(), 10U);
  for (const auto& [configuration, count] : counts) EXPECT_NEAR(count, 100, 40);
}

TEST(SpecifiedSearches, WhatFailsIsPassedOver) {
  const MadeUpSpace space = products_up_to_eight();
  const auto fails_above = [](std::int64_t most) {
    return [most](const Configuration& each) {
      return each[0] > most ? Outcome::of_failure(FailureKind::DoesNotFit, 1) : inverse_of(each);
    };
  };
  const auto some = search_by(space, "a=1:8:*2, b=1; b=1:8/a:*2;");
  EXPECT_EQ(asked_by(*some, fails_above(2)).back(), (Configuration{2, 4}));
  EXPECT_EQ(some->tally().ran, 4U);
  EXPECT_EQ(some->tally().failed, 2U);
  const auto none = search_by(space, "a=4:8:*2, b=1; b=1:8/a:*2; a=1, b=best.b; a=1, b=1; b=2;");
  EXPECT_THAT(asked_by(*none, fails_above(2)), ElementsAre(Configuration{4, 1}, Configuration{8, 1},
                                                           Configuration{1, 1}, Configuration{1, 2}));
  EXPECT_THAT(none->tally().notes,
              ElementsAre(HasSubstr("step 2 (b) goes on from the best"), HasSubstr("step 3 (a, b)")));
}

std::string failure_of(const std::string& text, const specification::Limits& limits = {}) {
  const MadeUpSpace space = products_up_to_eight();
  const auto strategy = search_by(space, text, {}, {}, 1, limits);
  const Source source{"s.spec", text};
  try {
    asked_by(*strategy, sum_of);
  } catch (const Failure& failure) {
    return failure.error().render(&source);
  }
  return "";
}

TEST(SpecifiedSearches, FaultsThatShowOnlyThenHaveTheirPlaces) {
  EXPECT_THAT(failure_of("a=2, b=1;\nb=1:8/(a - 1 - best.b):*2;"),
              HasSubstr("s.spec:2:8: error: a division by zero"));
  EXPECT_THAT(failure_of("a=1, b=1;\nb=1:8:*a;"), HasSubstr("s.spec:2:8: error: a step of *1 never"));
  EXPECT_THAT(failure_of("a=1, b=1;\nb=a - 1:8:*2;"), HasSubstr("s.spec:2:3: error: multiplying 0 never"));
  EXPECT_THAT(failure_of("a=8, b=1;\nb=8;"),
              HasSubstr("s.spec:2:1: error: the space does not have the step's configuration"));
  EXPECT_THAT(failure_of("a=8, b=1;\nb=3:7:+1;"),
              HasSubstr("s.spec:2:1: error: the space has none of the step's 5 configurations"));
  EXPECT_EQ(failure_of("a=8, b=1;\nb=2:1 + 0*a:*2;"), "") << "a range that is empty at times";
}

TEST(SpecifiedSearches, StepsThatAreTooLargeAreRefused) {
  EXPECT_THAT(failure_of("a=1:9000000000000000000:+1, b=1;"),
              HasSubstr("s.spec:1:1: error: the step has more than 1048576 configurations"));
  EXPECT_THAT(failure_of("a=1:4000000:+1, a < 0, b=1:4000000:+1;"), "") << "four million take a moment";
  EXPECT_THAT(failure_of("a=1:9000000000000000000:+1, a < 0, b=1;"),
              HasSubstr("the step goes through too many combinations of values"));
  EXPECT_THAT(failure_of("a=sample(3, 1:9000000000000000000:+1), b=1;"), HasSubstr("too many combinations"));
  EXPECT_EQ(failure_of("sample(9000000000000000000);"), "") << "there are ten";
  specification::Limits limits;
  limits.values_in_all = 10;
  EXPECT_THAT(failure_of("a=1, b=1; a=1:8:*2, b=1:8/a:*2;", limits),
              HasSubstr("the search goes through too many combinations of values"));
}

// ---- Recorded spaces

TEST(RecordedSpaces, AreSearchedByTheirParametersNamesAndValues) {
  Recording recording;
  recording.parameters = {"block", "layout"};
  recording.values = {{"16", "32", "64"}, {"column", "row"}};
  for (std::int64_t block = 0; block < 3; ++block)
    for (std::int64_t layout = 0; layout < 2; ++layout)
      if (block + layout < 3)
        recording.trials.push_back(
            {{block, layout},
             Outcome::of_time(10 - static_cast<double>(block) - 3.0 * static_cast<double>(layout), 1)});
  const ListedSpace space([&] {
    std::vector<Configuration> all;
    for (const Trial& each : recording.trials) all.push_back(each.configuration);
    return all;
  }());
  const RecordedNames names(recording, space);
  EXPECT_EQ(names.known_values(0), (std::vector<std::int64_t>{16, 32, 64}));
  EXPECT_EQ(names.known_values(1), (std::vector<std::int64_t>{0, 1})) << "texts are numbered";
  EXPECT_EQ(names.find({32, 1}), (Configuration{1, 1}));
  EXPECT_FALSE(names.find({64, 1})) << "it is not recorded";
  EXPECT_FALSE(names.find({48, 1}));
  EXPECT_EQ(names.values({1, 1}), (NamedValues{32, 1}));
  const auto strategy = search_by(names, "block=16, layout=0:1:+1; block=16:128:*2;");
  const auto outcome = [&](const Configuration& each) { return recording.trials[space.rank(each)].outcome; };
  EXPECT_THAT(asked_by(*strategy, outcome),
              ElementsAre(Configuration{0, 0}, Configuration{0, 1}, Configuration{1, 1}));
  EXPECT_EQ(strategy->tally().outside, 2U);
}

}  // namespace
}  // namespace hoist::search
