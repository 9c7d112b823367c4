// hoist-openmp: OpenMP C to C whose loops run on a device. `hoist openmp` executes it.
#include <clang/AST/ASTConsumer.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/Tooling.h>
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "openmp/runtime_text.hpp"
#include "openmp/translator.hpp"

namespace hoist::openmp {

namespace {

using namespace clang;

constexpr const char* usage =
    R"(Usage: hoist openmp FILE.c -o DIR [options] [-I DIR] [-D NAME[=VALUE]] [-- further options of the compiler]

Makes C of OpenMP C: loops that are shared out run on a device through OpenCL (or CUDA), cut into tasks that are moved and
computed at the same time. DIR gets FILE.c, FILE_kernels.h, hoist_openmp.h and hoist_openmp.c; build them with
  cc -I (where FILE.c was) DIR/FILE.c DIR/hoist_openmp.c -lOpenCL -lm
What cannot be translated stays in place, and is told with the reason. A loop that Hoist's language can say is written as
DIR/FILE_loopN.hoist, too.

Options:
  -o DIR             where to write; made if it is not there
  --target LANGUAGE  opencl (the usual) or cuda: what the kernels are written in
  --whole-program    no other file calls functions of this one: arrays may stay on the device between calls
  --force            replace files
  -h, --help         print this and leave
)";

struct Options {
  std::string file, directory;
  TranslationOptions translation;
  bool force = false;
  std::string checks;  ///< a folder for what `hoist openmp` checks the programs of Hoist with; or empty
  std::vector<std::string> compiler;
};

struct Wrong {
  std::string message, hint;
};

Options read_options(int argc, char** argv) {
  Options options;
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&](const char* what) {
      if (i + 1 == words.size()) throw Wrong{word + " needs " + what, "hoist openmp --help describes it"};
      return words[++i];
    };
    if (word == "-h" || word == "--help") {
      std::fputs(usage, stdout);
      std::exit(0);
    } else if (word == "-o" || word == "--output") {
      options.directory = value("a directory");
    } else if (word == "--target") {
      const std::string language = value("a language");
      if (language != "opencl" && language != "cuda")
        throw Wrong{"'" + language + "' is no language for kernels", "give opencl or cuda"};
      options.translation.language = language == "cuda" ? Language::Cuda : Language::OpenCL;
    } else if (word == "--whole-program") {
      options.translation.is_whole_program = true;
    } else if (word == "--checks") {
      options.checks = value("a directory");
    } else if (word == "--force") {
      options.force = true;
    } else if (word == "--") {
      options.compiler.insert(options.compiler.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                              words.end());
      break;
    } else if (word.size() >= 2 && word[0] == '-' && (word[1] == 'I' || word[1] == 'D' || word[1] == 'U')) {
      options.compiler.push_back(word);
      if (word.size() == 2) options.compiler.push_back(value("a value"));
    } else if (word.size() > 1 && word[0] == '-') {
      throw Wrong{"openmp takes no '" + word + "'",
                  "hoist openmp --help describes what it takes; options of the compiler stand behind --"};
    } else if (options.file.empty()) {
      options.file = word;
    } else {
      throw Wrong{"more than one file is given: '" + options.file + "' and '" + word + "'",
                  "translate one file at a time"};
    }
  }
  if (options.file.empty()) throw Wrong{"no file is given", "hoist openmp FILE.c -o DIR"};
  if (options.directory.empty())
    throw Wrong{"no directory to write to is given", "hoist openmp " + options.file + " -o DIR"};
  if (!std::filesystem::is_regular_file(options.file))
    throw Wrong{"there is no file '" + options.file + "'", "give a file of C"};
  if (std::filesystem::path(options.file).extension() != ".c")
    throw Wrong{"'" + options.file + "' is no file of C", "its name must end in .c"};
  return options;
}

/// Where the file's first #include stands.
class IncludeFinder : public PPCallbacks {
 public:
  IncludeFinder(const SourceManager& sources, SourceLocation& first) : sources_(sources), first_(first) {}
  void InclusionDirective(SourceLocation hash, const Token&, StringRef, bool, CharSourceRange,
                          const FileEntry*, StringRef, StringRef, const Module*,
                          SrcMgr::CharacteristicKind) override {
    if (first_.isInvalid() && sources_.isInMainFile(hash)) first_ = hash;
  }

 private:
  const SourceManager& sources_;
  SourceLocation& first_;
};

class Action : public ASTFrontendAction {
 public:
  Action(const Options& options, Translation& result, std::vector<std::string>& messages)
      : options_(options), result_(result), messages_(messages) {}

 protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& compiler, StringRef) override {
    compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<IncludeFinder>(compiler.getSourceManager(), first_include_));
    return std::make_unique<ASTConsumer>();
  }
  void EndSourceFileAction() override {
    CompilerInstance& compiler = getCompilerInstance();
    if (compiler.getDiagnostics().hasErrorOccurred()) return;
    Rewriter rewriter(compiler.getSourceManager(), compiler.getLangOpts());
    result_ =
        translate(compiler.getASTContext(), rewriter, std::filesystem::path(options_.file).stem().string(),
                  first_include_, options_.translation);
    for (const Told& each : result_.told) {
      const PresumedLoc place =
          compiler.getSourceManager().getPresumedLoc(compiler.getSourceManager().getExpansionLoc(each.where));
      const std::string where =
          place.isValid() ? fmt::format("{}:{}:{}", place.getFilename(), place.getLine(), place.getColumn())
                          : options_.file;
      static constexpr const char* kinds[] = {": stays on the host: ", ": note: ", ": no program of Hoist: "};
      messages_.push_back(where + kinds[each.kind] + each.text);
    }
  }

 private:
  const Options& options_;
  Translation& result_;
  std::vector<std::string>& messages_;
  SourceLocation first_include_;
};

class Factory : public tooling::FrontendActionFactory {
 public:
  Factory(const Options& options, Translation& result, std::vector<std::string>& messages)
      : options_(options), result_(result), messages_(messages) {}
  std::unique_ptr<FrontendAction> create() override {
    return std::make_unique<Action>(options_, result_, messages_);
  }

 private:
  const Options& options_;
  Translation& result_;
  std::vector<std::string>& messages_;
};

void write_file(const std::filesystem::path& path, const std::string& text, bool force) {
  if (!force && std::filesystem::exists(path))
    throw Wrong{"'" + path.string() + "' is there already", "give --force to replace it"};
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw Wrong{"'" + path.string() + "' cannot be written", "choose another directory with -o"};
}

/// The kernels as lines of C.
std::string kernels_header(const Translation& translation, const std::string& stem) {
  std::string text = "/* The kernels of " + stem +
                     ".c, which the device's compiler builds. */\nstatic const char *const " +
                     identifier(stem) + "_kernels[] = {\n";
  std::istringstream lines(translation.kernels);
  for (std::string line; std::getline(lines, line);) {
    std::string quoted;
    for (const char c : line) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    text += "  \"" + quoted + "\\n\",\n";
  }
  return text + "  NULL};\n";
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

/// What `hoist openmp` checks the programs with: a file of C for each, and all about them in checks.json.
void write_checks(const Options& options, const std::vector<Offer>& offers) {
  const std::filesystem::path folder = options.checks;
  std::string list;
  for (const Offer& each : offers) {
    write_file(folder / (each.name + ".c"), each.check, true);
    std::string sizes, trials, below, words;
    for (const std::string& word : options.compiler) words += (words.empty() ? "" : ", ") + quoted(word);
    for (const std::string& size : each.sizes) sizes += (sizes.empty() ? "" : ", ") + quoted(size);
    for (const auto& trial : each.trials)
      trials += fmt::format("{}[{}]", trials.empty() ? "" : ", ", fmt::join(trial, ", "));
    for (const auto& [array, size] : each.below)
      below += fmt::format("{}{}: {}", below.empty() ? "" : ", ", quoted(array), quoted(size));
    list += fmt::format(
        "{}{{\"program\": {}, \"place\": {}, \"source\": {}, \"sizes\": [{}], \"trials\": [{}], \"below\": "
        "{{{}}}, \"options\": [{}]}}",
        list.empty() ? "" : ",\n ",
        quoted((std::filesystem::path(options.directory) / (each.name + ".hoist")).string()),
        quoted(each.place), quoted((folder / (each.name + ".c")).string()), sizes, trials, below, words);
  }
  write_file(folder / "checks.json", "[" + list + "]\n", true);
}

int run(int argc, char** argv) {
  Options options = read_options(argc, argv);
  options.translation.file = std::filesystem::absolute(options.file).string();
  options.translation.directory = options.directory;
  std::vector<std::string> flags = {"-fopenmp", "-fsyntax-only", "-w", "-resource-dir=" HOIST_CLANG_RESOURCES,
                                    "-idirafter" HOIST_GCC_HEADERS};
  flags.insert(flags.end(), options.compiler.begin(), options.compiler.end());
  const tooling::FixedCompilationDatabase database(".", flags);
  tooling::ClangTool tool(database, {options.file});
  Translation translation;
  std::vector<std::string> messages;
  Factory factory(options, translation, messages);
  if (tool.run(&factory) != 0) return 1;  // Clang has said why.
  for (const std::string& each : messages) fmt::print(stderr, "{}\n", each);

  const std::filesystem::path directory = options.directory;
  const std::string stem = std::filesystem::path(options.file).stem().string();
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    throw Wrong{"the directory '" + options.directory + "' cannot be made: " + error.message(),
                "choose another with -o"};
  write_file(directory / (stem + ".c"), translation.source, options.force);
  std::string written = (directory / (stem + ".c")).string();
  if (translation.translated > 0) {
    write_file(directory / (stem + "_kernels.h"), kernels_header(translation, stem), options.force);
    written += ", " + stem + "_kernels.h";
  }
  for (const Offer& each : translation.offers)
    write_file(directory / (each.name + ".hoist"), each.text, options.force);
  if (!options.checks.empty()) write_checks(options, translation.offers);
  // The run time is the same for all files that are translated into one directory.
  write_file(directory / "hoist_openmp.h", runtime_header(), true);
  write_file(directory / "hoist_openmp.c", runtime_source(), true);
  fmt::print("{} of {} loops go to the device; wrote {}, hoist_openmp.h and hoist_openmp.c\n",
             translation.translated, translation.loops, written);
  return 0;
}

}  // namespace

}  // namespace hoist::openmp

int main(int argc, char** argv) {
  try {
    return hoist::openmp::run(argc, argv);
  } catch (const hoist::openmp::Wrong& wrong) {
    fmt::print(stderr, "error: {}\n  {}\n", wrong.message, wrong.hint);
    return 1;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "bug: {}\n  This is a fault of Hoist, not of your program.\n", failure.what());
    return 3;
  }
}
