#include "model/evaluate.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "unit/model/synthetic.hpp"

namespace hoist::model {
namespace {

using testing::HasSubstr;
constexpr double failed = std::numeric_limits<double>::quiet_NaN();

TEST(Order, ReachCountsRunsAndKernelTime) {
  const std::vector<double> seconds = {4, failed, 1.05, 1, 2};
  const Reach reach = reach_in_order(seconds, {4, 1, 2, 3, 0}, 0.9);
  EXPECT_EQ(reach.runs, 3);
  EXPECT_NEAR(reach.seconds, 3.05, 1e-12);
  EXPECT_EQ(reach_in_order(seconds, {4, 1, 2, 3, 0}, 0.96).runs, 4);
  EXPECT_EQ(reach_in_order(seconds, {3, 1, 2, 4, 0}, 1.0).runs, 1);
}

/// Means over many orders that are drawn.
TEST(Order, ExpectationsAtRandomAreThoseOfDrawnOrders) {
  Random random(3);
  std::vector<double> seconds;
  for (int i = 0; i < 40; ++i) seconds.push_back(i % 9 == 0 ? failed : std::exp(2 * random.unit()));
  const std::vector<double> any(seconds.size(), 0.0);
  const Reach expected = reach_at_random(seconds, 0.8);
  const auto curve = best_so_far(seconds, order_by(any, 0));
  constexpr int draws = 20000;
  Reach sum;
  std::vector<double> best(curve.size());
  for (int i = 0; i < draws; ++i) {
    const auto order = order_by(any, static_cast<std::uint64_t>(i));
    const Reach reach = reach_in_order(seconds, order, 0.8);
    sum.runs += reach.runs / draws;
    sum.seconds += reach.seconds / draws;
    const auto drawn = best_so_far(seconds, order);
    for (std::size_t p = 0; p < drawn.size(); ++p) best[p] += drawn[p].in_order / draws;
  }
  EXPECT_NEAR(sum.runs, expected.runs, 0.02 * expected.runs);
  EXPECT_NEAR(sum.seconds, expected.seconds, 0.02 * expected.seconds);
  for (std::size_t p = 0; p < curve.size(); ++p)
    EXPECT_NEAR(best[p], curve[p].at_random, 0.01) << curve[p].runs;
  EXPECT_EQ(curve.back().runs, 40U);
  EXPECT_NEAR(curve.back().at_random, 1, 1e-12);
  EXPECT_EQ(curve.back().in_order, 1);
}

TEST(Order, IsByFallingScoreAndTiesBySeed) {
  EXPECT_EQ(order_by({1, 3, 2}, 1), (std::vector<std::uint32_t>{1, 2, 0}));
  const std::vector<double> equal(20, 1.0);
  EXPECT_EQ(order_by(equal, 4), order_by(equal, 4));
  EXPECT_NE(order_by(equal, 4), order_by(equal, 5));
}

Dataset of_times(const std::vector<double>& seconds) {
  Dataset dataset;
  dataset.schema = {1, {{"f", "", "", ""}}};
  Measurement measurement;
  measurement.task = dataset.task({"p", "N=1", "gpu"});
  measurement.derivation = dataset.derivation("");
  for (const double each : seconds) {
    measurement.seconds = each;
    dataset.add(measurement, std::vector<double>{each > 0 ? each : 0});
  }
  return dataset;
}

TEST(Evaluation, OfATaskIsByHand) {
  const Dataset dataset = of_times({1, 2, 4, failed});
  const TaskEvaluation task =
      evaluate_task(dataset, {0, 1, 2, 3}, {{-0.5, 0.6, 0}, {-0.4, 0.1, 2}, {-2, 1, 0}, {-0.3, 1, 0}}, 1);
  EXPECT_EQ(task.candidates, 4U);
  EXPECT_EQ(task.failed, 1U);
  EXPECT_EQ(task.outside, 1U);
  EXPECT_EQ(task.best_seconds, 1);
  EXPECT_EQ(task.predicted_90.runs, 3) << "the failed one, the second, the first";
  EXPECT_EQ(task.predicted_90.seconds, 3);
  EXPECT_EQ(task.random_90.runs, 2.5);
  EXPECT_EQ(task.random_90.seconds, 1 + 6.0 / 2);
  EXPECT_NEAR(task.rank_correlation, 0.5, 1e-12);
  EXPECT_NEAR(task.within_deviation, 2.0 / 3, 1e-12);
  EXPECT_EQ(task.first_run, 0);
  EXPECT_EQ(task.curve[1].in_order, 0.5);
}

TEST(Evaluation, CostsOfSeveralOrdersAreMeans) {
  const Task task{"p", "N=1", "gpu"};
  const std::vector<double> seconds = {1, 2, failed};
  const TaskCosts costs =
      mean_of({costs_in_order(task, seconds, {0, 1, 2}), costs_in_order(task, seconds, {2, 1, 0})});
  EXPECT_EQ(costs.task, task);
  EXPECT_EQ(costs.candidates, 3U);
  EXPECT_EQ(costs.failed, 1U);
  EXPECT_EQ(costs.predicted_90.runs, 2);
  EXPECT_EQ(costs.predicted_90.seconds, 2);
  EXPECT_EQ(costs.first_run, 0.5);
  EXPECT_EQ(costs.curve[1].in_order, 0.75);
  const TaskCosts random = at_random(costs);
  EXPECT_EQ(random.predicted_90.runs, costs.random_90.runs);
  EXPECT_EQ(random.first_run, costs.curve[0].at_random);
  EXPECT_EQ(random.curve[1].in_order, costs.curve[1].at_random);
  EXPECT_EQ(summarize_costs({random}).fewer_runs_90, 1);
}

TEST(Evaluation, SummariesAreMeansOverTasks) {
  TaskEvaluation one, two;
  one.correlation = 0.8;
  two.correlation = 1;
  one.predicted_90 = {1, 2};
  two.predicted_90 = {5, 1};
  one.random_90 = {8, 4};
  two.random_90 = {10, 8};
  const Summary summary = summarize({one, two});
  EXPECT_NEAR(summary.correlation, 0.9, 1e-12);
  EXPECT_EQ(summary.runs_90, 3);
  EXPECT_EQ(summary.median_runs_90, 3);
  EXPECT_EQ(summary.worst_runs_90, 5);
  EXPECT_EQ(summary.one_run_90, 0.5);
  EXPECT_NEAR(summary.fewer_runs_90, 4, 1e-12);
  EXPECT_NEAR(summary.less_time_90, 4, 1e-12);
  EXPECT_EQ(summarize({}).tasks, 0U);
}

TEST(Evaluation, SplitsLeaveWholeTasksOut) {
  const Dataset dataset = synthetic::make(3, 10);
  const auto splits = leave_programs_out(dataset);
  ASSERT_EQ(splits.size(), 3U);
  EXPECT_EQ(splits[1].name, "p1");
  EXPECT_EQ(splits[1].test.size(), 20U);
  EXPECT_EQ(splits[1].train.size(), 40U);
  for (const std::uint32_t row : splits[1].test)
    EXPECT_EQ(dataset.tasks[dataset.measurements[row].task].program, "p1");
  const auto is_small = [](const Task& task) { return task.sizes == "N=1048576"; };
  const Split sizes = split("sizes", dataset, is_small, std::not_fn(is_small));
  EXPECT_EQ(sizes.train.size(), 30U);
  EXPECT_EQ(sizes.test.size(), 30U);
}

/// One row for each task.
Dataset of_tasks(const std::vector<Task>& tasks) {
  Dataset dataset;
  dataset.schema = {1, {{"f", "", "", ""}}};
  for (const Task& each : tasks) {
    Measurement measurement;
    measurement.task = dataset.task(each);
    measurement.derivation = dataset.derivation("");
    measurement.seconds = 1;
    dataset.add(measurement, std::vector<double>{0});
  }
  return dataset;
}

TEST(Evaluation, TheLargestSizeIsPredictedFromSmallerOnesAndOtherPrograms) {
  const Dataset dataset = of_tasks({{"p", "H=8 W=1000", "a"},   // 0
                                    {"p", "H=100 W=100", "a"},  // 1: the largest on a
                                    {"p", "H=900 W=2", "b"},    // 2
                                    {"p", "H=200 W=50", "b"},   // 3: as large as that on a
                                    {"p", "H=300 W=50", "b"},   // 4: the largest on b
                                    {"q", "N=1000000", "a"},    // 5: its only size there
                                    {"q", "N=9", "b"}});        // 6
  const auto splits = leave_largest_out(dataset);
  ASSERT_TRUE(splits) << splits.error().render();
  ASSERT_EQ(splits->size(), 2U);
  EXPECT_EQ((*splits)[0].name, "p a");
  EXPECT_EQ((*splits)[0].test, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ((*splits)[0].train, (std::vector<std::uint32_t>{0, 2, 5, 6}));
  EXPECT_EQ((*splits)[1].name, "p b");
  EXPECT_EQ((*splits)[1].test, (std::vector<std::uint32_t>{4}));
  EXPECT_EQ((*splits)[1].train, (std::vector<std::uint32_t>{0, 1, 2, 3, 5, 6}));
}

TEST(Evaluation, SaysWhyNoSizeIsTheLargest) {
  const auto single = leave_largest_out(of_tasks({{"p", "N=1", "a"}, {"p", "N=2", "b"}, {"q", "N=3", "a"}}));
  ASSERT_FALSE(single);
  EXPECT_THAT(single.error().render(), HasSubstr("no program was measured at several sizes"));
  for (const char* sizes : {"N", "N=", "N=many", "=3 N", "N=0", "N=4x"}) {
    const auto odd = leave_largest_out(of_tasks({{"p", "N=1", "a"}, {"p", sizes, "a"}}));
    ASSERT_FALSE(odd) << sizes;
    EXPECT_THAT(odd.error().render(), HasSubstr("is not a size")) << sizes;
  }
}

TEST(Evaluation, PredictsLargeSizesFromSmallOnes) {
  const Dataset dataset = synthetic::make(4, 100);
  FitOptions options;
  options.effort = 0.2;
  const auto evaluation = evaluate("network", dataset, leave_largest_out(dataset).value(), options);
  ASSERT_TRUE(evaluation) << evaluation.error().render();
  ASSERT_EQ(evaluation->tasks.size(), 4U);
  for (const TaskEvaluation& each : evaluation->tasks) EXPECT_EQ(each.task.sizes, "N=16777216");
  EXPECT_GT(evaluation->summary.correlation, 0.7);
}

TEST(Evaluation, LeavesEachProgramOutInTurn) {
  const Dataset dataset = synthetic::make(5, 100);
  std::vector<std::string> told;
  FitOptions options;
  options.effort = 0.2;
  const auto evaluation =
      evaluate("network", dataset, leave_programs_out(dataset), options,
               [&](const std::string& what, std::size_t, std::size_t) { told.push_back(what); });
  ASSERT_TRUE(evaluation) << evaluation.error().render();
  EXPECT_EQ(told, (std::vector<std::string>{"p0", "p1", "p2", "p3", "p4"}));
  EXPECT_EQ(evaluation->tasks.size(), 10U);
  EXPECT_EQ(evaluation->by_program.size(), 5U);
  EXPECT_GT(evaluation->summary.correlation, 0.7);
  EXPECT_GT(evaluation->summary.fewer_runs_90, 2);
  EXPECT_GT(evaluation->summary.less_time_90, evaluation->summary.fewer_runs_90);
  const nlohmann::json json = to_json(*evaluation);
  EXPECT_EQ(json["tasks"].size(), 10U);
  EXPECT_EQ(json["summary"]["correlation"], evaluation->summary.correlation);
  EXPECT_EQ(json["tasks"][0]["curve"].back()[1], 1.0);
}

TEST(Evaluation, SaysWhichSplitHasTooLittle) {
  const Dataset dataset = synthetic::make(2, 10);
  const auto refused = evaluate("paper", dataset, leave_programs_out(dataset), {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().render(), HasSubstr("(when 'p0' is left out)"));
}

TEST(Evaluation, RedundancyFindsWhatMatters) {
  const auto found = redundancies(synthetic::make(4, 400));
  ASSERT_EQ(found.size(), 9U);
  const auto of = [&](const std::string& name) {
    return std::find_if(found.begin(), found.end(), [&](const auto& each) { return each.feature == name; })
        ->value;
  };
  EXPECT_EQ(of("version"), 0);
  EXPECT_GT(of("loads"), 3 * of("size"));
  EXPECT_GT(of("lines"), of("unroll"));
  EXPECT_GE(found.front().value, found.back().value);
  EXPECT_EQ(to_json(found)[0]["feature"], found.front().feature);
}

TEST(Evaluation, AblationShowsWhatAGroupIsWorth) {
  const Dataset dataset = synthetic::make(4, 100);
  const auto splits = leave_programs_out(dataset);
  const auto whole = evaluate("paper", dataset, splits, {});
  const auto ablations = ablate("paper", dataset, splits, {});
  ASSERT_TRUE(ablations) << ablations.error().render();
  std::map<std::string, double> correlations;
  for (const Ablation& each : *ablations) correlations[each.group] = each.summary.correlation;
  EXPECT_EQ(correlations.size(), 5U);
  EXPECT_LT(correlations["memory"], whole->summary.correlation - 0.02);
  EXPECT_GT(correlations["control"], correlations["memory"]);
  EXPECT_EQ(to_json(*ablations).size(), 5U);
}

}  // namespace
}  // namespace hoist::model
