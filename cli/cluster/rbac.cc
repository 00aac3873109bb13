// RbacFiles: see rbac.h.
#include "cli/cluster/rbac.h"

#include <algorithm>

#include "admission/scalars/spelling.h"
#include "cli/messages/messages.h"
#include "cli/reading/unknown_fields.h"
#include "manifests/roles.h"

namespace portcullis {
namespace {

// More remarks are counted, not shown.
constexpr size_t kMostRemarks = 20;
constexpr std::string_view kNodes = "system:nodes", kMasters = "system:masters";

bool contains(std::span<const std::string_view> groups, std::string_view group) {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

}  // namespace

void RbacFiles::add(const InputObject& object, ObjectUse use) {
  if (RbacAuthorizer::is_rbac(object.value)) objects_.push_back({&object, use});
}

AuthorizationAnswer RbacFiles::authorize(const AuthorizationAttributes& asked, Arena& arena) const {
  std::call_once(made_, [this] { make(); });
  asked_ = true;
  AuthorizationAnswer answer = rbac_.authorize(asked, arena);
  if (answer.decision != AuthorizationDecision::Allow && asked.user && contains(asked.user->groups, kNodes))
    asked_of_node_ = true;
  return answer;
}

bool RbacFiles::may(const AuthorizationAttributes& asked, Arena& arena) const {
  std::call_once(made_, [this] { make(); });
  return rbac_.authorize(asked, arena).decision == AuthorizationDecision::Allow;
}

void RbacFiles::make() const {
  std::vector<Value> values;
  std::ranges::stable_sort(objects_, {}, &Given::use);
  if (apart) note_reviewed();
  for (const Given& given : objects_) {
    Value stored;
    if (!take(given, stored)) continue;
    values.push_back(stored);
    const Identity name = identity(*given.object);
    if (given.use == ObjectUse::Reviewed) {
      created_[name] = stored;
    } else {
      created_.erase(name);
    }
    if (given.object->kind.ends_with("Binding")) bindings_.push_back(given.object);
  }
  rbac_.add(values);
  look_for_roles();
}

void RbacFiles::remark(Severity severity, const InputObject& object, std::string_view field,
                       std::string text) const {
  remarks_.push_back({severity, &object, object.locate(field), std::move(text)});
}

// Makes the object as the API server would store it; false if the server would refuse it.
bool RbacFiles::take(const Given& given, Value& stored) const {
  const InputObject& object = *given.object;
  std::vector<builtin::UnknownField> unknown;
  const std::vector<FieldError> refusals = decode_rbac(object, arena_, stored, &unknown);
  for (const builtin::UnknownField& f : unknown) {
    if (given.use == ObjectUse::Reviewed) break;
    std::string meant = f.suggestion.empty() ? "" : "; " + unknown_field_hint(f);
    remarks_.push_back({Severity::Warning, &object, object.locate(f.path, true), unknown_field(f) + meant});
  }
  for (const FieldError& e : refusals) remark(Severity::Warning, object, e.field, e.message);
  return refusals.empty();
}

// Notes the first manifest that counts, since the cluster lacks it: a change may grant its own author something.
void RbacFiles::note_reviewed() const {
  std::set<Identity> there;
  for (const Given& given : objects_) {
    if (given.use != ObjectUse::Reviewed) there.insert(identity(*given.object));
  }
  for (const Given& given : objects_) {
    if (given.use != ObjectUse::Reviewed) return;
    const InputObject& o = *given.object;
    if (there.contains(identity(o))) continue;
    remark(Severity::Note, o, "",
           "the authorizer's answers count roles and bindings of the manifests under review that the files "
           "of the "
           "cluster lack, such as this " +
               std::string(o.kind));
    return;
  }
}

void RbacFiles::OfRequest::begin(const InputObject* created) {
  asked_ = false;
  created_ = created != nullptr && RbacAuthorizer::is_rbac(created->value) ? created : nullptr;
}

AuthorizationAnswer RbacFiles::OfRequest::authorize(const AuthorizationAttributes& asked,
                                                    Arena& arena) const {
  AuthorizationAnswer answer = files_.authorize(asked, arena);
  // Members of system:masters need no role.
  const bool needs_role = asked.user == nullptr || !contains(asked.user->groups, kMasters);
  asked_ |= needs_role;
  if (created_ == nullptr || !needs_role) return answer;
  // What the cluster has of the same name stays.
  const auto created = files_.created_.find(identity(*created_));
  if (created == files_.created_.end()) return answer;
  AuthorizationAnswer out = files_.rbac_.authorize_without(created->second, asked, arena);
  if (out.decision != answer.decision) {
    const std::lock_guard lock(files_.mattering_);
    files_.mattered_.insert(created->first);
  }
  return out;
}

void RbacFiles::look_for_roles() const {
  for (const InputObject* binding : bindings_) {
    if (rbac_.has_role_of(binding->value)) continue;
    const Value* ref = find_member(binding->value, "roleRef");
    std::string text = "there is no " + std::string(text_member(*ref, "kind")) + " " +
                       quote_json(text_member(*ref, "name")) + "; so this " + std::string(binding->kind) +
                       " grants nothing";
    std::string hint = remarks_.size() < kMostRemarks ? meant_role(*binding) : "";
    remark(Severity::Note, *binding, "roleRef.name", text + (hint.empty() ? "" : "; " + hint));
  }
}

// A suggestion for the name of a role that does not exist.
std::string RbacFiles::meant_role(const InputObject& binding) const {
  const Value& ref = *find_member(binding.value, "roleRef");
  std::string name(text_member(ref, "name"));
  bool of_cluster = text_member(ref, "kind") == "ClusterRole";
  std::string_view home = binding.namespace_name;
  std::vector<std::string> here = rbac_.role_names(of_cluster ? std::string_view() : home);
  std::vector<std::string> there = rbac_.role_names(of_cluster ? home : std::string_view());
  bool reachable = !of_cluster || binding.kind == "RoleBinding";
  if (reachable && std::find(there.begin(), there.end(), name) != there.end())
    return std::string("there is a ") + (of_cluster ? "Role" : "ClusterRole") + " of this name";
  return did_you_mean(nearest(name, here));
}

void RbacFiles::say_grounds() const {
  if (!asked_) return;
  for (size_t i = 0; i < std::min(remarks_.size(), kMostRemarks); i++) {
    const Remark& r = remarks_[i];
    say(r.severity, r.object->file->name, r.position, r.text, r.object->file->text);
  }
  if (remarks_.size() > kMostRemarks) {
    say(Severity::Note, {}, {},
        "and " + std::to_string(remarks_.size() - kMostRemarks) + " more remarks on RBAC objects");
  }
  for (const Given& given : objects_) {
    if (!mattered_.contains(identity(*given.object))) continue;
    const InputObject& o = *given.object;
    say(Severity::Note, o.file->name, o.locate(""),
        "for the request that creates it, this " + std::string(o.kind) +
            " is not there yet: the authorizer's answers to that request do not count it",
        o.file->text);
  }
  if (objects_.empty()) {
    say(Severity::Note, {}, {},
        "the authorizer was asked, and there are no RBAC objects among the files: it answers from the roles "
        "and bindings that every cluster has; members of system:masters may do everything");
  }
  if (asked_of_node_) {
    say(Severity::Note, {}, {},
        "the authorizer was asked about a node: the Node authorizer, which may allow more, is not asked");
  }
}

}  // namespace portcullis
