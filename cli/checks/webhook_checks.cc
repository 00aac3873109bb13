// See webhook_checks.h.
#include "cli/checks/webhook_checks.h"

#include <algorithm>
#include <string>

#include "admission/builtin/registration.h"
#include "admission/foresight/hook.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

using foresight::Hook;
using foresight::KnownLabels;
using foresight::KnownRequest;

constexpr std::string_view kSystem = "kube-system";

// A message names so many webhooks.
constexpr size_t kMostNamed = 5;

struct PlacedHook {
  const InputObject* object;
  std::string path;  // "webhooks[0]"
};

class WebhookCheck {
 public:
  WebhookCheck(const ReviewCluster& cluster, const CompiledExpressions& compiled,
               const ServedByCluster& served, std::vector<PolicyProblem>& out)
      : cluster_(cluster), compiled_(compiled), served_(served), out_(out) {
    // As the API server orders them.
    std::vector<const InputObject*> configurations = cluster.configurations();
    std::ranges::stable_sort(configurations, {}, &InputObject::name);
    Arena arena;  // of one object at a time; webhooks keep nothing of it
    for (const InputObject* c : configurations) {
      arena.reset();
      const Decoded decoded = decode_object(arena, c->value);
      const Data hooks = decoded.data["webhooks"];
      for (size_t i = 0; i < hooks.size(); i++) add(*c, hooks.items[i], i);
    }
  }

  void run() {
    for (size_t i = 0; i < hooks_.size(); i++) check_namespaces(i);
    check_timeouts();
  }

 private:
  void add(const InputObject& configuration, const Data& hook, size_t index) {
    std::string path = "webhooks[" + std::to_string(index) + "]";
    std::vector<foresight::Condition> conditions;
    for (size_t i = 0; i < hook["matchConditions"].size(); i++) {
      ExpressionPtr found =
          compiled_.find(configuration, path + ".matchConditions[" + std::to_string(i) + "].expression");
      if (found != nullptr) conditions.emplace_back(std::move(found));
    }
    hooks_.emplace_back(hook, is_mutating(configuration), std::move(conditions));
    places_.push_back({&configuration, std::move(path)});
  }

  // The labels of a namespace, if it is among the files.
  KnownLabels labels_of(std::string_view name) const {
    KnownLabels out;
    for (const InputObject* o : cluster_.others()) {
      if (role_of(*o) != Role::Namespace || o->name != name) continue;
      out.all = true;
      const Value* labels = find_path(o->value, "metadata.labels");
      if (labels == nullptr || !labels->is(Kind::Map)) continue;
      for (const MapEntry& e : labels->as_map()) {
        if (e.key.is(Kind::String) && e.value.is(Kind::String))
          out.labels.emplace(std::string(e.key.as_text()), std::string(e.value.as_text()));
      }
    }
    return out;
  }

  void check_namespaces(size_t index) {
    const Hook& hook = hooks_[index];
    if (!hook.fails) return;
    if (!hook.service_namespace.empty()) check_namespace(index, hook.service_namespace, true);
    if (hook.service_namespace != kSystem) check_namespace(index, kSystem, false);
  }

  void check_namespace(size_t index, std::string_view name, bool own) {
    const Hook& hook = hooks_[index];
    const foresight::VitalRequest* vital = obstructed(hook, name, labels_of(name), context_);
    if (vital == nullptr) return;
    std::string resource(vital->resource.resource);
    if (!vital->resource.subresource.empty()) resource.append("/").append(vital->resource.subresource);
    std::string text = "webhook " + quote_json(hook.name) + " gets " +
                       std::string(operation_name(vital->operation)) + " of " + resource + " in " +
                       (own ? "its own namespace " : "the namespace ") + quote_json(name) +
                       ", with failurePolicy Fail: while it does not answer, " +
                       (own ? "its own pods " : "the pods there ") + std::string(vital->without);
    const Value* selector =
        find_path(places_[index].object->value, places_[index].path + ".namespaceSelector");
    warn(index, selector != nullptr ? ".namespaceSelector" : "", std::move(text),
         "exclude the namespace: namespaceSelector {matchExpressions: [{key: kubernetes.io/metadata.name, "
         "operator: NotIn, "
         "values: [" +
             std::string(name) + "]}]}");
  }

  void check_timeouts() {
    auto wait = longest_wait(hooks_, served_.served(), context_);
    if (!wait) return;
    std::string resource(wait->request.resource.value_or(""));
    if (!wait->request.subresource->empty()) resource.append("/").append(*wait->request.subresource);
    std::string text = "webhooks may take " + std::to_string(wait->seconds) + " s for a " +
                       std::string(operation_name(wait->request.operation)) + " of " + resource +
                       ", and the API server gives it " + std::to_string(foresight::kRequestSeconds) +
                       " s, whatever their failurePolicy: ";
    // The webhook that comes too late.
    const Hook* late = wait->validating;
    int64_t seconds = 0;
    for (size_t i = 0; i < wait->mutating.size(); i++) {
      const Hook& h = *wait->mutating[i];
      bool last = seconds <= foresight::kRequestSeconds;
      seconds += h.timeout_seconds;
      if (last && seconds > foresight::kRequestSeconds) late = &h;
      if (i < kMostNamed)
        text +=
            (i == 0 ? "" : ", then ") + quote_json(h.name) + " " + std::to_string(h.timeout_seconds) + " s";
    }
    if (wait->mutating.size() > kMostNamed)
      text += ", then " + std::to_string(wait->mutating.size() - kMostNamed) + " more";
    if (wait->validating != nullptr)
      text += ", then " + quote_json(wait->validating->name) + " " +
              std::to_string(wait->validating->timeout_seconds) + " s beside other validating ones";
    size_t index = static_cast<size_t>(late - hooks_.data());
    const Value* given = find_path(places_[index].object->value, places_[index].path + ".timeoutSeconds");
    warn(index, given != nullptr ? ".timeoutSeconds" : "", std::move(text),
         "lower timeoutSeconds, which is 10 by default");
  }

  void warn(size_t index, std::string_view field, std::string text, std::string hint) {
    const PlacedHook& place = places_[index];
    std::string path = place.path + std::string(field);
    out_.push_back({place.object,
                    Severity::Warning,
                    path,
                    std::move(text),
                    place.object->locate(path),
                    {},
                    std::move(hint)});
    out_.back().ours = true;
  }

  const ReviewCluster& cluster_;
  const CompiledExpressions& compiled_;
  const ServedByCluster& served_;
  std::vector<PolicyProblem>& out_;
  Context context_;
  std::vector<Hook> hooks_;
  std::vector<PlacedHook> places_;
};

}  // namespace

void add_webhook_problems(const ReviewCluster& cluster, const CompiledExpressions& compiled,
                          const ServedByCluster& served, std::vector<PolicyProblem>& out) {
  WebhookCheck(cluster, compiled, served, out).run();
}

}  // namespace portcullis
