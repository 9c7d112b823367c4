// What low-level programs take of a device, and the constraints that follow.
#include "variants/limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/executed.hpp"
#include "target/kinds.hpp"

namespace hoist::variants {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Limits : public testing::Test {
 protected:
  ir::Arena arena;
  arith::Expr t = arith::parameter("t"), u = arith::parameter("u");

  static ir::Term term(const std::string& text) { return testing_support::program_of(text).function; }
  /// Group size, bytes of local memory, values in registers.
  static std::vector<std::string> demand(const std::string& text) {
    const Demand demand = demand_of(term(text));
    return {arith::to_string(demand.group_size), arith::to_string(demand.local_memory),
            arith::to_string(demand.private_values)};
  }
  static std::vector<std::string> messages(const std::string& text, const target::Target& target) {
    std::vector<std::string> result;
    for (const space::Constraint& each : constraints_of(term(text), target)) result.push_back(each.message);
    return result;
  }
};

const char* const tiled =
    "def f(x: [1024]f32): [1024]f32 = x |> split(?t) |> mapWrg(0, tile => tile |> mapLcl(0, id) |> toLocal\n"
    "  |> reverse |> mapLcl(0, e => 2.0 * e)) |> join";

TEST_F(Limits, OfWorkItemsAloneAreNone) {
  EXPECT_THAT(demand("def f(x: [1024]f32): [1024]f32 = x |> mapGlb(0, e => 2.0 * e)"),
              ElementsAre("1", "0", "0"));
}

TEST_F(Limits, GroupsAreAsLargeAsTheirMapsAreLong) {
  const Demand demand = demand_of(term(tiled));
  EXPECT_EQ(demand.group_size, t);
  EXPECT_EQ(demand.local_memory, 4 * t);
  EXPECT_TRUE(demand.private_values.is_constant(0));
}

TEST_F(Limits, GroupsLeaveOnlySoMuchForTheNextKernel) {
  const std::string sums =
      "def f(x: [1000][65536]f32): [1000]f32 =\n"
      "  let parts = x |> map(split(?part)) |> transpose |> mapWrg(2, chunk => chunk |> mapWrg(0,\n"
      "    reduceLcl(0, +, 0.0))) |> toGlobal\n"
      "  transpose(parts) |> mapGlb(0, reduceSeq(+, 0.0))";
  EXPECT_EQ(arith::to_string(demand_of(term(sums)).between_kernels), "1000*exactdiv(65536, ?part)");
  EXPECT_THAT(messages(sums, target::usual_device(*target::profile_named("gpu"))),
              testing::Contains(testing::HasSubstr("for the next kernel")));
  EXPECT_TRUE(demand_of(term(tiled)).between_kernels.is_constant(0));
}

TEST_F(Limits, DimensionsMultiply) {
  const std::string body =
      "x |> split(?t) |> mapWrg(1, rows => rows |> map(split(?u)) |> transpose |> mapWrg(0, tile =>\n"
      "  tile |> mapLcl(1, mapLcl(0, id)) |> toLocal |> mapLcl(1, mapLcl(0, e => e + e)))\n"
      "  |> transpose |> map(join)) |> join";
  const Demand of_f32 = demand_of(term("def f(x: [64][64]f32): [64][64]f32 = " + body));
  EXPECT_EQ(of_f32.group_size, t * u);
  EXPECT_EQ(of_f32.local_memory, 4 * t * u);
  EXPECT_EQ(demand_of(term("def f(x: [64][64]f64): [64][64]f64 = " + body)).local_memory, 8 * t * u);
}

TEST_F(Limits, ComponentsOfTuplesAllTakeMemory) {
  EXPECT_THAT(demand("def f(x: [64](f32, f64)): [64]f64 = x |> split(8) |> mapWrg(0, tile =>\n"
                     "  tile |> mapLcl(0, id) |> toLocal |> mapLcl(0, (a, b) => b)) |> join"),
              ElementsAre("8", "96", "0"));
}

TEST_F(Limits, RowsThatLieApartTakeWhatIsBetweenThem) {
  EXPECT_THAT(
      demand(
          "def f(x: [64][16]f32): [64][16]f32 = x |> split(8) |> mapWrg(0, tile =>\n"
          "  tile |> mapLcl(1, mapLcl(0, id)) |> pitch(20) |> toLocal |> mapLcl(1, mapLcl(0, e => e + e)))\n"
          "  |> join"),
      ElementsAre("128", "640", "0"));
}

TEST_F(Limits, CopiesThatRunAheadTakeAllTheirStages) {
  const auto summed = [](const std::string& ahead) {
    return "def f(x: [64][32]f32): [64]f32 = x |> split(8) |> mapWrg(0, rows =>\n"
           "  rows |> map(split(4)) |> transpose |> " +
           ahead +
           "tile => tile |> mapLcl(0, row => row |> mapSeq(id)) |> toLocal)\n"
           "  |> reduceSeq((sums, tile) => zip(sums, tile) |> mapLcl(0, (sum, row) => sum + (row |> "
           "reduceSeq(+, 0.0))),\n"
           "    fill(8, 0.0) |> mapLcl(0, id) |> toPrivate)\n"
           "  |> mapLcl(0, id)) |> join";
  };
  // 8 rows of 4 elements; one accumulator for each of 8 work-items.
  EXPECT_THAT(demand(summed("map(")), ElementsAre("8", "128", "1"));
  EXPECT_THAT(demand(summed("prefetch(2, ")), ElementsAre("8", "256", "1"));
  EXPECT_THAT(demand(summed("prefetch(3, ")), ElementsAre("8", "384", "1"));
}

TEST_F(Limits, RegistersAreCountedForOneWorkItem) {
  EXPECT_THAT(demand("def f(x: [1024]f32): [1024]f32 = x |> split(16) |> mapGlb(0, chunk =>\n"
                     "  chunk |> mapSeq(e => 2.0 * e) |> toPrivate |> reverse |> mapSeq(id)) |> join"),
              ElementsAre("1", "0", "16"));
  // 64 values of 16 work-items.
  EXPECT_THAT(demand("def f(x: [1024]f32): [1024]f32 = x |> split(64) |> mapWrg(0, tile =>\n"
                     "  tile |> split(4) |> mapLcl(0, mapSeq(e => 2.0 * e)) |> toPrivate |> mapLcl(0, "
                     "mapSeq(id)) |> join)\n"
                     "  |> join"),
              ElementsAre("16", "0", "4"));
}

TEST_F(Limits, BecomeConstraintsThatSayWhatIsTooLarge) {
  target::Target limits;
  limits.max_group_size = 256;
  limits.max_group_sizes = {256, 256, 64};
  limits.least_group_size = 32;
  limits.local_memory = 2048;
  EXPECT_THAT(messages(tiled, limits),
              ElementsAre("a work-group must have at most 256 work-items",
                          "a work-group must have at least 32 work-items",
                          "a work-group must use at most 2048 bytes of local memory"));
  const auto holds = [&](std::int64_t value) {
    bool all = true;
    for (const space::Constraint& each : constraints_of(term(tiled), limits))
      all = all && arith::evaluate(each.predicate, {{t.get(), value}}).value();
    return all;
  };
  EXPECT_FALSE(holds(16));
  EXPECT_TRUE(holds(32));
  EXPECT_TRUE(holds(256));
  EXPECT_FALSE(holds(512));
  limits.local_memory = 512;
  EXPECT_TRUE(holds(128));
  EXPECT_FALSE(holds(256));
}

TEST_F(Limits, HoldAlongEachDimension) {
  const auto along = [](int dimension) {
    return fmt::format(
        "def f(x: [1024]f32): [1024]f32 = x |> split(?t) |> mapWrg({0}, tile => tile |> mapLcl({0}, e => 2.0 "
        "* e))"
        " |> join",
        dimension);
  };
  EXPECT_EQ(demand_of(term(along(2))).group_lengths, (std::array<arith::Expr, 3>{1, 1, t}));
  target::Target limits;
  EXPECT_THAT(messages(along(1), limits), ElementsAre("a work-group must have at most 1024 work-items"));
  EXPECT_THAT(messages(along(2), limits),
              ElementsAre("a work-group must have at most 1024 work-items",
                          "a work-group must have at most 64 work-items along dimension 2"));
  limits.max_group_sizes = {1024, 128, 1024};
  EXPECT_THAT(messages(along(1), limits),
              ElementsAre("a work-group must have at most 1024 work-items",
                          "a work-group must have at most 128 work-items along dimension 1"));
}

TEST_F(Limits, ThatAlwaysHoldAreNoConstraints) {
  EXPECT_THAT(
      messages("def f(x: [1024]f32): [1024]f32 = x |> split(?t) |> mapGlb(0, mapSeq(e => 2.0 * e)) |> join",
               {}),
      IsEmpty());
}

}  // namespace
}  // namespace hoist::variants
