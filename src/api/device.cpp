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

/// User error when `given` elements of `type` are not what the buffer holds.
void check_transfer(Scalar have, std::size_t elements, Scalar type, std::size_t given) {
  if (have == type && elements == given) return;
  throw_user(fmt::format("the buffer holds {} elements of {}, but {} of {} were given", elements,
                         name_of(have), given, name_of(type)));
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

}  // namespace

std::vector<DeviceFacts> devices() {
  std::vector<DeviceFacts> result;
  for (const target::Target& info : runtime::list_devices()) result.push_back(facts_of(info));
  return result;
}

Result<Device> Device::open(const std::string& id) {
  return guarded(nullptr, [&] {
    auto device = need(runtime::open_device(id.empty() ? runtime::default_device() : id));
    DeviceFacts facts = facts_of(device->info());
    return Device(std::make_shared<DeviceState>(DeviceState{std::move(device), std::move(facts)}));
  });
}

const DeviceFacts& Device::facts() const { return state_->facts; }

Result<void> Device::follow(std::uintptr_t stream) const {
  return guarded(nullptr, [&] { need(state_->device->follow(stream)); });
}

std::size_t Buffer::alignment(const Device& device, Scalar type) {
  constexpr std::size_t of_cuda = 256;
  return Access::state(device)->device->info().language == target::Language::Cuda ? of_cuda : size_of(type);
}

Result<Buffer> Buffer::at(const Device& device, std::uintptr_t address, Scalar type, std::size_t elements) {
  return guarded(nullptr, [&] {
    const auto& on = Access::state(device);
    auto memory = memory_at(*on, address, alignment(device, type), elements * size_of(type));
    return Buffer(std::make_shared<BufferState>(BufferState{on, std::move(memory), type, elements}));
  });
}

Result<Buffer> Buffer::copy_of(const Device& device, std::uintptr_t address, Scalar type,
                               std::size_t elements) {
  auto copy = allocate(device, type, elements);
  if (!copy) return copy;
  return guarded(nullptr, [&] {
    const auto& on = Access::state(device);
    const std::size_t bytes = elements * size_of(type);
    need(on->device->copy(*memory_at(*on, address, size_of(type), bytes), *copy->state_->memory, bytes));
    return *copy;
  });
}

Result<Buffer> Buffer::allocate(const Device& device, Scalar type, std::size_t elements) {
  return guarded(nullptr, [&] {
    const auto& on = Access::state(device);
    auto memory = need(on->device->allocate(elements * size_of(type)));
    return Buffer(std::make_shared<BufferState>(BufferState{on, std::move(memory), type, elements}));
  });
}

Scalar Buffer::type() const { return state_->type; }
std::size_t Buffer::elements() const { return state_->elements; }
std::uintptr_t Buffer::address() const { return state_->device->device->address_of(*state_->memory); }

Result<void> Buffer::upload(Scalar type, std::span<const std::byte> data) {
  return guarded(nullptr, [&] {
    check_transfer(state_->type, state_->elements, type, data.size() / size_of(type));
    need(state_->device->device->write(*state_->memory, data));
  });
}

Result<void> Buffer::download(Scalar type, std::span<std::byte> data) const {
  return guarded(nullptr, [&] {
    check_transfer(state_->type, state_->elements, type, data.size() / size_of(type));
    need(state_->device->device->read(*state_->memory, data));
  });
}

}  // namespace hoist::api
