// See text.h.
#include "cli/suites/text.h"

#include <algorithm>
#include <vector>

#include "cli/messages/messages.h"
#include "cli/messages/visible.h"

namespace portcullis::suites {
namespace {

// The text with each line after `indent`.
std::string indented(const std::string& text, std::string_view indent) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    if (end == text.npos) end = text.size();
    if (end > at) out.append(indent);
    out.append(text, at, end - at) += "\n";
    at = end + 1;
  }
  return out;
}

std::string messages_text(const std::vector<Message>& messages, const Paint& p) {
  std::string out;
  for (const Message& m : messages)
    out += message_text(m.severity, m.file, m.position, m.text, m.source, p, m.hint, "  ");
  return out;
}

std::string path_with_place(const CaseResult& r, const std::string& path) {
  const Suite& suite = *r.test->suite;
  return visible(suite.file->name) + ":" +
         std::to_string(suite.locate(path.empty() ? r.test->path : path).line);
}

std::string heading(std::string_view word, std::string_view colour, const CaseResult& r, const Paint& p) {
  std::string out(colour);
  out.append(word).append(p.reset).append(word.size() < 7 ? 7 - word.size() : 0, ' ').append(" ");
  out += visible(r.name);
  return out.append("  ").append(p.dim).append(path_with_place(r, "")).append(p.reset) += "\n";
}

std::string failed_text(const CaseResult& r, const Paint& p) {
  std::string out = heading("failed", p.red, r, p);
  for (const Mismatch& m : r.mismatches) {
    const std::string want = visible_block(m.expected, "              "),
                      have = visible_block(m.actual, "              ");
    out.append("  expected    ").append(want.substr(14, want.size() - 15));
    if (!m.path.empty()) out.append("  ").append(p.dim).append(path_with_place(r, m.path)).append(p.reset);
    out.append("\n  but came    ").append(have.substr(14));
  }
  return out + indented(r.told, "    ") + messages_text(r.messages, p);
}

std::string case_text(const CaseResult& r, const Paint& p) {
  switch (r.outcome) {
    case Outcome::Passed: return {};
    case Outcome::Failed: return failed_text(r, p);
    case Outcome::Skipped: return heading("skipped", p.yellow, r, p) + visible_block(r.told, "  ");
    case Outcome::Unusable: return heading("no verdict", p.red, r, p);
  }
  return {};
}

bool is_bad(const CaseResult& r) { return r.outcome == Outcome::Failed || r.outcome == Outcome::Unusable; }

// The cases as the suite has them: a batch may have cases between those of another.
std::vector<const CaseResult*> in_order(const SuiteResult& result) {
  std::vector<const CaseResult*> out;
  for (const BatchResult& batch : result.batches) {
    for (const CaseResult& r : batch.cases) out.push_back(&r);
  }
  std::ranges::stable_sort(out, {}, [](const CaseResult* r) { return r->test->number; });
  return out;
}

}  // namespace

void Tally::add(const SuiteResult& result) {
  for (const BatchResult& batch : result.batches) {
    for (const CaseResult& r : batch.cases) {
      passed += r.outcome == Outcome::Passed;
      failed += r.outcome == Outcome::Failed;
      skipped += r.outcome == Outcome::Skipped;
      unusable += r.outcome == Outcome::Unusable;
    }
  }
}

std::string text_of(const SuiteResult& result, bool quiet, const Paint& p) {
  Tally tally;
  tally.add(result);
  const bool good = tally.failed + tally.unusable == 0;
  if ((quiet && good) || tally.all() == 0) return {};
  std::string out(good ? p.green : p.red);
  out.append(good ? "ok" : "FAILED").append(p.reset).append(good ? "      " : "  ");
  out += visible(result.suite->file->name);
  if (!result.suite->name.empty()) out += " (" + visible(result.suite->name) + ")";
  out += "  " + summary(tally);
  for (const CaseResult* r : in_order(result)) out += case_text(*r, p);
  for (const BatchResult& batch : result.batches) {
    if (std::ranges::any_of(batch.cases, is_bad)) out += messages_text(batch.messages, p);
  }
  for (const Unused& u : result.suite->unused) {
    out += message_text(Severity::Note, result.suite->file->name, result.suite->locate(u.path), u.text, {}, p,
                        {}, "  ");
  }
  return out;
}

std::string summary(const Tally& t) {
  std::string out = std::to_string(t.all()) + (t.all() == 1 ? " case: " : " cases: ") +
                    std::to_string(t.passed) + " passed";
  if (t.failed > 0) out += ", " + std::to_string(t.failed) + " failed";
  if (t.unusable > 0) out += ", " + std::to_string(t.unusable) + " without a verdict";
  if (t.skipped > 0) out += ", " + std::to_string(t.skipped) + " skipped";
  return out + "\n";
}

}  // namespace portcullis::suites
