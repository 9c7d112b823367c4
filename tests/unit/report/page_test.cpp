#include "report/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "report/page_text.hpp"

namespace hoist::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

json named(const std::string& text = "") { return {{"program", {{"name", "axpy"}, {"text", text}}}}; }

/// What stands between the data element's tags.
std::string data_of(const std::string& page) {
  const std::string open = R"(<script type="application/json" id="data">)";
  const std::size_t from = page.find(open) + open.size();
  return page.substr(from, page.find("</script>", from) - from);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(ReportPage, HoldsTheDataUnchanged) {
  const json data = {{"program", {{"name", "axpy"}, {"text", "a\n\"b\" \\ µ"}, {"flops", 1.5}}},
                     {"evaluations", json::array({{{"id", "1-2"}, {"outcome", "ok"}}})}};
  EXPECT_EQ(json::parse(data_of(page(data).value())), data);
}

TEST(ReportPage, TextsCannotEndTheirElement) {
  const std::string hostile = "</script><script>alert(1)</script><!-- <script> ]]> \xE2\x80\xA8 \xE2\x80\xA9";
  const std::string made = page(named(hostile)).value();
  const std::string data = data_of(made);
  EXPECT_THAT(data, Not(HasSubstr("<")));
  EXPECT_THAT(data, HasSubstr("\\u2028"));
  EXPECT_EQ(json::parse(data)["program"]["text"], hostile);
  EXPECT_EQ(count(made, "</script>"), 3U);
}

TEST(ReportPage, BytesThatAreNoTextAreReplaced) {
  const json data = json::parse(data_of(page(named("a\xFF")).value()));
  EXPECT_EQ(data["program"]["text"], "a\xEF\xBF\xBD");
}

TEST(ReportPage, NumbersThatAreNoneAreAbsent) {
  json data = named();
  data["program"]["flops"] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(json::parse(data_of(page(data).value()))["program"]["flops"].is_null());
}

TEST(ReportPage, NeedsTheProgramsName) {
  for (const json& data : {json(), json::array(), json::object(), json{{"program", 1}},
                           json{{"program", {{"name", ""}}}}, json{{"program", {{"name", 1}}}}}) {
    const auto made = page(data);
    ASSERT_FALSE(made) << data;
    EXPECT_EQ(made.error().kind, ErrorKind::User);
    EXPECT_THAT(made.error().render(), HasSubstr("program.name"));
  }
  EXPECT_TRUE(page(named()));
}

TEST(ReportPage, IsOneDocumentWithOnePlaceForData) {
  const std::string text{page_text};
  EXPECT_EQ(text.rfind("<!DOCTYPE html>", 0), 0U);
  EXPECT_EQ(count(text, "{{"), 1U);
  for (const char* tag : {"html", "head", "body", "main", "style", "title", "noscript"}) {
    EXPECT_EQ(count(text, std::string("</") + tag + ">"), 1U) << tag;
  }
  EXPECT_THAT(page(named()).value(), Not(HasSubstr("{{data}}")));
}

TEST(ReportPage, LoadsNothing) {
  const std::string text{page_text};
  EXPECT_THAT(text, HasSubstr("default-src 'none'"));
  for (const char* loading :
       {"<link", "<img", " src=\"", "@import", "url(http", "url(//", "fetch(", "XMLHttpRequest"}) {
    EXPECT_THAT(text, Not(HasSubstr(loading)));
  }
}

TEST(ReportPage, HoldsTheLicencesOfItsCharts) {
  const std::string text{page_text};
  EXPECT_THAT(text, HasSubstr("@observablehq/plot"));
  EXPECT_THAT(text, HasSubstr("Permission to use, copy, modify, and/or distribute this software"));
}

}  // namespace
}  // namespace hoist::report
