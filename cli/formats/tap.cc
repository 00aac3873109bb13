// Test Anything Protocol 13, which `prove` and many dashboards read: a line for each item, with what was found as a
// YAML block below it.
//
// Idea: an item without a verdict is "not ok", too, and its block says "severity: error". Values in the block are
// quoted as in JSON, which every reader of YAML takes. In a line, backslashes and # are escaped, since # begins a
// directive; control characters are made visible.
#include <fmt/format.h>

#include "cli/formats/formats.h"
#include "cli/formats/wording.h"
#include "cli/messages/visible.h"
#include "interpreter/values/json.h"

namespace portcullis::formats {
namespace {

using outcomes::Finding;
using outcomes::Item;
using outcomes::Status;

std::string description(std::string_view text) {
  std::string out;
  for (char c : visible(text)) {
    if (c == '\\' || c == '#') out += '\\';
    out += c;
  }
  return out;
}

void add_line(std::string& out, std::string_view indent, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  out.append(indent).append(key).append(": ").append(quote_json(visible_lines(value, false))).append("\n");
}

std::string_view tap_severity(const Item& item) {
  switch (item.status) {
    case Status::Error: return "error";
    case Status::Failed: return "fail";
    case Status::Warned: return "warning";
    default: return "comment";
  }
}

void add_finding(std::string& out, const Finding& f) {
  constexpr std::string_view kIndent = "      ";
  out += fmt::format("    - rule: {}\n", quote_json(visible(f.rule)));
  add_line(out, kIndent, "action", f.action);
  add_line(out, kIndent, "binding", f.binding);
  add_line(out, kIndent, "param", f.param);
  add_line(out, kIndent, "message", f.message);
  add_line(out, kIndent, "hint", f.hint);
  add_line(out, kIndent, "expression", f.expression);
  add_line(out, kIndent, "expected", f.expected);
  add_line(out, kIndent, "actual", f.actual);
  add_line(out, kIndent, "policy", place_of(f.policy_place));
  add_line(out, kIndent, "at", place_of(f.place));
}

void add_block(std::string& out, const Item& item) {
  const bool silent = item.status == Status::Passed || item.status == Status::Skipped;
  if (silent && item.findings.empty()) return;
  out += "  ---\n";
  add_line(out, "  ", "message", headline_of(item));
  out += fmt::format("  severity: {}\n", tap_severity(item));
  add_line(out, "  ", "at", place_of(item.place));
  if (!item.findings.empty()) out += "  findings:\n";
  for (const Finding& f : item.findings) add_finding(out, f);
  out += "  ...\n";
}

}  // namespace

std::string tap(const outcomes::Run& run) {
  std::string out = fmt::format("TAP version 13\n1..{}", run.items.size());
  if (run.items.empty()) out += " # SKIP nothing to decide";
  out += "\n";
  size_t number = 0;
  for (const Item& item : run.items) {
    const bool bad = item.status == Status::Error || item.status == Status::Failed;
    out += fmt::format("{} {} - {}", bad ? "not ok" : "ok", ++number, description(item.name));
    if (!item.place.file.empty()) out += "  " + description(place_of(item.place));
    if (item.status == Status::Skipped) out += " # SKIP " + description(item.message);
    out += "\n";
    add_block(out, item);
  }
  return out + "# " + visible(summary_of(run)) + "\n";
}

}  // namespace portcullis::formats
