#pragma once
// A search that a specification file describes, step by step (specification/syntax.hpp).
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_set>
#include <vector>

#include "search/named_space.hpp"
#include "search/specification/binding.hpp"
#include "search/specification/enumeration.hpp"
#include "search/strategy.hpp"

namespace hoist::search {

/// What a specified search asked for, and what that cost when it was measured, by whomever: a configuration
/// whose outcome was known before counts as any other.
struct SpecificationTally {
  std::size_t steps = 0;            ///< that were begun; those of each round of a repetition count again
  std::size_t asked = 0;            ///< different configurations
  std::size_t ran = 0, failed = 0;  ///< of these, as far as it is known by now
  std::size_t outside = 0;          ///< different combinations of values that the space does not contain
  double build_seconds = 0, run_seconds = 0;  ///< of building; of all timed runs, where costs tell them apart
  double kernel_seconds = 0;                  ///< one run of each that ran
  std::optional<Trial> best;                  ///< the fastest of these
  std::vector<std::string> notes;             ///< what a step could not do
};

/// But for the best, whose numbers mean something to the space alone: {"steps", "configurations", "ran",
/// "failed", "outside", "build_seconds", "run_seconds", "one_run_seconds", "notes"}.
nlohmann::json to_json(const SpecificationTally& tally);

/// Tries the configurations of one step; what a step does with the best of those before it waits until their
/// outcomes are there. `propose` gives nothing meanwhile, and nothing once the last step is over. What the
/// space does not contain is passed over. Everything follows from the seed and the outcomes.
class SpecifiedSearch : public Strategy {
 public:
  /// Keeps a reference to the space. User errors: those of specification::bind.
  static Result<std::unique_ptr<SpecifiedSearch>> make(const NamedSpace& space,
                                                       const specification::Specification& specification,
                                                       const specification::Context& context,
                                                       std::uint64_t seed,
                                                       const specification::Limits& limits = {});

  /// Nothing is drawn at random beside what the specification says.
  bool is_exhausted() const override { return true; }
  std::string phase() const override;
  SpecificationTally tally() const;
  /// What it asked for and what is known of it, in the order in which that became known.
  std::vector<Trial> asked() const;

 protected:
  /// Throws Failure, with a place in the specification's text: a division by zero, a range that never ends,
  /// too many configurations, a step of which the space has nothing.
  std::optional<Configuration> acquire() override;
  void learn(const Trial&) override {}

 private:
  /// Items that are being done, and how often they are done again.
  struct Frame {
    const std::vector<specification::Item>* items = nullptr;
    std::size_t next = 0;
    std::int64_t rounds_left = 0;  ///< after this one
    std::size_t asked_before = 0;  ///< configurations, when the round began
  };

  SpecifiedSearch(const NamedSpace& space, specification::Specification bound, std::uint64_t seed,
                  const specification::Limits& limits);
  bool has_all_outcomes();
  void take_best();
  const specification::Step* next_step();
  void begin(const specification::Step& step);
  void collect(const specification::Step& step);
  void sample_space(std::size_t count);
  bool lacks_best(const specification::Step& step) const;
  [[noreturn]] void fail_outside(const specification::Step& step, std::size_t combinations) const;
  void ask(Configuration configuration);

  const NamedSpace& named_;
  specification::Specification specification_;
  specification::Limits limits_;
  std::vector<Frame> frames_;
  const specification::Step* step_ = nullptr;  ///< the one at hand
  std::vector<Configuration> of_step_;
  std::size_t next_ = 0;     ///< of these, the one that is proposed next
  std::size_t settled_ = 0;  ///< of these, the first ones whose outcome is there
  std::optional<Configuration> best_;
  double best_seconds_ = 0;
  NamedValues best_values_;
  std::unordered_set<Configuration, ConfigurationHash> asked_, in_step_;
  struct NamedValuesHash {
    std::size_t operator()(const NamedValues& values) const;
  };
  std::unordered_set<NamedValues, NamedValuesHash> outside_;
  std::size_t steps_ = 0, work_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace hoist::search
