#include "search/specification/enumeration.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "search/specification/evaluation.hpp"

namespace hoist::search::specification {

namespace {

/// One step's combinations, a part after the other.
class Enumeration {
 public:
  Enumeration(const Step& step, const NamedValues* best, std::size_t names, Random& random,
              const Limits& limits, std::size_t& work, const std::function<void(const NamedValues&)>& fn)
      : step_(step),
        values_(best != nullptr ? *best : NamedValues(names)),
        surroundings_{&values_, best},
        random_(random),
        limits_(limits),
        work_(work),
        fn_(fn) {}

  void run() { visit(0); }

 private:
  void visit(std::size_t part) {
    if (part == step_.parts.size()) {
      if (++combinations_ > limits_.configurations) fail_too_many();
      fn_(values_);
      return;
    }
    if (const auto* condition = std::get_if<Condition>(&step_.parts[part])) {
      if (evaluate(condition->expression, surroundings_) != 0) visit(part + 1);
      return;
    }
    const auto& assignment = std::get<Assignment>(step_.parts[part]);
    const std::optional<std::int64_t> before = values_[assignment.place];
    const auto give = [&](std::int64_t value) {
      ++work_;
      if (++values_of_step_ > limits_.values_of_step || work_ > limits_.values_in_all) fail_too_many();
      values_[assignment.place] = value;
      visit(part + 1);
      return true;
    };
    if (const auto* range = std::get_if<Range>(&assignment.values)) {
      const RangeBounds bounds = bounds_of(*range, surroundings_);
      if (assignment.sampled) {
        for (const std::int64_t value : sampled(bounds, *assignment.sampled)) give(value);
      } else {
        bounds.for_each(give);
      }
    } else {
      give(evaluate(std::get<Expression>(assignment.values), surroundings_));
    }
    values_[assignment.place] = before;
  }

  /// So many of a range's values, in rising order.
  std::vector<std::int64_t> sampled(const RangeBounds& bounds, const Expression& count) {
    std::vector<std::int64_t> all;
    bounds.for_each([&](std::int64_t value) {
      if (all.size() >= limits_.configurations) fail_too_many();
      all.push_back(value);
      ++work_;
      return true;
    });
    const auto wanted = static_cast<std::size_t>(count.number);
    if (wanted >= all.size()) return all;
    random_.shuffle(all);
    all.resize(wanted);
    std::sort(all.begin(), all.end());
    return all;
  }

  [[noreturn]] void fail_too_many() const {
    if (work_ > limits_.values_in_all)
      fail_at(step_.span, "the search goes through too many combinations of values",
              fmt::format("it has given parameters {} values", work_),
              "narrower ranges, or fewer repetitions, end it sooner");
    fail_at(step_.span,
            combinations_ > limits_.configurations
                ? fmt::format("the step has more than {} configurations", limits_.configurations)
                : "the step goes through too many combinations of values",
            {}, "narrower ranges, or sample(100) of the whole space, try fewer");
  }

  const Step& step_;
  NamedValues values_;
  Surroundings surroundings_;
  Random& random_;
  const Limits& limits_;
  std::size_t& work_;
  std::size_t values_of_step_ = 0, combinations_ = 0;
  const std::function<void(const NamedValues&)>& fn_;
};

}  // namespace

void for_each_combination(const Step& step, const NamedValues* best, std::size_t names, Random& random,
                          const Limits& limits, std::size_t& work,
                          const std::function<void(const NamedValues&)>& fn) {
  Enumeration(step, best, names, random, limits, work, fn).run();
}

}  // namespace hoist::search::specification
