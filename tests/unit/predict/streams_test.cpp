// The streams of programs: tables, the models of others by hand, and what is chosen for programs on made-up
// devices (simulated_streams.hpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/stopwatch.hpp"
#include "predict/stream_choosers.hpp"
#include "predict/stream_errors.hpp"
#include "predict/stream_evaluation.hpp"
#include "predict/stream_explanation.hpp"
#include "predict/stream_inputs.hpp"
#include "predict/stream_model.hpp"
#include "unit/predict/simulated_streams.hpp"

namespace hoist::predict {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* small_table =
    "#hoist-streams,1\n"
    "#device_class,nvidia-h200-cuda\n"
    "#provenance,device,NVIDIA H200\n"
    "program,size,group,upload_bytes,partitions,tasks,seconds\n"
    "add,N=1024,,8192,2,4,0.5\n"
    "add,N=1024,,8192,1,1,1\n"
    "add,N=1024,,,1,1,4\n"
    "fft,\"X=1, Y=4\",ffts,,1,1,3\n"
    "fft,\"X=4, Y=3\",ffts,12,1,1,2\n";

StreamTable parsed(const std::string& text) {
  auto table = parse_stream_table(text, "t.csv");
  if (!table) throw Failure(table.error());
  return *table;
}

std::string refusal(const std::string& text) {
  const auto table = parse_stream_table(text, "t.csv");
  return table ? "none" : table.error().render();
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  text.replace(text.find(what), what.size(), with);
  return text;
}

TEST(StreamFeatures, HaveNamesAndMayBeUnknown) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < stream_feature_count; ++i) {
    const auto feature = static_cast<StreamFeature>(i);
    names.insert(name_of(feature));
    EXPECT_EQ(stream_feature_named(name_of(feature)), feature);
    EXPECT_FALSE(about(feature).empty());
    EXPECT_FALSE(StreamFeatures().has(feature));
  }
  EXPECT_EQ(names.size(), 39U);
  EXPECT_FALSE(stream_feature_named("size"));
  StreamFeatures features;
  features.set(StreamFeature::UploadBytes, 30);
  features.set(StreamFeature::DownloadBytes, 12);
  features.set(StreamFeature::KernelSeconds, 1);
  EXPECT_EQ(features.completed().get(StreamFeature::TransferBytes), 42);
  EXPECT_FALSE(features.completed().has(StreamFeature::Transfers));
  EXPECT_FALSE(features.static_ones().has(StreamFeature::KernelSeconds));
  EXPECT_EQ(features.static_ones().get(StreamFeature::UploadBytes), 30);
  EXPECT_EQ(StreamFeatures({{"max_tasks", 8}}).get(StreamFeature::MostTasks), 8);
  EXPECT_THROW(StreamFeatures({{"most", 8}}), Bug);
}

TEST(StreamTables, AreReadByProgramAndSize) {
  const StreamTable table = parsed(small_table);
  EXPECT_EQ(table.device_class, "nvidia-h200-cuda");
  ASSERT_EQ(table.records.size(), 3U);
  const StreamRecord& add = table.records[0];
  EXPECT_EQ(add.group, "add");
  EXPECT_EQ(add.features.get(StreamFeature::UploadBytes), 8192);
  EXPECT_FALSE(add.features.has(StreamFeature::LoopNest));
  ASSERT_EQ(add.timed.size(), 2U);
  EXPECT_EQ(add.single_seconds(), 2.5) << "the median of 1 and 4";
  EXPECT_EQ(add.timed[0].runs, 2U);
  EXPECT_EQ(add.best().configuration, (StreamConfiguration{2, 4}));
  EXPECT_EQ(table.records[2].group, "ffts");
  EXPECT_EQ(table.records[2].size, "X=4, Y=3");
}

TEST(StreamTables, AreReadAsTheyWereWritten) {
  const StreamTable written = simulated::table(simulated::processor(), 3, 2, 5);
  const std::string text = stream_table_text(written);
  EXPECT_EQ(stream_table_text(parsed(text)), text);
  EXPECT_EQ(parsed(text).records.size(), 6U);
}

TEST(StreamTables, SayWhatIsWrongAndWhere) {
  const std::string good = small_table;
  EXPECT_THAT(refusal("program,size\n"), HasSubstr("t.csv:1: the first line is not '#hoist-streams,1'"));
  EXPECT_THAT(refusal(replaced(good, "#device_class,nvidia-h200-cuda\n", "")), HasSubstr("#device_class"));
  EXPECT_THAT(refusal(replaced(good, "upload_bytes", "bytes_up")),
              HasSubstr("no column is called 'bytes_up'"));
  EXPECT_THAT(refusal(replaced(good, ",tasks,", ",upload_bytes,")), HasSubstr("is there twice"));
  EXPECT_THAT(refusal(replaced(good, "group,", "group,").replace(good.find(",seconds"), 8, ",kernels")),
              HasSubstr("there is no column 'seconds'"));
  EXPECT_THAT(refusal(replaced(good, "2,4,0.5", "2,4,fast")), HasSubstr("t.csv:5: 'fast'"));
  EXPECT_THAT(refusal(replaced(good, "2,4,0.5", "2,4.5,1")), HasSubstr("is no whole number"));
  EXPECT_THAT(refusal(replaced(good, "2,4,0.5", "0,4,1")), HasSubstr("is not from 1"));
  EXPECT_THAT(refusal(replaced(good, "2,4,0.5", "2,4,0")), HasSubstr("'seconds'"));
  EXPECT_THAT(refusal(replaced(good, "2,4,0.5", "2,4")), HasSubstr("6 cells instead of 7"));
  EXPECT_THAT(refusal(replaced(good, "8192,1,1,1", "8191,1,1,1")),
              HasSubstr("'upload_bytes' of add N=1024 is 8191 here and 8192 above"));
  EXPECT_THAT(refusal(replaced(good, "add,N=1024,,8192,1,1", "add,N=1024,sums,8192,1,1")),
              HasSubstr("of the group"));
  EXPECT_THAT(refusal(replaced(good, "ffts,,1,1", "ffts,,1,2")),
              HasSubstr("fft X=1, Y=4 has no time with one partition and one task"));
  EXPECT_THAT(refusal("#hoist-streams,1\n#device_class,a\nprogram,size,partitions,tasks,seconds\n"),
              HasSubstr("no rows"));
  EXPECT_THAT(parse_stream_table(good, "t.csv").has_value(), true);
}

TEST(StreamTables, AreJoinedWhereNothingIsTwice) {
  const StreamTable table = parsed(small_table);
  EXPECT_THAT(merge_stream_tables({table, table}).error().render(), HasSubstr("is in two tables"));
  StreamTable other = simulated::table(simulated::processor(), 1, 1, 1);
  EXPECT_THAT(merge_stream_tables({table, other}).error().render(), HasSubstr("devices of one class"));
  other.device_class = table.device_class;
  EXPECT_EQ(merge_stream_tables({table, other})->records.size(), 4U);
}

/// Uploads of 4 s, kernels of 16 s, downloads of 5 s; 0.25 s for each launch.
TEST(StreamChoosers, LiuHasItsLeastAtTheRootOfTransfersOverLaunches) {
  const TransferModel kernel_bound{4, 16, 5, 0.5, 0.1, 0.25};
  // 9 / n + 0.5 + 16 + n / 4 has its least at n = sqrt(9 / 0.25) = 6.
  EXPECT_NEAR(liu_seconds(kernel_bound, 6), 9.0 / 6 + 0.5 + 16 + 1.5, 1e-12);
  EXPECT_LT(liu_seconds(kernel_bound, 6), liu_seconds(kernel_bound, 5));
  EXPECT_LT(liu_seconds(kernel_bound, 6), liu_seconds(kernel_bound, 7));
  // Where transfers are longer, each task costs two latencies: two tasks.
  const TransferModel transfer_bound{4, 2, 5, 0.5, 0.1, 0.25};
  EXPECT_NEAR(liu_seconds(transfer_bound, 2), 9 + 2 * 2 * 0.5, 1e-12);
  EXPECT_LT(liu_seconds(transfer_bound, 2), liu_seconds(transfer_bound, 3));
  EXPECT_NEAR(liu_seconds(transfer_bound, 1), 0.5 + 9 + 2 + 0.25, 1e-12);
}

TEST(StreamChoosers, WerkhovenTakesTheGreatestOfThree) {
  const TransferModel model{4, 16, 5, 0.5, 0.1, 0};
  // Kernels whole: (0.5 + 4/8) + 16 + (0.5 + 5/8).
  EXPECT_NEAR(werkhoven_seconds(model, 8), 1 + 16 + 1.125, 1e-12);
  // Downloads whole, with seven gaps: (0.5 + 8/8) + 2/8 + (0.5 + 40 + 0.7).
  EXPECT_NEAR(werkhoven_seconds({8, 2, 40, 0.5, 0.1, 0}, 8), 1.5 + 0.25 + 41.2, 1e-12);
  // Uploads whole.
  EXPECT_NEAR(werkhoven_seconds({40, 2, 8, 0.5, 0.1, 0}, 8), 41.2 + 0.25 + 1.5, 1e-12);
  // The best is near sqrt((E + B G) / g) = sqrt(10 / 0.1) = 10.
  const TransferModel even{40, 2, 8, 0.5, 0.1, 0};
  EXPECT_LT(werkhoven_seconds(even, 10), werkhoven_seconds(even, 9));
  EXPECT_LT(werkhoven_seconds(even, 10), werkhoven_seconds(even, 11));
}

StreamRecord timed(std::vector<TimedConfiguration> configurations) {
  StreamRecord record;
  record.program = record.group = "p";
  record.timed = std::move(configurations);
  return record;
}

TEST(StreamChoosers, LabelsAreMergedToAFewThatServeAll) {
  const StreamRecord one = timed({{{1, 1}, 1.0}, {{2, 2}, 0.5}, {{4, 4}, 0.51}});
  const StreamRecord two = timed({{{1, 1}, 1.0}, {{2, 2}, 0.9}, {{4, 4}, 0.5}});
  const StreamRecord three = timed({{{1, 1}, 0.5}, {{2, 2}, 0.9}, {{4, 4}, 0.8}});
  const StreamRecord* const records[] = {&one, &two, &three};
  EXPECT_THAT(covering_configurations(records, 0.95),
              ElementsAre(StreamConfiguration{4, 4}, StreamConfiguration{1, 1}));
  EXPECT_THAT(covering_configurations(records, 1),
              ElementsAre(StreamConfiguration{1, 1}, StreamConfiguration{2, 2}, StreamConfiguration{4, 4}));
  EXPECT_NEAR(share_of_best(one, {4, 4}), 0.5 / 0.51, 1e-12);
}

TEST(StreamChoosers, TheNearestConfigurationIsByRatios) {
  const std::vector<StreamConfiguration> all = {{1, 1}, {2, 8}, {4, 64}};
  EXPECT_EQ(nearest_configuration(all, {4, 20}), (StreamConfiguration{2, 8}));
  EXPECT_EQ(nearest_configuration(all, {4, 21}), (StreamConfiguration{4, 64}));
}

/// Of a device that takes no time for anything.
StreamConstants no_time() {
  StreamConstants constants;
  for (double& each : constants.values()) each = 1e-15;
  return constants;
}
void put(StreamConstants& constants, StreamConstant constant, double value) {
  constants.values()[static_cast<std::size_t>(constant)] = value;
}

/// Two halves of a program of 1 s each way: by the analytic model without latencies, all by hand.
TEST(StreamTimes, AreThoseOfAPipeline) {
  StreamFeatures features;
  features.set(StreamFeature::UploadBytes, 1e9);
  features.set(StreamFeature::DownloadBytes, 1e9);
  features.set(StreamFeature::KernelSeconds, 1);
  features.set(StreamFeature::LoopCount, 100);
  StreamConstants constants = no_time();
  const auto set = [&](StreamConstant constant, double value) { put(constants, constant, value); };
  set(StreamConstant::UploadRate, 1e9);
  set(StreamConstant::DownloadRate, 1e9);
  set(StreamConstant::PartitionSlowdown, 1);
  const StreamTimes times(features, constants);
  EXPECT_NEAR(times.of({1, 1}).seconds, 3, 1e-9);
  EXPECT_NEAR(times.of({1, 2}).seconds, 1.5 + 0.5, 1e-9) << "the second half behind the first";
  EXPECT_NEAR(times.of({1, 10}).seconds, 0.3 + 0.9, 1e-9);
  EXPECT_NEAR(times.of({1, 7}).first_task, 0.15 + 2.0 / 7, 1e-9) << "15 of 100 iterations";
  // Two partitions: a kernel takes twice as long, in half as many rounds.
  EXPECT_NEAR(times.of({2, 10}).seconds, 0.1 + 0.2 + 0.1 + 0.9, 1e-9);
  EXPECT_EQ(times.of({1, 10}).bound, StreamBound::Upload);
  // One engine for both ways, then a queue that overlaps nothing.
  set(StreamConstant::HalfDuplex, 1);
  EXPECT_NEAR(StreamTimes(features, constants).of({1, 10}).seconds, 0.3 + 1.8, 1e-9);
  set(StreamConstant::HalfDuplex, 1e-15);
  set(StreamConstant::QueueWaiting, 1);
  EXPECT_NEAR(StreamTimes(features, constants).of({1, 10}).seconds, 3, 1e-9);
  EXPECT_EQ(StreamTimes(features, constants).of({1, 10}).bound, StreamBound::Queue);
  // Shared uploads are made once, redundant ones by all tasks but one.
  set(StreamConstant::QueueWaiting, 1e-15);
  features.set(StreamFeature::SharedBytes, 5e8);
  features.set(StreamFeature::RedundantBytes, 1e8);
  const StreamEstimate shared = StreamTimes(features, constants).of({1, 2});
  EXPECT_NEAR(shared.once, 0.5, 1e-9);
  EXPECT_NEAR(shared.upload, 0.25 + 0.05, 1e-9);
}

/// Sixteen work-items that each do much take as long in a task of eight as all together, and on partitions at
/// the same time; as many that do little fill the device.
TEST(StreamTimes, OfFewLongWorkItemsAreNotShortenedByTasks) {
  StreamFeatures features;
  features.set(StreamFeature::KernelSeconds, 1);
  features.set(StreamFeature::LoopCount, 16);
  features.set(StreamFeature::WorkItems, 1e6);
  features.set(StreamFeature::Instructions, 16e6);
  EXPECT_EQ(parallel_items(features), 1e6) << "it is not known how many one of them has";
  features.set(StreamFeature::SerialInstructions, 1e6);
  EXPECT_EQ(parallel_items(features), 16);
  StreamConstants constants = no_time();
  const auto set = [&](StreamConstant constant, double value) { put(constants, constant, value); };
  set(StreamConstant::PartitionSlowdown, 1);
  set(StreamConstant::ItemsToFill, 16);
  set(StreamConstant::Underuse, 1);
  EXPECT_NEAR(StreamTimes(features, constants).of({1, 2}).seconds, 2, 1e-9);
  EXPECT_NEAR(StreamTimes(features, constants).of({2, 2}).seconds, 1, 1e-9);
  features.set(StreamFeature::SerialInstructions, 16);
  EXPECT_NEAR(StreamTimes(features, constants).of({1, 2}).seconds, 1, 1e-9);
}

/// A pipeline that runs as the analytic model has it tells of whatever was run what a single stream takes.
TEST(StreamTimes, OfASingleStreamFollowFromARunOfTasks) {
  using enum StreamFeature;
  StreamFeatures features;
  features.set(UploadBytes, 9e8);
  features.set(SharedBytes, 1e8);
  features.set(RedundantBytes, 1e6);
  features.set(Transfers, 4);
  features.set(DownloadBytes, 4e8);
  features.set(InputArrays, 3);
  features.set(OutputArrays, 1);
  features.set(Kernels, 2);
  features.set(LoopCount, 4096);
  features.set(WorkItems, 4e5);
  features.set(Instructions, 4e8);
  StreamFeatures measured = features;
  measured.set(UploadSeconds, 0.05);
  measured.set(KernelSeconds, 0.02);
  measured.set(DownloadSeconds, 0.03);
  const StreamConstants constants;
  const StreamTimes times(measured, constants);
  for (const StreamConfiguration ran : {StreamConfiguration{1, 1}, {1, 16}, {4, 8}}) {
    const StreamEstimate of = times.of(ran);
    const auto tasks = static_cast<double>(ran.tasks);
    const StreamedRun run{
        ran, 9e8, 4e8, of.shared_upload + tasks * of.upload, tasks * of.download, tasks * of.kernel};
    const StreamFeatures after = features_after(features, run, constants);
    EXPECT_NEAR(after.get(UploadSeconds).value(), 0.05, 0.0005) << ran.tasks;
    EXPECT_NEAR(after.get(KernelSeconds).value(), 0.02, 0.0002) << ran.tasks;
    EXPECT_NEAR(after.get(DownloadSeconds).value(), 0.03, 0.0003) << ran.tasks;
    EXPECT_EQ(after.get(UploadBytes), 9e8);
  }
  // Arrays that stayed where they are.
  const StreamFeatures resident = features_after(features, {{1, 16}, 0, 4e8, 0, 0.03, 0.02}, constants);
  EXPECT_EQ(resident.get(UploadBytes), 0);
  EXPECT_EQ(resident.get(SharedBytes), 0);
  EXPECT_EQ(resident.get(RedundantBytes), 0);
  EXPECT_EQ(resident.get(InputArrays), 0);
  EXPECT_EQ(resident.get(Transfers), 1);
  EXPECT_FALSE(resident.has(UploadSeconds));
  EXPECT_EQ(resident.get(TransferBytes), 4e8);
  EXPECT_EQ(StreamTimes(resident, constants).of({1, 16}).upload, 0);
  const StreamFeatures in_part = features_after(features, {{1, 16}, 3e8, 4e8, 0.02, 0.03, 0.02}, constants);
  EXPECT_NEAR(in_part.get(SharedBytes).value(), 1e8 / 3, 1);
  EXPECT_EQ(in_part.get(InputArrays), 3);
  // What a processor counted is a feature as well.
  StreamedRun counted{{1, 1}, 9e8, 4e8, 0.05, 0.03, 0.02};
  counted.counted = {{CyclesPerInstruction, 0.5}};
  EXPECT_EQ(features_after(features, counted, constants).get(CyclesPerInstruction), 0.5);
}

/// Times that the model itself made with other constants are found again.
TEST(StreamTimes, ConstantsAreFitted) {
  StreamConstants device;
  const std::pair<StreamConstant, double> told[] = {
      {StreamConstant::UploadLatency, 3e-5},  {StreamConstant::LaunchSeconds, 2e-5},
      {StreamConstant::CommandSeconds, 1e-5}, {StreamConstant::QueueWaiting, 0.9},
      {StreamConstant::Exclusion, 0.1},       {StreamConstant::PartitionSlowdown, 0.7}};
  for (const auto& [constant, value] : told) device.values()[static_cast<std::size_t>(constant)] = value;
  StreamTable table = simulated::table(simulated::gpu(), 8, 3, 3);
  std::vector<const StreamRecord*> records;
  for (StreamRecord& record : table.records) {
    const StreamTimes times(record.features, device);
    for (TimedConfiguration& each : record.timed) each.seconds = times.of(each.configuration).seconds;
    records.push_back(&record);
  }
  const StreamConstants fitted = device_constants(records);
  EXPECT_NEAR(fitted[StreamConstant::PartitionSlowdown], 0.7, 0.03);
  EXPECT_NEAR(fitted[StreamConstant::QueueWaiting], 0.9, 0.1);
  for (const StreamRecord* record : records) {
    const StreamTimes times(record->features, fitted);
    const double scale = times.of({1, 1}).seconds / record->single_seconds();
    for (const TimedConfiguration& each : record->timed) {
      // What is slower than twice the best is never chosen, and counts little.
      if (each.seconds > 2 * record->best().seconds) continue;
      EXPECT_NEAR(times.of(each.configuration).seconds / each.seconds / scale, 1, 0.08)
          << record->program << " " << record->size << " " << each.configuration.partitions << ","
          << each.configuration.tasks;
    }
  }
}

TEST(StreamInputs, AreSelectedScaledAndCutAtTheEnds) {
  StreamTable table = simulated::table(simulated::gpu(), 10, 2, 4);
  std::vector<const StreamRecord*> records;
  std::vector<StreamFeatures> programs;
  for (StreamRecord& each : table.records) {
    // The same as the bytes of both directions, so it says nothing more.
    each.features.set(StreamFeature::TemporaryBytes,
                      3 * each.features.get_or(StreamFeature::TransferBytes, 0));
    records.push_back(&each);
    programs.push_back(each.features);
  }
  const StreamInputs inputs(records, StreamInputs::Scale::Linear);
  std::vector<std::string> names;
  for (const std::size_t each : inputs.columns()) names.push_back(stream_input_names()[each]);
  EXPECT_THAT(names, testing::Contains("loop_count"));
  EXPECT_THAT(names, testing::Not(testing::Contains("loop_nest"))) << "it is 1 everywhere";
  EXPECT_THAT(names, testing::Not(testing::Contains("temporary_bytes")));
  const Matrix scaled = inputs.scaled(programs);
  for (const double each : scaled.numbers) {
    EXPECT_GE(each, 0);
    EXPECT_LE(each, 1);
  }
  StreamFeatures outside = programs.front();
  outside.set(StreamFeature::LoopCount, 1e17);
  const std::size_t place =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), "loop_count") - names.begin());
  EXPECT_EQ(inputs.scaled({&outside, 1}).numbers[place], 1);
  EXPECT_LE(inputs.components(programs).width, 9U);
  double sum = 0;
  for (const double each : inputs.variance_shares().numbers) sum += each;
  EXPECT_NEAR(sum, 1, 1e-9);
}

/// Each device has another reason why a choice is good.
class StreamsOfDevice : public testing::TestWithParam<simulated::Device (*)()> {};

TEST_P(StreamsOfDevice, AreChosenForProgramsThatWereNotSeen) {
  const StreamTable table = simulated::table(GetParam()(), 9, 3, 11);
  const auto evaluated = evaluate_streams(
      table, {"ours", "ours-static", "network", "svm", "liu", "werkhoven", "best-fixed", "single"}, 1);
  ASSERT_TRUE(evaluated) << evaluated.error().render();
  const StreamJudgement& ours = evaluated->of("ours");
  EXPECT_GE(ours.mean_share(), 0.95);
  EXPECT_GE(ours.least_share(), 0.8);
  // Where all are near the best, noise decides who is first.
  for (const char* other : {"network", "svm", "liu", "werkhoven", "best-fixed", "single"})
    EXPECT_GT(ours.mean_share(), evaluated->of(other).mean_share() - 0.01) << other;
  EXPECT_GE(evaluated->of("ours-static").mean_share(), 0.9);
  EXPECT_EQ(evaluated->of("oracle").mean_share(), 1);
  EXPECT_EQ(evaluated->of("single").mean_speedup(), 1);
  EXPECT_FALSE(evaluated->importances.empty());
}
INSTANTIATE_TEST_SUITE_P(Simulated, StreamsOfDevice,
                         testing::Values(simulated::gpu, simulated::coprocessor, simulated::processor));

TEST(StreamEvaluations, LeaveGroupsOutTogether) {
  StreamTable table = simulated::table(simulated::processor(), 4, 1, 2);
  // Two programs of one group, with their own features but the same times: what was seen of one would tell
  // the other's best.
  std::size_t told = 0, expected = 0;
  ASSERT_TRUE(evaluate_streams(table, {"best-fixed"}, 1, [&](std::size_t done, std::size_t all) {
    told = std::max(told, done);
    expected = all;
  }));
  EXPECT_EQ(told, 4U);
  EXPECT_EQ(expected, 4U);
  for (StreamRecord& each : table.records) each.group = "all";
  EXPECT_THAT(evaluate_streams(table, {"best-fixed"}, 1).error().render(), HasSubstr("of one program"));
  EXPECT_THAT(evaluate_streams(table, {"worst"}, 1).error().render(), HasSubstr("'worst'"));
  table.records[0].group = table.records[1].group = "pair";
  const auto evaluated = evaluate_streams(table, {"best-fixed"}, 1);
  ASSERT_TRUE(evaluated);
  const auto alone = stream_chooser_kinds();
  for (const StreamChooserKind& each : alone) {
    if (std::string_view(each.name) != "best-fixed") continue;
    const auto chooser = each.make(1);
    const StreamRecord* const seen[] = {&table.records[2], &table.records[3]};
    chooser->learn(seen);
    EXPECT_EQ(chooser->choose(table.records[0].features, configurations_of(table.records[0])),
              evaluated->of("best-fixed").choices[0]);
  }
}

StreamModel learned(const StreamTable& table) {
  auto model = StreamModel::learn(table, {.seed = 1, .provenance = {{"by", "a test"}}});
  if (!model) throw Failure(model.error());
  return *std::move(model);
}

TEST(StreamModels, AreReadAsTheyWereWritten) {
  const StreamTable table = simulated::table(simulated::gpu(), 8, 2, 7);
  const StreamModel written = learned(table);
  const auto read = StreamModel::parse(written.to_json().dump(), "m.json");
  ASSERT_TRUE(read) << read.error().render();
  EXPECT_EQ(read->to_json(), written.to_json());
  EXPECT_EQ(read->device_class(), "nvidia-h200-cuda");
  EXPECT_EQ(read->provenance().at("by"), "a test");
  EXPECT_EQ(read->learned_from(), 16U);
  for (const StreamRecord& each : table.records) {
    const StreamProgram program{each.features, 8, 1024};
    EXPECT_EQ(read->choose(program).tasks, written.choose(program).tasks);
  }
}

TEST(StreamModels, SayWhatIsWrongWithAFile) {
  const learn::Json good = learned(simulated::table(simulated::gpu(), 3, 1, 7)).to_json();
  const auto refused = [&](const char* key, const learn::Json& value) {
    learn::Json bad = good;
    bad[key] = value;
    const auto read = StreamModel::parse(bad.dump(), "m.json");
    return read ? std::string("none") : read.error().render();
  };
  EXPECT_THAT(refused("version", 1), HasSubstr("'m.json' is no model of streams"));
  EXPECT_THAT(refused("tasks", learn::Json::array()), HasSubstr("ascending"));
  EXPECT_THAT(refused("partitions", {4, 1}), HasSubstr("ascending"));
  learn::Json cautions = good.at("cautions");
  cautions["measured"]["trust"] = 7;
  EXPECT_THAT(refused("cautions", cautions), HasSubstr("trust"));
  EXPECT_THAT(refused("constants", learn::Json::object()), HasSubstr("no model of streams"));
  learn::Json constants = good.at("constants");
  constants["upload_rate"] = 0;
  EXPECT_THAT(refused("constants", constants), HasSubstr("'upload_rate'"));
  EXPECT_FALSE(StreamModel::parse("nonsense", "m.json"));
  EXPECT_FALSE(StreamModel::load("/no/such/file.json"));
}

TEST(StreamModels, KeepToWhatTheDeviceAndTheProgramHave) {
  const StreamTable table = simulated::table(simulated::gpu(), 8, 2, 7);
  const StreamModel model = learned(table);
  for (const StreamRecord& each : table.records) {
    const StreamChoice free = streams_choice({each.features, 1000, 100000}, model);
    EXPECT_LE(free.partitions, 8);
    EXPECT_LE(free.tasks, 1024);
    EXPECT_LE(free.partitions, free.tasks);
    EXPECT_GE(free.speedup, 1);
    const StreamChoice tight = streams_choice({each.features, 1, 3}, model);
    EXPECT_EQ(tight.partitions, 1);
    EXPECT_LE(tight.tasks, 3);
    const StreamChoice none = streams_choice({each.features, 0, 0}, model);
    EXPECT_EQ(none.tasks, 1);
  }
}

TEST(StreamModels, ChooseWithNothingKnown) {
  const StreamModel model = learned(simulated::table(simulated::gpu(), 8, 2, 7));
  const StreamChoice choice = streams_choice({{}, 8, 64}, model);
  EXPECT_GE(choice.tasks, 1);
  EXPECT_TRUE(std::isfinite(choice.speedup));
  EXPECT_FALSE(choice.why.empty());
}

/// A program waits for it at its first call.
TEST(StreamModels, AChoiceTakesMilliseconds) {
  for (const auto device : {simulated::gpu, simulated::coprocessor}) {
    const StreamTable table = simulated::table(device(), 10, 3, 7);
    const std::string text = learned(table).to_json().dump();
    // Of the thread, the least of several times: other work on the machine is not the model's.
    double loading = 1, choosing = 0;
    std::optional<StreamModel> model;
    for (int i = 0; i < 5; ++i) {
      const double start = processor_seconds_of_thread();
      auto read = StreamModel::parse(text, "m.json");
      loading = std::min(loading, processor_seconds_of_thread() - start);
      ASSERT_TRUE(read);
      model.emplace(*std::move(read));
    }
    for (const StreamRecord& each : table.records) {
      double least = 1;
      for (int i = 0; i < 5; ++i) {
        const double start = processor_seconds_of_thread();
        const StreamChoice choice = streams_choice({each.features, 224, 1024}, *model);
        least = std::min(least, processor_seconds_of_thread() - start);
        EXPECT_GE(choice.tasks, 1);
      }
      choosing = std::max(choosing, least);
    }
    EXPECT_LE(choosing, 5e-3);
    EXPECT_LE(loading, 10e-3);
    RecordProperty("choice_microseconds", static_cast<int>(1e6 * choosing));
    RecordProperty("load_microseconds", static_cast<int>(1e6 * loading));
  }
}

TEST(StreamExplanations, SayWhatBindsAndWhatMoreTasksWouldCost) {
  StreamFeatures features;
  features.set(StreamFeature::UploadBytes, 1e8);
  features.set(StreamFeature::DownloadBytes, 5e7);
  features.set(StreamFeature::KernelSeconds, 8e-3);
  features.set(StreamFeature::LoopCount, 1e6);
  const StreamConstants constants;
  const std::string text = stream_explanation(features, constants, {2, 16}, 1.9);
  EXPECT_THAT(text, HasSubstr("uploads (10.1 ms) bind the run"));
  EXPECT_THAT(text, HasSubstr("with half as many tasks"));
  EXPECT_THAT(text, HasSubstr("1.90 times as fast as a single stream is expected"));
  EXPECT_THAT(stream_explanation(features, constants, {1, 1}, 1),
              HasSubstr("in a single stream; two tasks would"));
}

}  // namespace
}  // namespace hoist::predict
