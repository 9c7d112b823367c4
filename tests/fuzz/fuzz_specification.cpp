// Drives the reader of specification files, and the searches that they describe, with texts that are almost,
// or not at all, specifications:
//   fuzz_specification COUNT SEED
// Every text must be accepted or rejected with a message, within two seconds. What is accepted must print as
// text that reads back as the same; its search on a small space must end, by itself or with a message, and
// ask for nothing twice.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "fuzz/harness.hpp"
#include "search/run.hpp"
#include "search/specified_search.hpp"
#include "unit/search/made_up_space.hpp"

namespace hoist {
namespace {

using fuzz::below;
using fuzz::Random;
using search::Configuration;

/// Of the names that the shipped files have: work-groups and merging of 1 to 4 in two dimensions.
const search::MadeUpSpace& space() {
  static const search::MadeUpSpace made = [] {
    std::vector<Configuration> all;
    for (const std::int64_t wx : {1, 2, 4})
      for (const std::int64_t wy : {1, 2, 4})
        for (const std::int64_t cx : {1, 2, 4})
          for (const std::int64_t cy : {1, 2, 4})
            for (const std::int64_t technique : {0, 1, 2})
              if (wx * cx <= 4 && wy * cy <= 4)
                all.push_back(
                    {wx, wy, 1, 1, 1, 1, cx, cy, 1, 1, technique == 1 ? 1 : 0, technique == 2 ? 1 : 0});
    return search::MadeUpSpace({"WX", "WY", "WZ", "BX", "BY", "BZ", "CX", "CY", "CZ", "VX", "LOCAL", "IMAGE"},
                               all);
  }();
  return made;
}

/// Some fail, the others differ.
search::Outcome outcome_of(const Configuration& configuration) {
  const std::size_t hash = search::ConfigurationHash()(configuration);
  if (hash % 5 == 0) return search::Outcome::of_failure(search::FailureKind::Run, 1);
  return search::Outcome::of_time(1 + static_cast<double>(hash % 1000), 1);
}

/// Texts from the grammar: well-formed, and mostly of names that there are.
class Grammar {
 public:
  explicit Grammar(Random& random) : random_(random) {}

  std::string file() {
    std::string text = "set n = 2;\nset t = one | two | three;\n";
    // What everything else needs.
    text += "WX=1, WY=1, WZ=1, BX=1, BY=1, BZ=1, CX=1, CY=1, CZ=1, VX=1, LOCAL=0, IMAGE=0;\n";
    return text + items(2);
  }

 private:
  bool chance(std::size_t of) { return below(random_, of) == 0; }
  template <std::size_t count>
  const char* one_of(const char* const (&texts)[count]) {
    return texts[below(random_, count)];
  }

  std::string items(int depth) {
    std::string text;
    const std::size_t count = 1 + below(random_, 4);
    for (std::size_t i = 0; i < count; ++i) {
      if (depth > 0 && chance(5)) {
        text += fmt::format("repeat {} {{\n{}}}\n", below(random_, 4), items(depth - 1));
      } else {
        text += step() + ";\n";
      }
    }
    return text;
  }

  std::string step() {
    if (chance(8)) return fmt::format("sample({})", 1 + below(random_, 30));
    std::string text = chance(8) ? fmt::format("sample({}), ", 1 + below(random_, 30)) : "";
    const std::size_t count = 1 + below(random_, 4);
    for (std::size_t i = 0; i < count; ++i)
      text += (i == 0 ? "" : ", ") + (i > 0 && chance(5) ? condition() : assignment());
    return text;
  }
  std::string condition() {
    constexpr const char* signs[] = {"==", "!=", "<", "<=", ">", ">="};
    return fmt::format("{} {} {}", expression(2), one_of(signs), expression(2));
  }
  std::string assignment() {
    if (chance(8)) return fmt::format("{}={}", name(), expression(2));
    if (chance(4)) return fmt::format("{}={}", name(), 1 + below(random_, 2));
    if (chance(6)) return fmt::format("{}=sample({}, {})", name(), 1 + below(random_, 4), range());
    return fmt::format("{}={}", name(), range());
  }
  std::string range() {
    return fmt::format("{}:{}:{}", chance(3) ? expression(1) : "1", chance(2) ? expression(2) : "4",
                       chance(6)   ? "+" + expression(1)
                       : chance(6) ? "*" + expression(1)
                                   : "*2");
  }
  std::string name() {
    constexpr const char* names[] = {"WX", "WY", "WZ", "BX", "BY", "CX", "CY", "CZ", "VX", "LOCAL", "IMAGE"};
    return chance(100) ? "W" : one_of(names);
  }
  std::string expression(int depth) {
    constexpr const char* leaves[] = {"1",       "2",  "4",  "NX", "NY",  "best.WX",
                                      "best.CX", "WX", "CY", "n",  "two", "0"};
    if (depth == 0 || chance(3)) return one_of(leaves);
    if (chance(6)) return fmt::format("min({}, {})", expression(depth - 1), expression(depth - 1));
    if (chance(8)) return fmt::format("-{}", expression(depth - 1));
    constexpr const char* signs[] = {"+", "-", "*", "/", "%"};
    return fmt::format("({} {} {})", expression(depth - 1), one_of(signs), expression(depth - 1));
  }

  Random& random_;
};

/// Deep and long texts.
std::string repetition(Random& random) {
  const std::size_t sizes[] = {10, 100, 499, 1000, 20'000};
  const std::size_t count = sizes[below(random, std::size(sizes))];
  const auto times = [&](const std::string& piece) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += piece;
    return text;
  };
  switch (below(random, 6)) {
    case 0:
      return "WX=" + times("(") + "1" + times(")");
    case 1:
      return "WX=1" + times("+1");
    case 2:
      return times("repeat 2 { ") + "WX=1;" + times("}");
    case 3:
      return times("WX=1;");
    case 4:
      return "WX=" + times("-") + "1";
    default:
      return "WX=1" + times(", WX=1");
  }
}

bool is_accepted(const std::string& text) {
  const Source source{"fuzz", text};
  const auto check = [&](const Error& error) {
    if (error.diagnostics.empty()) fuzz::give_up("rejected without a message");
    for (const Diagnostic& each : error.diagnostics) {
      if (each.message.empty()) fuzz::give_up("an empty message");
      if (each.span && each.span->end > text.size()) fuzz::give_up("a place beyond the text");
    }
    if (error.render(&source).empty()) fuzz::give_up("an empty message");
  };
  const auto parsed = search::specification::parse(source);
  if (!parsed) return check(parsed.error()), false;
  const Source printed{"printed", to_string(*parsed)};
  const auto again = search::specification::parse(printed);
  if (!again) fuzz::give_up("does not read back: " + again.error().render(&printed) + "\n" + printed.text);
  if (to_string(*again) != printed.text) fuzz::give_up("reads back as something else: " + printed.text);

  search::specification::Limits limits;
  limits.configurations = 2'000;
  limits.values_of_step = 20'000;
  limits.values_in_all = 100'000;
  const search::specification::Context context{{{"NX", 4}, {"NY", 4}, {"NZ", 1}}, {}};
  auto strategy = search::SpecifiedSearch::make(space(), *parsed, context, 1, limits);
  if (!strategy) return check(strategy.error()), false;
  std::set<Configuration> asked;
  try {
    search::Budget budget;
    budget.batch = 1 + text.size() % 5;
    search::run(
        **strategy,
        [&](std::span<const Configuration> batch) {
          std::vector<search::Trial> trials;
          for (const Configuration& each : batch) {
            if (!asked.insert(each).second) fuzz::give_up("a configuration is asked for twice");
            if (!space().space().contains(each)) fuzz::give_up("a configuration is none of the space");
            trials.push_back({each, outcome_of(each)});
          }
          return trials;
        },
        budget);
  } catch (const Failure& failure) {
    check(failure.error());
  }
  const search::SpecificationTally tally = (*strategy)->tally();
  if (tally.asked < asked.size() || tally.ran + tally.failed != asked.size())
    fuzz::give_up("the tally is wrong");
  return true;
}

}  // namespace
}  // namespace hoist

int main(int argc, char** argv) {
  using hoist::fuzz::below;
  const hoist::fuzz::Mutator mutator(hoist::fuzz::read_corpus({"searches"}, ".spec"), {"set ",
                                                                                       "repeat ",
                                                                                       "best.",
                                                                                       "sample(",
                                                                                       "min(",
                                                                                       "max(",
                                                                                       "(",
                                                                                       ")",
                                                                                       "{",
                                                                                       "}",
                                                                                       ";",
                                                                                       ",",
                                                                                       "=",
                                                                                       ":",
                                                                                       "*",
                                                                                       "+",
                                                                                       "-",
                                                                                       "/",
                                                                                       "%",
                                                                                       "==",
                                                                                       "!=",
                                                                                       "<",
                                                                                       "<=",
                                                                                       ">",
                                                                                       ">=",
                                                                                       "|",
                                                                                       ".",
                                                                                       "//",
                                                                                       "\n",
                                                                                       "0",
                                                                                       "1",
                                                                                       "2",
                                                                                       "64",
                                                                                       "9223372036854775807",
                                                                                       "99999999999999999999",
                                                                                       "WX",
                                                                                       "NX",
                                                                                       "LOCAL",
                                                                                       "n",
                                                                                       "vector",
                                                                                       ":*2",
                                                                                       ":*1",
                                                                                       ":+0",
                                                                                       "1:4:*2",
                                                                                       "_",
                                                                                       "t.1"});
  return hoist::fuzz::run(
      argc, argv,
      [&](hoist::fuzz::Random& random) {
        switch (below(random, 8)) {
          case 0:
            return mutator.bytes(random);
          case 1:  // rarely: these are long
            return below(random, 20) == 0 ? hoist::repetition(random) : mutator.mutation(random);
          case 2:
          case 3:
          case 4:
            return hoist::Grammar(random).file();
          default:
            return mutator.mutation(random);
        }
      },
      hoist::is_accepted);
}
