// Every file of tests/reject is rejected with the messages it announces: a line that ends in
// `//! error: text` has an error that contains the text, and no other line has one. A comment of nothing but
// an announcement speaks of the line before.
#include <algorithm>
#include <filesystem>

#include "support.hpp"

namespace hoist::lang {
namespace {

struct Expected {
  int line;
  std::string text;
};

std::vector<Expected> announced(const std::string& text) {
  constexpr std::string_view mark = "//! error: ";
  std::vector<Expected> result;
  std::istringstream lines(text);
  std::string line;
  int subject = 0;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::size_t at = line.find(mark);
    if (at == std::string::npos || line.find_first_not_of(' ') != at) subject = number;
    if (at != std::string::npos) result.push_back({subject, line.substr(at + mark.size())});
  }
  return result;
}

std::vector<std::string> rejected_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(HOIST_SOURCE_DIR "/tests/reject")) {
    if (entry.path().extension() == ".hoist") files.push_back(entry.path().stem().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Reject : public testing::TestWithParam<std::string> {};

TEST_P(Reject, WithTheAnnouncedErrors) {
  const ir::Arena arena;
  const std::string text = read_file(HOIST_SOURCE_DIR "/tests/reject/" + GetParam() + ".hoist");
  const Source source{GetParam(), text};
  const std::vector<Expected> expected = announced(text);
  ASSERT_FALSE(expected.empty()) << "the file announces no error";
  const auto program = parse_program(source);
  ASSERT_FALSE(program) << ir::to_string(*program);
  EXPECT_EQ(program.error().kind, ErrorKind::User);
  const std::string rendered = program.error().render(&source);
  std::vector<bool> is_met(expected.size());
  for (const Diagnostic& diagnostic : program.error().diagnostics) {
    ASSERT_TRUE(diagnostic.span) << rendered;
    const int line = position_of(source, diagnostic.span->begin).line;
    bool is_announced = false;
    for (std::size_t index = 0; index < expected.size() && !is_announced; ++index) {
      is_announced = !is_met[index] && expected[index].line == line &&
                     diagnostic.message.find(expected[index].text) != std::string::npos;
      if (is_announced) is_met[index] = true;
    }
    EXPECT_TRUE(is_announced) << "not announced: " << diagnostic.message << "\n" << rendered;
  }
  for (std::size_t index = 0; index < expected.size(); ++index) {
    EXPECT_TRUE(is_met[index]) << "line " << expected[index].line << ": " << expected[index].text << "\n"
                               << rendered;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Reject, testing::ValuesIn(rejected_files()),
                         [](const auto& file) { return file.param; });

}  // namespace
}  // namespace hoist::lang
