#include "predict/stream_features.hpp"

#include <iterator>

#include "base/error.hpp"

namespace hoist::predict {

namespace {

struct FeatureRow {
  StreamFeature feature;
  const char* name;
  const char* about;
  bool is_dynamic = false;
};

constexpr FeatureRow feature_rows[] = {
    {StreamFeature::LoopNest, "loop_nest", "level of the outermost parallel loop; 1: no loop is around it"},
    {StreamFeature::LoopCount, "loop_count", "iterations of the dimension that is cut"},
    {StreamFeature::Transfers, "transfers", "uploads and downloads of a single stream (#xfer_mem)"},
    {StreamFeature::TransferBytes, "transfer_bytes", "bytes of uploads and downloads (dts)"},
    {StreamFeature::UploadBytes, "upload_bytes", "bytes from the host to the device"},
    {StreamFeature::DownloadBytes, "download_bytes", "bytes from the device to the host"},
    {StreamFeature::RedundantBytes, "redundant_bytes", "bytes that two neighbouring tasks both upload"},
    {StreamFeature::MostTasks, "max_tasks", "the most tasks that the program can be cut into (max blocks)"},
    {StreamFeature::LeastIterations, "min_task_iterations",
     "the fewest iterations of a task (min task unit)"},
    {StreamFeature::Instructions, "instructions", "instructions of all work-items"},
    {StreamFeature::AccessType1, "access_type_1",
     "accesses whose fastest index is affine in the group's index"},
    {StreamFeature::AccessType2, "access_type_2",
     "accesses with a slower index that is affine in the group's index"},
    {StreamFeature::DivergentBranches, "divergent_branches",
     "branches that work-items of a group may take differently"},
    {StreamFeature::BranchMissRate, "branch_miss_rate", "mispredicted branches over all", true},
    {StreamFeature::L1MissRate, "l1_miss_rate", "misses over accesses of the first-level data cache (L1 DCR)",
     true},
    {StreamFeature::L2MissRate, "l2_miss_rate", "misses over reads of the last-level cache", true},
    {StreamFeature::UploadSeconds, "upload_seconds", "time of all uploads of a single stream", true},
    {StreamFeature::KernelSeconds, "kernel_seconds", "time of all its kernels", true},
    {StreamFeature::DownloadSeconds, "download_seconds", "time of all its downloads", true},
    {StreamFeature::SharedBytes, "shared_bytes",
     "uploaded bytes that every task reads, which are uploaded once"},
    {StreamFeature::InputArrays, "input_arrays", "arrays that are uploaded"},
    {StreamFeature::OutputArrays, "output_arrays", "arrays that are downloaded"},
    {StreamFeature::Kernels, "kernels", "launches of a task"},
    {StreamFeature::WorkItems, "work_items", "work-items of the largest launch"},
    {StreamFeature::GroupSize, "group_size", "work-items of a group"},
    {StreamFeature::FloatOperations, "float_operations", "floating-point operations of all work-items"},
    {StreamFeature::IntegerOperations, "integer_operations", "integer operations of all work-items"},
    {StreamFeature::Loads, "loads", "elements loaded from global memory"},
    {StreamFeature::Stores, "stores", "elements stored to global memory"},
    {StreamFeature::GlobalBytes, "global_bytes", "bytes that loads and stores move"},
    {StreamFeature::LocalAccesses, "local_accesses", "accesses to local memory"},
    {StreamFeature::LocalBytes, "local_bytes", "bytes that accesses to local memory move"},
    {StreamFeature::Barriers, "barriers", "barriers of all work-items"},
    {StreamFeature::Atomics, "atomics", "atomic updates of all work-items"},
    {StreamFeature::Branches, "branches", "branches of all work-items"},
    {StreamFeature::Steps, "steps", "steps of the plan: launches, copies, repetitions"},
    {StreamFeature::TemporaryBytes, "temporary_bytes", "arrays on the device that are never transferred"},
    {StreamFeature::CyclesPerInstruction, "cycles_per_instruction", "cycles over instructions", true},
    {StreamFeature::SerialInstructions, "serial_instructions",
     "instructions of one work-item of each kernel, one kernel after the other"},
};
static_assert(std::size(feature_rows) == stream_feature_count);

const FeatureRow& row_of(StreamFeature feature) {
  const FeatureRow& row = feature_rows[place_of(feature)];
  if (row.feature != feature) throw Bug("the table of features of streams is not in their order");
  return row;
}

}  // namespace

std::string_view name_of(StreamFeature feature) { return row_of(feature).name; }
std::string_view about(StreamFeature feature) { return row_of(feature).about; }
bool is_dynamic(StreamFeature feature) { return row_of(feature).is_dynamic; }

std::optional<StreamFeature> stream_feature_named(std::string_view name) {
  for (const FeatureRow& each : feature_rows) {
    if (each.name == name) return each.feature;
  }
  return std::nullopt;
}

StreamFeatures::StreamFeatures(const std::vector<std::pair<std::string, double>>& named) : StreamFeatures() {
  for (const auto& [name, value] : named) {
    const auto feature = stream_feature_named(name);
    if (!feature) throw Bug(fmt::format("no feature of streams is called '{}'", name));
    set(*feature, value);
  }
}

StreamFeatures StreamFeatures::completed() const {
  using enum StreamFeature;
  StreamFeatures all = *this;
  const auto complete = [&](StreamFeature feature, StreamFeature one, StreamFeature other) {
    if (!has(feature) && has(one) && has(other))
      all.set(feature, values_[place_of(one)] + values_[place_of(other)]);
  };
  complete(TransferBytes, UploadBytes, DownloadBytes);
  complete(Transfers, InputArrays, OutputArrays);
  return all;
}

StreamFeatures StreamFeatures::static_ones() const {
  StreamFeatures result = *this;
  for (const FeatureRow& each : feature_rows) {
    if (each.is_dynamic) result.set(each.feature, std::numeric_limits<double>::quiet_NaN());
  }
  return result;
}

double parallel_items(const StreamFeatures& features) {
  const double items = features.get_or(StreamFeature::WorkItems, 0);
  const double serial = features.get_or(StreamFeature::SerialInstructions, 0);
  return serial > 0 ? features.get_or(StreamFeature::Instructions, items * serial) / serial : items;
}

}  // namespace hoist::predict
