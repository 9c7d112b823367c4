#pragma once
// Random commands for several queues, which wait for nothing but what their data demand, and what must come
// of them: what they do when they run one after the other as they were given.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hoist::runtime::testing {

/// Elements of a buffer, or of an array of the host.
struct Piece {
  bool is_on_host = false;
  std::size_t array = 0, begin = 0, end = 0;

  bool overlaps(const Piece& other) const {
    return is_on_host == other.is_on_host && array == other.array && begin < other.end && other.begin < end;
  }
};

struct RandomCommand {
  enum class Kind { Upload, Download, Copy, Fill, ScaledSum } kind = Kind::Upload;
  std::size_t queue = 0;
  std::vector<Piece> reads;
  Piece writes;
  std::uint8_t value = 0;          ///< of a fill
  std::size_t groups = 0;          ///< of the kernel's launch
  std::vector<std::size_t> after;  ///< commands of other queues
};

struct Arrays {
  std::vector<std::vector<float>> buffers, hosts;
};

struct RandomCommands {
  std::size_t queues = 0;
  Arrays before, expected;  ///< buffers begin with what `before` says
  std::vector<RandomCommand> commands;
};

RandomCommands random_commands(std::uint64_t seed, std::size_t count);

}  // namespace hoist::runtime::testing
