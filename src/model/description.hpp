#pragma once
// What a model is asked to be, and what it was made from.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/dataset.hpp"

namespace hoist::model {

struct FitOptions {
  std::uint64_t seed = 1;
  unsigned threads = 1;  ///< with more than one, the same seed may give models that differ in the last bits
  /// Learning takes so much of its usual time: trees and steps are as many times more or fewer.
  double effort = 1;
  std::vector<std::string> excluded = {};  ///< names of features that the model must not use
  /// Names of features that are analytic times in seconds; the slowest of them is what `roofline` predicts.
  std::vector<std::string> roofline = {};
  /// What the file says besides: who asked sets at least "date" and "hoist", Hoist's version.
  std::map<std::string, std::string> provenance = {};
};

/// The least and greatest value of a feature that a model has seen.
struct Range {
  double least = 0, greatest = 0;
};

/// What a model was made from.
struct Description {
  std::string kind;
  Schema schema;
  std::vector<std::string> device_classes;
  std::uint64_t seed = 0;
  std::map<std::string, std::string> provenance;
  std::size_t measured = 0, failed = 0;  ///< candidates that ran, and those that did not and were left out
  std::size_t tasks = 0;
  std::vector<std::string> programs;
  std::vector<Range> ranges;          ///< of each feature of the schema
  std::vector<std::string> constant;  ///< features that were the same in all candidates; unused
  std::vector<std::string> excluded;  ///< features that the options left out
};
/// The columns of the schema that learners see: neither constant nor excluded.
std::vector<std::uint32_t> used_columns(const Description& description);

}  // namespace hoist::model
