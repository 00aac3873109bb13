// What the API server checks of an update of a definition beside the definition itself: what must stay (but for its
// status, spec_report.cc), and what it takes because the former definition has it already.
//
// Source of behaviour: apiextensions-apiserver pkg/apis/apiextensions/validation
// (ValidateCustomResourceDefinitionUpdate), pkg/registry/customresourcedefinition/strategy.go. Limits: an error of a
// schema that is no rule's counts as had before if the former schemas have one of the same text; a CA of a conversion
// webhook is not checked. Tested by tests/cli/crd.txt.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <span>

#include "admission/crd/definition.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/member.h"

namespace portcullis::crd {
namespace {

constexpr std::string_view kRuleList = ".x-kubernetes-validations";

using Path = std::initializer_list<std::string_view>;

// What is at a path; null if nothing is.
const Value* value_below(const Value& object, Path path) {
  const Value* at = &object;
  for (std::string_view name : path) at = at == nullptr ? nullptr : find_member(*at, name);
  return at;
}
std::span<const Value> items_at(const Value& object, Path path) {
  const Value* list = value_below(object, path);
  return list != nullptr && list->is(Kind::List) ? list->as_list() : std::span<const Value>();
}
std::span<const Value> versions_of(const Value& definition) {
  return items_at(definition, {"spec", "versions"});
}

// A definition without conditions, as a repository has it, counts as established.
bool was_established(const Value& definition) {
  const auto conditions = items_at(definition, {"status", "conditions"});
  return conditions.empty() || std::ranges::any_of(conditions, [](const Value& c) {
           return text_member(c, "type") == "Established" && text_member(c, "status") == "True";
         });
}

const Value* schema_of(const Value& definition, std::string_view version) {
  for (const Value& v : versions_of(definition)) {
    if (text_member(v, "name") == version) return value_below(v, {"schema", "openAPIV3Schema"});
  }
  return nullptr;
}

class UpdateReport {
 public:
  UpdateReport(const Value& definition, const Value& old, std::span<const RuleReport> before,
               std::vector<RuleReport>& out)
      : definition_(definition), old_(old), before_(before), out_(out) {}

  void run() {
    std::erase_if(out_, [&](const RuleReport& r) { return r.rule.empty() && is_taken(r); });
    if (was_established(old_)) {
      keep({"spec", "scope"});
      keep({"spec", "names", "kind"});
    }
    keep({"spec", "group"});
    keep({"spec", "names", "plural"});
    for (const FieldError& e : errors_.list) {
      out_.push_back({.path = e.field,
                      .error = e.message.substr(e.field.size() + 2),
                      .server_path = e.field,
                      .type = e.type});
    }
    // As the server orders them.
    std::ranges::stable_partition(out_, [](const RuleReport& r) { return !r.path.starts_with("status."); });
  }

 private:
  // Whether the server takes an error or leaves out a warning, because the former definition has it, or because the
  // name of an existing object is not checked again.
  bool is_taken(const RuleReport& r) const {
    const auto same = [&](auto is_same) { return std::ranges::any_of(before_, is_same); };
    if (!r.warning.empty()) return same([&](const RuleReport& b) { return b.warning == r.warning; });
    const auto kind = [](const RuleReport& one) { return one.error.substr(0, one.error.find(':')); };
    if (r.path == "metadata.name") return true;
    if (r.path.starts_with("metadata.annotations["))
      return same([&](const RuleReport& b) { return b.path == r.path && kind(b) == kind(r); });
    if (r.costly) return has_same_schema(r.path);
    const bool of_schema = r.path.find(".schema") != r.path.npos && r.path.find(kRuleList) == r.path.npos;
    return (of_schema || r.path == "spec.preserveUnknownFields" ||
            r.error.find("must include at least one of") != r.error.npos) &&
           r.error.find("entire OpenAPIv3 schema") == r.error.npos &&
           same([&](const RuleReport& b) { return b.error == r.error; });
  }

  // Whether the version whose schema has `path` had the same schema before.
  bool has_same_schema(std::string_view path) const {
    const auto versions = versions_of(definition_);
    for (size_t i = 0; i < versions.size(); i++) {
      if (!path.starts_with(index("spec.versions", i) + ".")) continue;
      const Value* now = value_below(versions[i], {"schema", "openAPIV3Schema"});
      const Value* was = schema_of(old_, text_member(versions[i], "name"));
      return now != nullptr && was != nullptr && same_data(*now, *was);
    }
    return false;
  }

  void keep(Path path) {
    const auto text_in = [&](const Value& object) {
      const Value* text = value_below(object, path);
      return text != nullptr && text->is(Kind::String) ? text->as_text() : std::string_view();
    };
    if (text_in(definition_) != text_in(old_))
      errors_.invalid(fmt::format("{}", fmt::join(path, ".")), text_in(definition_), "field is immutable");
  }

  const Value& definition_;
  const Value& old_;
  std::span<const RuleReport> before_;
  std::vector<RuleReport>& out_;
  FieldErrors errors_;
};

}  // namespace

void report_update(const Value& definition, const Value& old, std::span<const RuleReport> before,
                   std::vector<RuleReport>& out) {
  UpdateReport(definition, old, before, out).run();
}

}  // namespace portcullis::crd
