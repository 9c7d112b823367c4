#include "report/trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

namespace hoist::report {

namespace {

using nlohmann::json;
using Kind = TraceRecord::Kind;

constexpr std::array kinds{Kind::Upload, Kind::Launch, Kind::Copy, Kind::Fill, Kind::Download, Kind::Host};

double first_start(const Trace& trace) {
  double first = trace.records.empty() ? 0 : trace.records.front().start;
  for (const TraceRecord& record : trace.records) first = std::min(first, record.start);
  return first;
}

/// What names a process or a thread there.
json named(const char* what, std::size_t process, std::size_t thread, const std::string& name) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

tl::unexpected<Error> no_trace(const std::string& why) {
  return user_error("this is no trace of Hoist: " + why, {}, "hoist run --trace FILE writes one");
}

std::optional<Kind> kind_of(const std::string& name) {
  for (const Kind kind : kinds) {
    if (name == name_of(kind)) return kind;
  }
  return std::nullopt;
}

/// The time that these intervals cover.
double covered(std::vector<std::pair<double, double>> intervals) {
  std::sort(intervals.begin(), intervals.end());
  double sum = 0, until = -std::numeric_limits<double>::infinity();
  for (const auto& [start, end] : intervals) {
    if (end <= until) continue;
    sum += end - std::max(start, until);
    until = end;
  }
  return sum;
}

}  // namespace

std::string trace_json(const Trace& trace) {
  json events = json::array();
  std::set<std::pair<std::size_t, std::size_t>> queues;
  const double origin = first_start(trace);
  for (const TraceRecord& record : trace.records) {
    if (queues.emplace(record.partition, record.queue).second) {
      events.push_back(named("process_name", record.partition, record.queue,
                             fmt::format("partition {}", record.partition)));
      events.push_back(
          named("thread_name", record.partition, record.queue, fmt::format("queue {}", record.queue)));
    }
    json arguments = {{"bytes", record.bytes}};
    if (record.task) arguments["task"] = *record.task;
    if (record.step) arguments["step"] = *record.step;
    events.push_back({{"ph", "X"},
                      {"name", record.name},
                      {"cat", name_of(record.kind)},
                      {"pid", record.partition},
                      {"tid", record.queue},
                      {"ts", (record.start - origin) * 1e6},
                      {"dur", (record.end - record.start) * 1e6},
                      {"args", std::move(arguments)}});
  }
  json facts = json::object();
  for (const auto& [name, value] : trace.facts) facts[name] = value;
  const json text = {
      {"displayTimeUnit", "ms"},
      {"traceEvents", std::move(events)},
      {"otherData", {{"program", "hoist"}, {"title", trace.title}, {"facts", std::move(facts)}}}};
  return text.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<Trace> read_trace(std::string_view text) {
  const json data = json::parse(text, nullptr, false);
  if (data.is_discarded()) return no_trace("it is not JSON");
  if (!data.is_object() || !data.contains("traceEvents") || !data["traceEvents"].is_array())
    return no_trace("it has no list `traceEvents`");
  try {
    Trace trace;
    const json other = data.value("otherData", json::object());
    trace.title = other.value("title", "");
    const json facts = other.value("facts", json::object());
    for (const auto& [name, value] : facts.items()) trace.facts.emplace_back(name, value.get<std::string>());
    for (const json& event : data["traceEvents"]) {
      if (event.at("ph") != "X") continue;
      const auto kind = kind_of(event.at("cat").get<std::string>());
      if (!kind) return no_trace("an event has the category " + event.at("cat").dump());
      TraceRecord record{.kind = *kind,
                         .name = event.at("name").get<std::string>(),
                         .partition = event.at("pid").get<std::size_t>(),
                         .queue = event.at("tid").get<std::size_t>(),
                         .task = std::nullopt,
                         .step = std::nullopt,
                         .start = event.at("ts").get<double>() * 1e-6,
                         .end = 0,
                         .bytes = event.at("args").value("bytes", std::size_t{0})};
      record.end = record.start + event.at("dur").get<double>() * 1e-6;
      if (!std::isfinite(record.start) || !std::isfinite(record.end) || record.end < record.start)
        return no_trace("an event ends before it starts");
      if (event.at("args").contains("task")) record.task = event.at("args").at("task").get<std::size_t>();
      if (event.at("args").contains("step")) record.step = event.at("args").at("step").get<std::size_t>();
      trace.records.push_back(std::move(record));
    }
    return trace;
  } catch (const json::exception& exception) {
    return no_trace(exception.what());
  }
}

TraceSummary summarize(const Trace& trace) {
  std::vector<std::pair<double, double>> all;
  std::map<Kind, std::vector<std::pair<double, double>>> by_kind;
  TraceSummary summary;
  double first = std::numeric_limits<double>::infinity(), last = -first;
  for (const TraceRecord& record : trace.records) {
    all.emplace_back(record.start, record.end);
    by_kind[record.kind].emplace_back(record.start, record.end);
    first = std::min(first, record.start);
    last = std::max(last, record.end);
    if (record.kind == Kind::Upload) summary.uploaded += record.bytes;
    if (record.kind == Kind::Download) summary.downloaded += record.bytes;
  }
  if (all.empty()) return summary;
  summary.span = last - first;
  summary.busy = covered(std::move(all));
  summary.uploads = covered(by_kind[Kind::Upload]);
  summary.launches = covered(by_kind[Kind::Launch]);
  summary.downloads = covered(by_kind[Kind::Download]);
  if (summary.busy > 0)
    summary.overlap = std::max(1.0, (summary.uploads + summary.launches + summary.downloads) / summary.busy);
  return summary;
}

}  // namespace hoist::report
