#pragma once
// Which elements of arrays a kernel touches when only some iterations of one of its loops run, or of two of
// them: bounds of its access indices, as expressions of the first and the last of these iterations.
//
// Example. In
//
//   for g in global(1) [0, 64) { for c in global(0) [0, 64) {
//     out[64*g + c] = u[64*max(g - 1, 0) + c] + u[64*min(g + 1, 63) + c]; } }
//
// iterations [f, t) of g write out from 64*f to 64*t - 1 and read u from 64*max(f - 1, 0) to
// 64*min(t, 63) + 63, which are two rows more inside, and fewer at the edges: indices stay those of the whole
// program, so what a border does stays right.
//
// Where the loops over g and c are both cut, an array is seen as rows of 64 elements (`lay_out`). An index is
// taken apart into a row and a column, 64*max(g - 1, 0) + c into max(g - 1, 0) and c, and iterations touch
// rectangles. So they do where the iterations of one loop that is cut read columns of an array. Rows of one
// element, which all arrays have at first, make these intervals.
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "loop/kernel.hpp"
#include "tasks/region.hpp"

namespace hoist::tasks {

/// The bounds of one index, of all lanes of a vector, as expressions of a Footprint's `first` and `stop`: of
/// the row that it is in, and of its column.
struct Bounds {
  arith::Expr least, most;
  arith::Expr least_column = 0, most_column = 0;
  bool operator==(const Bounds&) const = default;
};

/// An index at which a kernel reads or writes an array.
struct Access {
  arith::Expr index;
  int width = 1;  ///< scalars from there on
  bool is_store = false;
  /// Conditions without which it does not happen.
  std::vector<arith::Predicate> guards = {};
  /// The index again, as the array is laid out: row * row_length + column.
  arith::Expr row = {}, column = {};
};

/// Of one array. Where an access has no bounds all elements are meant.
struct Touched {
  std::vector<Bounds> read, written;
  bool reads_all = false, writes_anywhere = false;
  bool is_updated = false;  ///< written by atomic updates, and by nothing else
  /// Whether it is read at places only that the same iteration writes.
  bool reads_what_it_writes = true;
  std::int64_t row_length = 1;  ///< what rows and columns of it are meant by
  std::vector<Access> accesses = {};

  bool is_read() const { return reads_all || !read.empty(); }
  bool is_written() const { return writes_anywhere || !written.empty(); }
};

/// What a work-item keeps while it goes through the loop of a reduction.
struct Accumulators {
  std::vector<loop::VariablePtr> variables;
  arith::Expr item;        ///< the number of the work-item's result, by the variables of the loops around
  std::int64_t items = 0;  ///< how many there are
};

/// A loop some of whose iterations a task runs.
struct CutLoop {
  std::vector<arith::Expr> variables;  ///< of the loop, or of the loops that are cut alike
  std::vector<arith::Expr> bounded;    ///< in their place: variables from `first` to `stop`
  loop::Parallelism parallelism = loop::Parallelism::Global;
  int dimension = 0;
  loop::LoopForm form = loop::LoopForm::Loop;
  std::int64_t iterations = 0;
  /// Sizes that stand for the bounds of the iterations that run: `first` is one more than the first of them,
  /// `stop` one more than the last.
  arith::Expr first, stop;

  Interval all() const { return {0, iterations}; }
};

/// A loop that can be cut. Most are parallel: whatever runs between its iterations, in whatever order, the
/// kernel's result is the same, and each iteration writes elements behind those of the iteration before. So
/// it is with the loops of a schedule that are marked as independent, of which a kernel may have several:
/// they are cut alike. Or it is the sequential loop of a reduction in each work-item: then tasks run one
/// after the other, with the accumulators in memory between them, and the last one writes what the kernel
/// writes.
struct Footprint {
  CutLoop outer;
  std::optional<CutLoop> inner = std::nullopt;              ///< a parallel loop in it that is cut, too
  std::optional<Accumulators> accumulators = std::nullopt;  ///< where the loop is sequential
  /// The kernel's arrays in global memory. Names, since a plan's buffers are known by them.
  std::map<std::string, Touched> arrays = {};
  std::map<std::string, std::int64_t> scalars = {};  ///< of each array
  /// What the kernel does, with `bounded` in place of the loops' variables: accesses have its indices.
  std::shared_ptr<const loop::Block> body = nullptr;

  /// All iterations: the rows are those of the outer loop.
  Region all() const { return {outer.all(), inner ? inner->all() : Interval{0, 1}}; }
  /// The whole of an array.
  Region whole(const std::string& array) const;
  /// What iterations read or write of an array.
  Region read(const std::string& array, const Region& run) const;
  Region written(const std::string& array, const Region& run) const;
  /// What they read, without what lies between: rectangles that have no element in common.
  std::vector<Region> read_parts(const std::string& array, const Region& run) const;
  /// The iterations that may write some of these elements.
  Region writers(const std::string& array, const Region& elements) const;

  /// Sees an array as rows of so many elements, which divide it.
  void lay_out(const std::string& array, std::int64_t row_length);
  /// Lengths of rows by which indices of an array may be taken apart: factors in them.
  std::set<std::int64_t> row_lengths(const std::string& array) const;

 private:
  /// By bounds.
  std::vector<Region> regions_of(const std::vector<Bounds>& bounds, const std::string& array,
                                 const Region& run) const;
  Region hull_of(const std::vector<Bounds>& bounds, const std::string& array, const Region& run) const;
};

/// How it is known that each iteration of a loop writes to an array behind the last element that the one
/// before writes.
enum class Order : std::uint8_t {
  Unknown,
  ByBounds,      ///< from the bounds of its indices, for any two iterations next to each other
  ByIterations,  ///< by looking at all of them
};
/// Of a footprint's outer loop, or its inner one. Behind means in later rows, or in later columns.
Order order_of(const Footprint& footprint, const CutLoop& loop, const std::string& array);

/// The loops along which a kernel can be cut: the outermost parallel one, or where that is none those of its
/// schedule that are marked as independent; the sequential one of a reduction. Where there is none the error
/// says why there is no parallel one. All sizes are numbers.
Result<std::vector<Footprint>> footprints_of(const loop::Kernel& kernel);

/// The one of them that serves for so many tasks: the parallel one, unless it has too few iterations or tasks
/// would read twice as much of the kernel's arrays as along the sequential one.
Result<Footprint> footprint_of(const loop::Kernel& kernel, std::int64_t tasks);

/// The two outermost parallel loops, both to be cut. Whether they can be depends on how arrays are laid out,
/// so that is asked later (`obstacle`). Where there are none the error says why.
Result<Footprint> grid_footprint_of(const loop::Kernel& kernel);

/// Why a footprint's parallel loops cannot be cut; empty where they can.
std::string obstacle(const loop::Kernel& kernel, const Footprint& footprint);

}  // namespace hoist::tasks
