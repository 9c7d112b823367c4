#pragma once
// Files that are either written whole or not there.
#include <cstddef>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/tensor.hpp"

namespace hoist::cli {

/// Writes to a temporary file beside `path`, which takes its place when it is complete. What is no regular
/// file (a device, a pipe) is written directly. Errors are of the Device kind and name the path and the
/// reason.
class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  /// Removes what was not committed.
  ~OutputFile();

  /// A part in a file that another process has created and will commit, by the name that it has until then.
  static Result<OutputFile> join(const std::string& path, const std::string& temporary);

  Result<void> write(std::span<const std::byte> bytes);
  /// From the byte `offset` on.
  Result<void> write_at(std::size_t offset, std::span<const std::byte> bytes);
  /// Makes the file so long, as far as the disk has room.
  Result<void> reserve(std::size_t bytes);
  /// Gives the file its name; whoever joined it closes it.
  Result<void> commit();
  /// What the file is called until it is committed; empty when the target is written directly.
  const std::string& temporary() const { return temporary_; }

 private:
  OutputFile() = default;
  tl::unexpected<Error> failure(int error) const;

  std::string path_;       ///< as the user gave it
  std::string target_;     ///< with symbolic links followed
  std::string temporary_;  ///< empty when the target is written directly, or belongs to another process
  int descriptor_ = -1;
};

/// A file of that text. Throws Failure.
void write_text_file(const std::string& path, const std::string& text);

/// A file in a directory.
struct NamedText {
  std::string name, text;
};
/// Writes the files to the directory, which is made if it is not there: all of them, or none. Files that are
/// there are replaced by `force` alone. Gives their paths. Throws Failure.
std::vector<std::string> write_text_files(const std::string& directory, const std::vector<NamedText>& files,
                                          bool force);

/// Removes temporary files when the process is interrupted, then ends it by the same signal. A closed pipe
/// and a file that grows past its limit become errors of writing instead of the end of the process.
void install_signal_handlers();

/// "result0.npy,result1.npy" for two arrays and "result": as `-o` takes them.
std::string numbered_paths(std::string_view stem, std::size_t count);

/// The files that `-o` names for a result of `count` arrays: "a.npy,b.npy", or any one name for one array.
/// User error when their number differs.
Result<std::vector<std::string>> output_paths(const std::string& argument, std::size_t count);
/// Whether files of these names can be made, as far as that can be told before: asked before long work.
Result<void> check_writable(const std::vector<std::string>& paths);
/// Whether what is written there can be written in any order: it is no pipe or device.
bool takes_parts(const std::string& path);
/// Writes each array to its path, as .npy; all of them take their places at the end.
Result<void> write_arrays(const std::vector<std::string>& paths, const Data& arrays);

}  // namespace hoist::cli
