#pragma once
// From a program to the source of its kernels: the one place that joins mapping, lowering and code.
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/tensor.hpp"
#include "ir/term.hpp"
#include "loop/kernel.hpp"
#include "lower/lower.hpp"
#include "rewrite/default_mapping.hpp"
#include "target/target.hpp"

namespace hoist::driver {

/// How far a program goes: to low-level patterns, to loops, to the source of its kernels.
enum class Stage : std::uint8_t { Low, Loop, Source };

/// What a program is compiled for, and who looks on.
struct Compilation {
  lower::Options lowering = {};  ///< with the target
  Stage last = Stage::Source;
  /// Where several programs are linked into one: kernels are called NAME_kernel0, NAME_kernel1, ...
  std::string kernel_names = {};
  /// Called as soon as their stages are done, where they are set; what they throw ends the compilation.
  std::function<void(const rewrite::MappedProgram&)> mapped = {};
  std::function<void(const loop::Plan&)> lowered = {};
};

/// A program after every stage of its journey, as far as it went.
struct Compiled {
  ir::Program low;  ///< in low-level patterns, with the sizes that were given put in
  loop::Plan plan;
  std::string source;  ///< all kernels, in the language asked for
  /// The bytes of local memory that a launch of each of the plan's kernels gives, beside what the source
  /// declares.
  std::vector<std::size_t> dynamic_local_memory;
  std::vector<std::string> notes;  ///< what stayed sequential, and why
};

/// Values of size variables and tuning parameters by name.
using NamedSizes = std::vector<std::pair<std::string, std::int64_t>>;

/// The program with these sizes (and parameters ?t) as constants. User errors: an unknown name, a value that
/// is not positive, an assumption (a tile that must divide) that the values break.
Result<ir::Program> with_sizes(const ir::Program& program, const NamedSizes& values);

/// The source of a plan's kernels in a device's language.
Result<std::string> source_of(const loop::Plan& plan, const target::Target& target);

/// The options for kernels of this device.
lower::Options options_for(const target::Target& device, lower::Options options = {});

/// The pipeline: maps (unless the program says how), lowers and prints for the target of the options. Sizes
/// that were not put in stay variables of the kernels.
Result<Compiled> compile(const ir::Program& program, const Compilation& compilation);
Result<Compiled> compile(const ir::Program& program, const lower::Options& options = {});

/// The same program by another plan of its meaning, with that plan's source.
Result<Compiled> with_plan(const Compiled& compiled, loop::Plan plan, const target::Target& target);

/// Which flattened inputs a program's result becomes in `--steps`: those from here on. `name` is an input of
/// the result's type; empty: the only one there is. User errors: none, several (`advice` says how one is
/// named), a result that is one number.
Result<std::size_t> fed_input(const ir::Program& program, const std::string& name,
                              const std::string& advice = "name one with --feed");

/// The shape and type of each leaf of a type whose sizes are all constants.
Result<std::vector<Tensor>> empty_leaves(ir::Type type);

}  // namespace hoist::driver
