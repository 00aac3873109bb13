// See read.h.
#include "cli/suites/read.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/messages/messages.h"
#include "cli/reading/input.h"
#include "cli/suites/answers.h"
#include "cli/suites/kyverno.h"
#include "cli/suites/members.h"
#include "cli/suites/objects.h"
#include "grammar/ascii.h"
#include "manifests/documents.h"
#include "manifests/kubectl.h"
#include "manifests/unquoted.h"

namespace portcullis::suites {
namespace {

namespace fs = std::filesystem;

bool has_suite_name(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  auto ends = [&](std::string_view end) { return name.ends_with(end); };
  return ends("_test.yaml") || ends("_test.yml") || name == "portcullis-test.yaml" ||
         name == "portcullis-test.yml" || name == "kyverno-test.yaml" || name == "kyverno-test.yml";
}

// Whether the name was perhaps meant to be that of a suite: limits-test.yaml, limits_tests.yaml, limits_TEST.json.
bool nearly_has_suite_name(const std::string& path) {
  const std::string name = lower_case(fs::path(path).filename().string());
  for (std::string_view extension : {".yaml", ".yml", ".json"}) {
    if (!name.ends_with(extension)) continue;
    std::string_view stem = std::string_view(name).substr(0, name.size() - extension.size());
    if (stem == "suite") return true;  // of gator, perhaps
    if (stem.ends_with("tests")) stem.remove_suffix(1);
    return stem.ends_with("_test") || stem.ends_with("-test") || stem.ends_with(".test");
  }
  return false;
}

bool is_linked_directory(const std::string& path) {
  std::error_code error;
  return fs::is_symlink(path, error) && fs::is_directory(path, error);
}

constexpr std::pair<std::string_view, Pattern::Form> kForms[] = {
    {"contains", Pattern::Form::Contains}, {"glob", Pattern::Form::Glob}, {"regex", Pattern::Form::Regex}};

// The member of the case, or else that of its suite, with its path.
struct Written {
  const Value* value = nullptr;
  std::string path;
};

class SuiteReader {
 public:
  explicit SuiteReader(Suite& suite) : suite_(suite), objects_(suite) {}

  bool read() {
    const Value& root = suite_.document->value;
    const size_t errors = said_;
    check_members(root, members(), kInSuite, "", "a suite",
                  [&](const std::string& path, bool key, std::string text) { fail(path, text, key); });
    if (said_ != errors) return false;
    suite_.name = text_member(root, "name");
    read_accepted(root);
    const Value* cases = find_member(root, "cases");
    if (cases == nullptr || cases->size() == 0) return fail("", "this suite has no cases", false), false;
    std::set<std::string_view> names;
    for (size_t i = 0; i < cases->size(); i++) {
      const std::string path = "cases[" + std::to_string(i) + "]";
      read_case(cases->as_list()[i], path);
      if (!names.insert(suite_.cases.back()->name).second)
        warn(suite_.file, suite_.locate(path + ".name"),
             "another case of this suite has this name; both run");
    }
    return said_ == 0 && objects_.errors() == 0;
  }

 private:
  void read_accepted(const Value& root) {
    const Value* list = find_path(root, "mutants.accepted");
    for (size_t i = 0; list != nullptr && i < list->size(); i++) {
      const Value& one = list->as_list()[i];
      suite_.accepted.push_back({.policy = std::string(text_member(one, "policy")),
                                 .field = std::string(text_member(one, "field")),
                                 .before = std::string(text_member(one, "before")),
                                 .after = std::string(text_member(one, "after")),
                                 .path = "mutants.accepted[" + std::to_string(i) + "]"});
    }
  }

  // What is wrong in the suite's own part is wrong in every case, and said once.
  void fail(const std::string& path, std::string_view text, bool key = true) {
    if (!told_.insert(path + "\n" + std::string(text)).second) return;
    said_++;
    const Position at = suite_.locate(path, key);
    const std::string hint =
        text.starts_with("a text") ? unquoted_hint(suite_.file->text, at) : std::string();
    say(Severity::Error, suite_.file->name, at, text, suite_.file->text, hint);
  }

  void warn(const SourceFile* file, Position position, std::string_view text, std::string_view hint = {}) {
    if (told_.insert(place_text(file->name, position).append("\n").append(text)).second)
      say(Severity::Warning, file->name, position, text, file->text, hint);
  }

  Written find(const Value& test, const std::string& path, std::string_view name) const {
    if (const Value* own = find_member(test, name)) return {own, path + "." + std::string(name)};
    return {find_member(suite_.document->value, name), std::string(name)};
  }
  std::string text(const Value& test, const std::string& path, std::string_view name) const {
    const Written w = find(test, path, name);
    return w.value == nullptr ? "" : std::string(w.value->as_text());
  }
  bool flag(const Value& test, const std::string& path, std::string_view name) const {
    const Written w = find(test, path, name);
    return w.value != nullptr && w.value->as_bool();
  }
  std::vector<std::string> texts(const Value& test, const std::string& path, std::string_view name) const {
    const Written w = find(test, path, name);
    std::vector<std::string> out;
    if (w.value == nullptr) return out;
    if (w.value->is(Kind::String)) return {std::string(w.value->as_text())};
    for (const Value& v : w.value->as_list()) out.emplace_back(v.as_text());
    return out;
  }
  std::vector<InputObject> files(const Value& test, const std::string& path,
                                 std::initializer_list<std::string_view> names) {
    std::vector<InputObject> out;
    for (std::string_view name : names) {
      const Written w = find(test, path, name);
      if (w.value != nullptr) objects_.add(*w.value, w.path, name == "namespaces", out);
    }
    return out;
  }

  void read_case(const Value& test, const std::string& path) {
    Case& out = add_case(suite_, path);
    if (const Value* name = find_member(test, "name")) out.name = name->as_text();
    if (const Value* why = find_member(test, "skip")) {
      out.skipped = why->as_text();
      if (out.skipped.empty()) fail(path + ".skip", "the reason is missing");
    }
    ReviewOptions options = options_of(test, path);
    out.settings = Session::settings_of(options);
    out.settings.former_hint = "oldObject gives it; `oldObject: same` takes the object to replace itself";
    out.stored = flag(test, path, "stored");
    read_objects(test, path, out);
    read_answers(test, path, out.answers);
    read_expected(test, path, out.expected);
    if (out.expected.empty() && out.skipped.empty()) fail(path, "this case expects nothing", false);
    std::vector<InputObject> policies = files(test, path, {"policies", "bindings"});
    options.policies = files_of(suite_, policies);
    std::vector<InputObject> params = files(test, path, {"params", "namespaces", "crds", "rbac"});
    if (objects_.errors() == 0) check_outcomes(out, policies);
    if (flag(test, path, "bindAll")) objects_.bind_all(policies);
    if (out.expected.allowed.value_or(false) && out.skipped.empty()) warn_of_unbound(policies, out.expected);
    if (find(test, path, "policies").value == nullptr && find(test, path, "crds").value == nullptr)
      fail(path, "neither policies nor crds are given", false);
    add_to_batch(suite_, out, options, policies, params);
  }

  ReviewOptions options_of(const Value& test, const std::string& path) {
    ReviewOptions o;
    o.user = text(test, path, "user");
    o.groups = texts(test, path, "groups");
    o.operation = text(test, path, "operation");
    Operation operation;
    if (!o.operation.empty() && !parse_operation(o.operation, operation))
      fail(find(test, path, "operation").path, unknown_operation(o.operation), false);
    o.subresource = text(test, path, "subresource");
    if (std::string name = text(test, path, "namespace"); !name.empty()) o.namespace_name = name;
    o.field_manager = text(test, path, "fieldManager");
    o.dry_run = flag(test, path, "dryRun");
    if (const Value* period = find(test, path, "gracePeriod").value) o.grace_period = period->as_int();
    o.cascade = text(test, path, "cascade");
    if (!o.cascade.empty() && propagation_of(o.cascade).empty())
      fail(find(test, path, "cascade").path, "this is neither background, foreground nor orphan", false);
    for (std::string_view name : {"gracePeriod", "cascade"}) {
      if (find_member(test, name) != nullptr && o.operation != "DELETE")
        fail(path + "." + std::string(name),
             "this belongs to a DELETE, and the operation of the case is another");
    }
    o.as_is = flag(test, path, "asIs");
    o.allow_invalid = flag(test, path, "allowInvalid");
    o.kubernetes_version = text(test, path, "kubernetesVersion");
    o.namespace_labels = texts(test, path, "namespaceLabels");
    if (const Value* scopes = find(test, path, "paramScopes").value) {
      for (const MapEntry& e : scopes->as_map())
        o.param_scopes.push_back(std::string(e.key.as_text()) + "=" + std::string(e.value.as_text()));
    }
    const Value* webhooks = find(test, path, "webhooks").value;
    const bool recorded = webhooks != nullptr && webhooks->is(Kind::String);
    o.webhooks = recorded ? "recorded=" + objects_.beside(webhooks->as_text()) : std::string(kGivenAnswers);
    return o;
  }

  void read_objects(const Value& test, const std::string& path, Case& out) {
    const Written old = find(test, path, "oldObject");
    if (old.value != nullptr && old.value->is(Kind::String) && old.value->as_text() == "same") {
      out.settings.same_old = true;
    } else if (old.value != nullptr) {
      objects_.add(*old.value, old.path, false, out.old);
    }
    const Value* object = find_member(test, "object");
    if (object == nullptr) return fail(path, "the object of this case is missing", false);
    const size_t errors = objects_.errors();
    objects_.add(*object, path + ".object", false, out.objects);
    if (objects_.errors() == errors && out.objects.empty())
      fail(path + ".object", "there is no object in it");
    for (const InputObject& o : out.objects) look_at_recorded(test, path, o);
  }

  // A recorded request has its own user, operation and so on.
  void look_at_recorded(const Value& test, const std::string& path, const InputObject& o) {
    if (role_of(o) != Role::Review) return;
    for (std::string_view name : {"user", "groups", "operation", "subresource", "namespace", "fieldManager",
                                  "dryRun", "gracePeriod", "cascade", "oldObject"}) {
      if (find_member(test, name) != nullptr)
        fail(path + "." + std::string(name), "this has no effect on an AdmissionReview, which has its own");
    }
  }

  void read_answers(const Value& test, const std::string& path, WebhookAnswers& out) {
    const Written w = find(test, path, "webhooks");
    if (w.value == nullptr || !w.value->is(Kind::Map)) return;
    for (const MapEntry& e : w.value->as_map()) {
      auto read = answers_of(e.value);
      if (!read.ok()) fail(w.path + "[" + std::string(e.key.as_text()) + "]", read.error().text, false);
      if (read.ok()) out.emplace(e.key.as_text(), std::move(*read));
    }
  }

  // --- expectations ---

  // A text, or a mapping with one of the forms.
  std::optional<Pattern> pattern(const Value& v, const std::string& path) {
    if (v.is(Kind::String)) return make_pattern(Pattern::Form::Exact, v, path);
    for (const auto& [name, form] : kForms) {
      if (const Value* text = find_member(v, name)) return make_pattern(form, *text, path);
    }
    return std::nullopt;
  }
  std::optional<Pattern> make_pattern(Pattern::Form form, const Value& text, const std::string& path) {
    Result<Pattern> made = Pattern::make(form, text.as_text());
    if (made.ok()) return *made;
    fail(path, made.error().text, false);
    return std::nullopt;
  }

  std::optional<ExpectedTexts> patterns(const Value& test, const std::string& path, std::string_view name) {
    const Value* v = find_member(test, name);
    if (v == nullptr) return std::nullopt;
    ExpectedTexts out{.path = path + "." + std::string(name)};
    out.complete = v->is(Kind::List);
    auto add = [&](const Value& one, const std::string& at) {
      if (auto made = pattern(one, at)) out.texts.push_back({*made, at});
    };
    if (!out.complete) add(*v, out.path);
    for (size_t i = 0; out.complete && i < v->size(); i++)
      add(v->as_list()[i], out.path + "[" + std::to_string(i) + "]");
    return out;
  }

  void read_expected(const Value& test, const std::string& path, Expected& out) {
    if (const Value* allowed = find_member(test, "allowed")) {
      out.allowed = allowed->as_bool();
      out.allowed_path = path + ".allowed";
    }
    if (const Value* denied = find_member(test, "denied")) read_denied(*denied, path + ".denied", out);
    out.warnings = patterns(test, path, "warnings");
    out.errors = patterns(test, path, "errors");
    read_annotations(test, path, out);
    if (const Value* mutated = find_member(test, "mutated")) read_mutation(*mutated, path + ".mutated", out);
    if (const Value* called = find_member(test, "called")) read_calls(*called, path + ".called", out);
    if (flag(test, path, "exact")) out.exact_path = find(test, path, "exact").path;
    if (const Value* cost = find_member(test, "cost")) out.cost = cost->as_int();
    out.cost_path = path + ".cost";
    if (const Value* results = find_member(test, "results")) read_outcomes(*results, path + ".results", out);
  }

  void read_denied(const Value& v, const std::string& path, Expected& out) {
    const bool denied = !v.is(Kind::Bool) || v.as_bool();
    if (out.allowed && *out.allowed == denied) fail(path, "allowed and denied contradict each other");
    out.allowed = !denied;
    out.allowed_path = path;
    if (v.is(Kind::Bool)) return;
    if (!v.is(Kind::List)) return out.denials.push_back(denial(v, path));
    for (size_t i = 0; i < v.size(); i++)
      out.denials.push_back(denial(v.as_list()[i], path + "[" + std::to_string(i) + "]"));
  }

  ExpectedDenial denial(const Value& v, const std::string& path) {
    ExpectedDenial out{.path = path};
    if (v.is(Kind::String)) {
      out.message = pattern(v, path);
      return out;
    }
    auto text = [&](std::string_view name) -> std::optional<std::string> {
      const Value* found = find_member(v, name);
      return found == nullptr ? std::nullopt : std::optional(std::string(found->as_text()));
    };
    out.policy = text("policy");
    out.binding = text("binding");
    out.param = text("param");
    out.reason = text("reason");
    if (const Value* n = find_member(v, "validation")) out.validation = n->as_int();
    if (const Value* n = find_member(v, "code")) out.code = n->as_int();
    if (const Value* e = find_member(v, "error")) out.error = e->as_bool();
    if (const Value* s = find_member(v, "status")) out.status = *s;
    if (const Value* m = find_member(v, "message")) {
      out.message = pattern(*m, path + ".message");
      if (pattern(v, path)) fail(path, "the message is given twice");
    } else {
      out.message = pattern(v, path);
    }
    return out;
  }

  void read_annotations(const Value& test, const std::string& path, Expected& out) {
    const Value* v = find_member(test, "auditAnnotations");
    if (v == nullptr) return;
    for (const MapEntry& e : v->as_map()) {
      ExpectedAnnotation one{.key = std::string(e.key.as_text())};
      one.path = path + ".auditAnnotations[" + one.key + "]";
      if (!e.value.is_null()) one.value = pattern(e.value, one.path);
      out.annotations.push_back(std::move(one));
    }
  }

  void read_mutation(const Value& v, const std::string& path, Expected& out) {
    ExpectedMutation m{.path = path};
    if (v.is(Kind::Bool)) {
      m.changed = v.as_bool();
    } else {
      const Value* whole = v.is(Kind::Map) ? find_member(v, "object") : &v;
      const Value* subset = v.is(Kind::Map) ? find_member(v, "subset") : nullptr;
      const Value* changes = v.is(Kind::Map) ? find_member(v, "changes") : nullptr;
      if ((whole != nullptr) + (subset != nullptr) + (changes != nullptr) != 1)
        return fail(path, "one of object, subset and changes is wanted here");
      if (changes != nullptr) m.changes = *changes;
      const std::string at = v.is(Kind::Map) ? path + (whole != nullptr ? ".object" : ".subset") : path;
      if (whole != nullptr) m.object = objects_.only(*whole, at);
      if (subset != nullptr) m.subset = objects_.value(*subset, at);
    }
    out.mutation = std::move(m);
  }

  void read_calls(const Value& v, const std::string& path, Expected& out) {
    ExpectedCalls all{.path = path};
    all.complete = v.is(Kind::List);
    auto add = [&](const Value& one, const std::string& at) {
      if (one.is(Kind::String))
        return all.calls.push_back({.webhook = std::string(one.as_text()), .path = at});
      ExpectedCall& c = all.calls.emplace_back();
      c.webhook = text_member(one, "webhook");
      c.path = at;
      if (c.webhook.empty()) fail(at, "the name of the webhook is missing");
      if (const Value* url = find_member(one, "url")) c.url = std::string(url->as_text());
      if (const Value* review = find_member(one, "review")) c.review = *review;
    };
    if (!all.complete) add(v, path);
    for (size_t i = 0; all.complete && i < v.size(); i++)
      add(v.as_list()[i], path + "[" + std::to_string(i) + "]");
    out.calls = std::move(all);
  }

  void read_outcomes(const Value& v, const std::string& path, Expected& out) {
    using Does = ExpectedOutcome::Does;
    for (const MapEntry& e : v.as_map()) {
      const std::string_view word = e.value.as_text();
      ExpectedOutcome one{.policy = std::string(e.key.as_text())};
      one.path = path + "[" + one.policy + "]";
      one.does = word == "pass" ? Does::Pass : word == "fail" ? Does::Fail : Does::Skip;
      out.outcomes.push_back(std::move(one));
    }
  }

  // A policy that is not there does not apply to anything, so `skip` would be met in vain.
  void check_outcomes(const Case& test, const std::vector<InputObject>& policies) {
    std::vector<std::string> names;
    for (const auto* objects : {&policies, &test.objects}) {
      for (const InputObject& o : *objects) {
        if (role_of(o) == Role::Policy) names.emplace_back(o.name);
      }
    }
    for (const ExpectedOutcome& o : test.expected.outcomes) {
      if (std::ranges::count(names, o.policy) == 0)
        fail(o.path, "no policy has the name " + quote_json(o.policy) + suggestion(o.policy, names));
    }
  }

  // A policy without a binding allows everything, which is no ground to call it right.
  void warn_of_unbound(const std::vector<InputObject>& policies, const Expected& expected) {
    for (const InputObject& p : policies) {
      const bool bound =
          role_of(p) != Role::Policy || std::ranges::any_of(policies, [&](const InputObject& b) {
            return role_of(b) == Role::Binding && binds(b, p);
          });
      const bool expected_so = std::ranges::count(expected.outcomes, p.name, &ExpectedOutcome::policy) > 0;
      if (!bound && !expected_so) {
        warn(p.file, p.locate("metadata.name"),
             "no binding names this policy, so it decides nothing, and a case that is allowed says nothing "
             "about it",
             "give the binding in policies or bindings, or set bindAll: true; `results` may expect that it "
             "is skipped");
      }
    }
  }

  Suite& suite_;
  SuiteObjects objects_;
  size_t said_ = 0;
  std::set<std::string> told_;
};

// Whether it is a suite of gator, which tests templates and constraints of Gatekeeper.
bool is_gator_suite(const Value& root) {
  return root.is(Kind::Map) && text_member(root, "kind") == "Suite" &&
         text_member(root, "apiVersion").starts_with("test.gatekeeper.sh/");
}

bool read_suite_document(Suite& suite) {
  if (is_gator_suite(suite.document->value)) {
    say(Severity::Error, suite.file->name, suite.locate("kind"),
        "this is a suite of gator, whose tests are about templates and constraints of Gatekeeper",
        suite.file->text,
        "a suite here has policies, and cases with an object and what is expected, such as allowed or "
        "denied; "
        "`portcullis test --init POLICY` writes one, docs/testing.md describes them");
    return false;
  }
  return is_kyverno_test(suite.document->value) ? read_kyverno(suite) : SuiteReader(suite).read();
}

}  // namespace

bool find_suites(const std::vector<std::string>& paths, const ReadOptions& options,
                 std::vector<std::string>& files, std::vector<LeftOut>& left_out) {
  ReadOptions below = options;
  below.recursive = true;
  bool all = true;
  for (const std::string& path : paths) {
    size_t found = 0;
    const FoundFiles below_path = find_manifests(path, below);
    const size_t known = left_out.size();
    for (const LeftOut& l : below_path.left_out) {
      if (has_suite_name(l.file) || nearly_has_suite_name(l.file) || is_linked_directory(l.file))
        left_out.push_back(l);
    }
    for (const FoundFile& f : below_path.files) {
      if (!f.error.empty()) {
        say(Severity::Error, f.path, {}, f.error);
        all = false;
      } else if (f.named || has_suite_name(f.path)) {
        found++;
        if (std::ranges::count(files, f.path) == 0) files.push_back(f.path);
      } else if (nearly_has_suite_name(f.path)) {
        left_out.push_back(
            {f.path, "suites are named *_test.yaml, portcullis-test.yaml or kyverno-test.yaml"});
      }
    }
    say_left_out(std::span(left_out).subspan(known));
    if (found > 0 || !all) continue;
    all = false;
    say(Severity::Error, path, {},
        "no suite below it; suites are named *_test.yaml, portcullis-test.yaml or kyverno-test.yaml");
  }
  return all;
}

bool read_suites(const std::string& file, std::vector<std::unique_ptr<Suite>>& out) {
  auto first = std::make_unique<Suite>();
  const SourceFile* source = first->inputs.read_documents_of(file);
  if (source == nullptr) return false;
  bool good = true, any = false;
  for (const YamlDocument& d : source->documents) {
    if (d.value.is_null()) continue;
    // Each document is a suite with its own inputs, so that none outlives what it refers to.
    std::unique_ptr<Suite> suite = any ? std::make_unique<Suite>() : std::move(first);
    const SourceFile* own = any ? suite->inputs.read_documents_of(file) : source;
    if (own == nullptr) return false;
    suite->file = own;
    suite->document = &own->documents[static_cast<size_t>(&d - source->documents.data())];
    suite->files.push_back(file);
    any = true;
    good &= read_suite_document(*suite);
    out.push_back(std::move(suite));
  }
  if (!any) say(Severity::Error, file_name(file), {}, "there is no suite in it");
  return good && any;
}

}  // namespace portcullis::suites
