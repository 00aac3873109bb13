// SARIF 2.1.0, which GitHub's code scanning, Azure DevOps and editors read: one rule for each validation, one result for
// each finding, at its place in the manifest and with the place in the policy beside it.
//
// Idea: a result is short, since a run of 1,000 manifests has thousands: the expression is in its rule. The
// fingerprint stays the same where lines move (fingerprint.h). Columns count code points. An item without a verdict is
// an error among the results, and the run's execution is then not successful; what is not evaluated is a
// notification. Limits: no passed results, no times; file names are relative to the working directory.
#include <unordered_map>

#include "cli/formats/fingerprint.h"
#include "cli/formats/formats.h"
#include "cli/formats/wording.h"
#include "interpreter/values/json.h"

namespace portcullis::formats {
namespace {

using outcomes::Finding;
using outcomes::Item;
using outcomes::Region;
using outcomes::Rule;
using outcomes::Run;
using outcomes::Status;

constexpr std::string_view kSchema = "https://json.schemastore.org/sarif-2.1.0.json";
constexpr std::string_view kSite =
    "https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/";

// A file's name as a relative reference of RFC 3986; an absolute path as a file URL.
std::string uri_of(std::string_view file) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!$&'()*+,;=@";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  file = repository_path(file);
  std::string out = file.starts_with('/') ? "file://" : "";
  for (unsigned char c : file) {
    if (kPlain.find(static_cast<char>(c)) != kPlain.npos) {
      out += static_cast<char>(c);
    } else {
      out.append("%").append(1, kDigits[c >> 4]).append(1, kDigits[c & 15]);
    }
  }
  return out;
}

class Log {
 public:
  explicit Log(const Run& run) : run_(run), w_(out_), rules_(rules_of(run)) {
    for (size_t i = 0; i < rules_.size(); i++) numbers_.emplace(rules_[i].id, static_cast<int64_t>(i));
  }

  std::string text() {
    w_.begin_object();
    member("$schema", kSchema);
    member("version", "2.1.0");
    w_.key("runs");
    w_.begin_list();
    w_.begin_object();
    member("columnKind", "unicodeCodePoints");
    invocations();
    results();
    tool();
    w_.end_object();
    w_.end_list();
    w_.end_object();
    return out_ + "\n";
  }

 private:
  void member(std::string_view key, std::string_view value) {
    w_.key(key);
    w_.string(value);
  }
  void number(std::string_view key, int64_t value) {
    w_.key(key);
    w_.integer(value);
  }
  void optional(std::string_view key, std::string_view value) {
    if (!value.empty()) member(key, value);
  }
  // {"text": "..."}
  void message(std::string_view key, std::string_view text) {
    w_.key(key);
    w_.begin_object();
    member("text", text);
    w_.end_object();
  }

  void tool() {
    w_.key("tool");
    w_.begin_object();
    w_.key("driver");
    w_.begin_object();
    member("informationUri", kSite);
    member("name", "portcullis");
    w_.key("rules");
    w_.begin_list();
    for (const Rule& r : rules_) rule(r);
    w_.end_list();
    member("version", PORTCULLIS_VERSION);
    w_.end_object();
    w_.end_object();
  }

  void rule(const Rule& r) {
    w_.begin_object();
    if (!r.expression.empty()) message("fullDescription", r.expression);
    member("id", r.id);
    message("shortDescription", r.summary.empty() ? r.id : r.summary);
    if (!r.policy.empty()) {
      w_.key("properties");
      w_.begin_object();
      member("policy", r.policy);
      w_.end_object();
    }
    w_.end_object();
  }

  void invocations() {
    w_.key("invocations");
    w_.begin_list();
    w_.begin_object();
    w_.key("executionSuccessful");
    w_.boolean(run_.count(Status::Error) == 0);
    if (run_.count(Status::Skipped) > 0) notifications();
    w_.end_object();
    w_.end_list();
  }

  // What is not evaluated.
  void notifications() {
    w_.key("toolExecutionNotifications");
    w_.begin_list();
    for (const Item& item : run_.items) {
      if (item.status != Status::Skipped) continue;
      w_.begin_object();
      member("level", "note");
      locations("locations", item.place);
      message("message", item.name + ": " + item.message);
      w_.end_object();
    }
    w_.end_list();
  }

  void results() {
    w_.key("results");
    w_.begin_list();
    for (const Item& item : run_.items) {
      if (item.status == Status::Skipped) continue;
      for (const Finding& f : findings_of(item)) result(item, f);
    }
    w_.end_list();
  }

  void result(const Item& item, const Finding& f) {
    w_.begin_object();
    member("level", level_word(f.level));
    locations("locations", f.place.file.empty() ? item.place : f.place);
    message("message", item.name + ": " + f.message + (f.hint.empty() ? "" : "; " + f.hint));
    w_.key("partialFingerprints");
    w_.begin_object();
    member("portcullis/v1", fingerprints_.of(item, f));
    w_.end_object();
    properties(f);
    if (!f.policy_place.file.empty()) locations("relatedLocations", f.policy_place, "policy");
    member("ruleId", f.rule);
    number("ruleIndex", numbers_.at(f.rule));
    w_.end_object();
  }

  void properties(const Finding& f) {
    if (f.binding.empty() && f.param.empty() && f.reason.empty() && f.values.empty() && f.expected.empty() &&
        f.actual.empty())
      return;
    w_.key("properties");
    w_.begin_object();
    optional("actual", f.actual);
    optional("binding", f.binding);
    optional("expected", f.expected);
    optional("param", f.param);
    optional("reason", f.reason);
    values(f);
    w_.end_object();
  }

  // "object.spec.replicas = 8"
  void values(const Finding& f) {
    if (f.values.empty()) return;
    w_.key("values");
    w_.begin_list();
    for (const outcomes::Part& p : f.values) {
      if (!p.value.empty()) w_.string(p.text + " = " + p.value);
    }
    w_.end_list();
  }

  void locations(std::string_view key, const Region& region, std::string_view about = {}) {
    if (region.file.empty()) return;
    w_.key(key);
    w_.begin_list();
    w_.begin_object();
    if (!about.empty()) {
      number("id", 1);
      message("message", about);
    }
    w_.key("physicalLocation");
    w_.begin_object();
    w_.key("artifactLocation");
    w_.begin_object();
    member("uri", uri_of(region.file));
    w_.end_object();
    if (region.start.line > 0) place(region);
    w_.end_object();
    w_.end_object();
    w_.end_list();
  }

  void place(const Region& region) {
    w_.key("region");
    w_.begin_object();
    if (region.end.line > 0 && region.end.column > 0) number("endColumn", region.end.column);
    if (region.end.line > region.start.line) number("endLine", region.end.line);
    if (region.start.column > 0) number("startColumn", region.start.column);
    number("startLine", region.start.line);
    w_.end_object();
  }

  const Run& run_;
  std::string out_;
  JsonWriter w_;
  std::vector<Rule> rules_;
  std::unordered_map<std::string, int64_t> numbers_;
  Fingerprints fingerprints_;
};

}  // namespace

std::string sarif(const Run& run) { return Log(run).text(); }

}  // namespace portcullis::formats
