// Drives the reader of programs with texts that are almost, or not at all, programs:
//   fuzz_lang COUNT SEED
// Every text must be accepted or rejected with a message, within two seconds; what is accepted must print as
// text that reads back as the same term. A text that breaks this is printed.
#include <fmt/format.h>
#include <signal.h>  // NOLINT: sigaltstack is POSIX
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "ir/primitive.hpp"
#include "ir/print.hpp"
#include "lang/lang.hpp"

namespace hoist {
namespace {

using Clock = std::chrono::steady_clock;
using Random = std::mt19937_64;

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
#ifdef __SANITIZE_ADDRESS__
  constexpr std::int64_t longest_ms = 20'000;
#else
  constexpr std::int64_t longest_ms = 2'000;
#endif
  while (true) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const std::int64_t started = started_at_ms;
    if (started != 0 && now_ms() - started > longest_ms) {
      write_text("hang");
      std::_Exit(1);
    }
  }
}

// ---- Texts.
std::vector<std::string> read_corpus() {
  std::vector<std::string> texts{lang::prelude()};
  for (const char* folder : {"kernels", "tests/reject", "tests/programs"}) {
    const std::filesystem::path root = std::filesystem::path(HOIST_SOURCE_DIR) / folder;
    if (!std::filesystem::exists(root)) continue;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() == ".hoist") files.push_back(entry.path());
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

std::size_t below(Random& random, std::size_t bound) { return bound == 0 ? 0 : random() % bound; }

class Generator {
 public:
  explicit Generator(std::vector<std::string> corpus) : corpus_(std::move(corpus)) {
    for (const std::string& text : corpus_) pieces_.push_back(pieces_of(text));
    words_ = {"def ",
              "let ",
              " in ",
              "if ",
              " then ",
              " else ",
              "(",
              ")",
              "[",
              "]",
              ",",
              ":",
              "=",
              " => ",
              " |> ",
              " >> ",
              " + ",
              " - ",
              " * ",
              " / ",
              " % ",
              " ** ",
              "!",
              " && ",
              " || ",
              " < ",
              " == ",
              "?t",
              "? ",
              "0",
              "1",
              "2",
              "4",
              "3.5",
              "1f64",
              "2u8",
              "-1",
              "N",
              "M",
              "x",
              "f",
              "e",
              ".0",
              ".1",
              "[0]",
              "clamp",
              "mirror",
              "wrap",
              "id",
              "size",
              "f32",
              "i32",
              "f32x4",
              "[N]f32",
              "associative",
              "vectorize",
              "ceildiv",
              "exactdiv",
              "_",
              "\n",
              "99999999999999999999",
              "2147483647",
              "1e30",
              "inf",
              "nan",
              "//",
              "map2",
              "slide2"};
    for (const ir::Primitive& primitive : ir::all_primitives()) words_.emplace_back(primitive.name);
    for (const ScalarOpInfo& scalar : all_scalar_ops()) words_.emplace_back(scalar.name);
  }

  std::string text(Random& random) {
    switch (below(random, 8)) {
      case 0:
        return file(random);
      case 1:  // rarely: these are long
        return below(random, 5) == 0 ? repetition(random) : mutation(random);
      case 2:
        return bytes(random, corpus_[below(random, corpus_.size())]);
      default:
        return mutation(random);
    }
  }

 private:
  const std::string& word(Random& random) { return words_[below(random, words_.size())]; }

  std::string mutation(Random& random) {
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
          *place = word(random);
          break;
        case 2:
          pieces.insert(place, word(random));
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

  static std::string bytes(Random& random, std::string text) {
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

  /// Deep and long texts.
  std::string repetition(Random& random) {
    const std::size_t sizes[] = {10, 100, 499, 1000, 20'000};
    const std::size_t count = sizes[below(random, std::size(sizes))];
    const auto times = [&](const std::string& piece) {
      std::string result;
      for (std::size_t index = 0; index < count; ++index) result += piece;
      return result;
    };
    switch (below(random, 12)) {
      case 0:
        return "def f(x: f32) = " + times("(") + "x" + times(")");
      case 1:
        return "def f(x: f32) = x" + times(" + x * x");
      case 2:
        return "def f(x: [N]f32) = x" + times(" |> map(e => e + 1.0)");
      case 3:
        return "def f(x: f32) = " + times("-") + "x";
      case 4:
        return "def f(x: " + times("[N]") + "f32) = x" + times("[0]");
      case 5:
        return "def f(x: [N]f32) = " + times("let y = x in ") + "y";
      case 6:
        return "def f(x: f32) = " + times("(x, ") + "x" + times(")");
      case 7:
        return "def f(x: [N]f32) = x |> " + times("map(") + "abs" + times(")");
      case 8: {  // definitions that double the work, or the type, at each step
        const char* bodies[] = {"(x, x)", "x + x", "concat(x, x)", "zip(x, x)", "let y = x in (y, y)"};
        const std::string body = bodies[below(random, std::size(bodies))];
        std::string result = "def d0(x) = " + body + "\n";
        const std::size_t depth = 2 + below(random, 60);
        for (std::size_t index = 1; index < depth; ++index) {
          result += fmt::format("def d{}(x) = d{}(d{}(x))\n", index, index - 1, index - 1);
        }
        return result + fmt::format("def f(x: [N]f32) = d{}(x)", depth - 1);
      }
      case 9: {  // sizes that grow
        const char* steps[] = {"n * n",  "n + n", "n * n + 1",     "(n + 1) * (n + 2)",
                               "n ** 2", "n / 2", "min(n, n / 3)", "ceildiv(n, 7) * n"};
        const std::string step = steps[below(random, std::size(steps))];
        std::string result = "def s0(n: size, x) = split(n, x)\n";
        const std::size_t depth = 2 + below(random, 40);
        for (std::size_t index = 1; index < depth; ++index) {
          result += fmt::format("def s{}(n: size, x) = s{}({}, x)\n", index, index - 1, step);
        }
        return result + fmt::format("def f(x: [N]f32) = s{}(N, x)", depth - 1);
      }
      case 10:
        return "def f(x: [" + times("N + ") + "1]f32) = x";
      default:
        return "def f(x: f32) = " + times("if x > 0.0 then ") + "x" + times(" else x");
    }
  }

  // ---- Texts from a grammar: well-formed, rarely well-typed.
  std::string file(Random& random) {
    std::string result;
    const std::size_t count = 1 + below(random, 4);
    for (std::size_t index = 0; index < count; ++index) {
      const bool is_typed = index + 1 == count || below(random, 2) == 0;
      const auto parameter = [&](const char* name) {
        return is_typed ? fmt::format("{}: {}", name, type(random, 3)) : std::string(name);
      };
      result +=
          fmt::format("def f{}({}, {}) = {}\n", index, parameter("x"), parameter("y"), expression(random, 6));
    }
    return result;
  }
  std::string type(Random& random, int depth) {
    switch (depth == 0 ? below(random, 3) : below(random, 8)) {
      case 0:
      case 1:
        return "f32";
      case 2:
        return below(random, 2) == 0 ? "i32" : "f32x4";
      case 3:
        return fmt::format("({}, {})", type(random, depth - 1), type(random, depth - 1));
      default:
        return fmt::format("[{}]{}", size(random, 2), type(random, depth - 1));
    }
  }
  std::string size(Random& random, int depth) {
    constexpr const char* leaves[] = {"N", "M", "4", "2", "16", "?t"};
    constexpr const char* operators[] = {"+", "-", "*", "/", "%"};
    if (depth == 0 || below(random, 3) > 0) return leaves[below(random, std::size(leaves))];
    if (below(random, 4) == 0) {
      constexpr const char* functions[] = {"min", "max", "ceildiv", "exactdiv"};
      return fmt::format("{}({}, {})", functions[below(random, std::size(functions))],
                         size(random, depth - 1), size(random, depth - 1));
    }
    return fmt::format("({} {} {})", size(random, depth - 1), operators[below(random, std::size(operators))],
                       size(random, depth - 1));
  }
  std::string function(Random& random, int depth) {
    constexpr const char* names[] = {"+",    "*",        "id", "abs", "transpose",
                                     "join", "split(4)", "f0", "sum", "max"};
    switch (depth <= 0 ? 0 : below(random, 6)) {
      case 0:
        return names[below(random, std::size(names))];
      case 1:
        return fmt::format("map({})", function(random, depth - 1));
      case 2:
        return fmt::format("(a, b) => {}", expression(random, depth - 1));
      case 3:
        return fmt::format("toLocal({})", function(random, depth - 1));
      default:
        return fmt::format("e => {}", expression(random, depth - 1));
    }
  }
  std::string expression(Random& random, int depth) {
    constexpr const char* leaves[] = {"x", "y", "e", "a", "b", "1.0", "2", "N", "0.5", "x[0]"};
    if (depth <= 0) return leaves[below(random, std::size(leaves))];
    const auto inner = [&] { return expression(random, depth - 1 - static_cast<int>(below(random, 2))); };
    const auto callee = [&] { return function(random, depth - 1 - static_cast<int>(below(random, 2))); };
    switch (below(random, 18)) {
      case 0:
        return fmt::format("({} + {})", inner(), inner());
      case 1:
        return fmt::format("{} * {}", inner(), inner());
      case 2:
        return fmt::format("({} |> map({}))", inner(), callee());
      case 3:
        return fmt::format("({} |> reduce({}, {}))", inner(), callee(), inner());
      case 4:
        return fmt::format("zip({}, {})", inner(), inner());
      case 5:
        return fmt::format("(let a = {} in {})", inner(), inner());
      case 6:
        return fmt::format("(if {} > 0 then {} else {})", inner(), inner(), inner());
      case 7:
        return fmt::format("({} |> split({}))", inner(), size(random, 1));
      case 8:
        return fmt::format("join({})", inner());
      case 9:
        return fmt::format("({}, {})", inner(), inner());
      case 10:
        return fmt::format("{}[{}]", inner(), inner());
      case 11:
        return fmt::format("f0({}, {})", inner(), inner());
      case 12:
        return fmt::format("({} |> slide({}, 1) |> map({}))", inner(), size(random, 1), callee());
      case 13:
        return fmt::format("({} |> pad(1, {}, {}))", inner(), size(random, 1),
                           below(random, 2) == 0 ? "clamp" : inner());
      case 14:
        return fmt::format("iterate(3, {}, {})", callee(), inner());
      case 15:
        return fmt::format("generate({}, {})", size(random, 1), callee());
      case 16:
        return fmt::format("({} |> mapWrg({}) |> asVector(4))", inner(), callee());
      default:
        return leaves[below(random, std::size(leaves))];
    }
  }

  std::vector<std::string> corpus_;
  std::vector<std::vector<std::string>> pieces_;
  std::vector<std::string> words_;
};

/// Whether the text was accepted; ends the process when something is wrong.
bool try_text(const std::string& text) {
  current_text = text;
  started_at_ms = now_ms();
  const auto give_up = [](const std::string& reason) {
    write_text(reason.c_str());
    std::exit(1);
  };
  bool is_accepted = false;
  try {
    const ir::Arena arena;
    const Source source{"fuzz", text};
    const auto program = lang::parse_program(source);
    if (!program) {
      if (program.error().diagnostics.empty()) give_up("rejected without a message");
      if (program.error().render(&source).empty()) give_up("an empty message");
    } else {
      is_accepted = true;
      const Source printed{"printed", ir::to_string(*program)};
      const auto again = lang::parse_program(printed);
      if (!again) give_up("does not read back: " + again.error().render(&printed) + "\n" + printed.text);
      if (again->function != program->function) give_up("reads back as another term: " + printed.text);
    }
  } catch (const std::exception& error) {
    give_up(fmt::format("exception: {}", error.what()));
  }
  started_at_ms = 0;
  return is_accepted;
}

int run(std::uint64_t count, std::uint64_t seed) {
  install_handlers();
  std::thread(watch).detach();
  Generator generator(read_corpus());
  fmt::print("seed {}\n", seed);
  const auto begin = Clock::now();
  std::uint64_t accepted = 0;
  for (std::uint64_t number = 0; number < count; ++number) {
    current_number = number;
    // Each text has a seed of its own, so that one can be made again alone.
    Random random(seed * 1'000'003 + number);
    if (try_text(generator.text(random))) ++accepted;
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

}  // namespace
}  // namespace hoist

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "-") {  // one text, to look at a finding
    std::ifstream in(argv[2]);
    std::stringstream text;
    text << in.rdbuf();
    return hoist::try_text(text.str()) ? 0 : 1;
  }
  const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2'000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  return hoist::run(count, seed);
}
