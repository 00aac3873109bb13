// See expect.h.
#include "cli/suites/expect.h"

#include <algorithm>

#include "admission/crd/definition.h"
#include "admission/objects/difference.h"
#include "cli/messages/lists.h"
#include "cli/reports/explain.h"
#include "cli/suites/changes.h"
#include "interpreter/values/json.h"

namespace portcullis::suites {
namespace {

// "a", "b" and 3 more.
std::string quoted(const std::vector<std::string>& texts) {
  return first_few(texts, 5, [](std::string_view text) { return quote_json(text); });
}

// Plain data without nulls and empty maps and lists, which mean the same to the API server.
Value trimmed(const Value& v, Arena& arena) {
  auto hollow = [](const Value& x) {
    return x.is_null() || ((x.is(Kind::Map) || x.is(Kind::List)) && x.size() == 0);
  };
  if (v.is(Kind::List)) {
    Value* items = arena.array<Value>(v.size());
    for (size_t i = 0; i < v.size(); i++) items[i] = trimmed(v.as_list()[i], arena);
    return Value::list(items, v.size());
  }
  if (!v.is(Kind::Map)) return v;
  MapEntry* entries = alloc_entries(arena, v.size());
  size_t n = 0;
  for (const MapEntry& e : v.as_map()) {
    const Value inner = trimmed(e.value, arena);
    if (!hollow(inner)) entries[n++] = {e.key, inner};
  }
  return make_map(entries, n);
}

class Comparison {
 public:
  Comparison(const Case& test, const Came& came)
      : expected_(test.expected),
        r_(came.result),
        decider_(came.decider),
        trace_(came.trace),
        calls_(came.calls) {}

  std::vector<Mismatch> run() {
    errors();
    if (r_.refusal) {
      if (!expected_.errors) add("object", "a verdict", "none: " + r_.refusal->text, "");
      return std::move(out_);
    }
    verdict();
    warnings();
    annotations();
    mutation();
    calls();
    if (expected_.cost && trace_.cost() > *expected_.cost)
      add("cost", "at most " + std::to_string(*expected_.cost), std::to_string(trace_.cost()),
          expected_.cost_path);
    outcomes();
    return std::move(out_);
  }

 private:
  void add(std::string member, std::string expected, std::string actual, std::string path) {
    out_.push_back({std::move(member), std::move(expected), std::move(actual), std::move(path)});
  }

  void wrong(std::string text, std::string path) {
    out_.push_back(
        {.member = "mutated", .expected = std::move(text), .path = std::move(path), .wrong = true});
  }

  std::string actual_verdict() const { return r_.allowed ? "allowed" : "denied: " + r_.message; }

  void verdict() {
    if (expected_.allowed && *expected_.allowed != r_.allowed) {
      std::string want = *expected_.allowed          ? "allowed"
                         : expected_.denials.empty() ? "denied"
                                                     : words(expected_.denials[0]);
      return add(*expected_.allowed ? "allowed" : "denied", std::move(want), actual_verdict(),
                 expected_.allowed_path);
    }
    for (const ExpectedDenial& d : expected_.denials) {
      if (!happened(d)) add("denied", words(d), denials(), d.path);
    }
  }

  static std::string words(const ExpectedDenial& d) {
    std::string out = "denied";
    if (d.policy) out += " by " + *d.policy;
    if (d.binding) out += ", binding " + *d.binding;
    if (d.param) out += ", param " + *d.param;
    if (d.validation) out += ", validation " + std::to_string(*d.validation);
    if (d.message) out += ": " + d.message->words();
    if (d.reason) out += ", reason " + *d.reason;
    if (d.code) out += ", code " + std::to_string(*d.code);
    if (d.error) out += *d.error ? ", an evaluation error" : ", no evaluation error";
    if (d.status.is(Kind::Map)) out += ", status " + to_json(d.status);
    return out;
  }

  std::string denials() const {
    std::string out;
    for (const ReviewFailure& f : r_.failures) {
      if (!f.denied) continue;
      out += (out.empty() ? "denied by " : "; by ") + f.policy;
      if (!f.binding.empty()) out += ", binding " + f.binding;
      if (!f.param.empty()) out += ", param " + f.param;
      if (f.validation >= 0) out += ", validation " + std::to_string(f.validation);
      out += ": " + quote_json(f.message);
      if (!f.reason.empty()) out += ", reason " + f.reason;
      if (f.unevaluated) out += ", an evaluation error";
    }
    if (out.empty() && !r_.invalid.empty()) out = "denied by its definition: " + quoted(texts_of(r_.invalid));
    if (out.empty()) out = "denied: " + r_.message;
    const bool wants_status =
        std::ranges::any_of(expected_.denials, [](auto& d) { return d.status.is(Kind::Map); });
    return out + ", code " + std::to_string(code()) + (wants_status ? ", status " + r_.status : "");
  }

  int64_t code() const {
    Arena arena;
    Result<Value> status = read_json(r_.status, arena);
    const Value* code = status.ok() ? find_member(*status, "code", Kind::Int) : nullptr;
    return code == nullptr ? 0 : code->as_int();
  }
  std::string reason() const {
    Arena arena;
    Result<Value> status = read_json(r_.status, arena);
    return status.ok() ? std::string(text_member(*status, "reason")) : "";
  }

  bool happened(const ExpectedDenial& d) const {
    if (d.code && *d.code != code()) return false;
    if (d.status.is(Kind::Map) && !has_status(d.status)) return false;
    const bool names = d.policy || d.binding || d.param || d.validation;
    // The denial as a whole: by a webhook or a definition, too.
    auto first = std::ranges::find_if(r_.failures, &ReviewFailure::denied);
    const bool error = first != r_.failures.end() && first->unevaluated;
    const bool whole = !names && means(d, error) &&
                       (!d.message || d.message->matches(r_.message) || matches_error(*d.message)) &&
                       (!d.reason || *d.reason == reason());
    return whole || std::ranges::any_of(r_.failures, [&](const ReviewFailure& f) { return is(d, f); });
  }
  // Whether the definition of the object refuses it with this text: that of a rule or the schema, or with its path.
  bool matches_error(const Pattern& text) const {
    return std::ranges::any_of(r_.invalid, [&](const FieldError& e) {
      return (!e.detail.empty() && text.matches(e.detail)) || text.matches(e.message);
    });
  }
  // What says more than `true` means a validation that failed. An evaluation error, which says nothing about the object,
  // must be meant: by `error`, or by the whole text.
  static bool means(const ExpectedDenial& d, bool error) {
    return d.error ? *d.error == error : !error || (d.message && d.message->exact());
  }
  bool has_status(const Value& want) const {
    Arena arena;
    Result<Value> status = read_json(r_.status, arena);
    return status.ok() && has(want, *status);
  }
  // Maps have what `want` has, and perhaps more; everything else is equal.
  static bool has(const Value& want, const Value& have) {
    if (want.is(Kind::List) && have.is(Kind::List)) {
      bool all = want.size() == have.size();
      for (size_t i = 0; all && i < want.size(); i++) all = has(want.as_list()[i], have.as_list()[i]);
      return all;
    }
    if (!want.is(Kind::Map) || !have.is(Kind::Map)) return differences(want, have).empty();
    return std::ranges::all_of(want.as_map(), [&](const MapEntry& e) {
      const Value* there = find_member(have, e.key.as_text());
      return there == nullptr ? e.value.is_null() : has(e.value, *there);
    });
  }
  bool is(const ExpectedDenial& d, const ReviewFailure& f) const {
    if (!f.denied || !means(d, f.unevaluated)) return false;
    if (d.policy && *d.policy != f.policy) return false;
    if (d.binding && *d.binding != f.binding) return false;
    if (d.param && *d.param != f.param) return false;
    if (d.validation && *d.validation != f.validation) return false;
    if (d.reason && *d.reason != (f.reason.empty() ? reason() : f.reason)) return false;
    return !d.message || d.message->matches(f.message) || d.message->matches(r_.message);
  }

  void texts(std::string_view member, const ExpectedTexts& want, const std::vector<std::string>& have) {
    std::string actual = have.empty() ? "none" : quoted(have);
    for (const ExpectedText& t : want.texts) {
      if (std::ranges::none_of(have, [&](const std::string& h) { return t.pattern.matches(h); }))
        add(std::string(member), t.pattern.words(), actual, t.path);
    }
    if (!want.complete) return;
    std::vector<std::string> more;
    for (const std::string& h : have) {
      if (std::ranges::none_of(want.texts, [&](const ExpectedText& t) { return t.pattern.matches(h); }))
        more.push_back(h);
    }
    if (!more.empty())
      add(std::string(member), want.texts.empty() ? "none" : "no others", quoted(more), want.path);
  }

  bool exact() const { return !expected_.exact_path.empty(); }

  void warnings() {
    if (!expected_.warnings && !exact()) return;
    ExpectedTexts want = expected_.warnings.value_or(ExpectedTexts{.path = expected_.exact_path});
    want.complete |= exact();
    texts("warnings", want, r_.warnings);
  }

  void errors() {
    if (!expected_.errors) return;
    std::vector<std::string> have;
    if (r_.refusal) have.push_back(r_.refusal->text);
    for (const ReviewFailure& f : r_.failures) {
      if (f.error) have.push_back(f.message);
    }
    texts("errors", *expected_.errors, have);
  }

  void annotations() {
    for (const ExpectedAnnotation& a : expected_.annotations) {
      auto found =
          std::ranges::find(r_.audit_annotations, a.key, [](const auto& pair) { return pair.first; });
      const bool there = found != r_.audit_annotations.end();
      if (there == a.value.has_value() && (!there || a.value->matches(found->second))) continue;
      std::vector<std::string> keys;
      for (const auto& pair : r_.audit_annotations) keys.push_back(pair.first);
      std::string others =
          keys.empty() ? "there are no annotations" : "no such key; there are " + quoted(keys);
      add("auditAnnotations", a.key + ": " + (a.value ? a.value->words() : "none"),
          there ? a.key + ": " + quote_json(found->second) : others, a.path);
    }
    if (exact()) other_annotations();
  }

  void other_annotations() {
    for (const auto& [key, value] : r_.audit_annotations) {
      const auto& known = expected_.annotations;
      if (std::ranges::find(known, key, &ExpectedAnnotation::key) == known.end())
        add("auditAnnotations", "no others", key + ": " + quote_json(value), expected_.exact_path);
    }
  }

  // --- webhooks ---

  void calls() {
    if (!expected_.calls && !exact()) return;
    const ExpectedCalls want = expected_.calls.value_or(ExpectedCalls{.path = expected_.exact_path});
    const bool complete = want.complete || exact();
    std::vector<std::string> names;
    for (const auto& c : calls_) names.push_back(c.webhook);
    const std::string actual = names.empty() ? "none" : quoted(names);
    for (size_t i = 0; i < want.calls.size(); i++) {
      const ExpectedCall& w = want.calls[i];
      auto found = complete && i < calls_.size()
                       ? calls_.begin() + static_cast<ptrdiff_t>(i)
                       : std::ranges::find(calls_, w.webhook, &WebhookCallers::Call::webhook);
      if (found == calls_.end() || found->webhook != w.webhook) {
        add("called", w.webhook, actual, w.path);
      } else {
        call(w, *found);
      }
    }
    if (complete && calls_.size() > want.calls.size())
      add("called", want.calls.empty() ? "none" : "no others", actual, want.path);
  }
  void call(const ExpectedCall& want, const WebhookCallers::Call& have) {
    if (want.url && *want.url != have.sent.path) add("called", *want.url, have.sent.path, want.path);
    if (!want.review.is(Kind::Map)) return;
    Arena arena;
    Result<Value> review = read_json(have.sent.review, arena);
    if (!review.ok() || !has(want.review, *review))
      add("called", to_json(want.review), have.sent.review.empty() ? "no review" : have.sent.review,
          want.path);
  }

  // --- mutations ---

  void mutation() {
    if (!expected_.mutation && exact() && r_.after.is(Kind::Map))
      add("mutated", "no change", "it changes: " + json_patch_text(differences(r_.before, r_.after)),
          expected_.exact_path);
    if (!expected_.mutation) return;
    const ExpectedMutation& m = *expected_.mutation;
    const bool changed = r_.after.is(Kind::Map);
    const Value now = changed ? r_.after : decider_.asked().object;
    if (m.object) return whole(m, now);
    if (m.changes.is(Kind::Map)) return changes(m, now);
    if (m.subset.is(Kind::Map)) return subset(m.subset, now, m.path + ".subset", "");
    // A request that mutation refuses has no object after it.
    const bool fails =
        std::ranges::any_of(r_.failures, [](const ReviewFailure& f) { return f.mutating && f.denied; });
    const bool expected = !expected_.denials.empty() || expected_.allowed == false;
    if (!m.changed && fails && !expected) return add("mutated", "no change", actual_verdict(), m.path);
    if (m.changed != changed)
      add("mutated", m.changed ? "the object changes" : "no change",
          changed ? "it changes: " + json_patch_text(differences(r_.before, r_.after)) : "no change", m.path);
  }

  void changes(const ExpectedMutation& m, const Value& now) {
    Arena arena;
    Value want = r_.after.is(Kind::Map) ? r_.before : decider_.asked().object;
    for (const MapEntry& e : m.changes.as_map()) {
      Result<Value> made = with_path(want, e.key.as_text(), e.value, arena);
      const std::string path(e.key.as_text());
      if (path.starts_with('/'))
        return wrong(path + ": a path is written as " + path_of_pointer(path),
                     m.path + ".changes[" + path + "]");
      if (!made.ok()) return wrong(path + ": " + made.error().text, m.path + ".changes[" + path + "]");
      want = *made;
    }
    const size_t before = out_.size();
    compare(want, now, m.path);
    if (out_.size() == before) return;
    for (const MapEntry& e : m.changes.as_map()) {
      if (const std::string meant = with_brackets(now, e.key.as_text()); !meant.empty())
        out_.back().expected += " (a key with dots or slashes is written in brackets: " + meant + ")";
    }
  }
  void whole(const ExpectedMutation& m, const Value& now) {
    Arena arena;
    Value want = decider_.served(m.object->value, arena);
    if (!want.is(Kind::Map)) want = m.object->value;
    compare(trimmed(want, arena), trimmed(now, arena), m.path);
  }
  void compare(const Value& want, const Value& now, const std::string& path) {
    std::string there, here;
    for (const Difference& d : differences(want, now)) {
      if (d.path.starts_with("metadata.managedFields") || (d.before.is_null() && d.after.is_null())) continue;
      there +=
          (there.empty() ? "" : "; ") + d.path + ": " + (d.before.is_null() ? "absent" : to_json(d.before));
      here += (here.empty() ? "" : "; ") + d.path + ": " + (d.after.is_null() ? "absent" : to_json(d.after));
    }
    if (!there.empty()) add("mutated", there, here, path);
  }

  // Maps have what `want` has, and perhaps more; everything else is equal.
  void subset(const Value& want, const Value& have, const std::string& path, const std::string& at) {
    if (!want.is(Kind::Map) || !have.is(Kind::Map)) {
      std::vector<Difference> found = differences(want, have);
      if (want.is(Kind::List) && have.is(Kind::List)) return list(found, path, at);
      if (!found.empty()) add("mutated", at + ": " + to_json(want), at + ": " + to_json(have), path);
      return;
    }
    for (const MapEntry& e : want.as_map()) {
      std::string inner = at, place = path;
      append_member(inner, e.key.as_text());
      append_member(place, e.key.as_text());
      const Value* there = find_member(have, e.key.as_text());
      if (there == nullptr && !e.value.is_null()) {
        add("mutated", inner + ": " + to_json(e.value), inner + ": absent", place);
      } else if (there != nullptr) {
        subset(e.value, *there, place, inner);
      }
    }
  }

  // What differs in a list of a subset: first what has another value, then what is missing or too much.
  void list(std::vector<Difference>& found, const std::string& path, const std::string& at) {
    constexpr size_t kMost = 3, kMostText = 120;
    if (found.empty()) return;
    std::ranges::stable_sort(found, {}, [](const Difference& d) {
      return d.operation == Difference::Operation::Replace ? 0 : d.before.is_null() ? 2 : 1;
    });
    std::string there, here;
    auto put = [&](std::string& to, const std::string& place, const Value& value) {
      to += (to.empty() ? "" : "; ") + place + ": " +
            (value.is_null() ? "absent" : value_text(value, kMostText));
    };
    for (size_t i = 0; i < std::min(found.size(), kMost); i++) {
      put(there, at + found[i].path, found[i].before);
      put(here, at + found[i].path, found[i].after);
    }
    if (found.size() > kMost) here += "; and " + std::to_string(found.size() - kMost) + " more differences";
    add("mutated",
        there + " (elements of a list are compared with all their members; `changes` names single ones)",
        here, path);
  }

  // --- what policies do ---

  void outcomes() {
    for (const ExpectedOutcome& o : expected_.outcomes) {
      const std::string actual = outcome(o);
      static constexpr std::string_view kWords[] = {"pass", "fail", "skip"};
      const std::string_view want = kWords[static_cast<int>(o.does)];
      if (actual.substr(0, 4) != want)
        add("results", o.policy + ": " + std::string(want), o.policy + ": " + actual, o.path);
    }
  }
  std::string outcome(const ExpectedOutcome& o) const {
    auto is_meant = [&](bool mutating) { return !o.mutating || *o.mutating == mutating; };
    for (const ReviewFailure& f : r_.failures) {
      if (f.policy == o.policy && is_meant(f.mutating)) return "fail: " + f.message;
    }
    for (bool mutating : {false, true}) {
      if (is_meant(mutating) && trace_.had_say(o.policy, mutating)) return "pass";
    }
    return "skip, it does not apply";
  }

  const Expected& expected_;
  const ReviewResult& r_;
  const Decider& decider_;
  const CaseTrace& trace_;
  const std::vector<WebhookCallers::Call>& calls_;
  std::vector<Mismatch> out_;
};

}  // namespace

std::vector<std::string> texts_of(const std::vector<FieldError>& errors) {
  std::vector<std::string> out;
  for (const FieldError& e : errors) {
    if (e.detail != crd::kNotChecked) out.push_back(e.detail.empty() ? e.message : e.detail);
  }
  return out;
}

void CaseTrace::begin() {
  cost_ = 0;
  heard_.clear();
}

void CaseTrace::evaluated(const Evaluated& e, Replay& replay) {
  if (also_ != nullptr) also_->evaluated(e, replay);
  cost_ += static_cast<int64_t>(e.cost);
  if (e.part != Part::MatchCondition) heard_.insert({std::string(e.policy), e.mutating});
}

std::vector<Mismatch> mismatches(const Case& test, const Came& came) { return Comparison(test, came).run(); }

}  // namespace portcullis::suites
