// A search by a specification. `acquire` is the loop: it proposes what is left of the step at hand; when all
// outcomes of the step are there it takes the best of them (`take_best`), finds the next step (`next_step`
// walks repetitions), and lists that step's configurations (`begin`).
//
// The best so far is the best of what the specification asked for, not of all that is known: what an earlier
// run left in the store spares measurements, and changes nothing else.
#include "search/specified_search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "search/specification/evaluation.hpp"
#include "space/space.hpp"

namespace hoist::search {

using specification::Assignment;
using specification::Condition;
using specification::Expression;
using specification::Repetition;
using specification::Step;

namespace {

bool mentions_best(const Expression& expression) {
  return expression.kind == Expression::Kind::Best ||
         std::any_of(expression.operands.begin(), expression.operands.end(), mentions_best);
}

bool mentions_best(const std::variant<Assignment, Condition>& part) {
  if (const auto* condition = std::get_if<Condition>(&part)) return mentions_best(condition->expression);
  const auto& values = std::get<Assignment>(part).values;
  if (const auto* range = std::get_if<specification::Range>(&values))
    return mentions_best(range->from) || mentions_best(range->to) || mentions_best(range->step);
  return mentions_best(std::get<Expression>(values));
}

std::vector<std::string> names_of(const Step& step) {
  std::vector<std::string> names;
  for (const auto& part : step.parts) {
    if (const auto* assignment = std::get_if<Assignment>(&part)) names.push_back(assignment->name);
  }
  return names;
}

bool is_sampled(const Step& step) {
  return step.sampled || std::any_of(step.parts.begin(), step.parts.end(), [](const auto& part) {
           const auto* assignment = std::get_if<Assignment>(&part);
           return assignment != nullptr && assignment->sampled.has_value();
         });
}

}  // namespace

nlohmann::json to_json(const SpecificationTally& tally) {
  return {{"steps", tally.steps},
          {"configurations", tally.asked},
          {"ran", tally.ran},
          {"failed", tally.failed},
          {"outside", tally.outside},
          {"build_seconds", tally.build_seconds},
          {"run_seconds", tally.run_seconds},
          {"one_run_seconds", tally.kernel_seconds},
          {"notes", tally.notes}};
}

std::size_t SpecifiedSearch::NamedValuesHash::operator()(const NamedValues& values) const {
  Configuration numbers;
  for (const auto& value : values) {
    numbers.push_back(value ? 1 : 0);
    numbers.push_back(value.value_or(0));
  }
  return ConfigurationHash()(numbers);
}

Result<std::unique_ptr<SpecifiedSearch>> SpecifiedSearch::make(
    const NamedSpace& space, const specification::Specification& specification,
    const specification::Context& context, std::uint64_t seed, const specification::Limits& limits) {
  auto bound = specification::bind(specification, space, context);
  if (!bound) return tl::unexpected(std::move(bound.error()));
  return std::unique_ptr<SpecifiedSearch>(new SpecifiedSearch(space, *std::move(bound), seed, limits));
}

SpecifiedSearch::SpecifiedSearch(const NamedSpace& space, specification::Specification bound,
                                 std::uint64_t seed, const specification::Limits& limits)
    : Strategy(space.space(), seed),
      named_(space),
      specification_(std::move(bound)),
      limits_(limits),
      best_values_(space.names().size()) {
  frames_.push_back({&specification_.items});
}

std::optional<Configuration> SpecifiedSearch::acquire() {
  for (;;) {
    while (next_ < of_step_.size()) {
      const Configuration& candidate = of_step_[next_++];
      if (!history_.is_known(candidate)) return candidate;
    }
    if (!has_all_outcomes()) return std::nullopt;
    take_best();
    step_ = next_step();
    if (step_ == nullptr) return std::nullopt;
    begin(*step_);
  }
}

bool SpecifiedSearch::has_all_outcomes() {
  while (settled_ < of_step_.size() && history_.outcome(of_step_[settled_]) != nullptr) ++settled_;
  return settled_ == of_step_.size();
}

void SpecifiedSearch::take_best() {
  for (const Configuration& each : of_step_) {
    const auto& seconds = history_.outcome(each)->seconds;
    if (!seconds || (best_ && *seconds >= best_seconds_)) continue;
    best_ = each;
    best_seconds_ = *seconds;
  }
  if (best_) best_values_ = named_.values(*best_);
  of_step_.clear();
  in_step_.clear();
  next_ = settled_ = 0;
}

/// The step to do next; null at the end.
const Step* SpecifiedSearch::next_step() {
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    if (frame.next < frame.items->size()) {
      const specification::Item& item = (*frame.items)[frame.next++];
      if (const auto* step = std::get_if<Step>(&item.content)) return step;
      const auto& repetition = std::get<Repetition>(item.content);
      frames_.push_back({&repetition.items, 0, repetition.count.number - 1, asked_.size()});
      continue;
    }
    // After a round that asked for nothing new, the next one would do the same again.
    if (frame.rounds_left > 0 && asked_.size() > frame.asked_before) {
      --frame.rounds_left;
      frame.next = 0;
      frame.asked_before = asked_.size();
    } else {
      frames_.pop_back();
    }
  }
  return nullptr;
}

/// Whether the step needs the best configuration of those before it, and none of them ran.
bool SpecifiedSearch::lacks_best(const Step& step) const {
  if (best_) return false;
  if (std::ranges::any_of(step.parts, [](const auto& part) { return mentions_best(part); })) return true;
  return !step.parts.empty() && named_.has_all_names_always() &&
         names_of(step).size() < named_.names().size();
}

void SpecifiedSearch::begin(const Step& step) {
  ++steps_;
  if (lacks_best(step)) {
    notes_.push_back(fmt::format(
        "step {} ({}) goes on from the best of the steps before it, of which nothing ran, and was left out",
        steps_, fmt::join(names_of(step), ", ")));
    return;
  }
  if (step.parts.empty()) {
    sample_space(static_cast<std::size_t>(step.sampled->number));
  } else {
    collect(step);
  }
}

void SpecifiedSearch::collect(const Step& step) {
  std::vector<Configuration> found;
  std::size_t combinations = 0;
  specification::for_each_combination(step, best_ ? &best_values_ : nullptr, named_.names().size(), random_,
                                      limits_, work_, [&](const NamedValues& values) {
                                        ++combinations;
                                        auto configuration = named_.find(values);
                                        if (!configuration) {
                                          outside_.insert(values);
                                        } else if (in_step_.insert(*configuration).second) {
                                          found.push_back(*std::move(configuration));
                                        }
                                      });
  if (found.empty() && combinations > 0 && !is_sampled(step)) fail_outside(step, combinations);
  if (step.sampled && found.size() > static_cast<std::size_t>(step.sampled->number)) {
    random_.shuffle(found);
    found.resize(static_cast<std::size_t>(step.sampled->number));
  }
  for (Configuration& each : found) ask(std::move(each));
}

void SpecifiedSearch::sample_space(std::size_t count) {
  constexpr std::uint64_t saturated = ~std::uint64_t{0};
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, space_.size()));
  if (count > limits_.configurations)
    specification::fail_at(step_->span,
                           fmt::format("the step has more than {} configurations", limits_.configurations));
  if (space_.size() < saturated) {
    for (const std::uint64_t rank : space::sample_ranks(space_.size(), count, random_.bits()))
      ask(space_.at(rank));
    return;
  }
  // So large a space has no ranks; what is drawn twice is measured once.
  for (std::size_t i = 0; i < count; ++i) {
    Configuration drawn = space_.draw(random_);
    if (in_step_.insert(drawn).second) ask(std::move(drawn));
  }
}

void SpecifiedSearch::ask(Configuration configuration) {
  asked_.insert(configuration);
  of_step_.push_back(std::move(configuration));
}

void SpecifiedSearch::fail_outside(const Step& step, std::size_t combinations) const {
  std::vector<std::string> odd;
  for (const auto& part : step.parts) {
    const auto* assignment = std::get_if<Assignment>(&part);
    const auto* value = assignment ? std::get_if<Expression>(&assignment->values) : nullptr;
    if (value == nullptr || value->kind != Expression::Kind::Number) continue;
    const std::vector<std::int64_t> values = named_.known_values(assignment->place);
    if (std::ranges::find(values, value->number) == values.end())
      odd.push_back(fmt::format("{} is {} here, and elsewhere {}", assignment->name, value->number,
                                fmt::join(values, ", ")));
  }
  specification::fail_at(
      step.span,
      combinations == 1 ? "the space does not have the step's configuration"
                        : fmt::format("the space has none of the step's {} configurations", combinations),
      fmt::format("{}", fmt::join(odd, "; ")), "hoist explore tells what a program's parameters may be");
}

std::string SpecifiedSearch::phase() const {
  if (step_ == nullptr) return "";
  const std::vector<std::string> names = names_of(*step_);
  return fmt::format("step {} ({}), {} of {} configurations", steps_,
                     names.empty() ? "a sample" : fmt::format("{}", fmt::join(names, ", ")), settled_,
                     of_step_.size());
}

std::vector<Trial> SpecifiedSearch::asked() const {
  std::vector<Trial> asked;
  for (const Trial& trial : history_.trials()) {
    if (asked_.contains(trial.configuration)) asked.push_back(trial);
  }
  return asked;
}

SpecificationTally SpecifiedSearch::tally() const {
  SpecificationTally tally;
  tally.steps = steps_;
  tally.asked = asked_.size();
  tally.outside = outside_.size();
  tally.notes = notes_;
  for (const Trial& trial : asked()) {
    const Outcome& outcome = trial.outcome;
    ++(outcome.seconds ? tally.ran : tally.failed);
    tally.build_seconds += outcome.build_seconds;
    tally.run_seconds += outcome.cost - outcome.build_seconds;
    tally.kernel_seconds += outcome.seconds.value_or(0);
    if (outcome.seconds && (!tally.best || *outcome.seconds < *tally.best->outcome.seconds))
      tally.best = trial;
  }
  return tally;
}

}  // namespace hoist::search
