// hoist openmp: OpenMP C made into C whose loops run on a device. A program of its own does it, which needs
// Clang's libraries.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/openmp_check.hpp"
#include "cli/output.hpp"
#include "cli/run_program.hpp"

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

/// A folder for what the programs are checked with, which is gone when this is.
class ScratchFolder {
 public:
  ScratchFolder() : path_((std::filesystem::temp_directory_path() / "hoist-openmp-XXXXXX").string()) {
    if (!mkdtemp(path_.data()))
      throw_failure(ErrorKind::Device, fmt::format("{} cannot be made: {}", path_, std::strerror(errno)));
  }
  ~ScratchFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Status run(const OpenmpOptions& options, const std::vector<std::string>& further) {
  const ScratchFolder checks;
  std::vector<std::string> words{translator(),      options.file, "-o",
                                 options.directory, "--checks",   checks.path()};
  if (!options.target.empty()) words.insert(words.end(), {"--target", options.target});
  if (options.whole_program) words.emplace_back("--whole-program");
  if (options.force) words.emplace_back("--force");
  for (const std::string& each : options.include) words.insert(words.end(), {"-I", each});
  for (const std::string& each : options.define) words.insert(words.end(), {"-D", each});
  if (!further.empty()) words.emplace_back("--");
  words.insert(words.end(), further.begin(), further.end());
  const std::optional<int> status = run_program(words);
  if (!status)
    throw_failure(
        ErrorKind::Unsupported, "the program that translates OpenMP is not installed",
        "hoist-openmp is neither beside hoist nor on the path",
        "install the package hoist-openmp; or, where Hoist was built from its source, libclang-14-dev, "
        "and build it again");
  if (*status != 0) return static_cast<Status>(*status);
  check_offers(checks.path());
  return done;
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
      "with the reason. A loop that Hoist's language can say becomes DIR/FILE_loopN.hoist, too, which is "
      "compared with "
      "the\nloop on random inputs; hoist tune makes it fast. Options of the compiler may stand behind --.\n\n"
      "Examples:\n"
      "  hoist openmp examples/openmp/gemm.c -o out\n"
      "  cc -O2 -Iexamples/openmp out/gemm.c out/hoist_openmp.c -o gemm -lOpenCL -lm\n"
      "  HOIST_STREAMS=1,8 HOIST_VERBOSE=1 ./gemm");
  command->callback([&session, options, command] {
    session.action = [options, command] { return run(*options, command->remaining()); };
  });
}

}  // namespace hoist::cli
