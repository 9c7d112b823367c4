#include "fuzz/harness.hpp"

#include <fmt/format.h>
#include <signal.h>  // NOLINT: sigaltstack is POSIX
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "support/sanitized.hpp"

namespace hoist::fuzz {
namespace {

// ---- What is being read, for the watchdog and the signal handler.
std::string current_text;                    // NOLINT
std::atomic<std::uint64_t> current_number;   // NOLINT
std::atomic<std::int64_t> started_at_ms{0};  // NOLINT: 0 while nothing is being read

/// Of processor time: on a busy machine a clock on the wall says little.
std::int64_t now_ms() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000 + 1;
}

/// Only calls that are safe in a signal handler.
void write_text(const char* reason) {
  const auto put = [](const char* text, std::size_t size) {
    if (write(STDERR_FILENO, text, size) < 0) std::_Exit(2);
  };
  put("\n==== ", 6);
  put(reason, std::strlen(reason));
  put(" on this text:\n", 15);
  put(current_text.data(), current_text.size());
  put("\n====\n", 6);
}

extern "C" void on_signal(int signal_number) {
  write_text(signal_number == SIGSEGV ? "segmentation fault (stack overflow?)" : "crash");
  std::_Exit(1);
}

void install_handlers() {
  // A stack of its own: an overflow leaves none to run on.
  static std::vector<char> stack(1U << 16U);
  stack_t alternative{};
  alternative.ss_sp = stack.data();
  alternative.ss_size = stack.size();
  sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  for (int signal_number : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL}) {
    sigaction(signal_number, &action, nullptr);
  }
}

[[noreturn]] void watch() {
  constexpr std::int64_t longest_ms = is_sanitized ? 20'000 : 2'000;
  while (true) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const std::int64_t started = started_at_ms;
    if (started != 0 && now_ms() - started > longest_ms) {
      write_text("hang");
      std::_Exit(1);
    }
  }
}

bool is_word(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
         byte == '_' || byte == '.';
}

/// Words, blanks and symbols; put together they are the text again.
std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin + 1;
    if (is_word(text[begin])) {
      while (end < text.size() && is_word(text[end])) ++end;
    }
    pieces.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return pieces;
}

}  // namespace

std::size_t below(Random& random, std::size_t bound) { return bound == 0 ? 0 : random() % bound; }

std::vector<std::string> read_corpus(const std::vector<std::string>& folders, const std::string& ending) {
  std::vector<std::string> texts;
  for (const std::string& folder : folders) {
    const std::filesystem::path root = std::filesystem::path(HOIST_SOURCE_DIR) / folder;
    if (!std::filesystem::exists(root)) continue;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() == ending) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());  // the same texts for the same seed
    for (const auto& file : files) {
      std::ifstream in(file);
      std::stringstream text;
      text << in.rdbuf();
      texts.push_back(text.str());
    }
  }
  return texts;
}

Mutator::Mutator(std::vector<std::string> corpus, std::vector<std::string> words)
    : corpus_(std::move(corpus)), words_(std::move(words)) {
  for (const std::string& text : corpus_) pieces_.push_back(pieces_of(text));
}

std::string Mutator::mutation(Random& random) const {
  std::vector<std::string> pieces = pieces_[below(random, pieces_.size())];
  const std::size_t changes = 1 + below(random, 1 + below(random, 12));
  for (std::size_t change = 0; change < changes && !pieces.empty(); ++change) {
    const std::size_t at = below(random, pieces.size());
    const auto place = pieces.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(random, 7)) {
      case 0:
        pieces.erase(place);
        break;
      case 1:
        *place = words_[below(random, words_.size())];
        break;
      case 2:
        pieces.insert(place, words_[below(random, words_.size())]);
        break;
      case 3:
        std::swap(*place, pieces[below(random, pieces.size())]);
        break;
      case 4: {  // a piece of another file
        const auto& other = pieces_[below(random, pieces_.size())];
        const std::size_t begin = below(random, other.size());
        const std::size_t count = std::min(other.size() - begin, 1 + below(random, 40));
        const auto first = other.begin() + static_cast<std::ptrdiff_t>(begin);
        pieces.insert(place, first, first + static_cast<std::ptrdiff_t>(count));
        break;
      }
      case 5: {  // the same again
        const std::size_t count = std::min(pieces.size() - at, 1 + below(random, 20));
        const std::vector<std::string> again(place, place + static_cast<std::ptrdiff_t>(count));
        pieces.insert(place, again.begin(), again.end());
        break;
      }
      default:
        *place = pieces[below(random, pieces.size())];
    }
  }
  std::string result;
  for (const std::string& piece : pieces) result += piece;
  return result;
}

std::string Mutator::bytes(Random& random) const {
  std::string text = corpus_[below(random, corpus_.size())];
  const std::size_t changes = 1 + below(random, 8);
  for (std::size_t change = 0; change < changes && !text.empty(); ++change) {
    const std::size_t at = below(random, text.size());
    switch (below(random, 3)) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, 1 + below(random, 10));
        break;
      default:
        text.insert(at, 1, static_cast<char>(random()));
    }
  }
  return text;
}

void give_up(const std::string& reason) {
  write_text(reason.c_str());
  std::exit(1);
}

namespace {

/// Reads a text under the watch.
bool try_text(const std::string& text, const std::function<bool(const std::string&)>& is_accepted) {
  current_text = text;
  started_at_ms = now_ms();
  bool accepted = false;
  try {
    accepted = is_accepted(text);
  } catch (const std::exception& error) {
    give_up(fmt::format("exception: {}", error.what()));
  }
  started_at_ms = 0;
  return accepted;
}

}  // namespace

int run(int argc, char** argv, const std::function<std::string(Random&)>& text_of,
        const std::function<bool(const std::string&)>& is_accepted) {
  if (argc == 3 && std::string(argv[1]) == "-") {  // one text, to look at a finding
    std::ifstream in(argv[2]);
    std::stringstream text;
    text << in.rdbuf();
    return try_text(text.str(), is_accepted) ? 0 : 1;
  }
  const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2'000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  install_handlers();
  std::thread(watch).detach();
  fmt::print("seed {}\n", seed);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  std::uint64_t accepted = 0;
  for (std::uint64_t number = 0; number < count; ++number) {
    // Each text has a seed of its own, so that one can be made again alone.
    Random random(seed * 1'000'003 + number);
    if (try_text(text_of(random), is_accepted)) ++accepted;
    if (number % 100'000 == 99'999) {
      fmt::print("{} texts, {} accepted\n", number + 1, accepted);
      std::fflush(stdout);
    }
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  fmt::print("{} texts in {:.1f} s ({:.0f} a second), {} accepted; no crash, no hang\n", count, seconds,
             static_cast<double>(count) / seconds, accepted);
  return 0;
}

}  // namespace hoist::fuzz
