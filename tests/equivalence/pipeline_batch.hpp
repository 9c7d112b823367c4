#pragma once
// Random pipelines (random_pipeline.hpp) with inputs and what the reference interpreter makes of them, and
// many of them built for a device in one go, which takes a fraction of the time of building each.
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/tensor.hpp"
#include "equivalence/random_pipeline.hpp"
#include "runtime/device.hpp"

namespace hoist::testing_support {

struct PipelineCase {
  std::uint64_t seed;
  RandomPipeline text;
  ir::Program program;
  std::vector<Data> inputs;
  Data expected;
};

/// Throws where the text is wrong or cannot be evaluated. Wants an ir::Arena that outlives it.
PipelineCase pipeline_case(std::uint64_t seed);
/// The same for a text of one's own, with the inputs of the seed.
PipelineCase pipeline_case(std::uint64_t seed, RandomPipeline text);

/// What each of them gives on the device, over poisoned memory, and again over what is left of that run.
std::vector<Result<Data>> run_batch(runtime::Device& device, std::span<const PipelineCase> cases);

}  // namespace hoist::testing_support
