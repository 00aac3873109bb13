// RbacAuthorizer: see rbac.h.
#include "admission/authorization/rbac.h"

#include <algorithm>
#include <optional>

#include "admission/authorization/rbac_defaults.h"
#include "admission/authorization/rbac_objects.h"
#include "interpreter/formats/text.h"

namespace portcullis {
namespace {

using rbac::Binding;
using rbac::Role;
using rbac::Rule;
using rbac::Subject;
using rbac::Texts;

constexpr std::string_view kMasters = "system:masters";

bool contains(const Texts& set, std::string_view s) {
  return std::find(set.begin(), set.end(), s) != set.end();
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

// A URL matches itself; a pattern with a final '*' matches by prefix.
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

// Whether `user` is "system:serviceaccount:SPACE:NAME".
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

// Errors of the bindings of the user, printed as the aggregate error of upstream: each text once, "[a, b]" if
// several. The union authorizer of the API server prefixes the name of this authorizer.
class Failures {
 public:
  explicit Failures(Arena& arena) : text_(arena) {}

  void add_missing(const Binding& b) {
    bool known = b.role_kind == "Role" || b.role_kind == "ClusterRole";
    TextBuilder one(text_.arena());
    if (known) {
      one.append(b.role_kind == "Role" ? "role." : "clusterrole.");
      one.append(rbac::kGroup);
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
    text_.append(seen_.size() > 1 ? "rbac: RBAC: [" : "rbac: RBAC: ");
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

struct RbacAuthorizer::State {
  AuthorizationAnswer answer(const rbac::Name& absent, const AuthorizationAttributes& asked,
                             Arena& arena) const;

  rbac::Objects objects;
};

RbacAuthorizer::RbacAuthorizer(Start start, bool as_stored)
    : state_(std::make_unique<State>(State{rbac::Objects(as_stored)})) {
  if (start != Start::Defaults) return;
  rbac::add_defaults(state_->objects);
  state_->objects.settle();
}
RbacAuthorizer::~RbacAuthorizer() = default;

bool RbacAuthorizer::is_rbac(const Value& object) { return rbac::is_object(object); }

void RbacAuthorizer::add(std::span<const Value> objects, std::string_view space) {
  for (const Value& object : objects) state_->objects.add(object, space);
  state_->objects.settle();
}

bool RbacAuthorizer::has_role_of(const Value& binding) const {
  rbac::Binding read = rbac::read_binding(binding, "default");
  state_->objects.link(read);
  return state_->objects.role_of(read) != nullptr;
}

std::vector<std::string> RbacAuthorizer::role_names(std::string_view space) const {
  std::vector<std::string> out;
  for (const Role& role : state_->objects.roles()) {
    if (role.space == space && state_->objects.exists(role, {})) out.push_back(role.name);
  }
  return out;
}

AuthorizationAnswer RbacAuthorizer::authorize(const AuthorizationAttributes& asked, Arena& arena) const {
  return state_->answer({}, asked, arena);
}

AuthorizationAnswer RbacAuthorizer::authorize_without(const Value& absent,
                                                      const AuthorizationAttributes& asked,
                                                      Arena& arena) const {
  return state_->answer(rbac::object_name(absent, "default", arena), asked, arena);
}

AuthorizationAnswer RbacAuthorizer::State::answer(const rbac::Name& absent,
                                                  const AuthorizationAttributes& asked, Arena& arena) const {
  if (!asked.user) return {};
  const UserInfo& user = *asked.user;
  if (std::find(user.groups.begin(), user.groups.end(), kMasters) != user.groups.end()) {
    return {AuthorizationDecision::Allow};
  }
  Failures failures(arena);
  std::optional<rbac::RuleSearch> search;  // made when it is needed
  for (const Binding& b : objects.bindings()) {
    if (!b.space.empty() && b.space != asked.namespace_name) continue;
    if (!objects.exists(b, absent)) continue;
    auto subject = std::find_if(b.subjects.begin(), b.subjects.end(),
                                [&](const Subject& s) { return applies(s, user, b.space); });
    if (subject == b.subjects.end()) continue;
    const Role* role = objects.role_of(b, absent);
    if (!role) {
      failures.add_missing(b);
      continue;
    }
    if (!search) search.emplace(objects, absent, arena);
    if (search->any(*role, [&](const Rule& r) { return allows(r, asked); })) {
      return {AuthorizationDecision::Allow, describe(b, *subject, arena)};
    }
  }
  return {AuthorizationDecision::NoOpinion, failures.reason()};
}

}  // namespace portcullis
