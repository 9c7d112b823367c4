#pragma once
// What a committee is made of: functions of single precision numbers, each learned from a part of the
// examples.
#include <memory>
#include <string_view>

#include "model/inputs.hpp"

namespace hoist::model {

/// Rows of the examples, task by task.
struct Lesson {
  Columns columns;
  std::vector<float> speeds;         ///< ln of the throughput over the best of the task
  std::vector<std::uint32_t> tasks;  ///< of each row; ascending
};

class Member {
 public:
  virtual ~Member() = default;
  /// Of the options, threads and effort count; members of a committee have seeds of their own.
  virtual void fit(const Lesson& lesson, std::uint64_t seed, const FitOptions& options) = 0;
  /// A number for each row that grows with its speed, comparable within a task.
  virtual std::vector<double> predict(const Columns& columns) const = 0;
  virtual Json to_json() const = 0;
  /// Throws Failure where it is no member that sees so many columns.
  virtual void from_json(const Json& learned, std::size_t width) = 0;
};

/// "boosted", "ranking", "forest" or "network".
std::unique_ptr<Member> make_member(std::string_view kind);
std::unique_ptr<Member> make_network();

}  // namespace hoist::model
