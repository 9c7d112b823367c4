// Binds the names of a specification: `Binder::run` reads the settings, then walks the items in the order in
// which they are done. It keeps what is known there: which names the step at hand has given values so far
// (`given_`), and whether a step was done before, without which there is no best configuration. What does not
// depend on a configuration is computed at once, so that its faults are told before anything is measured.
#include "search/specification/binding.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "base/spelling.hpp"
#include "search/specification/evaluation.hpp"

namespace hoist::search::specification {

namespace {

constexpr std::int64_t most_repetitions = 1000;

/// "; did you mean 'WX'?", or nothing.
std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  const std::string_view near = closest(word, {names.begin(), names.end()}, 2);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

/// The first of many names or values.
template <class List>
std::string listed(const List& all) {
  constexpr std::size_t most = 20;
  if (all.size() <= most) return fmt::format("{}", fmt::join(all, ", "));
  return fmt::format("{}, ... ({} in all)", fmt::join(all.begin(), all.begin() + most, ", "), all.size());
}

class Binder {
 public:
  Binder(const NamedSpace& space, const Context& context) : space_(space), context_(context) {}

  Result<Specification> run(const Specification& specification) {
    collecting([&] { check_sizes(); });
    for (const Setting& each : specification.settings) collecting([&] { declare(each); });
    collecting([&] { check_settings(specification); });
    Specification result;
    // What comes of faulty settings is not told.
    if (faults_.empty()) result.items = bound(specification.items);
    if (faults_.empty()) return result;
    return tl::unexpected(Error{ErrorKind::User, std::move(faults_)});
  }

 private:
  template <class Body>
  void collecting(const Body& body) {
    try {
      body();
    } catch (const Failure& failure) {
      for (const Diagnostic& each : failure.error().diagnostics) {
        if (faults_.size() < most_faults) faults_.push_back(each);
      }
    }
  }

  std::optional<std::size_t> place_of(const std::string& name) const {
    const auto found = std::ranges::find(space_.names(), name);
    if (found == space_.names().end()) return std::nullopt;
    return static_cast<std::size_t>(found - space_.names().begin());
  }
  std::optional<std::int64_t> size_of(const std::string& name) const {
    const auto found = std::ranges::find(context_.sizes, name, [](const auto& each) { return each.first; });
    return found == context_.sizes.end() ? std::nullopt : std::optional(found->second);
  }

  void check_sizes() const {
    for (const auto& [name, value] : context_.sizes) {
      if (place_of(name))
        throw_user(fmt::format("{} is a size and a parameter", name),
                   "a specification could not tell which of them it means", "give the size another name");
    }
  }

  // ---- Settings

  void declare(const Setting& setting) {
    const auto check = [&](const std::string& name) {
      if (place_of(name)) fail_at(setting.span, fmt::format("'{}' is the name of a parameter", name));
      if (size_of(name)) fail_at(setting.span, fmt::format("'{}' is the name of a size", name));
    };
    check(setting.name);
    if (settings_.contains(setting.name) || words_.contains(setting.name))
      fail_at(setting.span, fmt::format("'{}' is there twice", setting.name));
    for (std::size_t number = 0; number < setting.words.size(); ++number) {
      const std::string& word = setting.words[number];
      check(word);
      const auto [known, is_new] = words_.emplace(word, static_cast<std::int64_t>(number));
      if (settings_.contains(word) || (!is_new && known->second != static_cast<std::int64_t>(number)))
        fail_at(setting.span, fmt::format("'{}' means two things", word));
    }
    const auto chosen =
        std::ranges::find(context_.settings, setting.name, [](const auto& each) { return each.first; });
    if (chosen != context_.settings.end()) {
      settings_[setting.name] = chosen_value(setting, chosen->second);
    } else {
      settings_[setting.name] = setting.value ? constant(*setting.value, "a setting") : 0;
    }
  }

  static std::int64_t chosen_value(const Setting& setting, const std::string& text) {
    const auto word = std::ranges::find(setting.words, text);
    if (word != setting.words.end()) return word - setting.words.begin();
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    const bool is_number = read.ec == std::errc() && read.ptr == end;
    if (setting.words.empty() && is_number) return number;
    if (setting.words.empty())
      throw_user(fmt::format("{}={} is no number", setting.name, text), {},
                 fmt::format("write --set {}=2", setting.name));
    throw_user(fmt::format("{} cannot be '{}'{}", setting.name, text, suggestion(text, setting.words)), {},
               fmt::format("it is one of {}", listed(setting.words)));
  }

  void check_settings(const Specification& specification) const {
    std::vector<std::string> names;
    for (const Setting& each : specification.settings) names.push_back(each.name);
    for (const auto& [name, value] : context_.settings) {
      if (std::ranges::find(names, name) == names.end())
        throw_user(fmt::format("the specification has no setting '{}'{}", name, suggestion(name, names)), {},
                   names.empty() ? "it has none" : "it has " + listed(names));
    }
  }

  // ---- Items

  std::vector<Item> bound(const std::vector<Item>& items) {
    std::vector<Item> result;
    for (const Item& item : items) {
      if (const auto* step = std::get_if<Step>(&item.content)) {
        result.push_back({bound(*step)});
        continue;
      }
      const auto& repetition = std::get<Repetition>(item.content);
      std::int64_t count = 1;
      collecting([&] { count = count_of(repetition); });
      const bool was_after_step = is_after_step_;
      Repetition own{repetition.count, bound(repetition.items), repetition.span};
      own.count = number(count, repetition.count.span);
      if (count > 0) {
        result.push_back({std::move(own)});
      } else {
        is_after_step_ = was_after_step;
      }
    }
    return result;
  }

  std::int64_t count_of(const Repetition& repetition) {
    const std::int64_t count = constant(repetition.count, "the number of repetitions");
    if (count < 0 || count > most_repetitions)
      fail_at(repetition.count.span,
              fmt::format("{} is no number of repetitions: 0 to {} are", count, most_repetitions));
    return count;
  }

  Step bound(const Step& step) {
    Step result;
    result.span = step.span;
    given_.clear();
    to_be_given_.clear();
    for (const auto& part : step.parts) {
      if (const auto* assignment = std::get_if<Assignment>(&part)) to_be_given_.insert(assignment->name);
    }
    collecting([&] {
      if (step.sampled) result.sampled = sample_count(*step.sampled);
    });
    for (const auto& part : step.parts) {
      collecting([&] {
        if (const auto* assignment = std::get_if<Assignment>(&part)) {
          result.parts.emplace_back(bound(*assignment));
        } else {
          result.parts.emplace_back(Condition{bound(std::get<Condition>(part).expression)});
        }
      });
    }
    if (!is_after_step_ && !step.parts.empty()) collecting([&] { check_first(step); });
    is_after_step_ = true;
    return result;
  }

  void check_first(const Step& step) const {
    if (!space_.has_all_names_always()) return;
    std::vector<std::string> missing;
    for (const std::string& name : space_.names()) {
      if (!to_be_given_.contains(name)) missing.push_back(name);
    }
    if (!missing.empty())
      fail_at(step.span, fmt::format("the first step gives no value to {}", listed(missing)),
              "a parameter that a step does not mention keeps its best value, and there is none yet");
  }

  Assignment bound(const Assignment& assignment) {
    Assignment result = assignment;
    const auto place = place_of(assignment.name);
    if (!place) fail_unknown(assignment.name, assignment.name_span, "the space has no parameter", false);
    result.place = *place;
    if (given_.contains(assignment.name))
      fail_at(assignment.name_span, fmt::format("the step gives {} values twice", assignment.name));
    try {
      if (const auto* range = std::get_if<Range>(&assignment.values)) {
        result.values = bound(*range);
      } else {
        Expression value = bound(std::get<Expression>(assignment.values));
        if (is_constant(value)) check_value(*place, value);
        result.values = std::move(value);
      }
      if (assignment.sampled) result.sampled = sample_count(*assignment.sampled);
    } catch (const Failure&) {
      // What follows is not told that it has no value.
      given_.insert(assignment.name);
      throw;
    }
    given_.insert(assignment.name);
    return result;
  }

  void check_value(std::size_t place, const Expression& value) const {
    if (!space_.knows_all_values()) return;
    const std::vector<std::int64_t> values = space_.known_values(place);
    if (std::ranges::find(values, value.number) != values.end()) return;
    fail_at(value.span, fmt::format("{} is no value of {}", value.number, space_.names()[place]), {},
            "its values are " + listed(values));
  }

  Range bound(const Range& range) {
    Range result = range;
    result.from = bound(range.from);
    result.to = bound(range.to);
    result.step = bound(range.step);
    // What depends on a configuration is looked at when the configuration is there.
    Range probe = result;
    if (!is_constant(probe.step)) probe.step = number(2, range.step.span);
    if (!is_constant(probe.from)) probe.from = number(1, range.from.span);
    if (!is_constant(probe.to)) probe.to = number(1, range.to.span);
    const RangeBounds bounds = bounds_of(probe, {});
    if (is_constant(result.from) && is_constant(result.to) && bounds.is_empty())
      fail_at(range.span, fmt::format("the range is empty: {} is more than {}", bounds.from, bounds.to));
    return result;
  }

  Expression sample_count(const Expression& given) {
    const std::int64_t count = constant(given, "the number of samples");
    if (count < 1)
      fail_at(given.span, fmt::format("{} is no number of samples", count), {}, "draw 1 or more");
    return number(count, given.span);
  }

  // ---- Expressions

  static Expression number(std::int64_t value, Span span) {
    Expression result{Expression::Kind::Number, span};
    result.number = value;
    return result;
  }

  std::int64_t constant(const Expression& expression, const char* what) {
    const Expression value = bound(expression);
    if (!is_constant(value))
      fail_at(expression.span, fmt::format("{} may not depend on parameters", what), {},
              "numbers, sizes and settings are the same in every step");
    return value.number;
  }

  /// An expression of bound names; a number where it does not depend on a configuration.
  Expression bound(const Expression& expression) {
    switch (expression.kind) {
      case Expression::Kind::Number:
      case Expression::Kind::Value:
        return expression;
      case Expression::Kind::Name:
        return named(expression);
      case Expression::Kind::Best:
        return best(expression);
      case Expression::Kind::Operation:
        break;
    }
    Expression result = expression;
    for (Expression& operand : result.operands) operand = bound(operand);
    return is_constant(result) ? number(evaluate(result, {}), expression.span) : result;
  }

  Expression named(const Expression& expression) {
    const std::string& name = expression.name;
    if (const auto place = place_of(name)) {
      check_given(expression);
      Expression result = expression;
      result.kind = Expression::Kind::Value;
      result.place = *place;
      return result;
    }
    if (const auto size = size_of(name)) return number(*size, expression.span);
    if (const auto setting = settings_.find(name); setting != settings_.end())
      return number(setting->second, expression.span);
    if (const auto word = words_.find(name); word != words_.end())
      return number(word->second, expression.span);
    fail_unknown(name, expression.span, "nothing has the name", true);
  }

  void check_given(const Expression& expression) const {
    if (given_.contains(expression.name)) return;
    if (to_be_given_.contains(expression.name))
      fail_at(expression.span,
              fmt::format("{} has no value here: the step gives it one later", expression.name), {},
              fmt::format("write best.{} for its best value so far", expression.name));
    if (!is_after_step_)
      fail_at(expression.span, fmt::format("{} has no value yet", expression.name), {},
              "give it one before, in this step");
  }

  Expression best(const Expression& expression) {
    const auto place = place_of(expression.name);
    if (!place) fail_unknown(expression.name, expression.span, "the space has no parameter", false);
    if (!is_after_step_)
      fail_at(expression.span, "there is no best configuration yet",
              "it is the best of the steps before this one");
    Expression result = expression;
    result.place = *place;
    return result;
  }

  [[noreturn]] void fail_unknown(const std::string& name, Span span, const char* what,
                                 bool may_be_any) const {
    std::vector<std::string> known = space_.names();
    std::string help = "its parameters are " + listed(known);
    if (may_be_any) {
      std::vector<std::string> others;
      for (const auto& [each, value] : context_.sizes) others.push_back(each);
      for (const auto& [each, value] : settings_) others.push_back(each);
      for (const auto& [each, value] : words_) others.push_back(each);
      help = "the parameters are " + listed(known);
      if (!others.empty()) help += "; the sizes and settings are " + listed(others);
      known.insert(known.end(), others.begin(), others.end());
    }
    fail_at(span, fmt::format("{} '{}'{}", what, name, suggestion(name, known)), {}, std::move(help));
  }

  const NamedSpace& space_;
  const Context& context_;
  std::vector<Diagnostic> faults_;
  std::map<std::string, std::int64_t> settings_, words_;
  bool is_after_step_ = false;
  std::set<std::string> given_, to_be_given_;  ///< by the step at hand: so far, and in all
};

}  // namespace

Result<Specification> bind(const Specification& specification, const NamedSpace& space,
                           const Context& context) {
  return Binder(space, context).run(specification);
}

}  // namespace hoist::search::specification
