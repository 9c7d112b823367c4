// docs/features.md lists every feature as the schema has it. HOIST_UPDATE_GOLDEN=1 writes the lists anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "features/features.hpp"

namespace hoist::features {
namespace {

const std::string path = HOIST_SOURCE_DIR "/docs/features.md";
const std::string begin = "<!-- The rest follows from the schema. -->\n";

bool has(TargetKind kind, const Definition& feature) {
  const auto& features = schema(kind).features;
  return std::any_of(features.begin(), features.end(),
                     [&](const Definition& each) { return each.name == feature.name; });
}

/// The features of both kinds of target, then those of processors alone.
std::vector<Definition> all_features() {
  std::vector<Definition> result = schema(TargetKind::Gpu).features;
  for (const Definition& each : schema(TargetKind::Processor).features) {
    if (!has(TargetKind::Gpu, each)) result.push_back(each);
  }
  return result;
}

std::string lists() {
  std::string text = begin;
  const auto told = [](TargetKind kind) {
    return fmt::format("`{}`, {} features", schema(kind).name, schema(kind).features.size());
  };
  text += fmt::format("\nSchema for GPUs: {}. For processors: {}.\n", told(TargetKind::Gpu),
                      told(TargetKind::Processor));
  std::string_view group;
  for (const Definition& each : all_features()) {
    if (each.group != group) {
      group = each.group;
      text += fmt::format("\n## {}\n\n| feature | unit | what it is | source |\n|---|---|---|---|\n", group);
    }
    const char* only = !has(TargetKind::Gpu, each)         ? "Processors only. "
                       : !has(TargetKind::Processor, each) ? "GPUs only. "
                                                           : "";
    text += fmt::format("| `{}` | {} | {}{} | {} |\n", each.name, each.unit, only, each.meaning, each.source);
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
  EXPECT_EQ(text.substr(at), lists()) << "HOIST_UPDATE_GOLDEN=1 writes docs/features.md anew";
}

}  // namespace
}  // namespace hoist::features
