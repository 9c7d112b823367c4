// Reads and writes NumPy's .npy files. An array of 2 by 3 floats is the bytes
//
//   \x93NUMPY  01 00  76 00  {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  ...  elements
//
// which are a magic text, the version of the format, the header's length (118, little-endian), the header,
// which is a literal of a Python dictionary, padded with blanks, and the elements.
//
// Read `NpyFile::open` and `read_header` first, then HeaderParser, which reads the dictionary by recursive
// descent, then `NpyFile::read`. The header may claim any shape, so the file's size is compared with it
// before memory is taken. Elements come out in the machine's byte order (`swap_bytes`) and in row-major
// order (`row_major` transposes what NumPy calls Fortran order). `npy_header` is the writer: elements follow
// it as they are in memory.
#include "base/npy.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <new>
#include <utility>

namespace hoist {

namespace {

static_assert(std::endian::native == std::endian::little, "elements are written as they are in memory");

constexpr std::string_view magic = "\x93NUMPY";
/// No array of the language has a header near this long.
constexpr std::size_t longest_header = std::size_t{1} << 20U;

struct ElementCode {
  std::string_view code, name;
  std::optional<Scalar> scalar;
};
constexpr ElementCode element_codes[] = {
    {"f4", "float32", Scalar::F32}, {"f8", "float64", Scalar::F64},
    {"i1", "int8", Scalar::I8},     {"i2", "int16", Scalar::I16},
    {"i4", "int32", Scalar::I32},   {"i8", "int64", Scalar::I64},
    {"u1", "uint8", Scalar::U8},    {"u2", "uint16", Scalar::U16},
    {"u4", "uint32", Scalar::U32},  {"u8", "uint64", Scalar::U64},
    {"b1", "bool", Scalar::Bool},   {"f2", "float16", {}},
    {"f16", "longdouble", {}},      {"c8", "complex64", {}},
    {"c16", "complex128", {}},      {"O", "object", {}},
};

/// Reads the header's text, a literal of a Python dictionary. Throws Failure.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  NpyHeader run() {
    expect('{');
    bool has_element = false, has_order = false, has_shape = false;
    while (!take('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        element();
        has_element = true;
      } else if (key == "fortran_order") {
        header_.is_fortran_order = truth();
        has_order = true;
      } else if (key == "shape") {
        shape();
        has_shape = true;
      } else {
        error(fmt::format("it has an unknown entry '{}'", key));
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (at_ != text_.size()) error("text follows the dictionary");
    if (!has_element || !has_order || !has_shape) error("'descr', 'fortran_order' or 'shape' is missing");
    return header_;
  }

 private:
  [[noreturn]] void error(const std::string& reason) const {
    throw_user(fmt::format("{}: the header of the .npy file is damaged", path_), reason);
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool take(char letter) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != letter) return false;
    ++at_;
    return true;
  }
  void expect(char letter) {
    if (!take(letter)) error(fmt::format("'{}' is missing at byte {} of the header", letter, at_));
  }
  std::string string() {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"')
      error(fmt::format("a string is missing at byte {} of the header", at_));
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) error("a string does not end");
    std::string result(text_.substr(at_ + 1, end - at_ - 1));
    // Names and types are plain; anything else must not reach a terminal in an error.
    if (std::any_of(result.begin(), result.end(), [](char byte) { return byte < ' ' || byte > '~'; })) {
      error("a string holds bytes that are not text");
    }
    at_ = end + 1;
    return result;
  }
  bool truth() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return word == "True";
      }
    }
    error("'fortran_order' is neither True nor False");
  }
  void shape() {
    expect('(');
    while (!take(')')) {
      skip_blanks();
      std::int64_t extent = 0;
      const auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
      if (status != std::errc() || extent < 0) error("'shape' holds something other than lengths");
      at_ = static_cast<std::size_t>(end - text_.data());
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // as Python 2 wrote it
      header_.shape.push_back(extent);
      if (!take(',')) {
        expect(')');
        break;
      }
    }
  }
  void element() {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '[') {
      throw_user(
          fmt::format("{} holds records", path_), {},
          "save each field as an array of its own, and give an input of tuple type as NAME.0=... NAME.1=...");
    }
    const std::string code = string();
    const bool has_order = !code.empty() && std::string_view("<>|=").find(code[0]) != std::string_view::npos;
    const std::string_view plain = std::string_view(code).substr(has_order ? 1 : 0);
    header_.is_big_endian = has_order && code[0] == '>';
    header_.element = code;
    for (const ElementCode& known : element_codes) {
      if (known.code != plain) continue;
      header_.element = known.name;
      header_.scalar = known.scalar;
    }
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
  NpyHeader header_;
};

void swap_bytes(std::vector<std::byte>& bytes, std::size_t element) {
  for (std::size_t begin = 0; begin + element <= bytes.size(); begin += element) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                 bytes.begin() + static_cast<std::ptrdiff_t>(begin + element));
  }
}

/// Puts the elements of a column-major array into row-major order.
std::vector<std::byte> row_major(const std::vector<std::byte>& columns,
                                 const std::vector<std::int64_t>& shape, std::size_t element) {
  std::vector<std::byte> rows(columns.size());
  std::vector<std::size_t> strides(shape.size());
  std::size_t stride = element;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    strides[d] = stride;
    stride *= static_cast<std::size_t>(shape[d]);
  }
  std::vector<std::int64_t> index(shape.size(), 0);
  std::size_t from = 0;
  for (std::size_t to = 0; to < rows.size(); to += element) {
    std::memcpy(rows.data() + to, columns.data() + from, element);
    for (std::size_t d = shape.size(); d-- > 0;) {
      from += strides[d];
      if (++index[d] < shape[d]) break;
      from -= strides[d] * static_cast<std::size_t>(shape[d]);
      index[d] = 0;
    }
  }
  return rows;
}

}  // namespace

std::string numpy_name(Scalar scalar) {
  for (const ElementCode& known : element_codes) {
    if (known.scalar == scalar) return std::string(known.name);
  }
  throw Bug("a scalar type has no NumPy name");
}

std::string numpy_shape(const std::vector<std::int64_t>& shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape[0]);
  return fmt::format("({})", fmt::join(shape, ", "));
}

NpyFile::NpyFile(NpyFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      elements_begin_(other.elements_begin_),
      header_(std::move(other.header_)) {}
NpyFile& NpyFile::operator=(NpyFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(elements_begin_, other.elements_begin_);
  std::swap(header_, other.header_);
  return *this;
}
NpyFile::~NpyFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

/// Reads so many bytes, fewer only at the file's end, and returns how many. Throws Failure.
std::size_t NpyFile::read_bytes(void* memory, std::size_t bytes) {
  std::size_t total = 0;
  while (total < bytes) {
    const ssize_t now = ::read(descriptor_, static_cast<char*>(memory) + total, bytes - total);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) throw_user(fmt::format("{} cannot be read: {}", path_, std::strerror(errno)));
    if (now == 0) break;
    total += static_cast<std::size_t>(now);
  }
  return total;
}

void NpyFile::read_header() {
  unsigned char start[8];
  const std::size_t found = read_bytes(start, sizeof start);
  if (found < sizeof start || std::memcmp(start, magic.data(), magic.size()) != 0) {
    throw_user(fmt::format("{} is not a .npy file", path_),
               found == 0 ? "it is empty" : "it does not begin with \\x93NUMPY",
               "write one with numpy.save(\"x.npy\", x)");
  }
  const int version = start[6];
  if (version < 1 || version > 3) {
    throw_user(fmt::format("{} is a .npy file of version {}.{}", path_, version, static_cast<int>(start[7])),
               "versions 1, 2 and 3 are known");
  }
  unsigned char length_bytes[4] = {0, 0, 0, 0};
  const std::size_t width = version == 1 ? 2 : 4;
  if (read_bytes(length_bytes, width) != width) throw_user(fmt::format("{} ends within its header", path_));
  std::size_t length = 0;
  for (std::size_t i = width; i-- > 0;) length = length << 8U | length_bytes[i];
  if (length > longest_header) {
    throw_user(fmt::format("{}: the header of the .npy file is damaged", path_),
               fmt::format("the file says that the header is {} bytes long", length));
  }
  std::string text(length, '\0');
  if (const std::size_t got = read_bytes(text.data(), length); got != length) {
    throw_user(
        fmt::format("{} ends within its header", path_),
        fmt::format("the header should have {} bytes, but the file ends after {} of them", length, got));
  }
  header_ = HeaderParser(text, path_).run();
  elements_begin_ = sizeof start + width + length;
}

/// Throws std::bad_alloc where no memory could hold the array.
std::size_t NpyFile::elements_bytes() const {
  if (!header_.scalar)
    throw_user(fmt::format("{} holds {}, which the language does not have", path_, header_.element));
  std::size_t bytes = size_of(*header_.scalar);
  for (const std::int64_t extent : header_.shape) {
    if (__builtin_mul_overflow(bytes, static_cast<std::size_t>(extent), &bytes)) throw std::bad_alloc();
  }
  return bytes;
}

void NpyFile::throw_truncated(std::size_t bytes, std::size_t found) const {
  throw_user(fmt::format("{} is truncated", path_),
             fmt::format("an array of shape {} and type {} has {} bytes, but the file holds only {} of them",
                         numpy_shape(header_.shape), header_.element, bytes, found));
}

Result<NpyFile> NpyFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return user_error(fmt::format("{} cannot be opened: {}", path, std::strerror(errno)));
  NpyFile file(path, descriptor);
  if (auto read = catch_failure([&] { file.read_header(); }); !read) return tl::unexpected(read.error());
  return file;
}

Result<Tensor> NpyFile::read() {
  try {
    return catch_failure([&]() -> Tensor {
      const std::size_t bytes = elements_bytes(), element = size_of(*header_.scalar);
      // This comes before memory is taken: a damaged header may claim any shape.
      struct stat facts {};
      const off_t here = lseek(descriptor_, 0, SEEK_CUR);
      if (here >= 0 && fstat(descriptor_, &facts) == 0 && S_ISREG(facts.st_mode)) {
        const auto rest = static_cast<std::size_t>(std::max<off_t>(facts.st_size - here, 0));
        if (rest < bytes) throw_truncated(bytes, rest);
      }
      Tensor tensor{*header_.scalar, header_.shape, std::vector<std::byte>(bytes)};
      if (const std::size_t found = read_bytes(tensor.bytes.data(), bytes); found != bytes)
        throw_truncated(bytes, found);
      if (header_.is_big_endian && element > 1) swap_bytes(tensor.bytes, element);
      if (header_.is_fortran_order && tensor.shape.size() > 1) {
        tensor.bytes = row_major(tensor.bytes, tensor.shape, element);
      }
      if (tensor.scalar == Scalar::Bool) {
        for (std::byte& each : tensor.bytes) each = std::byte{each != std::byte{0}};
      }
      return tensor;
    });
  } catch (const std::bad_alloc&) {
    return device_error(fmt::format("{}: not enough memory for an array of shape {} and type {}", path_,
                                    numpy_shape(header_.shape), header_.element));
  }
}

bool NpyFile::has_ranges() const {
  struct stat facts {};
  if (!header_.scalar || header_.is_big_endian || (header_.is_fortran_order && header_.shape.size() > 1))
    return false;
  return fstat(descriptor_, &facts) == 0 && S_ISREG(facts.st_mode) &&
         static_cast<std::size_t>(facts.st_size) >= elements_begin_ + elements_bytes();
}

Result<void> NpyFile::read_range(std::size_t offset, std::span<std::byte> to) const {
  return catch_failure([&] {
    const std::size_t bytes = elements_bytes();
    if (offset + to.size() > bytes) throw Bug("a range is outside of its file");
    for (std::size_t done = 0; done < to.size();) {
      const ssize_t now = pread(descriptor_, to.data() + done, to.size() - done,
                                static_cast<off_t>(elements_begin_ + offset + done));
      if (now < 0 && errno == EINTR) continue;
      if (now < 0) throw_user(fmt::format("{} cannot be read: {}", path_, std::strerror(errno)));
      if (now == 0) throw_truncated(bytes, offset + done);
      done += static_cast<std::size_t>(now);
    }
    if (header_.scalar == Scalar::Bool) {
      for (std::byte& each : to) each = std::byte{each != std::byte{0}};
    }
  });
}

std::string npy_header(const Tensor& tensor) {
  std::string code;
  for (const ElementCode& known : element_codes) {
    if (known.scalar == tensor.scalar) code = known.code;
  }
  std::string text = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': {}, }}",
                                 size_of(tensor.scalar) == 1 ? '|' : '<', code, numpy_shape(tensor.shape));
  // The elements begin at a multiple of 64 bytes; the header ends with a newline.
  const std::size_t before = magic.size() + 4;
  text.resize((before + text.size() + 1 + 63) / 64 * 64 - before - 1, ' ');
  text += '\n';
  std::string result(magic);
  result += {'\x01', '\x00', static_cast<char>(text.size() & 0xffU), static_cast<char>(text.size() >> 8U)};
  return result + text;
}

}  // namespace hoist
