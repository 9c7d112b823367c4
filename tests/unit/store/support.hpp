#pragma once
// Stores that tests make, and what they put there.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "store/store.hpp"

namespace hoist::store {

template <class T>
T need(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().render());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// A directory that is gone with the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A task; different numbers give different tasks of one program on one device.
Task example_task(int number = 0);
/// Everything set, to values that are easily lost: numbers without a short decimal, letters beyond ASCII.
Candidate example_candidate(int number = 0);
Evaluation example_evaluation(int number = 0);

}  // namespace hoist::store
