// See cluster.h.
#include "cli/cluster.h"

#include <algorithm>
#include <atomic>

#include "admission/rbac.h"

namespace portcullis {
namespace {

constexpr std::string_view kAdmissionGroup = "admissionregistration.k8s.io";

// A Namespace with its name and the label that the API server puts on all of them.
Value make_namespace(std::string_view name, Arena& arena) {
  auto entries = [&](std::initializer_list<MapEntry> list) {
    MapEntry* out = alloc_entries(arena, list.size());
    std::copy(list.begin(), list.end(), out);
    return make_map(arena, out, list.size());
  };
  Value text = Value::string(arena.copy(name));
  Value labels = entries({{Value::string("kubernetes.io/metadata.name"), text}});
  Value metadata = entries({{Value::string("name"), text}, {Value::string("labels"), labels}});
  return entries({{Value::string("apiVersion"), Value::string("v1")},
                  {Value::string("kind"), Value::string("Namespace")},
                  {Value::string("metadata"), metadata}});
}

// A given Namespace as the API server would have it: with its name as a label.
Value complete_namespace(const InputObject& object, Arena& arena) {
  const Value* metadata = find_member(object.value, "metadata");
  if (!metadata || !metadata->is(Kind::Map)) return object.value;
  const Value* labels = find_member(*metadata, "labels");
  Value all = with_member(labels ? *labels : Value(), "kubernetes.io/metadata.name", Value::string(object.name), arena);
  return with_member(object.value, "metadata", with_member(*metadata, "labels", all, arena), arena);
}

void add_report(std::vector<PolicyProblem>& out, const InputObject& object) {
  ObjectReport report = check_object(object.value);
  auto add = [&](Severity severity, std::string path, std::string text) {
    bool whole = path.empty();
    out.push_back({&object, severity, std::move(path), std::move(text), whole});
  };
  if (!report.decode_error.empty()) add(Severity::Error, "", report.decode_error);
  for (const std::string& text : report.strict_errors) {
    // unknown field "spec.x": the quoted part is its path.
    size_t first = text.find('"'), last = text.rfind('"');
    add(Severity::Error, first < last ? text.substr(first + 1, last - first - 1) : "", text);
  }
  for (const FieldError& e : report.errors) add(Severity::Error, e.field, e.message);
  for (const std::string& text : report.warnings) add(Severity::Warning, "", text);
}

}  // namespace

// Answers from RBAC objects, and keeps in mind whether it was asked.
class ReviewCluster::NotedAuthorizer final : public Authorizer {
 public:
  void add(std::span<const Value> objects) { rbac_.add(objects); }
  AuthorizationAnswer authorize(const AuthorizationAttributes& asked, Arena& arena) const override {
    asked_ = true;
    return rbac_.authorize(asked, arena);
  }
  bool asked() const { return asked_; }

 private:
  RbacAuthorizer rbac_;
  mutable std::atomic<bool> asked_ = false;
};

ReviewCluster::ReviewCluster() = default;
ReviewCluster::~ReviewCluster() = default;

Role role_of(const InputObject& object) {
  std::string_view group = object.group();
  if (group == kAdmissionGroup) {
    if (object.kind == "ValidatingAdmissionPolicy") return Role::Policy;
    if (object.kind == "ValidatingAdmissionPolicyBinding") return Role::Binding;
    return Role::Unsupported;
  }
  if (group.empty() && object.kind == "Namespace") return Role::Namespace;
  if (group == "apiextensions.k8s.io" && object.kind == "CustomResourceDefinition") return Role::Definition;
  if (group == "admission.k8s.io" && object.kind == "AdmissionReview") return Role::Review;
  return Role::Other;
}

void ReviewCluster::add(const std::vector<InputObject>& objects, bool policies) {
  for (const InputObject& object : objects) {
    switch (role_of(object)) {
      case Role::Policy:
        if (policies) policies_.push_back(&object);
        break;
      case Role::Binding:
        if (policies) bindings_.push_back(&object);
        break;
      case Role::Unsupported:
        if (policies) unsupported_.push_back(&object);
        break;
      case Role::Namespace: namespaces_.push_back(&object); [[fallthrough]];
      case Role::Definition:
      case Role::Other:
        others_.push_back(&object);
        if (RbacAuthorizer::is_rbac(object.value)) rbac_.push_back(object.value);
        break;
      case Role::Review: break;
    }
    if (role_of(object) == Role::Definition && !resources_.add_definition(object.value)) {
      say(Severity::Warning, object.file->name, object.locate(""),
          "this CustomResourceDefinition has no group, names or scope and is not used", object.file->text);
    }
  }
}

const InputObject* ReviewCluster::policy(std::string_view name) const {
  for (const InputObject* p : policies_) {
    if (p->name == name) return p;
  }
  return nullptr;
}

std::vector<PolicyProblem> ReviewCluster::problems() const {
  std::vector<PolicyProblem> out;
  std::unordered_map<std::string_view, const InputObject*> by_name;
  for (const InputObject* p : policies_) {
    add_report(out, *p);
    if (!by_name.emplace(p->name, p).second && !p->name.empty()) {
      out.push_back({p, Severity::Error, "metadata.name", "another policy has this name", false});
    }
  }
  std::unordered_set<std::string_view> names, bound;
  for (const InputObject* b : bindings_) {
    add_report(out, *b);
    if (!names.insert(b->name).second && !b->name.empty()) {
      out.push_back({b, Severity::Error, "metadata.name", "another binding has this name", false});
    }
    const Value* spec = find_member(b->value, "spec");
    std::string_view target = spec ? text_member(*spec, "policyName") : std::string_view();
    bound.insert(target);
    if (!target.empty() && !by_name.contains(target)) {
      std::string text = "the binding names the policy " + quote_json(target) + ", which is not among the given files";
      out.push_back({b, Severity::Error, "spec.policyName", text, false});
    }
  }
  for (const InputObject* p : policies_) {
    if (!bound.contains(p->name)) {
      out.push_back({p, Severity::Warning, "metadata.name", "no binding names this policy, so it decides nothing", false});
    }
  }
  for (const InputObject* u : unsupported_) {
    out.push_back({u, Severity::Error, "kind", std::string(u->kind) + " is not evaluated by this program", false});
  }
  return out;
}

void ReviewCluster::drop(const std::vector<PolicyProblem>& problems) {
  std::unordered_set<const InputObject*> bad;
  for (const PolicyProblem& p : problems) {
    if (p.severity == Severity::Error) bad.insert(p.object);
  }
  for (auto* list : {&policies_, &bindings_, &unsupported_}) {
    std::erase_if(*list, [&](const InputObject* o) { return bad.contains(o); });
  }
}

const Authorizer* ReviewCluster::authorizer() {
  if (!authorizer_) {
    authorizer_ = std::make_unique<NotedAuthorizer>();
    authorizer_->add(rbac_);
  }
  return authorizer_.get();
}

bool ReviewCluster::asked_without_rbac() const { return authorizer_ && authorizer_->asked() && rbac_.empty(); }

Result<std::shared_ptr<const Engine>> ReviewCluster::load(const std::unordered_set<std::string_view>& wanted,
                                                          Arena& arena,
                                                          std::vector<std::string_view>& assumed) const {
  Cluster cluster;
  std::unordered_set<std::string> param_kinds;
  for (const InputObject* p : policies_) {
    cluster.policies.push_back(p->value);
    const Value* spec = find_member(p->value, "spec");
    const Value* kind = spec ? find_member(*spec, "paramKind") : nullptr;
    if (kind) {
      param_kinds.insert(std::string(text_member(*kind, "apiVersion")) + " " + std::string(text_member(*kind, "kind")));
    }
  }
  for (const InputObject* b : bindings_) cluster.bindings.push_back(b->value);
  for (const InputObject* o : others_) {
    if (param_kinds.contains(std::string(o->api_version) + " " + std::string(o->kind))) cluster.params.push_back(o->value);
  }
  std::unordered_set<std::string_view> given;
  for (const InputObject* n : namespaces_) {
    if (given.insert(n->name).second) cluster.namespaces.push_back(complete_namespace(*n, arena));
  }
  for (std::string_view name : wanted) {
    if (!given.contains(name)) assumed.push_back(name);
  }
  std::sort(assumed.begin(), assumed.end());
  for (std::string_view name : assumed) cluster.namespaces.push_back(make_namespace(name, arena));
  cluster.param_kinds = resources_.kinds();
  cluster.equivalents = resources_.equivalents();
  return Engine::load(cluster);
}

}  // namespace portcullis
