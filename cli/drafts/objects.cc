// See objects.h.
#include "cli/drafts/objects.h"

#include <algorithm>
#include <array>
#include <set>

#include "admission/builtin/registration.h"
#include "admission/matching/matching.h"
#include "admission/scalars/group_version.h"
#include "cli/checks/reached_kinds.h"
#include "cli/drafts/constants.h"
#include "grammar/ascii.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis::drafts {
namespace {

constexpr std::array<std::string_view, 7> kWellKnown = {"Pod",         "Deployment", "ConfigMap", "Service",
                                                        "StatefulSet", "Ingress",    "Namespace"};

constexpr size_t kMostKinds = 8;       // each is a search of its own
constexpr size_t kMostParts = 8;       // of a text
constexpr int64_t kLongestText = 254;  // a name has at most 253 characters

constexpr std::string_view kPodSpec = R"({"containers":[{"name":"main","image":"nginx:1.27"}]})";

std::string template_spec(std::string_view more) {
  return R"({"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":)" +
         std::string(kPodSpec) + "}" + std::string(more) + "}";
}

std::string spec_of(std::string_view kind) {
  if (kind == "Pod") return std::string(kPodSpec);
  if (kind == "Deployment" || kind == "ReplicaSet" || kind == "DaemonSet") return template_spec("");
  if (kind == "StatefulSet") return template_spec(R"(,"serviceName":"x")");
  if (kind == "Job") return R"({"template":{"spec":)" + std::string(kPodSpec) + "}}";
  if (kind == "CronJob") return R"({"schedule":"@daily","jobTemplate":{"spec":)" + spec_of("Job") + "}}";
  return {};
}

// Sets the value below `at`, and says whether it could.
class Setter {
 public:
  Setter(const Path& path, const std::string& value, Arena& arena) : path_(path), arena_(arena) {
    if (!value.empty()) {
      Result<Value> read = read_json(value, arena);
      if (read.ok()) value_ = *read;
    }
    removes_ = value.empty();
  }

  std::optional<Value> set(const Value& at, size_t depth) {
    if (depth == path_.size()) return value_;
    const std::string& step = path_[depth];
    const bool last = depth + 1 == path_.size();
    if (step == kElement) return set_elements(at, depth);
    if (!at.is(Kind::Map) && !at.is_null()) return std::nullopt;
    const Value* there = find_member(at, step);
    if (last && removes_)
      return there != nullptr ? without_member(arena_, at, step) : at.is_null() ? no_members() : at;
    std::optional<Value> inner = set(there == nullptr ? Value() : *there, depth + 1);
    if (!inner) return std::nullopt;
    return with_member(arena_, at.is_null() ? no_members() : at, arena_.copy(step), *inner);
  }

 private:
  std::optional<Value> set_elements(const Value& at, size_t depth) {
    if (at.is(Kind::Map)) return set_members(at, depth);
    if (!at.is(Kind::List) && !at.is_null()) return std::nullopt;
    const bool last = depth + 1 == path_.size();
    if (last && removes_) return Value::list(nullptr, 0);
    const size_t size = at.is(Kind::List) && at.size() > 0 ? at.size() : 1;
    Value* items = arena_.array<Value>(size);
    for (size_t i = 0; i < size; i++) {
      const bool there = at.is(Kind::List) && i < at.size();
      std::optional<Value> inner = set(there ? at.as_list()[i] : Value(), depth + 1);
      if (!inner) return std::nullopt;
      items[i] = *inner;
    }
    return Value::list(items, size);
  }
  std::optional<Value> set_members(const Value& at, size_t depth) {
    if (depth + 1 == path_.size() && removes_) return Value::map(nullptr, 0);
    MapEntry* entries = alloc_entries(arena_, at.size());
    size_t n = 0;
    for (const MapEntry& e : at.as_map()) {
      std::optional<Value> inner = set(e.value, depth + 1);
      if (!inner) return std::nullopt;
      entries[n++] = {e.key, *inner};
    }
    return make_map(entries, n);
  }

  const Path& path_;
  Arena& arena_;
  Value value_;
  bool removes_ = false;
};

// A text, a list of it, and a map with it as key; a name follows the prefix of a key.
void add_text(std::string_view text, std::set<std::string>& out) {
  const std::string json = quote_json(text);
  out.insert(json);
  out.insert("[" + json + "]");
  out.insert("{" + (text.ends_with('/') ? quote_json(std::string(text) + "x") : json) + ":\"x\"}");
}

// Constants beside a constant: longer texts, numbers around it, and texts with that many characters.
void add_near(const std::string& json, std::set<std::string>& out) {
  Arena arena;
  Result<Value> value = read_json(json, arena);
  if (!value.ok()) return;
  if (value->is(Kind::Int)) {
    const int64_t number = value->as_int(), next = plus(number, 1);
    for (int64_t n : {plus(number, -1), next}) out.insert(std::to_string(n));
    for (int64_t n : {number, next}) {
      if (n > 1 && n <= kLongestText) add_text(std::string(static_cast<size_t>(n), 'x'), out);
    }
  } else if (value->is(Kind::String)) {
    const std::string text(value->as_text());
    for (const std::string& near : {text + "x", "x" + text, "x" + text + "x"}) out.insert(quote_json(near));
    add_text(text, out);
  }
}

// What a text of a param begins, for expressions that split it at commas or white space, and put constants such as
// "/" behind its parts.
void add_parts(std::string_view text, const std::set<std::string>& joints, std::set<std::string>& out) {
  constexpr std::string_view kSeparators = ", ;|\t\r\n";
  for (size_t at = 0, parts = 0; at < text.size() && parts < kMostParts; parts++) {
    const size_t begin = std::min(text.find_first_not_of(kSeparators, at), text.size());
    at = std::min(text.find_first_of(kSeparators, begin), text.size());
    const std::string part(text.substr(begin, at - begin));
    if (part.empty()) break;
    add_text(part, out);
    out.insert(quote_json(part + "x"));
    for (const std::string& joint : joints) out.insert(quote_json(part + joint + "x"));
  }
}

// The constants of at most two characters, none of which is a letter or digit.
std::set<std::string> joints_of(const std::set<std::string>& constants) {
  std::set<std::string> out;
  Arena arena;
  for (const std::string& json : constants) {
    const Result<Value> value = read_json(json, arena);
    if (!value.ok() || !value->is(Kind::String)) continue;
    const std::string_view text = value->as_text();
    if (!text.empty() && text.size() <= 2 && std::ranges::none_of(text, is_alphanumeric)) out.emplace(text);
  }
  return out;
}

// The constants at the path of a param, and those around them; a text that is a number is one, too.
void add_leaves(const Value& param, const Path& path, const std::set<std::string>& joints,
                std::set<std::string>& out) {
  const Value* at = &param;
  for (const std::string& step : path) {
    at =
        step == kElement && at->is(Kind::List) && at->size() > 0 ? &at->as_list()[0] : find_member(*at, step);
    if (at == nullptr) return;
  }
  const Value& leaf = at->is(Kind::List) && at->size() > 0 ? at->as_list()[0] : *at;
  const std::string json = to_json(leaf);
  out.insert(json);
  add_near(json, out);
  const std::string text(leaf.is(Kind::String) ? leaf.as_text() : std::string_view());
  add_parts(text, joints, out);
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != text.npos) return;
  out.insert(text);
  add_near(text, out);
}

// The kind that a resource without a definition may have: applications are of the kind Application. Empty if the
// resource is no plural.
std::string singular_kind(const std::string& resource, const std::string& api_version,
                          const Resources& resources) {
  for (const auto& [plural, singular] :
       {std::pair<std::string_view, std::string_view>{"ies", "y"}, {"es", ""}, {"s", ""}}) {
    if (!resource.ends_with(plural) || resource.size() == plural.size()) continue;
    std::string kind = resource.substr(0, resource.size() - plural.size()) + std::string(singular);
    kind[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(kind[0])));
    if (resources.find(api_version, kind).plural == resource) return kind;
  }
  return {};
}

// The rules of a policy, and what of the served resources they reach.
class Rules {
 public:
  Rules(const InputObject& policy, const Resources& resources)
      : resources_(resources), served_(resources.served()) {
    const Decoded decoded = decode_object(arena_, policy.value);
    match_ = MatchRules(decoded.data["spec"]["matchConstraints"], true);
  }

  bool reach(const Served& s, Operation o) const {
    return std::ranges::any_of(match_.rules(),
                               [&](const ResourceRule& r) { return reaches(match_, r, s, o); });
  }
  // Whether they reach the resource of a kind that whole() has found.
  bool reach(const ObjectKind& kind, Operation o) const {
    return std::ranges::any_of(served_, [&](const Served& s) {
      return s.subresource.empty() && s.kind == kind.kind &&
             join_api_version(s.group, s.version) == kind.api_version && reach(s, o);
    });
  }

  // Kinds whose objects are written, each with the operation that is tried: CREATE if it may be, but UPDATE for
  // expressions that read the old object.
  std::vector<ObjectKind> whole(const Reads& reads) const {
    std::vector<ObjectKind> out;
    for (const Served& s : served_) {
      if (!s.subresource.empty()) continue;
      if (const auto o = tried(reads, [&](Operation one) { return reach(s, one); }); !o.empty())
        out.push_back({join_api_version(s.group, s.version), std::string(s.kind), o, {}, {}});
    }
    return out;
  }

  // Kinds of which a subresource is written whose requests are updates of the whole object.
  std::vector<ObjectKind> parts() const {
    std::vector<ObjectKind> out;
    for (std::string_view sub : {"status", "ephemeralcontainers", "resize"}) {
      for (const Served& s : served_) {
        if (s.subresource == sub && reach(s, Operation::Update))
          out.push_back(
              {join_api_version(s.group, s.version), std::string(s.kind), "UPDATE", std::string(sub), {}});
      }
    }
    return out;
  }

  // Kinds of requests for subresources that take another kind than that of the resource, such as the Scale of
  // deployments/scale, or that connect to something, such as PodExecOptions of pods/exec.
  std::vector<ObjectKind> bodies() const {
    std::vector<ObjectKind> out;
    for (const Served& s : served_) {
      if (s.subresource.empty()) continue;
      for (const Operation o : {Operation::Create, Operation::Update, Operation::Connect}) {
        if (!reach(s, o)) continue;
        out.push_back({join_api_version(s.body_group, s.body_version),
                       std::string(s.body_kind),
                       std::string(operation_name(o)),
                       name_of(s),
                       {}});
        break;
      }
    }
    return out;
  }

  // The kind that a resource without a definition may have, by the first rule that names one; none if no rule does.
  std::vector<ObjectKind> guessed(const Reads& reads) const {
    const auto plain = [](const std::vector<std::string>& names) {
      const auto found = std::ranges::find_if(names, [](const std::string& name) { return name != "*"; });
      return found == names.end() ? std::string() : *found;
    };
    for (const ResourceRule& rule : match_.rules()) {
      std::string group = plain(rule.groups.names());
      if (group.empty() && rule.groups.any()) group = "example.com";
      const std::string version = plain(rule.versions.names());
      const auto resource = std::ranges::find_if(
          rule.resources, [](const auto& r) { return r.name != "*" && r.subresource.empty(); });
      const std::string o =
          tried(reads, [&](Operation one) { return (rule.operations & operation_bit(one)) != 0; });
      if (group.find('.') == group.npos || resource == rule.resources.end() || o.empty()) continue;
      const std::string api_version = join_api_version(group, version.empty() ? "v1" : version);
      const std::string kind = singular_kind(resource->name, api_version, resources_);
      if (!kind.empty()) return {{api_version, kind, o, {}, resource->name}};
    }
    return {};
  }

 private:
  // The operation to try of those that `may`; empty if none does.
  template <typename May>
  static std::string tried(const Reads& reads, May may) {
    if (reads.old && may(Operation::Update)) return "UPDATE";
    for (const Operation o : {Operation::Create, Operation::Update, Operation::Delete}) {
      if (may(o)) return std::string(operation_name(o));
    }
    return {};
  }

  const Resources& resources_;
  const std::vector<Served> served_;
  Arena arena_;
  MatchRules match_;
};

}  // namespace

std::vector<ObjectKind> kinds_of(const InputObject& policy, const Reads& reads, const std::string& param,
                                 const Resources& resources) {
  const Rules rules(policy, resources);
  std::vector<ObjectKind> found = rules.whole(reads);
  if (found.empty()) found = rules.parts();
  if (found.empty()) found = rules.bodies();
  if (found.empty()) return rules.guessed(reads);
  auto first = found.begin();
  for (std::string_view kind : kWellKnown) {
    auto known = std::ranges::find(found, kind, &ObjectKind::kind);
    if (known == found.end()) continue;
    first = known;
    break;
  }
  std::vector<ObjectKind> out;
  if (first != found.end()) out.push_back(*first);
  // Expressions about the old object or the operation decide otherwise for another operation.
  if (first != found.end() && first->subresource.empty() && (reads.old || reads.others)) {
    for (const Operation o : {Operation::Create, Operation::Update, Operation::Delete}) {
      if (operation_name(o) == first->operation || !rules.reach(*first, o)) continue;
      out.push_back(*first);
      out.back().operation = operation_name(o);
    }
  }
  for (auto kind = found.begin(); kind != found.end() && out.size() < kMostKinds; ++kind) {
    const std::string name = quote_json(kind->kind);
    const bool named = reads.constants.contains(name) || param.find(name) != std::string::npos;
    if (kind != first && named) out.push_back(*kind);
  }
  return out;
}

std::string smallest(const ObjectKind& kind) {
  if (!kind.example.empty()) return kind.example;
  std::string spec = spec_of(kind.kind);
  return "{\"apiVersion\":" + quote_json(kind.api_version) + ",\"kind\":" + quote_json(kind.kind) +
         ",\"metadata\":{\"name\":\"example\"}" + (spec.empty() ? "" : ",\"spec\":" + spec) + "}";
}

Edited::Edited(const std::string& json) {
  if (Result<Value> read = read_json(json, arena_); read.ok()) value_ = *read;
}
bool Edited::set(const Path& path, const std::string& value) {
  std::optional<Value> made = Setter(path, value, arena_).set(value_, 0);
  if (made) value_ = *made;
  return made.has_value();
}
std::string Edited::json_at(const Path& path) const {
  const Value* at = &value_;
  for (const std::string& step : path) {
    const bool any = at->is(Kind::Map) && at->size() > 0;
    if (step == kKey) return any ? quote_json(at->as_map()[0].key.as_text()) : "";
    if (step != kElement) {
      at = find_member(*at, step);
    } else if (at->is(Kind::List)) {
      at = at->size() > 0 ? at->as_list().data() : nullptr;
    } else {
      at = any ? &at->as_map()[0].value : nullptr;
    }
    if (at == nullptr || at->is_null()) return {};
  }
  return to_json(*at);
}
std::string Edited::json() const { return to_json(value_); }

std::string with_value(const std::string& object, const Path& path, const std::string& value) {
  Edited edited(object);
  return edited.set(path, value) ? edited.json() : "";
}

bool has_value(const std::string& object, const Path& path) { return Edited(object).has(path); }

std::vector<std::string> values_for(const Reads& reads, const std::string& param) {
  std::set<std::string> out = {"true",    "false",         "0",    "1", "\"x\"", "[]", "{}",
                               "[\"x\"]", "{\"x\":\"x\"}", "\"1\""};
  for (const std::string& constant : reads.constants) {
    out.insert(constant);
    add_near(constant, out);
  }
  Arena arena;
  if (Result<Value> value = read_json(param, arena); value.ok()) {
    const std::set<std::string> joints = joints_of(reads.constants);
    for (const Path& path : reads.param_paths) add_leaves(*value, path, joints, out);
  }
  std::vector<std::string> all = {""};
  all.insert(all.end(), out.begin(), out.end());
  return all;
}

}  // namespace portcullis::drafts
