// What all formats have in common.
#include "cli/formats/outcomes.h"

#include <gtest/gtest.h>

#include "cli/formats/cel_html.h"
#include "cli/formats/fingerprint.h"
#include "cli/formats/formats.h"
#include "cli/formats/xml.h"

namespace portcullis::outcomes {
namespace {

TEST(Outcomes, TheGravestStatusIsThatOfTheRun) {
  outcomes::Run run;  // testing::Test has a Run of its own
  EXPECT_EQ(run.status(), Status::Passed);
  for (Status status : {Status::Skipped, Status::Warned, Status::Failed, Status::Error}) {
    run.items.push_back({.status = status});
    run.items.push_back({.status = Status::Passed});
    EXPECT_EQ(run.status(), status);
  }
  EXPECT_EQ(run.count(Status::Passed), 4u);
  EXPECT_EQ(run.count(Status::Error), 1u);
}

// Texts that try to end what they stand in, and characters that formats cannot hold.
constexpr std::string_view kHostile =
    "</script><script>alert(1)</script>\n::error::forged\r\n::set-output name=a::b\nnot ok 9 - forged # "
    "TODO\n  ...\n"
    "1..0\x1b[31m\x01\x0b\xff\xef\xbf\xbf\xe2\x80\xae]]> --> \"'&<>%0A%25,:\t\\";

Run hostile_run() {
  outcomes::Run run;
  run.command = "test";
  run.noun = "case";
  for (Status status : {Status::Error, Status::Failed, Status::Warned, Status::Skipped, Status::Passed}) {
    Item item;
    item.suite = item.name = item.api_version = item.kind = item.namespace_name = item.object_name = kHostile;
    item.operation = item.message = item.place.file = item.place.excerpt = kHostile;
    item.place.start = item.place.end = {1, 2};
    item.place.excerpt_line = 1;
    item.status = status;
    Finding f;
    f.action = f.rule = f.policy = f.binding = f.param = f.field = f.expression = f.message = f.reason =
        kHostile;
    f.hint = f.expected = f.actual = kHostile;
    f.values = {{0, std::string(kHostile), std::string(kHostile)}};
    f.policy_place = f.place = item.place;
    f.blame = 3;
    item.findings = {f, f};
    run.items.push_back(item);
  }
  run.costs = {{std::string(kHostile), std::string(kHostile), 5, 0, false, {}}};
  run.rules = {
      {std::string(kHostile), std::string(kHostile), std::string(kHostile), std::string(kHostile), {}}};
  return run;
}

size_t count(std::string_view text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) n++;
  return n;
}

// Lines that begin with a text.
size_t lines_with(const std::string& text, std::string_view start) {
  return count("\n" + text, "\n" + std::string(start));
}

TEST(Formats, NoControlCharacterPasses) {
  const outcomes::Run run = hostile_run();
  for (std::string_view format : report_formats()) {
    for (unsigned char c : report(format, run))
      ASSERT_TRUE(c == '\n' || (c >= 0x20 && c != 0x7f)) << format << " has " << int{c};
  }
}

TEST(Formats, NoTextForgesALine) {
  const outcomes::Run run = hostile_run();
  const std::string github = report("github", run);
  EXPECT_EQ(lines_with(github, "::"), 10u) << github;  // two findings of each item
  EXPECT_EQ(count(github, "\n"), 11u);                 // and the summary
  const std::string tap = report("tap", run);
  EXPECT_EQ(lines_with(tap, "not ok "), 2u) << tap;
  EXPECT_EQ(lines_with(tap, "ok "), 3u);
  EXPECT_EQ(lines_with(tap, "1.."), 1u);
  EXPECT_EQ(lines_with(tap, "  ...\n"), 5u);
  EXPECT_EQ(count(tap, " # SKIP "), 1u);
}

TEST(Formats, NoTextIsMarkup) {
  const outcomes::Run run = hostile_run();
  const std::string html = report("html", run);
  EXPECT_EQ(count(html, "<script"), 1u);
  EXPECT_EQ(count(html, "</script"), 1u);
  EXPECT_EQ(count(html, "http"), 1u);  // http-equiv: nothing is fetched
  const std::string junit = report("junit", run);
  EXPECT_EQ(count(junit, "<testcase "), 5u);
  EXPECT_EQ(count(junit, "script>"), 0u);
  EXPECT_EQ(count(junit, "]]>"), 0u);
}

TEST(Formats, WhatHasNoVerdictIsAnError) {
  outcomes::Run run;
  run.items.push_back({.name = "a", .status = Status::Error, .message = "unreadable"});  // without a finding
  const std::pair<std::string_view, std::string_view> kMarks[] = {{"junit", "<error message=\"unreadable\""},
                                                                  {"tap", "not ok 1 - a"},
                                                                  {"sarif", "\"level\":\"error\""},
                                                                  {"sarif", "\"executionSuccessful\":false"},
                                                                  {"github", "::error title="},
                                                                  {"gitlab", "\"severity\":\"critical\""},
                                                                  {"html", "class=\"item error\""},
                                                                  {"policyreport", "result: error"}};
  for (auto& [format, mark] : kMarks) EXPECT_EQ(count(report(format, run), mark), 1u) << format;
  for (std::string_view format : report_formats())
    EXPECT_GT(count(report(format, run), "unreadable"), 0u) << format;
}

// GitLab shows only the first of several cases with one name.
TEST(Junit, NoTwoCasesOfASuiteHaveOneName) {
  outcomes::Run run;
  for (std::string_view name : {"a", "a", "a (2)", "a", "b"})
    run.items.push_back({.suite = "s", .name = std::string(name)});
  run.items.push_back({.suite = "t", .name = "a"});
  const std::string junit = report("junit", run);
  for (std::string_view name : {"a (2)", "a (2) (2)", "a (3)", "b"})
    EXPECT_EQ(count(junit, "name=\"" + std::string(name) + "\"/>"), 1u) << name;
  EXPECT_EQ(count(junit, "name=\"a\"/>"), 2u) << junit;  // one in each suite
}

TEST(Fingerprints, StayWhereLinesMove) {
  Item item{.name = "Pod a", .place = {.file = "a.yaml", .start = {3, 1}}};
  Finding finding{.rule = "p/validations[0]", .message = "no", .place = {.file = "a.yaml", .start = {5, 1}}};
  formats::Fingerprints first, second;
  const std::string name = first.of(item, finding), again = first.of(item, finding);
  EXPECT_EQ(name.size(), 32u);
  EXPECT_NE(name, again);
  item.place.start.line = finding.place.start.line = 90;
  finding.message = "reworded";
  item.place.file = "./a.yaml";  // reports show both as a.yaml
  EXPECT_EQ(second.of(item, finding), name);
  EXPECT_EQ(second.of(item, finding), again);
  finding.binding = "other";
  EXPECT_NE(second.of(item, finding), name);
}

TEST(CelHtml, MarksTheTokenAtACodePoint) {
  EXPECT_EQ(formats::cel_html("'ä<' == x", 5), "<span class=\"s\">&#39;ä&lt;&#39;</span> <mark>==</mark> x");
  EXPECT_EQ(formats::cel_html("has(a) && 1.5e3", -1),
            "<span class=\"k\">has</span>(a) &amp;&amp; <span class=\"n\">1.5e3</span>");
  EXPECT_EQ(formats::cel_html("'open\\", 0), "<mark><span class=\"s\">&#39;open\\</span></mark>");
  EXPECT_EQ(formats::cel_html("a", 7), "a");
}

TEST(Xml, HoldsWhatXmlCanHold) {
  EXPECT_EQ(formats::xml("a\nb\t\x01\xff\xef\xbf\xbe"), "a\nb\\t\\x01\\xff\\ufffe");
  EXPECT_EQ(formats::xml_attribute("a\n\"'<&>"), "a&#10;&quot;&#39;&lt;&amp;&gt;");
}

}  // namespace
}  // namespace portcullis::outcomes
