#include "tuner/expected_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/need.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "predict/models.hpp"
#include "predict/ranking.hpp"
#include "rewrite/strategy.hpp"
#include "tuner/blocking_analysis.hpp"
#include "variants/alternatives.hpp"

namespace hoist::tuner {

namespace {

constexpr double deriving_seconds = 1.5, ranking_seconds = 1.5;  ///< at the most, of all nests together
/// Deriving has that much of a processor: on a machine with other work a nest would else lose its fastest
/// candidates, ten times as fast. After so many times as long it ends nevertheless.
constexpr double longest_wait = 5;
constexpr std::size_t most_ranked = 3000;  ///< of all nests together
/// How many times as fast as the default mapping a candidate must be expected to be: models err by as much.
constexpr double least_gain = 1.5;
/// The same where the model has learned on other processors.
constexpr double least_gain_elsewhere = 2;
/// The share of what the bodies of a blocked nest compute that its loops must have, for loops in an order of
/// their own not to be better: those have no edges.
constexpr double least_useful = 0.8;

/// Whether a step gives a candidate's loops an order of their own. Of other candidates the model is less sure
/// than the gain is large: on two cores, stencils and transposes that it named had 0.65 to 1.05 of the
/// default mapping's speed.
bool has_loops_in_order(const std::string& rule) { return rule.starts_with("orderLoops("); }

class Expecting {
 public:
  /// Without a model only what analysis knows is expected. `others` are the processors that the model has
  /// learned on where this is none of them.
  Expecting(const ir::Program& sized, const target::Target& device, const model::Model* model,
            std::string others)
      : device_(device), model_(model), others_(std::move(others)), lowering_(driver::options_for(device)) {
    variants::ExplorationOptions options;
    options.target = device;
    options.looks_at_features = true;
    options.derivations.is_over = [this, begin = processor_seconds_of_thread()] {
      return processor_seconds_of_thread() - begin > deriving_seconds ||
             seconds_since(start_) > longest_wait * deriving_seconds;
    };
    variants_ = need(variants::explore(sized, options));
  }

  std::optional<ChosenKernel> kernel() {
    const variants::Variants& way = variants_->alternative(0);
    variants::CandidateId id = variants_->plain();
    ranking_starts_ = std::chrono::steady_clock::now();
    for (std::size_t part = 0; part < way.parts(); ++part) {
      const std::optional<variants::CandidateId> best = best_of(way.part(part), part, way.parts());
      if (!best) continue;
      if (way.parts() == 1) {
        const std::size_t alternative = id.alternative;
        id = *best;
        id.alternative = alternative;
      } else {
        id.parts.at(part) = *best;
      }
    }
    if (!by_model_ && !by_analysis_) return std::nullopt;
    const char* const who = by_model_ && by_analysis_
                                ? "the model of this device and an analysis of its caches expect"
                            : by_model_ ? "the model of this device expects"
                                        : "an analysis of this device's caches expects";
    const std::string learned_on =
        by_model_ && !others_.empty()
            ? fmt::format("; the model has learned on {}, and this is {}", others_, device_.name)
            : "";
    return ChosenKernel{
        variants_->term(id), to_string(id),
        fmt::format("{}, which {} to be the fastest; nothing was measured: hoist tune does that{}",
                    to_string(id), who, learned_on)};
  }

 private:
  /// Of a nest, which has its share of the time and of the candidates; nothing where it is the default
  /// mapping.
  std::optional<variants::CandidateId> best_of(const variants::Variants& nest, std::size_t number,
                                               std::size_t nests) {
    const auto derivations = nest.derivation_summaries();
    const auto is_in_order = [](const variants::DerivationSummary& each) {
      return std::ranges::any_of(each.steps, has_loops_in_order);
    };
    const bool orders = std::ranges::any_of(derivations, is_in_order);
    const std::vector<BlockingAnalysis::Estimate> blocked = BlockingAnalysis(nest, device_).fastest(1);
    if (!blocked.empty() && (blocked.front().useful >= least_useful || !orders)) {
      by_analysis_ = true;
      return blocked.front().id;
    }
    if (!orders) return std::nullopt;
    const auto best = best_in_order(nest, number, nests);
    if (best) by_model_ = true;
    return best;
  }

  std::optional<variants::CandidateId> best_in_order(const variants::Variants& nest, std::size_t number,
                                                     std::size_t nests) const {
    if (model_ == nullptr) return std::nullopt;
    const std::size_t threads = usual_threads();
    predict::RankingOptions options{.most = std::max<std::size_t>(1, most_ranked / nests),
                                    .threads = threads};
    options.is_over = [&](double share) {
      return seconds_since(ranking_starts_) >
             (static_cast<double>(number) + share) / static_cast<double>(nests) * ranking_seconds;
    };
    const predict::Ranking ranking = need(predict::rank(nest, *model_, lowering_, options));
    const auto best = std::ranges::find_if(ranking.candidates, [&](const predict::Ranked& each) {
      const rewrite::Trace trace = nest.steps(each.id);
      return std::ranges::any_of(trace, has_loops_in_order, &rewrite::Step::rule);
    });
    if (best == ranking.candidates.end()) return std::nullopt;
    const auto of_plain =
        need(predict::predict(nest, *model_, ranking.population, {nest.plain()}, lowering_, threads)).front();
    const double least = others_.empty() ? least_gain : least_gain_elsewhere;
    if (!of_plain || std::exp(of_plain->log_seconds - best->log_seconds) < least) return std::nullopt;
    return best->id;
  }

  const target::Target& device_;
  const model::Model* model_;
  const std::string others_;
  const lower::Options lowering_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point ranking_starts_ = start_;
  std::unique_ptr<const variants::Variants> variants_;
  bool by_model_ = false, by_analysis_ = false;  ///< that some nest's candidate was chosen
};

}  // namespace

Result<std::optional<ChosenKernel>> expected_kernel(const ir::Program& sized, const target::Target& device) {
  return catch_failure([&]() -> std::optional<ChosenKernel> {
    if (device.language != target::Language::Host) return std::nullopt;
    const auto model = need(predict::model_for(device, nullptr));
    return Expecting(sized, device, model ? &model->model : nullptr,
                     model ? predict::other_processors(*model, device) : "")
        .kernel();
  });
}

}  // namespace hoist::tuner
