#include "store/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <random>

namespace hoist::store {

namespace {

constexpr std::pair<Outcome, std::string_view> outcomes[] = {
    {Outcome::Ok, "ok"},
    {Outcome::NotCompiled, "not compiled"},
    {Outcome::DoesNotFit, "does not fit"},
    {Outcome::BuildFailed, "build failed"},
    {Outcome::WrongResult, "wrong result"},
    {Outcome::Crash, "crash"},
    {Outcome::Timeout, "timeout"},
    {Outcome::DriverError, "driver error"},
    {Outcome::OutOfMemory, "out of memory"},
    {Outcome::StoppedEarly, "stopped early"},
};
constexpr std::pair<Origin, std::string_view> origins[] = {
    {Origin::Explored, "explored"}, {Origin::Baseline, "baseline"}, {Origin::Hand, "hand"}};

template <class Named, std::size_t count>
std::string_view name_in(const std::pair<Named, std::string_view> (&names)[count], Named wanted) {
  for (const auto& [value, name] : names)
    if (value == wanted) return name;
  throw Bug("a value without a name");
}
template <class Named, std::size_t count>
std::optional<Named> value_in(const std::pair<Named, std::string_view> (&names)[count],
                              std::string_view wanted) {
  for (const auto& [value, name] : names)
    if (name == wanted) return value;
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Outcome outcome) { return name_in(outcomes, outcome); }
std::optional<Outcome> outcome_of(std::string_view name) { return value_in(outcomes, name); }
std::string_view name_of(Origin origin) { return name_in(origins, origin); }
std::optional<Origin> origin_of(std::string_view name) { return value_in(origins, name); }

std::string now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
  const std::time_t seconds = static_cast<std::time_t>(milliseconds / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, milliseconds % 1000);
}

std::string new_uid() {
  std::random_device random;
  std::string text;
  for (int i = 0; i < 4; ++i) text += fmt::format("{:08x}", random());
  return text;
}

std::optional<double> median_of(std::vector<double> times) {
  if (times.empty()) return std::nullopt;
  std::sort(times.begin(), times.end());
  const std::size_t middle = times.size() / 2;
  if (times.size() % 2 == 1) return times[middle];
  return times[middle - 1] + 0.5 * (times[middle] - times[middle - 1]);
}

std::string fault_of(const Evaluation& evaluation) {
  if (evaluation.outcome == Outcome::Ok && evaluation.times.empty())
    return "its outcome is ok, but it has no times";
  for (const double seconds : evaluation.times)
    if (!std::isfinite(seconds) || seconds < 0)
      return fmt::format("the time {} is not a number of seconds", seconds);
  for (const std::optional<double>& fact :
       {std::optional(evaluation.wall_seconds), evaluation.build_seconds, evaluation.conditions.clock_mhz,
        evaluation.conditions.memory_clock_mhz, evaluation.conditions.temperature_celsius,
        evaluation.conditions.power_watts})
    if (fact && !std::isfinite(*fact)) return fmt::format("the measurement {} is not finite", *fact);
  return {};
}

}  // namespace hoist::store
