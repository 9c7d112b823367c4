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

/// The code blocks of a Markdown text that contain definitions.
std::vector<std::string> programs_in(const std::string& markdown) {
  std::vector<std::string> blocks;
  std::istringstream lines(markdown);
  std::string line;
  std::string block;
  bool is_inside = false;
  while (std::getline(lines, line)) {
    if (line.starts_with("```")) {
      const bool is_session = block.starts_with("$ ");  // a command and what it prints
      if (is_inside && !is_session && block.find("def ") != std::string::npos) blocks.push_back(block);
      block.clear();
      is_inside = !is_inside;
    } else if (is_inside) {
      block += line + "\n";
    }
  }
  return blocks;
}

TEST(Programs, OfTheTutorialAreAccepted) {
  const std::vector<std::string> blocks = programs_in(read_file(HOIST_SOURCE_DIR "/docs/language.md"));
  EXPECT_GT(blocks.size(), 7U);
  for (const std::string& block : blocks) {
    const ir::Arena arena;
    // A block may end in a definition that is no program of its own.
    EXPECT_EQ(errors_of(block + "def last(x: f32): f32 = x"), "") << block;
  }
}

}  // namespace
}  // namespace hoist::lang
