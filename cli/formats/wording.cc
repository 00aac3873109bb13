#include "cli/formats/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "cli/messages/messages.h"
#include "cli/messages/visible.h"
#include "manifests/place.h"

namespace portcullis::formats {

using outcomes::Finding;
using outcomes::Item;
using outcomes::Region;
using outcomes::Rule;
using outcomes::Run;
using outcomes::Status;

namespace {

Finding::Level level_of(Status status) {
  return status == Status::Error || status == Status::Failed ? Finding::Level::Error
         : status == Status::Warned                          ? Finding::Level::Warning
                                                             : Finding::Level::Note;
}

// Whether the findings show the status.
bool says_it(const Item& item) {
  return item.status == Status::Passed || std::ranges::any_of(item.findings, [&](const Finding& f) {
           return f.level <= level_of(item.status);
         });
}

// The lines of an expression, with a mark under the part that decided.
std::string marked(const Finding& f) {
  if (f.expression.empty()) return {};
  if (f.blame >= 0) return point_at(f.expression, position_in(f.expression, f.blame), "    | ");
  return visible_block(f.expression, "    | ");
}

}  // namespace

std::string_view status_word(Status status) {
  switch (status) {
    case Status::Error: return "error";
    case Status::Failed: return "failed";
    case Status::Warned: return "warned";
    case Status::Skipped: return "skipped";
    case Status::Passed: return "passed";
  }
  return {};
}

std::string_view status_word(const Run& run, Status status) {
  if (run.command != "review") return status_word(status);
  if (status == Status::Failed) return "denied";
  if (status == Status::Passed) return "admitted";
  return status == Status::Skipped ? "not evaluated" : status_word(status);
}

std::string_view level_word(Finding::Level level) {
  return level == Finding::Level::Error ? "error" : level == Finding::Level::Warning ? "warning" : "note";
}

std::vector<Finding> findings_of(const Item& item) {
  std::vector<Finding> all = item.findings;
  if (says_it(item)) return all;
  Finding whole;
  whole.level = level_of(item.status);
  whole.action = level_word(whole.level);
  whole.rule = fmt::format("portcullis/{}", status_word(item.status));
  whole.message = item.message.empty() ? std::string(status_word(item.status)) : item.message;
  whole.place = item.place;
  all.insert(all.begin(), std::move(whole));
  return all;
}

std::vector<Rule> rules_of(const Run& run) {
  std::vector<Rule> all = run.rules;
  std::unordered_set<std::string> known;
  for (const Rule& r : all) known.insert(r.id);
  for (const Item& item : run.items) {
    for (const Finding& f : findings_of(item)) {
      if (known.insert(f.rule).second) all.push_back({f.rule, f.policy, "", f.expression, f.policy_place});
    }
  }
  return all;
}

std::string summary_of(const Run& run) {
  auto n = std::ranges::count(run.items, false, &Item::extra);
  std::string out = fmt::format("{} {}{}: {} {}", n, run.noun, n == 1 ? "" : "s", run.count(Status::Passed),
                                status_word(run, Status::Passed));
  // The extra items that failed are bounds.
  const auto bounds = static_cast<size_t>(
      std::ranges::count_if(run.items, [](const Item& i) { return i.extra && i.status == Status::Failed; }));
  for (Status s : {Status::Warned, Status::Failed, Status::Error, Status::Skipped}) {
    size_t count = run.count(s) - (s == Status::Failed ? bounds : 0);
    bool always = s == Status::Warned || s == Status::Failed;
    if (always || count > 0)
      out +=
          fmt::format(", {} {}{}", count, status_word(run, s), s == Status::Error && count != 1 ? "s" : "");
  }
  if (bounds > 0) out += fmt::format(", {} bound{} not met", bounds, bounds == 1 ? "" : "s");
  return out;
}

std::string origin_of(const Finding& f) {
  std::string out = fmt::format("{} by {}", f.action.empty() ? level_word(f.level) : f.action, f.rule);
  if (!f.binding.empty()) out += ", binding " + f.binding;
  if (!f.param.empty()) out += ", param " + f.param;
  return out;
}

std::string_view repository_path(std::string_view file) {
  while (file.starts_with("./")) file.remove_prefix(2);
  return file;
}

std::string place_of(const Region& region) {
  const std::string file(repository_path(region.file));
  if (region.start.line > 0 && region.start.column < 1) return fmt::format("{}:{}", file, region.start.line);
  return place_text(file, region.start);
}

std::optional<Finding> gravest_finding(const Item& item) {
  const auto all = findings_of(item);
  const auto gravest = std::ranges::min_element(all, {}, &Finding::level);
  if (gravest == all.end()) return std::nullopt;
  return *gravest;
}

std::string headline_of(const Item& item) {
  if (!item.message.empty()) return item.message;
  const auto gravest = gravest_finding(item);
  return gravest ? gravest->message : std::string();
}

std::string detail_of(const Finding& f) {
  std::string out = visible(origin_of(f));
  if (!f.policy_place.file.empty()) out += "  " + visible(place_of(f.policy_place));
  out += "\n" + visible_block(f.message, "  ");
  if (!f.hint.empty()) out += visible_block(f.hint, "  ");
  if (!f.place.file.empty()) out += "  at " + visible(place_of(f.place)) + "\n";
  out += marked(f);
  for (const outcomes::Part& p : f.values) {
    out += fmt::format("      {:{}}{}", "", p.depth * 2, visible(p.text));
    out += p.value.empty() ? "\n" : "  " + visible(p.value) + "\n";
  }
  if (!f.expected.empty() || !f.actual.empty()) {
    out += visible_block("expected: " + f.expected, "  ");
    out += visible_block("actual:   " + f.actual, "  ");
  }
  return out;
}

}  // namespace portcullis::formats
