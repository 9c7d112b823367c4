#pragma once
// Programs that ship, at sizes that a test gives: what the tests of the exploration begin with.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <stdexcept>
#include <string>

#include "driver/suite.hpp"
#include "lang/lang.hpp"
#include "support/slow.hpp"
#include "variants/alternatives.hpp"

namespace hoist::testing_support {

/// kernels/PROGRAM.hoist at these sizes.
struct Case {
  std::string program;
  driver::NamedSizes sizes;
};

inline std::string name_of(const Case& each) {
  std::string name = each.program;
  std::replace(name.begin(), name.end(), '/', '_');
  for (const auto& [size, value] : each.sizes) name += fmt::format("_{}{}", size, value);
  return name;
}
/// What GoogleTest prints of a case.
inline void PrintTo(const Case& each, std::ostream* out) { *out << name_of(each); }

struct Shipped {
  ir::Program program;  ///< without holes, its sizes open
  ir::Program sized;    ///< with its sizes put in
  driver::NamedSizes sizes;
  std::map<std::string, driver::InputRange> ranges;  ///< of its inputs
};

/// The program kernels/PATH.hoist in the current arena; throws where it is wrong.
inline Shipped shipped(const std::string& path, const driver::NamedSizes& sizes) {
  const std::filesystem::path file = std::filesystem::path(HOIST_SOURCE_DIR "/kernels") / path;
  const std::string name = file.filename().string();
  const auto need = [](auto result) {
    if (!result) throw std::runtime_error(result.error().render());
    return *std::move(result);
  };
  for (const driver::SuiteProgram& each : need(driver::load_suite(file.parent_path()))) {
    if (each.name != name) continue;
    const ir::Program program = need(lang::parse_program(need(driver::read_source(each.path))));
    return {program, need(driver::with_sizes(program, sizes)), sizes, need(each.ranges(sizes))};
  }
  throw std::runtime_error("there is no program kernels/" + path + ".hoist");
}

/// Small groups too, so that small sizes have points.
inline variants::ExplorationOptions small_groups(std::size_t steps) {
  variants::ExplorationOptions options;
  options.target.least_group_size = 1;
  options.derivations.steps = steps;
  return options;
}

}  // namespace hoist::testing_support
