// Drives the reader of programs with texts that are almost, or not at all, programs:
//   fuzz_lang COUNT SEED
// Every text must be accepted or rejected with a message, within two seconds; what is accepted must print as
// text that reads back as the same term, and stay that term when it is formatted. What parses must stay as it
// is when it is formatted twice. A text that breaks this is printed.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "fuzz/harness.hpp"
#include "ir/primitive.hpp"
#include "ir/print.hpp"
#include "lang/lang.hpp"

namespace hoist {
namespace {

using fuzz::below;
using fuzz::Random;

std::vector<std::string> corpus() {
  std::vector<std::string> texts{lang::prelude()};
  for (std::string& each : fuzz::read_corpus({"kernels", "tests/reject", "tests/programs"}, ".hoist"))
    texts.push_back(std::move(each));
  return texts;
}

std::vector<std::string> words_of_the_language() {
  std::vector<std::string> words = {"def ",
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
  for (const ir::Primitive& primitive : ir::all_primitives()) words.emplace_back(primitive.name);
  for (const ScalarOpInfo& scalar : all_scalar_ops()) words.emplace_back(scalar.name);
  return words;
}

class Generator {
 public:
  std::string text(Random& random) {
    switch (below(random, 8)) {
      case 0:
        return file(random);
      case 1:  // rarely: these are long
        return below(random, 5) == 0 ? repetition(random) : mutator_.mutation(random);
      case 2:
        return mutator_.bytes(random);
      default:
        return mutator_.mutation(random);
    }
  }

 private:
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

  fuzz::Mutator mutator_{corpus(), words_of_the_language()};
};

/// The formatted text, or nothing where the text does not parse.
std::optional<Source> formatted(const Source& source) {
  const auto once = lang::formatted(source);
  if (!once) {
    if (once.error().render(&source).empty()) fuzz::give_up("an empty message of the formatter");
    return std::nullopt;
  }
  Source result{"formatted", *once};
  const auto twice = lang::formatted(result);
  if (!twice || *twice != *once)
    fuzz::give_up("formatted twice is something else than formatted once: " + *once);
  return result;
}

bool is_accepted(const std::string& text) {
  const ir::Arena arena;
  const Source source{"fuzz", text};
  const std::optional<Source> laid_out = formatted(source);
  const auto program = lang::parse_program(source);
  if (!program) {
    if (program.error().diagnostics.empty()) fuzz::give_up("rejected without a message");
    if (program.error().render(&source).empty()) fuzz::give_up("an empty message");
    return false;
  }
  const Source printed{"printed", ir::to_string(*program)};
  const auto again = lang::parse_program(printed);
  if (!again) fuzz::give_up("does not read back: " + again.error().render(&printed) + "\n" + printed.text);
  if (again->function != program->function) fuzz::give_up("reads back as another term: " + printed.text);
  const auto same = lang::parse_program(laid_out.value());
  if (!same || same->function != program->function)
    fuzz::give_up("formatted is another term: " + laid_out->text);
  return true;
}

}  // namespace
}  // namespace hoist

int main(int argc, char** argv) {
  hoist::Generator generator;
  return hoist::fuzz::run(
      argc, argv, [&](hoist::fuzz::Random& random) { return generator.text(random); }, hoist::is_accepted);
}
