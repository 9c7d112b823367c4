#include "report/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hoist::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Kind = TraceRecord::Kind;

/// Three tasks of which the copies run beside the kernels.
Trace example() {
  Trace trace{.title = "axpy N=4096", .facts = {{"device", "cuda:0 (Fake)"}}, .records = {}};
  for (std::size_t task = 0; task < 3; ++task) {
    const double start = 100 + 1e-3 * static_cast<double>(task);
    const auto add = [&](Kind kind, const char* name, double delay, std::size_t bytes) {
      trace.records.push_back(
          {kind, name, task % 2, 0, task, std::nullopt, start + delay, start + delay + 1e-3, bytes});
    };
    add(Kind::Upload, "x", 0, 4000000);
    add(Kind::Launch, "axpy", 1e-3, 0);
    add(Kind::Download, "result", 2e-3, 2000000);
  }
  return trace;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Trace, IsWrittenAsPerfettoReadsIt) {
  const auto data = nlohmann::json::parse(trace_json(example()));
  EXPECT_EQ(data["displayTimeUnit"], "ms");
  std::size_t names = 0;
  for (const auto& event : data["traceEvents"]) {
    if (event["ph"] == "M") {
      ++names;
      EXPECT_TRUE(event["name"] == "process_name" || event["name"] == "thread_name");
      continue;
    }
    EXPECT_EQ(event["ph"], "X");
    EXPECT_GE(event["ts"].get<double>(), 0);
    EXPECT_NEAR(event["dur"].get<double>(), 1000, 1e-3);
  }
  EXPECT_EQ(names, 4u);
  EXPECT_EQ(data["otherData"]["facts"]["device"], "cuda:0 (Fake)");
}

TEST(Trace, IsReadAsItWasWritten) {
  const Trace trace = example();
  const Trace read = read_trace(trace_json(trace)).value();
  EXPECT_EQ(read.title, trace.title);
  EXPECT_EQ(read.facts, trace.facts);
  ASSERT_EQ(read.records.size(), trace.records.size());
  for (std::size_t at = 0; at < read.records.size(); ++at) {
    EXPECT_EQ(read.records[at].kind, trace.records[at].kind);
    EXPECT_EQ(read.records[at].name, trace.records[at].name);
    EXPECT_EQ(read.records[at].task, trace.records[at].task);
    EXPECT_EQ(read.records[at].bytes, trace.records[at].bytes);
    EXPECT_NEAR(read.records[at].start, trace.records[at].start - 100, 1e-9);
  }
  EXPECT_TRUE(read_trace(trace_json({})).value().records.empty());
}

TEST(Trace, OtherTextsAreRefused) {
  for (
      const char* text :
      {"", "no JSON", "[]", "{}", R"({"traceEvents": 1})", R"({"traceEvents": [{"ph": "X"}]})",
       R"({"traceEvents": [{"ph": "X", "name": "a", "cat": "other", "pid": 0, "tid": 0, "ts": 0, "dur": 1, "args": {}}]})",
       R"({"traceEvents": [{"ph": "X", "name": "a", "cat": "upload", "pid": 0, "tid": 0, "ts": 0, "dur": -1, "args": {}}]})",
       R"({"traceEvents": [], "otherData": {"facts": {"device": 3}}})",
       R"({"traceEvents": [], "otherData": 3})"}) {
    const auto trace = read_trace(text);
    ASSERT_FALSE(trace) << text;
    EXPECT_EQ(trace.error().kind, ErrorKind::User);
    EXPECT_THAT(trace.error().diagnostics.front().message, HasSubstr("this is no trace of Hoist"));
  }
}

TEST(Trace, SummaryTellsWhatOverlapped) {
  const TraceSummary summary = summarize(example());
  EXPECT_NEAR(summary.span, 5e-3, 1e-9);
  EXPECT_NEAR(summary.busy, 5e-3, 1e-9);
  EXPECT_NEAR(summary.uploads, 3e-3, 1e-9);
  EXPECT_NEAR(summary.launches, 3e-3, 1e-9);
  EXPECT_NEAR(summary.overlap, 9.0 / 5, 1e-6);
  EXPECT_EQ(summary.uploaded, 12000000u);
  EXPECT_EQ(summary.downloaded, 6000000u);
  EXPECT_EQ(summarize({}).overlap, 1);
}

TEST(Trace, PageShowsEveryCommandAndTakesNoTextForHtml) {
  Trace trace = example();
  trace.title = "a <b> & \"c\"";
  trace.records[0].name = "</title><script>";
  const std::string page = trace_page(trace);
  EXPECT_EQ(count(page, "<rect "), 9u);
  EXPECT_THAT(page, AllOf(HasSubstr("a &lt;b&gt; &amp; &quot;c&quot;"), Not(HasSubstr("<script")),
                          HasSubstr("partition 1, queue 0"), HasSubstr("4 GB/s"), HasSubstr("1.8 times")));
  EXPECT_THAT(trace_page({}), HasSubstr("Nothing ran."));
}

TEST(Trace, PageShowsCommandsOfNoLength) {
  const Trace trace{"", {}, {{Kind::Fill, "zeros", 0, 0, std::nullopt, 1, 1, 0}}};
  EXPECT_EQ(count(trace_page(trace), "<rect "), 1u);
  EXPECT_THAT(trace_page(trace), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace hoist::report
