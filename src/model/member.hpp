#pragma once
// What a committee is made of: learners, each learned from a part of the examples.
#include <memory>
#include <string_view>

#include "learn/learners.hpp"

namespace hoist::model {

class Member {
 public:
  virtual ~Member() = default;
  /// Rows of candidates, task by task; targets are ln of the throughput over the best of the task, and groups
  /// the tasks.
  virtual void fit(const learn::Examples& lesson) = 0;
  /// A number for each row that grows with its speed, comparable within a task.
  virtual std::vector<double> predict(const Matrix& rows) const = 0;
  virtual learn::Json to_json() const = 0;
  /// Throws Failure where it is no member that sees so many columns.
  virtual void from_json(const learn::Json& learned, std::size_t width) = 0;
};

/// "boosted", "ranking", "forest" or "network".
std::unique_ptr<Member> make_member(std::string_view kind, const learn::Training& training);

}  // namespace hoist::model
