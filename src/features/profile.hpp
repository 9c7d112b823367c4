#pragma once
// What one launch of a kernel does, counted from its text: the raw numbers that features are made of.
#include <array>
#include <vector>

#include "features/places.hpp"
#include "features/warps.hpp"
#include "loop/kernel.hpp"
#include "target/target.hpp"

namespace hoist::features {

/// Scalar operations by what they cost; one on a vector of four counts four times.
enum class OperationKind : std::uint8_t {
  FloatAdd,       ///< + -
  FloatMultiply,  ///< *
  FloatFused,     ///< fma(a, b, c)
  FloatSimple,    ///< - abs min max sign floor ceil round trunc
  FloatDivide,    ///< / % sqrt rsqrt
  FloatSpecial,   ///< exp log sin pow ...
  Integer,        ///< + - * min max and of bits
  IntegerDivide,  ///< / %
  Compare,        ///< < <= == && || !
  Select,
  Cast,
  count
};
OperationKind kind_of(ScalarOp op, Scalar operand);

/// How often the rounds of a loop over one dimension's work-items take all of them, and how often only the
/// first `rest`.
struct Rounds {
  double full = 1, partial = 0;
  std::int64_t rest = 0;
};

/// start + the sum of stride * i for 0 <= i < count.
struct Progression {
  double stride = 0, count = 1;
};

/// Different numbers: the sums of one of `starts` and an element of each progression.
struct Fold {
  std::vector<Progression> progressions;
  std::vector<std::int64_t> starts;  ///< rising
};
Fold fold_of(const std::vector<std::int64_t>& numbers);

/// Accesses to a buffer that differ only by constants: the same terms, in loops over the same work-items.
struct Shape {
  std::uint32_t buffer = 0;
  std::uint32_t form = 0;             ///< without its constant, by its number in Places
  std::vector<std::int64_t> offsets;  ///< the constants, each once or more; to global memory only
  Fold fold;                          ///< the same, each once
  std::int64_t scalars = 1;           ///< of one access
  std::array<Rounds, 3> rounds;
  double reads = 0, writes = 0;  ///< times that the groups' rounds meet them, over all groups
  bool is_data = false;          ///< the place is known to the run only
};

struct BufferUse {
  const loop::Buffer* buffer = nullptr;
  std::int64_t scalar_bytes = 4;
  double scalars = 0;  ///< that it holds
};

/// Totals are over all work-items of a launch.
struct Profile {
  std::array<std::int64_t, 3> global{1, 1, 1}, local{1, 1, 1}, groups{1, 1, 1};
  std::array<double, 3> loads{}, stores{}, load_bytes{}, store_bytes{};  ///< by address space
  double barriers = 0, ifs = 0, loop_bodies = 0, loop_branches = 0;
  double asynchronous_stores = 0, shuffles = 0;
  std::array<double, static_cast<std::size_t>(OperationKind::count)> operations{};
  double f64_operations = 0;    ///< of those, on f64
  double contracted = 0;        ///< additions of a product, which may become one operation with it
  double index_operations = 0;  ///< operators in the indices of accesses
  double comparisons = 0;       ///< tests of indices
  /// Executions of conditions and accesses about which only the run knows, and of conditions whose share of
  /// iterations is an estimate.
  double estimated = 0;
  double statements = 0;  ///< once loops are unrolled as far as that is asked for
  std::vector<BufferUse> buffers;
  std::vector<Shape> shapes;  ///< of accesses to global and local memory
  /// The loop without loops in it that is executed most often; null: there is none.
  const loop::For* inner_loop = nullptr;
  double inner_bodies = 0;

  double work_items() const { return static_cast<double>(global[0] * global[1] * global[2]); }
  double group_count() const { return static_cast<double>(groups[0] * groups[1] * groups[2]); }
  std::int64_t group_size() const { return local[0] * local[1] * local[2]; }
};

/// Statements of a block once its loops are unrolled as far as that is asked for.
double unrolled_statements(const loop::Block& block);

/// Walks a kernel whose sizes are numbers. `places` is made for the kernel's local sizes.
Profile profile_of(const loop::Kernel& kernel, Places& places);
std::array<std::int64_t, 3> local_sizes(const loop::Kernel& kernel);

}  // namespace hoist::features
