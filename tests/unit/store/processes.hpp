#pragma once
// What another process does to a store.
#include <sys/types.h>

#include <functional>
#include <string>

namespace hoist::store {

/// A child process that runs `body` with a pipe to write to, and ends; it is killed with its handle.
class Child {
 public:
  explicit Child(const std::function<void(int pipe)>& body);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill();
  /// What it wrote, to its end. The status that it ended with, -1 when it was killed.
  std::string all();
  /// Until it has written so many bytes.
  std::string first(std::size_t bytes);
  int status();

 private:
  pid_t process_ = 0;
  int pipe_ = -1;
  int status_ = -2;
};

/// Whether all of it was written.
bool write_all(int pipe, const std::string& text);

}  // namespace hoist::store
