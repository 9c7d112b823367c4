#include <algorithm>

#include "api/access.hpp"
#include "runtime/devices.hpp"
#include "target/kinds.hpp"

namespace hoist::api {

namespace {

DeviceFacts facts_of(const target::Target& info) {
  DeviceFacts facts;
  facts.id = info.id;
  facts.name = info.name;
  facts.vendor = info.vendor;
  facts.platform = info.platform;
  facts.version = info.version;
  facts.type = target::name_of(info.type);
  facts.global_memory = info.global_memory;
  facts.local_memory = info.local_memory;
  facts.compute_units = info.compute_units;
  facts.max_group_size = info.max_group_size;
  facts.has_f64 = info.has_f64;
  return facts;
}

/// The bytes of these elements of a buffer; all of them where no first one is given. User error when the type
/// is not the buffer's, or the range is outside of it.
tasks::Interval range_of(const execute::TrackedArray& array, Scalar type, std::optional<std::size_t> first,
                         std::size_t count) {
  const std::size_t width = hoist::size_of(array.scalar()), elements = array.bytes() / width;
  const Scalar have = outer(array.scalar());
  if (have != type || (!first && elements != count)) {
    throw_user(fmt::format("the buffer holds {} elements of {}, but {} of {} were given", elements,
                           name_of(have), count, name_of(type)));
  }
  const std::size_t from = first.value_or(0);
  if (from > elements || count > elements - from) {
    throw_user(fmt::format("the buffer holds {} elements, but {} from element {} on were asked for", elements,
                           count, from));
  }
  return {static_cast<std::int64_t>(from * width), static_cast<std::int64_t>((from + count) * width)};
}

/// Memory at an address. Throws Failure where there is none, or the address is no multiple of `alignment`.
std::unique_ptr<runtime::Buffer> memory_at(const DeviceState& on, std::uintptr_t address,
                                           std::size_t alignment, std::size_t bytes) {
  if (address % alignment != 0)
    throw_user(fmt::format("the address {:#x} is no multiple of {}", address, alignment));
  auto memory = need(on.device->buffer_at(address, bytes));
  if (!memory)
    throw_user(fmt::format("the memory of device {} has no addresses", on.facts.id), {},
               "allocate a buffer, and copy to it");
  return memory;
}

/// The memory on the host of these elements, as one of TrackedArray's functions gives it.
template <typename Bytes>
Bytes on_host(BufferState& state, Scalar type, std::size_t first, std::size_t count,
              hoist::Result<Bytes> (execute::TrackedArray::*given)(const tasks::Interval&)) {
  const Turn turn(*state.device);
  execute::TrackedArray& array = state.array;
  const tasks::Interval range = range_of(array, type, first, count);
  need(array.check_seal());
  const Bytes bytes = need((array.*given)(range));
  array.seal();
  return bytes;
}

}  // namespace

std::unique_ptr<runtime::Queue> queue_on(DeviceState& device, std::uintptr_t stream) {
  auto queue = need(device.device->queue_on(stream));
  if (!queue) throw_user(fmt::format("device {} has no streams that others could share", device.facts.id));
  queue->keep_times(false);
  return queue;
}

std::vector<DeviceFacts> devices() {
  std::vector<DeviceFacts> result;
  for (const target::Target& info : runtime::list_devices()) result.push_back(facts_of(info));
  return result;
}

Turn::Turn(DeviceState& device) : device_(device) {
  if (!device_.is_in_use.exchange(true)) return;
  throw_user(
      fmt::format("another thread uses the device {}, for a run for example", device_.facts.id),
      "until its call returns, arrays of the run are in flight",
      "a device and what was made with it is for one thread at a time: wait for the other, or open the "
      "device once for each");
}

Result<Device> Device::open(const std::string& id) {
  return guarded(nullptr, [&] {
    auto state = std::make_shared<DeviceState>();
    state->device = need(runtime::open_device(id.empty() ? runtime::default_device() : id));
    state->facts = facts_of(state->device->info());
    return Device(std::move(state));
  });
}

const DeviceFacts& Device::facts() const { return state_->facts; }

Result<void> Device::follow(std::uintptr_t stream) const {
  return guarded(nullptr, [&] {
    const Turn turn(*state_);
    need(state_->device->follow(stream));
  });
}

std::uintptr_t Device::stream() const { return state_->device->stream(); }
std::uint64_t Device::resets() const { return state_->device->resets(); }

std::size_t Buffer::alignment(const Device& device, Scalar type) {
  constexpr std::size_t of_cuda = 256;
  return Access::state(device)->device->info().language == target::Language::Cuda ? of_cuda : size_of(type);
}

Result<Buffer> Buffer::at(const Device& device, std::uintptr_t address, Scalar type, std::size_t elements) {
  return guarded(nullptr, [&] {
    const auto& on = Access::state(device);
    auto memory = memory_at(*on, address, alignment(device, type), elements * size_of(type));
    return Buffer(
        std::make_shared<BufferState>(BufferState{on, {*on->device, inner(type), std::move(memory)}}));
  });
}

Result<Buffer> Buffer::copy_of(const Device& device, std::uintptr_t address, Scalar type,
                               std::size_t elements) {
  auto copy = allocate(device, type, elements);
  if (!copy) return copy;
  return guarded(nullptr, [&] {
    const auto& on = Access::state(device);
    const Turn turn(*on);
    execute::TrackedArray& array = copy->state_->array;
    const auto origin = memory_at(*on, address, size_of(type), array.bytes());
    need(on->device->copy(*origin, *need(array.on_device()), array.bytes()));
    array.changed().wrote(execute::ValidRanges::Place::Device, array.all());
    return *copy;
  });
}

Result<Buffer> Buffer::allocate(const Device& device, Scalar type, std::size_t elements) {
  return guarded(nullptr, [&] {
    const auto& on = Access::state(device);
    const Turn turn(*on);
    auto state = std::make_shared<BufferState>(BufferState{on, {*on->device, inner(type), elements}});
    // What does not fit the device is told here, where the caller knows which array it is.
    need(state->array.on_device());
    return Buffer(std::move(state));
  });
}

Result<Buffer> Buffer::around(const Device& device, Scalar type, std::shared_ptr<void> owner,
                              std::span<std::byte> memory) {
  return guarded(nullptr, [&] {
    const auto& on = Access::state(device);
    return Buffer(
        std::make_shared<BufferState>(BufferState{on, {*on->device, inner(type), std::move(owner), memory}}));
  });
}

Scalar Buffer::type() const { return outer(state_->array.scalar()); }
std::size_t Buffer::elements() const {
  return state_->array.bytes() / hoist::size_of(state_->array.scalar());
}

Result<std::uintptr_t> Buffer::address() const {
  return guarded(nullptr, [&] {
    const Turn turn(*state_->device);
    need(state_->array.bring_to_device(state_->array.all()));
    return state_->device->device->address_of(*need(state_->array.memory_on_device()));
  });
}

Result<void> Buffer::wait() const {
  return guarded(nullptr, [&] {
    const Turn turn(*state_->device);
    need(state_->array.wait());
  });
}

Result<bool> Buffer::is_in_use() const {
  return guarded(nullptr, [&] {
    const Turn turn(*state_->device);
    std::vector<runtime::Event> uses;
    state_->array.append_uses_to(uses);
    // Who failed is told to those who wait.
    return std::ranges::any_of(uses,
                               [](const runtime::Event& each) { return !each.has_ended() || !each.wait(); });
  });
}

Result<void> Buffer::precede(std::uintptr_t stream) const {
  return guarded(nullptr, [&] {
    const Turn turn(*state_->device);
    std::vector<runtime::Event> uses;
    state_->array.append_uses_to(uses);
    const auto queue = queue_on(*state_->device, stream);
    if (!uses.empty()) need(queue->barrier(uses));
  });
}

Result<std::span<const std::byte>> Buffer::read(Scalar type, std::size_t first, std::size_t count) const {
  return guarded(nullptr, [&] { return on_host(*state_, type, first, count, &execute::TrackedArray::read); });
}

Result<std::span<std::byte>> Buffer::write(Scalar type, std::size_t first, std::size_t count) {
  return guarded(nullptr,
                 [&] { return on_host(*state_, type, first, count, &execute::TrackedArray::write); });
}

Result<void> Buffer::upload(Scalar type, std::span<const std::byte> data, std::optional<std::size_t> first) {
  return guarded(nullptr, [&] {
    const Turn turn(*state_->device);
    const tasks::Interval range = range_of(state_->array, type, first, data.size() / size_of(type));
    need(state_->array.upload(static_cast<std::size_t>(range.from), data));
  });
}

Result<void> Buffer::download(Scalar type, std::span<std::byte> data,
                              std::optional<std::size_t> first) const {
  return guarded(nullptr, [&] {
    const Turn turn(*state_->device);
    const tasks::Interval range = range_of(state_->array, type, first, data.size() / size_of(type));
    need(state_->array.download(static_cast<std::size_t>(range.from), data));
  });
}

}  // namespace hoist::api
