// A store as lines of JSON: nothing is lost on the way, nothing is there twice, and bad lines are named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "unit/store/places.hpp"
#include "unit/store/support.hpp"

namespace hoist::store {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

std::string exported(Store& store) {
  std::string text;
  need(store.export_lines([&](std::string_view line) -> Result<void> {
    text += line;
    return {};
  }));
  return text;
}

Imported import(Store& store, const std::string& text) {
  std::istringstream lines(text);
  return need(store.import_lines(lines, "lines"));
}

std::string refusal(Store& store, const std::string& text) {
  std::istringstream lines(text);
  const auto result = store.import_lines(lines, "some.jsonl");
  return result ? "imported" : result.error().render();
}

/// Everything that a store can hold.
void fill(Store& store) {
  for (int t = 0; t < 2; ++t) {
    const TaskId task = need(store.add_task(example_task(t)));
    const RunId run =
        need(store.begin_run(task, {.strategy = "random", .seed = 3, .budget = R"({"seconds": 1.50})"}));
    for (int i = 0; i < 3; ++i)
      need(store.record(task, i == 1 ? std::nullopt : std::optional(run), example_candidate(i),
                        example_evaluation(i), Features{"loops 1", {0.1 * i, 1e300}}));
    need(store.record(
        task, run, example_candidate(0),
        {.outcome = Outcome::Crash, .message = "signal 11\n\"core\" \x01\xff", .recorded = "2026"}));
    need(store.end_run(run, R"({"stages":[1,2.5,null]})"));
  }
  need(store.name_features("loops 1", {"depth", "λ"}));
  need(store.add_model({"knn", "nvidia", "loops 1", std::string("\0\xff\n", 3), R"({"rows":10})", ""}));
}

class Transfer : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(Places, Transfer, all_kinds(), name_of_kind);

TEST_P(Transfer, AnEmptyStoreBecomesTheSameStore) {
  Store store = need(Store::open(place("one"))), other = need(Store::open(place("two")));
  fill(store);
  const std::string text = exported(store);
  const Imported imported = import(other, text);
  EXPECT_EQ(imported.added, need(store.counts()));
  EXPECT_EQ(imported.known, Counts{});
  EXPECT_EQ(exported(other), text);
  const TaskId task = need(other.tasks()).at(1).id;
  EXPECT_EQ(need(other.evaluations(task)).at(1).evaluation, example_evaluation(1));
  EXPECT_EQ(need(other.model("knn")), need(store.model("knn")));
}

TEST_P(Transfer, ImportingTwiceAddsNothing) {
  Store store = need(Store::open(place("one"))), other = need(Store::open(place("two")));
  fill(store);
  const std::string text = exported(store);
  import(other, text);
  const Imported again = import(other, text);
  EXPECT_EQ(again.added, Counts{});
  EXPECT_EQ(again.known, need(store.counts()));
  EXPECT_EQ(exported(other), text);
  EXPECT_EQ(import(store, text).added, Counts{}) << "nor into the store that it came from";
  import(other, text + text);
  EXPECT_EQ(exported(other), text) << "files that follow each other";
}

TEST_P(Transfer, StoresAreMerged) {
  Store store = need(Store::open(place("one"))), other = need(Store::open(place("two")));
  const TaskId here = need(store.add_task(example_task()));
  need(other.add_task(example_task(5)));
  const TaskId there = need(other.add_task(example_task()));
  need(store.record(here, std::nullopt, example_candidate(), {.times = {2.0}}));
  need(other.record(there, std::nullopt, example_candidate(), {.times = {1.0}}));
  const Imported imported = import(store, exported(other));
  EXPECT_EQ(imported.added, (Counts{.tasks = 1, .evaluations = 1}));
  EXPECT_EQ(need(store.evaluations(here)).size(), 2U);
  EXPECT_EQ(need(store.task(here)).best, 1.0);
}

TEST_P(Transfer, ARunThatWentOnElsewhereComesToItsEnd) {
  Store store = need(Store::open(place("one"))), other = need(Store::open(place("two")));
  const TaskId task = need(store.add_task(example_task()));
  const RunId run = need(store.begin_run(task, {}));
  const std::string before = exported(store);
  import(other, before);
  need(store.end_run(run, R"({"tried":7})"));
  import(other, exported(store));
  import(other, before);
  const StoredRun found = need(other.runs(need(other.tasks()).at(0).id)).at(0);
  EXPECT_EQ(found.funnel, R"({"tried":7})");
  EXPECT_NE(found.ended, "");
}

TEST_P(Transfer, ALineThatIsWrongIsNamedAndNothingIsImported) {
  Store store = need(Store::open(place("one"))), other = need(Store::open(place("two")));
  fill(store);
  std::vector<std::string> lines;
  std::istringstream text(exported(store));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  std::size_t evaluation = 0;
  while (lines[evaluation].find("\"evaluation\"") == std::string::npos) ++evaluation;

  const auto with = [&](std::size_t place, const std::string& line) {
    std::string changed;
    for (std::size_t i = 0; i < lines.size(); ++i) changed += (i == place ? line : lines[i]) + "\n";
    return changed;
  };
  const auto evaluation_with = [&](const std::string& name, const Json& value) {
    Json json = Json::parse(lines[evaluation]);
    json[name] = value;
    return with(evaluation, json.dump());
  };
  const std::string place = "some.jsonl:" + std::to_string(evaluation + 1) + ": ";
  const auto expect = [&](const std::string& changed, const std::string& says) {
    EXPECT_THAT(refusal(other, changed), HasSubstr(says));
    EXPECT_EQ(need(other.counts()), Counts{}) << says;
  };
  expect(with(evaluation, lines[evaluation].substr(0, 40)), place + "this is no JSON");
  expect(with(evaluation, "[1]"), place + "this is no line of an export");
  expect(with(evaluation, R"({"kind":"poem"})"), place + "'poem' is no kind of line");
  expect(with(evaluation, R"({"kind":"evaluation"})"), place + "it has no \"id\"");
  expect(with(evaluation, R"({"kind":"evaluation","id":1})"), place + "\"uid\" is missing");
  expect(with(evaluation, std::string(200'000, '[')), place + "its lists and objects are nested too deeply");
  expect(evaluation_with("candidate", 99), place + "\"candidate\" is 99, but no line before");
  expect(evaluation_with("candidate", "1"), place + "\"candidate\" is \"1\"");
  expect(evaluation_with("uid", 7), place + "\"uid\" must be a text");
  expect(evaluation_with("seed", 0.5), place + "\"seed\" must be a whole number");
  expect(evaluation_with("wall_seconds", nullptr), place + "\"wall_seconds\" must be a number");
  expect(evaluation_with("outcome", "fine"), place + "\"fine\" is not an outcome that Hoist knows");
  expect(evaluation_with("origin", "stolen"), place + "\"stolen\" is not an origin that Hoist knows");
  expect(evaluation_with("times", "0.1"), place + "\"times\" does not have the form");
  expect(evaluation_with("times", Json::array({1.0, -1.0})),
         place + "the time -1 is not a number of seconds");
  expect(evaluation_with("median", 0.25), place + "\"median\" is 0.25, which is not the median of \"times\"");
  expect(evaluation_with("kernels", Json::array({7})), place + "\"kernels\" does not have the form");
  expect(with(0, R"({"kind":"hoist store","format":999})"),
         "some.jsonl:1: this was exported by a newer Hoist");
  expect(with(0, R"({"kind":"hoist store"})"), "some.jsonl:1: the header says no format");
  expect(with(0, ""), "some.jsonl:2: this is not an export of a store");
  expect("", "some.jsonl is empty");
  expect(with(evaluation, lines[evaluation] + "\n" + lines[evaluation]), "another evaluation has the id 1");
  import(other, with(evaluation, lines[evaluation] + "\n\n"));
}

TEST_P(Transfer, WhatCannotBeWrittenEndsTheExport) {
  Store store = need(Store::open(place()));
  fill(store);
  int lines = 0;
  const auto result = store.export_lines([&](std::string_view) -> Result<void> {
    if (++lines == 3) return device_error("the disk is full");
    return {};
  });
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().render(), HasSubstr("the disk is full"));
  EXPECT_EQ(need(store.counts()).tasks, 2) << "and the store is as usable as before";
}

class Prune : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(Places, Prune, all_kinds(), name_of_kind);

TEST_P(Prune, RemovesWhatIsSelectedAndWhatThenBelongsToNothing) {
  Store store = need(Store::open(place()));
  fill(store);
  const Counts before = need(store.counts());
  const std::vector<StoredTask> tasks = need(store.tasks());
  const auto task = need(store.prune({.task = tasks[0].id}, true));
  EXPECT_EQ(task, (Counts{.tasks = 1, .candidates = 3, .runs = 1, .evaluations = 4, .features = 3}));
  EXPECT_EQ(need(store.counts()), before) << "only counted";
  EXPECT_EQ(need(store.prune({.task = tasks[0].id, .only_failed = true}, false)), (Counts{.evaluations = 1}));
  EXPECT_EQ(need(store.prune({.device = "another"}, false)), Counts{});
  EXPECT_EQ(need(store.prune({.before = "2026-01-01"}, false)), (Counts{.evaluations = 1}))
      << "that of \"2026\"";
  EXPECT_EQ(need(store.prune({.program = "aaaaaaa"}, false)), Counts{})
      << "too short for the beginning of a hash";
  const Counts all = need(store.prune({.program = "aaaaaaaa"}, false));
  EXPECT_EQ(all, (Counts{1, 1, 2, 6, 2, 6, 6, 0}));
  EXPECT_EQ(need(store.counts()), (Counts{.models = 1}));
  const auto nothing = store.prune({}, false);
  ASSERT_FALSE(nothing);
  EXPECT_THAT(nothing.error().render(), HasSubstr("nothing says what to remove"));
}

TEST_P(Prune, LeavesRunsThatGoOn) {
  Store store = need(Store::open(place()));
  const TaskId task = need(store.add_task(example_task()));
  const RunId run = need(store.begin_run(task, {.started = "2026-02-01T00:00:00.000Z"}));
  need(
      store.record(task, run, example_candidate(), {.times = {1.0}, .recorded = "2026-02-01T00:00:01.000Z"}));
  EXPECT_EQ(need(store.prune({.program = "scale"}, false)), (Counts{.candidates = 1, .evaluations = 1}));
  need(
      store.record(task, run, example_candidate(), {.times = {1.0}, .recorded = "2026-02-01T00:00:02.000Z"}));
  EXPECT_EQ(need(store.prune({.before = "2026-03"}, false)), (Counts{1, 1, 1, 1, 1, 1, 0, 0}))
      << "but not those that began before what is to go";
}

}  // namespace
}  // namespace hoist::store
