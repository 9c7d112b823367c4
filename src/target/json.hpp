#pragma once
// Targets as JSON: what `hoist devices --json` prints, and what a store keeps of a device.
#include <nlohmann/json.hpp>

#include "target/target.hpp"

namespace hoist::target {

/// All that the device tells; what follows from it is no part.
nlohmann::ordered_json to_json(const Target& target);
/// `usual` with what the object says, completed. What it does not name stays, so that what older versions
/// wrote is read, and other names are passed over.
Target from_json(const nlohmann::ordered_json& json, Target usual);

}  // namespace hoist::target
