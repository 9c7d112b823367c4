// hoist new: a folder with a program to begin with, data for it, and scripts that run it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/npy.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "driver/inputs.hpp"
#include "lang/lang.hpp"

namespace hoist::cli {

namespace {

/// A program to begin with. NAME stands for the name that the user gives.
struct Beginning {
  std::string_view kind, program;
  driver::NamedSizes sizes;  ///< of the data
  std::map<std::string, driver::InputRange> ranges;
  std::string_view arguments;  ///< of the inputs that are no arrays: "rate=0.2"
  int steps;                   ///< how often it is run on its own results; 0: once
};

const std::vector<Beginning>& beginnings() {
  static const std::vector<Beginning> all = {
      {"stencil",
       R"(// A step of the heat equation on a plate: each cell moves towards the mean of its four neighbours,
// at a rate of at most 0.25. The border is repeated outside.
def NAME(u: [H][W]f32, rate: f32): [H][W]f32 =
  u |> pad2(1, 1, clamp) |> slide2(3, 1)
    |> map2(n => n[1][1] + rate * (n[0][1] + n[2][1] + n[1][0] + n[1][2] - 4.0 * n[1][1]))
)",
       {{"H", 64}, {"W", 64}},
       {{"u", {0, 100}}},
       "rate=0.2",
       100},
      {"product",
       R"(// The product of two matrices.
def NAME(A: [M][K]f32, B: [K][N]f32): [M][N]f32 =
  A |> map(row => transpose(B) |> map(column => dotProduct(row, column)))
)",
       {{"M", 64}, {"K", 48}, {"N", 32}},
       {},
       "",
       0},
      {"reduction",
       R"(// The largest absolute value of x, and where it is first.
def NAME(x: [N]f32): (f32, i32) =
  zip(x, iota(N))
    |> map((e, i) => (abs(e), i))
    |> reduce(associative(commutative(neutral(
      (a, b) => if a.0 > b.0 || (a.0 == b.0 && a.1 < b.1) then a else b, (-1.0, N)))), (-1.0, N))
)",
       {{"N", 10000}},
       {},
       "",
       0},
  };
  return all;
}

std::vector<std::string> names_of_kinds() {
  std::vector<std::string> names;
  for (const Beginning& each : beginnings()) names.emplace_back(each.kind);
  return names;
}

struct NewOptions {
  std::string name;
  std::string kind = "stencil";
  bool json = false;
};

std::string replaced(std::string text, std::string_view word, std::string_view by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
    text.replace(at, word.size(), by);
  return text;
}

/// The program under the name, which must be one of the language that a definition may have.
ir::Program named_program(const Beginning& beginning, const std::string& name) {
  const auto is_part = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_';
  };
  const bool is_digit_first = !name.empty() && name.front() >= '0' && name.front() <= '9';
  if (name.empty() || is_digit_first || !std::all_of(name.begin(), name.end(), is_part))
    throw_user(fmt::format("'{}' cannot be the name of a program", name), {},
               "a name has letters, digits and _, and begins with a letter; the folder has it, too");
  auto program = lang::parse_program({name, replaced(std::string(beginning.program), "NAME", name)});
  if (!program)
    throw_user(fmt::format("'{}' cannot be the name of this program: {}", name,
                           program.error().diagnostics.front().message),
               {}, "choose another name");
  return *program;
}

std::string npy_text(const Tensor& tensor) {
  std::string text = npy_header(tensor);
  text.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  return text;
}

/// `arguments` are those of the command line, each with a blank before it.
std::string shell_script(const std::string& name, const std::string& arguments, int steps,
                         const std::string& results) {
  const std::string run = fmt::format("hoist run {}.hoist{}", name, arguments);
  return fmt::format(
      R"sh(#!/bin/sh
# Runs the program on its data, searches a faster kernel for as long as is said, and runs that.
set -e
cd "$(dirname "$0")"
hoist check {0}.hoist
{1}{2} --verify -o {4}
hoist tune {0}.hoist{3} --budget "${{1:-10s}}"
{1} --verify --repeat 10
)sh",
      name, run, steps > 0 ? fmt::format(" --steps {}", steps) : "", arguments, results);
}

/// `arguments` are those of the call.
std::string python_script(const std::string& name, const std::vector<std::string>& arrays,
                          const std::string& arguments, int steps) {
  std::string loads;
  for (const std::string& array : arrays)
    loads += fmt::format("{0} = numpy.load(here / \"{0}.npy\")\n", array);
  return fmt::format(
      R"("""Runs the program on its data."""
import pathlib

import hoist
import numpy

here = pathlib.Path(__file__).resolve().parent
program = hoist.load(here / "{0}.hoist")
{1}print(program({2}{3}))
# Searches a faster kernel for arrays like these: print(program.tune({2}, budget="10s"))
)",
      name, loads, arguments, steps > 0 ? fmt::format(", steps={}", steps) : "");
}

Status make(const NewOptions& options) {
  const auto beginning = std::find_if(beginnings().begin(), beginnings().end(),
                                      [&](const Beginning& each) { return each.kind == options.kind; });
  const std::string& name = options.name;
  const ir::Program program = named_program(*beginning, name);
  if (std::filesystem::exists(std::filesystem::symlink_status(name)))
    throw_user(fmt::format("{} exists", name), {}, "choose another name: nothing is ever replaced");

  const arith::Bindings sizes = driver::bindings_of(program, beginning->sizes);
  constexpr std::uint64_t seed = 1;
  const std::vector<Data> inputs = need(driver::random_inputs(program, sizes, seed, beginning->ranges));
  std::vector<NamedText> files{{name + ".hoist", replaced(std::string(beginning->program), "NAME", name)}};
  std::vector<std::string> arrays;
  std::string beside, here;  // the commands' arguments, from outside of the folder and inside
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string& input = program.parameters[i].name;
    if (!ir::is_array(program.parameters[i].type)) continue;
    arrays.push_back(input);
    files.push_back({input + ".npy", npy_text(inputs[i].front())});
    beside += fmt::format(" {0}={1}/{0}.npy", input, name);
    here += fmt::format(" {0}={0}.npy", input);
  }
  if (!beginning->arguments.empty()) {
    beside += fmt::format(" {}", beginning->arguments);
    here += fmt::format(" {}", beginning->arguments);
  }
  std::vector<std::string> call = arrays;
  if (!beginning->arguments.empty()) call.emplace_back(beginning->arguments);
  const std::size_t count = ir::leaves(program.result()).size();
  const std::string results = count == 1 ? "result.npy" : numbered_paths("result", count);
  files.push_back({"run.sh", shell_script(name, here, beginning->steps, results)});
  files.push_back({"run.py", python_script(name, arrays, joined(call), beginning->steps)});
  const std::vector<std::string> paths = write_text_files(name, files, false);

  const std::vector<std::string> next = {
      fmt::format("hoist run {0}/{0}.hoist{1} --verify", name, beside),
      fmt::format("hoist tune {0}/{0}.hoist{1} --budget 10s", name, beside),
      fmt::format("python3 {}/run.py", name),
  };
  if (options.json) {
    print_json(Json{{"written", paths}, {"next", next}});
  } else {
    print(fmt::format("wrote {}\nnext:\n  {}\n", joined(paths), joined(next, "\n  ")));
  }
  return done;
}

}  // namespace

void add_new(CLI::App& app, Session& session) {
  auto options = std::make_shared<NewOptions>();
  CLI::App* command =
      app.add_subcommand("new", "Begin a program: a folder with its text, data, and scripts that run it");
  command->add_option("NAME", options->name, "The name of the program and of the folder, which is made")
      ->required()
      ->option_text(" ");
  command
      ->add_option("--kind", options->kind,
                   "What to begin with: " + alternatives(names_of_kinds()) + " (stencil)")
      ->check(CLI::IsMember(names_of_kinds()))
      ->option_text("KIND");
  command->add_flag("--json", options->json, "Print the facts as JSON");
  command->footer(
      "Prints three commands that run what was written. docs/cookbook.md has programs to put in its "
      "place.\n\n"
      "Examples:\n"
      "  hoist new plate\n"
      "  hoist new gram --kind product");
  command->callback([&session, options] { session.action = [options] { return make(*options); }; });
}

}  // namespace hoist::cli
