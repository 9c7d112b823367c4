#include "export/export.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/executed.hpp"
#include "target/kinds.hpp"

namespace hoist::exporting {
namespace {

/// Several kernels, a loop on the host, a copy, a number and a fault flag: everything that the host's code
/// can hold.
const std::string everything =
    "def all(a: f32, x: [N]f32, at: [N]i32): ([N]f32, f32) =\n"
    "  (x |> iterate(3, v => v |> map(e => a * e)) |> scan(+, 0.0), at |> map(i => x[i]) |> reduce(+, "
    "0.0))\n";

lower::Options options_in(target::Language language) {
  return driver::options_for(target::any_device(language));
}

Exported exported_all(target::Language language) {
  const ir::Program program =
      driver::with_sizes(testing_support::program_of(everything), {{"N", 1000}}).value();
  return exported(program, {{"N", 1000}}, "all", options_in(language)).value();
}

TEST(Export, HostCodeForCudaCompiles) {
  const std::filesystem::path include = HOIST_CUDA_INCLUDE;
  if (!std::filesystem::exists(include / "cuda.h")) GTEST_SKIP() << "cuda.h is not installed";
  ir::Arena arena;
  const std::filesystem::path directory = std::filesystem::path(testing::TempDir()) / "hoist_export_cuda";
  std::filesystem::create_directories(directory);
  for (const ExportedFile& file : export_files(exported_all(target::Language::Cuda))) {
    std::ofstream(directory / file.name) << file.text;
  }
  const std::string command = "cc -std=c99 -Wall -Wextra -Werror -fsyntax-only -isystem " + include.string() +
                              " " + (directory / "all.c").string();
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::filesystem::remove_all(directory);
}

TEST(Export, CudaLaunchesGiveLargeTilesTheirMemory) {
  ir::Arena arena;
  const ir::Program program = testing_support::program_of(
      "def f(x: [2][16384]f32): [2][16384]f32 = x |> mapWrg(0, r => r |> split(64) |> mapLcl(0, mapSeq(id))\n"
      "  |> toLocal |> join |> split(64) |> reverse |> mapLcl(0, mapSeq(id)) |> join)\n");
  const auto large = exported(program, {}, "f", options_in(target::Language::Cuda));
  ASSERT_TRUE(large) << large.error().render();
  EXPECT_EQ(large->dynamic_local_memory, std::vector<std::size_t>{65536});
  const std::string text = export_files(*large).at(1).text;
  EXPECT_NE(text.find("dynamic_bytes[] = {65536}"), std::string::npos) << text;
  EXPECT_NE(text.find(", 65536, NULL, arguments, NULL)"), std::string::npos) << text;
}

TEST(Export, KernelsAreThoseThatAreCompiledToRun) {
  ir::Arena arena;
  const ir::Program program = testing_support::program_of(
      "def f(x: [2][16384]f32): [2][16384]f32 = x |> mapWrg(0, r => r |> split(64) |> mapLcl(0, mapSeq(id))\n"
      "  |> toLocal |> join |> split(64) |> reverse |> mapLcl(0, mapSeq(id)) |> join)\n");
  for (const target::Kind& kind : target::kinds()) {
    const lower::Options options = options_in(kind.language);
    const Exported written = exported(program, {}, "f", options).value();
    const driver::Compiled run = driver::compile(program, {.lowering = options, .kernel_names = "f"}).value();
    EXPECT_EQ(written.kernels, run.source);
    EXPECT_EQ(written.dynamic_local_memory, run.dynamic_local_memory);
  }
}

TEST(Export, OpenclAsksForAsynchronousCopiesWhereKernelsHaveThem) {
  ir::Arena arena;
  const ir::Program program = testing_support::program_of(
      "def f(x: [M][64]f32): [64]f32 =\n"
      "  x |> map(split(64)) |> transpose |> mapWrg(panel => panel\n"
      "    |> prefetch(3, row => row |> mapLcl(id) |> toLocal)\n"
      "    |> reduceSeq((sums, row) => zip(sums, row) |> mapLcl((s, e) => s + e),\n"
      "         fill(64, 0.0) |> mapLcl(id) |> toPrivate) |> mapLcl(id)) |> join\n");
  const auto ahead = exported(driver::with_sizes(program, {{"M", 8}}).value(), {{"M", 8}}, "f",
                              options_in(target::Language::OpenCL));
  ASSERT_TRUE(ahead) << ahead.error().render();
  const std::string asked = "build_options(h->device)";
  EXPECT_NE(export_files(*ahead).at(1).text.find(asked), std::string::npos);
  EXPECT_EQ(export_files(exported_all(target::Language::OpenCL)).at(1).text.find(asked), std::string::npos);
}

TEST(Export, KernelsBearTheNameOfTheExport) {
  ir::Arena arena;
  const Exported all = exported_all(target::Language::OpenCL);
  ASSERT_GT(all.plan.kernels.size(), 2U);
  for (const execute::LaunchPlan::Kernel& kernel : all.plan.kernels) {
    EXPECT_EQ(kernel.name.rfind("all_kernel", 0), 0U) << kernel.name;
    EXPECT_NE(all.kernels.find("void " + kernel.name + "("), std::string::npos) << kernel.name;
  }
}

}  // namespace
}  // namespace hoist::exporting
