#pragma once
// How the loops of a nest run, where the program says so: loopAt, loopJam and loopLanes.
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/term.hpp"
#include "loop/kernel.hpp"
#include "loop/traverse.hpp"

namespace hoist::lower {

/// Loops are numbered from 0 on as they stand in each other before: those over the elements of the result,
/// then those of the reduction that computes one.
struct Schedule {
  std::vector<std::size_t>
      places;  ///< for each place, from the outermost on, which of the loops left is there
  struct Jammed {
    std::size_t loop = 0;
    std::int64_t length = 0;  ///< of the whole loop
    std::int64_t by = 1;      ///< how many iterations are one body
  };
  std::vector<Jammed> jams;
  std::size_t lanes_of = 0;  ///< the loop whose iterations are lanes
  std::int64_t lanes = 1;
};

/// Takes the patterns that are a schedule off a term: what they are of, and what they say. User error where
/// a size is no constant.
struct Scheduled {
  ir::Term nest;
  Schedule schedule;
};
Scheduled taken_off(ir::Term term);

/// Gives the nest that a kernel is the loops that a schedule asks for. User error where the kernel is no
/// perfect nest of loops of constant lengths, whatever its reduction does at their end, or where the schedule
/// is of other loops.
void run_by_schedule(loop::Kernel& kernel, const Schedule& schedule, loop::NameSource& names);

/// The lengths of the loops that a schedule may order, as they stand in each other; nothing where there are
/// none.
std::optional<std::vector<std::int64_t>> loops_to_order(const loop::Kernel& kernel);

}  // namespace hoist::lower
