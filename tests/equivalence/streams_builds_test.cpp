// One build of a program's kernels serves all numbers of tasks that cut it alike, and what a model of streams
// is told of the most tasks is true: over the programs that ship, printed for each language.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "driver/compile.hpp"
#include "driver/suite.hpp"
#include "lang/lang.hpp"
#include "target/kinds.hpp"
#include "tasks/cut.hpp"
#include "tasks/facts.hpp"

namespace hoist::tasks {
namespace {

using target::Language;

/// What of a cut its kernels' text depends on: how steps form phases, along which loops they are cut, which
/// arrays are windows, of elements or of columns, and whether tasks have parts of work-groups.
std::string way_of(const Cut& cut, const loop::Plan& whole) {
  std::string text;
  for (const Phase& phase : cut.phases) {
    text += phase.is_cut ? "cut:" : "whole:";
    for (const TaskStep& step : phase.steps) {
      text += fmt::format(" {}", step.step);
      if (!phase.is_cut) continue;
      const auto kernel = std::get<loop::LaunchStep>(whole.steps[step.step].node).kernel;
      const loop::LaunchRange& launch = whole.kernels[kernel].launch;
      const bool is_global = step.loop->outer.parallelism == loop::Parallelism::Global;
      const auto dimension = static_cast<std::size_t>(step.loop->outer.dimension);
      const std::int64_t group = is_global ? launch.local[dimension].constant().value() : 1;
      bool has_parts = false;
      for (const Region& each : step.iterations) has_parts |= each.rows.length() % group != 0;
      text += fmt::format("({}{})", step.loop->outer.variables.front()->name, has_parts ? ", parts" : "");
    }
    text += "; ";
  }
  for (const Array& array : cut.arrays) {
    if (array.is_windowed()) text += " " + array.name + (array.has_column_windows() ? " by columns" : "");
  }
  return text;
}

/// The numbers of tasks that are tried of so many.
std::set<std::int64_t> some_numbers(std::int64_t most) {
  std::set<std::int64_t> result{most};
  for (const std::int64_t each : {2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 64}) {
    if (each >= 2 && each <= most) result.insert(each);
  }
  result.erase(1);
  return result;
}

struct Shipped {
  std::string name;
  std::filesystem::path path;
  driver::NamedSizes sizes;
};

/// Each program at one set of sizes for each of its sets but that of benchmarks.
std::vector<Shipped> shipped() {
  std::vector<Shipped> result;
  for (const char* directory :
       {"kernels", "kernels/polybench", "kernels/imaging", "kernels/low-level", "examples/streams"}) {
    const auto suite = driver::load_suite(std::string(HOIST_SOURCE_DIR) + "/" + directory);
    if (!suite) throw std::runtime_error(suite.error().render());
    for (const driver::SuiteProgram& each : *suite) {
      for (const auto& [set, sizes] : each.sizes) {
        if (set != "bench") result.push_back({each.name + " " + set, each.path, sizes});
      }
    }
  }
  return result;
}

/// The plan of the default mapping; throws where there is none.
loop::Plan plan_of(const Shipped& program, const target::Target& target) {
  const Source source = driver::read_source(program.path).value();
  const ir::Program sized = driver::with_sizes(lang::parse_program(source).value(), program.sizes).value();
  const driver::Compilation compilation{.lowering = driver::options_for(target), .last = driver::Stage::Loop};
  return driver::compile(sized, compilation).value().plan;
}

TEST(StreamsBuilds, OneTextForEachWayToCut) {
  for (const Language language : {Language::OpenCL, Language::Cuda, Language::Host}) {
    const target::Target target = target::any_device(language);
    std::size_t programs = 0, numbers = 0, texts_in_all = 0, with_one = 0;
    for (const Shipped& each : shipped()) {
      ir::Arena arena;
      const loop::Plan plan = plan_of(each, target);
      std::map<std::string, std::set<std::string>> texts;
      std::set<std::string> all;
      for (const bool has_windows : {false, true}) {
        for (const std::int64_t tasks : some_numbers(most_tasks(plan))) {
          const auto made = cut(plan, {tasks, has_windows});
          ASSERT_TRUE(made) << each.name << ", " << tasks << " tasks: " << made.error().render();
          const auto text = driver::source_of(made->plan, target);
          ASSERT_TRUE(text) << each.name << text.error().render();
          texts[(has_windows ? "windows " : "") + way_of(*made, plan)].insert(*text);
          if (!has_windows) all.insert(*text);
          numbers += has_windows ? 0 : 1;
        }
      }
      for (const auto& [way, alike] : texts) {
        EXPECT_EQ(alike.size(), 1U) << each.name << " for " << static_cast<int>(language) << ": " << way
                                    << "\n"
                                    << fmt::format("{}", fmt::join(alike, "\n\n"));
        if (HasFailure()) return;
      }
      programs += texts.empty() ? 0 : 1;
      with_one += all.size() == 1 ? 1 : 0;
      texts_in_all += all.size();
    }
    std::printf("%s: %zu programs in memory as a whole, cut %zu times, become %zu texts; %zu have one\n",
                std::string(target::kind_of(language).name).c_str(), programs, numbers, texts_in_all,
                with_one);
    EXPECT_LT(texts_in_all, 3 * programs);
  }
}

TEST(StreamsBuilds, TheMostTasksCanBe) {
  std::size_t cut_at_all = 0;
  for (const Language language : {Language::OpenCL, Language::Host}) {
    const target::Target target = target::any_device(language);
    for (const Shipped& each : shipped()) {
      ir::Arena arena;
      const loop::Plan plan = plan_of(each, target);
      const auto facts = task_facts(plan);
      ASSERT_TRUE(facts) << each.name;
      const auto most = static_cast<std::int64_t>(facts->max_tasks);
      EXPECT_EQ(most, most_tasks(plan)) << each.name;
      if (most > 1) {
        const auto made = cut(plan, {most});
        EXPECT_TRUE(made) << each.name << " into " << most << " tasks: " << made.error().render();
      }
      EXPECT_FALSE(cut(plan, {most + 1})) << each.name << " can be cut into " << most + 1 << " tasks";
      cut_at_all += most > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(cut_at_all, 100U);
}

}  // namespace
}  // namespace hoist::tasks
