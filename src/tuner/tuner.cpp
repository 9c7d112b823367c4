// Auto-tuning: the search for the fastest candidate of a program within a budget of time. `Tuning` joins
// four parts, each with a file of its own, and owns what is between them, the clock above all:
//
//   Proposer      says what to measure next (proposer.hpp)
//   Measurer      builds, checks and times it in worker processes (measure/measurer.hpp)
//   Recorder      stores every outcome, and shares the work with other tuners of the task (recorder.hpp)
//   StoppingRule  says when more is of no use (search/stopping_rule.hpp)
//
// Read `run` first, which lists the phases. `search` is the loop in the middle: it keeps all workers busy
// (`propose`), takes an outcome (`await_one`, `take`), and tells the proposer what came of it (`learn`).
// What other tuners of the same task are about to measure is left to them (`others_`), their outcomes are
// read from the store now and then (`read_others`), and what those that died had claimed is measured here
// (`take_over`). Candidates of one term are one measurement: the first is measured, and what came of it is
// told of the others (`twins_`).
//
// A short budget must have a result, too: the default mapping is submitted first, and no other candidate may
// take most of the budget. `measure_best_again` is against the winner's curse: the candidate that looks
// fastest of many was partly lucky, so the best few are timed again before one is named.
#include "tuner/tuner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/need.hpp"
#include "base/sha256.hpp"
#include "base/stopwatch.hpp"
#include "driver/verify.hpp"
#include "ir/print.hpp"
#include "predict/measurements.hpp"
#include "predict/models.hpp"
#include "search/stopping_rule.hpp"
#include "search/strategies.hpp"
#include "store/stored_target.hpp"
#include "tuner/elsewhere.hpp"
#include "tuner/node_pace.hpp"
#include "tuner/others.hpp"
#include "tuner/proposer.hpp"
#include "tuner/recorder.hpp"
#include "tuner/records.hpp"

namespace hoist::tuner {

namespace {

/// The setting by which specifications leave open how a stencil loads its input; its words are the names of
/// predict::Technique.
constexpr std::string_view technique_setting = "TECHNIQUE";
/// The logarithm of by how much slower what loads a stencil's input as predicted may be expected to be, and
/// is tried first, among candidates that the prediction has not been learned from.
const double nearly_as_fast = std::log(1.02);

/// One call of tune().
class Tuning {
 public:
  Tuning(const measure::Task& task, const TuningOptions& options, store::Store& store)
      : task_(task),
        options_(options),
        sizes_(without(task.sizes, options.open_parameters)),
        store_(store),
        stopping_(options.chance, options.least_improvement) {
    if (options.specification) settings_ = options.specification->settings;
  }

  TuningResult run() {
    tell("checking the default mapping");
    if (!start_measurer()) return std::move(result_);
    ends("reference");
    choose_strategy();
    choose_technique();
    begin_run();
    // The device measures these while the candidates are derived.
    submit_fixed();
    tell("deriving candidates");
    make_proposer();
    const std::vector<Stored> stored = others_->news();
    start_proposer(stored);
    resume(stored);
    look_for_abandoned();
    ends("candidates");
    search();
    await_all();
    ends("search");
    measure_best_again();
    ends("best again");
    return finish();
  }

 private:
  /// Starts the measurer. False where the time is over before the reference is there.
  bool start_measurer() {
    measure::MeasuringOptions measuring = options_.measuring;
    constexpr double longest = 1e9;  // 64 bits of nanoseconds hold few more
    const std::chrono::duration<double> last(std::min(last_second(), longest));
    measuring.until = start_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(last);
    measuring.is_cancelled = options_.is_cancelled;
    // No candidate may have most of a short budget.
    constexpr double share_of_build = 0.1, share_of_runs = 0.2, least_for_runs = 5;
    measuring.candidate_build_seconds =
        std::max(share_of_build * options_.seconds, measuring.build_patience_seconds);
    measuring.candidate_run_seconds = std::max(share_of_runs * options_.seconds, least_for_runs);
    auto started = measure::Measurer::start(task_, measuring);
    if (started) {
      measurer_ = *std::move(started);
      return true;
    }
    if (measuring.seconds_left() > 0) throw Failure(std::move(started.error()));
    over(is_cancelled() ? "it was interrupted" : "the time budget is used up");
    result_.notes.push_back("nothing was measured: " + started.error().diagnostics.front().message);
    result_.seconds = elapsed();
    return false;
  }

  /// A submission that is under way. Only candidates that were explored have a configuration.
  struct Pending {
    Proposal proposal;
    store::Origin origin = store::Origin::Explored;
  };
  /// All that is known of one implementation.
  struct Known {
    Pending what;
    double median = 0;
    bool is_whole = false;  ///< it was not stopped early
    double again = 0;       ///< its median when it was measured again, at the end; 0 where it was not
  };

  /// The second, from the start, at which such a share of the budget has passed from now.
  double until_share(double share) const { return elapsed() + share * options_.seconds; }
  double elapsed() const { return seconds_since(start_); }
  /// The second, from the start, until which the reference and the default mapping have time.
  double last_second() const { return std::max(options_.seconds, least_seconds); }
  bool is_cancelled() const { return options_.is_cancelled != nullptr && options_.is_cancelled->load(); }

  /// A phase takes from the end of the one before until now.
  void ends(const char* phase) {
    result_.phases.emplace_back(phase, elapsed() - phase_began_);
    phase_began_ = elapsed();
  }
  void tell(const std::string& phase) {
    if (!phase.empty()) progress_.phase = phase;
    progress_.seconds = elapsed();
    progress_.seconds_left = options_.seconds - progress_.seconds;
    if (options_.progress) options_.progress(progress_);
  }

  store::Task stored_task() const {
    return {stored_program(task_.program), store::stored_device(measurer_->device()),
            store::NamedValues(sizes_.begin(), sizes_.end())};
  }

  void begin_run() {
    nlohmann::json budget = nlohmann::json::object();
    if (std::isfinite(options_.seconds)) budget["seconds"] = options_.seconds;
    if (options_.evaluations != std::numeric_limits<std::size_t>::max())
      budget["evaluations"] = options_.evaluations;
    if (options_.chance > 0) budget["chance"] = options_.chance;
    if (options_.specification) {
      budget["specification"] = search::specification::to_string(options_.specification->specification);
      for (const auto& [name, value] : settings_) budget["settings"][name] = value;
    }
    store::Run run{.strategy = strategy_name_, .seed = options_.seed, .budget = budget.dump()};
    run.environment = environment_;
    run.hoist = options_.hoist;
    recorder_ = std::make_unique<Recorder>(
        store_, stored_task(), run, Recorder::Options{options_.resumes, options_.hoist, options_.input_seed});
    result_.task = recorder_->task();
    result_.run = recorder_->run();
    result_.has_begun = true;
  }

  static driver::NamedSizes without(driver::NamedSizes sizes, const std::vector<std::string>& names) {
    std::erase_if(sizes,
                  [&](const auto& each) { return std::ranges::find(names, each.first) != names.end(); });
    return sizes;
  }
  /// The program with its sizes, its tuning parameters still open.
  ir::Program sized(const ir::Program& program) const { return need(driver::with_sizes(program, sizes_)); }

  void submit_fixed() {
    const ir::Program baseline = need(driver::with_sizes(task_.program, task_.sizes));
    const Pending pending{{fixed_record(baseline_name, baseline), {}, {}}, store::Origin::Baseline};
    if (std::optional<measure::Outcome> ran = measurer_->expected().run) {
      ran->id = baseline_name;
      ran->device = options_.measuring.devices.front();
      pending_[ran->id] = pending;
      take(*ran);
    } else {
      submit(pending);
    }
    for (const ByHand& each : options_.by_hand)
      submit({{fixed_record(each.name, sized_by_hand(each, baseline)), {}, {}}, store::Origin::Hand});
  }
  /// Its own sizes may be put in already.
  ir::Program sized_by_hand(const ByHand& given, const ir::Program& baseline) const {
    driver::NamedSizes sizes = sizes_;
    std::erase_if(sizes, [&](const auto& size) {
      return std::ranges::none_of(given.program.sizes,
                                  [&](arith::Expr each) { return each->name == size.first; });
    });
    ir::Program program = need(driver::with_sizes(given.program, sizes));
    const bool is_same =
        std::ranges::equal(program.parameters, baseline.parameters, {}, &ir::ParameterDeclaration::type,
                           &ir::ParameterDeclaration::type) &&
        program.result() == baseline.result();
    if (!is_same)
      need<void>(user_error(given.name + " has other inputs, or another result, than the program", {},
                            "give a low-level program of the same arrays at the same sizes"));
    return program;
  }
  static store::Candidate fixed_record(const std::string& name, const ir::Program& program) {
    const std::string term = ir::to_string(program);
    return {.name = name, .hash = sha256(term), .term = term};
  }

  void submit(Pending pending) {
    const bool is_fixed = pending.origin != store::Origin::Explored;
    const store::Candidate& record = pending.proposal.record;
    measurer_->submit({.id = record.name,
                       .program = record.term,
                       .source = {},
                       .is_timed_to_the_end = is_fixed || known_.count(record.name) > 0});
    pending_[record.name] = std::move(pending);
  }

  void choose_strategy() {
    strategy_name_ = options_.specification ? options_.specification->name : options_.strategy;
    if (options_.specification) return;
    const bool may_predict = strategy_name_.empty() || strategy_name_ == predicted_strategy;
    if (may_predict) choose_model();
    if (strategy_name_ == predicted_strategy && !model_)
      need<void>(user_error(
          "there is no model for devices like " + measurer_->device().name, {},
          "learn a model from measurements with hoist train, or name another strategy with --search"));
    if (strategy_name_.empty())
      strategy_name_ = model_ ? predicted_strategy : std::string(search::default_strategy());
  }

  /// In a space of stencils, how the input is loaded is chosen before anything is tried: a specification that
  /// leaves it open is searched with that technique alone.
  void choose_technique() {
    const auto is_technique = [](const auto& setting) { return setting.name == technique_setting; };
    const bool is_left_open =
        options_.specification &&
        std::ranges::any_of(options_.specification->specification.settings, is_technique) &&
        std::ranges::none_of(settings_, [](const auto& each) { return each.first == technique_setting; });
    if (!options_.predicts_technique || options_.space == variants::SpaceKind::Derived ||
        (options_.specification && !is_left_open))
      return;
    auto chosen = predict::predicted_technique(sized(task_.program), measurer_->device(), &store_,
                                               predict::heuristic_like(strategy_name_));
    if (!chosen) {
      result_.notes.push_back("no loading technique is predicted: " +
                              chosen.error().diagnostics.front().message);
      return;
    }
    result_.technique = *std::move(chosen);
    const bool decides = is_left_open || options_.space == variants::SpaceKind::Stencil;
    const char* words = decides ? "the input is loaded from " : "of equals those are first that load from ";
    result_.notes.push_back(words + result_.technique->explanation);
    if (is_left_open)
      settings_.emplace_back(technique_setting, predict::name_of(result_.technique->technique));
  }

  void choose_model() {
    const target::Target& device = measurer_->device();
    if (!options_.model.empty()) {
      model_ = need(predict::model_of_file(options_.model, device));
    } else {
      model_ = need(predict::model_for(device, &store_));
    }
    if (model_ && model_->device_class != predict::device_class(device))
      result_.notes.push_back(
          fmt::format("speed is predicted by the model for {}, since there is no model for {}",
                      model_->device_class, predict::device_class(device)));
    if (const std::string others = model_ ? predict::other_processors(*model_, device) : ""; !others.empty())
      result_.notes.push_back(
          fmt::format("the model that predicts speed has learned on {}, and this is {}: it is less sure here",
                      others, device.name));
  }

  void make_proposer() {
    const target::Target& device = measurer_->device();
    variants::ExplorationOptions exploring;
    exploring.target = device;
    exploring.looks_at_features = true;
    exploring.bounds = options_.bounds;
    exploring.derivations = options_.derivations;
    exploring.space = options_.space;
    // Where a program has very many candidates, the first will do.
    exploring.derivations.is_over = [this, until = until_share(0.3)] {
      return is_cancelled() || elapsed() > until;
    };
    auto variants = need(variants::explore(sized(task_.program), exploring));
    ProposerOptions proposing{.strategy = strategy_name_, .seed = options_.seed, .ranked = options_.ranked};
    if (options_.specification) {
      proposing.specification = &options_.specification->specification;
      proposing.context = context_of_specification();
    }
    proposing.lowering = driver::options_for(device);
    for (const std::string& pass : options_.measuring.without)
      need(lower::disable_pass(proposing.lowering, pass));
    proposing.model = model_ ? &model_->model : nullptr;
    proposing.device = &measurer_->device();
    proposing.technique = result_.technique;
    proposing.technique_leads_within = options_.space == variants::SpaceKind::Stencil
                                           ? std::numeric_limits<double>::infinity()
                                           : nearly_as_fast;
    proposing.is_over = [this, start = std::optional<double>()](double share) mutable {
      if (!start) start = elapsed();
      return is_cancelled() || elapsed() > *start + share * (ranking_ends_ - *start);
    };
    proposing.progress = [this](std::size_t done, std::size_t all) {
      tell(fmt::format("predicting the speed of {} candidates of {}", done, all));
    };
    proposer_ = std::make_unique<Proposer>(std::move(variants), std::move(proposing));
    others_ = std::make_unique<Others>(*recorder_, *proposer_);
    recorder_->tell(funnel());
  }
  /// The sizes that a specification may mention: those of the result, unless the program calls its own so.
  search::specification::Context context_of_specification() const {
    search::specification::Context context{sizes_, settings_};
    for (const auto& size : result_sizes(sized(task_.program))) {
      const auto same = [&](const auto& each) { return each.first == size.first; };
      if (std::ranges::none_of(context.sizes, same)) context.sizes.push_back(size);
    }
    return context;
  }
  void start_proposer(const std::vector<Stored>& stored) {
    std::vector<Proposal> known;
    for (const Stored& each : stored) known.push_back(each.proposal);
    // Candidates that are not ranked by then have another chance: neighbours of the fastest are looked at
    // while the device measures.
    ranking_ends_ = until_share(0.1);
    read_elsewhere();
    proposer_->start(known, elsewhere_known_);
    result_.ranked = proposer_->ranked();
  }
  /// Reads what the store has of the program on other devices and at other sizes.
  void read_elsewhere() {
    if (!options_.resumes) return;
    if (strategy_name_ != predicted_strategy && strategy_name_ != search::default_strategy()) return;
    const auto find = [this](const auto& derivation, const auto& parameters) {
      return proposer_->find_derived(derivation, parameters);
    };
    Elsewhere elsewhere = need(known_elsewhere(store_, stored_task(), find));
    if (elsewhere.expected.empty()) return;
    elsewhere_known_ = std::move(elsewhere.expected);
    result_.known_elsewhere = elsewhere_known_.size();
    result_.notes.push_back(
        fmt::format("the search begins with what the store has of {} of these candidates on {}",
                    elsewhere_known_.size(), fmt::join(elsewhere.tasks, ", ")));
  }
  /// Holds what other tasks said of candidates against what was measured here.
  void judge_elsewhere() {
    std::map<search::Configuration, double> measured;
    for (const auto& [name, each] : known_) {
      if (each.what.origin == store::Origin::Explored)
        measured.emplace(each.what.proposal.configuration, each.median);
    }
    result_.elsewhere_held = order_held(elsewhere_known_, measured, result_.notes);
  }

  /// Tells of nodes that are slower than others of their kind.
  void judge_nodes() {
    result_.slow_nodes = slow_nodes(recorder_->times_beside());
    const std::string own = node_of(environment_);
    for (const NodePace& each : result_.slow_nodes)
      result_.notes.push_back(fmt::format("{}{}: look at its clocks, its cooling and what else runs on it",
                                          each.node == own ? "this node, " : "", to_string(each)));
  }

  std::string funnel() const {
    nlohmann::json funnel = proposer_->funnel();
    funnel["measured"] = result_.evaluated;
    return funnel.dump();
  }

  void resume(const std::vector<Stored>& stored) {
    for (const Stored& each : stored) {
      learn({each.proposal}, each.outcome, each.median, each.is_whole);
      // It may have waited under another name.
      if (const auto waiting = others_->no_longer_waiting(each.proposal.record.hash))
        proposer_->report(waiting->configuration, each.outcome);
    }
    result_.known += stored.size();
  }

  /// Learns from what other tuners measured meanwhile, and tells them that this one is still there.
  void read_others() {
    constexpr double interval = 2, between_signs = 10;
    if (elapsed() < read_at_ + interval) return;
    read_at_ = elapsed();
    resume(others_->news());
    look_for_abandoned();
    if (elapsed() < told_at_ + between_signs) return;
    told_at_ = elapsed();
    recorder_->keep_claims();
  }

  void look_for_abandoned() {
    // A specification says itself what is to be tried.
    others_->look_for_abandoned([this](const std::string& term) {
      return !options_.specification && by_term_.try_emplace(term).second;
    });
  }

  /// Submits what another tuner was about to measure and did not.
  void take_over() {
    for (Proposal& each : others_->take_over(std::min(measurer_->wanted(), evaluations_left())))
      submit({std::move(each)});
  }
  /// How many candidates may still be submitted.
  std::size_t evaluations_left() const {
    const std::size_t begun = result_.evaluated + measurer_->under_way();
    return options_.evaluations - std::min(begun, options_.evaluations);
  }

  /// Tells the proposer what came of a candidate, and keeps those that have a time.
  void learn(const Pending& pending, const search::Outcome& outcome, double median, bool is_whole) {
    proposer_->report(pending.proposal.configuration, outcome);
    if (outcome.seconds) keep(pending, median, is_whole);
    const std::string& term = pending.proposal.record.hash;
    by_term_.insert_or_assign(term, outcome);
    if (const auto twins = twins_.extract(term))
      for (const search::Configuration& each : twins.mapped()) proposer_->report(each, outcome);
  }
  void keep(const Pending& pending, double median, bool is_whole) {
    const auto [known, is_new] = known_.try_emplace(pending.proposal.record.name, Known{pending, median});
    if (!is_new) known->second.median = std::min(known->second.median, median);
    if (is_whole) known->second.is_whole = true;
    if (progress_.best == 0 || median < progress_.best) progress_.best = median;
    if (pending.origin == store::Origin::Baseline) progress_.baseline = median;
  }

  /// Keeps every worker busy until the budget is spent or all is tried.
  void search() {
    const double start = elapsed();
    kernel_seconds_ = 0;
    while (!is_over()) {
      take_over();
      while (!is_over() && !expects_little() && measurer_->wanted() > 0 && propose(measurer_->wanted())) {
      }
      const std::string phase = proposer_->phase();
      progress_.phase = phase.empty() ? "searching" : "searching: " + phase;
      if (expects_little() && !is_waiting())
        settle();
      else if (!await_one())
        break;
    }
    const double devices = static_cast<double>(options_.measuring.devices.size());
    result_.device_share = kernel_seconds_ / devices / std::max(elapsed() - start, 1e-9);
  }
  bool is_over() {
    const double search_seconds = std::max(0.85 * options_.seconds, options_.seconds - 15);
    if (is_cancelled()) return over("it was interrupted");
    if (elapsed() > search_seconds) return over("the time budget is used up");
    if (result_.evaluated >= options_.evaluations) return over("the number of evaluations is reached");
    if (stopping_.is_unlikely(proposer_->trials(), result_.evaluated))
      return over("a faster candidate is unlikely");
    return !result_.ended_by.empty();
  }
  /// Whether there is something under way, here or elsewhere, of which this search will learn.
  bool is_waiting() const { return measurer_->under_way() > 0 || others_->is_waiting(); }
  bool expects_little() const {
    // The second number is how many candidates may be under way at a time.
    return stopping_.expects_little(result_.evaluated, measurer_->under_way() + measurer_->wanted());
  }
  void settle() {
    if (stopping_.settle(progress_.best)) over("no faster candidate is expected");
  }
  bool over(const char* why) {
    if (result_.ended_by.empty()) result_.ended_by = why;
    return true;
  }

  /// Proposes candidates, and submits those that no other tuner has claimed. False where there is nothing
  /// left to propose.
  bool propose(std::size_t count) {
    const std::size_t left = evaluations_left();
    if (left == 0) return false;
    auto proposals = proposer_->propose(std::min(count, left));
    stopping_.propose(proposer_->improvement_left(), progress_.best);
    if (!proposals) return false;
    std::erase_if(*proposals, [this](const Proposal& each) { return is_measured_already(each); });
    for (Proposal& each : others_->claimed(*std::move(proposals))) {
      if (!result_.first)
        result_.first = Tried{each.record.name, 0, predict::derivation_text(each.record.derivation),
                              each.record.parameters};
      submit({std::move(each)});
    }
    tell("");
    return true;
  }

  /// Whether a candidate of the same term was measured, or will be: then the proposer is told what came of
  /// that one, now or when it is known.
  bool is_measured_already(const Proposal& proposal) {
    const auto [known, is_new] = by_term_.try_emplace(proposal.record.hash);
    if (is_new) {
      const auto stored = others_->known(proposal);
      if (stored) resume({*stored});
      return stored.has_value();
    }
    ++result_.of_known_terms;
    if (known->second) {
      proposer_->report(proposal.configuration, *known->second);
    } else {
      twins_[proposal.record.hash].push_back(proposal.configuration);
    }
    return true;
  }

  /// Waits a moment for an outcome and stores it. False where nothing is under way.
  bool await_one() {
    constexpr double moment = 0.25;
    if (!is_waiting()) {
      over(options_.specification ? "the specification came to its end" : "all candidates were tried");
      return false;
    }
    if (measurer_->under_way() == 0) std::this_thread::sleep_for(std::chrono::duration<double>(moment));
    const auto outcome = measurer_->next(moment);
    if (outcome) take(*outcome);
    read_others();
    tell("");
    return true;
  }

  /// Takes the outcomes of what is being built and measured when the search ends, as far as they come soon.
  /// The default mapping is waited for: it is the result where there was no time for others.
  void await_all() {
    while (pending_.count(baseline_name) > 0 && !is_cancelled() && elapsed() < last_second() && await_one()) {
    }
    measurer_->drop_waiting();
    const double patience = std::min(5.0, 0.05 * options_.seconds);
    const double until = std::min(elapsed() + patience, options_.seconds);
    while (measurer_->under_way() > 0 && elapsed() < until && !is_cancelled()) await_one();
    measurer_->give_up();
    if (pending_.count(baseline_name) > 0 && !is_cancelled())
      result_.notes.push_back(fmt::format(
          "the default mapping was not timed: building and measuring it took more than {:.3g} s", elapsed()));
  }

  std::optional<store::Features> features_of(const Proposal& proposal) const {
    if (proposal.features.empty()) return std::nullopt;
    const target::Processor processor = measurer_->device().machine.processor;
    return store::Features{std::string(features::schema(processor).name), proposal.features};
  }

  void take(const measure::Outcome& outcome) {
    auto node = pending_.extract(outcome.id);
    if (node.empty()) throw Bug("an outcome of " + outcome.id + ", which was not submitted");
    Pending pending = std::move(node.mapped());
    kernel_seconds_ += outcome.device_seconds;
    const bool is_fast =
        measure::has_times(outcome.kind) && (progress_.best == 0 || outcome.median() < 1.5 * progress_.best);
    const bool keeps_source =
        is_fast || pending.origin != store::Origin::Explored || !measure::has_times(outcome.kind);
    if (keeps_source) pending.proposal.record.source = outcome.source;
    recorder_->record(pending.proposal.record, pending.origin, outcome, features_of(pending.proposal));
    if (pending.origin != store::Origin::Explored) {
      take_fixed(pending, outcome);
      return;
    }
    if (const auto again = known_.find(outcome.id); again != known_.end()) {
      if (outcome.kind == measure::OutcomeKind::Ok) again->second.again = outcome.median();
      return;
    }
    if (result_.first && result_.first->name == outcome.id && measure::has_times(outcome.kind))
      result_.first->median = outcome.median();
    ++progress_.evaluated;
    ++result_.evaluated;
    ++result_.outcomes[std::string(name_of(outcome.kind))];
    if (!measure::has_times(outcome.kind)) ++progress_.failed;
    if (outcome.kind == measure::OutcomeKind::DeviceLost)
      throw Failure(device_error("the device is lost: " + outcome.message, {},
                                 "what was measured is stored; the same command goes on from there")
                        .value());
    learn(pending, outcome_of(outcome, pending.proposal.part_of_kernel),
          measure::has_times(outcome.kind) ? outcome.median() : 0, outcome.kind == measure::OutcomeKind::Ok);
  }

  void take_fixed(const Pending& pending, const measure::Outcome& outcome) {
    if (outcome.kind == measure::OutcomeKind::Ok) {
      const auto known = known_.find(outcome.id);
      if (known != known_.end()) known->second.again = outcome.median();
      keep(pending, outcome.median(), true);
    } else if (pending.origin == store::Origin::Baseline && outcome.kind != measure::OutcomeKind::Timeout) {
      throw Failure(device_error("the default mapping fails: " + std::string(name_of(outcome.kind)) + ": " +
                                 outcome.message)
                        .value());
    } else {
      result_.notes.push_back(
          fmt::format("{} was not timed: {}: {}", outcome.id, name_of(outcome.kind), outcome.message));
    }
  }

  /// Measures the best ones again, with the default mapping: the fastest of many measurements is fast by
  /// luck, too.
  void measure_best_again() {
    if (known_.empty() || is_cancelled() || elapsed() > options_.seconds) return;
    tell("measuring the best again");
    std::vector<const Known*> again = best_ones();
    // Each takes two runs at the least, and the fastest come first.
    double left = options_.seconds - elapsed();
    std::erase_if(again, [&](const Known* each) { return (left -= 2 * each->median) < 0; });
    for (const Known* each : again) {
      submit(each->what);
      measured_again_.insert(each->what.proposal.record.name);
    }
    const auto is_waited_for = [&](const Known* each) {
      return pending_.count(each->what.proposal.record.name) > 0;
    };
    while (std::ranges::any_of(again, is_waited_for) && measurer_->under_way() > 0 && !is_cancelled() &&
           elapsed() < options_.seconds)
      await_one();
    measurer_->give_up();
  }
  /// The fastest, and those that were not explored. Those that were stopped early are left out: each is
  /// several times slower than something else.
  std::vector<const Known*> best_ones() const {
    constexpr std::size_t most = 5;
    std::vector<const Known*> list;
    for (const auto& [name, each] : known_) {
      if (each.is_whole) list.push_back(&each);
    }
    std::sort(list.begin(), list.end(), [](const Known* a, const Known* b) { return a->median < b->median; });
    std::vector<const Known*> best;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i < most || list[i]->what.origin != store::Origin::Explored) best.push_back(list[i]);
    }
    return best;
  }

  TuningResult finish() {
    for (const Known* known : best_ones()) {
      const Known& each = *known;
      const store::Candidate& record = each.what.proposal.record;
      // One that there was no time to measure again keeps its first median; one that failed then is left out.
      const bool has_failed =
          measured_again_.contains(record.name) && each.again == 0 && !pending_.contains(record.name);
      if (has_failed) continue;
      result_.best.push_back({record.name, each.again > 0 ? each.again : each.median,
                              predict::derivation_text(record.derivation), record.parameters});
    }
    std::sort(result_.best.begin(), result_.best.end(),
              [](const Tried& a, const Tried& b) { return a.median < b.median; });
    for (const Tried& each : result_.best) {
      if (each.name == baseline_name) result_.baseline = each.median;
    }
    judge_elsewhere();
    judge_nodes();
    result_.specified = proposer_->specified();
    if (result_.specified) {
      for (const std::string& each : result_.specified->tally.notes) result_.notes.push_back(each);
    }
    result_.seconds = elapsed();
    recorder_->end(funnel());
    return std::move(result_);
  }

  const measure::Task& task_;
  const TuningOptions& options_;
  const driver::NamedSizes sizes_;                             ///< without those of tuning parameters
  std::vector<std::pair<std::string, std::string>> settings_;  ///< of the specification
  const std::string environment_ = environment_of(options_.measuring.devices);
  store::Store& store_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  TuningProgress progress_;
  TuningResult result_;
  std::unique_ptr<measure::Measurer> measurer_;
  std::string strategy_name_;
  std::optional<predict::ChosenModel> model_;  ///< ranks the candidates
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<Proposer> proposer_;
  std::unique_ptr<Others> others_;
  std::vector<search::Expected> elsewhere_known_;  ///< what other tasks say of some candidates
  double ranking_ends_ = 0;                        ///< seconds since the start
  search::StoppingRule stopping_;
  std::map<std::string, Pending> pending_;
  /// Of each term that was proposed, what came of it; nothing while that is not known.
  std::map<std::string, std::optional<search::Outcome>> by_term_;
  std::map<std::string, std::vector<search::Configuration>> twins_;  ///< of terms that are being measured
  double read_at_ = 0, told_at_ = 0, phase_began_ = 0;               ///< seconds since the start
  std::map<std::string, Known> known_;                               ///< every implementation that has a time
  std::set<std::string> measured_again_;                             ///< those that were submitted again
  double kernel_seconds_ = 0;  ///< how long kernels ran since the search began
};

}  // namespace

Result<TuningResult> tune(const measure::Task& task, const TuningOptions& options, store::Store& store) {
  return catch_failure([&] { return Tuning(task, options, store).run(); });
}

}  // namespace hoist::tuner
