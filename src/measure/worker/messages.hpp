#pragma once
// What the tuner and its workers tell each other, as bytes (CBOR). Both are the same program, so that there
// are no versions to agree on.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/tensor.hpp"
#include "interpret/error_bound.hpp"
#include "measure/outcome.hpp"
#include "runtime/shared_memory.hpp"

namespace hoist::measure::messages {

using Json = nlohmann::json;

std::string to_bytes(const Json& message);
/// Throws nlohmann's exception on what is no message.
Json from_bytes(const std::string& bytes);

/// Bytes that are no text.
Json binary(const std::string& bytes);
std::string binary(const Json& value);

/// Writes tensors to memory from `offset` on, which is moved behind them; what it returns says where they
/// are.
Result<Json> share(const runtime::SharedMemory& memory, const Data& data, std::size_t& offset);
Result<Data> shared(const runtime::SharedMemory& memory, const Json& where);
/// A tensor that lies in shared memory.
struct SharedTensor {
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
};
/// The same tensors where they lie. Device error where the memory is shorter.
Result<std::vector<SharedTensor>> mapped(const runtime::MappedMemory& memory, const Json& where);
/// The first byte behind such tensors.
std::size_t end_of(const Json& where);

Json to_json(const runtime::StoppingRule& rule);
runtime::StoppingRule rule_of(const Json& json);

/// All of an outcome that workers find out.
Json to_json(const Outcome& outcome);
Outcome outcome_of(const Json& json);

}  // namespace hoist::measure::messages
