// See update.h.
#include "cli/suites/update.h"

#include <algorithm>
#include <fstream>

#include "cli/messages/lists.h"
#include "cli/messages/messages.h"
#include "cli/suites/kyverno.h"

namespace portcullis::suites {
namespace {

// The number of lines of a member whose key stands in line `first` at `column`; both from 1. Comments and empty lines
// behind it are not its own.
int length_of(const std::vector<std::string_view>& lines, int first, int column) {
  int length = 1;
  const auto key = static_cast<size_t>(column - 1);
  for (size_t i = static_cast<size_t>(first); i < lines.size(); i++) {
    const size_t indent = lines[i].find_first_not_of(' ');
    if (indent == std::string::npos || lines[i][indent] == '#') continue;
    const bool item = indent == key && lines[i].compare(indent, 2, "- ") == 0;
    if (indent <= key && !item) break;
    length = static_cast<int>(i) - first + 2;
  }
  return length;
}

// "denied: x", or the key and below it the value.
std::string member_text(const std::string& prefix, const std::string& name, const std::string& yaml) {
  const std::vector<std::string_view> lines = lines_of(yaml);
  const bool plain =
      lines.size() == 1 && lines[0].find(": ") == std::string::npos && !lines[0].starts_with("- ");
  const bool quoted = lines.size() == 1 && (lines[0].starts_with('"') || lines[0].starts_with('\''));
  if (plain || quoted) return prefix + name + ": " + std::string(lines[0]) + "\n";
  const std::string indent(prefix.size() + 2, ' ');
  const bool block = lines[0].starts_with('|') || lines[0].starts_with('>');
  std::string out = prefix + name + ":" + (block ? " " + std::string(lines[0]) : "") + "\n";
  for (size_t i = block ? 1 : 0; i < lines.size(); i++)
    out.append(lines[i].empty() ? "" : indent).append(lines[i]).append("\n");
  return out;
}

}  // namespace

void Updates::add(const SuiteResult& result) {
  std::map<const Case*, std::vector<const CaseResult*>> by_case;
  for (const BatchResult& batch : result.batches) {
    for (const CaseResult& r : batch.cases) by_case[r.test].push_back(&r);
  }
  for (const auto& [test, results] : by_case) {
    if (std::ranges::any_of(results, [](auto* r) { return r->outcome == Outcome::Failed; }))
      add(*result.suite, results);
  }
}

void Updates::add(const Suite& suite, const std::vector<const CaseResult*>& results) {
  const CaseResult& r = *results[0];
  const std::string& path = r.test->path;
  if (is_kyverno_test(suite.document->value)) return refuse(suite, path, "this is a file of Kyverno");
  if (std::ranges::any_of(results, [&](auto* other) { return other->fresh != r.fresh; }))
    return refuse(suite, path, "the objects of this case have different results");
  std::vector<std::string> done;
  for (const Mismatch& m : r.mismatches) {
    if (std::ranges::count(done, m.member) > 0) continue;
    done.push_back(m.member);
    const bool verdict = m.member == "allowed" || m.member == "denied";
    auto fresh = std::ranges::find_if(r.fresh, [&](const auto& f) {
      return f.first == m.member || (verdict && (f.first == "allowed" || f.first == "denied"));
    });
    if (fresh == r.fresh.end()) {
      refuse(suite, m.path.empty() ? path : m.path, "what came cannot be written here");
    } else {
      const bool denied = verdict && find_path(suite.document->value, path + ".denied") != nullptr;
      replace(suite, path, verdict ? (denied ? "denied" : "allowed") : m.member, fresh->first, fresh->second);
    }
  }
}

void Updates::replace(const Suite& suite, const std::string& case_path, const std::string& member,
                      const std::string& fresh, const std::string& yaml) {
  const std::string path = case_path + "." + member;
  const Position at = suite.locate(path);
  File& file = files_[suite.file->name];
  file.text = suite.file->text;
  const std::vector<std::string_view> lines = lines_of(file.text);
  const std::string prefix(
      lines[static_cast<size_t>(at.line - 1)].substr(0, static_cast<size_t>(at.column - 1)));
  const size_t other = prefix.find_first_not_of(' ');
  const bool alone =
      other == std::string::npos || prefix.substr(other).find_first_not_of("- ") == std::string::npos;
  if (find_path(suite.document->value, path) == nullptr || !alone)
    return refuse(suite, path, "this member shares its line with others");
  const int length = length_of(lines, at.line, at.column);
  file.edits[at.line] = {at.line + length, member_text(prefix, fresh, yaml)};
  written_++;
}

void Updates::refuse(const Suite& suite, const std::string& path, std::string why) {
  refused_++;
  say(Severity::Warning, suite.file->name, suite.locate(path), "not updated: " + why, suite.file->text);
}

bool Updates::write() {
  bool good = refused_ == 0;
  for (const auto& [name, file] : files_) {
    if (file.edits.empty()) continue;
    const std::vector<std::string_view> lines = lines_of(file.text);
    std::string out;
    for (int n = 1; n <= static_cast<int>(lines.size());) {
      auto edit = file.edits.find(n);
      if (edit != file.edits.end())
        out += edit->second.text;
      else
        out.append(lines[static_cast<size_t>(n - 1)]).append("\n");
      n = edit != file.edits.end() ? edit->second.end : n + 1;
    }
    std::ofstream stream(name, std::ios::binary);
    stream << out;
    if (!stream.flush()) {
      say(Severity::Error, name, {}, "cannot be written");
      good = false;
      continue;
    }
    say(Severity::Note, name, {},
        std::to_string(file.edits.size()) + (file.edits.size() == 1 ? " expectation" : " expectations") +
            " updated");
  }
  return good;
}

}  // namespace portcullis::suites
