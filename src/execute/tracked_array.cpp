#include "execute/tracked_array.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace hoist::execute {
namespace {

using tasks::Interval;

auto part(auto memory, const Interval& range) {
  return memory.subspan(static_cast<std::size_t>(range.from), static_cast<std::size_t>(range.length()));
}

}  // namespace

std::vector<Interval> ValidRanges::unwritten(const Interval& range) const {
  std::vector<Interval> result;
  for (const Interval& each : host_.missing(range)) {
    const auto nowhere = device_.missing(each);
    result.insert(result.end(), nowhere.begin(), nowhere.end());
  }
  return result;
}

void ValidRanges::wrote(Place place, const Interval& range) {
  of(place).add(range);
  of(place == Place::Host ? Place::Device : Place::Host).remove(range);
}

TrackedArray::TrackedArray(runtime::Device& device, Scalar scalar, std::shared_ptr<void> owner,
                           std::span<std::byte> memory)
    : device_(&device), scalar_(scalar), bytes_(memory.size()), owner_(std::move(owner)), host_(memory) {
  valid_.wrote(Place::Host, all());
}

TrackedArray::TrackedArray(runtime::Device& device, Scalar scalar, std::unique_ptr<runtime::Buffer> memory)
    : device_(&device),
      scalar_(scalar),
      bytes_(memory->bytes()),
      buffer_(std::move(memory)),
      writes_(StartedWork::AtEnd::Leaves),
      reads_(StartedWork::AtEnd::Leaves) {
  valid_.wrote(Place::Device, all());
}

/// "elements [3, 8)".
std::string TrackedArray::elements_text(const Interval& range) const {
  const auto width = static_cast<std::int64_t>(size_of(scalar_));
  return fmt::format("elements [{}, {})", range.from / width, (range.to + width - 1) / width);
}

Result<void> TrackedArray::check_written(const Interval& range) const {
  const auto unwritten = valid_.unwritten(range);
  if (unwritten.empty()) return {};
  return user_error(fmt::format("a buffer holds nothing in its {}", elements_text(unwritten.front())),
                    "neither the host has written them, nor a run that ended well",
                    "write them before they are read");
}

Result<std::span<std::byte>> TrackedArray::on_host() {
  if (host_.empty() && bytes_ > 0) {
    auto memory = device_->host_memory(bytes_);
    if (!memory) return tl::unexpected(memory.error());
    memory_ = std::move(*memory);
    host_ = memory_->bytes();
  } else if (owner_ && !is_pin_tried_) {
    is_pin_tried_ = true;
    if (!device_->stream_facts().needs_pinned) return host_;
    auto pinned = device_->pin(host_);
    if (!pinned) return tl::unexpected(pinned.error());
    memory_ = std::move(*pinned);
  }
  return host_;
}

Result<void> TrackedArray::wait() const {
  if (auto written = writes_.wait(); !written) return written;
  return reads_.wait();
}

void TrackedArray::append_uses_to(std::vector<runtime::Event>& events) const {
  writes_.append_to(events);
  reads_.append_to(events);
}

void TrackedArray::add_read(const runtime::Event& end, const std::shared_ptr<const std::string>& program) {
  reads_.add(end, program);
}

void TrackedArray::add_write(const runtime::Event& end, const std::shared_ptr<const std::string>& program) {
  writes_.clear();
  reads_.clear();
  writes_.add(end, program);
}

Result<runtime::Buffer*> TrackedArray::on_device() {
  if (auto waited = wait(); !waited) return tl::unexpected(waited.error());
  return memory_on_device();
}

Result<runtime::Buffer*> TrackedArray::memory_on_device() {
  if (!buffer_) {
    auto buffer = device_->allocate(bytes_);
    if (!buffer) return tl::unexpected(buffer.error());
    buffer_ = std::move(*buffer);
  }
  return buffer_.get();
}

Result<std::span<const std::byte>> TrackedArray::read(const Interval& range) {
  if (auto checked = check_written(range); !checked) return tl::unexpected(checked.error());
  auto host = on_host();
  if (!host) return tl::unexpected(host.error());
  for (const Interval& each : valid_.missing(Place::Host, range)) {
    if (auto written = writes_.wait(); !written) return tl::unexpected(written.error());
    auto read = device_->read(*buffer_, part(*host, each), static_cast<std::size_t>(each.from));
    if (!read) return tl::unexpected(read.error());
    valid_.copied_to(Place::Host, each);
  }
  return part(std::span<const std::byte>(*host), range);
}

Result<std::span<std::byte>> TrackedArray::write(const Interval& range) {
  auto host = on_host();
  if (!host) return tl::unexpected(host.error());
  valid_.wrote(Place::Host, range);
  return part(*host, range);
}

Result<void> TrackedArray::upload(std::size_t offset, std::span<const std::byte> from) {
  auto buffer = on_device();
  if (!buffer) return tl::unexpected(buffer.error());
  if (auto written = device_->write(**buffer, from, offset); !written) return written;
  const auto begin = static_cast<std::int64_t>(offset);
  valid_.wrote(Place::Device, {begin, begin + static_cast<std::int64_t>(from.size())});
  return {};
}

Result<void> TrackedArray::download(std::size_t offset, std::span<std::byte> to) const {
  const auto begin = static_cast<std::int64_t>(offset);
  const Interval range{begin, begin + static_cast<std::int64_t>(to.size())};
  if (auto checked = check_written(range); !checked) return checked;
  const auto target = [&](const Interval& each) {
    return part(to, {each.from - range.from, each.to - range.from});
  };
  for (const Interval& each : valid_.held(Place::Host, range)) {
    const auto from = part(host_, each);
    std::memcpy(target(each).data(), from.data(), from.size());
  }
  for (const Interval& each : valid_.missing(Place::Host, range)) {
    if (auto written = writes_.wait(); !written) return written;
    auto read = device_->read(*buffer_, target(each), static_cast<std::size_t>(each.from));
    if (!read) return read;
  }
  return {};
}

Result<void> TrackedArray::bring_to_device(const Interval& range) {
  if (auto checked = check_written(range); !checked) return checked;
  const auto missing = valid_.missing(Place::Device, range);
  auto buffer = missing.empty() ? memory_on_device() : on_device();
  if (!buffer) return tl::unexpected(buffer.error());
  for (const Interval& each : missing) {
    auto written = device_->write(**buffer, part(host_, each), static_cast<std::size_t>(each.from));
    if (!written) return written;
    valid_.copied_to(Place::Device, each);
  }
  return {};
}

bool checks_arrays() {
  const char* wanted = std::getenv("HOIST_CHECK_ARRAYS");
  return wanted && std::string_view(wanted) != "" && std::string_view(wanted) != "0";
}

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void TrackedArray::seal() {
  seals_.clear();
  if (!checks_arrays()) return;
  for (const Interval& each : valid_.held(Place::Host, all())) {
    for (const Interval& both : valid_.held(Place::Device, each))
      seals_.push_back({both, hash_of(part(host_, both))});
  }
}

Result<void> TrackedArray::check_seal() const {
  for (const Seal& each : seals_) {
    if (hash_of(part(host_, each.range)) == each.hash) continue;
    return user_error(fmt::format("the host's memory of a buffer has changed in its {}, without write()",
                                  elements_text(each.range)),
                      "the device holds them as they were, and goes on with those",
                      "call write() before each change");
  }
  return {};
}

}  // namespace hoist::execute
