#pragma once
// NumPy's .npy files: format versions 1 to 3, read in either byte order and memory order, written as version
// 1 in C order, little-endian. The format: numpy.lib.format in NumPy's documentation.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/tensor.hpp"

namespace hoist {

/// What a file says of its array.
struct NpyHeader {
  std::string element;           ///< NumPy's name of the element type: "float64", or the file's code for it
  std::optional<Scalar> scalar;  ///< the language's type of the same bits, where there is one
  bool is_big_endian = false;
  bool is_fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// "float32": what NumPy calls the elements of an array.
std::string numpy_name(Scalar scalar);
/// "(2, 3)", "(4,)", "()": as NumPy prints a shape.
std::string numpy_shape(const std::vector<std::int64_t>& shape);

/// An open .npy file: the header is read at once, the elements when they are asked for.
class NpyFile {
 public:
  /// User errors: cannot be opened, is no .npy file, has a header that is damaged or of an unknown version.
  static Result<NpyFile> open(const std::string& path);
  NpyFile(NpyFile&& other) noexcept;
  NpyFile& operator=(NpyFile&& other) noexcept;
  ~NpyFile();

  const std::string& path() const { return path_; }
  const NpyHeader& header() const { return header_; }
  /// Reads the elements, in row-major order and native byte order. User errors: an element type that the
  /// language does not have, a file that ends early (says how many bytes were expected and found). Device
  /// error: not enough memory.
  Result<Tensor> read();
  /// Whether the file has all elements as a Tensor has them, and can be read from any place on: then
  /// read_range reads some of them, bytes from `offset` on, however often. User errors: as for read.
  bool has_ranges() const;
  Result<void> read_range(std::size_t offset, std::span<std::byte> to) const;

 private:
  NpyFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  void read_header();
  std::size_t read_bytes(void* memory, std::size_t bytes);
  std::size_t elements_bytes() const;
  [[noreturn]] void throw_truncated(std::size_t bytes, std::size_t found) const;

  std::string path_;
  int descriptor_ = -1;
  std::size_t elements_begin_ = 0;  ///< in the file
  NpyHeader header_;
};

/// The text of a .npy file up to its elements, which follow as they are in a Tensor.
std::string npy_header(const Tensor& tensor);

}  // namespace hoist
