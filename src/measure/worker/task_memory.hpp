#pragma once
// A task as workers get it: a message, and the arrays in shared memory.
#include <string>
#include <vector>

#include "measure/task.hpp"
#include "measure/worker/station.hpp"
#include "runtime/shared_memory.hpp"
#include "target/target.hpp"

namespace hoist::measure {

class TaskMemory {
 public:
  /// Device error where there is no memory for the arrays.
  static Result<TaskMemory> of(const std::vector<Data>& inputs);
  /// Adds what candidates are held against. Device error where there is no memory for it.
  Result<void> expect(const Data& data, const interpret::ErrorBound& bound);
  /// The same where a worker has written the data, from end() on.
  Result<void> expect(const messages::Json& places, const interpret::ErrorBound& bound);

  /// Adds inputs of the same program at other sizes, and gives the task of running it on them: what
  /// candidates are held against is no part of it. Device error where there is no memory for them.
  Result<messages::Json> task_of(const std::vector<Data>& inputs, const MeasuringOptions& options,
                                 const target::Target& device);
  /// The task itself: inputs, and the result where it is known.
  messages::Json task(const MeasuringOptions& options, const target::Target& device) const;
  /// The options of a worker in that role for a device.
  StationOptions station(const MeasuringOptions& options, const target::Target& device, const char* role,
                         const std::atomic<bool>* is_cancelled) const;
  /// Where outputs may be written.
  std::size_t end() const { return end_; }
  const runtime::SharedMemory& memory() const { return memory_; }

 private:
  explicit TaskMemory(runtime::SharedMemory memory) : memory_(std::move(memory)) {}
  /// Writes tensors from end() on, and adds where they are.
  Result<void> add(const Data& data, messages::Json& places);

  runtime::SharedMemory memory_;
  messages::Json inputs_ = messages::Json::array(), expected_, bound_;
  std::size_t end_ = 0;
};

/// What a worker is asked about a submission.
messages::Json candidate_message(const Submission& submission);

}  // namespace hoist::measure
