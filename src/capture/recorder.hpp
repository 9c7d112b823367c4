#pragma once
// Keeps what an application runs, to be tuned later. Several threads and processes may keep theirs in one
// directory at once: a case is made under another name and takes its own when it is complete.
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/tensor.hpp"
#include "driver/compile.hpp"
#include "runtime/device.hpp"

namespace hoist::capture {

/// A program with sizes on a device: two that agree in these are one case.
struct RunFacts {
  std::string text, entry;
  std::string program;  ///< the name of the definition
  std::string hash;     ///< of the program (stored_program)
  driver::NamedSizes sizes;
  std::string device, device_name;
  target::Language language{};
  std::vector<std::string> inputs;  ///< the names of the flattened inputs
};

/// Used by one thread at a time. Nothing that fails here reaches the caller: the first failure of the process
/// is told on standard error, and what failed is not tried again.
class CaseRecorder {
 public:
  /// The directory need not exist.
  CaseRecorder(const std::string& directory, RunFacts facts);
  /// Adds the runs that were counted since the last time.
  ~CaseRecorder();
  CaseRecorder(const CaseRecorder&) = delete;
  CaseRecorder& operator=(const CaseRecorder&) = delete;

  /// One run, whose kernels took so long. A flattened input is asked for when the directory does not have the
  /// case yet.
  void count(double seconds, const std::function<Result<Tensor>(std::size_t)>& input);

 private:
  template <class Body>
  void attempt(Body&& body);
  void make_case(const std::function<Result<Tensor>(std::size_t)>& input);
  std::string case_text() const;
  void add_runs();

  RunFacts facts_;
  std::string directory_, place_;  ///< DIR, and the case's directory in it
  bool is_there_ = false, has_failed_ = false;
  std::uint64_t runs_ = 0;  ///< that were not added yet
  double seconds_ = 0;
  std::chrono::steady_clock::time_point added_{};
};

}  // namespace hoist::capture
