#include "measure/worker/messages.hpp"

namespace hoist::measure::messages {

namespace {

Json to_json(const runtime::KernelFacts& facts) {
  return {facts.registers, facts.private_memory, facts.local_memory, facts.max_group_size,
          facts.groups_per_unit};
}
runtime::KernelFacts facts_of(const Json& json) {
  runtime::KernelFacts facts;
  facts.registers = json[0];
  facts.private_memory = json[1];
  facts.local_memory = json[2];
  facts.max_group_size = json[3];
  facts.groups_per_unit = json[4];
  return facts;
}

Json to_json(const std::optional<runtime::Vitals>& vitals) {
  if (!vitals) return nullptr;
  return {vitals->clock_mhz, vitals->memory_clock_mhz, vitals->celsius, vitals->watts};
}
std::optional<runtime::Vitals> vitals_of(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return runtime::Vitals{json[0], json[1], json[2], json[3]};
}

Json to_json(const MeasuredKernel& kernel) {
  return {{"name", kernel.name},
          {"global", kernel.range.global},
          {"local", kernel.range.local},
          {"facts", kernel.facts ? to_json(*kernel.facts) : Json()},
          {"seconds", kernel.seconds ? Json(*kernel.seconds) : Json()}};
}
MeasuredKernel kernel_of(const Json& json) {
  MeasuredKernel kernel;
  kernel.name = json["name"];
  json["global"].get_to(kernel.range.global);
  json["local"].get_to(kernel.range.local);
  if (!json["facts"].is_null()) kernel.facts = facts_of(json["facts"]);
  if (!json["seconds"].is_null()) kernel.seconds = json["seconds"].get<double>();
  return kernel;
}

}  // namespace

std::string to_bytes(const Json& message) {
  std::string bytes;
  Json::to_cbor(message, bytes);
  return bytes;
}

Json from_bytes(const std::string& bytes) { return Json::from_cbor(bytes); }

Json binary(const std::string& bytes) {
  return Json::binary(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
}

std::string binary(const Json& value) {
  const auto& bytes = value.get_binary();
  return {bytes.begin(), bytes.end()};
}

Result<Json> share(const runtime::SharedMemory& memory, const Data& data, std::size_t& offset) {
  Json places = Json::array();
  for (const Tensor& tensor : data) {
    if (auto written = memory.write(offset, tensor.bytes); !written) return tl::unexpected(written.error());
    places.push_back({name_of(tensor.scalar), tensor.shape, offset, tensor.bytes.size()});
    offset += tensor.bytes.size();
  }
  return places;
}

Result<std::vector<SharedTensor>> mapped(const runtime::MappedMemory& memory, const Json& where) {
  if (end_of(where) > memory.bytes().size())
    return device_error("shared memory is shorter than the data to be read");
  std::vector<SharedTensor> tensors;
  for (const Json& place : where) {
    SharedTensor& tensor = tensors.emplace_back();
    place[1].get_to(tensor.shape);
    tensor.bytes = memory.bytes().subspan(place[2], place[3]);
  }
  return tensors;
}

std::size_t end_of(const Json& where) {
  std::size_t end = 0;
  for (const Json& place : where)
    end = std::max(end, place[2].get<std::size_t>() + place[3].get<std::size_t>());
  return end;
}

Result<Data> shared(const runtime::SharedMemory& memory, const Json& where) {
  Data data;
  for (const Json& place : where) {
    Tensor& tensor = data.emplace_back();
    tensor.scalar = scalar_named(place[0].get<std::string>()).value();
    place[1].get_to(tensor.shape);
    tensor.bytes.resize(place[3]);
    if (auto read = memory.read(place[2], tensor.bytes); !read) return tl::unexpected(read.error());
  }
  return data;
}

Json to_json(const runtime::StoppingRule& rule) {
  return {rule.warm_ups, rule.least, rule.most,       rule.seconds, rule.long_run,
          rule.longest,  rule.width, rule.confidence, rule.hopeless};
}

runtime::StoppingRule rule_of(const Json& json) {
  return {json[0], json[1], json[2], json[3], json[4], json[5], json[6], json[7], json[8]};
}

Json to_json(const Outcome& outcome) {
  Json kernels = Json::array();
  for (const MeasuredKernel& kernel : outcome.kernels) kernels.push_back(to_json(kernel));
  return {{"kind", static_cast<int>(outcome.kind)},
          {"message", outcome.message},
          {"source", outcome.source},
          {"build", {outcome.build.seconds, outcome.build.from_cache, outcome.build.log}},
          {"seconds", outcome.seconds},
          {"interval", {outcome.interval.low, outcome.interval.high, outcome.interval.confidence}},
          {"largest_error", outcome.largest_error},
          {"device_seconds", outcome.device_seconds},
          {"kernels", std::move(kernels)},
          {"inputs", {outcome.inputs.bytes, outcome.inputs.seconds}},
          {"outputs", {outcome.outputs.bytes, outcome.outputs.seconds}},
          {"before", to_json(outcome.before)},
          {"after", to_json(outcome.after)}};
}

Outcome outcome_of(const Json& json) {
  Outcome outcome;
  outcome.kind = static_cast<OutcomeKind>(json["kind"].get<int>());
  outcome.message = json["message"];
  outcome.source = json["source"];
  outcome.build = {json["build"][0], json["build"][1], json["build"][2]};
  json["seconds"].get_to(outcome.seconds);
  outcome.interval = {json["interval"][0], json["interval"][1], json["interval"][2]};
  outcome.largest_error = json["largest_error"];
  outcome.device_seconds = json["device_seconds"];
  for (const Json& kernel : json["kernels"]) outcome.kernels.push_back(kernel_of(kernel));
  outcome.inputs = {json["inputs"][0], json["inputs"][1]};
  outcome.outputs = {json["outputs"][0], json["outputs"][1]};
  outcome.before = vitals_of(json["before"]);
  outcome.after = vitals_of(json["after"]);
  return outcome;
}

}  // namespace hoist::measure::messages
