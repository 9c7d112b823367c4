// The macro rules on random nests: after each of them the program must mean the same to the reference
// interpreter, and what they derive must compute it without a fault. Sizes that do not divide must be
// refused.
//
// HOIST_SLOW=1 goes on until every rule has fired a thousand times; HOIST_SEED=n runs only the program of
// that seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

#include "driver/inputs.hpp"
#include "equivalence/random_nest.hpp"
#include "interpret/compare.hpp"
#include "interpret/interpret.hpp"
#include "ir/print.hpp"
#include "loop/check.hpp"
#include "loop/print.hpp"
#include "rewrite/strategies/catalogue.hpp"
#include "support/executed.hpp"
#include "support/slow.hpp"

namespace hoist {
namespace {

using testing_support::is_slow;
using testing_support::RandomNest;

constexpr std::uint64_t input_seed = 20261121;

/// What became of the programs; a test of rules that never fire tests nothing.
struct Tally {
  std::map<std::string, int> fired, declined, refused;  ///< by the strategy's name
  int run = 0, uncompiled = 0;
};

/// One random program on its way.
class Derivation {
 public:
  Derivation(const RandomNest& nest, std::uint64_t seed, Tally& tally)
      : program_(testing_support::program_of(nest.text)),
        sizes_(nest.sizes),
        bindings_(driver::bindings_of(program_, sizes_)),
        rank_(nest.rank),
        random_(seed),
        tally_(tally),
        what_(fmt::format("seed {}\n{}", seed, nest.text)) {
    for (const auto& [name, value] : sizes_) what_ += fmt::format("{}={} ", name, value);
    inputs_ = driver::random_inputs(program_, bindings_, input_seed).value();
    interpret::Counts counts;
    expected_ = interpret::evaluate(program_, inputs_, bindings_, {}, &counts).value();
    bound_ = interpret::error_bound(program_, bindings_, &counts);
  }

  /// Of the nest's dimensions, mostly all.
  int some_rank() { return below(4) == 0 ? 1 + below(3) : rank_; }
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

  /// A strategy as its text says, at the outermost place where it fits, with random sizes. Whether it is
  /// done.
  bool attempt(const std::string& text) {
    if (testing::Test::HasFailure()) return false;
    const auto named = rewrite::strategy_from_text(text).value();
    std::vector<arith::Expr> choices = named.choices;
    constexpr int divisors[] = {2, 2, 2, 2, 4, 4, 1, 3};
    constexpr std::size_t most_choices = 12;
    for (std::size_t i = choices.size(); i < most_choices; ++i) choices.emplace_back(divisors[below(8)]);
    const std::string name(named.entry->name);
    const rewrite::Strategy strategy =
        named.entry->is_local ? rewrite::top_down(named.strategy) : named.strategy;
    const auto rewritten = rewrite::rewrite(program_, strategy, choices);
    if (!rewritten) {
      ++tally_.declined[name];
      return false;
    }
    const std::string step = fmt::format("{}\n{}:\n{}", what_, text, ir::to_string(rewritten->program));
    const auto sized = driver::with_sizes(rewritten->program, sizes_);
    if (!sized) {
      EXPECT_TRUE(breaks_an_assumption(rewritten->program)) << sized.error().render() << step;
      ++tally_.refused[name];
      return false;
    }
    expect_same_meaning(rewritten->program, step);
    program_ = rewritten->program;
    what_ += fmt::format("{} ", text);
    ++tally_.fired[name];
    return true;
  }
  /// With other sizes where the first do not divide.
  void insist(const std::string& text) {
    for (int tries = 0; tries < 4; ++tries) {
      if (attempt(text)) return;
    }
  }

  /// Compiled and run by the loop interpreter.
  void run() {
    if (testing::Test::HasFailure()) return;
    std::string what = fmt::format("{}\n{}", what_, ir::to_string(program_));
    const auto sized = driver::with_sizes(program_, sizes_);
    ASSERT_TRUE(sized) << sized.error().render() << what;
    const auto compiled = driver::compile(*sized);
    if (!compiled) {  // a derivation that leads nowhere; never a wrong number
      EXPECT_NE(compiled.error().kind, ErrorKind::Bug) << compiled.error().render() << what;
      ++tally_.uncompiled;
      return;
    }
    what += loop::to_string(compiled->plan);
    const auto checked = loop::check(compiled->plan);
    ASSERT_TRUE(checked) << checked.error().render() << what;
    const auto executed = testing_support::execute(compiled->plan, compiled->low.result(), inputs_);
    ASSERT_TRUE(executed) << executed.error().render() << what;
    for (const std::string& fault : executed->report.faults) ADD_FAILURE() << fault << "\n" << what;
    expect_equal(executed->outputs, what);
    ++tally_.run;
  }

 private:
  bool breaks_an_assumption(const ir::Program& program) const {
    for (const ir::SizeAssumption& each : ir::size_assumptions(program.function)) {
      if (!arith::evaluate(each.predicate, bindings_).value_or(false)) return true;
    }
    return false;
  }
  void expect_same_meaning(const ir::Program& program, const std::string& what) {
    const auto got = interpret::evaluate(program, inputs_, bindings_);
    ASSERT_TRUE(got) << got.error().render() << what;
    expect_equal(*got, what);
  }
  void expect_equal(const Data& got, const std::string& what) {
    const auto comparison = interpret::compare(expected_, got, bound_);
    ASSERT_TRUE(comparison) << comparison.error().render() << what;
    EXPECT_TRUE(comparison->agrees()) << interpret::to_string(*comparison) << "\n" << what;
  }

  ir::Program program_;
  driver::NamedSizes sizes_;
  arith::Bindings bindings_;
  int rank_;
  std::mt19937_64 random_;
  Tally& tally_;
  std::string what_;
  std::vector<Data> inputs_;
  Data expected_;
  interpret::ErrorBound bound_;
};

/// `count` programs, on demand as many as make each of `rules` fire a thousand times; rules that fire seldom
/// test nothing.
template <class Derive>
Tally derive_all(RandomNest (*make)(std::uint64_t), int count, const std::vector<std::string>& rules,
                 Derive&& derive) {
  Tally tally;
  const char* only = std::getenv("HOIST_SEED");
  const int wanted = is_slow() ? 1000 : 5;
  constexpr int most_times_count = 400;
  const auto is_enough = [&](std::uint64_t done) {
    if (only != nullptr) return done == 1;
    if (!is_slow()) return done == static_cast<std::uint64_t>(count);
    return done == static_cast<std::uint64_t>(most_times_count * count) ||
           std::ranges::all_of(rules, [&](const std::string& rule) { return tally.fired[rule] >= wanted; });
  };
  const std::uint64_t first = only != nullptr ? std::stoull(only) : 1;
  for (std::uint64_t seed = first; !is_enough(seed - first) && !testing::Test::HasFailure(); ++seed) {
    const ir::Arena arena;
    Derivation derivation(make(seed), seed, tally);
    derive(derivation);
    derivation.run();
  }
  for (const auto& [name, times] : tally.fired) {
    fmt::print("{}: fired {}, declined {}, refused {}\n", name, times, tally.declined[name],
               tally.refused[name]);
  }
  fmt::print("run {}, not compiled {}\n", tally.run, tally.uncompiled);
  EXPECT_GT(tally.run, 9 * tally.uncompiled);
  if (only != nullptr) return tally;
  for (const std::string& rule : rules) EXPECT_GE(tally.fired[rule], wanted) << rule;
  return tally;
}

void place_in_memory(Derivation& derivation) {
  for (int part = 0; part < 2; ++part) {
    if (derivation.below(4) == 0) continue;
    derivation.attempt(fmt::format("toLocal({},{},{},{},{}{})", part, derivation.below(3),
                                   derivation.below(3) == 0 ? 2 : 1, derivation.below(3), derivation.below(2),
                                   derivation.below(2) == 0 ? ",even" : ""));
  }
  if (derivation.below(2) == 0) derivation.attempt(fmt::format("toPrivate({},1)", derivation.below(2)));
  if (derivation.below(4) > 0) derivation.attempt("prefetch");
}

TEST(MacroRules, KeepTheMeaningOfContractions) {
  const std::vector<std::string> rules = {
      "tileGroups",
      "tileGroupsGuarded",
      "tileItems",
      "tileItemsGuarded",
      "tile",
      "tileBlocks",
      "tileLocal",
      "tileLocalBlocks",
      "interchange",
      "reorder",
      "hoistReduce",
      "hoistReduceByChunks",
      "items",
      "groups",
      "local",
      "tileAccumulationLocal",
      "map",
      "toLocal",
      "toPrivate",
      "tileAccumulationLocalBlocks",
      "prefetch",
      "fuse",
      "simplify",
      "normalize",
      "hoistReduceByChunksGuarded",
      "mapVectors",
  };
  const Tally tally = derive_all(testing_support::random_contraction, 800, rules, [](Derivation& derivation) {
    const int rank = derivation.some_rank();
    if (derivation.below(3) == 0) derivation.attempt("mapVectors(2)");
    const char* outer[] = {"tileGroups", "tileGroups", "tileGroupsGuarded", "tileItems", "tile", "tileBlocks",
                           "groups",     "items",      "tileItemsGuarded"};
    const char* inner[] = {"tileLocal", "tileLocalBlocks", "tile", "local"};
    const char* general[] = {"fuse", "normalize", "interchange"};
    derivation.attempt(general[derivation.below(3)]);
    if (derivation.below(4) == 0) derivation.attempt(rank == 2 ? "reorder(1,0)" : "reorder(2,0,1)");
    const int how = derivation.below(8);
    const bool needs_groups = how < 2 || how > 4;
    derivation.insist(fmt::format("{}({})", outer[derivation.below(needs_groups ? 3 : 9)], rank));
    if (how > 2)
      derivation.insist(derivation.below(2) == 0 ? "hoistReduceByChunks" : "hoistReduceByChunksGuarded");
    if (how > 3)
      derivation.insist(derivation.below(2) == 0 ? "tileAccumulationLocal" : "tileAccumulationLocalBlocks");
    if (how < 2) derivation.insist(fmt::format("{}({})", inner[derivation.below(4)], rank));
    if (derivation.below(2) == 0) derivation.attempt("hoistReduce");
    if (derivation.below(4) == 0) derivation.attempt("simplify");
    derivation.attempt("map");
    place_in_memory(derivation);
  });
  EXPECT_GT(tally.refused.at("tileGroups"), 5);
}

TEST(MacroRules, KeepTheMeaningOfSplitReductions) {
  const std::vector<std::string> rules = {
      "splitReduction",      "splitReductionGuarded", "tileGroups",  "tileGroupsGuarded", "groups",
      "hoistReduceByChunks", "tileAccumulationLocal", "hoistReduce", "reduceInGroup"};
  derive_all(testing_support::random_contraction, 400, rules, [](Derivation& derivation) {
    const int rank = 1 + derivation.below(2);
    const char* outer[] = {"tileGroups", "tileGroupsGuarded", "groups"};
    const char* inner[] = {"tileLocal", "tileLocalBlocks", "local"};
    derivation.insist(derivation.below(2) == 0 ? "splitReduction" : "splitReductionGuarded");
    if (derivation.below(6) > 0) derivation.insist(fmt::format("{}({})", outer[derivation.below(3)], rank));
    const int how = derivation.below(4);
    if (how == 0) derivation.insist("reduceInGroup(1)");
    if (how == 1) derivation.insist(fmt::format("{}({})", inner[derivation.below(3)], rank));
    if (how > 1) {
      derivation.insist(derivation.below(2) == 0 ? "hoistReduceByChunks" : "hoistReduceByChunksGuarded");
      derivation.insist("tileAccumulationLocal");
    }
    if (derivation.below(2) == 0) derivation.attempt("hoistReduce");
    derivation.attempt("map");
    place_in_memory(derivation);
  });
}

TEST(MacroRules, KeepTheMeaningOfStencils) {
  const std::vector<std::string> rules = {"tileGroups",       "tileGroupsGuarded", "tileItems",
                                          "tileItemsGuarded", "tileLocal",         "streamWindows",
                                          "toLocal",          "vectorWindows",     "itemsInGroups"};
  const Tally tally = derive_all(testing_support::random_stencil, 300, rules, [](Derivation& derivation) {
    const int rank = derivation.some_rank();
    constexpr int widths[] = {1, 2, 4};
    const char* outer[] = {"tileGroups", "tileGroupsGuarded", "tileItems", "tileItemsGuarded"};
    if (derivation.below(3) > 0) derivation.attempt(fmt::format("{}({})", outer[derivation.below(4)], rank));
    if (derivation.below(3) == 0) derivation.insist(fmt::format("tileLocal({})", rank));
    const int width = widths[derivation.below(3)];
    if (derivation.below(3) > 0)
      derivation.attempt(
          fmt::format("streamWindows{}({})", derivation.below(3) == 0 ? "Guarded" : "", width));
    if (derivation.below(3) == 0) derivation.attempt(fmt::format("vectorWindows({})", width));
    if (derivation.below(2) == 0) derivation.attempt("itemsInGroups");
    derivation.attempt("map");
    place_in_memory(derivation);
  });
  EXPECT_GT(tally.refused.at("streamWindows"), 5);
}

TEST(MacroRules, KeepTheMeaningOfMergedStencils) {
  const std::vector<std::string> rules = {"mergeItems", "toLocal"};
  derive_all(testing_support::random_stencil, 150, rules, [](Derivation& derivation) {
    constexpr int widths[] = {1, 1, 2, 4};
    derivation.attempt(fmt::format("mergeItems({})", widths[derivation.below(4)]));
    if (derivation.below(3) == 0) derivation.attempt(fmt::format("toImage({})", derivation.below(2)));
    if (derivation.below(2) == 0)
      derivation.attempt(fmt::format("toLocal({},0,1,0,0,flat)", derivation.below(2)));
    derivation.attempt("map");
  });
}

TEST(MacroRules, KeepTheMeaningOfReducedRows) {
  const std::vector<std::string> rules = {"hoistReduceByColumns", "hoistReduce", "tileGroups", "tileLocal"};
  derive_all(testing_support::random_rows, 150, rules, [](Derivation& derivation) {
    const int rank = derivation.some_rank();
    const char* outer[] = {"tileGroups", "tileGroupsGuarded", "tileItems"};
    const int how = derivation.below(4);
    if (how > 0) derivation.insist(fmt::format("{}({})", outer[derivation.below(how > 1 ? 2 : 3)], rank));
    if (how > 1) derivation.insist(fmt::format("{}({})", how == 2 ? "tileLocal" : "tileLocalBlocks", rank));
    derivation.attempt("hoistReduceByColumns");
    if (derivation.below(2) == 0) derivation.attempt("hoistReduce");
    derivation.attempt("map");
    place_in_memory(derivation);
  });
}

TEST(MacroRules, KeepTheMeaningOfReductions) {
  const std::vector<std::string> rules = {"reduceByGroups", "reduceInGroup", "dotVectors"};
  derive_all(testing_support::random_reduction, 100, rules, [](Derivation& derivation) {
    constexpr int widths[] = {1, 2, 4};
    const int width = widths[derivation.below(3)];
    switch (derivation.below(3)) {
      case 0:
        derivation.insist(fmt::format("reduceByGroups({})", width));
        break;
      case 1:
        derivation.attempt("groups(1)");
        derivation.insist(fmt::format("reduceInGroup({})", width));
        break;
      default:
        if (derivation.below(2) == 0) derivation.attempt("items(1)");
        derivation.attempt(fmt::format("dotVectors({})", 2 * width));
    }
    derivation.attempt("map");
  });
}

TEST(MacroRules, KeepTheMeaningOfRowsInRegisters) {
  derive_all(testing_support::random_passes, 150, {"rowInGroup", "groups"}, [](Derivation& derivation) {
    constexpr int widths[] = {1, 2, 4};
    derivation.attempt(fmt::format("groups({})", 1 + derivation.below(2)));
    derivation.insist(fmt::format("rowInGroup({})", widths[derivation.below(3)]));
    derivation.attempt("map");
    if (derivation.below(3) == 0) place_in_memory(derivation);
  });
}

}  // namespace
}  // namespace hoist
