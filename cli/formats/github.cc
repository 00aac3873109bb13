// Workflow commands of GitHub Actions: each finding becomes an annotation of a line in the pull request.
//
// Idea: one line a finding, "::error file=...,line=...,title=...::MESSAGE", and the summary as a plain line. Line breaks,
// percent signs and, in properties, colons and commas are escaped as the runner unescapes them; other control
// characters are made visible, so no text can begin a command of its own. Limits: GitHub shows ten errors, ten warnings
// and ten notices of a step; the log has all.
#include "cli/formats/formats.h"
#include "cli/formats/wording.h"
#include "cli/messages/visible.h"

namespace portcullis::formats {
namespace {

using outcomes::Finding;
using outcomes::Item;
using outcomes::Region;

std::string escaped_for_command(std::string_view text, bool property) {
  std::string out;
  for (char c : visible_lines(text, false)) {
    switch (c) {
      case '%': out += "%25"; break;
      case '\n': out += "%0A"; break;
      case ':': out += property ? "%3A" : ":"; break;
      case ',': out += property ? "%2C" : ","; break;
      default: out += c;
    }
  }
  return out;
}

void add_property(std::string& properties, std::string_view name, std::string_view value) {
  properties.append(properties.empty() ? " " : ",")
      .append(name)
      .append("=")
      .append(escaped_for_command(value, true));
}

std::string place_properties(const Region& r) {
  std::string out;
  if (r.file.empty()) return out;
  add_property(out, "file", repository_path(r.file));
  if (r.start.line > 0) add_property(out, "line", std::to_string(r.start.line));
  if (r.end.line > 0) add_property(out, "endLine", std::to_string(r.end.line));
  if (r.start.column > 0) add_property(out, "col", std::to_string(r.start.column));
  if (r.end.line == r.start.line && r.end.column > r.start.column)
    add_property(out, "endColumn", std::to_string(r.end.column - 1));
  return out;
}

std::string annotation(const Item& item, const Finding& f) {
  using Level = Finding::Level;
  const Region& region = f.place.file.empty() ? item.place : f.place;
  std::string properties = place_properties(region);
  add_property(properties, "title", item.name + ": " + f.rule);
  std::string text = origin_of(f) + ": " + f.message;
  if (!f.hint.empty()) text += "; " + f.hint;
  if (!f.policy_place.file.empty()) text += "\n" + place_of(f.policy_place);
  if (!f.expected.empty() || !f.actual.empty()) text += "\nexpected: " + f.expected + "\nactual: " + f.actual;
  std::string_view command = f.level == Level::Error     ? "error"
                             : f.level == Level::Warning ? "warning"
                                                         : "notice";
  return "::" + std::string(command) + properties + "::" + escaped_for_command(text, false) + "\n";
}

}  // namespace

std::string github(const outcomes::Run& run) {
  std::string out;
  for (const Item& item : run.items) {
    for (const Finding& f : findings_of(item)) out += annotation(item, f);
  }
  return out + "portcullis " + run.command + ": " + summary_of(run) + "\n";
}

}  // namespace portcullis::formats
