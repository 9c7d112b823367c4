#include "unit/store/places.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

namespace hoist::store {

namespace {

/// Where Debian and others put the server's programs.
std::string server_directory() {
  std::vector<std::string> candidates;
  std::istringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string each; std::getline(path, each, ':');) candidates.push_back(each);
  std::error_code ignored;
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored))
    candidates.push_back(version.path() / "bin");
  for (const std::string& each : candidates)
    if (access((each + "/initdb").c_str(), X_OK) == 0 && access((each + "/postgres").c_str(), X_OK) == 0)
      return each;
  return {};
}

/// A server with a cluster of its own, reached through a socket in its directory alone. It ends with the
/// tests.
class Server {
 public:
  Server() : programs_(server_directory()) {
    if (programs_.empty()) {
      missing = "no PostgreSQL server is installed (Debian's package postgresql)";
      return;
    }
    const passwd* user = geteuid() == 0 ? getpwnam("postgres") : nullptr;
    if (geteuid() == 0 && !user) {
      missing = "PostgreSQL does not run as root, and there is no user postgres";
      return;
    }
    if (user) {
      user_ = user->pw_uid;
      if (chown(directory_.path().c_str(), user->pw_uid, user->pw_gid) != 0)
        fault = "its directory cannot be given away";
    }
    const std::string data = directory_.file("data"), socket = directory_.path().string();
    if (finished(started({"initdb", "-D", data, "-U", "hoist", "-A", "trust", "-E", "UTF8", "--no-sync"})) !=
        0) {
      fault = "initdb: " + log();
      return;
    }
    process_ = started({"postgres", "-D", data, "-k", socket, "-c", "listen_addresses=", "-F"});
    for (int i = 0; i < 200; ++i) {
      if (finished(started({"psql", "-h", socket, "-U", "hoist", "-c", "SELECT 1", "postgres"})) == 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    fault = "the server does not start: " + log();
  }
  ~Server() {
    if (process_ <= 0) return;
    kill(process_, SIGQUIT);
    waitpid(process_, nullptr, 0);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string new_database(const std::string& encoding) {
    static std::atomic<int> count = 0;
    const std::string name = "store_" + std::to_string(++count), socket = directory_.path().string();
    const int status = finished(started(
        {"createdb", "-h", socket, "-U", "hoist", "-E", encoding, "--locale", "C", "-T", "template0", name}));
    if (status != 0) throw std::runtime_error("createdb: " + log());
    return "postgresql://hoist@/" + name + "?host=" + socket;
  }

  void run_sql(const std::string& url, const std::string& sql) {
    if (finished(started(
            {"psql", "-v", "ON_ERROR_STOP=1", "-q", "-c", "SET search_path = hoist; " + sql, url})) != 0)
      throw std::runtime_error("psql: " + log());
  }

  std::string missing;  ///< why there is none
  std::string fault;    ///< why the one that is installed does not run

 private:
  pid_t started(const std::vector<std::string>& words) {
    const pid_t parent = getpid(), child = fork();
    if (child != 0) return child;
    if (user_ && (setgid(*user_) != 0 || setuid(*user_) != 0)) _exit(126);
    // However the tests end, so does the server.
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    if (getppid() != parent) _exit(126);
    if (chdir(directory_.path().c_str()) != 0) _exit(126);
    const int output = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(output, 1);
    dup2(output, 2);
    std::vector<char*> arguments;
    std::vector<std::string> copies = words;
    for (std::string& word : copies) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    setenv("PATH", (programs_ + ":" + (std::getenv("PATH") ? std::getenv("PATH") : "")).c_str(), 1);
    execvp(arguments.front(), arguments.data());
    _exit(127);
  }
  static int finished(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string log() const {
    std::ostringstream text;
    text << std::ifstream(directory_.file("log")).rdbuf();
    return text.str();
  }

  TemporaryDirectory directory_;
  std::string programs_;
  std::optional<uid_t> user_;
  pid_t process_ = 0;
};

Server& server() {
  static Server only;
  return only;
}

}  // namespace

void StoreTest::SetUp() {
  if (GetParam() == Kind::Sqlite) return;
  if (!server().missing.empty()) GTEST_SKIP() << server().missing;
  ASSERT_EQ(server().fault, "");
}

std::string StoreTest::place(const std::string& name) {
  if (GetParam() == Kind::Sqlite) return directory_.file(name + ".sqlite");
  std::string& database = databases_[name];
  if (database.empty()) database = server().new_database("UTF8");
  return database;
}

void run_sql(const std::string& place, const std::string& sql) {
  if (place.starts_with("postgresql:")) {
    server().run_sql(place, sql);
    return;
  }
  sqlite3* connection = nullptr;
  sqlite3_open(place.c_str(), &connection);
  char* message = nullptr;
  const int code = sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, &message);
  const std::string text = message ? message : "";
  sqlite3_free(message);
  sqlite3_close(connection);
  if (code != SQLITE_OK) throw std::runtime_error(text);
}

std::string postgres_database(const std::string& encoding) {
  return server().missing.empty() ? server().new_database(encoding) : "";
}

}  // namespace hoist::store
