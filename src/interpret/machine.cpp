// The machine's memory: words of the frame, dense and strided arrays, and what copies elements between them.
//
// Everything here moves elements without looking at what they mean: `copy_array` copies a strided array
// densely, at once where its inner dimensions lie densely; `Feed` puts the elements of an array one by one
// where a function expects its parameter, and `Sink` collects the function's results.
#include "interpret/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>

namespace hoist::interpret {
namespace {

/// What the operating system can still give, in bytes; unlimited where it does not say.
std::int64_t available_memory() {
  std::ifstream information("/proc/meminfo");
  std::string key, unit;
  std::int64_t kibibytes = 0;
  while (information >> key >> kibibytes) {
    std::getline(information, unit);
    if (key == "MemAvailable:") return kibibytes * 1024;
  }
  return std::numeric_limits<std::int64_t>::max();
}

/// Smaller arrays are not worth asking for.
constexpr std::int64_t large_array = std::int64_t{64} << 20U;

[[noreturn]] void out_of_memory(std::int64_t bytes) {
  throw_failure(ErrorKind::Device, fmt::format("not enough memory for an array of {} bytes", bytes));
}

/// Calls `body` with a value of the C++ type that `scalar` has in memory.
template <class Body>
auto with_native(Scalar scalar, Body&& body) {
  switch (scalar) {
    case Scalar::F32:
      return body(float{});
    case Scalar::F64:
      return body(double{});
    case Scalar::I8:
      return body(std::int8_t{});
    case Scalar::I16:
      return body(std::int16_t{});
    case Scalar::I32:
      return body(std::int32_t{});
    case Scalar::I64:
      return body(std::int64_t{});
    case Scalar::U8:
    case Scalar::Bool:
      return body(std::uint8_t{});
    case Scalar::U16:
      return body(std::uint16_t{});
    case Scalar::U32:
      return body(std::uint32_t{});
    case Scalar::U64:
      return body(std::uint64_t{});
  }
  throw Bug("not a scalar type");
}

template <class Native>
void copy_strided(std::byte* to, const std::byte* from, std::int64_t stride, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * static_cast<std::int64_t>(sizeof(Native)), from + i * stride, sizeof(Native));
  }
}

/// Copies a strided array densely; gives the end of what it wrote.
std::byte* copy_array(const Machine& machine, std::byte* to, const std::byte* from, Scalar scalar,
                      const SizeSlot* shape, const Word* strides, std::size_t rank) {
  const auto element = static_cast<std::int64_t>(size_of(scalar));
  // The trailing dimensions that lie densely are copied at once.
  std::int64_t dense = element;
  std::size_t outer = rank;
  while (outer > 0) {
    const std::int64_t extent = machine.sizes[shape[outer - 1]];
    if (extent != 1 && strides[outer - 1].integer != dense) break;
    dense *= extent;
    --outer;
  }
  if (dense == 0) return to;
  if (outer == 0) {
    std::memcpy(to, from, static_cast<std::size_t>(dense));
    return to + dense;
  }
  const std::int64_t extent = machine.sizes[shape[0]];
  const std::int64_t stride = strides[0].integer;
  if (rank == 1) {
    with_native(scalar, [&](auto native) { copy_strided<decltype(native)>(to, from, stride, extent); });
    return to + extent * element;
  }
  for (std::int64_t i = 0; i < extent; ++i) {
    to = copy_array(machine, to, from + i * stride, scalar, shape + 1, strides + 1, rank - 1);
  }
  return to;
}

}  // namespace

void Machine::stop() const {
  throw_user(fmt::format("stopped after {} scalar operations", max_operations),
             "the interpreter was given this limit");
}

void Machine::ask_whether_over() {
  blocks_to_look_ = looks_after;
  if (is_over && is_over()) throw_user("the interpreter was stopped before the result was computed");
}

double Magnitudes::cancellation() const {
  // A result of exactly 0 says nothing of the scale; more than this would accept any result.
  constexpr double most = 1e4;
  return intermediate <= result ? 1.0 : std::min(most, intermediate / result);
}

std::byte* Buffer::reserve(std::int64_t bytes) {
  if (bytes <= capacity_ && memory_) return memory_.get();
  if (bytes > large_array && bytes - capacity_ > available_memory()) out_of_memory(bytes);
  memory_.reset();
  capacity_ = 0;
  try {
    // Not value-initialised: whoever reserves memory writes all of it.
    memory_.reset(new std::byte[static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1))]);
  } catch (const std::bad_alloc&) {
    out_of_memory(bytes);
  }
  capacity_ = bytes;
  return memory_.get();
}

Word load_word(const std::byte* memory, Scalar scalar) {
  return with_native(scalar, [&](auto native) {
    std::memcpy(&native, memory, sizeof(native));
    Word word;
    if constexpr (std::is_floating_point_v<decltype(native)>) {
      word.real = native;
    } else {
      word.integer = scalar == Scalar::Bool ? std::int64_t{native != 0} : static_cast<std::int64_t>(native);
    }
    return word;
  });
}

void store_word(std::byte* memory, Scalar scalar, Word word) {
  with_native(scalar, [&](auto native) {
    if constexpr (std::is_floating_point_v<decltype(native)>) {
      native = static_cast<decltype(native)>(word.real);
    } else {
      native = static_cast<decltype(native)>(word.integer);
    }
    std::memcpy(memory, &native, sizeof(native));
  });
}

ScalarValue to_value(Word word, Scalar scalar) {
  return is_float(scalar) ? ScalarValue{scalar, word.real, 0} : ScalarValue{scalar, 0, word.integer};
}

Word to_word(const ScalarValue& value) {
  Word word;
  if (is_float(value.type)) {
    word.real = value.real;
  } else {
    word.integer = value.integer;
  }
  return word;
}

std::int64_t bytes_of(const Machine& machine, const Leaf& leaf, std::size_t skip) {
  auto bytes = static_cast<std::int64_t>(size_of(leaf.scalar));
  bool overflows = false;
  for (std::size_t d = skip; d < leaf.rank(); ++d) {
    const std::int64_t extent = machine.sizes[leaf.shape[d]];
    if (extent == 0) return 0;
    overflows = overflows || __builtin_mul_overflow(bytes, extent, &bytes);
  }
  if (overflows) {
    throw_failure(ErrorKind::Device, "not enough memory for an array of more than 2^63 bytes");
  }
  return bytes;
}

void set_dense(Machine& machine, const Leaf& leaf, const std::byte* data) {
  Word* words = &machine.frame[leaf.place];
  words[0].data = data;
  auto stride = static_cast<std::int64_t>(size_of(leaf.scalar));
  for (std::size_t d = leaf.rank(); d-- > 0;) {
    words[1 + d].integer = stride;
    stride *= machine.sizes[leaf.shape[d]];
  }
}

void copy_words(Machine& machine, const Leaf& to, const Leaf& from) {
  for (std::size_t word = 0; word <= to.rank(); ++word) {
    machine.frame[to.place + word] = machine.frame[from.place + word];
  }
}

void copy_elements(const Machine& machine, std::byte* to, const Leaf& from) {
  const Word* words = &machine.frame[from.place];
  if (from.is_scalar()) {
    store_word(to, from.scalar, words[0]);
  } else {
    copy_array(machine, to, words[0].data, from.scalar, from.shape.data(), words + 1, from.rank());
  }
}

void Rows::begin(const Machine& machine) {
  const Word* words = &machine.frame[array_.place];
  first_ = words[0].data;
  stride_ = words[1].integer;
  row_bytes_ = bytes_of(machine, array_, 1);
}

void Rows::copy(const Machine& machine, std::byte* to, std::int64_t index) const {
  copy_array(machine, to, first_ + index * stride_, array_.scalar, array_.shape.data() + 1,
             &machine.frame[array_.place] + 2, array_.rank() - 1);
}

void Feed::begin(Machine& machine) {
  const Word* words = &machine.frame[array_.place];
  first_ = words[0].data;
  stride_ = words[1].integer;
  for (std::size_t d = 0; d < element_.rank(); ++d) {
    machine.frame[element_.place + 1 + d] = words[2 + d];
  }
}

void Feed::set(Machine& machine, std::int64_t index) const {
  const std::byte* data = first_ + index * stride_;
  if (element_.is_scalar()) {
    machine.frame[element_.place] = load_word(data, element_.scalar);
  } else {
    machine.frame[element_.place].data = data;
  }
}

void Sink::begin(Machine& machine) {
  row_bytes_ = bytes_of(machine, array_, 1);
  first_ = buffer_.reserve(bytes_of(machine, array_));
  set_dense(machine, array_, first_);
}

void Sink::store(const Machine& machine, std::int64_t index) const {
  copy_elements(machine, first_ + index * row_bytes_, element_);
}

}  // namespace hoist::interpret
