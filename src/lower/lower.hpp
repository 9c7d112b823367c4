#pragma once
// From a low-level term to a plan of kernels: the pipeline of docs/architecture.md.
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "ir/term.hpp"
#include "loop/kernel.hpp"
#include "target/target.hpp"

namespace hoist::lower {

/// What the launch may use, and which passes run: each can be left out to measure what it brings.
struct Options {
  bool simplify_indices = true;
  bool eliminate_barriers = true;
  bool simplify_control_flow = true;
  bool unroll_private_arrays = true;
  /// Straight code that unrolling makes reads each place once.
  bool share_loads = true;
  /// GPUs read vectors at multiples of their size.
  bool align_vectors = true;
  bool suggest_unrolling = true;
  /// Large results that are written once go past the caches of a processor.
  bool stream_stores = true;
  /// reduceLcl exchanges registers inside warps, where there are warps.
  bool use_warp_shuffles = true;
  /// toImage reads images, where there are images.
  bool use_images = true;
  /// An index that is not proven to be inside its array is clamped, and raises the plan's fault flag when it
  /// was outside. So does an operation on integers that is not proven to have a value, and has none.
  bool check_indices = true;

  /// What kernels are for: its warps and images are used, and launches derived from the term stay within its
  /// groups.
  target::Target target;
  /// Private arrays of more bytes than this, when nothing says where they live, go to global memory.
  std::int64_t max_private_bytes = 4096;
  /// Replaces the derived launch of every kernel, where given.
  std::optional<std::array<arith::Expr, 3>> global_size, local_size;

  /// Called with a kernel's number in the plan and the pattern that it computes, a subterm of the program's
  /// function. The last call for a number holds.
  std::function<void(std::size_t kernel, ir::Term pattern)> kernel_begun;
  /// Called with the name of each pass and the plan after it.
  std::function<void(std::string_view, const loop::Plan&)> trace;
};

/// The temporary buffer (one i32) that a kernel sets to a Fault when one happens; whoever runs a plan that
/// has it sets it to 0 before and looks at it after.
inline constexpr std::string_view fault_flag = "faults";
enum class Fault : std::int32_t {
  IndexOutside = 1,  ///< an index was outside its array
  NoValue = 2,       ///< an operation on integers has no value: a division by zero, for one
};

/// The names that `--without` takes, in pipeline order.
std::vector<std::string> optional_passes();
/// Switches a pass off by its name; user error listing the names otherwise.
Result<void> disable_pass(Options& options, std::string_view name);

/// Compiles `program`, all of whose tuning parameters are set. Size variables may be left symbolic. User
/// errors say what in the term cannot be compiled and what to write instead; Unsupported names a known limit.
Result<loop::Plan> lower(const ir::Program& program, const Options& options = {});

}  // namespace hoist::lower
