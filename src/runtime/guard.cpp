// How a worker process is started, asked, watched and ended; guard.hpp says what for.
//
// A worker finds three things open: a channel, which is one end of a pair of Unix sockets, as descriptor 3;
// memory that it shares with the parent, as descriptor 4; and a file in memory as standard output and error,
// the end of which the parent quotes when the worker dies. On the channel go messages, each behind its
// length in 8 bytes:
//
//   parent (Worker::ask)                            worker (serve)
//     send_message(request)          ->               receive_message
//     receive_message                <-               send_message(answer(request))
//
// The parent's end does not block. While nothing comes, `ask` polls it, and about every 20 ms it looks at
// the time limit, at whether the answer is still wanted, and at the resident memory of the worker and its
// children.
//
// No worker outlives its parent. It leads a process group, in which are the compilers that it starts; the
// parent ends the group as a whole. Where the parent itself ends, the system sends the worker SIGTERM
// (PR_SET_PDEATHSIG), and `end_group` ends the group from within.
//
// Read `Worker::start` and `Worker::ask`, then `died`, which tells a crash from a shortage of memory, then
// `serve`.
#include "runtime/guard.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>

#include "runtime/limits.hpp"

extern char** environ;

namespace hoist::runtime {

namespace {

using Clock = std::chrono::steady_clock;

// The descriptors that a worker finds open beside the standard three.
constexpr int worker_channel = 3;
constexpr int worker_memory = 4;

/// How often a worker that computes is looked after.
constexpr std::chrono::milliseconds watch_interval{20};

/// Adds up the resident bytes of a process and of those that it started, as far as the system tells.
std::size_t resident_bytes(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/statm", process));
  std::size_t total = 0, resident = 0;
  status >> total >> resident;
  resident *= static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::ifstream children(fmt::format("/proc/{}/task/{}/children", process, process));
  for (pid_t child = 0; children >> child;) resident += resident_bytes(child);
  return resident;
}

/// Copies a descriptor to a number that is not in the way of those that a worker's descriptors get.
int moved_away(int descriptor) {
  constexpr int first = 16;
  return fcntl(descriptor, F_DUPFD_CLOEXEC, first);
}

/// Starts a program by posix_spawn. `give` says which descriptors it gets, of which this holds copies until
/// it is destroyed.
class Spawn {
 public:
  Spawn() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    // The worker gets a process group of its own: a signal from the terminal is for the one who asks, and the
    // whole group can be ended.
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  ~Spawn() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
    for (const int each : opened_) close(each);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  void give(int descriptor, int number) {
    opened_.push_back(moved_away(descriptor));
    posix_spawn_file_actions_adddup2(&actions_, opened_.back(), number);
  }
  /// Returns 0, or the error number that says why the program was not started.
  int start(pid_t& process, const std::string& program, const std::vector<std::string>& arguments) {
    std::vector<char*> words{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    return posix_spawn(&process, program.c_str(), &actions_, &attributes_, words.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  std::vector<int> opened_;
};

/// Transfers all bytes over a channel that does not block; `wait` says whether to go on when it would.
/// Returns 0 when all went, ECONNRESET where the other side is gone, ECANCELED when `wait` said no. Receiving
/// a message also gives EBADMSG, where its length makes no sense.
template <class Transfer, class Wait>
int transfer_all(std::size_t bytes, Transfer&& transfer, Wait&& wait) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count = transfer(done);
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (!wait()) return ECANCELED;
    } else if (count == 0 || errno != EINTR) {
      return ECONNRESET;
    }
  }
  return 0;
}

template <class Wait>
int send_message(int channel, std::string_view message, Wait&& wait) {
  const std::uint64_t bytes = message.size();
  std::string framed(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  framed += message;
  return transfer_all(
      framed.size(),
      [&](std::size_t done) {
        return send(channel, framed.data() + done, framed.size() - done, MSG_NOSIGNAL);
      },
      wait);
}

template <class Wait>
int receive_message(int channel, std::string& message, Wait&& wait) {
  const auto receive = [&](char* to, std::size_t bytes) {
    return transfer_all(
        bytes, [&](std::size_t done) { return recv(channel, to + done, bytes - done, 0); }, wait);
  };
  std::uint64_t bytes = 0;
  if (const int failure = receive(reinterpret_cast<char*>(&bytes), sizeof bytes)) return failure;
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  if (bytes > most) return EBADMSG;
  message.resize(bytes);
  return receive(message.data(), message.size());
}

}  // namespace

Result<Worker> Worker::start(const WorkerOptions& options) {
  const auto failed = [&](int error) {
    return device_error(fmt::format("a worker process cannot be started: {}", std::strerror(error)),
                        "its program is " + options.program);
  };
  auto output = SharedMemory::create();
  if (!output) return tl::unexpected(output.error());
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return failed(errno);
  Worker worker;
  worker.channel_ = ends[0];
  worker.output_ = std::move(*output);
  worker.memory_ = options.memory;
  worker.is_cancelled_ = options.is_cancelled;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  Spawn spawn;
  spawn.give(worker.output_.descriptor(), STDOUT_FILENO);
  spawn.give(worker.output_.descriptor(), STDERR_FILENO);
  spawn.give(ends[1], worker_channel);
  if (options.shared) spawn.give(options.shared->descriptor(), worker_memory);
  const int failure = spawn.start(worker.process_, options.program, options.arguments);
  close(ends[1]);
  if (failure == 0) return worker;
  worker.process_ = 0;
  return failed(failure);
}

Worker::Worker(Worker&& other) noexcept { *this = std::move(other); }

Worker& Worker::operator=(Worker&& other) noexcept {
  std::swap(process_, other.process_);
  std::swap(channel_, other.channel_);
  std::swap(output_, other.output_);
  std::swap(memory_, other.memory_);
  std::swap(is_cancelled_, other.is_cancelled_);
  return *this;
}

Worker::~Worker() {
  end();
  if (channel_ >= 0) close(channel_);
}

/// A process in the midst of a call of its driver may take a while to go. One that never does is left behind.
void Worker::end() {
  if (process_ <= 0) return;
  kill(-process_, SIGKILL);
  constexpr int most_waits = 500;
  for (int waits = 0; waitpid(process_, nullptr, WNOHANG) == 0 && waits < most_waits; ++waits)
    std::this_thread::sleep_for(std::chrono::milliseconds(waits < 100 ? 1 : 20));
  process_ = 0;
}

std::string Worker::last_words() const {
  constexpr std::size_t most = 1000;
  struct stat status {};
  if (fstat(output_.descriptor(), &status) != 0) return {};
  const auto bytes = static_cast<std::size_t>(status.st_size);
  std::string text(std::min(bytes, most), '\0');
  if (!output_.read(bytes - text.size(), std::as_writable_bytes(std::span(text)))) return {};
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.empty() ? "" : "; it printed: " + text;
}

Reply Worker::ended(Ending ending, std::string words) {
  end();
  return {ending, std::move(words) + last_words()};
}

/// The other end of the channel is closed: tells how the worker ended.
Reply Worker::died() {
  siginfo_t how{};
  // The worker is not reaped before its group is ended: until then nothing else can get its number.
  const auto limit = Clock::now() + std::chrono::seconds(5);
  while (waitid(P_PID, static_cast<id_t>(process_), &how, WEXITED | WNOWAIT | WNOHANG) == 0 &&
         how.si_pid == 0 && Clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (how.si_pid == 0) return ended(Ending::Crashed, "the worker process closed its connection");
  if (how.si_code == CLD_EXITED)
    return ended(Ending::Crashed, fmt::format("the worker process ended with exit status {}", how.si_status));
  if (how.si_status == SIGKILL)
    return ended(Ending::OutOfMemory,
                 "the worker process was killed, probably by the system because memory ran out");
  return ended(Ending::Crashed, fmt::format("the worker process was ended by signal {} ({})", how.si_status,
                                            strsignal(how.si_status)));
}

Reply Worker::ask(std::string_view request, double seconds) {
  if (!is_alive()) return {Ending::Crashed, "the worker process has ended"};
  // What it printed before was about something else.
  if (ftruncate(output_.descriptor(), 0) == 0) lseek(output_.descriptor(), 0, SEEK_SET);
  const auto limit = Clock::now() + std::chrono::duration<double>(seconds);
  Reply reply;
  auto next_look = Clock::now() + watch_interval;
  const auto wait_for = [&](short event) {
    return [this, &reply, &next_look, limit, seconds, event] {
      pollfd wanted{channel_, event, 0};
      poll(&wanted, 1, static_cast<int>(watch_interval.count()));
      const auto now = Clock::now();
      const bool is_cancelled = is_cancelled_ && *is_cancelled_;
      if (is_cancelled) reply = ended(Ending::Cancelled, "the answer was no longer needed");
      if (!is_cancelled && now > limit)
        reply = ended(Ending::TimedOut, fmt::format("no answer within {:.3g} s", seconds));
      if (is_alive() && memory_ > 0 && now > next_look) {
        next_look = now + watch_interval;
        if (const std::size_t bytes = resident_bytes(process_); bytes > memory_)
          reply = ended(Ending::OutOfMemory,
                        fmt::format("the worker process used {} of memory, more than its limit of {}",
                                    bytes_text(bytes), bytes_text(memory_)));
      }
      return is_alive();
    };
  };
  int failure = send_message(channel_, request, wait_for(POLLOUT));
  if (failure == 0) failure = receive_message(channel_, reply.text, wait_for(POLLIN));
  if (failure == EBADMSG)
    return ended(Ending::Crashed, "the worker process gave an answer that cannot be read");
  return failure == ECONNRESET ? died() : reply;
}

// ---- In the worker

namespace {

/// Ends this process and all that it started; only itself where it leads no group, as Worker starts one.
extern "C" void end_group(int) { kill(getpgrp() == getpid() ? 0 : getpid(), SIGKILL); }

}  // namespace

int serve(const std::function<std::string(const std::string& request)>& answer) {
  // When the one who asks is gone, compilers that this one started must go too; it leads their group.
  struct sigaction action {};
  action.sa_handler = end_group;
  sigaction(SIGTERM, &action, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  for (const int number : {SIGINT, SIGHUP, SIGQUIT, SIGPIPE}) signal(number, SIG_IGN);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // Nothing that is started here may keep the channel open.
  fcntl(worker_channel, F_SETFD, FD_CLOEXEC);
  fcntl(worker_memory, F_SETFD, FD_CLOEXEC);
  const auto never = [] { return true; };
  for (std::string request; receive_message(worker_channel, request, never) == 0;) {
    if (send_message(worker_channel, answer(request), never) != 0) break;
  }
  // The one who asks is gone, which the channel may tell before the signal does. Threads of drivers and
  // kernels may still run in what leaving properly would destroy.
  std::fflush(nullptr);
  end_group(SIGTERM);
  _exit(0);
}

SharedMemory shared_by_parent() { return SharedMemory::inherited(worker_memory); }

}  // namespace hoist::runtime
