#include "api/placed_runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "ranks/agreement.hpp"

namespace hoist::api {
namespace {

std::size_t row_bytes(const ArrayFacts& array) {
  const std::size_t all = array.elements * size_of(array.scalar);
  const auto rows = static_cast<std::size_t>(array.shape.empty() ? 1 : array.shape.front());
  return rows == 0 ? 0 : all / rows;
}

auto part_of_span(auto bytes, const tasks::Interval& part, std::int64_t begin) {
  return bytes.subspan(static_cast<std::size_t>(part.from - begin), static_cast<std::size_t>(part.length()));
}

}  // namespace

tasks::Interval PlacedRuns::Range::bytes() const {
  return {static_cast<std::int64_t>(rows.offset), static_cast<std::int64_t>(rows.end())};
}

template <class See>
void PlacedRuns::Range::for_each_row(See&& see) const {
  for (std::size_t row = 0; row < rows.count; ++row) {
    const auto from = static_cast<std::int64_t>(rows.offset + row * rows.pitch);
    see(Interval{from, from + static_cast<std::int64_t>(rows.bytes)});
  }
}

PlacedRuns::PlacedRuns(const driver::Compiled& compiled, PlacedOptions options,
                       const std::vector<ArrayFacts>& inputs, const std::vector<ArrayFacts>& outputs)
    : options_(std::move(options)) {
  execute::LocalPlaces local;
  std::map<DeviceState*, std::pair<std::size_t, std::size_t>> taken;  // which partitioning, how many of it
  for (const auto& device : options_.devices) {
    const auto times =
        static_cast<std::size_t>(std::count(options_.devices.begin(), options_.devices.end(), device));
    const auto [known, is_new] = taken.try_emplace(device.get(), partitionings_.size(), 0);
    if (is_new) {
      partitionings_.push_back(need(device->device->partitions(times)));
      if (!partitionings_.back().note.empty()) notes_.push_back(partitionings_.back().note);
    }
    auto& [partitioning, next] = known->second;
    local.places.push_back({device->device.get(), partitionings_[partitioning].partitions.at(next++).get()});
  }
  local.first = own();
  local.communicator = options_.communicator();
  executable_ = need(execute::PlacedExecutable::prepare(
      compiled, {options_.shares, options_.steps, options_.fed, options_.grid}, std::move(local)));
  lay_out(inputs, false, inputs_, input_parts_, given_inputs_);
  lay_out(outputs, true, outputs_, output_parts_, given_outputs_);
  list_ranges();
  for (Side* side : {&inputs_, &outputs_}) {
    add_transfers(*side, side == &outputs_);
    take_memory(*side);
  }
}

/// Blocks are as large beside each other as parts are asked to be.
Part PlacedRuns::part_of(const ArrayFacts& array, bool is_output, std::size_t process) const {
  const std::int64_t rows = array.shape.empty() ? 1 : array.shape.front();
  if (options_.spread == Spread::Whole) return {0, is_output && process != 0 ? 0 : rows};
  if (array.shape.empty()) return {0, rows};
  const auto& shares = options_.shares;
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  const auto first = [&](std::size_t number) -> std::int64_t {
    const auto end = shares.begin() + static_cast<std::ptrdiff_t>(number);
    return number == shares.size()
               ? rows
               : std::llround(static_cast<double>(rows) * std::accumulate(shares.begin(), end, 0.0) / all);
  };
  return {first(process), first(process + 1) - first(process)};
}

void PlacedRuns::lay_out(const std::vector<ArrayFacts>& arrays, bool is_output, Side& side,
                         std::vector<Part>& parts, std::vector<ArrayFacts>& given) const {
  for (const ArrayFacts& array : arrays) {
    const auto bytes = static_cast<std::int64_t>(row_bytes(array));
    side.blocks.emplace_back();
    for (std::size_t process = 0; process < processes(); ++process) {
      const Part part = part_of(array, is_output, process);
      side.blocks.back().push_back({part.first * bytes, (part.first + part.rows) * bytes});
    }
    const Part part = part_of(array, is_output, own());
    parts.push_back(part);
    if (is_output && options_.spread == Spread::Whole && own() != 0) continue;
    given.push_back(array);
    if (array.shape.empty()) continue;
    given.back().shape.front() = part.rows;
    given.back().elements = static_cast<std::size_t>(part.rows * bytes) / size_of(array.scalar);
  }
}

/// What places read of inputs in the first step, and have of results after the last; both are the same
/// whatever the number of steps.
void PlacedRuns::list_ranges() {
  execute::PlacedPlan one = executable_->plan();
  one.steps = 1;
  execute::PlacedSteps steps(one);
  while (const auto nodes = steps.next()) {
    for (const execute::PlacedNode& node : *nodes) {
      const std::size_t process = options_.communicator() ? node.place : 0;
      if (const auto* upload = std::get_if<execute::PlacedNode::Upload>(&node.work))
        inputs_.ranges.push_back({process, upload->input, upload->to.rows});
      if (const auto* download = std::get_if<execute::PlacedNode::Download>(&node.work))
        outputs_.ranges.push_back({process, download->output, download->from.rows});
    }
  }
}

/// An element that a process reads comes from its own block, or else from that of the first which has it; one
/// that it has computed goes to all that have it.
void PlacedRuns::add_transfers(Side& side, bool is_output) const {
  for (std::size_t number = 0; number < side.ranges.size(); ++number) {
    const Range& range = side.ranges[number];
    const std::vector<Interval>& blocks = side.blocks[range.array];
    range.for_each_row([&](const Interval& row) {
      tasks::IntervalSet rest(row);
      if (!is_output) rest.remove(blocks[range.process]);
      for (std::size_t owner = 0; owner < blocks.size(); ++owner) {
        if (owner == range.process) continue;
        for (const Interval& part : rest.within(blocks[owner])) {
          side.transfers.push_back({number, owner, part});
          if (!is_output) rest.remove(part);
        }
      }
    });
  }
}

void PlacedRuns::take_memory(Side& side) const {
  for (Range& range : side.ranges) {
    if (range.process == own() && !side.blocks[range.array][own()].contains(range.bytes()))
      range.memory.resize(static_cast<std::size_t>(range.bytes().length()));
  }
}

PlacedRuns::Range& PlacedRuns::Side::find(std::size_t array, const runtime::Rows& rows) {
  const auto found = std::find_if(ranges.begin(), ranges.end(), [&](const Range& each) {
    return each.array == array && each.rows == rows && !each.memory.empty();
  });
  if (found == ranges.end()) throw Bug("a run moves what its plan does not tell");
  return *found;
}

template <class T>
T PlacedRuns::need_or_end(hoist::Result<T> result) const {
  if (!result && options_.communicator()) {
    std::string text = result.error().diagnostics.front().message;
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::fprintf(stderr, "hoist: rank %zu of %zu: %s\n", own(), processes(), text.c_str());
    options_.communicator()->abort(1);
  }
  return need(std::move(result));
}

void PlacedRuns::bring(const InputBytes& inputs) {
  std::vector<ranks::Communicator::Message> messages;
  for (std::size_t number = 0; number < inputs_.transfers.size(); ++number) {
    const Transfer& each = inputs_.transfers[number];
    Range& range = inputs_.ranges[each.range];
    if (range.process != own()) continue;
    messages.push_back(need_or_end(options_.communicator()->receive(
        part_of_span(std::span(range.memory), each.bytes, range.bytes().from), each.owner, number)));
  }
  for (std::size_t number = 0; number < inputs_.transfers.size(); ++number) {
    const Transfer& each = inputs_.transfers[number];
    const Range& range = inputs_.ranges[each.range];
    if (each.owner != own()) continue;
    const std::int64_t begin = inputs_.blocks[range.array][own()].from;
    messages.push_back(need_or_end(options_.communicator()->send(
        part_of_span(inputs[range.array], each.bytes, begin), range.process, number)));
  }
  for (Range& range : inputs_.ranges) {
    if (range.memory.empty()) continue;
    const Interval& block = inputs_.blocks[range.array][own()];
    range.for_each_row([&](const Interval& row) {
      const Interval mine = tasks::intersection(block, row);
      if (mine.is_empty()) return;
      std::ranges::copy(part_of_span(inputs[range.array], mine, block.from),
                        part_of_span(std::span(range.memory), mine, range.bytes().from).begin());
    });
  }
  for (ranks::Communicator::Message& each : messages) need_or_end(options_.communicator()->wait(each));
}

void PlacedRuns::hand_out(const OutputBytes& outputs) {
  std::vector<ranks::Communicator::Message> messages;
  for (std::size_t number = 0; number < outputs_.transfers.size(); ++number) {
    const Transfer& each = outputs_.transfers[number];
    const Range& range = outputs_.ranges[each.range];
    if (each.owner != own()) continue;
    const std::int64_t begin = outputs_.blocks[range.array][own()].from;
    messages.push_back(need_or_end(options_.communicator()->receive(
        part_of_span(outputs[range.array], each.bytes, begin), range.process, number)));
  }
  for (std::size_t number = 0; number < outputs_.transfers.size(); ++number) {
    const Transfer& each = outputs_.transfers[number];
    const Range& range = outputs_.ranges[each.range];
    if (range.process != own()) continue;
    const Interval& block = outputs_.blocks[range.array][own()];
    const auto from =
        range.memory.empty()
            ? part_of_span(std::span<const std::byte>(outputs[range.array]), each.bytes, block.from)
            : part_of_span(std::span<const std::byte>(range.memory), each.bytes, range.bytes().from);
    messages.push_back(need_or_end(options_.communicator()->send(from, each.owner, number)));
  }
  for (const Range& range : outputs_.ranges) {
    if (range.memory.empty()) continue;
    const Interval& block = outputs_.blocks[range.array][own()];
    range.for_each_row([&](const Interval& row) {
      const Interval mine = tasks::intersection(block, row);
      if (mine.is_empty()) return;
      std::ranges::copy(part_of_span(std::span<const std::byte>(range.memory), mine, range.bytes().from),
                        part_of_span(outputs[range.array], mine, block.from).begin());
    });
  }
  for (ranks::Communicator::Message& each : messages) need_or_end(options_.communicator()->wait(each));
}

RunTimes PlacedRuns::run(const InputBytes& inputs, const OutputBytes& outputs) {
  bring(inputs);
  using From = execute::RowsAt<const std::byte>;
  using To = execute::RowsAt<std::byte>;
  const auto bytes_of = [](const runtime::Rows& rows) {
    return Interval{static_cast<std::int64_t>(rows.offset), static_cast<std::int64_t>(rows.end())};
  };
  auto ran = executable_->run(
      [&](std::size_t array, const runtime::Rows& rows) -> hoist::Result<From> {
        const Interval wanted = bytes_of(rows), &block = inputs_.blocks[array][own()];
        if (block.contains(wanted))
          return From{part_of_span(inputs[array], wanted, block.from).data(), rows.pitch};
        return From{inputs_.find(array, rows).memory.data(), rows.pitch};
      },
      [&](std::size_t array, const runtime::Rows& rows) {
        const Interval wanted = bytes_of(rows), &block = outputs_.blocks[array][own()];
        if (block.contains(wanted))
          return To{part_of_span(outputs[array], wanted, block.from).data(), rows.pitch};
        return To{outputs_.find(array, rows).memory.data(), rows.pitch};
      });
  // A result that has a fault is found when all messages have come; what else fails leaves others waiting.
  if (!ran && ran.error().kind != hoist::ErrorKind::User) need_or_end(std::move(ran));
  ranks::together(options_.communicator(), [&] {
    if (!ran) throw Failure(ran.error());
  });
  hand_out(outputs);
  RunTimes times;
  times.kernels = *std::max_element(ran->kernels.begin(), ran->kernels.end());
  times.all = ran->wall;
  times.uploaded = ran->uploaded_bytes;
  times.parts = ran->kernels;
  times.received = ran->received_bytes;
  return times;
}

}  // namespace hoist::api
