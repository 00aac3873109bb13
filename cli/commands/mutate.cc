// `portcullis mutate`: prints manifests after mutating policies, for pipes. A manifest that they do not
// change is printed as written, with its comments.
//
// Idea: a review with its own reporter. The mutated object is carried over into the manifest (carried.h), so
// that the manifest only differs where policies changed it. A denied or refused manifest is not printed;
// standard error says why. kubectl of any version reads the output as YAML: it never begins with `{`, and JSON is
// printed as written only if it is the same in YAML. Limits: a changed document loses its comments. Tested by
// tests/cli/mutate.txt.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "admission/objects/difference.h"
#include "cli/commands.h"
#include "cli/messages/line_diff.h"
#include "cli/messages/messages.h"
#include "cli/messages/output.h"
#include "cli/messages/visible.h"
#include "cli/reports/carried.h"
#include "cli/reports/report.h"
#include "interpreter/values/list_types.h"
#include "manifests/kubectl.h"
#include "manifests/yaml.h"

namespace portcullis {
namespace {

// JSON with members in the order of the object.
std::string in_order(const Value& v) {
  std::string out;
  JsonWriter(out, JsonEscape::Plain, JsonOrder::Document).value(v);
  return out;
}

class MutateReporter final : public Reporter {
 public:
  explicit MutateReporter(const MutateOptions& options) : options_(options) {}

  void begin(std::span<const InputObject> manifests) override { manifests_ = manifests; }

  std::unique_ptr<Reporter> part() const override { return std::make_unique<MutateReporter>(options_); }
  void take(Reporter& reporter) override {
    auto& part = static_cast<MutateReporter&>(reporter);
    results_ += part.results_;
    unmatched_ += part.unmatched_;
    if (part.out_.empty()) return;
    if (options_.output == "yaml" && !options_.diff && !first_ && !part.opens_) put("---\n");
    first_ = false;
    put(part.out_);
  }

  void add(const ReviewResult& r) override {
    Outcome& outcome = outcomes_[r.object];
    results_++;
    unmatched_ += !r.refusal && r.findings.empty() && r.policies_matched + r.webhooks_reached == 0;
    if (r.refusal) say_refusal(*r.refusal);
    if (!r.refusal && !r.allowed) {
      say(Severity::Error, r.object->file->name, r.object->locate("metadata.name"),
          full_name(r) + ": " + r.message, {}, denial_hint(r));
    }
    for (const std::string& warning : r.warnings) warn(r, warning);
    warn_of_ignored(r);
    outcome.printed = !r.refusal && r.allowed;
    if (!outcome.printed) return;
    const Value& written = manifest_of(*r.object);
    Value made = written;
    const bool changed = r.after.is(Kind::Map);
    if (changed) {
      made = carried(r, written);
      if (!options_.normalized) note_added_again(r, made);
    }
    if (options_.normalized ? !changed : in_order(made) == in_order(written)) return;
    // Written out, since values are good until the next request; all of an object in the order of `kubectl get`.
    auto kept = read_json(
        options_.normalized ? to_json(without_managed_fields(arena_, r.completed)) : in_order(made), arena_);
    if (!kept.ok()) return;
    outcome.made = *kept;
    outcome.changed = true;
  }

  void finish(const Remainder&) override {
    if (results_ == 0 || unmatched_ < results_) return;
    say(Severity::Note, {}, {},
        std::string("no policy matched ") + (results_ == 1 ? "the manifest" : "any of the manifests") +
            "; `portcullis who` and `portcullis review --explain` say why");
  }

  void end() override {
    if (options_.output == "patch" || options_.diff) {
      for (const InputObject& o : manifests_) show(o);
      return forget();
    }
    // The objects of a document are adjacent.
    for (size_t first = 0, end; first < manifests_.size(); first = end) {
      end = first + 1;
      while (end < manifests_.size() && manifests_[end].document == manifests_[first].document) end++;
      add_document(manifests_.subspan(first, end - first));
    }
    forget();
  }

 private:
  struct Outcome {
    bool printed = true, changed = false;
    Value made;
  };

  void forget() {
    manifests_ = {};
    outcomes_.clear();
    arena_.reset();
  }

  const Outcome& outcome_of(const InputObject& o) {
    auto found = outcomes_.find(&o);
    return found == outcomes_.end() ? none_ : found->second;
  }

  static void warn(const ReviewResult& r, const std::string& text, const std::string& hint = {}) {
    say(Severity::Warning, r.object->file->name, r.object->locate("metadata.name"),
        full_name(r) + ": " + text, {}, hint);
  }

  // The place of the failure in its policy, and what helps.
  static std::string hint_of(const ReviewFailure& f) {
    std::string out = f.position.line > 0 ? "see " + place_text(f.policy_file, f.position) : std::string();
    if (!f.hint.empty()) out.append(out.empty() ? "" : "; ").append(f.hint);
    return out;
  }

  // The same of the failure that the denial is about.
  static std::string denial_hint(const ReviewResult& r) {
    auto denied = std::ranges::find(r.failures, true, &ReviewFailure::denied);
    return denied == r.failures.end() ? std::string() : hint_of(*denied);
  }

  // What was to change the object and did not, since failurePolicy lets its errors pass.
  static void warn_of_ignored(const ReviewResult& r) {
    for (const ReviewFailure& f : r.failures) {
      if (!f.mutating || f.denied) continue;
      std::string by = f.policy;
      if (!f.binding.empty()) by += ", binding " + f.binding;
      if (f.mutation >= 0) by += ", mutation " + std::to_string(f.mutation);
      warn(r, "not mutated by " + by + ", whose error failurePolicy ignores: " + f.message, hint_of(f));
    }
    for (const ReviewWebhook& w : r.webhooks) {
      if (w.mutating && w.outcome == "ignored")
        warn(r, "not mutated by webhook " + w.webhook + " of " + w.configuration +
                    ", whose failure failurePolicy ignores: " + w.text);
    }
  }

  // The manifest as written, without the namespace that settle() adds; for an AdmissionReview, the object of
  // its request.
  static const Value& manifest_of(const InputObject& o) {
    const Value* written = o.path.empty() ? &o.document->value : find_path(o.document->value, o.path);
    if (written == nullptr) return o.value;
    const Value* asked = role_of(o) == Role::Review ? find_path(*written, "request.object") : nullptr;
    return asked == nullptr ? *written : *asked;
  }

  Value carried(const ReviewResult& r, const Value& written) {
    // The API server makes managedFields of the rest, so the manifest keeps its own.
    const auto bare = [&](const Value& object) {
      return object.is(Kind::Map) ? without_managed_fields(arena_, object) : object;
    };
    const Value after = bare(r.after);
    const auto served = [&](const Value& manifest) { return r.served ? bare(r.served(manifest)) : Value(); };
    const auto make = [&](UnwrittenItems unwritten) {
      const Value first = carry(arena_, written, bare(r.before), after, unwritten);
      // A changed field may have another default (imagePullPolicy of an image); then the default is written
      // out.
      const Value other = served(first);
      return other.is(Kind::Map) ? carry(arena_, first, other, after) : first;
    };
    Value made = make(UnwrittenItems::Omitted);
    if (const Value again = served(made); again.is(Kind::Map) && !same_data(again, after)) {
      const Value longer = make(UnwrittenItems::WrittenBeforeNewOnes);
      if (same_data(served(longer), after)) made = longer;
    }
    return without_defaults(arena_, made, written, served);
  }

  // What no manifest can leave out: an admission plugin of the API server added it, and a policy or webhook removed it.
  void note_added_again(const ReviewResult& r, const Value& made) {
    const Value again = r.served ? r.served(made) : Value();
    if (!again.is(Kind::Map)) return;
    std::string removed, ordered;
    // managedFields follow from the rest, and no manifest has them.
    const auto without = [&](const Value& object) { return without_managed_fields(arena_, object); };
    const std::vector<Difference> all = differences(without(again), without(r.after));
    const auto list_of = [](const Difference& d) { return d.path.substr(0, d.path.rfind('[')); };
    for (const Difference& d : all) {
      if (d.operation != Difference::Operation::Remove) continue;
      const bool moved = std::ranges::any_of(all, [&](const Difference& other) {
        return other.operation == Difference::Operation::Add && list_of(other) == list_of(d) &&
               same_data(other.after, d.before);
      });
      std::string& names = moved ? ordered : removed;
      const std::string name = moved ? list_of(d) : d.path;
      if (!moved || (", " + names + ",").find(", " + name + ",") == names.npos)
        names += (names.empty() ? "" : ", ") + name;
    }
    const auto note = [&](const std::string& text) {
      say(Severity::Note, r.object->file->name, r.object->locate("metadata.name"),
          full_name(r) + ": " + text);
    };
    if (!removed.empty()) {
      note(
          "no manifest can say that " + removed +
          " is removed, since the API server adds it to every one; --normalized shows the object without it");
    }
    if (!ordered.empty()) {
      note("the API server adds items of " + ordered +
           " in another order than policies leave them in; --normalized shows that order");
    }
  }

  void show(const InputObject& o) {
    const Outcome& outcome = outcome_of(o);
    if (!outcome.changed) return;
    const Value& written = manifest_of(o);
    if (options_.diff) {
      std::string name = o.file->name + ": " + std::string(o.kind) + " " + std::string(o.name);
      std::string diff =
          unified_diff(to_yaml(written), to_yaml(outcome.made), name, name + " (mutated)", colour_out());
      out_ += visible_lines(diff, colour_out());
      return;
    }
    std::string out;
    JsonWriter w(out);
    w.begin_object();
    w.member("apiVersion", o.api_version);
    write_place(w, o);
    w.raw("patch", json_patch_text(differences(written, outcome.made)));
    w.end_object();
    out_ += out + "\n";
  }

  // Whether kubectl reads the same from a text after `---`. In YAML, some texts of JSON are others, or errors:
  // "\ud83d\ude00", for example.
  bool same_in_yaml(const YamlDocument& d, std::string_view text) {
    if (!d.json) return true;
    const auto read = read_yaml_chunk(text, 1, arena_);
    // Our reader of YAML takes `\/`, which kubectl's does not.
    return read.ok() && in_order(*read) == in_order(d.value) && text.find("\\/") == text.npos;
  }

  // Adds a document: as written, if nothing in it changed or is omitted.
  void add_document(std::span<const InputObject> objects) {
    bool whole = std::ranges::all_of(objects, [&](const InputObject& o) {
      return outcome_of(o).printed && !outcome_of(o).changed && role_of(o) != Role::Review;
    });
    if (const YamlDocument& d = *objects[0].document; whole && options_.output == "yaml") {
      const std::string_view text = d.in(objects[0].file->text);
      if (same_in_yaml(d, text)) return add_yaml(text);
    }
    for (const InputObject& o : objects) {
      const Outcome& outcome = outcome_of(o);
      if (!outcome.printed) continue;
      const Value& object = outcome.changed ? outcome.made : manifest_of(o);
      options_.output == "json" ? void(out_ += in_order(object) + "\n") : add_yaml(to_yaml(object));
    }
  }
  void add_yaml(std::string_view text) {
    while (text.starts_with('\n')) text.remove_prefix(1);
    const bool open = text.starts_with("---"), brace = trim_space(text).starts_with('{');
    if (out_.empty()) opens_ = open || brace;
    if (!open && (brace || !out_.empty())) out_ += "---\n";
    out_ += text;
    if (!text.ends_with('\n')) out_ += '\n';
  }

  const MutateOptions& options_;
  Arena arena_;
  std::span<const InputObject> manifests_;
  std::map<const InputObject*, Outcome> outcomes_;
  const Outcome none_;
  std::string out_;     // of a part
  bool opens_ = false;  // it begins with a separator of documents
  bool first_ = true;   // nothing is printed yet
  size_t results_ = 0, unmatched_ = 0;
};

}  // namespace

int mutate(const MutateOptions& options) {
  MutateReporter reporter(options);
  return review(options, reporter);
}

}  // namespace portcullis
