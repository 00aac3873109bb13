// See kyverno.h.
#include "cli/suites/kyverno.h"

#include <algorithm>
#include <array>

#include "cli/messages/messages.h"
#include "cli/suites/objects.h"
#include "interpreter/values/changed.h"

namespace portcullis::suites {
namespace {

// The members of a Test, of its results, and of a file of values; those without effect on policies of Kubernetes have
// a reason.
struct Known {
  std::string_view name, without = {};
  std::string_view wanted = {};  // "a list"; empty: anything
};
constexpr std::string_view kOfKyverno = "it is about Kyverno's own policies";
constexpr std::string_view kList = "a list", kText = "a text", kFlag = "true or false";
constexpr Known kTest[] = {{"apiVersion"},
                           {"kind"},
                           {"metadata"},
                           {"name", {}, kText},
                           {"policies", {}, kList},
                           {"resources", {}, kList},
                           {"paramResources", {}, kList},
                           {"userinfo"},
                           {"variables"},
                           {"values"},
                           {"results", {}, kList},
                           {"clusterResources", {}, kList},
                           {"crds", {}, kList},
                           {"targetResources", kOfKyverno},
                           {"exceptions", kOfKyverno},
                           {"context", kOfKyverno},
                           {"globalContextEntries", kOfKyverno},
                           {"apiCallResponses", kOfKyverno},
                           {"jsonPayload", kOfKyverno},
                           {"jsonPayloads", kOfKyverno},
                           {"httpPayload", kOfKyverno},
                           {"httpPayloads", kOfKyverno},
                           {"envoyPayloads", kOfKyverno},
                           {"checks", "checks are written for reports of Kyverno"}};
constexpr Known kResult[] = {{"policy", {}, kText},
                             {"kind"},
                             {"resource", {}, kText},
                             {"resources", {}, kList},
                             {"resourceSpecs", {}, kList},
                             {"namespace", {}, kText},
                             {"result", {}, kText},
                             {"status", {}, kText},
                             {"isValidatingAdmissionPolicy", {}, kFlag},
                             {"isMutatingAdmissionPolicy", {}, kFlag},
                             {"isValidatingPolicy", {}, kFlag},
                             {"isMutatingPolicy", {}, kFlag},
                             {"isImageValidatingPolicy", {}, kFlag},
                             {"isGeneratingPolicy", {}, kFlag},
                             {"isDeletingPolicy", {}, kFlag},
                             {"patchedResources", {}, kText},
                             {"patchedResource", {}, kText},
                             {"operation", {}, kText},
                             {"rule", "policies of Kubernetes have no rules with names"},
                             {"failOnMissingResources", "a resource that is missing is an error here"},
                             {"generatedResource", kOfKyverno},
                             {"generatedResources", kOfKyverno},
                             {"cloneSourceResource", kOfKyverno},
                             {"autogen", kOfKyverno}};
constexpr Known kValues[] = {{"apiVersion"},
                             {"kind"},
                             {"metadata"},
                             {"namespaceSelector", {}, kList},
                             {"namespaces", {}, kList},
                             {"globalValues", "there are no variables in policies of Kubernetes"},
                             {"policies", "there are no variables in policies of Kubernetes"},
                             {"subresources", "subresources have cases of their own"}};

// Of a result: says that its policy is one of Kyverno's own kinds.
constexpr std::string_view kOwnKinds[] = {"isValidatingPolicy", "isMutatingPolicy", "isImageValidatingPolicy",
                                          "isGeneratingPolicy", "isDeletingPolicy"};

bool is_wanted(const Value& v, std::string_view wanted) {
  return wanted.empty() || v.is_null() ||
         v.is(wanted == kList   ? Kind::List
              : wanted == kText ? Kind::String
                                : Kind::Bool);
}

bool is_kubernetes_policy(const InputObject& o) { return role_of(o) == Role::Policy; }

class KyvernoReader {
 public:
  explicit KyvernoReader(Suite& suite) : suite_(suite), objects_(suite), root_(suite.document->value) {}

  bool read() {
    know(root_, kTest, "", "a Test of Kyverno");
    read_name();
    policies_ = files("policies");
    resources_ = files("resources");
    params_ = files("paramResources");
    for (const char* name : {"clusterResources", "crds"}) {
      std::vector<InputObject> more = files(name);
      params_.insert(params_.end(), more.begin(), more.end());
    }
    read_values();
    read_user();
    if (errors_ + objects_.errors() > 0) return false;
    options_.policies = files_of(suite_, policies_);
    objects_.bind_all(policies_);
    const auto others = std::ranges::stable_partition(
        policies_, [](const InputObject& o) { return role_of(o) != Role::Other; });
    others_.assign(others.begin(), others.end());
    policies_.erase(others.begin(), others.end());
    const Value* results = find_member(root_, "results", Kind::List);
    if (results == nullptr || results->size() == 0) return fail("", "this Test has no results"), false;
    for (size_t i = 0; i < results->size(); i++)
      read_result(results->as_list()[i], "results[" + std::to_string(i) + "]");
    return errors_ + objects_.errors() == 0;
  }

 private:
  void fail(const std::string& path, std::string_view text, bool key = false) {
    errors_++;
    say(Severity::Error, suite_.file->name, suite_.locate(path, key), text, suite_.file->text);
  }

  void know(const Value& map, std::span<const Known> table, const std::string& path, std::string_view of) {
    if (!map.is(Kind::Map)) return fail(path, std::string(of) + " is a mapping");
    std::vector<std::string> names;
    for (const Known& k : table) names.emplace_back(k.name);
    for (const MapEntry& e : map.as_map()) {
      const std::string name(e.key.as_text()), at = path.empty() ? name : path + "." + name;
      auto found = std::ranges::find(table, name, &Known::name);
      if (found == table.end()) {
        fail(at, std::string(of) + " has no member " + quote_json(name) + suggestion(name, names), true);
      } else if (!is_wanted(e.value, found->wanted)) {
        fail(at, name + " is not " + std::string(found->wanted));
      } else if (!found->without.empty()) {
        suite_.unused.push_back({at, name + " has no effect here: " + std::string(found->without)});
      }
    }
  }

  void read_name() {
    suite_.name = text_member(root_, "name");
    const Value* metadata = find_member(root_, "metadata");
    if (metadata != nullptr) suite_.name = text_member(*metadata, "name");
  }

  std::vector<InputObject> files(const std::string& name) {
    std::vector<InputObject> out;
    const Value* list = find_member(root_, name, Kind::List);
    for (size_t i = 0; list != nullptr && i < list->size(); i++) {
      const std::string path = name + "[" + std::to_string(i) + "]";
      if (list->as_list()[i].is(Kind::String)) {
        objects_.add(list->as_list()[i], path, false, out);
      } else {
        fail(path, "the name of a file is wanted here");
      }
    }
    return out;
  }

  // The document of a file that a member names, or the member itself.
  const Value* content(std::string_view name, std::string& path) {
    const Value* v = find_member(root_, name);
    path = name;
    if (v == nullptr || !v->is(Kind::String)) return v;
    const std::vector<InputObject>& found = objects_.file(std::string(v->as_text()), path);
    return found.empty() ? nullptr : &found[0].value;
  }

  void read_values() {
    for (const char* name : {"variables", "values"}) {
      std::string path;
      const Value* values = content(name, path);
      if (values == nullptr) continue;
      know_values(*values, path);
      const Value* spaces = find_member(*values, "namespaceSelector", Kind::List);
      for (size_t i = 0; spaces != nullptr && i < spaces->size(); i++)
        add_namespace(&spaces->as_list()[i], path);
      const Value* whole = find_member(*values, "namespaces", Kind::List);
      for (size_t i = 0; whole != nullptr && i < whole->size(); i++) {
        const Value& one = whole->as_list()[i];
        add_namespace(one.is(Kind::Map) ? find_member(one, "metadata") : nullptr, path);
      }
    }
  }
  // Values may stand in another file, so what is wrong is told at the member that names it.
  void know_values(const Value& values, const std::string& path) {
    if (!values.is(Kind::Map)) return fail(path, "values are a mapping");
    for (const MapEntry& e : values.as_map()) {
      const std::string name(e.key.as_text());
      auto found = std::ranges::find(kValues, name, &Known::name);
      if (found == std::end(kValues)) {
        fail(path, "values have no member " + quote_json(name));
      } else if (!is_wanted(e.value, found->wanted)) {
        fail(path, name + " is not " + std::string(found->wanted));
      } else if (!found->without.empty()) {
        suite_.unused.push_back({path, name + " has no effect here: " + std::string(found->without)});
      }
    }
  }
  // `given`: the metadata of a Namespace, or a selector, which has its name and labels. `path`: of the values.
  void add_namespace(const Value* given, const std::string& path) {
    if (given == nullptr || !given->is(Kind::Map) || text_member(*given, "name").empty())
      return fail(path, "a namespace has no name");
    const Value& named = *given;
    Arena& arena = suite_.inputs.arena();
    Value metadata = with_member(arena, no_members(), "name", Value::string(text_member(named, "name")));
    if (const Value* labels = find_member(named, "labels"))
      metadata = with_member(arena, metadata, "labels", *labels);
    Value space = with_member(arena, no_members(), "apiVersion", Value::string("v1"));
    space = with_member(arena, space, "kind", Value::string("Namespace"));
    space = with_member(arena, space, "metadata", metadata);
    params_.push_back({.file = suite_.file,
                       .document = suite_.document,
                       .path = "variables#" + std::to_string(params_.size()),
                       .value = space,
                       .api_version = "v1",
                       .kind = "Namespace",
                       .name = text_member(named, "name")});
  }

  void read_user() {
    std::string path;
    const Value* given = content("userinfo", path);
    if (given == nullptr) return;
    const Value* info = find_member(*given, "userInfo");
    if (info == nullptr) info = given;
    options_.user = text_member(*info, "username");
    if (const Value* groups = find_member(*info, "groups", Kind::List)) {
      for (const Value& g : groups->as_list())
        options_.groups.emplace_back(g.is(Kind::String) ? g.as_text() : "");
    }
    for (const char* name : {"roles", "clusterRoles"}) {
      const bool there = find_member(*given, name) != nullptr || find_member(*info, name) != nullptr;
      if (there)
        suite_.unused.push_back(
            {path, std::string(name) + " has no effect here: policies of Kubernetes see no roles"});
    }
  }

  // --- results ---

  void read_result(const Value& result, const std::string& path) {
    const size_t errors = errors_;
    know(result, kResult, path, "a result");
    if (errors_ != errors) return;
    const std::string policy(text_member(result, "policy"));
    if (std::ranges::any_of(kOwnKinds, [&](std::string_view kind) { return flag(result, kind); }))
      return skip(path, policy, std::string(kOfKyverno));
    const bool validating = flag(result, "isValidatingAdmissionPolicy"),
               mutating = flag(result, "isMutatingAdmissionPolicy");
    std::vector<InputObject> candidates;
    std::ranges::copy_if(policies_, std::back_inserter(candidates), [&](const InputObject& o) {
      return is_kubernetes_policy(o) && (!validating || !is_mutating(o)) && (!mutating || is_mutating(o));
    });
    const auto found = std::ranges::find(candidates, policy, &InputObject::name);
    if (found == candidates.end()) {
      const std::string_view kind = validating ? "ValidatingAdmissionPolicy"
                                    : mutating ? "MutatingAdmissionPolicy"
                                               : "policy";
      const bool of_kyverno = !validating && !mutating && is_kyverno_policy(policy);
      return of_kyverno ? skip(path, policy, std::string(kOfKyverno))
                        : fail_without_policy(path, policy, candidates, kind);
    }
    ExpectedOutcome expected{.policy = policy, .path = path + ".result", .mutating = is_mutating(*found)};
    if (!read_does(result, path, expected.does)) return;
    const std::vector<InputObject> patched = patched_objects(result, path);
    const std::vector<const InputObject*> meant = meant_by(result, path);
    for (const InputObject* o : meant) add(result, path, *o, expected, patched);
  }

  // Whether it is one of Kyverno's own; results write the namespace of a policy before its name.
  bool is_kyverno_policy(std::string_view policy) const {
    return std::ranges::any_of(others_, [&](const InputObject& o) {
      return o.group().ends_with("kyverno.io") && o.name == policy.substr(policy.find('/') + 1);
    });
  }

  // Kyverno counts such a result as failed, too. `kind`: that of the candidates.
  void fail_without_policy(const std::string& path, const std::string& policy,
                           const std::vector<InputObject>& candidates, std::string_view kind) {
    if (policy.empty()) return fail(path, "the policy of this result is missing");
    std::vector<std::string> names;
    for (const InputObject& o : candidates) names.emplace_back(o.name);
    fail(path + ".policy", "no " + std::string(kind) + " in the files of this Test has the name " +
                               quote_json(policy) + suggestion(policy, names));
  }

  static bool flag(const Value& result, std::string_view name) {
    const Value* v = find_member(result, name, Kind::Bool);
    return v != nullptr && v->as_bool();
  }

  void skip(const std::string& path, const std::string& policy, std::string why) {
    Case& out = add_case(suite_, path);
    out.name = policy;
    out.skipped = std::move(why);
    add_to_batch(suite_, out, options_, policies_, params_);
  }

  bool read_does(const Value& result, const std::string& path, ExpectedOutcome::Does& out) {
    using Does = ExpectedOutcome::Does;
    std::string_view word = text_member(result, "result");
    if (word.empty()) word = text_member(result, "status");
    if (word == "pass") out = Does::Pass;
    if (word == "fail" || word == "warn") out = Does::Fail;
    if (word == "skip") out = Does::Skip;
    if (word == "error") out = Does::Fail;
    static constexpr std::array<std::string_view, 5> kWords = {"pass", "fail", "skip", "warn", "error"};
    const bool known = std::ranges::count(kWords, word) > 0;
    if (!known) fail(path + ".result", "one of pass, fail, skip, warn and error is wanted here");
    return known;
  }

  std::vector<InputObject> patched_objects(const Value& result, const std::string& path) {
    std::vector<InputObject> out;
    for (const char* name : {"patchedResources", "patchedResource"}) {
      const Value* v = find_member(result, name, Kind::String);
      if (v != nullptr) objects_.add(*v, path + "." + name, false, out);
    }
    return out;
  }

  static bool has_name(const InputObject& o, std::string_view wanted) {
    const size_t slash = wanted.find('/');
    if (slash == wanted.npos) return o.name == wanted;
    const std::string_view space = o.namespace_name.empty() ? "default" : o.namespace_name;
    return o.name == wanted.substr(slash + 1) && space == wanted.substr(0, slash);
  }

  // The resources of a result: of its kind, and of its names if it has any.
  std::vector<const InputObject*> meant_by(const Value& result, const std::string& path) {
    std::vector<const InputObject*> out;
    const std::string_view kind = text_member(result, "kind"), space = text_member(result, "namespace");
    auto fits = [&](const InputObject& o) {
      return (kind.empty() || o.kind == kind) && (space.empty() || o.namespace_name == space);
    };
    std::vector<std::pair<std::string, std::string>> names;  // with their paths
    if (const Value* one = find_member(result, "resource", Kind::String))
      names.emplace_back(one->as_text(), path + ".resource");
    if (const Value* list = find_member(result, "resources", Kind::List)) {
      for (size_t i = 0; i < list->size(); i++) {
        const Value& name = list->as_list()[i];
        names.emplace_back(name.is(Kind::String) ? name.as_text() : "",
                           path + ".resources[" + std::to_string(i) + "]");
      }
    }
    if (const Value* list = find_member(result, "resourceSpecs", Kind::List)) {
      for (size_t i = 0; i < list->size(); i++) {
        const std::string_view own = text_member(list->as_list()[i], "namespace");
        names.emplace_back((own.empty() ? "" : std::string(own) + "/") +
                               std::string(text_member(list->as_list()[i], "name")),
                           path + ".resourceSpecs[" + std::to_string(i) + "]");
      }
    }
    for (const auto& [name, at] : names) {
      const size_t before = out.size();
      for (const InputObject& o : resources_) {
        if (fits(o) && has_name(o, name)) out.push_back(&o);
      }
      if (out.size() == before) fail(at, "no resource of this kind has the name " + quote_json(name));
    }
    for (const InputObject& o : resources_) {
      if (names.empty() && fits(o)) out.push_back(&o);
    }
    if (names.empty() && out.empty()) fail(path, "no resource is of this kind");
    return out;
  }

  void add(const Value& result, const std::string& path, const InputObject& object,
           const ExpectedOutcome& expected, const std::vector<InputObject>& patched) {
    Case& out = add_case(suite_, path);
    out.name = expected.policy + ", " + std::string(object.kind) + " " + std::string(object.name) + ", " +
               std::string(text_member(result, "result"));
    out.objects = {object};
    out.expected.outcomes = {expected};
    ReviewOptions options = options_;
    options.operation = text_member(result, "operation");
    out.settings = Session::settings_of(options);
    out.settings.same_old = options.operation == "UPDATE";
    auto found = std::ranges::find_if(patched, [&](const InputObject& p) {
      return p.kind == object.kind && p.name == object.name &&
             (p.namespace_name == object.namespace_name || p.namespace_name.empty() ||
              object.namespace_name.empty());
    });
    if (found != patched.end()) {
      out.expected.mutation = ExpectedMutation{.path = path + ".patchedResources", .object = *found};
    } else if (!patched.empty() && expected.does == ExpectedOutcome::Does::Pass) {
      return fail(path + ".patchedResources",
                  "no patched resource is the " + std::string(object.kind) + " " + std::string(object.name));
    }
    add_to_batch(suite_, out, options, policies_, params_);
  }

  Suite& suite_;
  SuiteObjects objects_;
  const Value& root_;
  ReviewOptions options_;
  std::vector<InputObject> policies_, resources_, params_;
  std::vector<InputObject> others_;  // what else the files of policies have
  size_t errors_ = 0;
};

}  // namespace

bool is_kyverno_test(const Value& document) {
  const std::string_view version = text_member(document, "apiVersion");
  const bool of_kyverno = version.starts_with("cli.kyverno.io/") || version.starts_with("kyverno.io/");
  return text_member(document, "kind") == "Test" || of_kyverno;
}

bool read_kyverno(Suite& suite) { return KyvernoReader(suite).read(); }

}  // namespace portcullis::suites
