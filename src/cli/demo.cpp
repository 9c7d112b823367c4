// hoist demo: Hoist's main job on an example, command after command, as a user would give them.
#include <fmt/format.h>

#include <filesystem>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/program_file.hpp"
#include "cli/run_program.hpp"

namespace hoist::cli {

namespace {

struct DemoOptions {
  std::string directory = "hoist-demo";
  std::string budget = "20s";
};

constexpr const char* step_text =
    R"(// 5-point Jacobi step in two dimensions: the mean of an element and its four neighbours; the border is
// repeated outside.
def jacobi2d5(u: [H][W]f32): [H][W]f32 =
  u |> pad2(1, 1, clamp) |> slide2(3, 1)
    |> map2(n => 0.2 * (n[1][1] + n[0][1] + n[2][1] + n[1][0] + n[1][2]))
)";

constexpr const char* plate_text =
    R"(// A plate at 20 degrees with a hot disc and a cold bar.
def plate(n: [N]f32): [N][N]f32 =
  generate(N, i => generate(N, j =>
    let y = f32(i) / f32(N) - 0.4
    let x = f32(j) / f32(N) - 0.3
    if x * x + y * y < 0.02 then 95.0
    else if i > N / 2 && j > 3 * N / 4 then 4.0
    else 20.0))
)";

/// A command of hoist, and what it shows.
struct DemoStep {
  std::string title;
  std::vector<std::string> words;
};

std::vector<DemoStep> demo_steps(const DemoOptions& options) {
  return {
      {"The devices here", {"devices"}},
      {"The kernel that Hoist makes of the program for a 2048 x 2048 plate",
       {"compile", "jacobi2d5.hoist", "H=2048", "W=2048"}},
      {"An input: 2048 x 2048 temperatures, made by a Hoist program too",
       {"run", "plate.hoist", "N=2048", "n=random:1", "-o", "plate.npy"}},
      {"The run, checked element by element against the program's meaning",
       {"run", "jacobi2d5.hoist", "u=plate.npy", "--verify", "--repeat", "20", "-o", "next.npy"}},
      {fmt::format("The search for a faster kernel, {} of it", options.budget),
       {"tune", "jacobi2d5.hoist", "u=plate.npy", "--budget", options.budget, "--store", "store.sqlite",
        "--report", "report.html"}},
  };
}

/// Writes the programs, unless they are there; what the user has under their names stays.
void write_programs(const std::filesystem::path& directory) {
  const std::vector<NamedText> programs{{"jacobi2d5.hoist", step_text}, {"plate.hoist", plate_text}};
  for (const NamedText& each : programs) {
    const std::filesystem::path path = directory / each.name;
    if (std::filesystem::exists(path) && read_text_file(path.string()) != each.text)
      throw_user(fmt::format("{} is there, and is not the demo's", path.string()), {},
                 "name another directory: hoist demo DIR");
  }
  write_text_files(directory.string(), programs, true);
}

Status demo(const DemoOptions& options) {
  write_programs(options.directory);
  std::filesystem::current_path(options.directory);
  print(fmt::format("# The program: one step of heat flow on a plate, jacobi2d5.hoist\n{}\n", step_text));
  for (const DemoStep& step : demo_steps(options)) {
    print(fmt::format("# {}\n$ hoist {}\n", step.title, joined(step.words, " ")));
    std::vector<std::string> words{"/proc/self/exe"};
    words.insert(words.end(), step.words.begin(), step.words.end());
    const std::optional<int> status = run_program(words);
    if (status != done) return static_cast<Status>(status.value_or(bug));
    print("\n");
  }
  print(
      fmt::format("All files are in {0}, the page about the search is {0}/report.html. What next: hoist help "
                  "run, hoist help\ntune, the programs of kernels/ and docs/language.md.\n",
                  options.directory));
  return done;
}

}  // namespace

void add_demo(CLI::App& app, Session& session) {
  auto options = std::make_shared<DemoOptions>();
  CLI::App* command = app.add_subcommand(
      "demo", "Show the main job on an example: a program, its kernel, a run, the search for a faster one");
  command
      ->add_option("DIR", options->directory,
                   "The directory for its files, made if it is not there (hoist-demo)")
      ->option_text(" ");
  command->add_option("--budget", options->budget, "How long to search (20s)")->option_text("TIME");
  command->footer(
      "Each command is shown before it runs.\n\n"
      "Examples:\n"
      "  hoist demo\n"
      "  hoist demo elsewhere --budget 2m");
  command->callback([&session, options] { session.action = [options] { return demo(*options); }; });
}

}  // namespace hoist::cli
