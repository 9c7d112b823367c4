#pragma once
// Why a candidate is thought to be fast or slow.
#include <vector>

#include "model/explain.hpp"
#include "variants/variants.hpp"

namespace hoist::predict {

struct SpeedExplanation {
  double log_speedup = 0;  ///< predicted, over the default mapping: 0.69 is twice as fast
  double deviation = 0;    ///< of the candidate's prediction
  std::vector<model::Contribution> contributions;  ///< to log_speedup, by falling size
  std::vector<std::string>
      outside;  ///< the candidate's features that are outside the range that the model has seen
};
/// A candidate beside the default mapping of `program`, the exploration's own with its sizes. The variants
/// must have features. User errors: a candidate that is discarded, the model's.
Result<SpeedExplanation> explain_speed(const variants::Variants& variants, const variants::CandidateId& id,
                                       const ir::Program& program, const model::Model& model,
                                       const target::Target& device, std::uint64_t seed);

}  // namespace hoist::predict
