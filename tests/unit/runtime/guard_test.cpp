#include "runtime/guard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <span>
#include <sstream>
#include <thread>

#include "base/stopwatch.hpp"
#include "support.hpp"

namespace hoist::runtime {
namespace {

using ::testing::HasSubstr;
using namespace testing;

Worker started(WorkerOptions options = {}) {
  options.program = HOIST_GUARD_WORKER;
  auto worker = Worker::start(options);
  if (!worker) throw std::runtime_error(worker.error().render());
  return std::move(*worker);
}

/// Whether the process is gone within a few seconds; a zombie, which only its parent can remove, is gone.
bool is_gone(pid_t process) {
  for (int tries = 0; tries < 300; ++tries) {
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    std::string number, name, state;
    if (!(file >> number >> name >> state) || state == "Z") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(Guard, AnswersAgainAndAgain) {
  Worker worker = started();
  for (int i = 0; i < 100; ++i) {
    const Reply reply = worker.ask(std::to_string(i), 10);
    EXPECT_EQ(reply.ending, Ending::Answered);
    EXPECT_EQ(reply.text, "echo " + std::to_string(i));
  }
}

TEST(Guard, CarriesLongAndEmptyMessages) {
  Worker worker = started();
  const std::string message(5'000'000, 'm');
  EXPECT_EQ(worker.ask(message, 10).text, "echo " + message);
  EXPECT_EQ(worker.ask("", 10).text, "echo ");
  EXPECT_EQ(worker.ask(std::string("a\0b", 3), 10).text, std::string("echo a\0b", 8));
}

TEST(SharedMemory, IsReadInPlace) {
  const auto memory = SharedMemory::create();
  ASSERT_TRUE(memory);
  EXPECT_TRUE(memory->map().value().bytes().empty());
  const std::string apple = "apple", pears = "pears";
  ASSERT_TRUE(memory->write(3, std::as_bytes(std::span(apple))));
  const auto mapped = memory->map();
  ASSERT_TRUE(mapped);
  ASSERT_EQ(mapped->bytes().size(), 8U);
  ASSERT_TRUE(memory->write(3, std::as_bytes(std::span(pears))));
  EXPECT_EQ(std::memcmp(mapped->bytes().data() + 3, pears.data(), pears.size()), 0);
}

TEST(Guard, SharesMemory) {
  auto memory = SharedMemory::create();
  ASSERT_TRUE(succeeded(memory));
  ASSERT_TRUE(succeeded(memory->write(0, std::as_bytes(std::span("apple", 5)))));
  Worker worker = started({.shared = &*memory});
  EXPECT_EQ(worker.ask("shared", 10).text, "apple");
  ASSERT_TRUE(succeeded(memory->write(0, std::as_bytes(std::span("pears", 5)))));
  EXPECT_EQ(worker.ask("shared", 10).text, "pears");
  std::byte one{};
  EXPECT_FALSE(memory->read(5, std::span(&one, 1))) << "there are five bytes";
}

TEST(Guard, TellsOfACrash) {
  const std::pair<const char*, const char*> crashes[] = {
      {"crash", "signal 11"}, {"abort", "a wheel came off"}, {"exit", "status 3"}};
  for (const auto& [request, words] : crashes) {
    Worker worker = started();
    worker.ask("first", 10);
    const Reply reply = worker.ask(request, 10);
    EXPECT_EQ(reply.ending, Ending::Crashed) << request;
    EXPECT_THAT(reply.text, HasSubstr(words));
    EXPECT_FALSE(worker.is_alive());
    EXPECT_EQ(worker.ask("again", 10).ending, Ending::Crashed);
  }
}

TEST(Guard, EndsAWorkerThatHangs) {
  for (const char* request : {"hang", "spin"}) {
    Worker worker = started();
    const pid_t process = worker.process();
    const auto start = std::chrono::steady_clock::now();
    const Reply reply = worker.ask(request, 0.2);
    EXPECT_EQ(reply.ending, Ending::TimedOut);
    EXPECT_THAT(reply.text, HasSubstr("within 0.2 s"));
    EXPECT_LT(seconds_since(start), 30);
    EXPECT_TRUE(is_gone(process));
  }
}

TEST(Guard, EndsAWorkerThatTakesTooMuchMemory) {
  Worker worker = started({.memory = 200 << 20});
  const Reply reply = worker.ask("memory", 60);
  EXPECT_EQ(reply.ending, Ending::OutOfMemory);
  EXPECT_THAT(reply.text, HasSubstr("more than its limit of 200 MiB"));
}

TEST(Guard, TakesAKillForMemoryExhaustion) {
  Worker worker = started();
  EXPECT_EQ(worker.ask("killed", 10).ending, Ending::OutOfMemory);
}

TEST(Guard, IsCancelled) {
  std::atomic<bool> is_cancelled = false;
  Worker worker = started({.is_cancelled = &is_cancelled});
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    is_cancelled = true;
  });
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(worker.ask("hang", 60).ending, Ending::Cancelled);
  EXPECT_LT(seconds_since(start), 30);
  canceller.join();
}

TEST(Guard, TakesAlongWhatTheWorkerStarted) {
  pid_t other = 0;
  {
    Worker worker = started();
    other = std::stoi(worker.ask("another", 10).text);
    EXPECT_EQ(kill(other, 0), 0);
  }
  EXPECT_TRUE(is_gone(other));
}

TEST(Guard, SaysWhichProgramCannotBeStarted) {
  WorkerOptions options;
  options.program = "/nowhere/worker";
  const auto worker = Worker::start(options);
  ASSERT_FALSE(worker);
  EXPECT_EQ(worker.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(worker.error()), HasSubstr("/nowhere/worker"));
}

TEST(Guard, NothingOutlivesAParentThatIsKilled) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execl(HOIST_GUARD_WORKER, HOIST_GUARD_WORKER, "parent", nullptr);
    _exit(127);
  }
  close(ends[1]);
  char text[100] = {};
  ASSERT_GT(read(ends[0], text, sizeof text - 1), 0);
  close(ends[0]);
  pid_t worker = 0, other = 0;
  std::istringstream(text) >> worker >> other;
  ASSERT_GT(other, 0);
  EXPECT_EQ(kill(worker, 0), 0);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(is_gone(worker));
  EXPECT_TRUE(is_gone(other));
}

}  // namespace
}  // namespace hoist::runtime
