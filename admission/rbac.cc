// RbacAuthorizer: see rbac.h.
#include "admission/rbac.h"

#include <algorithm>
#include <map>

#include "interpreter/member.h"
#include "interpreter/text.h"

namespace portcullis {
namespace {

using Texts = std::vector<std::string>;
using Labels = std::map<std::string, std::string>;

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kMasters = "system:masters";

struct Rule {
  Texts verbs, groups, resources, names, urls;
  bool operator==(const Rule&) const = default;
};

struct Expression {
  std::string key, op;
  Texts values;
};
struct Selector {
  std::vector<Expression> requirements;
};

struct Role {
  std::string space, name;  // `space` empty: a ClusterRole
  Labels labels;
  std::vector<Rule> rules;
  std::vector<Selector> aggregates;
};

struct Subject {
  std::string kind, name, space;
};

struct Binding {
  std::string space, name;  // `space` empty: a ClusterRoleBinding
  std::string role_kind, role_name;
  std::vector<Subject> subjects;
};

const Value* member(const Value* map, std::string_view name) {
  return map != nullptr ? find_member(*map, name) : nullptr;
}

std::string text(const Value* map, std::string_view name) {
  const Value* v = member(map, name);
  return v && v->is(Kind::String) ? std::string(v->as_text()) : std::string();
}

std::span<const Value> list(const Value* map, std::string_view name) {
  const Value* v = member(map, name);
  return v && v->is(Kind::List) ? v->as_list() : std::span<const Value>{};
}

Texts texts(const Value* map, std::string_view name) {
  Texts out;
  for (const Value& v : list(map, name)) {
    if (v.is(Kind::String)) out.emplace_back(v.as_text());
  }
  return out;
}

Labels labels(const Value* map, std::string_view name) {
  Labels out;
  const Value* v = member(map, name);
  if (!v || !v->is(Kind::Map)) return out;
  for (const MapEntry& e : v->as_map()) {
    if (e.key.is(Kind::String) && e.value.is(Kind::String))
      out[std::string(e.key.as_text())] = e.value.as_text();
  }
  return out;
}

Rule read_rule(const Value& v) {
  return {texts(&v, "verbs"), texts(&v, "apiGroups"), texts(&v, "resources"), texts(&v, "resourceNames"),
          texts(&v, "nonResourceURLs")};
}

Selector read_selector(const Value& v) {
  Selector selector;
  for (const auto& [key, value] : labels(&v, "matchLabels"))
    selector.requirements.push_back({key, "In", {value}});
  for (const Value& e : list(&v, "matchExpressions")) {
    selector.requirements.push_back({text(&e, "key"), text(&e, "operator"), texts(&e, "values")});
  }
  return selector;
}

Role read_role(const Value& object, bool cluster) {
  const Value* metadata = member(&object, "metadata");
  Role role;
  role.name = text(metadata, "name");
  if (!cluster) role.space = text(metadata, "namespace");
  role.labels = labels(metadata, "labels");
  for (const Value& v : list(&object, "rules")) role.rules.push_back(read_rule(v));
  for (const Value& v : list(member(&object, "aggregationRule"), "clusterRoleSelectors")) {
    role.aggregates.push_back(read_selector(v));
  }
  return role;
}

Binding read_binding(const Value& object, bool cluster) {
  const Value* metadata = member(&object, "metadata");
  const Value* role = member(&object, "roleRef");
  Binding binding = {cluster ? "" : text(metadata, "namespace"),
                     text(metadata, "name"),
                     text(role, "kind"),
                     text(role, "name"),
                     {}};
  for (const Value& s : list(&object, "subjects")) {
    binding.subjects.push_back({text(&s, "kind"), text(&s, "name"), text(&s, "namespace")});
  }
  return binding;
}

bool contains(const Texts& set, std::string_view s) {
  return std::find(set.begin(), set.end(), s) != set.end();
}

bool selects(const Selector& selector, const Labels& labels) {
  return std::all_of(selector.requirements.begin(), selector.requirements.end(), [&](const Expression& e) {
    auto label = labels.find(e.key);
    bool present = label != labels.end();
    if (e.op == "In") return present && contains(e.values, label->second);
    if (e.op == "NotIn") return !present || !contains(e.values, label->second);
    if (e.op == "Exists") return present;
    return e.op == "DoesNotExist" && !present;
  });
}

// For each role, which ones it takes rules from: those that its selectors select, in their order.
std::vector<std::vector<size_t>> find_sources(const std::vector<Role>& roles) {
  std::vector<std::vector<size_t>> sources(roles.size());
  for (size_t i = 0; i < roles.size(); i++) {
    for (const Selector& selector : roles[i].aggregates) {
      for (size_t k = 0; k < roles.size(); k++) {
        if (k != i && roles[k].space.empty() && selects(selector, roles[k].labels)) sources[i].push_back(k);
      }
    }
  }
  return sources;
}

// Gives aggregated ClusterRoles their rules, until nothing changes: what is aggregated may be aggregated
// itself. The number of rounds is bounded by the depth of such chains, so by the number of roles; a role is
// looked at again only if one of its sources changed after it was.
void aggregate(std::vector<Role>& roles) {
  const std::vector<std::vector<size_t>> sources = find_sources(roles);
  std::vector<uint64_t> changed(roles.size(), 1), made(roles.size(), 0);
  uint64_t time = 1;
  bool more = true;
  for (size_t round = 0; more && round <= roles.size(); round++) {
    more = false;
    for (size_t i = 0; i < roles.size(); i++) {
      if (roles[i].aggregates.empty()) continue;
      bool due = made[i] == 0 || std::any_of(sources[i].begin(), sources[i].end(),
                                             [&](size_t k) { return changed[k] > made[i]; });
      if (!due) continue;
      std::vector<Rule> rules;
      for (size_t k : sources[i]) {
        for (const Rule& rule : roles[k].rules) {
          if (std::find(rules.begin(), rules.end(), rule) == rules.end()) rules.push_back(rule);
        }
      }
      made[i] = ++time;
      if (rules == roles[i].rules) continue;
      roles[i].rules = std::move(rules);
      changed[i] = ++time;
      more = true;
    }
  }
}

bool matches_any(const Texts& allowed, std::string_view asked) {
  return contains(allowed, "*") || contains(allowed, asked);
}

// "pods", "pods/log", "*", "*/log".
bool matches_resource(const Texts& allowed, const AuthorizationAttributes& asked) {
  return std::any_of(allowed.begin(), allowed.end(), [&](std::string_view r) {
    if (r == "*") return true;
    if (asked.subresource.empty()) return r == asked.resource;
    size_t slash = asked.resource.size();
    bool exact = r.size() == slash + 1 + asked.subresource.size() && r.starts_with(asked.resource) &&
                 r[slash] == '/' && r.ends_with(asked.subresource);
    return exact || (r.starts_with("*/") && r.substr(2) == asked.subresource);
  });
}

// A URL, or one with a '*' at its end.
bool matches_url(const Texts& allowed, std::string_view path) {
  return std::any_of(allowed.begin(), allowed.end(), [&](std::string_view url) {
    if (url == path) return true;
    if (!url.ends_with('*')) return false;
    return path.starts_with(url.substr(0, url.find_last_not_of('*') + 1));
  });
}

bool allows(const Rule& rule, const AuthorizationAttributes& asked) {
  if (!matches_any(rule.verbs, asked.verb)) return false;
  if (!asked.resource_request) return matches_url(rule.urls, asked.path);
  return matches_any(rule.groups, asked.group) && matches_resource(rule.resources, asked) &&
         (rule.names.empty() || contains(rule.names, asked.name));
}

// "system:serviceaccount:SPACE:NAME"
bool is_service_account(std::string_view user, std::string_view space, std::string_view name) {
  constexpr std::string_view kPrefix = "system:serviceaccount:";
  if (!user.starts_with(kPrefix)) return false;
  user.remove_prefix(kPrefix.size());
  return user.size() == space.size() + 1 + name.size() && user.starts_with(space) &&
         user[space.size()] == ':' && user.ends_with(name);
}

bool applies(const Subject& subject, const UserInfo& user, std::string_view binding_space) {
  if (subject.kind == "User") return subject.name == user.username;
  if (subject.kind == "Group")
    return std::find(user.groups.begin(), user.groups.end(), subject.name) != user.groups.end();
  if (subject.kind != "ServiceAccount") return false;
  std::string_view space = subject.space.empty() ? binding_space : std::string_view(subject.space);
  return !space.empty() && is_service_account(user.username, space, subject.name);
}

// 'RoleBinding "b/ns" of Role "r" to User "u"'; name and namespace in upstream's order.
std::string_view describe(const Binding& b, const Subject& s, Arena& arena) {
  TextBuilder out(arena);
  bool cluster = b.space.empty();
  out.append(cluster ? "RBAC: allowed by ClusterRoleBinding " : "RBAC: allowed by RoleBinding ");
  append_quoted(out, cluster ? b.name : b.name + "/" + b.space);
  out.append(" of ");
  out.append(b.role_kind);
  out.append(" ");
  append_quoted(out, b.role_name);
  out.append(" to ");
  out.append(s.kind);
  out.append(" ");
  bool account = s.kind == "ServiceAccount";
  append_quoted(out, account ? s.name + "/" + (s.space.empty() ? b.space : s.space) : s.name);
  return out.view();
}

}  // namespace

struct RbacAuthorizer::State {
  std::vector<Role> given;        // as the objects have them
  std::vector<Role> roles;        // in the order of namespace and name, aggregated
  std::vector<Binding> bindings;  // in the same order

  const Role* find(std::string_view space, std::string_view name) const {
    auto key = [](const Role& r) { return std::pair<std::string_view, std::string_view>(r.space, r.name); };
    auto want = std::pair(space, name);
    auto it = std::lower_bound(roles.begin(), roles.end(), want,
                               [&](const Role& r, auto& w) { return key(r) < w; });
    return it != roles.end() && key(*it) == want ? &*it : nullptr;
  }
};

RbacAuthorizer::RbacAuthorizer() : state_(std::make_unique<State>()) {}
RbacAuthorizer::~RbacAuthorizer() = default;

bool RbacAuthorizer::is_rbac(const Value& object) {
  std::string version = text(&object, "apiVersion"), kind = text(&object, "kind");
  if (version.substr(0, version.find('/')) != kGroup) return false;
  return kind == "Role" || kind == "ClusterRole" || kind == "RoleBinding" || kind == "ClusterRoleBinding";
}

void RbacAuthorizer::add(std::span<const Value> objects) {
  for (const Value& object : objects) {
    if (!is_rbac(object)) continue;
    std::string kind = text(&object, "kind");
    if (kind.ends_with("Binding")) {
      state_->bindings.push_back(read_binding(object, kind == "ClusterRoleBinding"));
    } else {
      state_->given.push_back(read_role(object, kind == "ClusterRole"));
    }
  }
  state_->roles = state_->given;
  auto by_name = [](const auto& a, const auto& b) {
    return std::tie(a.space, a.name) < std::tie(b.space, b.name);
  };
  std::stable_sort(state_->roles.begin(), state_->roles.end(), by_name);
  std::stable_sort(state_->bindings.begin(), state_->bindings.end(), by_name);
  aggregate(state_->roles);
}

namespace {

// What went wrong with the bindings of the user, as upstream's aggregate error prints: once each,
// "[a, b]" if several.
class Failures {
 public:
  explicit Failures(Arena& arena) : text_(arena) {}

  void add_missing(const Binding& b) {
    bool known = b.role_kind == "Role" || b.role_kind == "ClusterRole";
    TextBuilder one(text_.arena());
    if (known) {
      one.append(b.role_kind == "Role" ? "role." : "clusterrole.");
      one.append(kGroup);
      one.append(" ");
      append_quoted(one, b.role_name);
      one.append(" not found");
    } else {
      one.append("unsupported role reference kind: ");
      append_quoted(one, b.role_kind);
    }
    if (std::find(seen_.begin(), seen_.end(), one.view()) != seen_.end()) return;
    seen_.push_back(one.view());
  }

  std::string_view reason() {
    if (seen_.empty()) return {};
    text_.append(seen_.size() > 1 ? "RBAC: [" : "RBAC: ");
    for (size_t i = 0; i < seen_.size(); i++) {
      if (i > 0) text_.append(", ");
      text_.append(seen_[i]);
    }
    if (seen_.size() > 1) text_.append("]");
    return text_.view();
  }

 private:
  TextBuilder text_;
  std::vector<std::string_view> seen_;
};

}  // namespace

AuthorizationAnswer RbacAuthorizer::authorize(const AuthorizationAttributes& asked, Arena& arena) const {
  if (!asked.user) return {};
  const UserInfo& user = *asked.user;
  if (std::find(user.groups.begin(), user.groups.end(), kMasters) != user.groups.end()) {
    return {AuthorizationDecision::Allow};
  }
  Failures failures(arena);
  for (const Binding& b : state_->bindings) {
    if (!b.space.empty() && b.space != asked.namespace_name) continue;
    auto subject = std::find_if(b.subjects.begin(), b.subjects.end(),
                                [&](const Subject& s) { return applies(s, user, b.space); });
    if (subject == b.subjects.end()) continue;
    bool of_cluster = b.role_kind == "ClusterRole";
    const Role* role = nullptr;
    if (of_cluster || (b.role_kind == "Role" && !b.space.empty())) {
      role = state_->find(of_cluster ? "" : b.space, b.role_name);
    }
    if (!role) {
      failures.add_missing(b);
      continue;
    }
    if (std::any_of(role->rules.begin(), role->rules.end(),
                    [&](const Rule& r) { return allows(r, asked); })) {
      return {AuthorizationDecision::Allow, describe(b, *subject, arena)};
    }
  }
  return {AuthorizationDecision::NoOpinion, failures.reason()};
}

}  // namespace portcullis
