// .npy files as Hoist writes and reads them; tests/cli/test_inputs.py has files of NumPy's and damaged ones.
#include "base/npy.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace hoist {
namespace {

class Npy : public testing::Test {
 protected:
  ~Npy() override { std::filesystem::remove(path_); }
  void write(const std::string& header, const std::vector<std::byte>& elements) const {
    std::ofstream file(path_, std::ios::binary);
    file << header;
    file.write(reinterpret_cast<const char*>(elements.data()), static_cast<std::streamsize>(elements.size()));
  }

  const std::string path_ =
      (std::filesystem::temp_directory_path() / ("hoist-npy-" + std::to_string(getpid()) + ".npy")).string();
};

TEST_F(Npy, ReadsWhatItWrote) {
  for (const Scalar scalar : all_scalars) {
    if (scalar == Scalar::Bool) continue;
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{}, {5}, {2, 3}, {0, 4}, {3, 1, 2}}) {
      Tensor tensor{scalar, shape, {}};
      tensor.bytes.resize(static_cast<std::size_t>(tensor.elements()) * size_of(scalar));
      for (std::size_t i = 0; i < tensor.bytes.size(); ++i) tensor.bytes[i] = static_cast<std::byte>(i + 1);
      const std::string header = npy_header(tensor);
      EXPECT_EQ(header.size() % 64, 0U);
      write(header, tensor.bytes);
      auto file = NpyFile::open(path_);
      ASSERT_TRUE(file) << file.error().render();
      EXPECT_EQ(file->header().scalar, scalar);
      EXPECT_EQ(file->header().element, numpy_name(scalar));
      const auto read = file->read();
      ASSERT_TRUE(read) << read.error().render();
      EXPECT_EQ(read->shape, shape);
      EXPECT_EQ(read->bytes, tensor.bytes);
      EXPECT_TRUE(file->has_ranges());
      const std::size_t from = tensor.bytes.size() / 3, to = tensor.bytes.size() - from / 2;
      std::vector<std::byte> range(to - from);
      ASSERT_TRUE(file->read_range(from, range));
      EXPECT_TRUE(
          std::equal(range.begin(), range.end(), tensor.bytes.begin() + static_cast<std::ptrdiff_t>(from)));
    }
  }
}

TEST_F(Npy, SaysThatAFileEndsEarly) {
  const Tensor tensor{Scalar::F32, {4}, std::vector<std::byte>(16)};
  write(npy_header(tensor), std::vector<std::byte>(15));
  EXPECT_FALSE(NpyFile::open(path_)->has_ranges());
  const auto read = NpyFile::open(path_)->read();
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().render().find(path_ + " is truncated"), std::string::npos) << read.error().render();
}

TEST(NumpyShape, IsPrintedAsNumPyDoes) {
  EXPECT_EQ(numpy_shape({}), "()");
  EXPECT_EQ(numpy_shape({4}), "(4,)");
  EXPECT_EQ(numpy_shape({2, 3}), "(2, 3)");
}

}  // namespace
}  // namespace hoist
