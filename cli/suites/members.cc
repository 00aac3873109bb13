// See members.h.
#include "cli/suites/members.h"

#include <algorithm>
#include <vector>

#include "cli/suites/suite.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis::suites {
namespace {

constexpr Member kMembers[] = {
    {"name", Shape::Text, kInBoth, "what reports call it"},
    {"policies", Shape::Files, kInBoth, "policies, bindings, and anything else that decides"},
    {"bindings", Shape::Files, kInBoth, "bindings"},
    {"bindAll", Shape::Flag, kInBoth, "whether policies without a binding get one that denies"},
    {"params", Shape::Files, kInBoth, "objects that policies read as params"},
    {"namespaces", Shape::Files, kInBoth, "Namespaces; {name, labels} is one, too"},
    {"crds", Shape::Files, kInBoth, "CustomResourceDefinitions; a suite about them needs no policies"},
    {"rbac", Shape::Files, kInBoth, "roles and their bindings, which answer authorizer"},
    {"user", Shape::Text, kInBoth, "who sends the request (default: kubernetes-admin, of system:masters)"},
    {"groups", Shape::Texts, kInBoth, "the groups of the user"},
    {"operation", Shape::Text, kInBoth, "CREATE, UPDATE, DELETE or CONNECT (default: UPDATE with oldObject)"},
    {"subresource", Shape::Text, kInBoth, "status, eviction, deployments/scale, ..."},
    {"namespace", Shape::Text, kInBoth, "of objects without one (default: default)"},
    {"fieldManager", Shape::Text, kInBoth, "the field manager of the request"},
    {"dryRun", Shape::Flag, kInBoth, "request.dryRun"},
    {"gracePeriod", Shape::Count, kInBoth, "the grace period of a DELETE, in seconds"},
    {"cascade", Shape::Text, kInBoth,
     "background, foreground or orphan: what becomes of a deleted object's dependents"},
    {"asIs", Shape::Flag, kInBoth, "whether objects of built-in kinds are not decoded and defaulted"},
    {"allowInvalid", Shape::Flag, kInBoth, "whether policies that the API server refuses are left out"},
    {"stored", Shape::Flag, kInBoth,
     "whether policies that the API server would refuse today decide, as those that it has stored"},
    {"kubernetesVersion", Shape::Text, kInBoth, "the version whose expressions are allowed, such as 1.30"},
    {"paramScopes", Shape::Scopes, kInBoth, "Cluster or Namespaced for kinds of params without a definition"},
    {"namespaceLabels", Shape::Texts, kInBoth, "NAMESPACE:KEY=VALUE, labels beside those of namespaces"},
    {"webhooks", Shape::Webhooks, kInBoth,
     "what webhooks answer, by name: {response: {allowed: false}}; {} admits; or the directory of records"},
    {"oldObject", Shape::Files, kInBoth, "former states; `same`: each object replaces itself"},
    {"exact", Shape::Flag, kInBoth,
     "whether only what a case mentions comes: warnings, annotations, changes, calls of webhooks"},
    {"mutants", Shape::Mutants, kInSuite, "what is known of mutants (--mutants)"},
    {"cases", Shape::Cases, kInSuite, "the cases"},
    {"object", Shape::Files, kInCase, "what is decided; several objects are one request each"},
    {"skip", Shape::Text, kInCase, "why the case does not run"},
    {"allowed", Shape::Flag, kInCase, "whether the request is admitted"},
    {"denied", Shape::Denials, kInCase,
     "that it is refused: true, the message, or what is known of the denial"},
    {"warnings", Shape::Patterns, kInCase, "a warning that comes; a list: all that come"},
    {"auditAnnotations", Shape::Annotations, kInCase, "annotations by key; null: there is none"},
    {"mutated", Shape::Mutation, kInCase,
     "the object after mutating policies, true or false: whether it differs"},
    {"called", Shape::Calls, kInCase, "a webhook that is asked; a list: all that are, in their order"},
    {"cost", Shape::Count, kInCase, "the most that all expressions together may cost"},
    {"errors", Shape::Patterns, kInCase, "an error that occurs; a list: all that occur"},
    {"results", Shape::Outcomes, kInCase, "what a policy does, whatever its bindings say: pass, fail, skip"},
};
constexpr Member kSelection[] = {
    {"file", Shape::Text, kInBoth, "the file"},
    {"kind", Shape::Text, kInBoth, "objects of this kind"},
    {"name", Shape::Text, kInBoth, "of this name"},
    {"namespace", Shape::Text, kInBoth, "in this namespace"},
    {"index", Shape::Count, kInBoth, "the only one at this place among them, from 0"},
};
constexpr Member kPattern[] = {
    {"contains", Shape::Text, kInBoth, "a part of the text"},
    {"glob", Shape::Text, kInBoth, "the whole text, with * and ?"},
    {"regex", Shape::Text, kInBoth, "a regular expression (RE2) that matches anywhere"},
};
constexpr Member kDenial[] = {
    {"policy", Shape::Text, kInBoth, "the policy that denies"},
    {"binding", Shape::Text, kInBoth, "its binding"},
    {"param", Shape::Text, kInBoth, "its param, NAMESPACE/NAME or NAME"},
    {"validation", Shape::Count, kInBoth, "the index of its validation"},
    {"message", Shape::Pattern, kInBoth,
     "the message of the validation, of the rule or schema of a definition, or that of the API server"},
    {"contains", Shape::Text, kInBoth, "the same as message: {contains: ...}"},
    {"glob", Shape::Text, kInBoth, "the same as message: {glob: ...}"},
    {"regex", Shape::Text, kInBoth, "the same as message: {regex: ...}"},
    {"reason", Shape::Text, kInBoth, "the reason: Invalid, Forbidden, ..."},
    {"code", Shape::Count, kInBoth, "the HTTP status code of the answer"},
    {"error", Shape::Flag, kInBoth, "whether it is an evaluation error that denies (default: false)"},
    {"status", Shape::Map, kInBoth, "what the Status of the answer has among others"},
};
constexpr Member kMutation[] = {
    {"object", Shape::File, kInBoth, "the whole object"},
    {"subset", Shape::File, kInBoth, "what the object has among others"},
    {"changes", Shape::Map, kInBoth,
     "all that changes: {spec.replicas: 3, metadata.labels[a/b]: x}; null: removed"},
};
constexpr Member kCall[] = {
    {"webhook", Shape::Text, kInBoth, "its name"},
    {"url", Shape::Text, kInBoth, "path and query of the call"},
    {"review", Shape::Map, kInBoth, "what the AdmissionReview has among others"},
};
constexpr Member kMutants[] = {
    {"accepted", Shape::Accepted, kInBoth,
     "mutants that may survive, since no case can show what they change"},
};
constexpr Member kAccepted[] = {
    {"policy", Shape::Text, kInBoth, "the name of the policy, binding or definition"},
    {"field", Shape::Text, kInBoth, "the path of what the mutant changes, as in -o json"},
    {"before", Shape::Text, kInBoth, "what the field has, as in -o json"},
    {"after", Shape::Text, kInBoth, "what the field then has, as in -o json"},
    {"reason", Shape::Text, kInBoth, "why it makes no difference"},
};

std::string member_path(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

// Checks one value; each function complains of what it does not know.
class Check {
 public:
  explicit Check(const Complain& complain) : complain_(complain) {}

  void map(const Value& map, std::span<const Member> table, unsigned where, const std::string& path,
           std::string_view of) {
    if (!map.is(Kind::Map)) return wrong(path, std::string(of) + " is a mapping");
    for (const MapEntry& e : map.as_map()) {
      const std::string name(e.key.as_text()), at = member_path(path, name);
      auto found = std::ranges::find(table, name, &Member::name);
      if (found != table.end() && (found->where & where) != 0) {
        value(e.value, found->shape, at);
      } else {
        complain_(at, true, unknown(name, table, where, of));
      }
    }
  }

 private:
  static std::string unknown(const std::string& name, std::span<const Member> table, unsigned where,
                             std::string_view of) {
    std::vector<std::string> names;
    for (const Member& m : table) {
      if (m.name == name)
        return std::string(of) + " has no " + name + (where == kInSuite ? "; a case has" : "; the suite has");
      if ((m.where & where) != 0) names.emplace_back(m.name);
    }
    return std::string(of) + " has no member " + quote_json(name) + suggestion(name, names);
  }
  void wrong(const std::string& path, std::string text) { complain_(path, false, std::move(text)); }

  void value(const Value& v, Shape shape, const std::string& path) {
    switch (shape) {
      case Shape::Text:
        if (!v.is(Kind::String)) wrong(path, "a text is wanted here");
        return;
      case Shape::Flag:
        if (!v.is(Kind::Bool)) wrong(path, "true or false is wanted here");
        return;
      case Shape::Count:
        if (!v.is(Kind::Int) || v.as_int() < 0) wrong(path, "a whole number is wanted here");
        return;
      case Shape::Texts: return each(v, Shape::Text, path);
      case Shape::Scopes: return scopes(v, path);
      case Shape::Files: return each(v, Shape::File, path);
      case Shape::File:
        if (v.is(Kind::Map) && find_member(v, "file") != nullptr)
          return map(v, kSelection, kInBoth, path, "a selection of objects");
        if (!v.is(Kind::String) && !v.is(Kind::Map)) wrong(path, "a file or an object is wanted here");
        return;
      case Shape::Pattern: return pattern(v, path);
      case Shape::Patterns: return each(v, Shape::Pattern, path);
      case Shape::Annotations: return annotations(v, path);
      case Shape::Denials: return denials(v, path);
      case Shape::Mutation:
        if (v.is(Kind::Map)) return map(v, kMutation, kInBoth, path, "an expected mutation");
        if (!v.is(Kind::Bool) && !v.is(Kind::String))
          wrong(path, "true, false, a file or a mapping is wanted here");
        return;
      case Shape::Map:
        if (!v.is(Kind::Map)) wrong(path, "a mapping is wanted here");
        return;
      case Shape::Webhooks:
        if (!v.is(Kind::Map) && !v.is(Kind::String))
          wrong(path, "a directory, or a mapping from webhooks to answers, is wanted here");
        return;
      case Shape::Calls: return calls(v, path);
      case Shape::Outcomes: return outcomes(v, path);
      case Shape::Mutants: return map(v, kMutants, kInBoth, path, "what is known of mutants");
      case Shape::Accepted: return accepted(v, path);
      case Shape::Cases: return cases(v, path);
    }
  }

  void each(const Value& v, Shape shape, const std::string& path) {
    if (!v.is(Kind::List)) return value(v, shape, path);
    for (size_t i = 0; i < v.size(); i++) value(v.as_list()[i], shape, path + "[" + std::to_string(i) + "]");
  }
  void scopes(const Value& v, const std::string& path) {
    if (!v.is(Kind::Map)) return wrong(path, "a mapping from kinds to Cluster or Namespaced is wanted here");
    for (const MapEntry& e : v.as_map()) value(e.value, Shape::Text, member_path(path, e.key.as_text()));
  }
  void pattern(const Value& v, const std::string& path) {
    if (v.is(Kind::String)) return;
    if (!v.is(Kind::Map)) return wrong(path, "a text, or one of contains, glob and regex, is wanted here");
    map(v, kPattern, kInBoth, path, "a pattern");
    if (v.size() != 1) wrong(path, "one of contains, glob and regex is wanted here");
  }
  void annotations(const Value& v, const std::string& path) {
    if (!v.is(Kind::Map)) return wrong(path, "a mapping from keys to texts is wanted here");
    for (const MapEntry& e : v.as_map()) {
      if (!e.value.is_null()) pattern(e.value, path + "[" + std::string(e.key.as_text()) + "]");
    }
  }
  void denials(const Value& v, const std::string& path) {
    if (v.is(Kind::Bool) || v.is(Kind::String)) return;
    if (v.is(Kind::List)) {
      for (size_t i = 0; i < v.size(); i++) {
        const std::string at = path + "[" + std::to_string(i) + "]";
        if (!v.as_list()[i].is(Kind::String)) map(v.as_list()[i], kDenial, kInBoth, at, "a denial");
      }
      if (v.size() == 0) wrong(path, "an empty list expects no denial; write allowed: true");
      return;
    }
    map(v, kDenial, kInBoth, path, "a denial");
  }
  void calls(const Value& v, const std::string& path) {
    if (v.is(Kind::String)) return;
    if (!v.is(Kind::List)) return map(v, kCall, kInBoth, path, "a call");
    for (size_t i = 0; i < v.size(); i++) {
      const std::string at = path + "[" + std::to_string(i) + "]";
      if (!v.as_list()[i].is(Kind::String)) map(v.as_list()[i], kCall, kInBoth, at, "a call");
    }
  }
  void outcomes(const Value& v, const std::string& path) {
    if (!v.is(Kind::Map)) return wrong(path, "a mapping from policies to pass, fail or skip is wanted here");
    for (const MapEntry& e : v.as_map()) {
      const std::string_view word = e.value.is(Kind::String) ? e.value.as_text() : "";
      if (word != "pass" && word != "fail" && word != "skip")
        wrong(path + "[" + std::string(e.key.as_text()) + "]", "pass, fail or skip is wanted here");
    }
  }
  void accepted(const Value& v, const std::string& path) {
    if (!v.is(Kind::List)) return wrong(path, "a list of mutants is wanted here");
    for (size_t i = 0; i < v.size(); i++) {
      const std::string at = path + "[" + std::to_string(i) + "]";
      map(v.as_list()[i], kAccepted, kInBoth, at, "an accepted mutant");
      for (std::string_view name : {"policy", "field", "before", "after"}) {
        if (v.as_list()[i].is(Kind::Map) && find_member(v.as_list()[i], name) == nullptr)
          wrong(at, std::string(name) + " is missing");
      }
    }
  }
  void cases(const Value& v, const std::string& path) {
    if (!v.is(Kind::List)) return wrong(path, "a list of cases is wanted here");
    for (size_t i = 0; i < v.size(); i++)
      map(v.as_list()[i], kMembers, kInCase, path + "[" + std::to_string(i) + "]", "a case");
  }

  const Complain& complain_;
};

// --- schema ---

std::string schema_of(Shape shape);

std::string object_schema(std::span<const Member> table, unsigned where) {
  std::string out = R"({"type": "object", "additionalProperties": false, "properties": {)";
  bool first = true;
  for (const Member& m : table) {
    if ((m.where & where) == 0) continue;
    out += std::string(first ? "" : ", ") + "\"" + std::string(m.name) +
           "\": {\"description\": " + quote_json(m.about) + ", " + schema_of(m.shape).substr(1);
    first = false;
  }
  return out + "}}";
}

std::string one_or_list(std::string_view name) {
  const std::string one = "{\"$ref\": \"#/$defs/" + std::string(name) + "\"}";
  return "{\"anyOf\": [" + one + R"(, {"type": "array", "items": )" + one + "}]}";
}

std::string schema_of(Shape shape) {
  switch (shape) {
    case Shape::Text: return R"({"type": "string"})";
    case Shape::Flag: return R"({"type": "boolean"})";
    case Shape::Count: return R"({"type": "integer", "minimum": 0})";
    case Shape::Texts:
      return R"({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})";
    case Shape::Scopes:
      return R"({"type": "object", "additionalProperties": {"enum": ["Cluster", "Namespaced"]}})";
    case Shape::Files: return one_or_list("objects");
    case Shape::File: return R"({"$ref": "#/$defs/objects"})";
    case Shape::Pattern: return R"({"$ref": "#/$defs/pattern"})";
    case Shape::Patterns: return one_or_list("pattern");
    case Shape::Annotations:
      return R"({"type": "object", "additionalProperties": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/pattern"}]}})";
    case Shape::Denials:
      return R"({"anyOf": [{"type": "boolean"}, {"type": "string"}, {"$ref": "#/$defs/denial"}, )"
             R"({"type": "array", "minItems": 1, "items": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/denial"}]}}]})";
    case Shape::Mutation:
      return R"({"anyOf": [{"type": "boolean"}, {"type": "string"}, {"$ref": "#/$defs/mutation"}]})";
    case Shape::Map: return R"({"type": "object"})";
    case Shape::Webhooks: return R"({"type": ["string", "object"]})";
    case Shape::Calls:
      return R"({"anyOf": [{"type": "string"}, {"$ref": "#/$defs/call"}, )"
             R"({"type": "array", "items": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/call"}]}}]})";
    case Shape::Outcomes:
      return R"({"type": "object", "additionalProperties": {"enum": ["pass", "fail", "skip"]}})";
    case Shape::Mutants: return object_schema(kMutants, kInBoth);
    case Shape::Accepted: {
      std::string one = object_schema(kAccepted, kInBoth);
      one.insert(1, R"("required": ["policy", "field", "before", "after"], )");
      return R"({"type": "array", "items": )" + one + "}";
    }
    case Shape::Cases: return R"({"type": "array", "items": {"$ref": "#/$defs/case"}})";
  }
  return "{}";
}

void add_rows(std::string& out, std::string_view heading, std::span<const Member> table, unsigned where,
              unsigned not_where = 0) {
  out.append(heading) += "\n";
  for (const Member& m : table) {
    if ((m.where & where) != where || (m.where & not_where) != 0) continue;
    std::string name(m.name);
    name.resize(std::max<size_t>(name.size(), 18), ' ');
    out.append("  ").append(name).append(" ").append(m.about) += "\n";
  }
}

}  // namespace

std::span<const Member> members() { return kMembers; }

void check_members(const Value& map, std::span<const Member> table, unsigned where, const std::string& path,
                   std::string_view of, const Complain& complain) {
  Check(complain).map(map, table, where, path, of);
}

std::string schema() {
  std::string selection = object_schema(kSelection, kInBoth);
  selection.insert(1, R"("required": ["file"], )");
  std::string suite = object_schema(kMembers, kInSuite).substr(1);
  return R"({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Suite of portcullis test", )"
         R"("required": ["cases"], "$defs": {"objects": {"anyOf": [{"type": "string"}, )" +
         selection +
         R"(, {"type": "object", "not": {"required": ["file"]}}]}, "pattern": {"anyOf": [{"type": "string"}, )" +
         object_schema(kPattern, kInBoth) + R"(]}, "denial": )" + object_schema(kDenial, kInBoth) +
         R"(, "mutation": )" + object_schema(kMutation, kInBoth) + R"(, "call": )" +
         object_schema(kCall, kInBoth) + R"(, "case": )" + object_schema(kMembers, kInCase) + "}, " + suite +
         "\n";
}

std::string reference() {
  std::string out;
  add_rows(out, "of a suite and of a case; a case's own value replaces that of its suite", kMembers, kInBoth);
  add_rows(out, "of a suite", kMembers, kInSuite, kInCase);
  add_rows(out, "of a case", kMembers, kInCase, kInSuite);
  add_rows(out, "of a selection of objects", kSelection, kInBoth);
  add_rows(out, "of a pattern", kPattern, kInBoth);
  add_rows(out, "of a denial", kDenial, kInBoth);
  add_rows(out, "of an expected mutation", kMutation, kInBoth);
  add_rows(out, "of a call of a webhook", kCall, kInBoth);
  add_rows(out, "of what is known of mutants", kMutants, kInBoth);
  add_rows(out, "of an accepted mutant", kAccepted, kInBoth);
  return out;
}

}  // namespace portcullis::suites
