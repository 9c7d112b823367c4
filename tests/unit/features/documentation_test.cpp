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

bool has(target::Processor processor, const Definition& feature) {
  const auto& features = schema(processor).features;
  return std::any_of(features.begin(), features.end(),
                     [&](const Definition& each) { return each.name == feature.name; });
}

/// The features of both kinds of target, then those of processors alone.
std::vector<Definition> all_features() {
  std::vector<Definition> result = schema(target::Processor::Gpu).features;
  for (const Definition& each : schema(target::Processor::Cpu).features) {
    if (!has(target::Processor::Gpu, each)) result.push_back(each);
  }
  return result;
}

std::string lists() {
  std::string text = begin;
  const auto told = [](target::Processor processor) {
    return fmt::format("`{}`, {} features", schema(processor).name, schema(processor).features.size());
  };
  text += fmt::format("\nSchema for GPUs: {}. For processors: {}.\n", told(target::Processor::Gpu),
                      told(target::Processor::Cpu));
  std::string_view group;
  for (const Definition& each : all_features()) {
    if (each.group != group) {
      group = each.group;
      text += fmt::format("\n## {}\n\n| feature | unit | what it is | source |\n|---|---|---|---|\n", group);
    }
    const char* only = !has(target::Processor::Gpu, each)   ? "Processors only. "
                       : !has(target::Processor::Cpu, each) ? "GPUs only. "
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
