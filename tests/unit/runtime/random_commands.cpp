#include "random_commands.hpp"

#include <algorithm>
#include <cstring>

#include "base/random.hpp"

namespace hoist::runtime::testing {

namespace {

constexpr std::size_t elements = 600, buffers = 4, hosts = 3;

std::vector<std::vector<float>> random_arrays(Random& random, std::size_t count) {
  std::vector<std::vector<float>> arrays(count, std::vector<float>(elements));
  for (auto& array : arrays) {
    for (float& each : array) each = static_cast<float>(random.below(100));
  }
  return arrays;
}

float* begin_of(Arrays& arrays, const Piece& piece) {
  return (piece.is_on_host ? arrays.hosts : arrays.buffers)[piece.array].data() + piece.begin;
}

void run(const RandomCommand& command, Arrays& arrays) {
  float* const to = begin_of(arrays, command.writes);
  const std::size_t count = command.writes.end - command.writes.begin;
  switch (command.kind) {
    case RandomCommand::Kind::Upload:
    case RandomCommand::Kind::Download:
    case RandomCommand::Kind::Copy:
      std::memcpy(to, begin_of(arrays, command.reads[0]), count * sizeof(float));
      return;
    case RandomCommand::Kind::Fill:
      std::memset(to, command.value, count * sizeof(float));
      return;
    case RandomCommand::Kind::ScaledSum: {
      const float* const left = begin_of(arrays, command.reads[0]);
      const float* const right = begin_of(arrays, command.reads[1]);
      for (std::size_t at = 0; at < count; ++at) to[at] = left[at] + 0.5F * right[at];
      return;
    }
  }
}

bool must_wait(const RandomCommand& later, const RandomCommand& earlier) {
  const auto is_touched = [&](const Piece& piece) { return piece.overlaps(earlier.writes); };
  return later.writes.overlaps(earlier.writes) ||
         std::any_of(later.reads.begin(), later.reads.end(), is_touched) ||
         std::any_of(earlier.reads.begin(), earlier.reads.end(),
                     [&](const Piece& piece) { return piece.overlaps(later.writes); });
}

RandomCommand random_command(Random& random) {
  using Kind = RandomCommand::Kind;
  RandomCommand command;
  command.kind = static_cast<Kind>(random.below(5));
  const std::size_t first = random.below(elements), second = random.below(elements);
  const std::size_t begin = std::min(first, second), end = std::max(first, second);
  const std::size_t buffer = random.below(buffers), host = random.below(hosts);
  const Piece on_device{false, buffer, begin, end}, on_host{true, host, begin, end};
  const auto other = [&](std::size_t distance) {
    Piece piece = on_device;
    piece.array = (buffer + distance) % buffers;
    return piece;
  };
  switch (command.kind) {
    case Kind::Upload:
      command.reads = {on_host};
      command.writes = on_device;
      break;
    case Kind::Download:
      command.reads = {on_device};
      command.writes = on_host;
      break;
    case Kind::Copy: {
      // Elsewhere in the other buffer.
      Piece from = other(1);
      from.begin = random.below(elements - (end - begin) + 1);
      from.end = from.begin + (end - begin);
      command.reads = {from};
      command.writes = on_device;
      break;
    }
    case Kind::Fill:
      command.value = static_cast<std::uint8_t>(random.below(2) * 0x42);  // 0 or 48.56
      command.writes = on_device;
      break;
    case Kind::ScaledSum:
      for (const std::size_t distance : {std::size_t{1}, 1 + random.below(buffers - 1)}) {
        command.reads.push_back(other(distance));
        command.reads.back().begin = 0;
        command.reads.back().end = elements;
      }
      command.writes = {false, buffer, 0, elements};
      command.groups = 1 + random.below(12);
      break;
  }
  return command;
}

}  // namespace

RandomCommands random_commands(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  RandomCommands made;
  made.queues = 1 + random.below(5);
  made.before = {random_arrays(random, buffers), random_arrays(random, hosts)};
  made.expected = made.before;
  for (std::size_t at = 0; at < count; ++at) {
    RandomCommand command = random_command(random);
    command.queue = random.below(made.queues);
    for (std::size_t earlier = 0; earlier < at; ++earlier) {
      if (made.commands[earlier].queue != command.queue && must_wait(command, made.commands[earlier]))
        command.after.push_back(earlier);
    }
    run(command, made.expected);
    made.commands.push_back(std::move(command));
  }
  return made;
}

}  // namespace hoist::runtime::testing
