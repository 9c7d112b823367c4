// Transposes of matrices in registers, and sums along lanes, which are transposes that add as they go.
//
// Processors exchange elements of two vectors by one instruction where they stay within blocks of 16 bytes
// (unpack), and whole blocks of two vectors (shuffle of blocks); anything else takes an index vector, and a
// register for it. So a transpose exchanges the low bits of the lanes' numbers with bits of the vectors' by
// the former, and the high bits by the latter. Of vectors a and b of eight lanes in two blocks
//
//   unpack by 1:  a0 b0 a1 b1 | a4 b4 a5 b5    and   a2 b2 a3 b3 | a6 b6 a7 b7
//   unpack by 2:  a0 a1 b0 b1 | a4 a5 b4 b5    and   a2 a3 b2 b3 | a6 a7 b6 b7
//   blocks:       a0 a1 a2 a3 | b0 b1 b2 b3    and   a4 a5 a6 a7 | b4 b5 b6 b7
//
// Each moves bits of the numbers of lanes and of vectors around: `lane_bits` and `vector_bits` say which bit
// of the matrix's row or column is where, so nobody has to count through the order that results are in.
#include "lower/register_transpose.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"

namespace hoist::lower {

using loop::ValuePtr;

namespace {

constexpr int block_bytes = 16;

int log2_of(std::size_t number) { return std::countr_zero(number); }

int lanes_of_block(Scalar scalar, int lanes) {
  return std::min(lanes, block_bytes / static_cast<int>(size_of(scalar)));
}

/// A vector of some lanes of two others, those of the second counted on.
ValuePtr picked(const ValuePtr& a, const ValuePtr& b, const std::vector<int>& lanes, const Name& name) {
  std::vector<ValuePtr> parts;
  for (const int lane : lanes) {
    const int width = a->type.width;
    parts.push_back(lane < width ? loop::component(a, lane) : loop::component(b, lane - width));
  }
  const int count = static_cast<int>(parts.size());
  return name(loop::make_vector(std::move(parts), count));
}

struct Two {
  ValuePtr low, high;
};

/// Runs of `granule` elements of two vectors alternate within blocks: those of the lower halves of the
/// blocks, and those of the upper halves.
Two unpacked(const ValuePtr& a, const ValuePtr& b, int granule, const Name& name) {
  const int width = a->type.width, block = lanes_of_block(a->type.scalar, width);
  std::vector<int> low, high;
  for (int lane = 0; lane < width; ++lane) {
    const int start = lane / block * block, run = lane % block / granule, within = lane % granule;
    const int from = start + run / 2 * granule + within + (run % 2 != 0 ? width : 0);
    low.push_back(from);
    high.push_back(from + block / 2);
  }
  return {picked(a, b, low, name), picked(a, b, high, name)};
}

/// Every second block of the first vector, then of the second: those with even numbers, those with odd.
Two blocks_apart(const ValuePtr& a, const ValuePtr& b, const Name& name) {
  const int width = a->type.width, block = lanes_of_block(a->type.scalar, width);
  std::vector<int> low, high;
  for (int lane = 0; lane < width; ++lane) {
    const int from = 2 * (lane / block) * block + lane % block;
    low.push_back(from);
    high.push_back(from + block);
  }
  return {picked(a, b, low, name), picked(a, b, high, name)};
}

/// Lanes with a bit set of the first vector change places with those without it of the second.
Two exchanged(const ValuePtr& a, const ValuePtr& b, int bit, const Name& name) {
  const int width = a->type.width;
  std::vector<int> low, high;
  for (int lane = 0; lane < width; ++lane) {
    const bool is_set = (lane & bit) != 0;
    low.push_back(is_set ? width + (lane ^ bit) : lane);
    high.push_back(is_set ? width + lane : lane | bit);
  }
  return {picked(a, b, low, name), picked(a, b, high, name)};
}

/// A bit of the number of a row, or of a column.
struct Bit {
  bool of_row = false;
  int number = 0;
};

/// Vectors that hold a matrix, and what the bits of their numbers and of their lanes' numbers mean.
class Matrix {
 public:
  Matrix(std::vector<ValuePtr> vectors, std::vector<Bit> vector_bits, std::vector<Bit> lane_bits,
         const Name& name)
      : vectors_(std::move(vectors)),
        vector_bits_(std::move(vector_bits)),
        lane_bits_(std::move(lane_bits)),
        name_(name) {}

  int bits_of_block() const {
    return log2_of(
        static_cast<std::size_t>(lanes_of_block(vectors_[0]->type.scalar, vectors_[0]->type.width)));
  }

  /// Lane bit `at` becomes vector bit `at`; the bits of the block above move up, the last one out.
  void unpack(int at) {
    const int last = bits_of_block() - 1;
    for_pairs(at, [&](const ValuePtr& a, const ValuePtr& b) { return unpacked(a, b, 1 << at, name_); });
    const Bit out = lane_bit(last);
    for (int bit = last; bit > at; --bit) lane_bit(bit) = lane_bit(bit - 1);
    lane_bit(at) = vector_bit(at);
    vector_bit(at) = out;
  }

  /// The bits of the blocks' numbers move down, the lowest out, and the vectors' bit comes above them.
  void take_blocks_apart(int at) {
    for_pairs(at, [&](const ValuePtr& a, const ValuePtr& b) { return blocks_apart(a, b, name_); });
    const int lowest = bits_of_block(), highest = static_cast<int>(lane_bits_.size()) - 1;
    const Bit out = lane_bit(lowest);
    for (int bit = lowest; bit < highest; ++bit) lane_bit(bit) = lane_bit(bit + 1);
    lane_bit(highest) = vector_bit(at);
    vector_bit(at) = out;
  }

  void exchange(int at) {
    for_pairs(at, [&](const ValuePtr& a, const ValuePtr& b) { return exchanged(a, b, 1 << at, name_); });
    std::swap(lane_bit(at), vector_bit(at));
  }

  /// fn(vector, lane, row, column) for the first lane of each run of `run` lanes.
  template <class Fn>
  void for_each_run(int run, const Fn& fn) const {
    for (std::size_t v = 0; v < vectors_.size(); ++v) {
      for (int lane = 0; lane < vectors_[v]->type.width; lane += run) {
        std::size_t row = 0, column = 0;
        const auto add = [&](const std::vector<Bit>& bits, std::size_t number) {
          for (std::size_t bit = 0; bit < bits.size(); ++bit) {
            if ((number >> bit & 1U) == 0) continue;
            (bits[bit].of_row ? row : column) += std::size_t{1} << static_cast<unsigned>(bits[bit].number);
          }
        };
        add(vector_bits_, v);
        add(lane_bits_, static_cast<std::size_t>(lane));
        fn(vectors_[v], lane, row, column);
      }
    }
  }

 private:
  Bit& lane_bit(int at) { return lane_bits_[static_cast<std::size_t>(at)]; }
  Bit& vector_bit(int at) { return vector_bits_[static_cast<std::size_t>(at)]; }

  /// Replaces the vectors whose numbers differ in one bit.
  template <class Fn>
  void for_pairs(int at, const Fn& fn) {
    const std::size_t bit = std::size_t{1} << static_cast<unsigned>(at);
    for (std::size_t v = 0; v < vectors_.size(); ++v) {
      if ((v & bit) != 0) continue;
      auto [low, high] = fn(vectors_[v], vectors_[v | bit]);
      vectors_[v] = std::move(low);
      vectors_[v | bit] = std::move(high);
    }
  }

  std::vector<ValuePtr> vectors_;
  std::vector<Bit> vector_bits_, lane_bits_;
  const Name& name_;
};

/// A vector of all lanes of some others, one after the other.
ValuePtr joined(std::vector<ValuePtr> parts, const Name& name) {
  while (parts.size() > 1) {
    const int width = 2 * parts[0]->type.width;
    std::vector<int> all;
    for (int lane = 0; lane < width; ++lane) all.push_back(lane);
    std::vector<ValuePtr> longer;
    for (std::size_t i = 0; i < parts.size(); i += 2)
      longer.push_back(picked(parts[i], parts[i + 1], all, name));
    parts = std::move(longer);
  }
  return parts[0];
}

std::vector<Bit> bits_from(bool of_row, int first, int count) {
  std::vector<Bit> bits;
  for (int bit = first; bit < first + count; ++bit) bits.push_back({of_row, bit});
  return bits;
}

void append(std::vector<Bit>& bits, const std::vector<Bit>& more) {
  bits.insert(bits.end(), more.begin(), more.end());
}

}  // namespace

bool can_be_turned(Scalar scalar, std::int64_t width, std::int64_t lanes) {
  const auto is_power = [](std::int64_t n) {
    return n > 1 && std::has_single_bit(static_cast<std::uint64_t>(n));
  };
  return is_power(width) && is_power(lanes) && width <= lanes &&
         width >= lanes_of_block(scalar, static_cast<int>(lanes));
}

std::vector<ValuePtr> turned(const std::vector<ValuePtr>& rows, const Name& name) {
  const int width = rows[0]->type.width, lanes = static_cast<int>(rows.size());
  const int block = lanes_of_block(rows[0]->type.scalar, lanes);
  // Short rows that are `block` apart go into one vector: that leaves its blocks as they must be in the end.
  const int together = lanes / width;
  std::vector<ValuePtr> vectors;
  for (int v = 0; v < width; ++v) {
    std::vector<ValuePtr> parts;
    const int first = v % block + v / block * block * together;
    for (int i = 0; i < together; ++i) parts.push_back(rows[static_cast<std::size_t>(first + i * block)]);
    vectors.push_back(joined(std::move(parts), name));
  }
  const auto log2 = [](int n) { return log2_of(static_cast<std::size_t>(n)); };
  const int in_block = log2(block), in_vector = log2(together);
  std::vector<Bit> vector_bits = bits_from(true, 0, in_block), lane_bits = bits_from(false, 0, log2(width));
  append(vector_bits, bits_from(true, in_block + in_vector, log2(width) - in_block));
  append(lane_bits, bits_from(true, in_block, in_vector));
  Matrix matrix(std::move(vectors), std::move(vector_bits), std::move(lane_bits), name);
  for (int bit = 0; bit < in_block; ++bit) matrix.unpack(bit);
  for (int bit = in_block; bit < log2(width); ++bit) matrix.take_blocks_apart(bit);
  std::vector<ValuePtr> result(static_cast<std::size_t>(width));
  matrix.for_each_run(lanes, [&](const ValuePtr& vector, int, std::size_t row, std::size_t column) {
    if (row != 0) throw Bug("a transpose whose lanes are not its rows");
    result[column] = vector;
  });
  return result;
}

std::vector<ValuePtr> turned_back(const std::vector<ValuePtr>& vectors, const Name& name) {
  const int lanes = vectors[0]->type.width, width = static_cast<int>(vectors.size());
  const auto log2 = [](int n) { return log2_of(static_cast<std::size_t>(n)); };
  Matrix matrix(vectors, bits_from(false, 0, log2(width)), bits_from(true, 0, log2(lanes)), name);
  const int in_block = matrix.bits_of_block();
  for (int bit = 0; bit < in_block; ++bit) matrix.unpack(bit);
  for (int bit = in_block; bit < log2(width); ++bit) {
    if (width == lanes) {
      matrix.take_blocks_apart(bit);
    } else {
      matrix.exchange(bit);
    }
  }
  std::vector<ValuePtr> result(static_cast<std::size_t>(lanes));
  matrix.for_each_run(width, [&](const ValuePtr& vector, int lane, std::size_t row, std::size_t column) {
    if (column != 0) throw Bug("a transpose whose rows are not in one piece");
    std::vector<int> own;
    for (int i = 0; i < width; ++i) own.push_back(lane + i);
    result[row] = width == lanes ? vector : picked(vector, vector, own, name);
  });
  return result;
}

ValuePtr sums_of_lanes(std::vector<ValuePtr> vectors, ScalarOp add, const Name& name) {
  const int count = static_cast<int>(vectors.size());
  const auto sum = [&](const Two& two) { return name(loop::operation(add, {two.low, two.high})); };
  const auto add_pairs = [&](const auto& apart) {
    std::vector<ValuePtr> sums;
    for (std::size_t i = 0; i < vectors.size(); i += 2)
      sums.push_back(sum(apart(vectors[i], vectors[i + 1])));
    vectors = std::move(sums);
  };
  const int block = lanes_of_block(vectors[0]->type.scalar, vectors[0]->type.width);
  for (int granule = 1; granule < std::min(block, count); granule *= 2)
    add_pairs([&](const ValuePtr& a, const ValuePtr& b) { return unpacked(a, b, granule, name); });
  // Now the other blocks, or halves of the last one, are of the same sums.
  const auto add_halves = [&](const ValuePtr& vector) {
    const int half = vector->type.width / 2;
    std::vector<int> low, high;
    for (int lane = 0; lane < half; ++lane) {
      low.push_back(lane);
      high.push_back(half + lane);
    }
    if (half == 1) return sum({loop::component(vector, 0), loop::component(vector, 1)});
    return sum({picked(vector, vector, low, name), picked(vector, vector, high, name)});
  };
  while (vectors[0]->type.width > count)
    std::transform(vectors.begin(), vectors.end(), vectors.begin(), add_halves);
  while (vectors.size() > 1)
    add_pairs([&](const ValuePtr& a, const ValuePtr& b) { return blocks_apart(a, b, name); });
  return vectors[0];
}

}  // namespace hoist::lower
