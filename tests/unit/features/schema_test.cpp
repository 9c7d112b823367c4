// Each kind of target has a schema of its own.
#include <gmock/gmock.h>

#include "features/feature_table.hpp"

namespace hoist::features {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

double one(const Summary&) { return 1; }
double two(const Summary&) { return 2; }
double three(const Summary&) { return 3; }

std::vector<std::string> names_of(std::span<const Row> table, target::Processor processor) {
  std::vector<std::string> names;
  for (const Definition& each : definitions_of(table, processor)) names.emplace_back(each.name);
  return names;
}

TEST(Schema, AColumnOfOneKindLeavesTheOtherAsItIs) {
  const Row before[] = {{{"first", "", "g", "", ""}, one}, {{"last", "", "g", "", ""}, three}};
  const Row after[] = {{{"first", "", "g", "", ""}, one},
                       {{"lanes_used", "", "g", "", ""}, two, target::Processor::Cpu},
                       {{"last", "", "g", "", ""}, three}};
  EXPECT_EQ(names_of(after, target::Processor::Gpu), names_of(before, target::Processor::Gpu));
  EXPECT_THAT(names_of(after, target::Processor::Cpu), ElementsAre("first", "lanes_used", "last"));
  Summary summary;
  EXPECT_THAT(values_of(after, summary), ElementsAre(1, 3));
  summary.machine = target::usual_machine(target::Processor::Cpu);
  EXPECT_THAT(values_of(after, summary), ElementsAre(1, 2, 3));
}

/// Stores keep features by the name of their schema, so that two lists of one name would be mixed up.
TEST(Schema, OneNameMeansOneList) {
  const Schema &gpu = schema(target::Processor::Gpu), &processor = schema(target::Processor::Cpu);
  if (gpu.name != processor.name) return;
  ASSERT_THAT(processor.features, SizeIs(gpu.features.size())) << "give the list that has changed a new name";
  for (std::size_t i = 0; i < gpu.features.size(); ++i)
    EXPECT_EQ(gpu.features[i].name, processor.features[i].name)
        << "give the list that has changed a new name";
}

}  // namespace
}  // namespace hoist::features
