#include "python/outputs.hpp"

namespace hoist::python {

namespace {

std::size_t elements_of(const std::vector<std::int64_t>& shape) {
  std::size_t elements = 1;
  for (const std::int64_t extent : shape) elements *= static_cast<std::size_t>(extent);
  return elements;
}

Error user_error(const std::string& message, const std::string& note, const std::string& help) {
  return {ErrorKind::User, {{message, note, help, std::nullopt, {}}}};
}

/// Memory of the device, as its first byte and the one behind its last.
struct Range {
  std::uintptr_t begin = 0, end = 0;
  bool overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
};

Range range_of(std::uintptr_t address, Scalar scalar, const std::vector<std::int64_t>& shape) {
  return {address, address + elements_of(shape) * size_of(scalar)};
}

/// Where an input is on the device; an empty range where it is not there. The device is this thread's.
Result<Range> range_of(const Given& given) {
  if (given.foreign) return range_of(given.foreign->address, given.scalar, given.shape);
  if (!given.on_device) return Range{};
  const auto address = given.on_device->buffer()->address();
  if (!address) return address.error();
  return range_of(*address, given.scalar, given.shape);
}

}  // namespace

Outputs::Outputs(const Signature& signature, const Prepared& prepared, const Compiled& compiled,
                 const py::object& out)
    : signature_(signature), prepared_(prepared), facts_(compiled.outputs()) {
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    if (facts_[i].shape.empty()) continue;
    facts_[i].shape.front() = compiled.output_parts()[i].rows;
    facts_[i].elements = elements_of(facts_[i].shape);
  }
  std::vector<py::object> given(facts_.size());
  if (!out.is_none()) flatten(signature.program(), signature.result(), "result", false, out, given);
  for (std::size_t i = 0; i < facts_.size(); ++i)
    places_.push_back(out.is_none() ? new_place(facts_[i]) : given_place(facts_[i], given[i]));
}

Outputs::Place Outputs::new_place(const ArrayFacts& facts) const {
  if (prepared_.is_on_device() && !facts.shape.empty()) return {};
  py::array array = new_array(facts.scalar, facts.shape);
  Output output = output_of(facts.scalar, array);
  return {std::move(array), std::move(output), std::nullopt, nullptr};
}

Outputs::Place Outputs::given_place(const ArrayFacts& facts, const py::object& object) const {
  const OpenDevice& device = *prepared_.device;
  if (py::isinstance<DeviceArray>(object)) {
    const auto array = object.cast<DeviceArrayPtr>();
    if (array->scalar() != facts.scalar)
      raise_user("the " + facts.name + " has elements of " + name_of(facts.scalar) +
                 ", but the array given for it has " + name_of(array->scalar()));
    return {object, Output(buffer_of(*array), array->shape()), std::nullopt, nullptr};
  }
  if (!py::isinstance<py::array>(object)) {
    std::optional<ForeignArray> foreign;
    try {
      foreign = foreign_array(object);
    } catch (const UnreadableArray& error) {
      raise_user("the array given for the " + facts.name + " is none that can be written to", error.what());
    }
    if (foreign) {
      check_writable(facts.name, facts.scalar, *foreign, device.id());
      return {object, std::nullopt, std::move(foreign), nullptr};
    }
  }
  py::array array = writable_array(facts.name, facts.scalar, object);
  Output output = output_of(facts.scalar, array);
  return {std::move(array), std::move(output), std::nullopt, nullptr};
}

Result<Output> Outputs::foreign_output(const ArrayFacts& facts, const ForeignArray& array) const {
  const Device& device = prepared_.device->device();
  const std::size_t alignment = Buffer::alignment(device, facts.scalar);
  if (array.address % alignment != 0)
    return user_error("the array given for the " + facts.name + " begins at no multiple of " +
                          std::to_string(alignment) + " bytes",
                      "kernels write vectors", "give an array that is not part of another");
  const Range own = range_of(array.address, facts.scalar, array.shape);
  for (std::size_t i = 0; i < prepared_.given.size(); ++i) {
    const auto other = range_of(prepared_.given[i]);
    if (!other) return other.error();
    if (own.overlaps(*other))
      return user_error("the array given for the " + facts.name + " is in the memory of the input " +
                            signature_.program().inputs()[i].name,
                        "kernels on a device read their inputs while they write their outputs",
                        "give another array");
  }
  auto buffer = Buffer::at(device, array.address, facts.scalar, elements_of(array.shape));
  if (!buffer) return buffer.error();
  return Output(*buffer, array.shape);
}

Result<std::vector<Output>> Outputs::places() {
  std::vector<Output> outputs;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    const ArrayFacts& facts = facts_[i];
    if (place.output) {
      outputs.push_back(*place.output);
    } else if (place.foreign) {
      auto output = foreign_output(facts, *place.foreign);
      if (!output) return output.error();
      outputs.push_back(*std::move(output));
    } else {
      auto buffer = prepared_.device->allocate(facts.scalar, facts.elements);
      if (!buffer) return buffer.error();
      place.made = std::make_shared<DeviceArray>(prepared_.device, *buffer, facts.shape);
      outputs.emplace_back(*std::move(buffer));
    }
  }
  return outputs;
}

bool Outputs::are_on_device() const {
  return std::ranges::all_of(places_, [](const Place& each) {
    return each.foreign || !each.output || py::isinstance<DeviceArray>(each.object);
  });
}

std::vector<const ForeignArray*> Outputs::foreign() const {
  std::vector<const ForeignArray*> arrays;
  for (const Place& each : places_) {
    if (each.foreign) arrays.push_back(&*each.foreign);
  }
  return arrays;
}

py::object Outputs::results() const {
  std::vector<py::object> leaves;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    if (place.made) {
      leaves.push_back(py::cast(place.made));
    } else {
      const bool is_number = facts_[i].shape.empty() && py::isinstance<py::array>(place.object);
      leaves.push_back(is_number ? py::object(place.object[py::tuple()]) : place.object);
    }
  }
  return unflattened(signature_.result(), leaves);
}

}  // namespace hoist::python
