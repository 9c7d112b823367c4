#pragma once
// Which model chooses the streams of programs on a device.
#include "predict/learned_task.hpp"
#include "predict/stream_model.hpp"
#include "store/store.hpp"
#include "target/target.hpp"

namespace hoist::predict {

/// The store's, where there is a store that has one for such devices, else one that ships with Hoist. Errors:
/// there is none for such devices (Unsupported); others are the store's.
Result<FoundModel<StreamModel>> stream_model_for(const target::Target& target, store::Store* store = nullptr);

}  // namespace hoist::predict
