// Processes that write at once, that end at any moment, and that find no room: what was acknowledged is
// there.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "unit/store/places.hpp"
#include "unit/store/processes.hpp"
#include "unit/store/support.hpp"

namespace hoist::store {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void say(int pipe, const std::string& text) {
  if (!write_all(pipe, text)) _exit(3);
}

class Durability : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(Places, Durability, all_kinds(), name_of_kind);

TEST_P(Durability, ProcessesMakeAndWriteAStoreAtOnce) {
  constexpr int processes = 3, each = 30;
  const std::string where = place();
  std::vector<std::unique_ptr<Child>> children;
  for (int process = 0; process < processes; ++process) {
    children.push_back(std::make_unique<Child>([&, process](int) {
      Store store = need(Store::open(where));
      const TaskId task = need(store.add_task(example_task()));
      const RunId run = need(store.begin_run(task, {}));
      for (int i = 0; i < each; ++i)
        need(store.record(task, run, example_candidate(process * each + i), example_evaluation(i)));
      need(store.end_run(run, "{}"));
    }));
  }
  for (const auto& child : children) {
    EXPECT_EQ(child->all(), "");
    EXPECT_EQ(child->status(), 0);
  }
  Store store = need(Store::open(where));
  const Counts expected{1, 1, 1, processes * each, processes, processes * each, 0, 0};
  EXPECT_EQ(need(store.counts()), expected);
}

TEST(SqliteDurability, AStoreThatAnotherProcessIsJustMakingIsNoOtherPrograms) {
  constexpr int stores = 60, processes = 4;
  const TemporaryDirectory directory;
  for (int i = 0; i < stores; ++i) {
    const std::string where = directory.file(std::to_string(i) + ".sqlite");
    std::vector<std::unique_ptr<Child>> children;
    for (int process = 0; process < processes; ++process) {
      children.push_back(std::make_unique<Child>([&](int pipe) {
        if (const auto store = Store::open(where); !store) say(pipe, store.error().render());
      }));
    }
    for (const auto& child : children) EXPECT_EQ(child->all(), "");
  }
}

TEST_P(Durability, ThreadsWithStoresOfTheirOwn) {
  need(Store::open(place()));
  const std::string where = place();
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      Store store = need(Store::open(where));
      const TaskId task = need(store.add_task(example_task(t)));
      for (int i = 0; i < 10; ++i) {
        need(store.record(task, std::nullopt, example_candidate(i), example_evaluation(i)));
        EXPECT_EQ(need(store.summaries(task)).size(), static_cast<std::size_t>(i) + 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(need(need(Store::open(where)).counts()).evaluations, 30);
}

/// Opens the store and records candidates from a number on, writing a byte for each that was acknowledged.
void record_without_end(const std::string& where, int first, int pipe) {
  Store store = need(Store::open(where));
  const TaskId task = need(store.add_task(example_task()));
  for (int i = first;; ++i) {
    need(store.record(task, std::nullopt, example_candidate(i), example_evaluation(i)));
    say(pipe, ".");
  }
}

TEST_P(Durability, KillingAWriterLosesAtMostOneMeasurement) {
  const unsigned seed = 20260101;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::string where = place();
  std::set<std::string> acknowledged;
  int next = 0;
  for (int round = 0; round < 20; ++round) {
    Child writer([&](int pipe) { record_without_end(where, next, pipe); });
    // At any moment, and on a machine however busy at some while it writes.
    std::size_t count = round % 2 == 0 ? 0 : writer.first(2).size();
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    writer.kill();
    count += writer.all().size();
    EXPECT_EQ(writer.status(), -1) << "it ended by itself";
    for (std::size_t i = 0; i < count; ++i)
      acknowledged.insert(example_candidate(next + static_cast<int>(i)).name);

    Store store = need(Store::open(where));
    const std::vector<StoredTask> tasks = need(store.tasks());
    std::set<std::string> found;
    for (const StoredTask& task : tasks) {
      for (const StoredEvaluation& each : need(store.evaluations(task.id))) {
        const int number = std::stoi(each.candidate.name.substr(3));
        EXPECT_EQ(each.candidate, example_candidate(number));
        EXPECT_EQ(each.evaluation, example_evaluation(number));
        found.insert(each.candidate.name);
      }
    }
    for (const std::string& name : acknowledged)
      EXPECT_TRUE(found.contains(name)) << name << " in round " << round;
    EXPECT_LE(found.size(), acknowledged.size() + 1) << "one was stored, but not yet acknowledged";
    // As a tuner that continues: what is done is done.
    acknowledged = found;
    next = static_cast<int>(found.size());
  }
  EXPECT_GE(acknowledged.size(), 20U);
}

/// Lines that never come: whoever imports them holds the store.
class Endless : public std::streambuf {
 public:
  explicit Endless(int pipe) : pipe_(pipe) {}

 protected:
  int_type underflow() override {
    say(pipe_, "!");
    while (true) pause();
  }

 private:
  int pipe_;
};

TEST_P(Durability, ALockHeldByAnotherProcessIsWaitedForAndThenTold) {
  const std::string where = place();
  Store store = need(Store::open(where, {.patience = std::chrono::milliseconds(200)}));
  const TaskId task = need(store.add_task(example_task()));
  {
    Child holder([&](int pipe) {
      Store other = need(Store::open(where));
      Endless endless(pipe);
      std::istream lines(&endless);
      need(other.import_lines(lines, "endless"));
    });
    ASSERT_EQ(holder.first(1), "!");
    const auto result = store.record(task, std::nullopt, example_candidate(), example_evaluation());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::Device);
    EXPECT_THAT(result.error().render(), HasSubstr("is in use by another process"));
    EXPECT_THAT(result.error().render(), HasSubstr("locked for 0.2 s"));
    EXPECT_EQ(need(store.summaries(task)).size(), 0U) << "who only reads does not wait";
  }
  // The holder was killed: its lock is gone.
  for (int i = 0; i < 50; ++i)
    if (store.record(task, std::nullopt, example_candidate(), example_evaluation())) break;
  EXPECT_EQ(need(store.summaries(task)).size(), 1U);
}

/// Records until it fails; the message, and how many were acknowledged.
std::pair<std::string, int> record_until_it_fails(Store& store, int first) {
  const TaskId task = need(store.add_task(example_task()));
  Candidate candidate = example_candidate();
  candidate.term = std::string(20'000, 'x');
  for (int i = first; i < 10'000; ++i) {
    candidate.name = std::to_string(i);
    const auto result = store.record(task, std::nullopt, candidate, example_evaluation(i));
    if (!result) return {result.error().render(), i - first};
  }
  return {"it never failed", 0};
}

TEST(DiskFull, AFileThatMayNotGrow) {
  const TemporaryDirectory directory;
  const std::string where = directory.file("store.sqlite");
  Child child([&](int pipe) {
    signal(SIGXFSZ, SIG_IGN);
    Store store = need(Store::open(where));
    const rlimit limit{400'000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto [message, count] = record_until_it_fails(store, 0);
    say(pipe, std::to_string(count) + " " + message);
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &none);
    need(store.record(need(store.add_task(example_task())), std::nullopt, example_candidate(),
                      example_evaluation()));
  });
  const std::string said = child.all();
  EXPECT_EQ(child.status(), 0);
  EXPECT_THAT(said, HasSubstr("cannot be read or written"));
  EXPECT_THAT(said, AllOf(HasSubstr("what was stored before is kept"), HasSubstr("ulimit -f")));
  Store store = need(Store::open(where));
  EXPECT_EQ(need(store.counts()).evaluations, std::stoi(said) + 1);
}

TEST(DiskFull, AFileSystemWithoutRoom) {
  const TemporaryDirectory directory;
  Child child([&](int pipe) {
    // A file system of this process alone.
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", directory.path().c_str(), "tmpfs", 0, "size=1m") != 0) {
      say(pipe, "skip");
      return;
    }
    const std::string where = directory.file("store.sqlite"), ballast = directory.file("ballast");
    std::ofstream(ballast) << std::string(300'000, 'x');
    Store store = need(Store::open(where));
    const auto [message, count] = record_until_it_fails(store, 0);
    say(pipe, message);
    const Counts counts = need(store.counts());
    if (counts.evaluations != count) say(pipe, "\nsome were lost");
    std::filesystem::remove(ballast);
    const auto [again, more] = record_until_it_fails(store, count);
    Store reopened = need(Store::open(where));
    if (more == 0 || need(reopened.counts()).evaluations != count + more) say(pipe, "\nit did not go on");
  });
  const std::string said = child.all();
  if (said == "skip") GTEST_SKIP() << "this process may not mount a file system";
  EXPECT_EQ(child.status(), 0);
  EXPECT_THAT(said, HasSubstr("is full"));
  EXPECT_THAT(said, HasSubstr("make room and start again"));
  EXPECT_EQ(said.find("\nsome"), std::string::npos);
  EXPECT_EQ(said.find("\nit did"), std::string::npos) << said;
}

}  // namespace
}  // namespace hoist::store
