// docs/assembly.md lists every feature. HOIST_UPDATE_GOLDEN=1 writes the lists anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "assembly/features.hpp"

namespace hoist::assembly {
namespace {

const std::string path = HOIST_SOURCE_DIR "/docs/assembly.md";
const std::string begin = "<!-- The rest follows from the table of features. -->\n";

std::string lists() {
  std::string text = begin + fmt::format("\nSchema: `{}`, {} features. The paper's sets are", schema_name,
                                         definitions().size());
  for (const FeatureSet& each : feature_sets())
    text += fmt::format(" `{}` (the first {}),", each.name, each.count);
  text.back() = '.';
  text += "\n";
  std::string_view group;
  for (const features::Definition& each : definitions()) {
    if (each.group != group) {
      group = each.group;
      text += fmt::format("\n## {}\n\n| feature | unit | what it is | source |\n|---|---|---|---|\n", group);
    }
    text += fmt::format("| `{}` | {} | {} | {} |\n", each.name, each.unit, each.meaning, each.source);
  }
  return text;
}

TEST(Documentation, ListsEveryFeature) {
  std::ifstream file(path);
  std::stringstream read;
  read << file.rdbuf();
  const std::string text = read.str();
  const std::size_t at = text.find(begin);
  ASSERT_NE(at, std::string::npos) << path;
  if (std::getenv("HOIST_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << text.substr(0, at) << lists();
    return;
  }
  EXPECT_EQ(text.substr(at), lists()) << "HOIST_UPDATE_GOLDEN=1 writes docs/assembly.md anew";
}

}  // namespace
}  // namespace hoist::assembly
