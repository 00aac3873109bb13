#include "admission/engine/loaded_webhook.h"

#include <fmt/format.h>

#include <map>

#include "admission/engine/objects_to_load.h"
#include "admission/expressions/expression_places.h"

namespace portcullis {
namespace {

SideEffects side_effects_of(const Data& field) {
  if (!field.set) return SideEffects::Absent;
  if (field.text == "None") return SideEffects::None;
  return field.text == "NoneOnDryRun" ? SideEffects::NoneOnDryRun : SideEffects::Other;
}

WebhookClient client_of(const Data& config) {
  WebhookClient out;
  const Data service = config["service"];
  out.has_service = service.set;
  out.has_url = config["url"].set;
  out.url = config.field_text("url");
  out.service_namespace = service.field_text("namespace");
  out.service_name = service.field_text("name");
  out.service_path = service.field_text("path");
  out.service_port = service["port"].number;
  out.ca_bundle = config.field_text("caBundle");
  return out;
}

}  // namespace

void load_webhooks(const Data& configuration, bool mutating, ProgramStore& store, SharedParses* parses,
                   std::vector<LoadedWebhook>& out) {
  PolicyCompiler compiler(false, &store, parses);
  const size_t first = out.size();
  const std::string name(configuration["metadata"].field_text("name"));
  std::map<std::string_view, size_t> seen;
  const Data hooks = configuration["webhooks"];
  for (size_t i = 0; i < hooks.size(); i++) {
    const Data hook = hooks.items[i];
    LoadedWebhook& made = out.emplace_back();
    made.configuration = name;
    made.name = hook.field_text("name");
    made.uid = fmt::format("{}/{}/{}", name, made.name, seen[hook.field_text("name")]++);
    made.mutating = mutating;
    made.index = i;
    made.match = MatchRules::of_webhook(hook);
    made.failure = failure_policy_of(hook);
    made.side_effects = side_effects_of(hook["sideEffects"]);
    made.reinvoked = hook.field_text("reinvocationPolicy") == "IfNeeded";
    for (const Data& version : hook["admissionReviewVersions"].items)
      made.review_versions.emplace_back(version.text);
    made.timeout_seconds = hook["timeoutSeconds"].number;
    made.client = client_of(hook["clientConfig"]);
  }
  for (const PlacedExpression& e : expressions_of(configuration)) {
    if (e.webhook < 0) continue;
    LoadedWebhook& hook = out[first + static_cast<size_t>(e.webhook)];
    hook.condition_names.emplace_back(e.name);
    hook.conditions.push_back(policy_expression(
        store.keep(e.text),
        compiler.compile(e.text, e.place->results, e.place->declared(false), kStoredExpressions),
        *store.texts()));
  }
}

}  // namespace portcullis
