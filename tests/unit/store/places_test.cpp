// Places that are no store, or none that may be used: what is said, and that nothing there is changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include "store/database.hpp"
#include "unit/store/places.hpp"
#include "unit/store/processes.hpp"
#include "unit/store/support.hpp"

namespace hoist::store {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string refusal(const std::string& place) {
  const auto store = Store::open(place, {.patience = std::chrono::milliseconds(100)});
  return store ? "opened" : store.error().render();
}

class Files : public testing::Test {
 protected:
  TemporaryDirectory directory;
  std::string path = directory.file("store.sqlite");

  void write(const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
};

TEST_F(Files, OfAnotherKind) {
  for (const std::string& bytes :
       {std::string("def f(x: [N]f32): [N]f32 = x\n"), std::string(5000, 'x'), std::string(5000, '\0')}) {
    write(bytes);
    EXPECT_THAT(refusal(path), AllOf(HasSubstr("is no store of Hoist"), HasSubstr("--store FILE")));
    EXPECT_EQ(content(path), bytes) << "unchanged";
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1)
      << "and nothing beside it";
}

TEST_F(Files, OfAnotherProgram) {
  run_sql(path, "CREATE TABLE bookmarks (a TEXT); INSERT INTO bookmarks VALUES ('b');");
  const std::string before = content(path);
  EXPECT_THAT(refusal(path), HasSubstr("is a database of another program"));
  EXPECT_EQ(content(path), before);
}

TEST_F(Files, ThatAreEmptyBecomeStores) {
  write("");
  EXPECT_EQ(refusal(path), "opened");
}

TEST_F(Files, ThatCannotBe) {
  EXPECT_THAT(refusal(directory.path().string()), HasSubstr("is a directory"));
  EXPECT_THAT(refusal(directory.file("none/store")), HasSubstr("there is no directory"));
  EXPECT_THAT(refusal(""), HasSubstr("has an empty name"));
  EXPECT_THAT(refusal("mysql://host/x"), HasSubstr("'mysql://host/x' does not name a store"));
}

TEST_F(Files, InADirectoryThatMayNotBeWritten) {
  need(Store::open(path));
  for (const bool exists : {true, false}) {
    const std::string where = exists ? path : directory.file("other");
    chmod(path.c_str(), 0444);
    chmod(directory.path().c_str(), 0555);
    Child child([&](int pipe) {
      if (geteuid() == 0 && setuid(65534) != 0) _exit(4);
      const std::string text = refusal(where);
      if (write_all(pipe, text)) _exit(0);
    });
    EXPECT_THAT(child.all(),
                AllOf(HasSubstr("cannot be opened for writing"), HasSubstr("must exist and be writable")));
  }
  chmod(directory.path().c_str(), 0755);
}

TEST_F(Files, ThatMayNotBeWrittenAreRead) {
  {
    Store store = need(Store::open(path));
    need(store.record(need(store.add_task(example_task())), std::nullopt, example_candidate(),
                      example_evaluation()));
  }
  const auto read = [&] {
    Child child([&](int pipe) {
      if (geteuid() == 0 && setuid(65534) != 0) _exit(4);
      Result<Store> store = Store::open(path, {.make = false, .only_reads = true});
      const auto counts = store ? store->counts() : tl::unexpected(store.error());
      const std::string text =
          counts ? std::to_string(counts->evaluations) + " read" : counts.error().render();
      if (write_all(pipe, text)) _exit(0);
    });
    return child.all();
  };
  chmod(path.c_str(), 0444);
  for (const mode_t mode : {0777, 0555}) {
    chmod(directory.path().c_str(), mode);
    EXPECT_EQ(read(), "1 read") << mode;
  }
  // Another is writing: what is in its log only is read, too.
  chmod(path.c_str(), 0644);
  Store writer = need(Store::open(path));
  need(writer.record(need(writer.add_task(example_task())), std::nullopt, example_candidate(),
                     example_evaluation(2)));
  EXPECT_EQ(read(), "2 read");
  chmod(directory.path().c_str(), 0755);
}

/// A store with enough in it to have many pages.
void fill(const std::string& path) {
  Store store = need(Store::open(path));
  const TaskId task = need(store.add_task(example_task()));
  const RunId run = need(store.begin_run(task, {}));
  for (int i = 0; i < 60; ++i)
    need(store.record(task, run, example_candidate(i), example_evaluation(i), Features{"s", {1.0}}));
}

/// Everything that can be asked; whether all of it was answered. Damage must be told, not thrown or crashed
/// about.
bool ask_everything(const std::string& path) {
  Result<Store> store = Store::open(path);
  if (!store) return false;
  bool is_whole = store->counts() && store->models() &&
                  store->best(example_task().program.hash, "cuda", "NVIDIA H200", {});
  const auto tasks = store->tasks();
  if (!tasks) return false;
  for (const StoredTask& task : *tasks)
    is_whole =
        store->evaluations(task.id) && store->runs(task.id) && store->features(task.id, "s") && is_whole;
  is_whole = store->export_lines([](std::string_view) { return Result<void>(); }) && is_whole;
  const auto task = store->add_task(example_task());
  return task && store->record(*task, std::nullopt, example_candidate(99), example_evaluation()) && is_whole;
}

TEST_F(Files, ThatAreDamaged) {
  fill(path);
  ASSERT_TRUE(ask_everything(path));
  const std::string whole = content(path);
  const unsigned seed = 7;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  int found = 0;
  for (int round = 0; round < 40; ++round) {
    std::string damaged = whole;
    const std::size_t place = round % 4 == 0 ? random() % 4096 : random() % damaged.size();
    for (std::size_t i = 0; i < 600 && place + i < damaged.size(); ++i)
      damaged[place + i] = static_cast<char>(random());
    if (round % 5 == 0) damaged.resize(damaged.size() / 2);
    for (const char* rest : {"-wal", "-shm"}) std::filesystem::remove(path + rest);
    write(damaged);
    found += ask_everything(path) ? 0 : 1;
  }
  EXPECT_GT(found, 20);
}

TEST_F(Files, WhoseMiddleIsLostSaySo) {
  fill(path);
  std::string bytes = content(path);
  for (std::size_t i = 4096; i < bytes.size(); ++i) bytes[i] = 'x';
  write(bytes);
  Result<Store> store = Store::open(path);
  const std::string text = store ? "opened" : store.error().render();
  EXPECT_THAT(text, AllOf(HasSubstr("is damaged"), HasSubstr(".recover")));
}

TEST(DefaultPlace, IsTheUsersDataDirectory) {
  const TemporaryDirectory directory;
  const std::string data = directory.path().string();
  Child child([&](int pipe) {
    setenv("HOME", data.c_str(), 1);
    unsetenv("XDG_DATA_HOME");
    std::string text = need(default_place()) + "\n";
    setenv("XDG_DATA_HOME", (data + "/x").c_str(), 1);
    text += need(default_place()) + "\n";
    unsetenv("HOME");
    unsetenv("XDG_DATA_HOME");
    text += default_place().error().render();
    write_all(pipe, text);
  });
  EXPECT_THAT(child.all(),
              AllOf(HasSubstr(data + "/.local/share/hoist/store.sqlite\n" + data + "/x/hoist/store.sqlite\n"),
                    HasSubstr("neither XDG_DATA_HOME nor HOME")));
  EXPECT_TRUE(std::filesystem::is_directory(data + "/x/hoist"));
}

TEST(Servers, ThatAreNotThere) {
  EXPECT_THAT(refusal("postgresql://me:secret@/db?host=/nowhere&password=secret"),
              AllOf(HasSubstr("postgresql://me:***@/db?host=/nowhere&password=*** cannot be reached"),
                    HasSubstr("/nowhere"), Not(HasSubstr("secret"))));
  EXPECT_THAT(refusal("postgresql://host:notaport/db"), HasSubstr("cannot be reached"));
}

TEST(Servers, WithoutTheirLibrary) {
  setenv("HOIST_LIBPQ_LIBRARY", "/nowhere/libpq.so", 1);
  EXPECT_THAT(refusal("postgresql://host/db"), AllOf(HasSubstr("client library cannot be opened"),
                                                     HasSubstr("install it (libpq5 on Debian)")));
  setenv("HOIST_LIBPQ_LIBRARY", "libm.so.6", 1);
  EXPECT_THAT(refusal("postgresql://host/db"), HasSubstr("is not PostgreSQL's client library, or too old"));
  unsetenv("HOIST_LIBPQ_LIBRARY");
}

/// A database on the tests' own server.
class Databases : public testing::Test {
 protected:
  void SetUp() override {
    if (place.empty()) GTEST_SKIP() << "no PostgreSQL server is installed (Debian's package postgresql)";
  }
  const std::string place = postgres_database();
};

TEST_F(Databases, OfAnotherProgram) {
  run_sql(place, "CREATE SCHEMA hoist; CREATE TABLE hoist.cranes (a INT);");
  EXPECT_THAT(refusal(place), HasSubstr("has a schema 'hoist' of another program"));
}

TEST_F(Databases, WithoutUnicode) {
  EXPECT_THAT(refusal(postgres_database("LATIN1")),
              AllOf(HasSubstr("cannot hold all of Unicode"), HasSubstr("LATIN1")));
}

TEST_F(Databases, WhereTheUserMayNotWrite) {
  run_sql(place, "CREATE ROLE guest LOGIN;");
  std::string as_guest = place;
  as_guest.replace(as_guest.find("hoist@"), 6, "guest@");
  EXPECT_THAT(refusal(as_guest), AllOf(HasSubstr("cannot be written"), HasSubstr("permission denied")));
  need(Store::open(place));
  EXPECT_THAT(refusal(as_guest), HasSubstr("cannot be written"));
}

/// Ends all connections to it.
void lose(const std::string& place) {
  run_sql(place,
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
          "AND pid <> pg_backend_pid();");
}

TEST_F(Databases, ThatWereAwayForAMoment) {
  Store store = need(Store::open(place));
  const TaskId task = need(store.add_task(example_task()));
  lose(place);
  need(store.record(task, std::nullopt, example_candidate(), example_evaluation()));
  EXPECT_EQ(need(store.counts()).evaluations, 1);
  lose(place);
  EXPECT_EQ(need(store.evaluations(task)).size(), 1U) << "outside of a transaction";
}

TEST_F(Databases, ThatAreLostInTheMidstOfATransactionGetItAgain) {
  need(Store::open(place));
  const auto database = open_postgres(place, place, {});
  int attempts = 0;
  const auto add = [&](const char* name) {
    database->execute("INSERT INTO claims (task, name, hash, run, until) VALUES (1, $1, '', 1, '')",
                      {std::string(name)});
  };
  in_transaction(*database, Access::Write, [&] {
    add("first");
    if (++attempts == 1) lose(place);
    add("second");
  });
  EXPECT_EQ(attempts, 2);
  EXPECT_EQ(Row(*database->first("SELECT count(*) FROM claims")).integer(0), 2);
}

}  // namespace
}  // namespace hoist::store
