#include "predict/predicted_streams.hpp"

#include "predict/devices.hpp"
#include "predict/models.hpp"
#include "predict/shipped_models.hpp"

namespace hoist::predict {

namespace {

/// Nothing where the text is no model that this Hoist reads, or is of another kind of device.
std::optional<FoundStreamModel> usable_streams(std::string_view bytes, const std::string& origin,
                                               const std::string& device_class) {
  auto read = StreamModel::parse(bytes, stream_model);
  if (!read || nearest_class(device_class, {read->device_class()}).empty()) return std::nullopt;
  return FoundStreamModel{*std::move(read), origin};
}

}  // namespace

Result<FoundStreamModel> stream_model_for(const target::Target& target, store::Store* store) {
  const std::string of = device_class(target);
  if (store != nullptr) {
    const auto stored = store->model(stream_model, of);
    if (!stored) return tl::unexpected(stored.error());
    if (*stored) {
      if (auto found = usable_streams((*stored)->content, "from the store", of)) return *std::move(found);
    }
  }
  for (const ShippedModel& each : shipped_models_for(stream_model, of)) {
    if (auto found = usable_streams(each.bytes, "shipped with Hoist", of)) return *std::move(found);
  }
  return unsupported("there is no model of streams for devices like " + target.name, {},
                     "hoist train --streams learns one of what bench/streams.py measures");
}

}  // namespace hoist::predict
