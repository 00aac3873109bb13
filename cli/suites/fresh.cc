// See fresh.h.
#include "cli/suites/fresh.h"

#include <algorithm>

#include "cli/suites/changes.h"
#include "interpreter/values/json.h"
#include "manifests/yaml.h"

namespace portcullis::suites {
namespace {

std::string list_json(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& t : texts) out += (out.size() > 1 ? "," : "") + quote_json(t);
  return out + "]";
}

std::string denial_json(const ReviewFailure& f) {
  std::string out = "{\"policy\":" + quote_json(f.policy);
  if (f.validation >= 0) out += ",\"validation\":" + std::to_string(f.validation);
  if (f.unevaluated) out += ",\"error\":true";
  return out + ",\"message\":" + quote_json(f.message) + "}";
}

// As short as the case had it: a text, if it had one and there is one denial.
std::string denied_json(const Expected& expected, const ReviewResult& r) {
  std::vector<std::string> all;
  const ReviewFailure* first = nullptr;
  for (const ReviewFailure& f : r.failures) {
    if (!f.denied) continue;
    if (first == nullptr) first = &f;
    all.push_back(denial_json(f));
  }
  if (all.empty() && !r.invalid.empty()) {
    const std::vector<std::string> texts = texts_of(r.invalid);
    return texts.size() == 1 ? quote_json(texts[0]) : list_json(texts);
  }
  if (all.empty()) return quote_json(r.message);
  const bool plain = std::ranges::all_of(expected.denials, [](const ExpectedDenial& d) {
    return d.message && !d.policy && !d.binding && !d.param && !d.validation && !d.reason && !d.code;
  });
  if (all.size() == 1) return plain ? quote_json(first->message) : all[0];
  std::string out = "[";
  for (const std::string& one : all) out += (out.size() > 1 ? "," : "") + one;
  return out + "]";
}

std::string texts_json(const ExpectedTexts& want, const std::vector<std::string>& have) {
  return want.complete || have.size() != 1 ? list_json(have) : quote_json(have[0]);
}

// The members of `want` with the values that `have` has; those that it lacks are null.
std::string subset_json(const Value& want, const Value& have) {
  if (!want.is(Kind::Map) || !have.is(Kind::Map)) return to_json(have);
  std::string out = "{";
  for (const MapEntry& e : want.as_map()) {
    const Value* there = find_member(have, e.key.as_text());
    out += (out.size() > 1 ? "," : "") + quote_json(e.key.as_text()) + ":" +
           (there == nullptr ? "null" : subset_json(e.value, *there));
  }
  return out + "}";
}

std::string annotations_json(const Expected& expected, const ReviewResult& r) {
  std::string out = "{";
  for (const ExpectedAnnotation& a : expected.annotations) {
    auto found = std::ranges::find(r.audit_annotations, a.key, [](const auto& pair) { return pair.first; });
    out += (out.size() > 1 ? "," : "") + quote_json(a.key) + ":" +
           (found == r.audit_annotations.end() ? "null" : quote_json(found->second));
  }
  return out + "}";
}

std::string outcomes_json(const Expected& expected, const ReviewResult& r, const CaseTrace& trace) {
  std::string out = "{";
  for (const ExpectedOutcome& o : expected.outcomes) {
    auto meant = [&](bool mutating) { return !o.mutating || *o.mutating == mutating; };
    const bool failed = std::ranges::any_of(
        r.failures, [&](const ReviewFailure& f) { return f.policy == o.policy && meant(f.mutating); });
    const bool said =
        (meant(false) && trace.had_say(o.policy, false)) || (meant(true) && trace.had_say(o.policy, true));
    out += (out.size() > 1 ? "," : "") + quote_json(o.policy) + ":" +
           quote_json(failed ? "fail"
                      : said ? "pass"
                             : "skip");
  }
  return out + "}";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> fresh_members(const Case& test, const ReviewResult& r,
                                                               const Decider& decider,
                                                               const CaseTrace& trace) {
  const Expected& e = test.expected;
  std::vector<std::pair<std::string, std::string>> out;
  auto add = [&](std::string name, const std::string& json) {
    out.emplace_back(std::move(name), json_as_yaml(json));
  };
  std::vector<std::string> errors;
  if (r.refusal) errors.push_back(r.refusal->text);
  for (const ReviewFailure& f : r.failures) {
    if (f.error) errors.push_back(f.message);
  }
  if (e.errors) add("errors", texts_json(*e.errors, errors));
  if (r.refusal) return out;  // there is nothing else to say
  if (e.allowed) r.allowed ? add("allowed", "true") : add("denied", denied_json(e, r));
  if (e.warnings) add("warnings", texts_json(*e.warnings, r.warnings));
  if (!e.annotations.empty()) add("auditAnnotations", annotations_json(e, r));
  const bool changed = r.after.is(Kind::Map);
  if (e.mutation && e.mutation->subset.is(Kind::Map))
    add("mutated",
        "{\"subset\":" + subset_json(e.mutation->subset, changed ? r.after : decider.asked().object) + "}");
  if (e.mutation && !e.mutation->subset.is(Kind::Map) && !e.mutation->object) {
    const std::string changes = changed && e.mutation->changes.is(Kind::Map)
                                    ? changes_json(differences(r.before, r.after))
                                    : std::string();
    add("mutated", changes.empty() ? (changed ? "true" : "false") : "{\"changes\":" + changes + "}");
  }
  if (e.cost) add("cost", std::to_string(trace.cost()));
  if (!e.outcomes.empty()) add("results", outcomes_json(e, r, trace));
  return out;
}

}  // namespace portcullis::suites
