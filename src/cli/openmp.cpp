// hoist openmp: OpenMP C made into C whose loops run on a device. A program of its own does it, which needs
// Clang's libraries.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace hoist::cli {

namespace {

struct OpenmpOptions {
  std::string file, directory, target;
  std::vector<std::string> include, define;
  bool whole_program = false, force = false;
};

/// The program beside this one; otherwise its name alone, to be looked for on the path.
std::string translator() {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path beside = own.parent_path() / "hoist-openmp";
  return !error && std::filesystem::exists(beside) ? beside.string() : "hoist-openmp";
}

Status run(const OpenmpOptions& options, const std::vector<std::string>& further) {
  std::vector<std::string> words{translator(), options.file, "-o", options.directory};
  if (!options.target.empty()) words.insert(words.end(), {"--target", options.target});
  if (options.whole_program) words.emplace_back("--whole-program");
  if (options.force) words.emplace_back("--force");
  for (const std::string& each : options.include) words.insert(words.end(), {"-I", each});
  for (const std::string& each : options.define) words.insert(words.end(), {"-D", each});
  if (!further.empty()) words.emplace_back("--");
  words.insert(words.end(), further.begin(), further.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  if (errno == ENOENT) {
    throw_failure(ErrorKind::Unsupported,
                  "this Hoist was built without Clang's libraries, so it translates no OpenMP",
                  "hoist-openmp is neither beside hoist nor on the path",
                  "apt-get install libclang-14-dev, then configure and build Hoist again");
  }
  throw_failure(ErrorKind::Device, fmt::format("{} cannot be executed: {}", words[0], std::strerror(errno)));
}

}  // namespace

void add_openmp(CLI::App& app, Session& session) {
  auto options = std::make_shared<OpenmpOptions>();
  CLI::App* command = app.add_subcommand("openmp", "Make C whose loops run on a device of C with OpenMP");
  command->add_option("FILE", options->file, "A file of C: NAME.c")->required();
  command->add_option("-o,--output", options->directory, "The directory to write to; made if it is not there")
      ->required()
      ->option_text("DIR");
  command
      ->add_option("--target", options->target,
                   "What the kernels are written in: opencl or cuda; opencl by itself")
      ->option_text("LANGUAGE");
  command->add_flag("--whole-program", options->whole_program,
                    "No other file calls functions of this one: arrays may stay on the device between calls");
  command->add_option("-I,--include", options->include, "A folder of headers, as for gcc")
      ->option_text("DIR");
  command->add_option("-D,--define", options->define, "A macro, as for gcc")->option_text("NAME[=VALUE]");
  command->add_flag("--force", options->force, "Replace files");
  command->allow_extras();
  command->footer(
      "Writes FILE.c, FILE_kernels.h and the run time, hoist_openmp.h and hoist_openmp.c. What stays on the "
      "host is told,\n"
      "with the reason. Options of the compiler may stand behind --.\n\n"
      "Examples:\n"
      "  hoist openmp examples/openmp/gemm.c -o out\n"
      "  cc -O2 -Iexamples/openmp out/gemm.c out/hoist_openmp.c -o gemm -lOpenCL -lm\n"
      "  HOIST_STREAMS=1,8 HOIST_VERBOSE=1 ./gemm");
  command->callback([&session, options, command] {
    session.action = [options, command] { return run(*options, command->remaining()); };
  });
}

}  // namespace hoist::cli
