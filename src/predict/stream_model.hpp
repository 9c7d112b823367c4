#pragma once
// The streams of a program: a learned task. From what is known of a program before it is streamed follows
// into how many tasks it is cut and on how many partitions they run. After Zhang et al. (Optimizing streaming
// parallelism on heterogeneous many-core architectures, TPDS 2020), who learn the speed-up of a pair from
// features alone; here an analytic model of the pipeline (stream_time.hpp), whose constants are fitted to the
// device, says what a pair takes, and what is learned is only by how much it is wrong.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "learn/learners.hpp"
#include "predict/stream_errors.hpp"
#include "predict/stream_table.hpp"
#include "predict/stream_time.hpp"

namespace hoist::predict {

/// A program to be streamed.
struct StreamProgram {
  StreamFeatures features;
  std::int64_t most_partitions = 1;  ///< that the device has
  std::int64_t most_tasks = 1;       ///< that the program can be cut into
};

struct StreamChoice {
  std::int64_t partitions = 1, tasks = 1;
  double speedup = 1;  ///< expected over a single stream
  std::string why;     ///< "uploads (12 ms) bind, kernels (9 ms) and downloads (5 ms) overlap them; ..."
};

class StreamModel {
 public:
  struct Options {
    std::uint64_t seed = 1;
    std::map<std::string, std::string> provenance = {};
  };
  /// Errors: the library that grows trees is missing (as models of speed have it).
  static Result<StreamModel> learn(const StreamTable& table, const Options& options);

  const std::string& device_class() const { return device_class_; }
  const std::map<std::string, std::string>& provenance() const { return provenance_; }
  const StreamConstants& constants() const { return constants_; }
  /// Programs at sizes that were learned from.
  std::size_t learned_from() const { return learned_from_; }
  const StreamCautions& cautions() const { return cautions_; }

  /// The expected fastest of all configurations of partitions and tasks that were seen in learning and that
  /// the program and the device can have. Milliseconds; nothing is allocated on a device.
  StreamChoice choose(const StreamProgram& program) const;
  /// The same among these, of which there is one at least.
  StreamConfiguration choose_among(const StreamFeatures& features,
                                   const std::vector<StreamConfiguration>& configurations) const;
  /// Seconds of each, by the analytic model and what was learned; they compare within a program.
  std::vector<double> expected_seconds(const StreamFeatures& features,
                                       const std::vector<StreamConfiguration>& configurations) const;

  learn::Json to_json() const;
  /// User error where the text is no such model; `name` is the file's.
  static Result<StreamModel> parse(std::string_view bytes, const std::string& name);
  Result<void> save(const std::string& path) const;
  static Result<StreamModel> load(const std::string& path);

 private:
  static StreamModel read(const learn::Json& json);
  std::vector<StreamConfiguration> candidates(const StreamProgram& program) const;

  std::string device_class_;
  std::map<std::string, std::string> provenance_;
  StreamConstants constants_;
  std::vector<std::int64_t> partitions_, tasks_;  ///< that were seen, ascending
  std::size_t learned_from_ = 0;
  StreamCautions cautions_;
  std::shared_ptr<const learn::StoredRegressor>
      errors_;  ///< of the analytic model; none where nothing is believed
};

/// The choice for a program, by a model for the device (predicted_streams.hpp finds one).
StreamChoice streams_choice(const StreamProgram& program, const StreamModel& model);

}  // namespace hoist::predict
