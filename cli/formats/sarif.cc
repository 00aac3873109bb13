// SARIF 2.1.0, which GitHub's code scanning, Azure DevOps and editors read: one rule for each validation, one result for
// each finding, at its place in the manifest and with the place in the policy beside it.
//
// Idea: a result is short, since a run of 1,000 manifests has thousands: the expression is in its rule. The
// fingerprint stays the same where lines move (fingerprint.h). Columns count code points. An item without a verdict is
// an error among the results, and the run's execution is then not successful; what is not evaluated is a
// notification. Limits: no passed results, no times; file names are relative to the working directory.
#include <ranges>
#include <unordered_map>

#include "cli/formats/fingerprint.h"
#include "cli/formats/formats.h"
#include "cli/formats/percent.h"
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
  file = repository_path(file);
  return (file.starts_with('/') ? "file://" : "") + percent_encoded(file, "-._~/!$&'()*+,;=@");
}

class Log {
 public:
  explicit Log(const Run& run) : run_(run), w_(out_), rules_(rules_of(run)) {
    for (size_t i = 0; i < rules_.size(); i++) numbers_.emplace(rules_[i].id, static_cast<int64_t>(i));
  }

  std::string text() {
    w_.begin_object();
    w_.member("$schema", kSchema);
    w_.member("version", "2.1.0");
    list_of_one("runs", [&] {
      w_.member("columnKind", "unicodeCodePoints");
      list_of_one("invocations", [&] { invocation(); });
      results();
      w_.object("tool", [&] { w_.object("driver", [&] { driver(); }); });
    });
    w_.end_object();
    return out_ + "\n";
  }

 private:
  // A list with one object, whose members `write` writes.
  template <class Write>
  void list_of_one(std::string_view key, const Write& write) {
    w_.list(key, std::views::single(0), [&](int) { write(); });
  }
  void message(std::string_view key, std::string_view text) {
    w_.object(key, [&] { w_.member("text", text); });
  }

  void driver() {
    w_.member("informationUri", kSite);
    w_.member("name", "portcullis");
    w_.list("rules", rules_, [&](const Rule& r) {
      if (!r.expression.empty()) message("fullDescription", r.expression);
      w_.member("id", r.id);
      message("shortDescription", r.summary.empty() ? r.id : r.summary);
      if (!r.policy.empty()) w_.object("properties", [&] { w_.member("policy", r.policy); });
    });
    w_.member("version", PORTCULLIS_VERSION);
  }

  // Tells also what is not evaluated.
  void invocation() {
    w_.member("executionSuccessful", run_.count(Status::Error) == 0);
    auto skipped = run_.items | std::views::filter([](auto& item) { return item.status == Status::Skipped; });
    w_.optional("toolExecutionNotifications", skipped, [&](const Item& item) {
      w_.member("level", "note");
      locations("locations", item.place);
      message("message", item.name + ": " + item.message);
    });
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
    w_.member("level", level_word(f.level));
    locations("locations", f.place.file.empty() ? item.place : f.place);
    message("message", item.name + ": " + f.message + (f.hint.empty() ? "" : "; " + f.hint));
    w_.object("partialFingerprints", [&] { w_.member("portcullis/v1", fingerprints_.of(item, f)); });
    properties(f);
    if (!f.policy_place.file.empty()) locations("relatedLocations", f.policy_place, "policy");
    w_.member("ruleId", f.rule);
    w_.member("ruleIndex", numbers_.at(f.rule));
    w_.end_object();
  }

  void properties(const Finding& f) {
    if (f.binding.empty() && f.param.empty() && f.reason.empty() && f.values.empty() && f.expected.empty() &&
        f.actual.empty())
      return;
    w_.object("properties", [&] {
      w_.optional("actual", f.actual);
      w_.optional("binding", f.binding);
      w_.optional("expected", f.expected);
      w_.optional("param", f.param);
      w_.optional("reason", f.reason);
      values(f);
    });
  }

  // "object.spec.replicas = 8"
  void values(const Finding& f) {
    if (f.values.empty()) return;
    std::vector<std::string> known;
    for (const outcomes::Part& p : f.values) {
      if (!p.value.empty()) known.push_back(p.text + " = " + p.value);
    }
    w_.member("values", known);
  }

  void locations(std::string_view key, const Region& region, std::string_view about = {}) {
    if (region.file.empty()) return;
    list_of_one(key, [&] {
      if (!about.empty()) {
        w_.member("id", 1);
        message("message", about);
      }
      w_.object("physicalLocation", [&] {
        w_.object("artifactLocation", [&] { w_.member("uri", uri_of(region.file)); });
        if (region.start.line > 0) w_.object("region", [&] { place(region); });
      });
    });
  }

  void place(const Region& region) {
    if (region.end.line > 0) w_.optional("endColumn", region.end.column);
    if (region.end.line > region.start.line) w_.member("endLine", region.end.line);
    w_.optional("startColumn", region.start.column);
    w_.member("startLine", region.start.line);
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
