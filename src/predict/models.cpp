#include "predict/models.hpp"

#include <algorithm>

#include "predict/measurements.hpp"
#include "predict/shipped_models.hpp"

namespace hoist::predict {

namespace {

/// Nothing where this Hoist cannot use it, or it has learned from devices of another kind alone.
std::optional<ChosenModel> usable(const std::string& text, const std::string& name, const std::string& origin,
                                  const std::string& device_class) {
  auto read = model::parse_model(text, name);
  if (!read || read->description().schema != feature_schema(processor_of(device_class))) return std::nullopt;
  std::string nearest = nearest_class(device_class, read->description().device_classes);
  if (nearest.empty()) return std::nullopt;
  return ChosenModel{*std::move(read), std::move(nearest), origin};
}

/// The shipped model for the most similar devices. Only that one is read, since the files' names say whose
/// they are.
std::optional<ChosenModel> shipped_model(const std::string& device_class) {
  for (const ShippedModel& each : shipped_models_for(speed_model, device_class)) {
    auto chosen = usable(std::string(each.bytes), std::string(each.name), "shipped with Hoist", device_class);
    if (chosen) return chosen;
  }
  return std::nullopt;
}

}  // namespace

std::vector<ShippedModel> shipped_models_for(std::string_view task, std::string_view device_class) {
  std::vector<ShippedModel> of_task;
  std::vector<std::string_view> names;
  for (const ShippedModel& each : shipped_models()) {
    const std::size_t slash = each.name.find('/');
    const bool is_in_folder = slash != std::string_view::npos;
    if ((is_in_folder ? each.name.substr(0, slash) : speed_model) != task) continue;
    const std::string_view name = is_in_folder ? each.name.substr(slash + 1) : each.name;
    of_task.push_back({name, each.bytes});
    names.push_back(name);
  }
  std::vector<ShippedModel> models;
  for (const std::string_view name : by_likeness(device_class, names))
    models.push_back(*std::ranges::find(of_task, name, &ShippedModel::name));
  return models;
}

Result<std::optional<ChosenModel>> model_for(const target::Target& device, store::Store* store) {
  const std::string of = device_class(device);
  if (store != nullptr) {
    const auto stored = store->model(speed_model, of);
    if (!stored) return tl::unexpected(stored.error());
    if (*stored) {
      if (auto chosen = usable((*stored)->content, speed_model, "from the store", of)) return chosen;
    }
  }
  return shipped_model(of);
}

Result<ChosenModel> model_of_file(const std::string& path, const target::Target& device) {
  auto read = model::load(path);
  if (!read) return tl::unexpected(read.error());
  const std::string nearest = nearest_class(device_class(device), read->description().device_classes);
  const std::string checked = nearest.empty() ? device_class(device) : nearest;
  if (auto fits = read->check(feature_schema(processor_of(checked)), checked); !fits)
    return tl::unexpected(fits.error());
  return ChosenModel{*std::move(read), nearest, path};
}

std::string other_processors(const ChosenModel& chosen, const target::Target& device) {
  const auto& provenance = chosen.model.description().provenance;
  const auto told = provenance.find(measured_devices);
  if (device.type != target::Type::Cpu || told == provenance.end()) return {};
  // The name of a processor that some instructions are kept from ends with theirs.
  const std::string restriction = device.instruction_set.empty() ? "" : " (" + device.instruction_set + ")";
  std::string name = device.name;
  if (!restriction.empty() && name.ends_with(restriction)) name.resize(name.size() - restriction.size());
  const bool is_among = ("; " + told->second + "; ").find("; " + name + "; ") != std::string::npos;
  return is_among ? std::string() : told->second;
}

}  // namespace hoist::predict
