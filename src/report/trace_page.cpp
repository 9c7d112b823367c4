// The picture of a trace: HTML with a drawing in SVG whose colours are CSS variables, so that dark mode and
// paper need no other drawing. Rows are queues, under the name of their partition.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "report/trace.hpp"

namespace hoist::report {

namespace {

using Kind = TraceRecord::Kind;

// In units of the drawing, which is as wide as the page.
constexpr double width = 1000, left = 136, right = 12, row_height = 24, bar_height = 18, axis_height = 30,
                 least_bar = 0.6;

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

/// "1.25 ms": three digits and a unit.
std::string seconds_text(double seconds) {
  for (const auto& [scale, unit] : {std::pair{1.0, "s"}, {1e-3, "ms"}, {1e-6, "µs"}}) {
    if (seconds >= scale) return fmt::format("{:.3g} {}", seconds / scale, unit);
  }
  return fmt::format("{:.3g} ns", seconds * 1e9);
}

std::string megabytes_text(std::size_t bytes) {
  return fmt::format("{:.4g} MB", static_cast<double>(bytes) * 1e-6);
}

/// The step of an axis of that length: 1, 2 or 5 times a power of ten, for about eight ticks.
double step_of(double length) {
  const double rough = length / 8, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

using QueueNumber = std::pair<std::size_t, std::size_t>;

std::string tooltip(const TraceRecord& record, double origin) {
  std::string text = fmt::format("{} {}", name_of(record.kind), record.name);
  if (record.task) text += fmt::format(", task {}", *record.task);
  text += fmt::format(": {} from {}", seconds_text(record.end - record.start),
                      seconds_text(record.start - origin));
  if (record.bytes > 0) {
    text += ", " + megabytes_text(record.bytes);
    if (record.end > record.start)
      text += fmt::format(", {:.3g} GB/s",
                          static_cast<double>(record.bytes) * 1e-9 / (record.end - record.start));
  }
  return text;
}

std::string drawing(const Trace& trace, double span) {
  double origin = std::numeric_limits<double>::infinity();
  std::set<QueueNumber> numbers;
  for (const TraceRecord& record : trace.records) {
    origin = std::min(origin, record.start);
    numbers.emplace(record.partition, record.queue);
  }
  const std::vector<QueueNumber> rows(numbers.begin(), numbers.end());
  const double bottom = row_height * static_cast<double>(rows.size());
  const double length = span > 0 ? span : 1e-9;
  const auto x = [&](double time) { return left + time / length * (width - left - right); };
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"What ran when, a row for each queue\">\n",
      width, bottom + axis_height);
  const double step = step_of(length);
  for (double tick = 0; tick <= length * (1 + 1e-9); tick += step) {
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} 0V{1:.1f}\"/><text class=\"tick\" x=\"{0:.1f}\" "
        "y=\"{2:.1f}\">{3}</text>\n",
        x(tick), bottom, bottom + 18, tick == 0 ? "0" : seconds_text(tick));
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double top = row_height * static_cast<double>(row);
    const auto& [partition, queue] = rows[row];
    if (row == 0 || rows[row - 1].first != partition)
      svg += fmt::format("<path class=\"edge\" d=\"M0 {:.1f}H{:.0f}\"/>\n", top, width);
    svg += fmt::format("<text class=\"queue\" x=\"{:.0f}\" y=\"{:.1f}\">partition {}, queue {}</text>\n",
                       left - 8, top + 16, partition, queue);
  }
  for (const TraceRecord& record : trace.records) {
    const auto row = std::lower_bound(rows.begin(), rows.end(), QueueNumber{record.partition, record.queue});
    const double top = row_height * static_cast<double>(row - rows.begin()) + (row_height - bar_height) / 2;
    const double from = x(record.start - origin), to = x(record.end - origin);
    svg += fmt::format(
        "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" "
        "height=\"{:.0f}\"><title>{}</title></rect>\n",
        name_of(record.kind), from, top, std::max(to - from, least_bar), bar_height,
        escaped(tooltip(record, origin)));
    if (record.task && to - from > 24)
      svg += fmt::format("<text class=\"task\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", (from + to) / 2,
                         top + 13, *record.task);
  }
  return svg + "</svg>\n";
}

std::string rate_text(std::size_t bytes, double seconds) {
  return seconds > 0 ? fmt::format("{:.3g} GB/s", static_cast<double>(bytes) * 1e-9 / seconds) : "";
}

std::string summary_table(const Trace& trace, const TraceSummary& summary) {
  std::string rows;
  const auto add = [&](Kind kind, double seconds, const std::string& bytes, const std::string& rate) {
    const auto count = std::count_if(trace.records.begin(), trace.records.end(),
                                     [&](const TraceRecord& record) { return record.kind == kind; });
    if (count == 0) return;
    rows += fmt::format(
        "<tr><th scope=\"row\"><span class=\"key "
        "{0}\"></span>{0}</th><td>{1}</td><td>{2}</td><td>{3}</td><td>{4}</td>"
        "<td>{5}</td></tr>\n",
        name_of(kind), count, seconds_text(seconds),
        summary.span > 0 ? fmt::format("{:.0f}%", 100 * seconds / summary.span) : "", bytes, rate);
  };
  add(Kind::Upload, summary.uploads, megabytes_text(summary.uploaded),
      rate_text(summary.uploaded, summary.uploads));
  add(Kind::Launch, summary.launches, "", "");
  add(Kind::Download, summary.downloads, megabytes_text(summary.downloaded),
      rate_text(summary.downloaded, summary.downloads));
  return "<table><caption>The time in which at least one of a kind ran</caption><thead><tr><th>kind</th>"
         "<th>number</th><th>time</th><th>of all</th><th>moved</th><th>rate</th></tr></thead><tbody>\n" +
         rows + "</tbody></table>\n";
}

constexpr const char* style = R"(:root {
  color-scheme: light dark;
  --page: #fdfdfc; --text: #1c2024; --muted: #60666d; --line: #d9dcdf;
  --upload: #0072b2; --launch: #d55e00; --copy: #b5548f; --fill: #9aa0a6; --download: #009e73; --host: #b07700;
}
@media (prefers-color-scheme: dark) {
  :root { --page: #15181b; --text: #e6e8ea; --muted: #a0a7ae; --line: #363c42; --upload: #4aa8e0; --launch: #f08a4b;
    --copy: #e08fc0; --fill: #767d85; --download: #2fc79a; --host: #e5b04a; }
}
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.6rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; color: var(--muted); font-size: 0.9rem; }
dd { margin: 0; }
.scroll { overflow-x: auto; }
svg { width: 100%; min-width: 40rem; height: auto; }
svg text { font-size: 11px; fill: var(--text); font-variant-numeric: tabular-nums; }
.tick { text-anchor: middle; } .queue { text-anchor: end; } svg .task { text-anchor: middle; fill: var(--page); }
.grid, .edge { stroke: var(--line); fill: none; } .edge { stroke-width: 1.5; }
table { border-collapse: collapse; font-size: 0.9rem; } caption { text-align: left; color: var(--muted); }
th, td { text-align: right; padding: 0.15rem 0.8rem 0.15rem 0; font-weight: 400; } th:first-child { text-align: left; }
.key { display: inline-block; width: 0.8rem; height: 0.8rem; margin-right: 0.4rem; border-radius: 2px; }
)";

}  // namespace

std::string trace_page(const Trace& trace) {
  const TraceSummary summary = summarize(trace);
  std::string colours;
  for (const Kind kind : {Kind::Upload, Kind::Launch, Kind::Copy, Kind::Fill, Kind::Download, Kind::Host})
    colours += fmt::format(".{0} {{ fill: var(--{0}); background: var(--{0}); }}\n", name_of(kind));
  const std::string title = escaped(trace.title.empty() ? "A run" : trace.title);
  std::string facts;
  for (const auto& [name, value] : trace.facts)
    facts += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value));
  std::string body;
  if (trace.records.empty()) {
    body = "<p>Nothing ran.</p>\n";
  } else {
    body = fmt::format(
        "<p><strong>{}</strong> from the first start to the last end, {} commands. Uploads, kernels and "
        "downloads "
        "one after the other would take {:.3g} times as long as they took together.</p>\n<div "
        "class=\"scroll\">\n",
        seconds_text(summary.span), trace.records.size(), summary.overlap);
    body += drawing(trace, summary.span) + "</div>\n" + summary_table(trace, summary);
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "base-uri "
      "'none'; form-action 'none'\">\n<title>{0} · Hoist "
      "trace</title>\n<style>\n{1}{2}</style>\n</head>\n<body>\n"
      "<main>\n<h1>{0}</h1>\n<dl>\n{3}</dl>\n{4}</main>\n</body>\n</html>\n",
      title, style, colours, facts, body);
}

}  // namespace hoist::report
