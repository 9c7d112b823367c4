#pragma once
// A program of the suite at some sizes, and its generated kernels on a device.
#include <memory>
#include <vector>

#include "driver/compile.hpp"
#include "driver/suite.hpp"
#include "execute/executable.hpp"
#include "interpret/compare.hpp"

namespace hoist::bench {

struct SuiteCase {
  driver::NamedSizes sizes;
  ir::Program sized;
  std::vector<Data> inputs;
  std::vector<Tensor> outputs;  ///< shapes without elements
};

/// Inputs are random, always the same, in the ranges that the suite gives.
Result<SuiteCase> suite_case(const driver::SuiteProgram& entry, const ir::Program& program,
                             const driver::NamedSizes& sizes);

/// Built, run once over poisoned memory, and right: within `bound` of `expected`. User error with the
/// mismatch.
Result<std::shared_ptr<execute::Executable>> right_executable(runtime::Device& device,
                                                              const driver::Compiled& compiled,
                                                              const std::vector<Data>& inputs,
                                                              const Data& expected,
                                                              const interpret::ErrorBound& bound);

}  // namespace hoist::bench
