#pragma once
// What models of tasks other than speed have in common: how one is read, and which serves a device. A Model
// has `parse(bytes, name)` and `device_class()`.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "model/files.hpp"
#include "predict/devices.hpp"
#include "predict/models.hpp"
#include "predict/shipped_models.hpp"
#include "store/store.hpp"
#include "target/target.hpp"

namespace hoist::predict {

struct LearnedTask {
  const char* name;        ///< that its models have in a store, and their folder of those that ship
  const char* what;        ///< for messages: "loading techniques"
  const char* command;     ///< what writes a model: "hoist train --technique"
  const char* learned_by;  ///< the help where there is none
};

inline constexpr LearnedTask technique_task{technique_model, "loading techniques", "hoist train --technique",
                                            "hoist train --technique learns one"};
inline constexpr LearnedTask stream_task{
    stream_model, "streams", "hoist train --streams",
    "hoist train --streams learns one of what bench/streams.py measures"};

template <class Model>
struct FoundModel {
  Model model;
  std::string origin;  ///< "shipped with Hoist", "from the store"
};

/// What `read` makes of the JSON of a model, packed or not. User errors: it is no model of the task, which is
/// also told of what `read` throws; `name` is the file's.
template <class Read>
auto parse_learned(const LearnedTask& task, std::string_view bytes, const std::string& name, Read&& read)
    -> Result<std::invoke_result_t<Read, const nlohmann::json&>> {
  const auto text = model::unpack(bytes, name);
  if (!text) return tl::unexpected(text.error());
  return catch_failure([&] {
    std::string why;
    try {
      return read(nlohmann::json::parse(*text));
    } catch (const nlohmann::json::exception& error) {
      why = error.what();
    } catch (const Failure& failure) {
      why = failure.error().diagnostics.front().message;
    }
    throw_user(fmt::format("'{}' is no model of {}", name, task.what), why,
               fmt::format("{} writes one", task.command));
  });
}

/// The store's, where there is a store that has one for such devices, else one that ships with Hoist; what
/// this Hoist cannot read, or is of another kind of device, is passed over. Errors: there is none for such
/// devices (Unsupported); others are the store's.
template <class Model>
Result<FoundModel<Model>> find_learned(const LearnedTask& task, const target::Target& target,
                                       store::Store* store) {
  const std::string of = device_class(target);
  const auto usable = [&](std::string_view bytes, const char* origin) -> std::optional<FoundModel<Model>> {
    auto read = Model::parse(bytes, task.name);
    if (!read || nearest_class(of, {read->device_class()}).empty()) return std::nullopt;
    return FoundModel<Model>{*std::move(read), origin};
  };
  if (store != nullptr) {
    const auto stored = store->model(task.name, of);
    if (!stored) return tl::unexpected(stored.error());
    if (*stored) {
      if (auto found = usable((*stored)->content, "from the store")) return *std::move(found);
    }
  }
  for (const ShippedModel& each : shipped_models_for(task.name, of)) {
    if (auto found = usable(each.bytes, "shipped with Hoist")) return *std::move(found);
  }
  return unsupported(fmt::format("there is no model of {} for devices like {}", task.what, target.name), {},
                     task.learned_by);
}

}  // namespace hoist::predict
