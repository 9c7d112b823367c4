#include "store/stored_target.hpp"

#include <algorithm>

#include "target/json.hpp"
#include "target/kinds.hpp"

namespace hoist::store {

namespace {

/// Names of facts that columns hold; the id is another on every machine.
constexpr const char* elsewhere[] = {"id",      "name",   "vendor",   "platform",
                                     "version", "driver", "language", "compute_units"};

}  // namespace

Device stored_device(const target::Target& target) {
  nlohmann::ordered_json facts = target::to_json(target);
  for (const char* name : elsewhere) facts.erase(name);
  Device stored{
      .language = std::string(name_of(target.language)), .name = target.name, .driver = target.driver};
  stored.vendor = target.vendor;
  stored.platform = target.platform;
  stored.version = target.version;
  stored.compute_units = static_cast<std::int64_t>(target.compute_units);
  stored.facts = facts.dump();
  return stored;
}

target::Target target_of(const Device& stored) {
  const auto facts = nlohmann::ordered_json::parse(stored.facts, nullptr, false);
  const target::Language language =
      target::language_named(stored.language).value_or(target::Language::OpenCL);
  const bool is_nvidia = stored.vendor.find("NVIDIA") != std::string::npos;
  const target::Type seeming = is_nvidia ? target::Type::Gpu : target::kind_of(language).usual_type;
  const target::Type type = target::from_json(facts, target::usual_device(language, seeming)).type;
  target::Target usual = target::usual_device(language, type);
  usual.name = stored.name;
  usual.vendor = stored.vendor;
  usual.platform = stored.platform;
  usual.version = stored.version;
  usual.driver = stored.driver;
  usual.compute_units = static_cast<std::size_t>(std::max<std::int64_t>(stored.compute_units, 1));
  return target::from_json(facts, std::move(usual));
}

}  // namespace hoist::store
