#pragma once
// The search for the fastest candidate of a program on a device: explores, proposes, has them measured in
// processes of their own, stores every outcome at once, and measures the best ones again before it names one.
#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measure/measurer.hpp"
#include "predict/predicted_technique.hpp"
#include "predict/ranking.hpp"
#include "search/run.hpp"
#include "search/specification/syntax.hpp"
#include "store/store.hpp"
#include "tuner/node_pace.hpp"
#include "tuner/proposer.hpp"
#include "variants/alternatives.hpp"

namespace hoist::tuner {

struct ByHand {
  std::string name;
  ir::Program program;  ///< low-level, of the same inputs and result
};

/// A budget below this is one for nothing but the default mapping.
inline constexpr double least_seconds = 10;

struct TuningProgress {
  std::string phase;  ///< "deriving candidates", "searching", "measuring the best again"
  std::size_t evaluated = 0, failed = 0;
  double seconds = 0, seconds_left = 0;  ///< the latter infinity where time is not what ends it
  double best = 0, baseline = 0;         ///< seconds; 0 while there is none
};

/// A search that a file describes (docs/search.md).
struct TuningSpecification {
  std::string name;  ///< of the file, for the store
  search::specification::Specification specification;
  std::vector<std::pair<std::string, std::string>> settings;  ///< as search::specification::Context has them
};

struct TuningOptions {
  measure::MeasuringOptions measuring;
  variants::ParameterBounds bounds;
  variants::DerivationBounds derivations;
  variants::SpaceKind space = variants::SpaceKind::Derived;
  /// Tuning parameters that the program leaves open, and candidates choose. The task's sizes have values of
  /// them all the same: those of the default mapping, which gives the result that others are held against.
  std::vector<std::string> open_parameters = {};
  std::vector<ByHand> by_hand;
  /// predicted_strategy: candidates in the order that a model predicts. Empty: that where there is a model
  /// for the device, else search::default_strategy().
  std::string strategy;
  /// In the place of a strategy. It goes through to its end, if the budgets allow.
  std::optional<TuningSpecification> specification = {};
  std::string model = {};          ///< a file, in place of the model that there is for the device
  bool predicts_technique = true;  ///< whether a stencil's loading technique says what is tried first
  std::size_t ranked = predict::usual_ranking;  ///< candidates that the model ranks, at the most
  /// Searching in predicted order ends when the next candidate is expected to better the best by less than
  /// this share of it, as often in a row as candidates may be under way; 0: it does not.
  double least_improvement = 0.002;
  std::uint64_t seed = 1;
  /// From the start of the tuning; the last sixth of it, at the most, measures the best ones again. The
  /// reference and the default mapping, which is the result where there was no time for others, have
  /// least_seconds in any case.
  double seconds = 60;
  std::size_t evaluations = std::numeric_limits<std::size_t>::max();
  double chance = 0;       ///< stops when a better one is less likely than that (search::chance_of_better)
  bool resumes = true;     ///< learns from what the store has of the task, and of the program elsewhere
  std::string hoist = {};  ///< the version, for the store's run
  std::uint64_t input_seed = 1;  ///< for the store
  const std::atomic<bool>* is_cancelled = nullptr;
  std::function<void(const TuningProgress&)> progress = {};
};

/// What was measured of one implementation.
struct Tried {
  std::string name;  ///< "12-345", "default", or that of one by hand
  double median = 0;
  std::string derivation;  ///< "tileGroups(2); map"
  driver::NamedSizes values;
};

struct TuningResult {
  bool has_begun =
      false;  ///< otherwise it ended before the reference was there, and the store has nothing of it
  store::TaskId task{};
  store::RunId run{};
  /// The fastest first; the default mapping and those by hand are among them. Measured again, all of them for
  /// which there was time. Empty where it ended before anything was measured.
  std::vector<Tried> best;
  double baseline = 0;  ///< seconds
  /// The candidate that was tried first, where the run tried any, with the time of its first measurement; 0
  /// where it has none.
  std::optional<Tried> first;
  std::size_t evaluated = 0, known = 0;      ///< by this run, and by earlier ones
  std::size_t of_known_terms = 0;            ///< candidates whose term was measured under another name
  std::size_t ranked = 0;                    ///< candidates whose speed was predicted
  std::size_t known_elsewhere = 0;           ///< candidates that the store has of other tasks
  std::optional<SpecifiedRecord> specified;  ///< of a search by a specification
  /// Rank correlation of what these said with what was measured here; nothing where that is too little.
  std::optional<double> elsewhere_held;
  /// Nodes that are slower than others at the same candidates.
  std::vector<NodePace> slow_nodes;
  std::map<std::string, std::size_t> outcomes;  ///< of this run's
  double seconds = 0;
  /// What it consisted of, in this order: "reference", "candidates", "search", "best again". Those that it
  /// came to.
  std::vector<std::pair<std::string, double>> phases;
  /// The share of the search's time in which candidates' kernels ran, on each device.
  double device_share = 0;
  /// How the input is loaded by what is tried first, of a space of stencils
  /// (predict/predicted_technique.hpp).
  std::optional<predict::TechniqueChoice> technique;
  std::string ended_by;            ///< "the time budget is used up", ...
  std::vector<std::string> notes;  ///< which of those by hand failed, and why
};

/// The name under which candidates measure the default mapping.
inline constexpr const char* baseline_name = "default";

/// The name of the search in the order that a model predicts, which is none of search::all_strategies().
inline constexpr const char* predicted_strategy = "predict";

/// Tunes the task's program. Errors: those of Measurer::start and variants::explore, of the store, and a User
/// error for a strategy that is not there or, with places in its text, for a specification that this
/// program's variants do not fit. Being cancelled is no error: what was measured is the result.
Result<TuningResult> tune(const measure::Task& task, const TuningOptions& options, store::Store& store);

}  // namespace hoist::tuner
