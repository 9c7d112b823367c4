#include "predict/explanation.hpp"

#include "features/features.hpp"

#include "base/need.hpp"
#include "driver/verify.hpp"
#include "predict/devices.hpp"

namespace hoist::predict {

namespace {

/// Candidates that the others are seen among.
constexpr std::size_t population_size = 200;

SpeedExplanation explained(const variants::Variants& variants, const variants::CandidateId& id,
                           const ir::Program& program, const model::Model& model,
                           const target::Target& device, std::uint64_t seed) {
  const lower::Options lowering = driver::options_for(device);
  Matrix all;
  for (const variants::CandidateFacts& each :
       variants.look_at_all(variants.sample(population_size, seed), lowering, 1)) {
    if (!each.features.empty()) all.add(each.features);
  }
  const driver::Compiled fixed = need(driver::compile(program, lowering));
  const std::vector<double> usual = features::features_of(fixed.plan, device);
  const variants::Candidate candidate = variants.make(id, lowering);
  if (candidate.features.empty()) throw_user(to_string(id) + " does not compile: " + candidate.discarded);
  all.add(usual);
  all.add(candidate.features);
  const auto population = model::Population::of(all);

  SpeedExplanation result;
  Matrix two;
  two.add(candidate.features);
  two.add(usual);
  const std::vector<model::Prediction> predictions = need(model.predict(two, population));
  result.log_speedup = predictions[0].mean - predictions[1].mean;
  result.deviation = predictions[0].deviation;
  result.contributions = need(model::explain(model, candidate.features, usual, population, seed));
  result.outside = model.outside(candidate.features);
  return result;
}

}  // namespace

Result<SpeedExplanation> explain_speed(const variants::Variants& variants, const variants::CandidateId& id,
                                       const ir::Program& program, const model::Model& model,
                                       const target::Target& device, std::uint64_t seed) {
  return catch_failure([&] { return explained(variants, id, program, model, device, seed); });
}

}  // namespace hoist::predict
