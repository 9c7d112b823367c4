#pragma once
// Random programs of many stages, as text in the language and in Python with NumPy.
//
// Where random_program.hpp has small arrays and numbers that never overflow, these programs have what goes
// wrong between stages and at limits: iterations of any state, counted by a size or a number or ended by the
// data, before further kernels; scans and reductions whose state is a tuple or an array; chains of lets;
// patterns that compute inside maps and under conditions; elements that are replaced, chosen, scattered and
// combined by key; rows that no register file holds, by kernels of Hoist's choice or of the text's; and
// integers of every type at the ends of their ranges. All numbers are integers and bools, so that every
// executor must give the same.
#include <cstdint>
#include <string>
#include <vector>

#include "base/tensor.hpp"
#include "ir/term.hpp"

namespace hoist::testing_support {

struct RandomPipeline {
  std::string hoist;  ///< one definition, p<seed>
  std::string numpy;  ///< a function of the same name, in terms of oracle.py
};

/// The same seed gives the same texts.
RandomPipeline random_pipeline(std::uint64_t seed);

/// Inputs for its program: small numbers, any numbers, and those where a type's range ends.
std::vector<Data> extreme_inputs(const ir::Program& program, std::uint64_t seed);

}  // namespace hoist::testing_support
