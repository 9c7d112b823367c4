// Arrays that know where they are valid, against what they must hold: random writes, runs, reads on both
// sides.
#include "execute/tracked_array.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/random.hpp"
#include "runtime/devices.hpp"
#include "unit/runtime/support.hpp"

namespace hoist::execute {
namespace {

using runtime::testing::ScopedVariable;
using tasks::Interval;
using testing::HasSubstr;

constexpr std::size_t elements = 24;

/// A range of elements, in bytes.
Interval bytes_of(std::int64_t from, std::int64_t to) { return {4 * from, 4 * to}; }

/// An array and what it must hold; nothing where nobody has written.
class Model {
 public:
  Model(runtime::Device& device, std::uint64_t seed)
      : device_(device), random_(seed), array_(device, Scalar::I32, elements), holds_(elements) {}

  void step() {
    const auto from = static_cast<std::int64_t>(random_.below(elements));
    const auto to =
        from + 1 + static_cast<std::int64_t>(random_.below(elements - static_cast<std::size_t>(from)));
    switch (random_.below(5)) {
      case 0: {
        const auto memory = array_.write(bytes_of(from, to));
        ASSERT_TRUE(memory);
        std::memcpy(memory->data(), drawn(from, to).data(), memory->size());
        break;
      }
      case 1: {
        const auto numbers = drawn(from, to);
        ASSERT_TRUE(array_.upload(static_cast<std::size_t>(4 * from), std::as_bytes(std::span(numbers))));
        break;
      }
      case 2: {
        // A kernel writes on the device.
        const auto numbers = drawn(from, to);
        ASSERT_TRUE(device_.write(**array_.on_device(), std::as_bytes(std::span(numbers)),
                                  static_cast<std::size_t>(4 * from)));
        array_.changed().wrote(ValidRanges::Place::Device, bytes_of(from, to));
        break;
      }
      case 3: {
        const auto brought = array_.bring_to_device(bytes_of(from, to));
        ASSERT_EQ(brought.has_value(), is_written(from, to));
        if (!brought) break;
        EXPECT_TRUE(array_.valid().missing(ValidRanges::Place::Device, bytes_of(from, to)).empty());
        std::vector<std::int32_t> there(static_cast<std::size_t>(to - from));
        ASSERT_TRUE(device_.read(**array_.on_device(), std::as_writable_bytes(std::span(there)),
                                 static_cast<std::size_t>(4 * from)));
        expect_held(there, from);
        break;
      }
      default: {
        std::vector<std::int32_t> copy(static_cast<std::size_t>(to - from));
        const auto copied =
            array_.download(static_cast<std::size_t>(4 * from), std::as_writable_bytes(std::span(copy)));
        const auto read = array_.read(bytes_of(from, to));
        ASSERT_EQ(copied.has_value(), is_written(from, to));
        ASSERT_EQ(read.has_value(), is_written(from, to));
        if (!read) {
          EXPECT_THAT(read.error().render(), HasSubstr("a buffer holds nothing in its elements ["));
          break;
        }
        expect_held(copy, from);
        std::memcpy(copy.data(), read->data(), read->size());
        expect_held(copy, from);
      }
    }
  }

 private:
  std::vector<std::int32_t> drawn(std::int64_t from, std::int64_t to) {
    std::vector<std::int32_t> result;
    for (std::int64_t at = from; at < to; ++at) {
      result.push_back(static_cast<std::int32_t>(random_.below(1000)));
      holds_[static_cast<std::size_t>(at)] = result.back();
    }
    return result;
  }
  bool is_written(std::int64_t from, std::int64_t to) const {
    return std::all_of(holds_.begin() + from, holds_.begin() + to,
                       [](const auto& each) { return each.has_value(); });
  }
  void expect_held(const std::vector<std::int32_t>& got, std::int64_t from) const {
    for (std::size_t at = 0; at < got.size(); ++at)
      EXPECT_EQ(got[at], holds_[at + static_cast<std::size_t>(from)]);
  }

  runtime::Device& device_;
  Random random_;
  TrackedArray array_;
  std::vector<std::optional<std::int32_t>> holds_;
};

TEST(TrackedArray, HoldsWhatWasWrittenLast) {
  const auto device = runtime::open_device("host").value();
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Model model(*device, seed);
    for (int step = 0; step < 30; ++step) model.step();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(TrackedArray, MovesRangesThatAreMissing) {
  const auto device = runtime::open_device("host").value();
  TrackedArray array(*device, Scalar::I32, elements);
  std::memset(array.write(array.all())->data(), 1, 4 * elements);
  ASSERT_TRUE(array.bring_to_device(bytes_of(0, 12)));
  EXPECT_EQ(array.valid().missing(ValidRanges::Place::Device, array.all()),
            std::vector<Interval>{bytes_of(12, 24)});
  ASSERT_TRUE(array.write(bytes_of(3, 4)));
  EXPECT_EQ(array.valid().missing(ValidRanges::Place::Device, bytes_of(0, 12)),
            std::vector<Interval>{bytes_of(3, 4)});
  array.changed().wrote(ValidRanges::Place::Device, array.all());
  ASSERT_TRUE(array.read(bytes_of(5, 7)));
  EXPECT_EQ(array.valid().held(ValidRanges::Place::Host, array.all()), std::vector<Interval>{bytes_of(5, 7)});
  array.changed().dropped(ValidRanges::Place::Device, bytes_of(6, 9));
  EXPECT_EQ(array.valid().unwritten(array.all()), std::vector<Interval>{bytes_of(7, 9)});
}

TEST(TrackedArray, TakesAnArrayOfTheHosts) {
  const auto device = runtime::open_device("host").value();
  auto numbers = std::make_shared<std::vector<std::int32_t>>(elements, 7);
  const std::weak_ptr<std::vector<std::int32_t>> watch = numbers;
  {
    const auto bytes = std::as_writable_bytes(std::span(*numbers));
    TrackedArray array(*device, Scalar::I32, std::move(numbers), bytes);
    EXPECT_EQ(array.read(array.all())->data(), bytes.data()) << "nothing is copied";
    EXPECT_FALSE(watch.expired());
  }
  EXPECT_TRUE(watch.expired());
}

TEST(TrackedArray, FindsChangesThatItWasNotTold) {
  const ScopedVariable checks{"HOIST_CHECK_ARRAYS", "1"};
  const auto device = runtime::open_device("host").value();
  TrackedArray array(*device, Scalar::I32, elements);
  const auto memory = array.write(array.all()).value();
  std::memset(memory.data(), 1, memory.size());
  ASSERT_TRUE(array.bring_to_device(array.all()));
  array.seal();
  EXPECT_TRUE(array.check_seal());
  memory[20] = std::byte{9};
  const auto changed = array.check_seal();
  ASSERT_FALSE(changed);
  EXPECT_THAT(changed.error().render(), HasSubstr("has changed in its elements [0, 24), without write()"));
}

}  // namespace
}  // namespace hoist::execute
