// A few kernels as text, for reviewing how generated code reads. HOIST_UPDATE_GOLDEN=1 writes the files anew;
// look at the difference before it is committed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "driver/suite.hpp"
#include "loop/print.hpp"
#include "support/executed.hpp"
#include "target/kinds.hpp"

namespace hoist {
namespace {

struct Golden {
  const char* program;  ///< under kernels/, without extension
  target::Language language;
  const char* extension;
};

class GoldenText : public testing::TestWithParam<Golden> {};

driver::Compiled compiled(const std::string& program, target::Language language) {
  auto source = driver::read_source(std::string(HOIST_SOURCE_DIR) + "/kernels/" + program + ".hoist");
  if (!source) throw std::runtime_error(source.error().render());
  auto result = driver::compile(testing_support::program_of(source->text),
                                driver::options_for(target::any_device(language)));
  if (!result) throw std::runtime_error(result.error().render());
  return std::move(*result);
}

TEST_P(GoldenText, IsAsStored) {
  ir::Arena arena;
  std::filesystem::path program = GetParam().program;
  std::filesystem::path path =
      std::string(HOIST_SOURCE_DIR) + "/tests/golden/" + program.filename().string() + GetParam().extension;
  std::string text = compiled(GetParam().program, GetParam().language).source;
  const char* update = std::getenv("HOIST_UPDATE_GOLDEN");
  if (update && std::string(update) == "1") {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing: HOIST_UPDATE_GOLDEN=1 writes it";
  std::stringstream stored;
  stored << file.rdbuf();
  EXPECT_EQ(stored.str(), text) << "if the new text is right: HOIST_UPDATE_GOLDEN=1";
}

constexpr Golden golden[] = {
    {"low-level/partial_dot", target::Language::OpenCL, ".cl"},
    {"low-level/transpose_gather", target::Language::OpenCL, ".cl"},
    {"low-level/mm_nvidia", target::Language::OpenCL, ".cl"},
    {"jacobi2d5", target::Language::OpenCL, ".cl"},
};

std::string name_of(const testing::TestParamInfo<Golden>& info) {
  return std::filesystem::path(info.param.program).filename().string();
}
INSTANTIATE_TEST_SUITE_P(Kernels, GoldenText, testing::ValuesIn(golden), name_of);

// The permutation of a flattened matrix comes down to the transposed access (Remmelg's thesis, Listing 4.4:
// its Figure 4.6 simplifies the index in three steps to l * M + wg, where M is the length of a row, here W).
TEST(Golden, TransposeByGatherIsOneAccess) {
  ir::Arena arena;
  EXPECT_THAT(loop::to_string(compiled("low-level/transpose_gather", target::Language::OpenCL).plan),
              testing::HasSubstr("out[H*wg + l] = A[W*l + wg];"));
}

}  // namespace
}  // namespace hoist
