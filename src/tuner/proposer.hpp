#pragma once
// What to measure next: variants in the order of a search, made as far as it takes to see that they can run.
// Knows neither devices, nor stores, nor budgets.
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/model.hpp"
#include "predict/predicted_technique.hpp"
#include "predict/ranking.hpp"
#include "search/specified_search.hpp"
#include "search/strategies.hpp"
#include "store/entries.hpp"
#include "tuner/blocking_analysis.hpp"
#include "tuner/named_variants.hpp"
#include "tuner/search_space.hpp"

namespace hoist::tuner {

/// A variant to measure.
struct Proposal {
  store::Candidate record;
  search::Configuration configuration;
  std::vector<double> features;                  ///< empty of what was found by its name
  std::vector<std::size_t> part_of_kernel = {};  ///< variants::Candidate::part_of_kernel
};

struct ProposerOptions {
  std::string strategy = {};  ///< of search::all_strategies(); where there is a model it is of no account
  /// The search that a specification describes, in the place of a strategy or model. Must live as long as the
  /// proposer; null: there is none.
  const search::specification::Specification* specification = nullptr;
  search::specification::Context context = {};  ///< of the specification
  std::uint64_t seed = 1;
  lower::Options lowering = {};
  /// Variants in the order of their predicted speed, what is measured correcting what is predicted of the
  /// others. Must live as long as the proposer.
  const model::Model* model = nullptr;
  /// What the model predicts of nests that are blocked for caches is joined with what analysis expects of
  /// them on this device. Must live as long as the proposer; null: the model is alone.
  const target::Target* device = nullptr;
  /// How a stencil is expected to load its input best: other strategies than a model of speed are told how
  /// fast each technique is expected to be. Of variants that say how they do.
  std::optional<predict::TechniqueChoice> technique = {};
  /// By how much slower than the first, as a logarithm of seconds, a model of speed may expect a variant to
  /// be that loads its input so, and that is proposed before it. Without bound where the technique was
  /// learned from the very variants that are searched, little where there are others that it knows nothing
  /// of.
  double technique_leads_within = 0;
  std::size_t ranked =
      predict::usual_ranking;  ///< variants that the model ranks before the first is proposed
  std::function<void(std::size_t done, std::size_t all)> progress = {};  ///< of that
  /// Whether so much of the time for ranking, 0 to 1, is over: then no more are ranked of this part.
  std::function<bool(double share)> is_over = {};
};

/// What became of a search that a specification describes.
struct SpecifiedRecord {
  search::SpecificationTally tally;
  std::string best;  ///< the id of the fastest that it asked for; empty where nothing ran
  double best_seconds = 0;
  driver::NamedSizes best_values = {};
  /// A configuration that it asked for and what came of it.
  struct Tried {
    driver::NamedSizes values;
    search::Outcome outcome;
  };
  std::vector<Tried> tried = {};
};
/// That of the tally, and "best": {"id", "median_seconds", "values"}, where something ran.
nlohmann::json to_json(const SpecifiedRecord& record);
/// What it tried: [{"values", "outcome", "seconds", "build_seconds"}, ...].
nlohmann::json tried_json(const SpecifiedRecord& record);

class Proposer {
 public:
  Proposer(std::unique_ptr<const variants::Variants> variants, ProposerOptions options);
  Proposer(const Proposer&) = delete;
  Proposer& operator=(const Proposer&) = delete;

  /// The variant that was recorded under a name and the hash of its term; nothing where the name is none or
  /// stands for something else by now. Of variants in parts it is made anew, to know its kernels.
  std::optional<Proposal> find(const std::string& name, const std::string& hash) const;
  /// The variant that a derivation and parameters stand for, of another device as they may be. Nothing where
  /// there is none, and of variants in parts.
  std::optional<search::Configuration> find_derived(const std::vector<store::Step>& derivation,
                                                    const store::NamedValues& parameters) const;
  /// Before all that follows: makes the order. `known` will be reported, and is ranked with the others.
  /// `elsewhere` is what other tasks say of some variants (tuner/elsewhere.hpp). It is the prior mean, alone
  /// or with what the model predicts, and what is measured corrects it; searches other than the default leave
  /// it alone. Failures: an unknown strategy (User), those of search::SpecifiedSearch::make and of the model.
  void start(const std::vector<Proposal>& known, const std::vector<search::Expected>& elsewhere = {});
  /// As many as asked for, none of them proposed or reported before; nothing where no variants are left.
  /// Those that cannot run are passed over, so they may be fewer, or none. Nothing, too, while a search that
  /// a specification describes waits for outcomes of what was proposed.
  std::optional<std::vector<Proposal>> propose(std::size_t count);
  /// What came of one, proposed here or elsewhere.
  void report(const search::Configuration& configuration, const search::Outcome& outcome);

  /// What the search expects of the last one that it proposed (search::Strategy::improvement_left). Without a
  /// model nothing is expected of most variants, so the search does not end by it.
  std::optional<double> improvement_left() const {
    return options_.model ? strategy_->improvement_left() : std::nullopt;
  }
  /// What the search is at; empty where there is nothing to tell.
  std::string phase() const { return strategy_->phase(); }
  /// What a search that a specification describes has asked for, and what that cost.
  std::optional<SpecifiedRecord> specified() const;
  std::span<const search::Trial> trials() const { return strategy_->history().trials(); }
  std::size_t ranked() const { return ranked_; }
  /// What each stage left, for the store's run: an object.
  nlohmann::json funnel() const;

 private:
  std::vector<std::string> dependent_values() const;
  /// A part of one way to take the program apart, searched by itself; all of it where it has no parts.
  struct Part {
    const variants::Variants& variants;
    SearchSpace space;
    model::Population population = {};  ///< of what was ranked
    std::optional<BlockingAnalysis> analysis = {};
    double zero_of_analysis = 0;  ///< what its logarithms lack to the model's
  };
  /// One way to take the program apart.
  struct Way {
    const variants::Variants& variants;
    SearchSpace space;
    std::vector<Part> parts = {};
  };
  std::unique_ptr<search::Strategy> strategy_for(Way& way, std::uint64_t seed,
                                                 const std::vector<search::Configuration>& known,
                                                 const std::vector<search::Expected>& elsewhere);
  std::unique_ptr<search::Strategy> strategy_for(Part& part, std::uint64_t seed,
                                                 const std::vector<search::Configuration>& known,
                                                 const std::vector<search::Expected>& elsewhere);
  std::vector<search::Expected> ranking(Part& part);
  void join_analysis(Part& part, std::vector<search::Expected>& list) const;
  void lead_with_technique(const Part& part, std::vector<search::Expected>& list) const;
  static void join_analysis(const Part& part, search::Expected& expected);
  std::vector<std::optional<search::Expected>> expected(const Part& part,
                                                        const std::vector<variants::CandidateId>& ids) const;

  std::unique_ptr<const variants::Variants> variants_;
  ProposerOptions options_;
  SearchSpace space_;
  std::vector<Way> ways_;
  std::size_t parts_ = 0;                 ///< of all ways
  std::unique_ptr<NamedVariants> named_;  ///< where there is a specification
  std::unique_ptr<search::Strategy> strategy_;
  const search::SpecifiedSearch* specified_ = nullptr;  ///< the strategy, where it is one
  /// The first candidate of each derivation, by its steps, once they are asked for.
  mutable std::map<std::string, variants::CandidateId> derivations_;
  std::size_t ranked_ = 0, looked_at_ = 0;
  std::size_t ranked_parts_ = 0;
  std::map<std::string, std::size_t> discarded_;  ///< variants, by the reason
};

}  // namespace hoist::tuner
