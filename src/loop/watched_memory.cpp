#include "loop/watched_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace hoist::loop {
namespace {

std::string coordinates(std::int64_t flat, const std::array<std::int64_t, 3>& extents) {
  return fmt::format("({}, {}, {})", flat % extents[0], flat / extents[0] % extents[1],
                     flat / (extents[0] * extents[1]));
}

}  // namespace

void FaultLog::add(FaultKind kind, const std::string& text) {
  constexpr std::string_view names[] = {
      "race",  "divergent barrier",       "divergent shuffle", "out of bounds",
      "unset", "control flow form wrong", "no value"};
  if (!is_wanted(kind)) return;
  ++counts_[static_cast<std::size_t>(kind)];
  texts_.push_back(fmt::format("{}: {}", names[static_cast<std::size_t>(kind)], text));
}

std::string LaunchShape::describe(std::uint32_t lane, std::uint32_t group) const {
  return fmt::format("work-item {} of group {}", coordinates(lane, local),
                     coordinates(std::int64_t{group} - first_group, groups));
}

WatchedMemory::WatchedMemory(std::string name, Scalar scalar, AddressSpace space, std::int64_t scalars,
                             std::size_t parts)
    : name_(std::move(name)), scalar_(scalar), space_(space), scalars_(scalars) {
  const std::size_t total = static_cast<std::size_t>(scalars) * parts;
  bytes_.resize(total * size_of(scalar));
  is_set_.resize(total);
  if (space != AddressSpace::Private) history_.resize(total);
}

void WatchedMemory::mark_all_set() { std::fill(is_set_.begin(), is_set_.end(), std::uint8_t{1}); }

void WatchedMemory::mark_unset(std::size_t part) {
  const auto begin = is_set_.begin() + static_cast<std::ptrdiff_t>(part) * scalars_;
  std::fill(begin, begin + scalars_, std::uint8_t{0});
}

std::int64_t WatchedMemory::count_unset() const { return std::count(is_set_.begin(), is_set_.end(), 0); }

void WatchedMemory::exchange(WatchedMemory& other) {
  if (scalar_ != other.scalar_ || bytes_.size() != other.bytes_.size()) {
    throw Bug(fmt::format("'{}' and '{}' differ and cannot be exchanged", name_, other.name_));
  }
  bytes_.swap(other.bytes_);
  is_set_.swap(other.is_set_);
  history_.swap(other.history_);
}

void WatchedMemory::assign(const WatchedMemory& other) {
  if (scalar_ != other.scalar_ || bytes_.size() != other.bytes_.size()) {
    throw Bug(fmt::format("'{}' and '{}' differ and cannot be copied", name_, other.name_));
  }
  bytes_ = other.bytes_;
  is_set_ = other.is_set_;
}

bool WatchedMemory::is_conflict(const Access& earlier, const Agent& agent, const LaunchShape& shape) const {
  if (earlier.epoch == agent.epoch) return earlier.lane != agent.lane;
  // Local memory belongs to one group; each group finds what the last one left in it.
  return space_ == AddressSpace::Global && earlier.group >= shape.first_group && earlier.group != agent.group;
}

ScalarValue WatchedMemory::read(std::int64_t index, const Agent& agent, const LaunchShape& shape,
                                FaultLog& faults) {
  const std::size_t at = place(index, agent);
  if (is_set_[at] == 0 && faults.is_wanted(FaultKind::Unset)) {
    faults.add(FaultKind::Unset, fmt::format("{} reads {}[{}], which nothing has written",
                                             shape.describe(agent.lane, agent.group), name_, index));
  }
  if (!history_.empty()) {
    History& history = history_[at];
    if (const Access* write = conflicting_write(history, agent, shape)) {
      report_race(index, agent, "reads", *write, "writes", shape, faults);
    }
    const Access now{agent.epoch, agent.lane, agent.group};
    if (history.read.epoch == agent.epoch) {
      if (history.read.lane != agent.lane) history.lane_read = now;
    } else {
      const bool is_other_group =
          history.read.group >= shape.first_group && history.read.group != agent.group;
      if (is_other_group) history.group_read = history.read;
      history.read = now;
    }
  }
  return load_scalar(bytes_.data(), scalar_, at);
}

void WatchedMemory::write(std::int64_t index, const ScalarValue& value, const Agent& agent,
                          const LaunchShape& shape, FaultLog& faults) {
  const std::size_t at = place(index, agent);
  is_set_[at] = 1;
  if (!history_.empty()) {
    History& history = history_[at];
    if (const Access* write = conflicting_write(history, agent, shape)) {
      report_race(index, agent, "writes", *write, "writes", shape, faults);
    } else if (const Access* read = conflicting_read(history, agent, shape)) {
      report_race(index, agent, "writes", *read, "reads", shape, faults);
    }
    history.write = {agent.epoch, agent.lane, agent.group};
  }
  store_scalar(bytes_.data(), at, value);
}

void WatchedMemory::update(std::int64_t index, ScalarOp op, const ScalarValue& value, const Agent& agent,
                           const LaunchShape& shape, FaultLog& faults) {
  const std::size_t at = place(index, agent);
  if (is_set_[at] == 0 && faults.is_wanted(FaultKind::Unset)) {
    faults.add(FaultKind::Unset, fmt::format("{} updates {}[{}], which nothing has written",
                                             shape.describe(agent.lane, agent.group), name_, index));
  }
  if (!history_.empty()) {
    History& history = history_[at];
    Access& last = history.write;
    if (last.update != op && is_conflict(last, agent, shape)) {
      report_race(index, agent, "updates", last, "writes", shape, faults);
    } else if (const Access* read = conflicting_read(history, agent, shape)) {
      report_race(index, agent, "updates", *read, "reads", shape, faults);
    }
    if (last.update == op && is_conflict(last, agent, shape)) {
      (last.group == agent.group ? history.lane_update : history.group_update) = last;
    }
    last = {agent.epoch, agent.lane, agent.group, op};
  }
  const ScalarValue operands[] = {load_scalar(bytes_.data(), scalar_, at), value};
  store_scalar(bytes_.data(), at, apply(op, operands).value());
}

const WatchedMemory::Access* WatchedMemory::conflicting_write(const History& history, const Agent& agent,
                                                              const LaunchShape& shape) const {
  for (const Access* write : {&history.write, &history.lane_update, &history.group_update}) {
    if (is_conflict(*write, agent, shape)) return write;
  }
  return nullptr;
}

const WatchedMemory::Access* WatchedMemory::conflicting_read(const History& history, const Agent& agent,
                                                             const LaunchShape& shape) const {
  for (const Access* read : {&history.read, &history.lane_read, &history.group_read}) {
    if (is_conflict(*read, agent, shape)) return read;
  }
  return nullptr;
}

void WatchedMemory::report_race(std::int64_t index, const Agent& agent, std::string_view does,
                                const Access& earlier, std::string_view did, const LaunchShape& shape,
                                FaultLog& faults) const {
  if (!faults.is_wanted(FaultKind::Race)) return;
  faults.add(FaultKind::Race,
             fmt::format("{} {} {}[{}] and {} {} it, {}", shape.describe(agent.lane, agent.group), does,
                         name_, index, shape.describe(earlier.lane, earlier.group), did,
                         agent.group == earlier.group ? "with no barrier between" : "in the same launch"));
}

}  // namespace hoist::loop
