#pragma once
// A program of the suite at some sizes, and its generated kernels on a device.
#include <memory>
#include <vector>

#include "interpret/compare.hpp"
#include "tune/compile.hpp"
#include "tune/suite.hpp"

namespace hoist::bench {

struct SuiteCase {
  tune::NamedSizes sizes;
  ir::Program sized;
  std::vector<Data> inputs;
  std::vector<Tensor> outputs;  ///< shapes without elements
};

/// Inputs are random, always the same, in the ranges that the suite gives.
Result<SuiteCase> suite_case(const tune::SuiteProgram& entry, const ir::Program& program,
                             const tune::NamedSizes& sizes);

/// Built, run once over poisoned memory, and right: within `bound` of `expected`. User error with the
/// mismatch.
Result<std::shared_ptr<tune::Executable>> right_executable(runtime::Device& device,
                                                           const tune::Compiled& compiled,
                                                           const std::vector<Data>& inputs,
                                                           const Data& expected,
                                                           const interpret::ErrorBound& bound);

}  // namespace hoist::bench
