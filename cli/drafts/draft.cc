// See draft.h.
#include "cli/drafts/draft.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cli/drafts/search.h"
#include "cli/messages/messages.h"
#include "cli/suites/objects.h"
#include "interpreter/values/json.h"
#include "manifests/yaml.h"

namespace portcullis::drafts {
namespace {

namespace fs = std::filesystem;

std::string yaml_of(const std::string& json, const std::string& indent) {
  Arena arena;
  Result<Value> value = read_json(json, arena);
  std::string out;
  const std::string text = value.ok() ? to_yaml(*value) : json;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out += indent + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

size_t count_of(const InputObject& policy) {
  const Value* list = find_path(policy.value, "spec.validations");
  return list != nullptr && list->is(Kind::List) ? list->size() : 0;
}

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
    const size_t before = policies.size();
    objects.bind_all(policies);
    const std::vector<InputObject> all = policies;
    for (const InputObject& o : all) resources_.add_definition(o.value);
    for (size_t i = 0; i < before; i++) {
      if (role_of(all[i]) != Role::Policy) continue;
      if (is_mutating(all[i])) {
        note(all[i], "spec.mutations", "no case is written for mutating policies");
      } else {
        add(all[i], all);
      }
    }
    if (cases_ == 0) return refuse("no case was found for the policies in " + file_);
    return write(target, policies.size() > before);
  }

 private:
  int refuse(const std::string& text) {
    say(Severity::Error, {}, {}, text);
    return kNoVerdict;
  }

  void note(const InputObject& policy, const std::string& path, const std::string& text) {
    say(Severity::Warning, policy.file->name, policy.locate(path), text);
  }

  void add(const InputObject& policy, const std::vector<InputObject>& policies) {
    const std::optional<ObjectKind> kind = kind_of(policy, resources_);
    if (!kind) return note(policy, "spec.matchConstraints", "no kind is known that the rules let through");
    const Reads reads = reads_of(policy);
    const Found found = search(policy, policies, *kind, reads);
    const std::string name(policy.name);
    if (found.passing)
      add_case(name + " admits", *kind, *found.passing,
               "  allowed: true\n  results: {" + quote_json(name) + ": pass}\n");
    if (!found.passing)
      note(policy, "spec.validations", "no object was found that passes all validations" + why(reads));
    for (size_t i = 0; i < count_of(policy); i++) {
      auto failing = found.failing.find(static_cast<int>(i));
      if (failing == found.failing.end()) {
        note(policy, "spec.validations[" + std::to_string(i) + "].expression",
             "no object was found that fails this validation" + why(reads));
        continue;
      }
      const Failing& f = failing->second;
      const std::string denied = "  denied:\n    policy: " + quote_json(name) +
                                 "\n    validation: " + std::to_string(i) +
                                 "\n    message: " + quote_json(f.message) + "\n";
      add_case(name + ", validation " + std::to_string(i), *kind, f.object,
               f.denied ? denied : "  results: {" + quote_json(name) + ": fail}\n");
    }
  }
  static std::string why(const Reads& reads) {
    if (reads.params) return "; it reads params, which are not made up";
    return reads.others ? "; it reads more than the object" : "";
  }

  void add_case(const std::string& name, const ObjectKind& kind, const std::string& object,
                const std::string& expected) {
    cases_++;
    text_ += "- name: " + quote_json(name) + "\n";
    if (kind.operation != "CREATE") text_ += "  operation: " + kind.operation + "\n";
    if (kind.operation == "UPDATE") text_ += "  oldObject: same\n";
    text_ += "  object:\n" + yaml_of(object, "    ") + expected;
  }

  int write(const std::string& target, bool bound) {
    std::string out = "policies: " + quote_json(fs::path(file_).filename().string()) + "\n";
    if (bound) out += "bindAll: true\n";
    std::ofstream stream(target, std::ios::binary);
    stream << out << "cases:\n" << text_;
    if (!stream.flush()) return refuse(target + " cannot be written");
    say(Severity::Note, target, {}, std::to_string(cases_) + (cases_ == 1 ? " case" : " cases") + " written");
    return kAdmitted;
  }

  const std::string& file_;
  suites::Suite suite_;
  Resources resources_;
  std::string text_;
  size_t cases_ = 0;
};

}  // namespace

int draft(const std::string& file) { return Draft(file).run(); }

}  // namespace portcullis::drafts
