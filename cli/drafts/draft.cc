// See draft.h.
#include "cli/drafts/draft.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "cli/drafts/definitions.h"
#include "cli/drafts/search.h"
#include "cli/drafts/selectors.h"
#include "cli/messages/messages.h"
#include "cli/suites/objects.h"
#include "cli/suites/read.h"
#include "cli/suites/runner.h"
#include "interpreter/values/json.h"
#include "manifests/other_engines.h"
#include "manifests/yaml.h"

namespace portcullis::drafts {
namespace {

namespace fs = std::filesystem;

std::string yaml_of(const std::string& json, const std::string& indent) {
  std::string out;
  const std::string text = json_as_yaml(json);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out += indent + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

size_t count_of(const InputObject& policy) { return list_at(policy.value, "spec.validations").size(); }

// What is said where something has no case.
struct Missing {
  const InputObject* object;
  std::string path, text;
};
// A case: what a suite says of the request, and what may be expected of it, the best first. If nothing of that
// comes, it is left out.
struct DraftedCase {
  std::string request;
  std::vector<std::string> expected;
  Missing otherwise;
  size_t chosen = 0;  // of `expected`
  bool is_left_out() const { return chosen >= expected.size(); }
};

class Draft {
 public:
  explicit Draft(const std::string& file) : file_(file) {}

  int run() {
    std::vector<InputObject> policies = suite_.inputs.read(std::vector{file_}, {});
    if (suite_.inputs.errors() > 0) return kNoVerdict;
    const fs::path path(file_);
    const std::string target = (path.parent_path() / (path.stem().string() + "_test.yaml")).string();
    if (fs::exists(target)) return refuse(target + " is there already; it is not overwritten");
    suites::SuiteObjects objects(suite_);
    std::vector<InputObject> definitions;
    for (const InputObject& o : policies) {
      resources_.add_definition(o.value);
      if (role_of(o) == Role::Definition) definitions.push_back(o);
      if (role_of(o) == Role::Configuration) let_through(o);
      has_policies_ |= role_of(o) == Role::Policy || role_of(o) == Role::Configuration;
    }
    const std::vector<InputObject> own = policies;
    for (const InputObject& o : own) bind_to_param(o, policies);
    const size_t before = policies.size();
    objects.bind_all(policies);
    const std::vector<InputObject> all = policies;
    for (const InputObject& o : own) {
      if (role_of(o) == Role::Policy) add(o, all, definitions);
    }
    for (const InputObject& o : definitions) add_definition(o, all);
    const bool bound = policies.size() > before;
    if (!cases_.empty() && !(write(target, bound) && choose(target, bound)))
      return refuse(target + " cannot be written");
    const auto written = std::ranges::count_if(cases_, [](const DraftedCase& c) { return !c.is_left_out(); });
    if (written == 0) {
      if (!cases_.empty()) fs::remove(target);
      say(Severity::Error, {}, {}, "no case was found for the policies and definitions in " + file_, {},
          other_engines_hint(own));
      return kNoVerdict;
    }
    say(Severity::Note, target, {},
        std::to_string(written) + (written == 1 ? " case" : " cases") + " written");
    return kAdmitted;
  }

 private:
  // A policy with params and without a binding gets one that finds a param by the policy's name.
  void bind_to_param(const InputObject& policy, std::vector<InputObject>& policies) {
    if (role_of(policy) != Role::Policy || param_kind(policy) == nullptr ||
        binding_of(policy, policies) != nullptr)
      return;
    const std::string name = quote_json(policy.name);
    bindings_.push_back("{\"apiVersion\":" + quote_json(policy.api_version) + ",\"kind\":\"" +
                        std::string(policy.kind) + "Binding\",\"metadata\":{\"name\":" + name +
                        "},\"spec\":{\"policyName\":" + name + ",\"paramRef\":{\"name\":" + name +
                        ",\"parameterNotFoundAction\":\"Deny\"}" +
                        (is_mutating(policy) ? "}}" : ",\"validationActions\":[\"Deny\"]}}"));
    for (InputObject& made : suite_.inputs.read_text(bindings_.back(), "(binding)")) policies.push_back(made);
  }
  // The suite is about policies, so webhooks admit.
  void let_through(const InputObject& configuration) {
    for (const Value& hook : list_at(configuration.value, "webhooks"))
      webhooks_.emplace(text_member(hook, "name"));
  }
  // The policy's first binding; null if it has none.
  static const InputObject* binding_of(const InputObject& policy, const std::vector<InputObject>& objects) {
    auto found = std::ranges::find_if(objects, [&](const InputObject& o) { return binds(o, policy); });
    return found == objects.end() ? nullptr : &*found;
  }

  // The param that the policy's binding finds, and in `selected` the namespace in which requests find it.
  Param param_of(const InputObject& policy, const std::vector<InputObject>& objects,
                 Selected& selected) const {
    const Value* kind = param_kind(policy);
    const InputObject* binding = binding_of(policy, objects);
    const Value* ref = binding == nullptr ? nullptr : find_path(binding->value, "spec.paramRef");
    if (kind == nullptr || ref == nullptr) return {};
    const std::string api_version(text_member(*kind, "apiVersion")), name(text_member(*kind, "kind"));
    // Without a namespace in the paramRef, it is looked for in that of the request.
    std::string space(text_member(*ref, "namespace"));
    const bool namespaced = resources_.find(api_version, name).namespaced;
    const bool of_request = namespaced && space.empty();
    auto there = std::ranges::find_if(objects, [&](const InputObject& o) {
      return o.api_version == api_version && o.kind == name && refers_to(*ref, o);
    });
    if (there != objects.end()) {
      if (of_request && selected.namespace_name.empty()) selected.namespace_name = there->namespace_name;
      return {.there = to_json(there->value)};
    }
    if (of_request) space = selected.namespace_name.empty() ? "default" : selected.namespace_name;
    std::string metadata(text_member(*ref, "name"));
    metadata = "\"name\":" + quote_json(metadata.empty() ? std::string(policy.name) : metadata);
    if (namespaced) metadata += ",\"namespace\":" + quote_json(space);
    if (const Value* labels = find_path(*ref, "selector.matchLabels"))
      metadata += ",\"labels\":" + to_json(*labels);
    return {.smallest = "{\"apiVersion\":" + quote_json(api_version) + ",\"kind\":" + quote_json(name) +
                        ",\"metadata\":{" + metadata + "}}"};
  }
  // Whether an object has the name or the labels, and the namespace, that a paramRef asks for.
  static bool refers_to(const Value& ref, const InputObject& o) {
    const std::string_view name = text_member(ref, "name"), space = text_member(ref, "namespace");
    if (!name.empty() && name != o.name) return false;
    if (!space.empty() && space != (o.namespace_name.empty() ? "default" : o.namespace_name)) return false;
    const Value *wanted = find_path(ref, "selector.matchLabels"),
                *labels = find_path(o.value, "metadata.labels");
    if (wanted == nullptr || !wanted->is(Kind::Map)) return true;
    return std::ranges::all_of(wanted->as_map(), [&](const MapEntry& e) {
      const std::string_view key = e.key.as_text();
      return labels != nullptr && e.value.is(Kind::String) && text_member(*labels, key) == e.value.as_text();
    });
  }

  int refuse(const std::string& text) {
    say(Severity::Error, {}, {}, text);
    return kNoVerdict;
  }

  void note(const Missing& missing) {
    const InputObject& object = *missing.object;
    say(Severity::Warning, object.file->name, object.locate(missing.path), missing.text);
  }
  void note(const InputObject& policy, const std::string& path, const std::string& text) {
    note({&policy, path, text});
  }

  // Objects of custom kinds begin with the one that their definition suggests.
  void take_example(ObjectKind& kind, const std::vector<InputObject>& policies,
                    const std::vector<InputObject>& definitions) {
    const auto [known, fresh] = examples_.try_emplace(kind.api_version + " " + kind.kind);
    for (const InputObject& o : definitions) {
      const Value* name = find_path(o.value, "spec.names.kind");
      const Value* group = find_path(o.value, "spec.group");
      const bool named = fresh && name != nullptr && name->is(Kind::String) && name->as_text() == kind.kind;
      if (!named || group == nullptr || !group->is(Kind::String) ||
          !kind.api_version.starts_with(std::string(group->as_text()) + "/"))
        continue;
      const Beside beside{policies, {}};
      known->second = example_of(o, beside, kind.api_version);
    }
    kind.example = known->second.object;
    kind.schema = known->second.schema;
  }

  void add(const InputObject& policy, const std::vector<InputObject>& policies,
           const std::vector<InputObject>& definitions) {
    const Reads reads = reads_of(policy);
    Selected selected = selected_by(policy, binding_of(policy, policies));
    Param param = param_of(policy, policies, selected);
    std::vector<ObjectKind> kinds = kinds_of(policy, reads, param.there, resources_);
    for (ObjectKind& kind : kinds) take_example(kind, policies, definitions);
    if (kinds.empty())
      return note(policy, "spec.matchConstraints", "no kind is known that the rules let through");
    if (const ObjectKind& k = kinds[0]; !k.guessed_from.empty())
      note(policy, "spec.matchConstraints",
           "no definition says which kind " + k.guessed_from + " have; " + k.kind + " of " + k.api_version +
               " is a guess");
    Found found = search(policy, policies, kinds[0], reads, selected, param);
    if (!found.param.empty()) param = {.smallest = found.param, .fixed = true};  // a suite has one
    for (size_t i = 1; i < kinds.size() && lacks(policy, found); i++) {
      Found more = search(policy, policies, kinds[i], reads, selected, param);
      found.failing.merge(more.failing);
      if (!found.passing || (more.passing && more.passing->allowed && !found.passing->allowed))
        found.passing = std::move(more.passing);
      if (more.changed && (!found.changed || (more.changed->allowed && !found.changed->allowed))) {
        found.changed = std::move(more.changed);
        found.changes = std::move(more.changes);
      }
      if (!found.same) found.same = std::move(more.same);
    }
    if (found.passing) keep_known(*found.passing);
    if (found.tried == 0 && !found.errors.empty()) {
      for (const Message& m : found.errors) say(m);
      return;
    }
    const bool any = found.passing || found.changed || found.same || !found.failing.empty();
    if (any && !found.param.empty()) params_.push_back(found.param);
    is_mutating(policy) ? add_mutations(policy, found, reads) : add_validations(policy, found, reads);
  }

  static bool lacks(const InputObject& policy, const Found& found) {
    return is_mutating(policy) ? !found.changed || !found.same
                               : !found.passing || found.failing.size() < count_of(policy);
  }

  // Objects that all policies admit are known to those of definitions.
  void keep_known(const TriedObject& object) {
    const bool plain = object.operation == "CREATE" && object.subresource.empty() && object.setup == Setup();
    if (object.allowed && plain) known_.push_back(object.json);
  }

  void add_mutations(const InputObject& policy, const Found& found, const Reads& reads) {
    const std::string name(policy.name);
    const Missing no_change{&policy, "spec.mutations",
                            "no object was found that this policy changes" + why(reads)};
    const Missing not_same{&policy, "spec.mutations",
                           "no object was found that this policy leaves as it is" + why(reads)};
    if (found.changed) {
      std::vector<std::string> expected;
      if (!found.changes.empty())
        expected.push_back("  mutated:\n    changes:\n" + yaml_of(found.changes, "      "));
      expected.emplace_back("  mutated: true\n");
      add_case(name + " changes", *found.changed, std::move(expected), no_change);
    } else {
      note(no_change);
    }
    found.same ? add_case(name + " leaves as it is", *found.same, {"  mutated: false\n"}, not_same)
               : note(not_same);
  }

  void add_validations(const InputObject& policy, const Found& found, const Reads& reads) {
    const std::string name(policy.name), passes = "  results: {" + quote_json(name) + ": pass}\n";
    const Missing none_passes{&policy, "spec.validations",
                              "no object was found that passes all validations" + why(reads)};
    if (found.passing) {
      std::vector<std::string> expected = {passes};
      if (found.passing->allowed) expected.insert(expected.begin(), "  allowed: true\n" + passes);
      add_case(name + " admits", *found.passing, std::move(expected), none_passes);
    } else {
      note(none_passes);
    }
    for (size_t i = 0; i < count_of(policy); i++) {
      auto failing = found.failing.find(static_cast<int>(i));
      const Missing none_fails{&policy, "spec.validations[" + std::to_string(i) + "].expression",
                               "no object was found that fails this validation" + why(reads)};
      if (failing == found.failing.end()) {
        note(none_fails);
        continue;
      }
      const Failing& f = failing->second;
      std::vector<std::string> expected = {"  results: {" + quote_json(name) + ": fail}\n"};
      if (f.denied)
        expected.insert(expected.begin(), "  denied:\n    policy: " + quote_json(name) +
                                              "\n    validation: " + std::to_string(i) +
                                              "\n    message: " + quote_json(f.message) + "\n");
      add_case(name + ", validation " + std::to_string(i), f.object, std::move(expected), none_fails);
    }
  }
  static std::string why(const Reads& reads) { return reads.others ? "; it reads more than the object" : ""; }

  static std::string listed(const std::vector<std::string>& texts) {
    std::string out;
    for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + quote_json(text);
    return out;
  }
  void add_case(const std::string& name, const TriedObject& object, std::vector<std::string> expected,
                Missing otherwise) {
    std::string text = "- name: " + quote_json(name) + "\n";
    if (object.operation != "CREATE") text += "  operation: " + object.operation + "\n";
    if (object.operation == "UPDATE")
      text += object.old.empty() ? "  oldObject: same\n" : "  oldObject:\n" + yaml_of(object.old, "    ");
    if (!object.subresource.empty()) text += "  subresource: " + object.subresource + "\n";
    const Setup& setup = object.setup;
    if (!setup.user.empty()) text += "  user: " + quote_json(setup.user) + "\n";
    if (!setup.groups.empty()) text += "  groups: [" + listed(setup.groups) + "]\n";
    if (!setup.namespace_name.empty()) text += "  namespace: " + quote_json(setup.namespace_name) + "\n";
    if (!setup.namespace_labels.empty())
      text += "  namespaceLabels: [" + listed(setup.namespace_labels) + "]\n";
    text += "  object:\n" + yaml_of(object.json, "    ");
    cases_.push_back({std::move(text), std::move(expected), std::move(otherwise)});
  }

  static std::string list_of(const std::string& member, const std::vector<std::string>& objects) {
    std::string out;
    for (const std::string& o : objects) {
      std::string yaml = yaml_of(o, "  ");
      yaml[0] = '-';
      out += yaml;
    }
    return out.empty() ? out : member + ":\n" + out;
  }

  void add_definition(const InputObject& definition, const std::vector<InputObject>& all) {
    const Beside beside{all, params_};
    const DefinitionCases found = cases_of(definition, beside, known_);
    for (const auto& [path, text] : found.missing) note(definition, path, text);
    for (const DefinitionCase& c : found.cases) {
      std::string denied;
      for (const std::string& text : c.denials) denied += (denied.empty() ? "" : ", ") + quote_json(text);
      if (c.denials.size() > 1) denied = "[" + denied + "]";
      std::string text = "- name: " + quote_json(c.name) + "\n";
      if (!c.old.empty()) text += "  oldObject:\n" + yaml_of(c.old, "    ");
      text += "  object:\n" + yaml_of(c.object, "    ");
      cases_.push_back({std::move(text),
                        {denied.empty() ? "  allowed: true\n" : "  denied: " + denied + "\n"},
                        {&definition, "spec", "no object was found for the case " + quote_json(c.name)}});
    }
  }

  bool write(const std::string& target, bool bound) {
    std::string out =
        (has_policies_ ? "policies: " : "crds: ") + quote_json(fs::path(file_).filename().string()) + "\n";
    if (bound) out += "bindAll: true\n";
    out += list_of("bindings", bindings_) + list_of("params", params_);
    if (!webhooks_.empty()) out += "webhooks:\n";
    for (const std::string& name : webhooks_) out += "  " + quote_json(name) + ": {}\n";
    std::ofstream stream(target, std::ios::binary);
    stream << out << "cases:\n";
    for (const DraftedCase& c : cases_) {
      if (!c.is_left_out()) stream << c.request << c.expected[c.chosen];
    }
    return static_cast<bool>(stream.flush());
  }

  // Runs the suite that was written, and writes it again until all its cases pass: a case that does not expects
  // something else, or is left out, which is said. False if it cannot be written.
  bool choose(const std::string& target, bool bound) {
    for (;;) {
      std::vector<DraftedCase*> written;
      for (DraftedCase& c : cases_) {
        if (!c.is_left_out()) written.push_back(&c);
      }
      if (written.empty()) return true;
      const std::optional<std::set<size_t>> passed = passing_cases(target);
      if (!passed) return cases_.clear(), fs::remove(target), true;
      if (passed->size() == written.size()) return true;
      for (size_t i = 0; i < written.size(); i++) {
        DraftedCase& c = *written[i];
        if (passed->contains(i + 1)) continue;
        c.chosen++;
        if (c.is_left_out()) note(c.otherwise);
      }
      if (!write(target, bound)) return false;
    }
  }
  // The numbers of the cases that pass, from 1. Nothing if the suite cannot be used, which is said.
  static std::optional<std::set<size_t>> passing_cases(const std::string& target) {
    std::set<size_t> out;
    bool usable = false;
    std::vector<Message> messages;
    {
      Listening quiet;
      std::vector<std::unique_ptr<suites::Suite>> suites;
      if (suites::read_suites(target, suites)) {
        const suites::RunOptions options{.wanted = {}, .quiet = true};
        for (const suites::Batch& batch : suites[0]->batches) {
          suites::BatchResult result = suites::run(batch, options);
          for (const suites::CaseResult& c : result.cases) {
            usable |= c.outcome != suites::Outcome::Unusable;
            if (c.outcome == suites::Outcome::Passed) out.insert(c.test->number);
          }
          for (Message& m : result.messages) messages.push_back(std::move(m));
        }
      }
      for (Message& m : quiet.messages) messages.push_back(std::move(m));
    }
    if (usable) return out;
    for (const Message& m : messages) {
      if (m.severity == Severity::Error) say(m);
    }
    return std::nullopt;
  }

  const std::string& file_;
  suites::Suite suite_;
  Resources resources_;
  std::vector<std::string> bindings_, params_;  // JSON of what the suite has beside the file
  std::set<std::string> webhooks_;              // names of those in the file
  std::vector<DraftedCase> cases_;
  std::map<std::string, Example> examples_;  // by apiVersion and kind
  std::vector<std::string> known_;           // JSON of objects that all policies admit
  bool has_policies_ = false;
};

}  // namespace

int draft(const std::string& file) { return Draft(file).run(); }

}  // namespace portcullis::drafts
