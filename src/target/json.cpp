#include "target/json.hpp"

#include "base/error.hpp"
#include "target/kinds.hpp"

namespace hoist::target {

namespace {

using Json = nlohmann::ordered_json;

Json told(std::string_view name) { return std::string(name); }
Json as_json(Language language) { return told(name_of(language)); }
Json as_json(Type type) { return told(name_of(type)); }
template <class Value>
Json as_json(const Value& value) {
  return value;
}

void read(const Json& json, Language& language) {
  if (const auto named = language_named(json.get<std::string>())) language = *named;
}
void read(const Json& json, Type& type) {
  for (const Type each : {Type::Cpu, Type::Gpu, Type::Accelerator, Type::Other}) {
    if (json.get<std::string>() == name_of(each)) type = each;
  }
}
template <class Value>
void read(const Json& json, Value& value) {
  json.get_to(value);
}

/// Calls `visit` with the name and the value of each field: the one list that is printed and read.
template <class AnyTarget, class Visit>
void for_each_field(AnyTarget& target, Visit&& visit) {
  visit("id", target.id);
  visit("name", target.name);
  visit("type", target.type);
  visit("vendor", target.vendor);
  visit("platform", target.platform);
  visit("version", target.version);
  visit("driver", target.driver);
  visit("language", target.language);
  visit("compute_units", target.compute_units);
  visit("clock_mhz", target.clock_mhz);
  visit("global_memory", target.global_memory);
  visit("largest_buffer", target.largest_buffer);
  visit("local_memory", target.local_memory);
  visit("local_memory_is_dedicated", target.local_memory_is_dedicated);
  visit("cache_line", target.cache_line);
  visit("caches", target.caches);
  visit("max_group_size", target.max_group_size);
  visit("max_group_sizes", target.max_group_sizes);
  visit("preferred_group_multiple", target.preferred_group_multiple);
  visit("sub_group_sizes", target.sub_group_sizes);
  visit("largest_image", target.largest_image);
  visit("most_pixels", target.most_pixels);
  visit("preferred_f32_vector", target.preferred_f32_vector);
  visit("instruction_set", target.instruction_set);
  visit("has_f64", target.has_f64);
}

}  // namespace

Json to_json(const Target& target) {
  Json json = Json::object();
  for_each_field(target, [&](const char* name, const auto& value) { json[name] = as_json(value); });
  return json;
}

Target from_json(const Json& json, Target usual) {
  for_each_field(usual, [&](const char* name, auto& value) {
    if (json.is_object() && json.contains(name)) read(json[name], value);
  });
  return completed(std::move(usual));
}

}  // namespace hoist::target
