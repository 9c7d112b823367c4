// Every rule fires many times on generated programs and never changes their meaning. HOIST_SLOW=1: a thousand
// times; HOIST_SEED=n begins with that seed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "rewrite/rule_reader.hpp"
#include "rewrite/rules/catalogue.hpp"
#include "rewrite/rules/tables.hpp"
#include "rules/soundness.hpp"

namespace hoist {
namespace {

using testing_support::hold_against_interpreter;
using testing_support::Soundness;

constexpr int ordinary_firings = 30;
constexpr int slow_firings = 1000;

int wanted_firings() {
  const char* slow = std::getenv("HOIST_SLOW");
  return slow && std::string(slow) != "0" ? slow_firings : ordinary_firings;
}
std::uint64_t first_seed() {
  const char* seed = std::getenv("HOIST_SEED");
  return seed ? std::strtoull(seed, nullptr, 10) - 1 : 1000;
}

/// Programs for rules that are functions: instances of these left sides.
const std::multimap<std::string, std::string>& left_sides() {
  static const std::multimap<std::string, std::string> all = {
      {"map_fission", "x |> map(r => r |> map(f) |> join)"},
      {"map_fission", "x |> map(r => zip(r, y) |> map(f) |> reduce(g, z))"},
      {"map_fission", "x |> map(r => r |> transpose |> map(f))"},
      {"map_fission", "x |> map(r => r |> slide(w, s) |> map(f))"},
  };
  return all;
}

void expect_sound(const rewrite::Rule& rule, const rewrite::Rule& instances) {
  const Soundness sound = hold_against_interpreter(rule, instances, wanted_firings(), first_seed());
  EXPECT_EQ(sound.fault, "");
  EXPECT_GE(sound.fired, wanted_firings()) << "of " << sound.tried << " programs";
}

class Rules : public testing::TestWithParam<std::string> {};

TEST_P(Rules, KeepTheMeaning) {
  const rewrite::Rule* rule = rewrite::rule_named(GetParam());
  ASSERT_NE(rule, nullptr);
  if (rule->function == nullptr) return expect_sound(*rule, *rule);
  const auto [begin, end] = left_sides().equal_range(rule->name);
  ASSERT_NE(begin, end) << "say of which programs the function is to be tested";
  for (auto left = begin; left != end; ++left) {
    const std::string law = left->second + " ==> " + left->second;
    const rewrite::Rule instances = [&] {
      const ir::Arena arena;
      return rewrite::read_rule({.name = rule->name, .law = law}, "instances");
    }();
    expect_sound(*rule, instances);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const rewrite::Rule& rule : rewrite::all_rules()) all.push_back(rule.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Rules, testing::ValuesIn(names()), [](const auto& each) { return each.param; });

}  // namespace
}  // namespace hoist
