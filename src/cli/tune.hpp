#pragma once
// What `hoist tune FILE` and `hoist tune DIR` share.
#include <limits>
#include <map>
#include <optional>

#include "cli/exploration_options.hpp"
#include "cli/output.hpp"
#include "cli/program_file.hpp"
#include "driver/work.hpp"
#include "tuner/ceilings.hpp"
#include "tuner/tuner.hpp"

namespace hoist::cli {

struct TuneOptions {
  ProgramOptions program;
  std::vector<std::string> devices, by_hand, without, settings;
  ExplorationBounds exploration;
  std::string isa, store, search, model, report;
  std::optional<std::string> budget;
  std::optional<std::uint64_t> random_seed;
  std::uint64_t seed = 1;
  std::size_t evaluations = std::numeric_limits<std::size_t>::max(), jobs = 0;
  std::size_t ranked = predict::usual_ranking;
  double chance = 0;
  bool fresh = false, no_technique = false, json = false;
};

/// Without the devices, where none are named, and the search. Throws Failure.
tuner::TuningOptions tuning_options(Session& session, const TuneOptions& options);

/// The strategy or specification that --search names; a specification has all the time that it takes, unless
/// there is a budget. Errors about places in the specification's text refer to the session's source: nothing
/// else may be read after it. Throws Failure.
void choose_search(Session& session, const TuneOptions& options, tuner::TuningOptions& tuning);

/// Tunes and shows how far it is. Throws Failure.
tuner::TuningResult tune_task(const measure::Task& task, tuner::TuningOptions tuning, store::Store& store);

/// Every case that an application captured in the directory that the options name. Throws Failure.
Status tune_captured(Session& session, const TuneOptions& options);

// ---- What was found, as text and as JSON.

/// "90", "90s", "10m", "1h30m": seconds. Throws Failure.
double read_duration(const std::string& text);
/// "45 s", "3.5 min".
std::string duration_text(double seconds);
std::string progress_text(const tuner::TuningProgress& progress);

/// The ceilings of devices, each measured once, or known from an earlier run of any task there.
class CeilingsOfDevices {
 public:
  /// Writes them beside the funnel of a run, too. Nothing where there is no time left, and, with a note,
  /// where they cannot be measured.
  std::optional<tuner::Ceilings> add_to(store::Store& store, const tuner::TuningResult& result,
                                        const std::string& device, double budget);

 private:
  std::optional<tuner::Ceilings> of(const std::string& device, double patience);
  std::map<std::string, tuner::Ceilings> known_;
};

Json result_json(const tuner::TuningResult& result, const driver::Work& work,
                 const std::optional<tuner::Ceilings>& ceilings);
std::string result_text(const tuner::TuningResult& result, const driver::Work& work,
                        const std::optional<tuner::Ceilings>& ceilings);

}  // namespace hoist::cli
