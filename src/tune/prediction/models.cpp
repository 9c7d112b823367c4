#include "tune/prediction/models.hpp"

#include <algorithm>

#include "tune/prediction/measurements.hpp"
#include "tune/prediction/shipped_models.hpp"

namespace hoist::tune {

namespace {

/// Models that this Hoist can use, by class of devices; the first of a class is the one to take.
class Known {
 public:
  void add(const std::string& text, const std::string& name, const std::string& origin) {
    auto read = model::parse_model(text, name);
    if (!read || read->description().schema != schema_) return;
    for (const std::string& each : read->description().device_classes) classes_.push_back(each);
    models_.push_back({*std::move(read), {}, origin});
  }

  std::optional<ChosenModel> nearest_to(const std::string& device_class) && {
    const std::string nearest = nearest_class(device_class, classes_);
    for (ChosenModel& each : models_) {
      const auto& of = each.model.description().device_classes;
      if (std::find(of.begin(), of.end(), nearest) == of.end()) continue;
      each.device_class = nearest;
      return std::move(each);
    }
    return std::nullopt;
  }

 private:
  model::Schema schema_ = feature_schema();
  std::vector<std::string> classes_;
  std::vector<ChosenModel> models_;
};

}  // namespace

Result<std::optional<ChosenModel>> model_for(const runtime::DeviceInfo& device, store::Store* store) {
  Known known;
  if (store != nullptr) {
    const auto stored = store->model(speed_model, device_class(device));
    if (!stored) return tl::unexpected(stored.error());
    if (*stored) known.add((*stored)->content, speed_model, "from the store");
  }
  for (const ShippedModel& each : shipped_models())
    known.add(std::string(each.bytes), std::string(each.name), "shipped with Hoist");
  return std::move(known).nearest_to(device_class(device));
}

Result<ChosenModel> model_of_file(const std::string& path, const runtime::DeviceInfo& device) {
  auto read = model::load(path);
  if (!read) return tl::unexpected(read.error());
  const std::string nearest = nearest_class(device_class(device), read->description().device_classes);
  const std::string checked = nearest.empty() ? device_class(device) : nearest;
  if (auto fits = read->check(feature_schema(), checked); !fits) return tl::unexpected(fits.error());
  return ChosenModel{*std::move(read), nearest, path};
}

}  // namespace hoist::tune
