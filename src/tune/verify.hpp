#pragma once
// Whether what a device computed is what the program means.
#include "interpret/compare.hpp"
#include "tune/compile.hpp"

namespace hoist::tune {

struct Verification {
  Data expected;  ///< what the reference interpreter gave
  interpret::Counts counts;
  interpret::ErrorBound bound;
  interpret::Comparison comparison;
};

/// Evaluates the program with the reference interpreter and compares. Errors are those of evaluating; a
/// result that differs is no error here: see `comparison`.
Result<Verification> verify(const ir::Program& program, const NamedSizes& sizes,
                            const std::vector<Data>& inputs, const Data& got);

/// Options that keep launches within what the device takes.
lower::Options options_for(const runtime::DeviceInfo& device);

/// Compiles for the device and runs once, over poisoned memory.
Result<Data> run_once(runtime::Device& device, const ir::Program& program, const NamedSizes& sizes,
                      const std::vector<Data>& inputs);

}  // namespace hoist::tune
