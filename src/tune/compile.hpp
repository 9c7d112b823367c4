#pragma once
// From a program to something that runs: the one place that joins language, mapping, lowering, code and devices.
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/tensor.hpp"
#include "ir/term.hpp"
#include "loop/kernel.hpp"
#include "lower/lower.hpp"
#include "rewrite/default_mapping.hpp"
#include "runtime/device.hpp"

namespace hoist::tune {

/// A program after every stage of its journey.
struct Compiled {
  ir::Program low;                 ///< in low-level patterns, with the sizes that were given put in
  loop::Plan plan;
  std::string source;              ///< all kernels, in the language asked for
  /// Of each kernel of the plan: bytes of local memory that a launch gives, beside what the source declares.
  std::vector<std::size_t> dynamic_local_memory;
  std::vector<std::string> notes;  ///< what stayed sequential, and why
};

/// Values of size variables and tuning parameters by name.
using NamedSizes = std::vector<std::pair<std::string, std::int64_t>>;

/// The program with these sizes (and parameters ?t) as constants. User errors: an unknown name, a value that is not positive,
/// an assumption (a tile that must divide) that the values break.
Result<ir::Program> with_sizes(const ir::Program& program, const NamedSizes& values);

/// What the default mapping is made for, where a language's kernels run.
rewrite::Processor processor_of(runtime::Language language);

/// The source of a plan's kernels in a device's language.
Result<std::string> source_of(const loop::Plan& plan, runtime::Language language);

/// The options with what holds of a language's devices. Of OpenCL's only the device itself can say whether it has warps
/// and images.
lower::Options lowering_for(runtime::Language language, lower::Options options);

/// Maps (unless the program says how), lowers and prints. Sizes that were not put in stay variables of the kernels.
Result<Compiled> compile(const ir::Program& program, runtime::Language language, const lower::Options& options = {});

/// Bytes that the inputs and outputs of a program hold, and the floating-point operations it specifies, all sizes given:
/// what `--repeat` divides by the time. Every input byte counts as read once, every output byte as written once.
struct Work {
  double bytes = 0;
  double flops = 0;
};
Result<Work> work_of(const ir::Program& program);

/// The time of one run, by what it was spent on; seconds.
struct RunTimes {
  double kernels = 0;
  std::vector<double> each_kernel;   ///< in the order of launches
  std::vector<std::size_t> launched;  ///< which kernel of the plan each of them is
};

struct LaunchPlan;

/// The caller's memory in place of the executable's own, by flattened input and output; null: the executable's.
struct Bound {
  std::vector<runtime::Buffer*> inputs, outputs;
};

/// What of a compiled program does not fit a device, as far as that is known before it is built: memory, images, f64.
Result<void> check_fits(const Compiled& compiled, const runtime::DeviceInfo& device);

struct PrepareOptions {
  std::string binary = {};  ///< what a runtime::Builder made of the source; where the driver refuses it the source is built
  bool has_guard_zones = false;  ///< behind the arrays that the executable allocates (tune/guard_zone.hpp)
};

/// A compiled program on a device, with its buffers. All sizes must have been put in. It keeps no expression, so it
/// outlives the arena of what it was made from.
class Executable {
 public:
  /// Builds the kernels. Device errors name what does not fit, with the limit.
  static Result<Executable> prepare(runtime::Device& device, const Compiled& compiled, const PrepareOptions& options = {});
  Executable(Executable&&) noexcept;
  Executable& operator=(Executable&&) noexcept;
  ~Executable();

  /// Copies inputs to the device: one Data per parameter.
  Result<void> write_inputs(const std::vector<Data>& inputs);
  /// One flattened input, which is as large as the plan says.
  Result<void> write_input(std::size_t leaf, std::span<const std::byte> bytes);
  /// Fills outputs and temporaries with a pattern, so that what a kernel does not write is seen.
  Result<void> poison();
  /// Runs the plan once. Buffers are allocated by the first run and kept; no buffer may be bound to an output and to
  /// anything else.
  Result<RunTimes> run(const Bound& bound = {});
  /// Runs `steps` times; each but the first takes the result of the one before as its flattened inputs from `fed` on, where
  /// it is on the device. The inputs stay as they were written, the last result is the output.
  Result<RunTimes> run_steps(std::size_t steps, std::size_t fed);
  Result<Data> read_outputs();
  /// The array behind which something was written since poison(), of those with a guard zone; empty: none.
  Result<std::string> overrun();
  /// The first bytes of one flattened output that is in the executable's own memory.
  Result<void> read_output(std::size_t leaf, std::span<std::byte> bytes);

  const LaunchPlan& plan() const;
  double build_seconds() const;
  /// Of each kernel of the plan, what the driver tells of it.
  std::vector<std::optional<runtime::KernelFacts>> kernel_facts() const;

 private:
  struct State;
  explicit Executable(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Which flattened inputs a program's result becomes in `--steps`: those from here on. `name` is an input of the result's
/// type; empty: the only one there is. User errors: none, several, a result that is one number.
Result<std::size_t> fed_input(const ir::Program& program, const std::string& name);

/// The shape and type of each leaf of a type whose sizes are all constants.
Result<std::vector<Tensor>> empty_leaves(ir::Type type);

}  // namespace hoist::tune
