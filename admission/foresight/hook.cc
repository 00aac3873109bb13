#include "admission/foresight/hook.h"

#include <algorithm>

namespace portcullis::foresight {
namespace {

// The labels of so many webhooks are tried for a longest wait.
constexpr size_t kMostTried = 100;
// The namespace of the tried requests, unless a selector wants another.
constexpr std::string_view kUsualNamespace = "default";

constexpr std::string_view kAll = "system:authenticated", kAccounts = "system:serviceaccounts",
                           kSystemAccounts = "system:serviceaccounts:kube-system", kNodes = "system:nodes";

// In the order in which a pod needs them.
constexpr VitalRequest kVital[] = {
    {Operation::Create,
     {"", "v1", "pods", "", "", "v1", "Pod"},
     "system:serviceaccount:kube-system:replicaset-controller",
     {kAccounts, kSystemAccounts, kAll},
     "cannot be created"},
    {Operation::Create,
     {"", "v1", "pods", "binding", "", "v1", "Binding"},
     "system:kube-scheduler",
     {kAll},
     "cannot be scheduled"},
    {Operation::Create,
     {"", "v1", "serviceaccounts", "token", "authentication.k8s.io", "v1", "TokenRequest"},
     "",
     {kNodes, kAll},
     "get no token, so they cannot start"},
    {Operation::Update,
     {"", "v1", "pods", "status", "", "v1", "Pod"},
     "",
     {kNodes, kAll},
     "cannot become ready"},
    {Operation::Update,
     {"discovery.k8s.io", "v1", "endpointslices", "", "discovery.k8s.io", "v1", "EndpointSlice"},
     "system:serviceaccount:kube-system:endpointslice-controller",
     {kAccounts, kSystemAccounts, kAll},
     "get no requests from services"},
};
// Without their leases the scheduler and the controller manager stop, which are in kube-system.
constexpr VitalRequest kLease = {
    Operation::Update,
    {"coordination.k8s.io", "v1", "leases", "", "coordination.k8s.io", "v1", "Lease"},
    "system:kube-controller-manager",
    {kAll},
    "are not managed any more, since the controller manager loses its lease"};

// Whether the selector certainly selects what has these labels.
bool certainly_selects(const LabelSelector& selector, const KnownLabels& known) {
  if (!selector.error().empty()) return false;
  return std::ranges::all_of(selector.requirements(), [&](const LabelSelector::Requirement& r) {
    auto found = known.labels.find(r.key);
    if (found == known.labels.end() && !known.all) return false;
    const bool there = found != known.labels.end();
    const bool listed = there && std::ranges::find(r.values, found->second) != r.values.end();
    switch (r.op) {
      case LabelSelector::Operator::In: return listed;
      case LabelSelector::Operator::NotIn: return !listed;
      case LabelSelector::Operator::Exists: return there;
      case LabelSelector::Operator::DoesNotExist: return !there;
    }
    return false;
  });
}

// Adds labels that the selector wants.
void add_wanted(const LabelSelector& selector, KnownLabels& labels) {
  for (const LabelSelector::Requirement& r : selector.requirements()) {
    if (r.op == LabelSelector::Operator::In && !r.values.empty()) labels.labels[r.key] = r.values[0];
    if (r.op == LabelSelector::Operator::Exists) labels.labels.try_emplace(r.key, "");
  }
}

bool rules_match(const Hook& hook, const KnownRequest& k) {
  AdmissionRequest request;
  request.operation = k.operation;
  request.resource = {k.group.value_or(""), k.version.value_or(""), k.resource.value_or("")};
  request.kind = {k.kind_group.value_or(""), k.kind_version.value_or(""), k.kind.value_or("")};
  request.subresource = k.subresource.value_or("");
  request.namespace_name = k.namespace_name.value_or("");
  return !exempt_from_webhooks(request) &&
         std::ranges::any_of(hook.rules.rules(), [&](const ResourceRule& rule) {
           return rule.names.empty() && rule.matches(request, request.resource);
         });
}

// The labels of a namespace that one may create, and of an object in it.
struct Labels {
  KnownLabels of_namespace, of_object;
};

Labels wanted_by(const Hook* hook) {
  Labels out;
  out.of_namespace.all = out.of_object.all = true;
  out.of_namespace.labels.emplace(kNamespaceNameLabel, kUsualNamespace);
  if (hook == nullptr) return out;
  add_wanted(hook->rules.namespace_selector(), out.of_namespace);
  add_wanted(hook->rules.object_selector(), out.of_object);
  return out;
}

// What the webhooks that the request certainly reaches may take, for an object and in a namespace with these labels.
Wait wait_for(KnownRequest request, std::span<const Hook* const> hooks, const Labels& labels,
              Context& context) {
  if (request.namespace_name)
    request.namespace_name = labels.of_namespace.labels.find(kNamespaceNameLabel)->second;
  Wait out;
  for (const Hook* h : hooks) {
    if (!certainly_reached(*h, request, labels.of_namespace, labels.of_object, context)) continue;
    if (h->mutating) {
      out.mutating.push_back(h);
      out.seconds += h->timeout_seconds;
    } else if (out.validating == nullptr || out.validating->timeout_seconds < h->timeout_seconds) {
      out.validating = h;
    }
  }
  if (out.validating != nullptr) out.seconds += out.validating->timeout_seconds;
  out.request = std::move(request);
  return out;
}

}  // namespace

Hook::Hook(const Data& webhook, bool mutates, std::vector<Condition> known)
    : name(webhook.field_text("name")),
      mutating(mutates),
      fails(!webhook["failurePolicy"].set || webhook.field_text("failurePolicy") == "Fail"),
      timeout_seconds(webhook["timeoutSeconds"].number),
      service_namespace(webhook["clientConfig"]["service"].field_text("namespace")),
      rules(MatchRules::of_webhook(webhook)),
      conditions(std::move(known)),
      judged(conditions.size() == webhook["matchConditions"].size()) {}

bool certainly_reached(const Hook& hook, const KnownRequest& request, const KnownLabels& of_namespace,
                       const KnownLabels& of_object, Context& context) {
  if (!hook.judged || !rules_match(hook, request)) return false;
  bool of_cluster = request.namespaced && !*request.namespaced;
  if (!of_cluster && !certainly_selects(hook.rules.namespace_selector(), of_namespace)) return false;
  if (!certainly_selects(hook.rules.object_selector(), of_object)) return false;
  return std::ranges::all_of(hook.conditions, [&](const Condition& c) {
    return c.judge(request, context).result == Foreseen::Result::True;
  });
}

const VitalRequest* obstructed(const Hook& hook, std::string_view namespace_name,
                               const KnownLabels& of_namespace, Context& context) {
  KnownLabels here = of_namespace;
  here.labels.insert_or_assign(std::string(kNamespaceNameLabel), std::string(namespace_name));
  auto reached = [&](const VitalRequest& vital) {
    KnownRequest k = exact_request(vital.resource, vital.operation);
    k.namespace_name = namespace_name;
    if (!vital.username.empty()) k.username = vital.username;
    size_t count = 0;
    while (count < std::size(vital.groups) && !vital.groups[count].empty()) count++;
    k.groups = {vital.groups, count};
    return certainly_reached(hook, k, here, {}, context);
  };
  for (const VitalRequest& vital : kVital) {
    if (reached(vital)) return &vital;
  }
  return namespace_name == "kube-system" && reached(kLease) ? &kLease : nullptr;
}

std::optional<Wait> longest_wait(std::span<const Hook> hooks, const ServedResources& served,
                                 Context& context) {
  int64_t all = 0;
  for (const Hook& h : hooks) all += h.timeout_seconds;
  if (all <= kRequestSeconds) return std::nullopt;
  std::vector<Labels> tried = {wanted_by(nullptr)};
  for (const Hook& h : hooks.first(std::min(hooks.size(), kMostTried))) {
    bool plain = h.rules.namespace_selector().everything() && h.rules.object_selector().everything();
    if (!plain) tried.push_back(wanted_by(&h));
  }
  Wait longest;
  longest.seconds = kRequestSeconds;
  std::vector<const Hook*> candidates;
  for (const ServedResource& s : served.list) {
    if (s.resource == "namespaces") continue;  // its selectors see its own labels
    if (!is_seen(s, Audience::Webhook)) continue;
    for (Operation o : {Operation::Create, Operation::Update, Operation::Delete}) {
      if ((s.operations & operation_bit(o)) == 0) continue;
      KnownRequest k = exact_request(s, o);
      if (s.namespaced) k.namespace_name = kUsualNamespace;
      candidates.clear();
      int64_t possible = 0;
      for (const Hook& h : hooks) {
        if (!rules_match(h, k)) continue;
        candidates.push_back(&h);
        possible += h.timeout_seconds;
      }
      for (const Labels& labels : tried) {
        if (possible <= longest.seconds) break;
        Wait wait = wait_for(k, candidates, labels, context);
        if (wait.seconds > longest.seconds) longest = std::move(wait);
      }
    }
  }
  if (longest.seconds == kRequestSeconds) return std::nullopt;
  return longest;
}

}  // namespace portcullis::foresight
