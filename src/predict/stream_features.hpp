#pragma once
// What is known of a program before its streams are chosen: the raw features of Zhang et al. (Optimizing
// streaming parallelism on heterogeneous many-core architectures, TPDS 2020, Tables 1 and 2), as far as the
// paper names them, and others of the same kinds, 39 in all. Static ones are read off the program at its
// sizes; dynamic ones come from its first task or first run. Any may be unknown.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hoist::predict {

/// In the order of columns in tables, which is the order in which selection by correlation prefers them: the
/// paper's Tables 1 and 2 first.
enum class StreamFeature : std::uint8_t {
  LoopNest,           ///< at which level the outermost parallel loop lies; 1: no loop is around it
  LoopCount,          ///< iterations of the dimension that is cut into tasks
  Transfers,          ///< uploads and downloads of a single stream (the paper's #xfer_mem)
  TransferBytes,      ///< of these together (dts)
  UploadBytes,        ///< host to device, in a single stream
  DownloadBytes,      ///< device to host
  RedundantBytes,     ///< what two neighbouring tasks both upload
  MostTasks,          ///< the most tasks that the program can be cut into (max blocks)
  LeastIterations,    ///< the fewest iterations that a task may have (min task unit)
  Instructions,       ///< of all work-items, in a single stream
  AccessType1,        ///< accesses whose fastest index is affine in the index of the group
  AccessType2,        ///< accesses of which a slower index is affine in the index of the group
  DivergentBranches,  ///< branches that work-items of one group may take differently, taken by all work-items
  BranchMissRate,     ///< mispredicted branches over all
  L1MissRate,         ///< misses of the first-level data cache over its accesses (L1 DCR)
  L2MissRate,         ///< of reads of the last-level cache
  UploadSeconds,      ///< of all uploads of a single stream
  KernelSeconds,      ///< of all its kernels
  DownloadSeconds,    ///< of all its downloads
  SharedBytes,        ///< of the uploads: what every task reads, which is uploaded once
  InputArrays,        ///< that are uploaded
  OutputArrays,       ///< that are downloaded
  Kernels,            ///< launches of a task
  WorkItems,          ///< of the largest launch of a single stream
  GroupSize,          ///< work-items of its groups
  FloatOperations,    ///< of all work-items
  IntegerOperations,
  Loads,          ///< from global memory, elements
  Stores,         ///< to global memory, elements
  GlobalBytes,    ///< that loads and stores move
  LocalAccesses,  ///< to local memory
  LocalBytes,     ///< that these move
  Barriers,       ///< of all work-items
  Atomics,
  Branches,
  Steps,           ///< of the plan: launches, copies, repetitions
  TemporaryBytes,  ///< arrays on the device that are neither uploaded nor downloaded
  CyclesPerInstruction,
  SerialInstructions,  ///< of a work-item of each kernel, together: what no number of work-items shortens
};
inline constexpr std::size_t stream_feature_count = 39;
constexpr std::size_t place_of(StreamFeature feature) { return static_cast<std::size_t>(feature); }

/// As columns of tables have it: "loop_nest", "upload_bytes".
std::string_view name_of(StreamFeature feature);
std::optional<StreamFeature> stream_feature_named(std::string_view name);
/// What it is, in a few words, for help and messages.
std::string_view about(StreamFeature feature);
/// Whether it takes a run.
bool is_dynamic(StreamFeature feature);

/// The features of a program at its sizes.
class StreamFeatures {
 public:
  StreamFeatures() { values_.fill(std::numeric_limits<double>::quiet_NaN()); }
  /// Of names and their values, as who reads a plan gives them. Every name must be a feature's.
  explicit StreamFeatures(const std::vector<std::pair<std::string, double>>& named);

  bool has(StreamFeature feature) const { return !std::isnan(values_[place_of(feature)]); }
  std::optional<double> get(StreamFeature feature) const {
    return has(feature) ? std::optional(values_[place_of(feature)]) : std::nullopt;
  }
  double get_or(StreamFeature feature, double otherwise) const {
    return has(feature) ? values_[place_of(feature)] : otherwise;
  }
  /// Finite and not negative; NaN makes it unknown.
  void set(StreamFeature feature, double value) { values_[place_of(feature)] = value; }
  /// What follows from others where it is unknown: all bytes from both directions, transfers from arrays.
  StreamFeatures completed() const;
  /// Without those that take a run: what is known at the first call.
  StreamFeatures static_ones() const;

 private:
  std::array<double, stream_feature_count> values_;
};

/// Work-items that would share the program's instructions evenly, each with those of one work-item of every
/// kernel: fewer than there are where a kernel of few long ones takes most of the time. 0: it is not known.
double parallel_items(const StreamFeatures& features);

/// Into how many tasks, on how many partitions.
struct StreamConfiguration {
  std::int64_t partitions = 1, tasks = 1;

  bool is_single() const { return partitions == 1 && tasks == 1; }
  friend bool operator==(const StreamConfiguration&, const StreamConfiguration&) = default;
  friend auto operator<=>(const StreamConfiguration&, const StreamConfiguration&) = default;
};

}  // namespace hoist::predict
