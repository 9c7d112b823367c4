#include "model/files.hpp"

#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

namespace hoist::model {

namespace {

struct Closer {
  void operator()(gzFile_s* file) const { gzclose(file); }
};
using File = std::unique_ptr<gzFile_s, Closer>;

}  // namespace

Result<std::string> read_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return user_error(fmt::format("there is no file '{}'", path));
  if (std::filesystem::is_directory(path, error)) return user_error(fmt::format("'{}' is a directory", path));
  // gzopen reads files that are not packed as they are.
  const File file(gzopen(path.c_str(), "rb"));
  if (!file) return user_error(fmt::format("'{}' cannot be read", path), std::strerror(errno));
  std::string text;
  std::array<char, 1 << 16> buffer;
  int count = 0;
  while ((count = gzread(file.get(), buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), static_cast<std::size_t>(count));
  int code = Z_OK;
  const std::string why = gzerror(file.get(), &code);
  // A packed file that is cut ends without an error of gzread's.
  if (count < 0 || code != Z_OK) {
    return user_error(fmt::format("'{}' is damaged: it cannot be unpacked", path), why,
                      "get the file again; a download may have been cut");
  }
  return text;
}

Result<std::string> unpack(std::string_view bytes, const std::string& name) {
  if (!bytes.starts_with("\x1f\x8b")) return std::string(bytes);
  z_stream stream{};
  constexpr int gzip = 16 + MAX_WBITS;
  if (inflateInit2(&stream, gzip) != Z_OK) throw Bug("zlib does not begin");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ended(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::array<char, 1 << 16> buffer;
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = buffer.size();
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  if (state != Z_STREAM_END) return user_error(fmt::format("'{}' is damaged: it cannot be unpacked", name));
  return text;
}

Result<void> write_file(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".part";
  const auto failure = [&] {
    return fail(ErrorKind::Device, fmt::format("'{}' cannot be written", path), std::strerror(errno));
  };
  File file(gzopen(temporary.c_str(), path.ends_with(".gz") ? "wb9" : "wbT"));
  if (!file) return failure();
  constexpr std::size_t most_at_once = 1 << 20;
  for (std::size_t done = 0; done < text.size(); done += most_at_once) {
    const std::size_t count = std::min(most_at_once, text.size() - done);
    if (gzwrite(file.get(), text.data() + done, static_cast<unsigned>(count)) <= 0) return failure();
  }
  if (gzclose(file.release()) != Z_OK) return failure();
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) return fail(ErrorKind::Device, fmt::format("'{}' cannot be written", path), error.message());
  return {};
}

}  // namespace hoist::model
