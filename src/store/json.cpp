#include "store/json.hpp"

namespace hoist::store {

namespace {

using Size = std::optional<std::int64_t> KernelBuild::*;
constexpr std::pair<const char*, Size> kernel_facts[] = {{"registers", &KernelBuild::registers},
                                                         {"private_memory", &KernelBuild::private_memory},
                                                         {"local_memory", &KernelBuild::local_memory},
                                                         {"max_group_size", &KernelBuild::max_group_size},
                                                         {"groups_per_unit", &KernelBuild::groups_per_unit}};

}  // namespace

std::string to_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json to_json(const NamedValues& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = value;
  return json;
}

Json to_json(const std::vector<Step>& steps) {
  Json json = Json::array();
  for (const Step& step : steps) json.push_back({{"rule", step.rule}, {"at", step.place}});
  return json;
}

Json to_json(const std::vector<Launch>& launches) {
  Json json = Json::array();
  for (const Launch& launch : launches)
    json.push_back({{"kernel", launch.kernel}, {"global", launch.global}, {"local", launch.local}});
  return json;
}

Json to_json(const std::vector<KernelBuild>& kernels) {
  Json json = Json::array();
  for (const KernelBuild& kernel : kernels) {
    Json facts{{"kernel", kernel.kernel}};
    for (const auto& [name, fact] : kernel_facts)
      if (kernel.*fact) facts[name] = *(kernel.*fact);
    if (kernel.seconds) facts["seconds"] = *kernel.seconds;
    json.push_back(std::move(facts));
  }
  return json;
}

NamedValues named_values(const Json& json) {
  NamedValues values;
  for (const auto& [name, value] : json.get_ref<const Json::object_t&>())
    values.emplace_back(name, value.get<std::int64_t>());
  return values;
}

std::vector<Step> steps(const Json& json) {
  std::vector<Step> steps;
  for (const Json& step : json.get_ref<const Json::array_t&>())
    steps.push_back({step.at("rule").get<std::string>(), step.at("at").get<std::string>()});
  return steps;
}

std::vector<Launch> launches(const Json& json) {
  std::vector<Launch> launches;
  for (const Json& launch : json.get_ref<const Json::array_t&>())
    launches.push_back({launch.at("kernel").get<std::string>(),
                        launch.at("global").get<std::array<std::int64_t, 3>>(),
                        launch.at("local").get<std::array<std::int64_t, 3>>()});
  return launches;
}

std::vector<KernelBuild> kernel_builds(const Json& json) {
  std::vector<KernelBuild> kernels;
  for (const Json& facts : json.get_ref<const Json::array_t&>()) {
    KernelBuild kernel{facts.at("kernel").get<std::string>()};
    for (const auto& [name, fact] : kernel_facts)
      if (facts.contains(name)) kernel.*fact = facts.at(name).get<std::int64_t>();
    if (facts.contains("seconds")) kernel.seconds = facts.at("seconds").get<double>();
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::vector<std::string> names(const Json& json) { return json.get<std::vector<std::string>>(); }

std::vector<double> doubles(const Json& json) { return json.get<std::vector<double>>(); }

}  // namespace hoist::store
