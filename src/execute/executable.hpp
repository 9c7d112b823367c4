#pragma once
// A compiled program on a device: its kernels, its memory, and what runs them.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/compile.hpp"
#include "execute/launch_plan.hpp"
#include "execute/plan_run.hpp"
#include "runtime/device.hpp"

namespace hoist::execute {

/// The caller's memory in place of the executable's own, by flattened input and output; null: the
/// executable's.
struct Bound {
  std::vector<runtime::Buffer*> inputs, outputs;
};

/// What of a compiled program does not fit a device, as far as that is known before it is built: memory,
/// images, f64.
Result<void> check_fits(const driver::Compiled& compiled, const target::Target& device);
/// The same without memory: what its kernels need.
Result<void> check_kernels_fit(const driver::Compiled& compiled, const target::Target& device);

/// Why the arrays of a program cannot all be on a device that has so many bytes of memory left (0: nobody
/// knows); nothing where they can, or where preparing it fails for another reason.
std::optional<std::string> lack_of_memory(const driver::Compiled& compiled, const target::Target& device,
                                          std::size_t memory);

/// What a runtime::Builder made of the source; where it made nothing, or the device refuses it, the source is
/// built.
Result<std::unique_ptr<runtime::Program>> load_or_build(runtime::Device& device, const std::string& source,
                                                        const std::string& binary);

/// The caller's memory that a run copies from and to, by flattened input and output. Where it is missing or
/// empty, an input is what was written last, or bound, and an output is read when it is asked for.
struct Transfers {
  std::vector<std::span<const std::byte>> inputs = {};
  std::vector<std::span<std::byte>> outputs = {};
};

struct PrepareOptions {
  std::string binary = {};       ///< as load_or_build takes it
  bool has_guard_zones = false;  ///< behind the arrays that the executable allocates (execute/guard_zone.hpp)
  /// What the device made of the same source for another executable, whose kernels it has, too; null: it is
  /// built.
  std::shared_ptr<runtime::Program> program = {};
};

/// A compiled program on a device, with its buffers. All sizes must have been put in. It keeps no expression,
/// so it outlives the arena of what it was made from.
class Executable {
 public:
  /// Builds the kernels. Device errors name what does not fit, with the limit.
  static Result<Executable> prepare(runtime::Device& device, const driver::Compiled& compiled,
                                    const PrepareOptions& options = {});
  Executable(Executable&&) noexcept;
  Executable& operator=(Executable&&) noexcept;
  ~Executable();

  /// Copies inputs to the device: one Data per parameter.
  Result<void> write_inputs(const std::vector<Data>& inputs);
  /// One flattened input, which is as large as the plan says.
  Result<void> write_input(std::size_t leaf, std::span<const std::byte> bytes);
  /// Fills outputs and temporaries with a pattern, so that what a kernel does not write is seen. Bound
  /// outputs are the caller's to fill.
  Result<void> poison(const Bound& bound = {});
  /// Runs the plan's graph once, its tasks on one queue. Buffers are allocated by the first run and kept; no
  /// buffer may be bound to an output and to anything else.
  Result<RunTimes> run(const Bound& bound = {}, const Transfers& transfers = {});
  /// Whether a run needs nothing of the host while its tasks run and after them, so that it can be started.
  bool can_start() const;
  /// The program's, as what is started is noted under it.
  const std::shared_ptr<const std::string>& name() const;
  /// Gives the graph's tasks to a queue, after these events, and does not wait for them: the event is of the
  /// last one. All arrays are bound, and `transfers` has numbers alone. What the executable itself needs of
  /// earlier runs that were started it waits for on the queue. Precondition: can_start().
  Result<runtime::Event> start(const Bound& bound, const Transfers& transfers, runtime::Queue& queue,
                               std::vector<runtime::Event> after);
  /// Runs the graph once from the caller's memory to new memory: one Data per parameter.
  Result<Data> run_on(const std::vector<Data>& inputs);
  /// Runs `steps` times; each but the first takes the result of the one before as its flattened inputs from
  /// `fed` on, where it is on the device. The inputs stay as they were written, the last result is the
  /// output.
  Result<RunTimes> run_steps(std::size_t steps, std::size_t fed);
  Result<Data> read_outputs();
  /// The array behind which something was written since poison(), of those with a guard zone; empty: none.
  Result<std::string> overrun();
  /// The first bytes of one flattened output that is in the executable's own memory.
  Result<void> read_output(std::size_t leaf, std::span<std::byte> bytes);

  const LaunchPlan& plan() const;
  const std::shared_ptr<runtime::Program>& program() const;
  double build_seconds() const;
  /// What the driver tells of each of the plan's kernels.
  std::vector<std::optional<runtime::KernelFacts>> kernel_facts() const;

 private:
  struct State;
  explicit Executable(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Runs once, over poisoned memory.
Result<Data> run_once(runtime::Device& device, const driver::Compiled& compiled,
                      const std::vector<Data>& inputs);
/// Compiles for the device and does the same.
Result<Data> run_once(runtime::Device& device, const ir::Program& program, const driver::NamedSizes& sizes,
                      const std::vector<Data>& inputs);

}  // namespace hoist::execute
