#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/devices.hpp"
#include "runtime/host/cache.hpp"
#include "runtime/host/compiler.hpp"
#include "runtime/host/instruction_set.hpp"
#include "runtime/host/process.hpp"
#include "runtime/host/processor.hpp"
#include "support.hpp"

namespace hoist::runtime::host {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace runtime::testing;

constexpr const char* answer_source = R"(
#include <cstddef>
extern "C" void answer(void* const* arguments, const std::size_t*) { *static_cast<int*>(arguments[0]) = 42; }
)";

/// A cache of the test's own, and the system's compiler.
class HostCompiler : public ::testing::Test {
 protected:
  Result<int> answer_of(Compiler& compiler) {
    auto library = compiler.build(answer_source, facts);
    if (!library) return tl::unexpected(library.error());
    auto function = reinterpret_cast<void (*)(void* const*, const std::size_t*)>(library->symbol("answer"));
    int answer = 0;
    void* arguments[] = {&answer};
    const std::size_t range[6] = {1, 1, 1, 1, 1, 1};
    function(arguments, range);
    return answer;
  }
  Compiler found_compiler() {
    auto compiler = Compiler::find("test processor");
    if (!compiler) throw std::runtime_error(compiler.error().render());
    return std::move(*compiler);
  }
  /// A compiler that writes down its arguments, does what `body` says, and then what g++ does.
  std::string wrapper(const std::string& body) {
    return directory.script("compiler", "#!/bin/sh\necho \"$@\" >> " + directory.file("calls") + "\n" + body +
                                            "\nexec " + *find_program("g++") + " \"$@\"\n");
  }
  std::size_t calls(const char* source = "kernel.cpp") {
    std::ifstream file(directory.file("calls"));
    std::size_t lines = 0;
    for (std::string line; std::getline(file, line);) lines += line.find(source) != std::string::npos;
    return lines;
  }

  TemporaryDirectory directory, cache_home;
  ScopedVariable cache{"XDG_CACHE_HOME", cache_home.path()};
  BuildFacts facts;
};

TEST_F(HostCompiler, TakesTheSecondBuildFromTheCache) {
  const ScopedVariable cxx("CXX", wrapper(""));
  Compiler compiler = found_compiler();
  EXPECT_EQ(answer_of(compiler).value_or(0), 42);
  EXPECT_FALSE(facts.from_cache);
  EXPECT_GT(facts.seconds, 0);
  EXPECT_EQ(answer_of(compiler).value_or(0), 42);
  EXPECT_TRUE(facts.from_cache);
  Compiler another = found_compiler();
  EXPECT_EQ(answer_of(another).value_or(0), 42);
  EXPECT_TRUE(facts.from_cache);
  EXPECT_EQ(calls(), 1u);
  EXPECT_EQ(cache_home.count(".so"), 1u);
  EXPECT_EQ(cache_home.count(".key"), 1u);
  EXPECT_EQ(cache_home.count(".cpp"), 0u) << "a staging directory was left";
}

TEST_F(HostCompiler, PrintsTheAssemblyOfWhatItBuilds) {
  const ScopedVariable cxx("CXX", wrapper(""));
  Compiler compiler = found_compiler();
  const auto text = compiler.assembly(answer_source);
  ASSERT_TRUE(text.has_value()) << text.error().render();
  EXPECT_THAT(*text, HasSubstr("answer:"));
  EXPECT_THAT(*text, HasSubstr("$42"));
  EXPECT_EQ(cache_home.count(".so"), 0u);
  EXPECT_EQ(cache_home.count(".s"), 0u) << "a staging directory was left";
  const auto refused = compiler.assembly("no C++");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::Bug);
}

TEST_F(HostCompiler, AnotherProcessorHasOtherEntries) {
  Compiler first = found_compiler();
  EXPECT_EQ(answer_of(first).value_or(0), 42);
  auto second = Compiler::find("another processor");
  ASSERT_TRUE(succeeded(second));
  EXPECT_EQ(answer_of(*second).value_or(0), 42);
  EXPECT_FALSE(facts.from_cache);
  EXPECT_EQ(cache_home.count(".so"), 2u);
}

TEST_F(HostCompiler, ReplacesADamagedEntry) {
  {
    Compiler compiler = found_compiler();
    EXPECT_EQ(answer_of(compiler).value_or(0), 42);
  }
  for (const auto& entry : std::filesystem::directory_iterator(cache_home.file("hoist"))) {
    if (entry.path().extension() == ".so") std::ofstream(entry.path(), std::ios::trunc) << "cut off";
  }
  Compiler compiler = found_compiler();
  EXPECT_EQ(answer_of(compiler).value_or(0), 42);
  EXPECT_FALSE(facts.from_cache);
  EXPECT_EQ(answer_of(compiler).value_or(0), 42);
  EXPECT_TRUE(facts.from_cache);
}

// Cut off behind its first pages a library may load, and end the process when what is missing is touched.
TEST_F(HostCompiler, ReplacesALibraryThatWasCutOffOrChanged) {
  Compiler compiler = found_compiler();
  EXPECT_EQ(answer_of(compiler).value_or(0), 42);
  const auto damaged = [&](const std::function<void(const std::filesystem::path&)>& damage) {
    for (const auto& entry : std::filesystem::directory_iterator(cache_home.file("hoist"))) {
      if (entry.path().extension() == ".so") damage(entry.path());
    }
    EXPECT_EQ(answer_of(compiler).value_or(0), 42);
    EXPECT_FALSE(facts.from_cache);
    EXPECT_EQ(answer_of(compiler).value_or(0), 42);
    EXPECT_TRUE(facts.from_cache) << "it was stored anew";
  };
  for (const std::uintmax_t kept : {0, 1000, 4096, 8192}) {
    SCOPED_TRACE(kept);
    damaged(
        [&](const auto& path) { std::filesystem::resize_file(path, std::min(kept, file_size(path) - 1)); });
  }
  damaged([](const auto& path) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('?');
  });
}

TEST_F(HostCompiler, AnEqualHashDoesNoHarm) {
  Compiler compiler = found_compiler();
  EXPECT_EQ(answer_of(compiler).value_or(0), 42);
  for (const auto& entry : std::filesystem::directory_iterator(cache_home.file("hoist"))) {
    if (entry.path().extension() == ".key") std::ofstream(entry.path(), std::ios::app) << "// another source";
  }
  EXPECT_EQ(answer_of(compiler).value_or(0), 42);
  EXPECT_FALSE(facts.from_cache);
}

TEST_F(HostCompiler, WorksWithoutACacheDirectory) {
  for (const std::string& unusable : {std::string("/proc/no-such-place"), std::string("/dev/null")}) {
    const ScopedVariable nowhere("XDG_CACHE_HOME", unusable);
    const ScopedVariable temporary("TMPDIR", directory.path());
    Compiler compiler = found_compiler();
    for (int repetition = 0; repetition < 2; ++repetition) {
      EXPECT_EQ(answer_of(compiler).value_or(0), 42);
      EXPECT_FALSE(facts.from_cache);
    }
    EXPECT_EQ(directory.count(".so"), 0u) << "a staging directory was left";
  }
}

TEST_F(HostCompiler, DoesNotUseADirectoryThatOthersCanWrite) {
  std::filesystem::create_directories(cache_home.file("hoist"));
  std::filesystem::permissions(cache_home.file("hoist"), std::filesystem::perms::all);
  Compiler compiler = found_compiler();
  for (int repetition = 0; repetition < 2; ++repetition) {
    EXPECT_EQ(answer_of(compiler).value_or(0), 42);
    EXPECT_FALSE(facts.from_cache);
  }
  EXPECT_EQ(cache_home.count(".so"), 0u);
}

TEST_F(HostCompiler, NeedsADirectoryToBuildIn) {
  const ScopedVariable nowhere("XDG_CACHE_HOME", "/proc/no-such-place");
  const ScopedVariable temporary("TMPDIR", "/proc/no-such-place");
  Compiler compiler = found_compiler();
  const auto answer = answer_of(compiler);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(answer.error()), HasSubstr("/proc/no-such-place"));
  EXPECT_THAT(text_of(answer.error()), HasSubstr("TMPDIR"));
}

TEST_F(HostCompiler, RemovesStagingDirectoriesThatWereAbandoned) {
  namespace fs = std::filesystem;
  for (const char* name : {"hoist/stage.oldone", "hoist/stage.newone"}) {
    fs::create_directories(cache_home.file(name));
    std::ofstream(cache_home.file(name) + "/kernel.cpp") << "int x;";
  }
  fs::permissions(cache_home.file("hoist"), fs::perms::owner_all);
  fs::last_write_time(cache_home.file("hoist/stage.oldone"),
                      fs::file_time_type::clock::now() - std::chrono::hours(48));
  found_compiler();
  EXPECT_FALSE(fs::exists(cache_home.file("hoist/stage.oldone")));
  EXPECT_TRUE(fs::exists(cache_home.file("hoist/stage.newone")));
}

TEST_F(HostCompiler, ACacheThatIsFullLosesWhatWasNotUsedForLongest) {
  namespace fs = std::filesystem;
  const auto stored = [](const Cache& to, const std::string& key) {
    const auto staging = to.stage();
    ASSERT_TRUE(staging);
    std::ofstream(staging->file("kernel.so")) << std::string(1000, 'x');
    to.store(key, *staging, "kernel.so");
  };
  const Cache roomy;
  for (const char* key : {"a", "b", "c", "d", "e"}) stored(roomy, key);
  for (const auto& entry : fs::directory_iterator(cache_home.file("hoist")))
    fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_TRUE(roomy.find("b")) << "which is a use";
  EXPECT_TRUE(Cache(100000).find("a")) << "there is room";
  EXPECT_FALSE(Cache(5000).find("other"));
  EXPECT_EQ(cache_home.count(".so"), 5u) << "it was looked at a moment ago";
  fs::last_write_time(cache_home.file("hoist/tidied"),
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  const Cache smaller(5000);
  EXPECT_TRUE(smaller.find("a"));
  EXPECT_TRUE(smaller.find("b"));
  EXPECT_FALSE(smaller.find("c") && smaller.find("d") && smaller.find("e"));
  stored(smaller, "c");
  EXPECT_TRUE(smaller.find("c")) << "and it goes on";
}

TEST_F(HostCompiler, ProcessesShareTheCache) {
  constexpr int processes = 4;
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Compiler compiler = found_compiler();
      _exit(answer_of(compiler).value_or(0));
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 42);
  }
  EXPECT_EQ(cache_home.count(".so"), 1u);
  Compiler compiler = found_compiler();
  EXPECT_EQ(answer_of(compiler).value_or(0), 42);
  EXPECT_TRUE(facts.from_cache);
}

TEST_F(HostCompiler, BuildsWithoutOpenmpWhereThereIsNone) {
  const ScopedVariable cxx("CXX", wrapper("case \"$*\" in *-fopenmp*) echo no OpenMP >&2; exit 1;; esac"));
  Compiler compiler = found_compiler();
  EXPECT_TRUE(compiler.has_openmp());
  EXPECT_EQ(answer_of(compiler).value_or(0), 42);
  EXPECT_FALSE(compiler.has_openmp());
  EXPECT_EQ(answer_of(compiler).value_or(0), 42);
  EXPECT_TRUE(facts.from_cache);
  std::ifstream file(directory.file("calls"));
  std::string last, line;
  while (std::getline(file, line))
    if (line.find("kernel.cpp") != std::string::npos) last = line;
  EXPECT_THAT(last, HasSubstr("-march=native"));
}

TEST_F(HostCompiler, ABrokenSourceCostsNoFlags) {
  const ScopedVariable cxx("CXX", wrapper(""));
  Compiler compiler = found_compiler();
  const auto library = compiler.build("int f() { return no_such_name; }", facts);
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().kind, ErrorKind::Bug);
  EXPECT_THAT(text_of(library.error()), HasSubstr("no_such_name"));
  EXPECT_THAT(text_of(library.error()), HasSubstr("   1 | int f()"));
  EXPECT_THAT(text_of(library.error()), HasSubstr("-fno-math-errno"));
  EXPECT_TRUE(compiler.has_openmp());
  EXPECT_EQ(calls(), 1u);
  EXPECT_EQ(calls("probe.cpp"), 1u) << "an empty source is taken, so it is not for the flags";
}

TEST_F(HostCompiler, AnUndefinedFunctionIsABug) {
  Compiler compiler = found_compiler();
  const auto library = compiler.build("int g(); int f() { return g(); }", facts);
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().kind, ErrorKind::Bug);
  EXPECT_THAT(text_of(library.error()), HasSubstr("undefined symbol"));
}

TEST_F(HostCompiler, SaysThatTheDiskIsFull) {
  const ScopedVariable cxx(
      "CXX",
      wrapper("case \"$*\" in *kernel.cpp*) echo 'ld: kernel.so: No space left on device'; exit 1;; esac"));
  Compiler compiler = found_compiler();
  const auto answer = answer_of(compiler);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(answer.error()), HasSubstr("the disk is full"));
  EXPECT_THAT(text_of(answer.error()), HasSubstr("XDG_CACHE_HOME"));
  EXPECT_TRUE(compiler.has_openmp());
}

TEST_F(HostCompiler, SaysThatTheCompilerWasKilled) {
  const ScopedVariable cxx("CXX", wrapper("case \"$*\" in *kernel.cpp*) kill -9 $$;; esac"));
  Compiler compiler = found_compiler();
  const auto answer = answer_of(compiler);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(answer.error()), HasSubstr("ended by a signal"));
}

TEST_F(HostCompiler, CxxMayHaveArguments) {
  const ScopedVariable cxx("CXX", wrapper("") + "  -DEXTRA=1 ");
  Compiler compiler = found_compiler();
  EXPECT_TRUE(succeeded(compiler.build("static_assert(EXTRA == 1);", facts)));
}

TEST_F(HostCompiler, AnInstructionSetHasItsOwnFlagsAndEntries) {
  const ScopedVariable cxx("CXX", wrapper(""));
  // Every processor with SSE 4.2 runs what is built for the sets that it has.
  constexpr const char* widest =
      "static_assert(__cplusplus == 201703L);\n"
      "#if defined(__AVX512F__)\nint set() { return 3; }\n#elif defined(__AVX2__)\n"
      "int set() { return 2; }\n#elif defined(__SSE4_2__)\nint set() { return 1; }\n#endif\n";
  int number = 0;
  for (const target::InstructionSet& set : target::instruction_sets()) {
    auto compiler = Compiler::find("test processor", &set);
    ASSERT_TRUE(succeeded(compiler));
    auto library = compiler->build(widest, facts);
    ASSERT_TRUE(succeeded(library)) << set.name;
    EXPECT_FALSE(facts.from_cache) << set.name;
    EXPECT_EQ(reinterpret_cast<int (*)()>(library->symbol("_Z3setv"))(), ++number) << set.name;
  }
  EXPECT_EQ(cache_home.count(".so"), 3u);
}

TEST_F(HostCompiler, SaysWhichFlagACompilerIsTooOldFor) {
  const ScopedVariable cxx("CXX",
                           wrapper("case \"$*\" in *-mavx512vl*) echo unknown option >&2; exit 1;; esac"));
  auto compiler = Compiler::find("test processor", target::instruction_set_named("avx512"));
  ASSERT_TRUE(succeeded(compiler));
  const auto answer = answer_of(*compiler);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(answer.error()), HasSubstr("does not know -mavx512vl"));
  EXPECT_THAT(text_of(answer.error()), HasSubstr("CXX"));
}

TEST_F(HostCompiler, SaysThatACompilerCompilesNothing) {
  const ScopedVariable cxx("CXX", wrapper("case \"$*\" in *.cpp*) echo no cc1plus >&2; exit 1;; esac"));
  Compiler compiler = found_compiler();
  const auto answer = answer_of(compiler);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(answer.error()), HasSubstr("cannot compile even an empty file"));
  EXPECT_THAT(text_of(answer.error()), HasSubstr("no cc1plus"));
}

TEST_F(HostCompiler, DescribesWhoseTimesAreComparable) {
  const auto description_of = [&](const std::string& version, const std::string& arguments) {
    const ScopedVariable cxx(
        "CXX", directory.script("told", "#!/bin/sh\ncat <<END\n" + version + "\nEND\n") + arguments);
    return found_compiler().description();
  };
  const std::string gcc = " (Debian 12.2.0-14) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc.";
  EXPECT_EQ(description_of("g++" + gcc, ""), "gcc 12.2.0");
  EXPECT_EQ(description_of("c++" + gcc, " -O2"), "gcc 12.2.0 -O2");
  EXPECT_EQ(description_of("Debian clang version 14.0.6\nTarget: x86_64-pc-linux-gnu", ""), "clang 14.0.6");
  EXPECT_EQ(description_of("clang version 17.0.1 (https://example.org)", ""), "clang 17.0.1");
  EXPECT_EQ(description_of("another 1.0\nmore", ""), "another 1.0");
}

TEST(InstructionSet, IsRefusedWhereTheProcessorLacksIt) {
  Processor processor;
  processor.name = "a processor";
  processor.features = "fpu sse4_2 avx2 fma bmi1 bmi2";
  for (const char* name : {"", "native"}) {
    const auto all = instruction_set_of(processor, name);
    ASSERT_TRUE(succeeded(all));
    EXPECT_EQ(*all, nullptr);
  }
  const auto avx2 = instruction_set_of(processor, "avx2");
  ASSERT_TRUE(succeeded(avx2));
  EXPECT_EQ((*avx2)->name, "avx2");
  const auto lacking = instruction_set_of(processor, "avx512");
  ASSERT_FALSE(lacking);
  EXPECT_EQ(lacking.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(lacking.error()), HasSubstr("a processor, cannot run avx512"));
  EXPECT_THAT(text_of(lacking.error()), HasSubstr("it lacks avx512f, avx512cd"));
  EXPECT_THAT(text_of(lacking.error()), HasSubstr("it has sse4.2, avx2 and native"));
  const auto unknown = instruction_set_of(processor, "avx");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::User);
  EXPECT_THAT(text_of(unknown.error()), HasSubstr("sse4.2, avx2, avx512, native"));
  processor.features = "fpu asimd";
  EXPECT_THAT(text_of(instruction_set_of(processor, "sse4.2").error()), HasSubstr("it has native"));
}

TEST_F(HostCompiler, TheEnvironmentNamesTheInstructionSetOfTheDevice) {
  if (!instruction_set_of(this_processor(), "avx2")) GTEST_SKIP() << "this processor has no AVX2";
  const auto native = open_device("host");
  ASSERT_TRUE(succeeded(native));
  const ScopedVariable isa(instruction_set_variable, "avx2");
  const auto device = open_device("host");
  ASSERT_TRUE(succeeded(device));
  EXPECT_EQ((*device)->info().name, (*native)->info().name + " (avx2)");
  EXPECT_EQ((*device)->info().instruction_set, "avx2");
  EXPECT_EQ((*device)->info().preferred_f32_vector, 8);
  EXPECT_EQ((*device)->info().driver, (*native)->info().driver);
  const ScopedVariable wrong(instruction_set_variable, "avx3");
  EXPECT_FALSE(open_device("host"));
  EXPECT_FALSE(describe_device("host"));
  std::vector<std::string> notes;
  EXPECT_EQ(list_devices(&notes).back().id, "host");
  EXPECT_THAT(notes, ::testing::Contains(HasSubstr("avx3")));
}

TEST_F(HostCompiler, PathsAreNotReadByAShell) {
  const ScopedVariable strange("XDG_CACHE_HOME", cache_home.file("a b; $(exit) 'c'"));
  Compiler compiler = found_compiler();
  EXPECT_EQ(answer_of(compiler).value_or(0), 42);
  EXPECT_EQ(cache_home.count(".so"), 1u);
}

TEST_F(HostCompiler, ReportsACxxThatIsAbsent) {
  const ScopedVariable cxx("CXX", "no-such-compiler");
  const auto compiler = Compiler::find("");
  ASSERT_FALSE(compiler);
  EXPECT_EQ(compiler.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(compiler.error()), HasSubstr("no-such-compiler"));
  EXPECT_THAT(text_of(compiler.error()), HasSubstr("CXX"));
}

TEST_F(HostCompiler, ReportsThatThereIsNone) {
  const ScopedVariable cxx("CXX", std::nullopt);
  const ScopedVariable path("PATH", directory.path());
  const auto compiler = Compiler::find("");
  ASSERT_FALSE(compiler);
  EXPECT_EQ(compiler.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(compiler.error()), HasSubstr("no C++ compiler is on PATH"));
  const auto device = open_device("host");
  ASSERT_FALSE(device);
  EXPECT_EQ(list_devices().back().id, "host") << "listing needs no compiler";
}

TEST_F(HostCompiler, ReportsACompilerThatDoesNotRun) {
  const ScopedVariable cxx("CXX", directory.script("broken", "#!/bin/sh\necho out of order\nexit 3\n"));
  const auto compiler = Compiler::find("");
  ASSERT_FALSE(compiler);
  EXPECT_THAT(text_of(compiler.error()), HasSubstr("out of order"));
}

TEST_F(HostCompiler, OtherCompilersWork) {
  for (const char* name : {"g++", "clang++"}) {
    if (!find_program(name)) continue;
    const ScopedVariable cxx("CXX", name);
    Compiler compiler = found_compiler();
    const auto answer = answer_of(compiler);
    ASSERT_TRUE(succeeded(answer)) << name;
    EXPECT_EQ(*answer, 42);
    EXPECT_FALSE(facts.from_cache) << name;
  }
}

TEST_F(HostCompiler, KernelsComeAndGoWhileOpenmpThreadsWait) {
  auto device = open_device("host");
  ASSERT_TRUE(succeeded(device));
  const auto numbers = upload(**device, std::vector<float>(1000, 1)),
             sum = upload(**device, std::vector<float>(1000));
  const std::vector<Argument> arguments{numbers.get(), numbers.get(), sum.get(),
                                        ScalarValue::of_real(Scalar::F32, 1),
                                        ScalarValue::of_integer(Scalar::I32, 1000)};
  for (int repetition = 0; repetition < 20; ++repetition) {
    auto program = (*device)->build(scaled_sum_source(target::Language::Host));
    ASSERT_TRUE(succeeded(program));
    auto kernel = (*program)->kernel("scaled_sum");
    ASSERT_TRUE(succeeded(kernel));
    ASSERT_TRUE(succeeded((*device)->launch(**kernel, arguments, {})));
  }
  EXPECT_EQ(download<float>(**device, *sum), std::vector<float>(1000, 2));
}

TEST_F(HostCompiler, BuffersAreAligned) {
  auto device = open_device("host");
  ASSERT_TRUE(succeeded(device));
  auto program = (*device)->build(R"(
#include <cstddef>
#include <cstdint>
extern "C" void alignment(void* const* arguments, const std::size_t* range) {
  int* out = static_cast<int*>(arguments[0]);
  out[0] = reinterpret_cast<std::uintptr_t>(arguments[0]) % 64 + reinterpret_cast<std::uintptr_t>(arguments[1]) % 64;
  out[1] = reinterpret_cast<std::uintptr_t>(arguments[2]) % 8;
  for (int i = 0; i < 6; ++i) out[2 + i] = range[i];
})");
  ASSERT_TRUE(succeeded(program));
  auto kernel = (*program)->kernel("alignment");
  ASSERT_TRUE(succeeded(kernel));
  auto large = (*device)->allocate(5000001);
  ASSERT_TRUE(succeeded(large));
  const auto out = upload(**device, std::vector<int>(8, -1));
  const std::vector<Argument> arguments{out.get(), large->get(), ScalarValue::of_bool(true)};
  ASSERT_TRUE(succeeded((*device)->launch(**kernel, arguments, {{8, 6, 4}, {4, 3, 2}})));
  EXPECT_EQ(download<int>(**device, *out), (std::vector<int>{0, 0, 8, 6, 4, 4, 3, 2}));
}

TEST(HostProcessor, KnowsThisMachine) {
  const Processor processor = this_processor();
  EXPECT_FALSE(processor.name.empty());
  EXPECT_GE(processor.threads, 1u);
  EXPECT_GE(processor.cache_line, 16u);
  for (const std::size_t bytes : processor.caches) EXPECT_TRUE(bytes == 0 || bytes >= std::size_t{1} << 12);
  EXPECT_GE(processor.memory, std::size_t{1} << 26);
  EXPECT_LT(processor.memory, std::size_t{1} << 50);
}

TEST(HostProcess, GivesOutputAndStatus) {
  const auto outcome = run_process({"/bin/sh", "-c", "echo out; echo error >&2; exit 7"});
  ASSERT_TRUE(succeeded(outcome));
  EXPECT_EQ(outcome->output, "out\nerror\n");
  EXPECT_EQ(outcome->exit_status, 7);
  EXPECT_FALSE(outcome->succeeded());
}

TEST(HostProcess, GivesTheSignal) {
  const auto outcome = run_process({"/bin/sh", "-c", "kill -9 $$"});
  ASSERT_TRUE(succeeded(outcome));
  EXPECT_EQ(outcome->signal, 9);
  EXPECT_FALSE(outcome->succeeded());
}

TEST(HostProcess, ReadsMoreThanAPipeHolds) {
  const auto outcome = run_process({"/bin/sh", "-c", "head -c 300000 /dev/zero; cat"});
  ASSERT_TRUE(succeeded(outcome));
  EXPECT_EQ(outcome->output.size(), 300000u);
}

TEST(HostProcess, ReportsWhatCannotBeStarted) {
  const auto outcome = run_process({"/no/such/program"});
  ASSERT_FALSE(outcome);
  EXPECT_THAT(text_of(outcome.error()), HasSubstr("/no/such/program"));
}

TEST(HostProcess, FindsPrograms) {
  TemporaryDirectory directory;
  directory.script("tool", "#!/bin/sh\n");
  std::ofstream(directory.file("plain")) << "no program";
  const ScopedVariable path("PATH", ":/no/such/place:" + directory.path());
  EXPECT_EQ(find_program("tool"), directory.file("tool"));
  EXPECT_EQ(find_program("plain"), std::nullopt);
  EXPECT_EQ(find_program(""), std::nullopt);
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_EQ(find_program(directory.path()), std::nullopt);
}

}  // namespace
}  // namespace hoist::runtime::host
