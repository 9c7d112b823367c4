// Every program that ships with Hoist is accepted, and its text form reads back as the same term.
#include <filesystem>

#include "support.hpp"

namespace hoist::lang {
namespace {

TEST(Programs, AreAcceptedAndRoundTrip) {
  int count = 0;
  for (const char* folder : {"kernels", "tests/programs"}) {
    const std::filesystem::path root = std::filesystem::path(HOIST_SOURCE_DIR) / folder;
    if (!std::filesystem::exists(root)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".hoist") continue;
      const ir::Arena arena;
      SCOPED_TRACE(entry.path().string());
      const Source source{entry.path().string(), read_file(entry.path().string())};
      const auto program = parse_program(source);
      ASSERT_TRUE(program) << program.error().render(&source);
      expect_round_trip(*program);
      ++count;
    }
  }
  EXPECT_GT(count, 40);
}

}  // namespace
}  // namespace hoist::lang
