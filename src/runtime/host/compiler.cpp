// Builds host kernels just in time: the system's C++ compiler makes a shared library of a source, which the
// dynamic linker loads.
//
// Read `Compiler::compile` first. The source, the command line, the compiler's version and the processor
// together are a key. Where the cache (host/cache.hpp) has a library for the key, it is loaded; else
//
//   g++ -std=c++17 -O3 ... -march=native -fopenmp -shared kernel.cpp -o kernel.so
//
// makes one, which is loaded and stored; -S in place of -shared makes the assembly text of the same
// (`assembly`). An instruction set that was asked for takes the place of -march=native. Where the compiler
// refuses a source and an empty one, too, it may be for the flags: `drop_refused_flags` tries each that is
// only for speed, and the build is tried once more without those that it does not know. Otherwise `refused`
// tells a full disk, a killed compiler, and one that lacks what all kernels need (`needed_flag_refused`) from
// a bug of Hoist.
//
// `find` chooses the compiler. The functions at the top are about OpenMP's library, which belongs to the
// whole process: it must stay loaded because its threads do (`keep_openmp_loaded`), and it learns from the
// environment how its threads are to wait for each other, spinning or asleep (`opened`, `spin_count`).
#include "runtime/host/compiler.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <mutex>
#include <sstream>

#include "base/stopwatch.hpp"
#include "runtime/host/process.hpp"
#include "runtime/limits.hpp"

namespace hoist::runtime::host {

namespace {

// Results are compared with an interpreter's, so there is no fast-math. Two flags switch off errno and the
// trapping of floating-point exceptions, which changes no value. What is fused, the text says: compilers
// choose differently for a loop's vectors, its rest and its unrolled iterations.
constexpr const char* fixed_flags[] = {"-std=c++17",        "-O3",  "-fno-math-errno", "-fno-trapping-math",
                                       "-ffp-contract=off", "-fPIC"};
// Compilers that lack one of these build correct, slower kernels without it.
constexpr const char* openmp_flag = "-fopenmp";
// g++ takes vectors of half the width that processors of AVX-512 have, for the sake of old ones, which are
// slowed down by wide ones. On a newer one a bilateral filter is 1.4 times as fast, and other kernels as
// fast.
constexpr const char* speed_flags[] = {"-mprefer-vector-width=512", openmp_flag};
// g++ takes a fused operation for a call, and does not split a loop that has many by a condition: with the
// larger limit the edges of a stencil become vectors. The first flag has conditions become selections where
// vectors are made: molecular dynamics is 1.2 times as fast.
constexpr const char* gcc_flags[] = {"-ftree-loop-if-convert", "--param=max-unswitch-insns=100"};
constexpr const char* native_flag = "-march=native";
// The code is still scheduled for the processor where its instructions are restricted.
constexpr const char* native_schedule_flag = "-mtune=native";

constexpr const char* openmp_libraries[] = {"libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so"};

/// An OpenMP library keeps threads waiting in its code, so it must stay when the last kernel is unloaded.
void keep_openmp_loaded() {
  for (const char* library : openmp_libraries)
    dlopen(library, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD | RTLD_NODELETE);
}

bool is_openmp_loaded() {
  return std::any_of(std::begin(openmp_libraries), std::end(openmp_libraries), [](const char* library) {
    void* handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (handle) dlclose(handle);
    return handle != nullptr;
  });
}

// libgomp's threads wait for the others of a loop, and for the next loop, by spinning 300,000 times before
// they sleep. Where other processes use the processors, too, a thread that is waited for is not running, and
// spinning keeps it from running: a launch then takes 8 to 18 ms. Sleeping at once (OMP_WAIT_POLICY=passive)
// costs an idle machine 35 microseconds a launch instead of 1.5. Spinning 1000 times, as libgomp does by
// itself where it has more threads than processors, takes 1.5 there, and 0.1 to 0.9 ms on a busy one.
constexpr const char* spin_count = "GOMP_SPINCOUNT=1000";

bool says_how_to_wait() {
  for (const char* variable : {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"}) {
    if (std::getenv(variable)) return true;
  }
  return false;
}

/// Opens a library by dlopen. libgomp, which reads the environment when it is loaded, finds there how to
/// wait, unless the user said so. Whoever loaded it before keeps what they chose. The environment itself
/// belongs to the application that we may be part of, and its threads may be reading it: they see either the
/// environment or a copy with one entry more, and both stay.
void* opened(const std::string& path) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  if (is_openmp_loaded() || says_how_to_wait()) return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  static std::deque<std::vector<char*>> copies;
  std::vector<char*>& copy = copies.emplace_back();
  for (char** each = environ; each && *each; ++each) copy.push_back(*each);
  copy.push_back(const_cast<char*>(spin_count));
  copy.push_back(nullptr);
  char** const given = std::exchange(environ, copy.data());
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  environ = given;
  return handle;
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

/// Whether a compiler says that it failed by a fault of its own.
bool tells_own_fault(const std::string& log) {
  for (const char* words : {"internal compiler error", "PLEASE submit a bug report"}) {
    if (log.find(words) != std::string::npos) return true;
  }
  return false;
}

Result<void> write_text(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return {};
  return device_error(fmt::format("{} cannot be written: {}", path, std::strerror(errno)), {},
                      "free space on the disk, or name another directory in XDG_CACHE_HOME");
}

}  // namespace

Result<Library> Library::load(const std::string& path) {
  void* handle = opened(path);
  if (handle) {
    keep_openmp_loaded();
    return Library(handle);
  }
  const std::string why = dlerror();
  if (why.find("undefined symbol") != std::string::npos)
    return fail(ErrorKind::Bug, fmt::format("a host kernel cannot be loaded: {}", why));
  return device_error(
      fmt::format("a host kernel cannot be loaded: {}", why), {},
      "if its directory is mounted without permission to execute, name another in XDG_CACHE_HOME");
}

Library::~Library() {
  if (handle_) dlclose(handle_);
}

void* Library::symbol(const std::string& name) const { return dlsym(handle_, name.c_str()); }

Result<Compiler> Compiler::find(std::string processor, const target::InstructionSet* set) {
  Compiler compiler;
  const char* variable = std::getenv("CXX");
  std::istringstream words(variable ? variable : "");
  compiler.program_.assign(std::istream_iterator<std::string>(words), {});
  if (!compiler.program_.empty()) {
    auto path = find_program(compiler.program_.front());
    if (!path)
      return device_error(
          fmt::format("the C++ compiler {}, which CXX names, is not on PATH", compiler.program_.front()), {},
          "correct CXX or unset it");
    compiler.program_.front() = std::move(*path);
  } else {
    for (const char* name : {"c++", "g++", "clang++"}) {
      if (auto path = find_program(name)) {
        compiler.program_ = {std::move(*path)};
        break;
      }
    }
    if (compiler.program_.empty())
      return device_error(
          "no C++ compiler is on PATH (looked for c++, g++ and clang++)",
          "kernels for the device host are compiled by the system's compiler",
          "install one (Debian: g++) or name one in CXX; or use a device of OpenCL, which needs none "
          "(Debian: pocl-opencl-icd makes the processor one)");
  }
  auto question = compiler.program_;
  question.push_back("--version");
  auto version = run_process(question);
  if (!version) return tl::unexpected(std::move(version.error()));
  if (!version->succeeded())
    return device_error(fmt::format("`{}` failed", joined(question)), version->output,
                        "name a C++ compiler that works in CXX");
  compiler.version_ = version->output;
  compiler.processor_ = std::move(processor);
  compiler.flags_.assign(std::begin(fixed_flags), std::end(fixed_flags));
  if (set != nullptr) {
    compiler.flags_.emplace_back("-march=x86-64");
    for (const target::Extension& each : set->extensions) compiler.flags_.emplace_back(each.flag);
  }
  compiler.optional_flags_.emplace_back(set == nullptr ? native_flag : native_schedule_flag);
  compiler.optional_flags_.insert(compiler.optional_flags_.end(), std::begin(speed_flags),
                                  std::end(speed_flags));
  if (compiler.is_gcc())
    compiler.optional_flags_.insert(compiler.optional_flags_.end(), std::begin(gcc_flags),
                                    std::end(gcc_flags));
  return compiler;
}

std::string Compiler::description() const {
  const std::string first_line = version_.substr(0, version_.find('\n'));
  constexpr std::string_view clang = "clang version ";
  std::string text = first_line;
  if (const std::size_t at = first_line.find(clang); at != std::string::npos) {
    const std::size_t begin = at + clang.size();
    text = "clang " + first_line.substr(begin, first_line.find(' ', begin) - begin);
  } else if (is_gcc()) {
    // The line begins with the name that the program was called by, which says less.
    text = "gcc " + first_line.substr(first_line.rfind(' ') + 1);
  }
  for (std::size_t i = 1; i < program_.size(); ++i) text += " " + program_[i];
  return text;
}

bool Compiler::is_gcc() const { return version_.find("Free Software Foundation") != std::string::npos; }

bool Compiler::has_openmp() const {
  return std::find(optional_flags_.begin(), optional_flags_.end(), openmp_flag) != optional_flags_.end();
}

std::vector<std::string> Compiler::command_line(Product product, const std::string& source_path,
                                                const std::string& product_path) const {
  std::vector<std::string> command = program_;
  command.insert(command.end(), flags_.begin(), flags_.end());
  command.insert(command.end(), optional_flags_.begin(), optional_flags_.end());
  command.insert(command.end(),
                 {product == Product::Library ? "-shared" : "-S", source_path, "-o", product_path});
  return command;
}

std::string Compiler::key(const std::string& source) const {
  return fmt::format("{}\n{}\n{}\n\n{}", joined(command_line(Product::Library, "SOURCE", "LIBRARY")),
                     version_, processor_, source);
}

Result<Library> Compiler::build(const std::string& source, BuildFacts& facts) {
  const auto start = std::chrono::steady_clock::now();
  facts = {};
  auto library = compile(source, facts);
  facts.seconds = seconds_since(start);
  return library;
}

Result<Library> Compiler::compile(const std::string& source, BuildFacts& facts) {
  if (auto stored = cache_.find(key(source))) {
    // A library that does not load is damaged; building it again replaces it.
    if (auto library = Library::load(*stored)) {
      facts.from_cache = true;
      return library;
    }
  }
  auto staging = cache_.stage();
  if (!staging) return tl::unexpected(std::move(staging.error()));
  auto log = make(Product::Library, source, *staging);
  if (!log) return tl::unexpected(std::move(log.error()));
  facts.log += *log;
  auto library = Library::load(staging->file(file_name(Product::Library)));
  if (library) cache_.store(key(source), *staging, file_name(Product::Library));
  return library;
}

Result<std::string> Compiler::assembly(const std::string& source) {
  auto staging = cache_.stage();
  if (!staging) return tl::unexpected(std::move(staging.error()));
  auto log = make(Product::Assembly, source, *staging);
  if (!log) return tl::unexpected(std::move(log.error()));
  std::ifstream file(staging->file(file_name(Product::Assembly)));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

const char* Compiler::file_name(Product product) {
  return product == Product::Library ? "kernel.so" : "kernel.s";
}

/// Makes a file in the staging directory; what the compiler said.
Result<std::string> Compiler::make(Product product, const std::string& source,
                                   const StagingDirectory& staging) {
  const std::string source_path = staging.file("kernel.cpp");
  if (auto written = write_text(source_path, source); !written)
    return tl::unexpected(std::move(written.error()));
  for (;;) {
    auto outcome = run_process(command_line(product, source_path, staging.file(file_name(product))));
    if (!outcome) return tl::unexpected(std::move(outcome.error()));
    if (outcome->succeeded()) return outcome->output;
    if (takes_empty_source(staging)) return refused(source, *outcome, std::nullopt);
    if (!drop_refused_flags(staging)) return refused(source, *outcome, needed_flag_refused(staging));
  }
}

/// Whether the flags, as they are now, make a library of an empty source: if so, a failure is not for them.
bool Compiler::takes_empty_source(const StagingDirectory& staging) const {
  const std::string source_path = staging.file("probe.cpp");
  if (!write_text(source_path, "")) return false;
  const auto outcome = run_process(command_line(Product::Library, source_path, staging.file("probe.so")));
  return outcome && outcome->succeeded();
}

/// Tries each flag that may be missing on an empty source; true when one fell away, so that trying again
/// makes sense.
bool Compiler::drop_refused_flags(const StagingDirectory& staging) {
  const auto candidates = std::exchange(optional_flags_, {});
  const auto accepts = [&](std::vector<std::string> flags) {
    optional_flags_ = std::move(flags);
    return takes_empty_source(staging);
  };
  std::vector<std::string> accepted = candidates;
  // A compiler that fails without all of these flags does not fail because of them.
  if (accepts({})) std::erase_if(accepted, [&](const std::string& flag) { return !accepts({flag}); });
  optional_flags_ = accepted;
  return accepted.size() < candidates.size();
}

/// The first flag that kernels need and the compiler refuses an empty source for; empty where it takes none,
/// nothing where it is not for the flags.
std::optional<std::string> Compiler::needed_flag_refused(const StagingDirectory& staging) const {
  const std::string source_path = staging.file("probe.cpp");
  if (!write_text(source_path, "")) return std::nullopt;
  const auto accepts = [&](const std::string& flag) {
    std::vector<std::string> command = program_;
    if (!flag.empty()) command.push_back(flag);
    command.insert(command.end(), {"-S", source_path, "-o", staging.file("probe.s")});
    const auto outcome = run_process(command);
    return outcome && outcome->succeeded();
  };
  if (!accepts("")) return "";
  const auto refused = std::find_if_not(flags_.begin(), flags_.end(), accepts);
  return refused == flags_.end() ? std::nullopt : std::optional(*refused);
}

/// Why a build failed; `needed_flag` is what `needed_flag_refused` found.
tl::unexpected<Error> Compiler::refused(const std::string& source, const ProcessOutcome& outcome,
                                        const std::optional<std::string>& needed_flag) const {
  const std::string& log = outcome.output;
  const std::string command = joined(command_line(Product::Library, "kernel.cpp", "kernel.so"));
  if (log.find("No space left on device") != std::string::npos)
    return device_error("the disk is full: the compiler could not write a host kernel",
                        fmt::format("{}\n{}", command, log),
                        "free space, or name other directories in XDG_CACHE_HOME and TMPDIR");
  if (tells_own_fault(log))
    return device_error(
        fmt::format("the compiler {} failed on the source of a host kernel", program_.front()),
        fmt::format("{}\n{}\n{}", command, log, numbered(source)),
        "it is a fault of the compiler's: name another one, or a newer one, in CXX");
  if (outcome.signal != 0 || log.find("signal terminated program") != std::string::npos)
    return device_error("the compiler was ended by a signal while it built a host kernel",
                        fmt::format("{}\n{}", command, log), "check that there is enough memory to compile");
  if (needed_flag)
    return device_error(
        needed_flag->empty()
            ? fmt::format("the compiler {} cannot compile even an empty file", program_.front())
            : fmt::format("the compiler {} does not know {}, which kernels need", program_.front(),
                          *needed_flag),
        fmt::format("{}\n{}", command, log), "name a newer compiler in CXX: g++ or clang++");
  return fail(ErrorKind::Bug,
              fmt::format("the compiler {} refused the source of a host kernel", program_.front()),
              fmt::format("{}\n{}\n{}", command, log, numbered(source)));
}

}  // namespace hoist::runtime::host
