#include "predict/predicted_streams.hpp"

namespace hoist::predict {

Result<FoundModel<StreamModel>> stream_model_for(const target::Target& target, store::Store* store) {
  return find_learned<StreamModel>(stream_task, target, store);
}

}  // namespace hoist::predict
